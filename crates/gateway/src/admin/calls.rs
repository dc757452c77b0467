//! The newest rows of the call log.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{Uri, header};
use axum::response::{IntoResponse, Response};
use mainstay_calllog::{CallFilter, CallRow};
use serde::Deserialize;

use super::{Refusal, query};
use crate::app::App;

/// Rows that are given where nobody says how many.
const ROWS: usize = 50;
/// Most rows that are given at once.
const MOST: usize = 10_000;

/// How many rows are wanted.
#[derive(Debug, Deserialize)]
struct HowMany {
    limit: Option<usize>,
}

/// `GET /admin/calls?limit=`
pub(super) async fn list(State(app): State<Arc<App>>, uri: Uri) -> Result<Response, Refusal> {
    let wanted: HowMany = query(&uri)?;
    let limit = wanted.limit.unwrap_or(ROWS).min(MOST);
    let filter = CallFilter { limit: Some(limit), ..CallFilter::default() };
    let rows = app.ask_log(move |log| log.calls(&filter)).await;
    let rows = rows.map_err(|error| Refusal::internal(error.to_string()))?.unwrap_or_default();
    let rows: Vec<CallRow<'_>> = rows.iter().map(CallRow).collect();
    let rows = serde_json::to_string(&rows).map_err(|error| Refusal::internal(error.to_string()))?;
    // Put together by hand: a parsed tree would lose the exact decimals of money.
    Ok(([(header::CONTENT_TYPE, "application/json")], format!("{{\"calls\":{rows}}}")).into_response())
}
