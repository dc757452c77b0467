//! The health of each tier, and the operator's hand on it.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use mainstay::{Engine, Kind, Moment, Target};
use mainstay_fallback::{DisabledBy, StaticSwitch, TierHealth, TierState};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Refusal, read};
use crate::app::App;
use crate::when::rfc3339;

/// Longest reason that an operator may give, in characters.
const WHY_LIMIT: usize = 200;

/// One tier as it fares now.
#[derive(Debug, Serialize)]
pub(crate) struct TierRow {
    /// `provider/model`.
    pub(crate) tier: String,
    /// The chains that it stands in.
    pub(crate) chains: Vec<String>,
    /// Whether it can be asked.
    pub(crate) state: &'static str,
    /// Why it cannot.
    pub(crate) why: String,
    /// The kind of failure behind it.
    pub(crate) kind: Option<&'static str>,
    /// On whose account it is out.
    pub(crate) by: Option<&'static str>,
    /// Percent of its requests that it gets, on its way back.
    pub(crate) percent: Option<u8>,
    /// Until when, RFC 3339.
    pub(crate) until: Option<String>,
    /// Seconds until then, rounded up.
    pub(crate) seconds_left: Option<u64>,
    /// Since when, RFC 3339.
    pub(crate) since: Option<String>,
    /// Calls under way.
    pub(crate) in_flight: u64,
    /// Provider faults in a row.
    pub(crate) faults_in_row: u32,
    /// Whether it is the tier of last resort.
    #[serde(rename = "static")]
    pub(crate) is_static: bool,
}

/// Every tier, the static ones last.
pub(crate) fn rows(engine: &Engine) -> Vec<TierRow> {
    let now = engine.now();
    let mut rows: Vec<TierRow> =
        engine.tier_health().into_iter().map(|health| row(engine, health, now)).collect();
    rows.sort_by_key(|row| row.is_static);
    rows
}

fn row(engine: &Engine, health: TierHealth, now: Moment) -> TierRow {
    let standing = || {
        engine.config().chains.iter().filter_map(|chain| {
            let tier = chain.tiers.iter().find(|tier| tier.target == health.target)?;
            Some((chain, tier))
        })
    };
    let until = until(health.state);
    TierRow {
        tier: health.target.to_string(),
        chains: standing().map(|(chain, _)| chain.name.clone()).collect(),
        state: health.state.word(),
        kind: health.kind.map(Kind::word),
        by: by(health.state),
        percent: if let TierState::Returning { percent } = health.state { Some(percent) } else { None },
        until: until.map(rfc3339),
        seconds_left: until.map(|until| seconds_up(now.until(until))),
        since: health.since.map(rfc3339),
        in_flight: health.in_flight,
        faults_in_row: health.faults_in_row,
        is_static: standing().any(|(_, tier)| tier.static_fallback),
        why: health.why,
    }
}

fn until(state: TierState) -> Option<Moment> {
    match state {
        TierState::Cooling { until } | TierState::Open { until } => Some(until),
        TierState::Disabled { until, .. } => until,
        TierState::Available | TierState::Returning { .. } | TierState::HalfOpen { .. } => None,
    }
}

fn by(state: TierState) -> Option<&'static str> {
    match state {
        TierState::Disabled { by: DisabledBy::Operator, .. } => Some("operator"),
        TierState::Disabled { by: DisabledBy::Quota, .. } => Some("quota"),
        TierState::Disabled { by: DisabledBy::Credential, .. } => Some("credential"),
        TierState::Available
        | TierState::Returning { .. }
        | TierState::Cooling { .. }
        | TierState::Open { .. }
        | TierState::HalfOpen { .. } => None,
    }
}

fn seconds_up(wait: Duration) -> u64 {
    u64::try_from(wait.as_millis().div_ceil(1000)).unwrap_or(u64::MAX)
}

/// `GET /admin/tiers`
pub(super) async fn list(State(app): State<Arc<App>>) -> Json<Value> {
    let engine = app.client.engine();
    Json(json!({"tiers": rows(&engine), "static_switch": engine.board().static_switch().word()}))
}

/// What `disable` takes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Disable {
    tier: String,
    for_ms: Option<u64>,
    why: Option<String>,
}

/// `POST /admin/tiers/disable`
pub(super) async fn disable(State(app): State<Arc<App>>, request: Request) -> Result<Json<Value>, Refusal> {
    let wanted: Disable = read(request).await?;
    if wanted.for_ms == Some(0) {
        return Err(Refusal::bad_request(
            "for_ms is 0: leave it out to disable the tier until it is enabled",
        ));
    }
    let engine = app.client.engine();
    let target = find(&engine, &wanted.tier)?;
    let why: String = wanted.why.unwrap_or_default().trim().chars().take(WHY_LIMIT).collect();
    let why = if why.is_empty() { "disabled by an operator".to_owned() } else { why };
    tracing::info!(tier = %target, for_ms = wanted.for_ms, why, "an operator disables a tier");
    engine.board().disable(&target, wanted.for_ms.map(Duration::from_millis), &why, engine.now());
    Ok(kept(&engine, &target))
}

/// What `enable` takes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Enable {
    tier: String,
}

/// `POST /admin/tiers/enable`
pub(super) async fn enable(State(app): State<Arc<App>>, request: Request) -> Result<Json<Value>, Refusal> {
    let wanted: Enable = read(request).await?;
    let engine = app.client.engine();
    let target = find(&engine, &wanted.tier)?;
    tracing::info!(tier = %target, "an operator enables a tier");
    engine.board().enable(&target, engine.now());
    Ok(kept(&engine, &target))
}

/// What `static` takes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Switch {
    switch: String,
}

/// `POST /admin/tiers/static`
pub(super) async fn set_static(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Json<Value>, Refusal> {
    let wanted: Switch = read(request).await?;
    let Some(switch) = StaticSwitch::from_word(&wanted.switch) else {
        return Err(Refusal::bad_request("the switch is on, off or auto"));
    };
    let engine = app.client.engine();
    if switch == StaticSwitch::On && !rows(&engine).iter().any(|row| row.is_static) {
        return Err(Refusal::bad_request(
            "no tier says static_fallback = true, so there is none to switch on",
        ));
    }
    engine.board().set_static(switch);
    tracing::info!(switch = switch.word(), "an operator sets the static tier's switch");
    if let Some(store) = engine.store() {
        store.save_static_switch(switch).map_err(|error| {
            Refusal::internal(format!("the switch is set, but a restart will forget it: {error}"))
        })?;
    }
    Ok(Json(json!({"static_switch": switch.word()})))
}

/// The tier of that name, or all that there are.
fn find(engine: &Engine, name: &str) -> Result<Target, Refusal> {
    let all: Vec<Target> = engine.tier_health().into_iter().map(|health| health.target).collect();
    all.iter().find(|target| target.to_string() == name).cloned().ok_or_else(|| {
        let shown: String = name.chars().take(WHY_LIMIT).collect();
        let names: Vec<String> = all.iter().map(ToString::to_string).collect();
        let message = format!("there is no tier \"{shown}\"; there are: {}", names.join(", "));
        Refusal::new(StatusCode::NOT_FOUND, "not_found_error", message)
    })
}

/// Has the change written down, so that it survives a restart, and shows the tier.
fn kept(engine: &Engine, target: &Target) -> Json<Value> {
    engine.publish_health();
    let now = engine.now();
    let health = engine.board().health_of(target, None, now);
    Json(json!({"tier": row(engine, health, now)}))
}
