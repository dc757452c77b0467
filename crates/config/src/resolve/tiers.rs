//! One tier: what it costs, what it accepts, how patient we are with it.

use std::sync::Arc;
use std::time::Duration;

use mainstay_canon::{Accepts, Moment, ReasoningEffort, Target};
use mainstay_cost::{Catalogue, Model, Price, Retirement};
use mainstay_retry::{RetryOptions, Timeouts};

use crate::config::{Breaker, Limits, PriceOf, ProviderConfig, Tier};
use crate::report::{Fault, Report, Typed};
use crate::resolve::providers::Built;
use crate::secret::quoted;
use crate::typed::chain::{TypedAccepts, TypedPrice, TypedTier};
use crate::typed::patience::{Patience, first};
use crate::units;

/// What all tiers share.
pub(crate) struct Shared<'s> {
    pub(crate) defaults: &'s Patience,
    pub(crate) catalogue: &'s Catalogue,
    /// A cap that is set, by its name in the file.
    pub(crate) cap: Option<&'static str>,
    /// The whole request's time.
    pub(crate) deadline: Duration,
    pub(crate) now: Moment,
}

/// The tier as meant; `None` where it has no price, which has been noted.
pub(crate) fn resolve(
    typed: &TypedTier,
    built: &Built,
    shared: &Shared<'_>,
    report: &mut Report<'_>,
) -> Option<Tier> {
    let provider = &built.config;
    let target = typed.target();
    let model = shared.catalogue.find(&provider.name, &target.model).cloned().map(Arc::new);
    if let Some(model) = &model {
        check_life(typed, provider, model, shared.now, report);
    }
    let price = price(typed, built, model.as_ref(), shared, report);
    check_deadline(&typed.patience, shared.deadline, report);
    let reasoning = model.as_ref().is_some_and(|model| model.reasoning);
    Some(Tier {
        static_fallback: typed.static_fallback,
        retry: retry(&typed.patience, shared.defaults),
        timeouts: timeouts(&typed.patience, shared.defaults, reasoning),
        breaker: breaker(&typed.patience, shared.defaults),
        price: price?,
        accepts: accepts(&(provider.kind.accepts)(&target.model), &typed.accepts),
        limits: Limits { rpm: typed.rpm, tpm: typed.tpm, in_flight: typed.in_flight },
        model,
        target,
    })
}

/// What a call costs (behaviour 8.1).
fn price(
    typed: &TypedTier,
    built: &Built,
    model: Option<&Arc<Model>>,
    shared: &Shared<'_>,
    report: &mut Report<'_>,
) -> Option<PriceOf> {
    if let Some(own) = &typed.price {
        return Some(PriceOf::Known(own_price(&own.value)));
    }
    if let Some(unpriced) = &typed.unpriced {
        check_unpriced(typed, built, unpriced, shared, report);
        return Some(PriceOf::Unpriced);
    }
    if built.is_free() {
        return Some(PriceOf::Free);
    }
    if let Some(model) = model {
        return Some(PriceOf::Listed(Arc::clone(model)));
    }
    no_price(typed, built, shared, report);
    None
}

/// Says what to do about a model that nobody knows a price for.
fn no_price(typed: &TypedTier, built: &Built, shared: &Shared<'_>, report: &mut Report<'_>) {
    let near = shared.catalogue.suggestions(&built.config.name, &typed.model.value);
    let what = format!("no price is known for {}", typed.target());
    let what =
        near.first().map_or(what.clone(), |meant| format!("{what}; did you mean {}?", quoted(&meant.name())));
    let may_be_unpriced = shared.cap.is_none() || built.may_go_uncounted();
    let or_unpriced = if may_be_unpriced { "; or unpriced = true in place of the price" } else { "" };
    let price = "price = { input = \"…\", output = \"…\" }";
    let fix = if typed.is_short {
        let (provider, model) = (quoted(&typed.provider.value), quoted(&typed.model.value));
        format!(
            "write the tier as {{ provider = {provider}, model = {model}, {price} }} (dollars per million tokens){or_unpriced}"
        )
    } else {
        format!("add {price} (dollars per million tokens){or_unpriced}")
    };
    report.push(Fault::error("unpriced_model", &typed.model.at, what).fix(fix));
}

