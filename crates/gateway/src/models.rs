//! `GET /v1/models`: what a caller may name, in the dialect it speaks.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::Json;
use mainstay_dialects::{Inbound, anthropic as anthropic_dialect, openai_chat};
use serde_json::{Value, json};

use crate::app::App;
use crate::headers;
use crate::problem::Told;

/// Lists every name.
pub(crate) async fn list(State(app): State<Arc<App>>, fields: HeaderMap) -> Response {
    let names = app.client.engine().model_names();
    let request_id = app.new_request_id();
    let anthropic = speaks_anthropic(&fields);
    let body = if anthropic {
        let data: Vec<Value> = names.iter().map(|name| anthropic_model(name)).collect();
        json!({"data": data, "has_more": false, "first_id": names.first(), "last_id": names.last()})
    } else {
        let data: Vec<Value> = names.iter().map(|name| openai_model(name)).collect();
        json!({"object": "list", "data": data})
    };
    (StatusCode::OK, headers::ids(&request_id, None, anthropic), Json(body)).into_response()
}

/// Describes one name, or says what there is.
pub(crate) async fn one(State(app): State<Arc<App>>, Path(id): Path<String>, fields: HeaderMap) -> Response {
    let request_id = app.new_request_id();
    let anthropic = speaks_anthropic(&fields);
    let ids = headers::ids(&request_id, None, anthropic);
    match app.client.resolve(Some(&id)) {
        Ok(_) if anthropic => (StatusCode::OK, ids, Json(anthropic_model(&id))).into_response(),
        Ok(_) => (StatusCode::OK, ids, Json(openai_model(&id))).into_response(),
        Err(unknown) => {
            let face: &dyn Inbound = if anthropic { &anthropic_dialect::Face } else { &openai_chat::Face };
            Told::unknown_model(&unknown).with_request_id(&request_id).into_response(face, ids)
        }
    }
}

/// Both SDKs ask the same path; only Anthropic's sends a version.
fn speaks_anthropic(fields: &HeaderMap) -> bool {
    fields.contains_key("anthropic-version")
}

fn openai_model(name: &str) -> Value {
    json!({"id": name, "object": "model", "created": 0, "owned_by": "mainstay"})
}

fn anthropic_model(name: &str) -> Value {
    json!({"type": "model", "id": name, "display_name": name, "created_at": "1970-01-01T00:00:00Z",
           "lifecycle": "active"})
}
