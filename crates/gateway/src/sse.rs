//! A streamed answer on its way to the caller, with keep-alives while nothing flows.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures_util::stream;
use mainstay::{ChatResponse, ChatStream, GaveUp, RawJson, StreamItem};
use mainstay_dialects::{Ending, ProblemKind, StreamWriter};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::converse::stopping;
use crate::problem::Told;

/// A stream's body while it lives. Dropping it cancels the upstream call.
pub(crate) struct Flow {
    items: ChatStream,
    writer: Box<dyn StreamWriter>,
    keep_alive: Duration,
    stop: CancellationToken,
    request_id: String,
    over: bool,
}

impl Flow {
    pub(crate) fn new(
        items: ChatStream,
        writer: Box<dyn StreamWriter>,
        keep_alive: Duration,
        stop: CancellationToken,
        request_id: String,
    ) -> Self {
        Self { items, writer, keep_alive, stop, request_id, over: false }
    }

    /// The body, which begins with a keep-alive where nothing else came in time.
    pub(crate) fn into_body(mut self, keep_alive_first: bool) -> Body {
        let mut first = Vec::new();
        if keep_alive_first {
            self.writer.keep_alive(&mut first);
        }
        Body::from_stream(stream::unfold((self, first), |(mut flow, first)| async move {
            let bytes = if first.is_empty() { flow.next().await? } else { first.into() };
            Some((Ok::<_, Infallible>(bytes), (flow, Vec::new())))
        }))
    }

    async fn next(&mut self) -> Option<Bytes> {
        while !self.over {
            let mut out = Vec::new();
            tokio::select! {
                // The end of the grace time comes first: a stream that never pauses would outlive it.
                biased;
                () = self.stop.cancelled() => self.break_off(stopping(), &mut out),
                item = self.items.next() => self.write(item, &mut out),
                () = tokio::time::sleep(self.keep_alive) => self.writer.keep_alive(&mut out),
            }
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
            Some(Err(gave_up)) => self.break_off(Told::gave_up(&gave_up), out),
            // The task that feeds the stream ended without a word: never an ordinary end (behaviour 7.4).
            None => {
                let told = Told::new(ProblemKind::AllProvidersFailed, 502, "the answer broke off");
                self.break_off(told, out);
            }
        }
    }

    /// Ends with an error event: no terminator, no finish reason.
    fn break_off(&mut self, told: Told, out: &mut Vec<u8>) {
        self.over = true;
        self.writer.problem(&told.with_request_id(&self.request_id).problem, out);
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
        let called = response.attempts.iter().filter(|one| one.number.is_some());
        let tiers: Vec<String> = called.map(|one| one.target.to_string()).collect();
        json!({"continued_at": at, "tiers": tiers})
    });
    Ending {
        reason: response.finish_reason,
        raw: response.finish_reason_raw.clone(),
        stop_sequence: response.stop_sequence.clone(),
        context_full: response.context_full,
        usage: response.usage,
        mark: mark.and_then(|mark| RawJson::of(&mark).ok()),
        comment: RawJson::of(&comment).ok(),
    }
}