fn own_price(typed: &TypedPrice) -> Price {
    Price {
        cached_input: typed.cached_input,
        cache_write: typed.cache_write,
        ..Price::flat(typed.input, typed.output)
    }
}

/// What nobody can count may not be spent under a cap.
fn check_unpriced(
    typed: &TypedTier,
    built: &Built,
    unpriced: &Typed<bool>,
    shared: &Shared<'_>,
    report: &mut Report<'_>,
) {
    let Some(cap) = shared.cap.filter(|_| !built.may_go_uncounted()) else { return };
    let what = format!("{} is unpriced and {cap} is set: what it costs could not be counted", typed.target());
    report.push(
        Fault::error("unpriced_under_cap", &unpriced.at, what)
            .expected("a price, or a provider on loopback or with auth = \"none\"")
            .fix("give the tier a price = { input = \"…\", output = \"…\" }, in dollars per million tokens"),
    );
}

/// A retired model is an error, one that soon will be a warning (behaviour 10.1a).
fn check_life(
    typed: &TypedTier,
    provider: &ProviderConfig,
    model: &Model,
    now: Moment,
    report: &mut Report<'_>,
) {
    let name = typed.target();
    let successor = model.successor.as_deref();
    let fix = successor.map_or_else(
        || format!("choose another model of {}: `mainstay prices` lists them", provider.name),
        |next| format!("its provider names {}/{next} as the successor", provider.name),
    );
    let at = &typed.model.at;
    match model.retirement(now) {
        Retirement::Serving => {}
        Retirement::Soon { on, days } => {
            let days = if days == 1 { "1 day".to_owned() } else { format!("{days} days") };
            let what = format!("{name} retires on {on}, in {days}");
            report.push(Fault::warning("retires_soon", at, what).fix(fix));
        }
        Retirement::Retired { since } => {
            let what = since
                .map_or_else(|| format!("{name} is retired"), |day| format!("{name} was retired on {day}"));
            // Behind an address of one's own, or with a price of its own, it may well live on.
            let lives_on = provider.own_address || typed.price.is_some();
            let fault = if lives_on { Fault::warning } else { Fault::error };
            report.push(fault("retired_model", at, what).fix(fix));
        }
    }
}

/// A timer that the request's own deadline always overtakes.
pub(crate) fn check_deadline(patience: &Patience, deadline: Duration, report: &mut Report<'_>) {
    let timers = [&patience.answer_timeout, &patience.first_content_timeout, &patience.idle_timeout];
    for timer in timers.into_iter().flatten().filter(|timer| timer.value > deadline) {
        let what = format!("{} is longer than the deadline of {}", timer.at.path, units::show(deadline));
        report.push(
            Fault::warning("no_effect", &timer.at, what)
                .fix("shorten it, or lengthen deadline in [defaults]"),
        );
    }
}

/// Attempts and waits.
pub(crate) fn retry(own: &Patience, shared: &Patience) -> RetryOptions {
    let default = RetryOptions::default();
    let budget =
        first(own.retry_budget.as_ref(), shared.retry_budget.as_ref(), u64::from(default.retry_budget));
    RetryOptions {
        retry_budget: u32::try_from(budget).unwrap_or(default.retry_budget),
        cooldown: first(own.cooldown.as_ref(), shared.cooldown.as_ref(), default.cooldown),
        backoff: first(own.backoff.as_ref(), shared.backoff.as_ref(), default.backoff),
        backoff_cap: first(own.backoff_cap.as_ref(), shared.backoff_cap.as_ref(), default.backoff_cap),
    }
}

