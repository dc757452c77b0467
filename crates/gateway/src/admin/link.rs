//! A new way into the dashboard.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use serde_json::{Value, json};

use super::Refusal;
use crate::app::App;

/// `POST /admin/link`: a link that opens the dashboard once, under the name by which the gateway was reached.
pub(super) async fn make(State(app): State<Arc<App>>, fields: HeaderMap) -> Result<Json<Value>, Refusal> {
    let token = app.sessions.new_link(app.now()).map_err(|error| Refusal::internal(error.to_string()))?;
    let host = fields.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    Ok(Json(json!({"url": format!("http://{host}/?token={token}")})))
}
