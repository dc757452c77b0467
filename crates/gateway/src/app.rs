//! What every handler shares, and the table of routes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Response};
use axum::middleware::{self, Next};
use axum::routing::{get, post};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use mainstay::{Client, Clock, Moment, SystemClock};
use mainstay_dialects::{Inbound, ProblemKind, anthropic, openai_chat};
use tokio_util::sync::CancellationToken;

use crate::converse::converse;
use crate::guard::Guard;
use crate::problem::Told;
use crate::{headers, models, ops};

/// How long a client is told to wait while we shut down.
const DRAIN_RETRY: Duration = Duration::from_secs(2);

/// What every handler shares.
pub struct App {
    pub(crate) client: Client,
    pub(crate) guard: Guard,
    pub(crate) max_body: usize,
    pub(crate) has_file: bool,
    pub(crate) draining: AtomicBool,
    /// Cancelled when the grace time is over: streams that still run say so and end.
    pub(crate) hard_stop: CancellationToken,
    clock: SystemClock,
}

impl App {
    /// The shared state of a gateway for that client.
    pub fn new(client: Client, server: &mainstay_config::Server, has_file: bool) -> Arc<Self> {
        Arc::new(Self {
            client,
            guard: Guard::new(&server.hosts, server.is_loopback()),
            max_body: usize::try_from(server.max_body).unwrap_or(usize::MAX),
            has_file,
            draining: AtomicBool::new(false),
            hard_stop: CancellationToken::new(),
            clock: SystemClock::new(),
        })
    }

    /// The routes.
    pub fn router(self: &Arc<Self>) -> Router {
        Router::new()
            .route("/v1/chat/completions", post(chat_completions))
            .route("/chat/completions", post(chat_completions))
            .route("/v1/messages", post(messages))
            .route("/messages", post(messages))
            .route("/v1/models", get(models::list))
            .route("/models", get(models::list))
            .route("/v1/models/{*id}", get(models::one))
            .route("/healthz", get(ops::healthz))
            .route("/readyz", get(ops::readyz))
            .fallback(no_such_route)
            .method_not_allowed_fallback(wrong_method)
            .layer(middleware::from_fn_with_state(Arc::clone(self), let_in))
            .with_state(Arc::clone(self))
    }

    pub(crate) fn now(&self) -> Moment {
        self.clock.now()
    }

    pub(crate) fn new_request_id(&self) -> String {
        self.client.engine().new_request_id()
    }
}

/// The face that belongs to a path; errors are told in it even where no route is.
fn face_of(path: &str) -> &'static dyn Inbound {
    if path.contains("/messages") { &anthropic::Face } else { &openai_chat::Face }
}

/// Refuses what must not come in, before anything is read.
async fn let_in(State(app): State<Arc<App>>, request: Request, next: Next) -> Response<Body> {
    let checked = app.guard.check(request.method(), request.headers()).and_then(|()| {
        let is_ops = matches!(request.uri().path(), "/healthz" | "/readyz" | "/metrics");
        if app.draining.load(Ordering::Acquire) && !is_ops {
            return Err(Told::unavailable("the gateway is shutting down", DRAIN_RETRY));
        }
        Ok(())
    });
    match checked {
        Ok(()) => next.run(request).await,
        Err(told) => answer_with(&app, request.uri().path(), request.headers(), told),
    }
}

/// An error that belongs to no conversation.
fn answer_with(app: &App, path: &str, fields: &HeaderMap, told: Told) -> Response<Body> {
    let face = face_of(path);
    let request_id = app.new_request_id();
    let client_id = fields.get("x-request-id").and_then(|value| value.to_str().ok()).filter(|id| id.len() <= 200);
    let ids = headers::ids(&request_id, client_id, face.dialect() == mainstay::Dialect::Anthropic);
    told.with_request_id(&request_id).into_response(face, ids)
}

async fn chat_completions(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    chat(&app, &openai_chat::Face, request).await
}

async fn messages(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    chat(&app, &anthropic::Face, request).await
}

async fn chat(app: &Arc<App>, face: &'static dyn Inbound, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    match read_body(body, app.max_body).await {
        Ok(body) => converse(app, face, &parts.headers, body).await,
        Err(told) => answer_with(app, parts.uri.path(), &parts.headers, told),
    }
}

/// Reads a body of at most `limit` bytes.
async fn read_body(body: Body, limit: usize) -> Result<Bytes, Told> {
    match Limited::new(body, limit).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Told::too_large(limit)),
        Err(_) => Err(Told::new(ProblemKind::InvalidRequest, 400, "the request body broke off")),
    }
}

async fn no_such_route(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    let path: String = request.uri().path().chars().take(200).collect();
    let told = Told::new(
        ProblemKind::NotFound,
        404,
        format!(
            "there is nothing at {path}; clients of OpenAI use base_url http://HOST/v1, clients of Anthropic http://HOST"
        ),
    );
    answer_with(&app, &path, request.headers(), told)
}

async fn wrong_method(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    let path: String = request.uri().path().chars().take(200).collect();
    let told =
        Told::new(ProblemKind::InvalidRequest, 405, format!("{} is not a method of {path}", request.method()));
    answer_with(&app, &path, request.headers(), told)
}
