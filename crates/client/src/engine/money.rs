//! What an attempt may cost before it begins, and what it did cost.

use std::borrow::Cow;

use mainstay_canon::{ChatRequest, Cost, Failure, Kind, Moment, Nanodollars, Usage};
use mainstay_config::{OnLogFailure, PriceOf};
use mainstay_cost::{HardAbort, KeyCaps, Margin, OutputLimit, Price, Reservation, Spender};
use mainstay_store::Entry;

use super::alerts::{Alert, Ends};
use super::{Engine, TierRuntime};

/// Output tokens that are reserved for when neither caller nor catalogue names a limit.
const UNKNOWN_MODEL_OUTPUT: u32 = 32_768;

/// Leave to spend, for one attempt.
pub(super) struct Budget {
    pub(super) limit: OutputLimit,
    pub(super) reservation: Option<Reservation>,
    /// What the attempt costs at worst.
    pub(super) worst: Cost,
}

/// Why an attempt may not begin.
pub(super) enum NoBudget {
    /// A cap does not leave room.
    Cap(Box<HardAbort>),
    /// This tier cannot serve the request: something in it costs money without a bound while a cap is set
    /// (behaviour 8.2d), or its model cannot answer at greater length than it did.
    Unfit(Box<Failure>),
    /// What is set aside cannot be written down, and the config says that calls are then refused.
    Unwritten(String),
}

/// What is known of an attempt that may cost something.
pub(super) struct Bill<'a> {
    pub(super) request: &'a ChatRequest,
    pub(super) spender: &'a Spender,
    /// The caps of the virtual key that the request came with.
    pub(super) key: Option<&'a KeyCaps>,
    pub(super) tier: &'a TierRuntime,
    pub(super) now: Moment,
}

/// How long an answer is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Length {
    /// The caller's own limit in output tokens.
    pub(super) asked: Option<u32>,
    /// Whether it is doubled because the last answer was cut by it.
    pub(super) grows: bool,
}

/// What an attempt may cost at most, and why.
struct Worst {
    limit: OutputLimit,
    amount: Nanodollars,
}

impl Engine {
    /// Sets the worst case of one attempt aside (behaviour 8.2, 8.2b).
    pub(super) fn budget_for(&self, bill: &Bill<'_>, length: Length) -> Result<Budget, NoBudget> {
        let Bill { key, tier, now, request, .. } = *bill;
        let prompt_bound = tier.model.as_ref().map_or_else(
            || mainstay_cost::prompt_bound(request),
            |model| mainstay_cost::prompt_bound_for(request, model),
        );
        let ceiling = tier.model.as_ref().and_then(|model| model.output_ceiling(prompt_bound));
        let asked = wanted(length, ceiling)?;
        let Some(price) = tier.price(request, now, now.after(self.config.deadline)) else {
            let limit = OutputLimit { tokens: asked, note: None };
            let worst = if tier.price == PriceOf::Free { Cost::ZERO } else { Cost::Unknown };
            return Ok(Budget { limit, reservation: None, worst });
        };
        let margin = self.ledger.margin(&tier.target);
        let plan = |room| worst_within(asked, ceiling, &price, room, prompt_bound, margin);
        if !self.caps_apply(key) {
            let Worst { limit, amount } = plan(None);
            return Ok(Budget { limit, reservation: None, worst: Cost::Known(amount) });
        }
        if let Some(part) = mainstay_cost::unbounded(request) {
            let why = format!("{part} is billed by a measure without a bound, which no cap can hold");
            let failure = Failure::new(Kind::UnsupportedParameter, why).param(part);
            return Err(NoBudget::Unfit(Box::new(failure)));
        }
        self.reserve(bill, plan)
    }

    /// Sets the worst case of an attempt for vectors aside: all that they cost is their input.
    pub(super) fn budget_for_vectors(&self, bill: &Bill<'_>, prompt_bound: u64) -> Result<Budget, NoBudget> {
        let Bill { key, tier, now, request, .. } = *bill;
        let limit = OutputLimit { tokens: None, note: None };
        let Some(price) = tier.price(request, now, now.after(self.config.deadline)) else {
            let worst = if tier.price == PriceOf::Free { Cost::ZERO } else { Cost::Unknown };
            return Ok(Budget { limit, reservation: None, worst });
        };
        let amount = self.ledger.margin(&tier.target).on(price.worst(prompt_bound, 0));
        if !self.caps_apply(key) {
            return Ok(Budget { limit, reservation: None, worst: Cost::Known(amount) });
        }
        self.reserve(bill, |_| Worst { limit, amount })
    }

