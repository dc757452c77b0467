//! A streamed answer on its way to the caller, with keep-alives while nothing flows.

use std::time::Duration;

use axum::body::{Body, Bytes};
use futures_util::stream;
use mainstay::{ChatResponse, ChatStream, GaveUp, RawJson, StreamItem};
use mainstay_dialects::{Ending, ProblemKind, StreamWriter};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::problem::Told;

/// What a stream's body needs while it lives.
struct Flow {
    items: ChatStream,
    writer: Box<dyn StreamWriter>,
    keep_alive: Duration,
    stop: CancellationToken,
    request_id: String,
    waiting: Option<Vec<u8>>,
    over: bool,
}

/// The body of a streamed answer. `first` is what is to be sent before anything else.
pub(crate) fn body(
    items: ChatStream,
    writer: Box<dyn StreamWriter>,
    keep_alive: Duration,
    stop: CancellationToken,
    request_id: String,
    keep_alive_first: bool,
) -> Body {
    let mut flow = Flow { items, writer, keep_alive, stop, request_id, waiting: None, over: false };
    if keep_alive_first {
        let mut out = Vec::new();
        flow.writer.keep_alive(&mut out);
        flow.waiting = Some(out);
    }
    Body::from_stream(stream::unfold(flow, |mut flow| async move {
        let bytes = flow.next().await?;
        Some((Ok::<_, std::convert::Infallible>(bytes), flow))
    }))
}

impl Flow {
    async fn next(&mut self) -> Option<Bytes> {
        if let Some(first) = self.waiting.take() {
            return Some(first.into());
        }
        while !self.over {
            let mut out = Vec::new();
            let item = tokio::select! {
                biased;
                item = self.items.next() => item,
                () = self.stop.cancelled() => {
                    self.over = true;
                    let told = Told::unavailable("the gateway is shutting down", Duration::from_secs(1))
                        .with_request_id(&self.request_id);
                    self.writer.problem(&told.problem, &mut out);
                    return Some(out.into());
                }
                () = tokio::time::sleep(self.keep_alive) => {
                    self.writer.keep_alive(&mut out);
                    return Some(out.into());
                }
            };
            self.write(item, &mut out);
            if !out.is_empty() {
                return Some(out.into());
            }
        }
        None
    }

    fn write(&mut self, item: Option<Result<StreamItem, GaveUp>>, out: &mut Vec<u8>) {
        match item {
            Some(Ok(StreamItem::Open(_))) => {}
            Some(Ok(StreamItem::Event(event))) => self.writer.event(&event, out),
            Some(Ok(StreamItem::Done(response))) => {
                self.over = true;
                self.writer.finish(&ending(&response), out);
            }
            Some(Err(gave_up)) => {
                self.over = true;
                self.writer.problem(&Told::gave_up(&gave_up).problem, out);
            }
            None => {
                // The task that feeds the stream ended without a word: never an ordinary end (behaviour 7.4).
                self.over = true;
                let told = Told::new(ProblemKind::AllProvidersFailed, 502, "the answer broke off")
                    .with_request_id(&self.request_id);
                self.writer.problem(&told.problem, out);
            }
        }
    }
}

fn ending(response: &ChatResponse) -> Ending {
    let comment = json!({
        "request_id": response.request_id,
        "tier": response.target.to_string(),
        "attempts": response.upstream_calls(),
        "quality": response.quality.quality.word(),
        "cost_usd": response.cost.known().map(|cost| cost.to_string()),
        "continued": response.continued_at.is_some(),
    });
    let mark = response.continued_at.map(|at| {
        let tiers: Vec<String> =
            response.attempts.iter().filter(|one| one.number.is_some()).map(|one| one.target.to_string()).collect();
        json!({"continued_at": at, "tiers": tiers})
    });
    Ending {
        reason: response.finish_reason,
        raw: response.finish_reason_raw.clone(),
        stop_sequence: response.stop_sequence.clone(),
        usage: response.usage,
        mark: mark.and_then(|mark| RawJson::of(&mark).ok()),
        comment: RawJson::of(&comment).ok(),
    }
}
