//! One chat request through one caller's face: read, resolve, ask, write.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Response, header};
use mainstay::{CallOptions, ChainRuntime, ChatRequest, ChatStream, Dialect, GaveUp, RawJson, Route, Target};
use mainstay_dialects::{FaceContext, Inbound, ProblemKind, Received, anthropic};

use crate::app::App;
use crate::caller::Caller;
use crate::headers::{self, Steering};
use crate::problem::Told;
use crate::{body, sse};

/// Bodies above this many bytes are read away from the runtime's own threads.
const LARGE_BODY: usize = 1024 * 1024;
/// Longest list of beta features that is passed on, in bytes.
const BETAS_LIMIT: usize = 4096;
/// When to come back to a gateway that stops while it answers.
const STOP_RETRY: Duration = Duration::from_secs(1);

/// A request that has been read and resolved.
struct Asked {
    request: ChatRequest,
    route: Route,
    options: CallOptions,
    context: FaceContext,
}

/// Answers one chat request in its own dialect.
pub(crate) async fn chat(app: &Arc<App>, face: &'static dyn Inbound, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let caller = Caller::new(app, face, &parts.headers);
    let asked = match body::read(&parts.headers, body, app.rules().max_body).await {
        Ok(body) => read(app, &caller, &parts.headers, body).await,
        Err(told) => Err(told),
    };
    match asked {
        Ok(asked) if asked.request.stream => streamed(app, caller, asked).await,
        Ok(asked) => whole(app, caller, asked).await,
        Err(told) => caller.refuse(told),
    }
}

async fn read(app: &App, caller: &Caller, fields: &HeaderMap, body: Bytes) -> Result<Asked, Told> {
    let steering = Steering::read(fields).map_err(|bad| Told::bad_header(bad.name, bad.expected))?;
    let Received { mut request, include_usage, echo } = received(caller.face, body).await?;
    let from_body = std::mem::replace(&mut request.meta, steering.meta);
    request.meta.user_id = request.meta.user_id.or(from_body.user_id);
    request.meta.request_id = Some(caller.request_id.clone());
    if let Some(expect) = steering.expect {
        request.expect = expect;
    }
    if caller.face.dialect() == Dialect::Anthropic {
        pass_on_betas(fields, &mut request);
    }
    let route =
        app.client.resolve(request.model_hint.as_deref()).map_err(|unknown| Told::unknown_model(&unknown))?;
    let created = app.now().micros() / 1_000_000;
    let context = FaceContext { request_id: caller.request_id.clone(), created, include_usage, echo };
    Ok(Asked { request, route, options: steering.options, context })
}

/// Reads a body in its dialect.
pub(crate) async fn received(face: &'static dyn Inbound, body: Bytes) -> Result<Received, Told> {
    let read = if body.len() > LARGE_BODY {
        let reading = tokio::task::spawn_blocking(move || face.read_request(&body));
        reading
            .await
            .map_err(|_| Told::new(ProblemKind::InvalidRequest, 400, "the body could not be read"))?
    } else {
        face.read_request(&body)
    };
    read.map_err(|failure| Told::unreadable(&failure))
}

/// Beta features that the caller names go along where its own dialect is spoken.
fn pass_on_betas(fields: &HeaderMap, request: &mut ChatRequest) {
    let named: Vec<&str> =
        fields.get_all(anthropic::BETA_HEADER).iter().filter_map(|value| value.to_str().ok()).collect();
    let betas = named.join(",");
    if betas.is_empty() || betas.len() > BETAS_LIMIT {
        return;
    }
    if let Ok(betas) = RawJson::of(&betas) {
        request.extra.insert(anthropic::BETA_HEADER, betas);
    }
}

async fn whole(app: &Arc<App>, mut caller: Caller, asked: Asked) -> Response<Body> {
    let Asked { request, route, options, context } = asked;
    let chain = Arc::clone(&route.chain);
    let answered = tokio::select! {
        biased;
        () = app.hard_stop.cancelled() => return caller.tell(stopping()),
        answered = app.client.chat_on(route, request, options) => answered,
    };
    match answered {
        Ok(answer) => {
            headers::story(&mut caller.headers, &answer);
            caller.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            let mut response = Response::new(Body::from(caller.face.write_reply(&answer, &context)));
            *response.headers_mut() = caller.headers;
            response
        }
        Err(gave_up) => failed(caller, &gave_up, &chain),
    }
}

async fn streamed(app: &Arc<App>, mut caller: Caller, asked: Asked) -> Response<Body> {
    let Asked { request, route, options, context } = asked;
    let chain = Arc::clone(&route.chain);
    let keep_alive = app.client.engine().config().streaming.keepalive;
    let mut items = app.client.stream_on(route, request, options);
    // The headers leave at release, or with the first keep-alive if that comes sooner.
    let opened = tokio::select! {
        biased;
        () = app.hard_stop.cancelled() => return caller.tell(stopping()),
        opened = tokio::time::timeout(keep_alive, items.opening()) => opened,
    };
    match opened {
        Ok(Ok(opening)) => {
            headers::opening(&mut caller.headers, opening.as_ref());
            flowing(app, caller, items, &context, keep_alive, false)
        }
        Ok(Err(gave_up)) => failed(caller, &gave_up, &chain),
        Err(_) => {
            headers::opening(&mut caller.headers, None);
            flowing(app, caller, items, &context, keep_alive, true)
        }
    }
}

fn flowing(
    app: &App,
    caller: Caller,
    items: ChatStream,
    context: &FaceContext,
    keep_alive: Duration,
    keep_alive_first: bool,
) -> Response<Body> {
    let Caller { face, request_id, mut headers } = caller;
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // Reverse proxies of the nginx kind buffer otherwise.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    let flow =
        sse::Flow::new(items, face.write_stream(context), keep_alive, app.hard_stop.clone(), request_id);
    let mut response = Response::new(flow.into_body(keep_alive_first));
    *response.headers_mut() = headers;
    response
}

/// Tells an error with the story of its attempts.
pub(crate) fn failed(mut caller: Caller, gave_up: &GaveUp, chain: &ChainRuntime) -> Response<Body> {
    let is_static =
        |target: &Target| chain.tiers.iter().any(|tier| tier.static_fallback && tier.target == *target);
    headers::gave_up(&mut caller.headers, gave_up, is_static);
    caller.tell(Told::gave_up(gave_up))
}

/// What a request is told that runs beyond the grace time.
pub(crate) fn stopping() -> Told {
    Told::unavailable("the gateway is shutting down", STOP_RETRY)
}