    /// Plans and sets aside in one step: of many callers at once none is refused for room that another took
    /// between the two (behaviour 8.2b).
    fn reserve(
        &self,
        bill: &Bill<'_>,
        plan: impl FnOnce(Option<Nanodollars>) -> Worst,
    ) -> Result<Budget, NoBudget> {
        let (reservation, limit) = self
            .ledger
            .reserve_planned(bill.spender, bill.key, bill.now, |room| {
                let Worst { limit, amount } = plan(room);
                (amount, limit)
            })
            .map_err(|abort| NoBudget::Cap(Box::new(abort)))?;
        let worst = Cost::Known(reservation.worst);
        if let Err(why) = self.journal(&Entry::Reserved(reservation.entry().clone()))
            && self.config.log.on_failure == OnLogFailure::Refuse
        {
            self.give_back(Some(reservation));
            return Err(NoBudget::Unwritten(why));
        }
        Ok(Budget { limit, reservation: Some(reservation), worst })
    }

    /// Whether any cap counts for a call with this key.
    fn caps_apply(&self, key: Option<&KeyCaps>) -> bool {
        self.has_caps
            || key.is_some_and(|key| [key.daily, key.monthly, key.total].iter().any(Option::is_some))
    }

    /// What an attempt cost: by its usage where there was an answer, its worst case where the provider may
    /// have gone on working unseen, nothing where it never began (behaviour 8.3).
    pub(super) fn charge(
        bill: &Bill<'_>,
        kind: Kind,
        usage: Option<(Usage, Option<Nanodollars>)>,
        worst: Cost,
    ) -> Cost {
        let Some(price) = bill.tier.price(bill.request, bill.now, bill.now) else {
            let unknown = bill.tier.price == PriceOf::Unpriced && (usage.is_some() || may_be_billed(kind));
            return if unknown { Cost::Unknown } else { Cost::ZERO };
        };
        match usage {
            Some((_, Some(reported))) => Cost::Known(reported),
            Some((usage, None)) => {
                let estimate = price.charge(&usage);
                // A stream that we cut where its reservation ended cost that much, as far as anybody knows.
                let cut = worst.known().filter(|_| kind == Kind::BudgetExceeded);
                Cost::Known(cut.map_or(estimate, |worst| estimate.min(worst)))
            }
            None if may_be_billed(kind) => worst,
            None => Cost::ZERO,
        }
    }

    /// Settles a reservation at what the attempt cost; whether that was more than was set aside.
    pub(super) fn settle(&self, reservation: Option<Reservation>, cost: Cost, bill: &Bill<'_>) -> bool {
        let actual = cost.known().unwrap_or(Nanodollars::ZERO);
        let Some(reservation) = reservation else {
            // Without a cap nothing is set aside; a cap that a reload brings must still know of it.
            self.ledger.add_spent(bill.spender, actual, bill.now);
            return false;
        };
        let worst = reservation.worst;
        let settled = self.ledger.settle(reservation, actual, bill.now);
        let _ = self.journal(&Entry::Settled(settled.entry));
        for warning in &settled.warnings {
            let whose = warning.whose.as_deref().map(|whose| format!(" of {whose}")).unwrap_or_default();
            let message =
                format!("${} of the cap {} = ${}{whose} is spent", warning.spent, warning.cap, warning.limit);
            self.raise(Alert::new("cap_near", None, message), Ends::WhenQuiet);
        }
        let Some(overrun) = settled.overrun else { return false };
        let target = bill.tier.target.clone();
        let margin = self.ledger.raise_margin(&target, worst, actual);
        let message = format!("a bill was ${overrun} above what had been set aside for it");
        self.raise(Alert::new("overrun", Some(&target), message), Ends::WhenQuiet);
        let _ = self.journal(&Entry::Margin { target, margin });
        true
    }

    /// Gives a reservation back whose call was never made.
    pub(super) fn give_back(&self, reservation: Option<Reservation>) {
        if let Some(reservation) = reservation {
            let _ = self.journal(&Entry::Released(self.ledger.release(reservation)));
        }
    }

    /// Writes down what the ledger did. A failure has raised its alert; what else follows is the caller's
    /// decision.
    fn journal(&self, entry: &Entry) -> Result<(), String> {
        let Some(store) = &self.store else { return Ok(()) };
        let written = store.append(entry).map_err(|error| error.to_string());
        self.heed_journal(written.as_ref().err());
        written
    }
}

