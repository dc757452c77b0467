//! What operators and their probes ask: alive, ready.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;

use crate::app::App;

/// Alive: the process answers.
pub(crate) async fn healthz() -> &'static str {
    "ok\n"
}

/// What a probe may leave out of account.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct ReadyQuery {
    /// `ignore`: a provider's outage must not take every instance out of service.
    tiers: Option<String>,
}

/// Ready: the config is valid, the log can be written, at least one tier is available.
pub(crate) async fn readyz(State(app): State<Arc<App>>, Query(query): Query<ReadyQuery>) -> Response {
    let engine = app.client.engine();
    let log = engine.log_problem();
    let tiers = engine.available_tiers();
    let ignore_tiers = query.tiers.as_deref() == Some("ignore");
    let draining = app.draining.load(Ordering::Acquire);
    let ready = log.is_none() && (ignore_tiers || tiers > 0) && !draining;
    let body = json!({
        "ready": ready,
        "config": if app.has_file { "file" } else { "environment" },
        "log": log.unwrap_or_else(|| "writable".into()),
        "tiers_available": tiers,
        "draining": draining,
    });
    (if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, Json(body)).into_response()
}