/// Timers. A model that thinks first gets at least its own default unless the tier itself says less.
pub(crate) fn timeouts(own: &Patience, shared: &Patience, reasoning: bool) -> Timeouts {
    let default = if reasoning { Timeouts::for_reasoning() } else { Timeouts::default() };
    let usual = shared.first_content_timeout.as_ref().map_or(default.first_content, |typed| {
        if reasoning { typed.value.max(default.first_content) } else { typed.value }
    });
    Timeouts {
        connect: first(own.connect_timeout.as_ref(), shared.connect_timeout.as_ref(), default.connect),
        first_byte: first(
            own.first_byte_timeout.as_ref(),
            shared.first_byte_timeout.as_ref(),
            default.first_byte,
        ),
        first_content: first(own.first_content_timeout.as_ref(), None, usual),
        idle: first(own.idle_timeout.as_ref(), shared.idle_timeout.as_ref(), default.idle),
        answer: first(own.answer_timeout.as_ref(), shared.answer_timeout.as_ref(), default.answer),
        whole_first_byte: own.first_byte_timeout.as_ref().map(|typed| typed.value),
    }
}

/// The breaker.
pub(crate) fn breaker(own: &Patience, shared: &Patience) -> Breaker {
    let threshold = first(own.breaker_threshold.as_ref(), shared.breaker_threshold.as_ref(), 5);
    Breaker {
        threshold: u32::try_from(threshold).unwrap_or(5),
        open: first(own.breaker_open.as_ref(), shared.breaker_open.as_ref(), Duration::from_secs(30)),
        return_over: first(own.return_over.as_ref(), shared.return_over.as_ref(), Duration::from_secs(20)),
    }
}

/// What the model accepts: the provider's word, overruled by the tier's.
fn accepts(known: &Accepts, typed: &TypedAccepts) -> Accepts {
    Accepts {
        system_role: typed.system_role.unwrap_or(known.system_role),
        developer_role: typed.developer_role.unwrap_or(known.developer_role),
        alternate_roles: typed.alternate_roles.unwrap_or(known.alternate_roles),
        max_tokens_param: typed.max_tokens_param.unwrap_or(known.max_tokens_param),
        sampling: typed.sampling.unwrap_or(known.sampling),
        reasoning_replay: typed.reasoning_replay.unwrap_or(known.reasoning_replay),
        images: typed.images.unwrap_or(known.images),
        tools: typed.tools.unwrap_or(known.tools),
        json_schema: typed.json_schema.unwrap_or(known.json_schema),
        effort: typed.effort.unwrap_or(known.effort),
        // A model that no table knows to think, and that takes an effort all the same, takes any.
        efforts: match typed.effort {
            Some(true) if known.efforts.is_empty() => &ReasoningEffort::ALL,
            Some(_) | None => known.efforts,
        },
        // Whoever says that a model takes no sampling means: never.
        sampling_at_rest: known.sampling_at_rest && typed.sampling != Some(false),
        ..known.clone()
    }
}

/// A tier about which the file says nothing, for a target that is addressed directly; `None` where the
/// catalogue has no price for it.
pub(crate) fn plain(
    target: &Target,
    provider: &ProviderConfig,
    catalogue: &Catalogue,
    defaults: &Patience,
) -> Option<Tier> {
    let model = catalogue.find(&provider.name, &target.model).cloned().map(Arc::new);
    let price = match &model {
        _ if provider.is_free() => PriceOf::Free,
        Some(model) => PriceOf::Listed(Arc::clone(model)),
        None => return None,
    };
    let own = Patience::default();
    Some(Tier {
        target: target.clone(),
        static_fallback: false,
        retry: retry(&own, defaults),
        timeouts: timeouts(&own, defaults, model.as_ref().is_some_and(|model| model.reasoning)),
        breaker: breaker(&own, defaults),
        price,
        accepts: (provider.kind.accepts)(&target.model),
        limits: Limits::default(),
        model,
    })
}
