//! What operators' machines ask: alive, ready, how it goes.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use mainstay_config::Source;
use serde::Deserialize;
use serde_json::json;

use crate::admin;
use crate::app::App;
use crate::metrics;

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
    let draining = app.is_draining();
    let ready = log.is_none() && (ignore_tiers || tiers > 0) && !draining;
    let body = json!({
        "ready": ready,
        "config": source_word(&engine.config().source),
        "log": log.unwrap_or_else(|| "writable".into()),
        "tiers_available": tiers,
        "draining": draining,
    });
    (if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, Json(body)).into_response()
}

/// Where the configuration came from, without saying where it lies.
pub(crate) fn source_word(source: &Source) -> &'static str {
    match source {
        Source::File(_) => "file",
        Source::Environment => "environment",
    }
}

/// Everything that is counted, as OpenMetrics.
pub(crate) async fn metrics(State(app): State<Arc<App>>, fields: HeaderMap) -> Response {
    if !app.rules().open_metrics && !app.admin.opens_for(&fields) {
        return admin::token_needed();
    }
    match app.scrape() {
        Ok(text) => ([(header::CONTENT_TYPE, metrics::CONTENT_TYPE)], text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