impl TierRuntime {
    /// The price of a request that is answered between two moments; `None` where it is free or unknown.
    fn price(&self, request: &ChatRequest, from: Moment, until: Moment) -> Option<Cow<'_, Price>> {
        match &self.price {
            PriceOf::Known(price) => Some(Cow::Borrowed(price)),
            PriceOf::Listed(model) => {
                let service = mainstay_cost::service_of(request, self.upstream_for(request).dialect());
                Some(Cow::Owned(model.price_for(request, service.as_deref(), from, until)))
            }
            PriceOf::Free | PriceOf::Unpriced => None,
        }
    }
}

/// The limit to ask for: the caller's own, or twice that after an answer it cut, but no more than the model
/// can do: asking for more is an error that would end the request.
fn wanted(length: Length, ceiling: Option<u32>) -> Result<Option<u32>, NoBudget> {
    let (Some(asked), true) = (length.asked, length.grows) else { return Ok(length.asked) };
    let doubled = asked.saturating_mul(2);
    let grown = ceiling.map_or(doubled, |ceiling| doubled.min(ceiling));
    if grown > asked {
        return Ok(Some(grown));
    }
    let why = format!("the model answers with at most {asked} tokens, which was not enough");
    Err(NoBudget::Unfit(Box::new(Failure::new(Kind::UnsupportedParameter, why).param("max_tokens"))))
}

/// The output limit and the worst case that it makes, with this much room under the tightest cap (behaviour
/// 8.2b).
fn worst_within(
    asked: Option<u32>,
    ceiling: Option<u32>,
    price: &Price,
    room: Option<Nanodollars>,
    prompt_bound: u64,
    margin: Margin,
) -> Worst {
    let room = room.map(|room| margin.within(room));
    let model_max = room.and(Some(ceiling.unwrap_or(UNKNOWN_MODEL_OUTPUT)));
    let mut limit = mainstay_cost::output_limit(asked, model_max, price, room, prompt_bound);
    if ceiling.is_none() && limit.note.is_some() && limit.tokens == Some(UNKNOWN_MODEL_OUTPUT) {
        let note = "tokens, because nobody knows the model's maximum";
        limit.note = Some(format!("output limited to {UNKNOWN_MODEL_OUTPUT} {note}"));
    }
    let output = limit.tokens.or(ceiling).unwrap_or(UNKNOWN_MODEL_OUTPUT);
    let amount = margin.on(price.worst(prompt_bound, u64::from(output)));
    Worst { limit, amount }
}

/// Whether a provider may bill for a call that ended so, although no usage came.
const fn may_be_billed(kind: Kind) -> bool {
    match kind {
        // The request had been taken and the answer may have been written to its end.
        Kind::TimeoutIdle
        | Kind::TimeoutTotal
        | Kind::TimeoutFirstByte
        | Kind::StreamInterrupted
        | Kind::Cancelled
        | Kind::InvalidResponse
        | Kind::UnknownFinishReason
        | Kind::MalformedToolCall
        | Kind::BudgetExceeded
        | Kind::Bad(_) => true,
        // An error in place of an answer, or no connection, is not billed.
        Kind::Connect
        | Kind::Tls
        | Kind::RateLimited
        | Kind::QuotaExhausted
        | Kind::Overloaded
        | Kind::ServerError
        | Kind::InvalidRequest
        | Kind::UnsupportedParameter
        | Kind::ContextLength
        | Kind::TooLarge
        | Kind::Auth
        | Kind::Permission
        | Kind::NotFound
        | Kind::RequestDeclined
        | Kind::ContentFiltered
        | Kind::ContentProhibited
        | Kind::UnpricedModel => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is asked for; "unfit" where the model cannot do more.
    fn wanted_tokens(asked: Option<u32>, grows: bool, ceiling: Option<u32>) -> String {
        wanted(Length { asked, grows }, ceiling)
            .map_or("unfit".into(), |tokens| tokens.map_or("none".into(), |tokens| tokens.to_string()))
    }

    #[test]
    fn a_limit_grows_to_twice_itself_but_not_beyond_the_model() {
        assert_eq!(wanted_tokens(Some(100), false, Some(50)), "100", "the caller's word stands");
        assert_eq!(wanted_tokens(Some(100), true, None), "200");
        assert_eq!(wanted_tokens(Some(100), true, Some(150)), "150");
        assert_eq!(wanted_tokens(Some(100), true, Some(100)), "unfit", "the same again buys the same again");
        assert_eq!(wanted_tokens(None, true, Some(100)), "none");
    }
}
