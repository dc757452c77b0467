//! The admin API: JSON behind the admin token, for the command line and for scripts (behaviour 11.3a, 11.3b).

mod calls;
mod caps;
mod link;
mod status;
pub(crate) mod tiers;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderValue, Response, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Json, Router};
use mainstay_dialects::ProblemKind;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::app::App;
use crate::body;
use crate::problem::Told;

/// Largest body of an admin request, in bytes.
const BODY_LIMIT: usize = 64 * 1024;

/// The routes below `/admin`.
pub(crate) fn routes(app: &Arc<App>) -> Router<Arc<App>> {
    Router::new()
        .route("/tiers", get(tiers::list))
        .route("/tiers/disable", post(tiers::disable))
        .route("/tiers/enable", post(tiers::enable))
        .route("/tiers/static", post(tiers::set_static))
        .route("/caps", get(caps::list))
        .route("/status", get(status::show))
        .route("/calls", get(calls::list))
        .route("/link", post(link::make))
        .fallback(nothing_there)
        .layer(middleware::from_fn_with_state(Arc::clone(app), need_token))
}

async fn need_token(State(app): State<Arc<App>>, request: Request, next: Next) -> Response<Body> {
    if !app.admin.opens_for(request.headers()) {
        return token_needed();
    }
    let mut response = next.run(request).await;
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// What a request without the admin token is told.
pub(crate) fn token_needed() -> Response<Body> {
    let error = Refusal::new(
        StatusCode::UNAUTHORIZED,
        "authentication_error",
        "this needs the admin token as `Authorization: Bearer`: the one that [server] admin_token_env names, \
         else the one in the file admin-token in mainstay's state directory",
    );
    let mut response = error.into_response();
    response
        .headers_mut()
        .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"mainstay admin\""));
    response
}

/// An error that was found before the admin API's own handlers.
pub(crate) fn refusal(told: &Told) -> Response<Body> {
    Refusal::from(told).into_response()
}

async fn nothing_there() -> Refusal {
    Refusal::new(
        StatusCode::NOT_FOUND,
        "not_found_error",
        "there is nothing here; there are /admin/tiers, /admin/caps, /admin/status, /admin/calls and /admin/link",
    )
}

/// An error of the admin API.
#[derive(Debug)]
struct Refusal {
    status: StatusCode,
    kind: &'static str,
    message: String,
}

impl Refusal {
    fn new(status: StatusCode, kind: &'static str, message: impl Into<String>) -> Self {
        Self { status, kind, message: message.into() }
    }

    fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request_error", message)
    }

    fn internal(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "api_error", message)
    }
}

impl From<&Told> for Refusal {
    fn from(told: &Told) -> Self {
        let kind = match told.problem.kind {
            ProblemKind::Authentication => "authentication_error",
            ProblemKind::Permission => "permission_error",
            ProblemKind::NotFound => "not_found_error",
            ProblemKind::InvalidRequest | ProblemKind::TooLarge | ProblemKind::Timeout => {
                "invalid_request_error"
            }
            ProblemKind::RateLimited
            | ProblemKind::BudgetExceeded
            | ProblemKind::AllProvidersFailed
            | ProblemKind::Unavailable => "api_error",
        };
        let status = StatusCode::from_u16(told.problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self::new(status, kind, told.problem.message.clone())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response<Body> {
        (self.status, Json(json!({"error": {"message": self.message, "type": self.kind}}))).into_response()
    }
}

/// Reads what stands behind the `?`.
fn query<T: DeserializeOwned>(uri: &Uri) -> Result<T, Refusal> {
    let read = Query::try_from_uri(uri);
    read.map(|Query(wanted)| wanted).map_err(|error| Refusal::bad_request(error.to_string()))
}

/// Reads a small JSON body.
async fn read<T: DeserializeOwned>(request: Request) -> Result<T, Refusal> {
    let (parts, body) = request.into_parts();
    let body = body::read(&parts.headers, body, BODY_LIMIT).await.map_err(|told| Refusal::from(&told))?;
    serde_json::from_slice(&body)
        .map_err(|error| Refusal::bad_request(format!("the body cannot be used: {error}")))
}
