//! A whole answer: send, read, normalize, judge; then the next step, until one is good.

use std::sync::Arc;

use mainstay_canon::{Answer, ChatRequest, ChatResponse, Failure, Kind};
use mainstay_dialects::{Outbound, Upstream};
use mainstay_providers::Told;
use mainstay_quality::{Arrival, Judged};

use super::record::{self, Came};
use super::trip::{Arrived, Prepared, Trip};
use super::{CallOptions, Engine, Route, TierRuntime};
use crate::gave_up::GaveUp;
use crate::transport::Reply;

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
    let mut trip = Trip::start(engine, route, request, options, false);
    loop {
        let prepared = match trip.next().await {
            Ok(prepared) => prepared,
            Err(none) => return trip.finish(none),
        };
        let mut came = Came::default();
        match fetch(&mut trip, prepared, &mut came).await {
            Ok((answer, judged)) if judged.verdict.is_failure => {
                trip.failed(Failure::bad(judged.verdict, answer), came);
            }
            Ok((answer, judged)) => return trip.answered(arrived(&trip, answer, judged, came)),
            Err(failure) => trip.failed(failure, came),
        }
    }
}

/// What is handed over: the answer, with the judge's repairs unless it only observes.
fn arrived(trip: &Trip, mut answer: Answer, judged: Judged, came: Came) -> Arrived {
    let Judged { verdict, repaired, repaired_calls } = judged;
    let mends = !trip.engine.only_observes();
    let is_repaired = mends && (repaired.is_some() || repaired_calls.is_some());
    if let Some(text) = repaired.filter(|_| mends) {
        answer.text = text;
    }
    if let Some(calls) = repaired_calls.filter(|_| mends) {
        answer.tool_calls = calls;
    }
    Arrived { answer, verdict, came, repaired: is_repaired }
}

/// Sends one attempt, reads its answer within the time it has, and judges it. `came` is filled in as it comes,
/// so that a failure on the way is known with its status.
async fn fetch(trip: &mut Trip, prepared: Prepared, came: &mut Came) -> Result<(Answer, Judged), Failure> {
    let limit = prepared.tier.timeouts.answer.min(prepared.time_left);
    let answer = tokio::time::timeout(limit, exchange(trip, prepared, came)).await.map_err(|_| {
        Failure::new(Kind::TimeoutTotal, format!("no whole answer within {:.1} s", limit.as_secs_f64()))
    })??;
    let judged = trip.engine.judge.judge(&trip.ask(), &answer, Arrival::Complete);
    Ok((answer, judged))
}

async fn exchange(trip: &mut Trip, prepared: Prepared, came: &mut Came) -> Result<Answer, Failure> {
    let Prepared { tier, upstream, outbound, .. } = prepared;
    let (reply, body) = body_of(trip, &tier, upstream, outbound, came).await?;
    let read = upstream.read_reply(&body);
    let wire = read.map_err(|failure| refined(trip, tier.provider, &reply, &body, failure))?;
    mainstay_normalize::whole(&tier.normal_context(upstream.dialect(), trip.prompt_estimate()), wire)
}

/// Sends a request and takes the whole body of its reply. A reply that is not 2xx is the failure it tells of.
pub(super) async fn body_of(
    trip: &mut Trip,
    tier: &TierRuntime,
    upstream: &dyn Upstream,
    outbound: Outbound,
    came: &mut Came,
) -> Result<(Reply, Vec<u8>), Failure> {
    let send = tier.endpoint.send(outbound, false);
    let mut reply = match tier.timeouts.whole_first_byte {
        None => send.await?,
        Some(limit) => tokio::time::timeout(limit, send).await.map_err(|_| no_first_byte(limit))??,
    };
    came.status = Some(reply.status);
    came.provider_request_id = tier.provider.request_id(&reply.headers).map(str::to_owned);
    if let Some(report) = record::quota(tier.provider, &reply.headers, trip.engine.clock.now()) {
        trip.quota_reported(report);
    }
    if !reply.is_success() {
        let body = reply.error_body(tier.timeouts.idle).await;
        // In the dialect that was spoken, which need not be the provider's usual one.
        let failure = upstream.read_error(reply.status, &body);
        return Err(refined(trip, tier.provider, &reply, &body, failure));
    }
    let body = reply.body_after(&[], tier.timeouts.idle).await?;
    Ok((reply, body))
}

/// Completes what the dialect made of a failure by the provider's own tables.
pub(super) fn refined(
    trip: &Trip,
    provider: &mainstay_providers::Provider,
    reply: &Reply,
    body: &[u8],
    failure: Failure,
) -> Failure {
    let told = Told { headers: &reply.headers, body, now: trip.engine.clock.now() };
    provider.refined(failure, &told)
}

fn no_first_byte(limit: std::time::Duration) -> Failure {
    Failure::new(Kind::TimeoutFirstByte, format!("no first byte within {:.1} s", limit.as_secs_f64()))
}
