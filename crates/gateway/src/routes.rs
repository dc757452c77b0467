//! The table of routes, and what every request passes before its handler.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Response};
use axum::middleware::{self, Next};
use axum::routing::{get, post};
use mainstay_dialects::{ProblemKind, anthropic, openai_chat, openai_responses};

use crate::admission::Place;
use crate::app::App;
use crate::caller::Caller;
use crate::held::Held;
use crate::problem::Told;
use crate::{admin, converse, count, embed, models, ops, page};

/// How long a client is told to wait while we shut down.
const DRAIN_RETRY: Duration = Duration::from_secs(2);
/// Longest path that is repeated in a message, in characters.
const SHOWN_PATH: usize = 200;

/// The routes.
pub(crate) fn router(app: &Arc<App>) -> Router {
    Router::new()
        .route("/v1/chat/completions", post(chat_completions))
        .route("/v1/responses", post(responses))
        .route("/v1/embeddings", post(embed::embeddings))
        .route("/v1/messages", post(messages))
        .route("/v1/messages/count_tokens", post(count::count_tokens))
        .route("/v1/models", get(models::list))
        .route("/v1/models/{*id}", get(models::one))
        .nest("/admin", admin::routes(app))
        .route("/healthz", get(ops::healthz))
        .route("/readyz", get(ops::readyz))
        .route("/metrics", get(ops::metrics))
        .route("/", get(page::show))
        .route("/assets/{name}", get(page::asset))
        .fallback(no_such_route)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(Arc::clone(app), let_in))
        .with_state(Arc::clone(app))
}

/// Whose a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Zone {
    /// Clients that want answers.
    Clients,
    /// Probes and scrapers.
    Probes,
    /// The admin API.
    Admin,
    /// The dashboard.
    Page,
}

impl Zone {
    fn of(path: &str) -> Self {
        match path {
            "/healthz" | "/readyz" | "/metrics" => Self::Probes,
            "/" => Self::Page,
            "/admin" => Self::Admin,
            _ if path.starts_with("/admin/") => Self::Admin,
            _ if path.starts_with("/assets/") => Self::Page,
            _ => Self::Clients,
        }
    }
}

/// Refuses what must not come in, before anything is read; gives a place to what asks for an answer.
async fn let_in(State(app): State<Arc<App>>, request: Request, next: Next) -> Response<Body> {
    let path = request.uri().path();
    let zone = Zone::of(path);
    let route = route_of(path);
    if let Err(told) = may_enter(&app, zone, path, request.headers()) {
        return refused(&app, zone, route, &request, told);
    }
    if zone != Zone::Clients {
        return next.run(request).await;
    }
    match app.admission.enter().await {
        Ok(place) => answered(&app, route, next.run(request).await, place),
        Err(told) => refused(&app, zone, route, &request, told),
    }
}

fn may_enter(app: &App, zone: Zone, path: &str, fields: &HeaderMap) -> Result<(), Told> {
    // Probes come by names and addresses that no config knows, and learn nothing that is worth a trick.
    if matches!(path, "/healthz" | "/readyz") {
        return Ok(());
    }
    let rules = app.rules();
    rules.guard.check(fields)?;
    if zone != Zone::Clients {
        return Ok(());
    }
    if app.is_draining() {
        return Err(Told::unavailable("the gateway is shutting down", DRAIN_RETRY));
    }
    rules.clients.check()
}

/// The place is free again when the answer's last byte is out.
fn answered(app: &App, route: &'static str, response: Response<Body>, place: Place) -> Response<Body> {
    app.metrics.answered(route, response.status().as_u16());
    let (parts, body) = response.into_parts();
    Response::from_parts(parts, Held::body(body, place))
}

fn refused(app: &App, zone: Zone, route: &'static str, request: &Request, told: Told) -> Response<Body> {
    match zone {
        Zone::Admin => admin::refusal(&told),
        Zone::Clients => {
            let response = Caller::at(app, request.uri().path(), request.headers()).refuse(told);
            app.metrics.answered(route, response.status().as_u16());
            response
        }
        Zone::Probes | Zone::Page => Caller::at(app, request.uri().path(), request.headers()).refuse(told),
    }
}

/// The route's name in the metrics.
fn route_of(path: &str) -> &'static str {
    match path {
        "/v1/chat/completions" => "chat_completions",
        "/v1/responses" => "responses",
        "/v1/embeddings" => "embeddings",
        "/v1/messages" => "messages",
        "/v1/messages/count_tokens" => "count_tokens",
        _ if path.starts_with("/v1/models") => "models",
        _ => "other",
    }
}

async fn chat_completions(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    converse::chat(&app, &openai_chat::Face, request).await
}

async fn responses(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    converse::chat(&app, &openai_responses::Face, request).await
}

async fn messages(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    converse::chat(&app, &anthropic::Face, request).await
}

async fn no_such_route(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    let path = shown(&request);
    let told = Told::new(
        ProblemKind::NotFound,
        404,
        format!(
            "there is nothing at {path}; clients of OpenAI use base_url http://HOST/v1, clients of Anthropic http://HOST"
        ),
    );
    Caller::at(&app, &path, request.headers()).refuse(told)
}

async fn wrong_method(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    let path = shown(&request);
    let message = format!("{} is not a method of {path}", request.method());
    let told = Told::new(ProblemKind::InvalidRequest, 405, message);
    if Zone::of(&path) == Zone::Admin {
        return admin::refusal(&told);
    }
    Caller::at(&app, &path, request.headers()).refuse(told)
}

fn shown(request: &Request) -> String {
    request.uri().path().chars().take(SHOWN_PATH).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_belongs_to_clients_unless_it_is_known_to_be_somebody_elses() {
        for (path, zone) in [
            ("/", Zone::Page),
            ("/assets/style-1.css", Zone::Page),
            ("/metrics", Zone::Probes),
            ("/admin", Zone::Admin),
            ("/admin/tiers", Zone::Admin),
            ("/administrator", Zone::Clients),
            ("/v1/chat/completions", Zone::Clients),
            ("/metrics/", Zone::Clients),
        ] {
            assert_eq!(Zone::of(path), zone, "{path}");
        }
    }
}
