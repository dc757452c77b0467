//! The dashboard's first page: tiers, calls, money, alerts, at one look. No script.

mod parts;
mod sessions;
mod shell;
mod view;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, header};
use axum::response::IntoResponse;
use mainstay::Engine;
use mainstay_calllog::CallFilter;
use mainstay_config::{Chain, Tier};
use mainstay_fallback::StaticSwitch;
use mainstay_store::ReadError;
use maud::Markup;
use secrecy::ExposeSecret;
use serde::Deserialize;

use crate::admin::tiers;
use crate::app::{App, TokenAt};
use crate::when::start_of_day;
pub(crate) use sessions::Sessions;
use view::{DarkChain, Logged, Shown};

/// Rows of the log on the page.
const CALLS: usize = 50;

/// What the page tells a browser to allow: its own style sheet, and nothing else.
const HEADERS: [(HeaderName, &str); 8] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
];

/// What may stand behind the address. Has no `Debug`: a token is a secret.
#[derive(Deserialize)]
pub(crate) struct Asked {
    /// The token of a one-time link.
    token: Option<String>,
}

/// `GET /`
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Query(asked): Query<Asked>,
    method: Method,
    fields: HeaderMap,
) -> Response<Body> {
    if let Some(token) = asked.token {
        // Programs that look at a link before a person does must not use it up.
        return if method == Method::GET {
            follow(&app, &token, &fields)
        } else {
            denied(&app, &fields, true)
        };
    }
    if !app.sessions.knows(&fields, app.now()) {
        return denied(&app, &fields, false);
    }
    let app = &app;
    let logged = look_up(app).await;
    html(StatusCode::OK, view::page(&shown(app, logged, &fields)))
}

/// `GET /assets/…`: the style sheet by the name of its content; it holds no data.
pub(crate) async fn asset(Path(name): Path<String>) -> Response<Body> {
    if name != shell::style_name() {
        return StatusCode::NOT_FOUND.into_response();
    }
    let headers = [
        (header::CONTENT_TYPE, "text/css; charset=utf-8"),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, shell::STYLE).into_response()
}

/// A one-time link becomes a session of this browser.
fn follow(app: &App, link: &str, fields: &HeaderMap) -> Response<Body> {
    let session = match app.sessions.follow(link, app.now()) {
        Ok(Some(session)) => session,
        Ok(None) => return denied(app, fields, true),
        Err(error) => return (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    };
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    secure(headers);
    headers.insert(header::LOCATION, HeaderValue::from_static("/"));
    if let Ok(cookie) = HeaderValue::from_str(app.sessions.cookie(&session).expose_secret()) {
        headers.insert(header::SET_COOKIE, cookie);
    }
    response
}

fn denied(app: &App, fields: &HeaderMap, had_link: bool) -> Response<Body> {
    let engine = app.client.engine();
    let key = match app.admin_token_at {
        TokenAt::Variable => Some(format!("${}", engine.config().server.admin_token_env)),
        TokenAt::File => Some("$(cat ${XDG_STATE_HOME:-~/.local/state}/mainstay/admin-token)".to_owned()),
        TokenAt::Nowhere => None,
    };
    html(StatusCode::UNAUTHORIZED, view::denied(key.as_deref(), &host(fields), had_link))
}

/// What the log says. A log that cannot be read is shown as such.
async fn look_up(app: &Arc<App>) -> Result<Option<Logged>, ReadError> {
    let engine = app.client.engine();
    let today = start_of_day(engine.now(), &engine.config().budget.timezone);
    app.ask_log(move |log| {
        let calls = log.calls(&CallFilter { limit: Some(CALLS), ..CallFilter::default() })?;
        Ok(Logged { calls, today: log.totals(today)? })
    })
    .await
}

fn shown(app: &App, logged: Result<Option<Logged>, ReadError>, fields: &HeaderMap) -> Shown {
    let engine = app.client.engine();
    let now = engine.now();
    Shown {
        now,
        zone: jiff::tz::TimeZone::system(),
        uptime: now.since(app.started),
        host: host(fields),
        source: crate::ops::source_word(&engine.config().source),
        tiers: tiers::rows(&engine),
        switch: engine.board().static_switch(),
        dark: dark_chains(&engine),
        caps: engine.ledger().status(now),
        alerts: app.alerts.active(),
        logged: logged.map_err(|error| error.to_string()),
    }
}

/// Chains of which no ordinary tier can be asked now, and who answers in their place.
fn dark_chains(engine: &Engine) -> Vec<DarkChain> {
    let now = engine.now();
    let can_be_asked = |tier: &Tier| engine.board().health_of(&tier.target, None, now).state.is_available();
    let is_on = engine.board().static_switch() != StaticSwitch::Off;
    let dark = |chain: &Chain| !chain.tiers.iter().any(|tier| !tier.static_fallback && can_be_asked(tier));
    let chains = engine.config().chains.iter().filter(|chain| dark(chain));
    chains
        .map(|chain| {
            let answers = chain.tiers.iter().find(|tier| is_on && tier.static_fallback && can_be_asked(tier));
            DarkChain { name: chain.name.clone(), answers: answers.map(|tier| tier.target.clone()) }
        })
        .collect()
}

/// The name by which the gateway was reached, fit to be copied into a shell.
fn host(fields: &HeaderMap) -> String {
    let host = fields.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b':' | b'[' | b']');
    if !host.is_empty() && host.bytes().all(is_plain) { host.to_owned() } else { "HOST".to_owned() }
}

fn html(status: StatusCode, page: Markup) -> Response<Body> {
    let mut response =
        (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], page.into_string()).into_response();
    secure(response.headers_mut());
    response
}

fn secure(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
