//! Money: what the caps allow and what is spent of it.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use mainstay::Nanodollars;
use mainstay_cost::{CapStatus, Spender};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Refusal, query};
use crate::app::App;
use crate::when::rfc3339;

/// Whose caps are asked for beside everybody's.
#[derive(Debug, Deserialize)]
struct Whose {
    user: Option<String>,
    session: Option<String>,
}

/// One cap. Money is a number with its exact decimals, as in rows of the log.
#[derive(Debug, Serialize)]
struct CapRow {
    cap: &'static str,
    limit_usd: Box<RawValue>,
    spent_usd: Box<RawValue>,
    reserved_usd: Box<RawValue>,
    resets_at: Option<String>,
}

/// The answer. Not a parsed tree: that would make floats of the exact decimals.
#[derive(Debug, Serialize)]
pub(super) struct CapList {
    caps: Vec<CapRow>,
}

/// `GET /admin/caps`: everybody's; with `?user=` and `?session=` theirs as well.
pub(super) async fn list(State(app): State<Arc<App>>, uri: Uri) -> Result<Json<CapList>, Refusal> {
    let whose: Whose = query(&uri)?;
    let engine = app.client.engine();
    let (ledger, now) = (engine.ledger(), engine.now());
    let caps = match whose {
        Whose { user: None, session: None } => ledger.status(now),
        Whose { user, session } => {
            ledger.status_of(&Spender { user, session, request_id: String::new() }, None, now)
        }
    };
    let caps: Result<Vec<CapRow>, serde_json::Error> = caps.iter().map(row).collect();
    Ok(Json(CapList { caps: caps.map_err(|error| Refusal::internal(error.to_string()))? }))
}

fn row(status: &CapStatus) -> Result<CapRow, serde_json::Error> {
    let dollars = |amount: Nanodollars| RawValue::from_string(amount.to_string());
    Ok(CapRow {
        cap: status.cap.name(),
        limit_usd: dollars(status.limit)?,
        spent_usd: dollars(status.spent)?,
        reserved_usd: dollars(status.reserved)?,
        resets_at: status.resets_at.map(rfc3339),
    })
}
