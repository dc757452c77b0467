//! A whole answer: send, read, normalize, judge; then the next step, until one is good.

use std::sync::Arc;

use mainstay_canon::{Answer, ChatRequest, ChatResponse, Failure, Kind};
use mainstay_providers::Told;
use mainstay_quality::{Arrival, Judged};

use super::trip::{Arrived, Prepared, Trip};
use super::{CallOptions, Engine, Route, record};
use crate::gave_up::GaveUp;

/// An answer and what the judge found.
struct Fetched {
    answer: Answer,
    judged: Judged,
    http_status: u16,
    provider_request_id: Option<String>,
}

/// Asks a chain for a whole answer.
///
/// # Errors
///
/// [`GaveUp`] with the whole trail.
pub(crate) async fn chat(
    engine: Arc<Engine>,
    route: Route,
    request: ChatRequest,
    options: CallOptions,
) -> Result<ChatResponse, GaveUp> {
    let mut trip = Trip::start(engine, route, request, options);
    loop {
        let prepared = match trip.next(false).await {
            Ok(prepared) => prepared,
            Err(end) => return trip.finish(end),
        };
        match fetch(&mut trip, prepared).await {
            Ok(fetched) if fetched.judged.verdict.is_failure => {
                let failure = Failure::bad(fetched.judged.verdict, fetched.answer);
                trip.failed(failure, Some(fetched.http_status), fetched.provider_request_id);
            }
            Ok(fetched) => {
                let mut answer = fetched.answer;
                if let Some(repaired) = fetched.judged.repaired {
                    answer.text = repaired;
                }
                return trip.answered(Arrived {
                    answer,
                    verdict: fetched.judged.verdict,
                    http_status: Some(fetched.http_status),
                    provider_request_id: fetched.provider_request_id,
                    ttft: None,
                    continued_at: None,
                });
            }
            Err((failure, status, id)) => trip.failed(failure, status, id),
        }
    }
}

type Broken = (Failure, Option<u16>, Option<String>);

/// Sends one attempt and reads its answer, within the time it has.
async fn fetch(trip: &mut Trip, prepared: Prepared) -> Result<Fetched, Broken> {
    let tier = Arc::clone(&prepared.tier);
    let limit = tier.timeouts.answer.min(prepared.time_left);
    let time_is_up = || {
        let seconds = limit.as_secs_f64();
        (Failure::new(Kind::TimeoutTotal, format!("no whole answer within {seconds:.1} s")), None, None)
    };
    tokio::time::timeout(limit, exchange(trip, prepared)).await.unwrap_or_else(|_| Err(time_is_up()))
}

async fn exchange(trip: &mut Trip, prepared: Prepared) -> Result<Fetched, Broken> {
    let tier = &prepared.tier;
    let mut reply =
        tier.endpoint.send(prepared.outbound, false).await.map_err(|failure| (failure, None, None))?;
    let status = reply.status;
    let id = tier.provider.request_id(&reply.headers).map(str::to_owned);
    if let Some(report) = record::quota(tier.provider, &reply.headers, trip.engine.clock.now()) {
        trip.quota_reported(report);
    }
    let broken = |failure: Failure| (failure, Some(status), id.clone());
    if !reply.is_success() {
        let body = reply.error_body(tier.timeouts.idle).await;
        let now = trip.engine.clock.now();
        return Err(broken(tier.provider.read_error(status, &reply.headers, &body, now)));
    }
    let body = reply.body(tier.timeouts.idle).await.map_err(broken)?;
    let told = Told { headers: &reply.headers, body: &body, now: trip.engine.clock.now() };
    let wire =
        tier.upstream().read_reply(&body).map_err(|failure| broken(tier.provider.refined(failure, &told)))?;
    let answer =
        mainstay_normalize::whole(&tier.normal_context(trip.prompt_estimate()), wire).map_err(broken)?;
    let judged = trip.engine.judge.judge(&trip.ask(), &answer, Arrival::Complete);
    Ok(Fetched { answer, judged, http_status: status, provider_request_id: id.clone() })
}
