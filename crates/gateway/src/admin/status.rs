//! How the gateway itself is.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use mainstay_config::Source;
use serde_json::{Value, json};

use crate::alerts::Active;
use crate::app::App;
use crate::when::rfc3339;

/// `GET /admin/status`
pub(super) async fn show(State(app): State<Arc<App>>) -> Json<Value> {
    let engine = app.client.engine();
    let config = match &engine.config().source {
        Source::File(path) => json!({"source": "file", "path": path.display().to_string()}),
        Source::Environment => json!({"source": "environment", "path": null}),
    };
    let log = engine.store().map(|store| {
        let status = store.status();
        json!({
            "path": store.path().display().to_string(),
            "problem": engine.log_problem(),
            "lag": status.lag,
            "journal_bytes": status.journal_bytes,
            "journal_max": status.journal_max,
            "dropped": status.dropped,
            "rejected": status.rejected,
            "last_error": status.last_error,
        })
    });
    let alerts: Vec<Value> = app.alerts.active().iter().map(alert).collect();
    Json(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "uptime_seconds": engine.now().since(app.started).as_secs(),
        "started_at": rfc3339(app.started),
        "config": config,
        "log": log,
        "draining": app.is_draining(),
        "requests_in_flight": app.admission.taken(),
        "requests_waiting": app.admission.waiting(),
        "alerts": alerts,
    }))
}

fn alert(alert: &Active) -> Value {
    json!({
        "kind": alert.kind,
        "tier": alert.tier.as_ref().map(ToString::to_string),
        "message": alert.message,
        "since": rfc3339(alert.since),
        "told": rfc3339(alert.told),
    })
}
