//! `GET /v1/models`: what a caller may name, in the dialect it speaks.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use mainstay::Dialect;
use serde_json::{Value, json};

use crate::app::App;
use crate::caller::Caller;
use crate::problem::Told;

/// Where both dialects list their models.
const PATH: &str = "/v1/models";

/// Lists every name.
pub(crate) async fn list(State(app): State<Arc<App>>, fields: HeaderMap) -> Response {
    let caller = Caller::at(&app, PATH, &fields);
    let engine = app.client.engine();
    let mut names = engine.model_names();
    if is_anthropic(&caller) {
        // That dialect has no embeddings; whoever lists models in it wants to chat with one.
        names.retain(|name| !engine.only_embeds(name));
    }
    let data: Vec<Value> = names.iter().map(|name| model(&caller, name)).collect();
    let body = if is_anthropic(&caller) {
        json!({"data": data, "has_more": false, "first_id": names.first(), "last_id": names.last()})
    } else {
        json!({"object": "list", "data": data})
    };
    (caller.headers, Json(body)).into_response()
}

/// Describes one name, or says what there is.
pub(crate) async fn one(State(app): State<Arc<App>>, Path(id): Path<String>, fields: HeaderMap) -> Response {
    let caller = Caller::at(&app, PATH, &fields);
    match app.client.resolve(Some(&id)) {
        Ok(_) => {
            let body = model(&caller, &id);
            (caller.headers, Json(body)).into_response()
        }
        Err(unknown) => caller.refuse(Told::unknown_model(&unknown)),
    }
}

fn is_anthropic(caller: &Caller) -> bool {
    caller.face.dialect() == Dialect::Anthropic
}

fn model(caller: &Caller, name: &str) -> Value {
    if is_anthropic(caller) {
        json!({"type": "model", "id": name, "display_name": name, "created_at": "1970-01-01T00:00:00Z",
               "lifecycle": "active"})
    } else {
        json!({"id": name, "object": "model", "created": 0, "owned_by": "mainstay"})
    }
}
