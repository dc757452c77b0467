//! One chat request through one caller's face: read, resolve, ask, write.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use mainstay::{CallOptions, ChatRequest, ChatStream, Dialect, Route};
use mainstay_dialects::{FaceContext, Inbound, ProblemKind, StreamWriter};

use crate::app::App;
use crate::headers::{self, Steering};
use crate::problem::Told;
use crate::sse;

/// A request that has been read and resolved.
struct Asked {
    request: ChatRequest,
    route: Route,
    options: CallOptions,
    context: FaceContext,
    headers: HeaderMap,
}

/// Answers one chat request in its own dialect.
pub(crate) async fn converse(
    app: &Arc<App>,
    face: &'static dyn Inbound,
    fields: &HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let request_id = app.new_request_id();
    let client_id = fields.get("x-request-id").and_then(|value| value.to_str().ok()).filter(|id| id.len() <= 200);
    let ids = headers::ids(&request_id, client_id, face.dialect() == Dialect::Anthropic);
    let asked = match read(app, face, fields, &body, request_id.clone(), ids.clone()) {
        Ok(asked) => asked,
        Err(told) => return told.with_request_id(&request_id).into_response(face, ids),
    };
    drop(body);
    if asked.request.stream { streamed(app, face, asked).await } else { whole(app, face, asked).await }
}

fn read(
    app: &Arc<App>,
    face: &'static dyn Inbound,
    fields: &HeaderMap,
    body: &[u8],
    request_id: String,
    ids: HeaderMap,
) -> Result<Asked, Told> {
    let steering = Steering::read(fields).map_err(|bad| {
        let mut told = Told::new(
            ProblemKind::InvalidRequest,
            400,
            format!("the header {} cannot be used: expected {}", bad.name, bad.expected),
        );
        told.problem.param = Some(bad.name.to_owned());
        told
    })?;
    let received = face.read_request(body).map_err(|failure| Told::unreadable(&failure))?;
    let mut request = received.request;
    let from_body = std::mem::replace(&mut request.meta, steering.meta);
    request.meta.user_id = request.meta.user_id.or(from_body.user_id);
    request.meta.request_id = Some(request_id.clone());
    if let Some(expect) = steering.expect {
        request.expect = expect;
    }
    let route =
        app.client.resolve(request.model_hint.as_deref()).map_err(|unknown| Told::unknown_model(&unknown))?;
    let created = app.now().micros() / 1_000_000;
    let context = FaceContext { request_id, created, include_usage: received.include_usage };
    Ok(Asked { request, route, options: steering.options, context, headers: ids })
}

async fn whole(app: &Arc<App>, face: &'static dyn Inbound, asked: Asked) -> Response<Body> {
    let Asked { request, route, options, context, mut headers } = asked;
    match app.client.chat_on(route, request, options).await {
        Ok(answer) => {
            headers::story(&mut headers, &answer);
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            let mut response = Response::new(Body::from(face.write_reply(&answer, &context)));
            *response.headers_mut() = headers;
            response
        }
        Err(gave_up) => {
            headers::gave_up(&mut headers, &gave_up);
            Told::gave_up(&gave_up).into_response(face, headers)
        }
    }
}

async fn streamed(app: &Arc<App>, face: &'static dyn Inbound, asked: Asked) -> Response<Body> {
    let Asked { request, route, options, context, mut headers } = asked;
    let keep_alive = app.client.engine().config().streaming.keepalive;
    let request_id = context.request_id.clone();
    let writer = face.write_stream(&context);
    let mut items = app.client.stream_on(route, request, options);
    // The headers leave at release, or with the first keep-alive if that comes sooner.
    match tokio::time::timeout(keep_alive, items.opening()).await {
        Ok(Ok(opening)) => {
            headers::opening(&mut headers, opening.as_ref());
            flowing(app, headers, items, writer, request_id, false)
        }
        Ok(Err(gave_up)) => {
            headers::gave_up(&mut headers, &gave_up);
            Told::gave_up(&gave_up).into_response(face, headers)
        }
        Err(_) => {
            headers::opening(&mut headers, None);
            flowing(app, headers, items, writer, request_id, true)
        }
    }
}

fn flowing(
    app: &Arc<App>,
    mut headers: HeaderMap,
    items: ChatStream,
    writer: Box<dyn StreamWriter>,
    request_id: String,
    keep_alive_first: bool,
) -> Response<Body> {
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // Reverse proxies of the nginx kind buffer otherwise.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    let keep_alive = app.client.engine().config().streaming.keepalive;
    let body = sse::body(items, writer, keep_alive, app.hard_stop.clone(), request_id, keep_alive_first);
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::OK;
    *response.headers_mut() = headers;
    response
}
