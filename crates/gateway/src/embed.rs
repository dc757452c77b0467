//! `POST /v1/embeddings`: vectors, as OpenAI's SDKs ask for them.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Response, header};
use mainstay::{CallOptions, EmbedRequest, EmbedResponse, Failure, Route, VectorEncoding};
use mainstay_dialects::{ProblemKind, openai_chat};

use crate::app::App;
use crate::body;
use crate::caller::Caller;
use crate::converse::{failed, stopping};
use crate::headers::{self, Steering};
use crate::problem::Told;

/// Bodies above this many bytes are read away from the runtime's own threads.
const LARGE_BODY: usize = 1024 * 1024;
/// Answers of more numbers than this are written there, too.
const MANY_NUMBERS: usize = 64 * 1024;

/// A request that has been read and resolved.
struct Asked {
    request: EmbedRequest,
    route: Route,
    options: CallOptions,
}

/// Answers with vectors, in the encoding that the request asks for.
pub(crate) async fn embeddings(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let caller = Caller::new(&app, &openai_chat::Face, &parts.headers);
    let asked = match body::read(&parts.headers, body, app.rules().max_body).await {
        Ok(body) => read(&app, &caller, &parts.headers, body).await,
        Err(told) => Err(told),
    };
    match asked {
        Ok(asked) => answer(&app, caller, asked).await,
        Err(told) => caller.refuse(told),
    }
}

async fn read(app: &App, caller: &Caller, fields: &HeaderMap, body: Bytes) -> Result<Asked, Told> {
    let steering = Steering::read(fields).map_err(|bad| Told::bad_header(bad.name, bad.expected))?;
    let mut request = request_of(body).await?;
    let from_body = std::mem::replace(&mut request.meta, steering.meta);
    request.meta.user_id = request.meta.user_id.or(from_body.user_id);
    request.meta.request_id = Some(caller.request_id.clone());
    let name = request.model_hint.as_deref();
    let route = app.client.resolve_embedding(name).map_err(|unknown| Told::unknown_model(&unknown))?;
    Ok(Asked { request, route, options: steering.options })
}

async fn request_of(body: Bytes) -> Result<EmbedRequest, Told> {
    let read: Result<EmbedRequest, Failure> = if body.len() > LARGE_BODY {
        let reading = tokio::task::spawn_blocking(move || openai_chat::read_embeddings(&body));
        reading
            .await
            .map_err(|_| Told::new(ProblemKind::InvalidRequest, 400, "the body could not be read"))?
    } else {
        openai_chat::read_embeddings(&body)
    };
    read.map_err(|failure| Told::unreadable(&failure))
}

async fn answer(app: &App, mut caller: Caller, asked: Asked) -> Response<Body> {
    let Asked { request, route, options } = asked;
    let (chain, encoding) = (Arc::clone(&route.chain), request.encoding);
    let answered = tokio::select! {
        biased;
        () = app.hard_stop.cancelled() => return caller.tell(stopping()),
        answered = app.client.embed_on(route, request, options) => answered,
    };
    let response = match answered {
        Ok(response) => response,
        Err(gave_up) => return failed(caller, &gave_up, &chain),
    };
    headers::vectors_story(&mut caller.headers, &response);
    caller.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let Some(body) = written(response, encoding).await else {
        return caller.tell(stopping());
    };
    let mut response = Response::new(Body::from(body));
    *response.headers_mut() = caller.headers;
    response
}

/// The answer's bytes; nothing where the runtime stops meanwhile.
async fn written(response: EmbedResponse, encoding: VectorEncoding) -> Option<Vec<u8>> {
    let numbers = response.vectors.iter().map(Vec::len).fold(0, usize::saturating_add);
    if numbers <= MANY_NUMBERS {
        return Some(openai_chat::write_embeddings(&response, encoding));
    }
    tokio::task::spawn_blocking(move || openai_chat::write_embeddings(&response, encoding)).await.ok()
}
