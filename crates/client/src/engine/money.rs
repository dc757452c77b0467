//! What an attempt may cost before it begins, and what it did cost.

use std::borrow::Cow;

use mainstay_canon::{ChatRequest, Cost, Failure, Kind, Moment, Nanodollars, Usage};
use mainstay_config::PriceOf;
use mainstay_cost::{HardAbort, OutputLimit, Price, Reservation, Spender};
use mainstay_store::Entry;

use super::{Alert, Engine, TierRuntime};

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
    /// Something in the request costs money without a bound, and a cap is set (behaviour 8.2d).
    Unbounded(Box<Failure>),
}

/// What is known of an attempt that may cost something.
pub(super) struct Bill<'a> {
    pub(super) request: &'a ChatRequest,
    pub(super) spender: &'a Spender,
    pub(super) tier: &'a TierRuntime,
    pub(super) now: Moment,
}

impl Engine {
    /// Sets the worst case of one attempt aside (behaviour 8.2, 8.2b).
    pub(super) fn budget_for(&self, bill: &Bill<'_>, asked: Option<u32>) -> Result<Budget, NoBudget> {
        let Bill { spender, tier, now, request } = *bill;
        let deadline = now.after(self.config.deadline);
        let Some(price) = tier.price(request, now, deadline) else {
            let limit = OutputLimit { tokens: asked, note: None };
            let worst = if tier.price == PriceOf::Free { Cost::ZERO } else { Cost::Unknown };
            return Ok(Budget { limit, reservation: None, worst });
        };
        if self.has_caps
            && let Some(part) = mainstay_cost::unbounded(request)
        {
            let why = format!("{part} is billed by a measure without a bound, which no cap can hold");
            let failure = Failure::new(Kind::UnsupportedParameter, why).param(part);
            return Err(NoBudget::Unbounded(Box::new(failure)));
        }
        let prompt_bound = tier.model.as_ref().map_or_else(
            || mainstay_cost::prompt_bound(request),
            |model| mainstay_cost::prompt_bound_for(request, model),
        );
        let max = tier.model.as_ref().and_then(|model| model.output_ceiling(prompt_bound));
        let margin = self.ledger.margin(&tier.target);
        let room = self.ledger.room(spender, now).filter(|_| self.has_caps).map(|room| margin.within(room));
        let model_max = room.and(Some(max.unwrap_or(UNKNOWN_MODEL_OUTPUT)));
        let limit = mainstay_cost::output_limit(asked, model_max, &price, room, prompt_bound);
        let output = limit.tokens.or(max).unwrap_or(UNKNOWN_MODEL_OUTPUT);
        let worst = margin.on(price.worst(prompt_bound, u64::from(output)));
        let reserve =
            || self.ledger.reserve(spender, worst, now).map_err(|abort| NoBudget::Cap(Box::new(abort)));
        let reservation = if self.has_caps { Some(reserve()?) } else { None };
        if let Some(reservation) = &reservation {
            self.journal(&Entry::Reserved(reservation.entry().clone()));
        }
        Ok(Budget { limit, reservation, worst: Cost::Known(worst) })
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
            Some((usage, None)) => Cost::Known(price.charge(&usage)),
            None if may_be_billed(kind) => worst,
            None => Cost::ZERO,
        }
    }

    /// Settles a reservation at what the attempt cost.
    pub(super) fn settle(&self, reservation: Option<Reservation>, cost: Cost, bill: &Bill<'_>) {
        let actual = cost.known().unwrap_or(Nanodollars::ZERO);
        let Some(reservation) = reservation else {
            // Without a cap nothing is set aside; a cap that a reload brings must still know of it.
            self.ledger.add_spent(bill.spender, actual, bill.now);
            return;
        };
        let worst = reservation.worst;
        let settled = self.ledger.settle(reservation, actual, bill.now);
        self.journal(&Entry::Settled(settled.entry));
        if let Some(overrun) = settled.overrun {
            let target = bill.tier.target.clone();
            let margin = self.ledger.raise_margin(&target, worst, actual);
            self.journal(&Entry::Margin { target, margin });
            self.alert(Alert {
                kind: "overrun",
                tier: Some(bill.tier.target.clone()),
                message: format!("a bill was ${overrun} above what had been set aside for it"),
                over: false,
            });
        }
        for warning in &settled.warnings {
            let whose = warning.whose.as_deref().map(|whose| format!(" of {whose}")).unwrap_or_default();
            let message =
                format!("${} of the cap {} = ${}{whose} is spent", warning.spent, warning.cap, warning.limit);
            self.alert(Alert { kind: "cap_near", tier: None, message, over: false });
        }
    }

    /// Gives a reservation back whose call was never made.
    pub(super) fn give_back(&self, reservation: Option<Reservation>) {
        if let Some(reservation) = reservation {
            self.journal(&Entry::Released(self.ledger.release(reservation)));
        }
    }

    fn journal(&self, entry: &Entry) {
        if let Some(store) = &self.store
            && let Err(error) = store.append(entry)
        {
            let message = format!("the ledger's journal cannot be written: {error}");
            self.alert(Alert { kind: "log_unwritable", tier: None, message, over: false });
        }
    }
}

impl TierRuntime {
    /// The price of a request that is answered between two moments; `None` where it is free or unknown.
    fn price(&self, request: &ChatRequest, from: Moment, until: Moment) -> Option<Cow<'_, Price>> {
        match &self.price {
            PriceOf::Known(price) => Some(Cow::Borrowed(price)),
            PriceOf::Listed(model) => {
                let service = mainstay_cost::service_of(request, self.provider.upstream.dialect());
                Some(Cow::Owned(model.price_for(request, service.as_deref(), from, until)))
            }
            PriceOf::Free | PriceOf::Unpriced => None,
        }
    }
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
        | Kind::BudgetExceeded
        | Kind::UnpricedModel => false,
    }
}
