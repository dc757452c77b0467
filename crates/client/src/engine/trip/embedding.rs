//! A request for vectors on its way: the same line as a chat's, on one tier.
//!
//! The layers that a request passes on its way know chats. A trip for vectors gives them a chat without
//! messages, which carries what follows every request through the layers; what it may cost, what is sent and
//! what is handed over are decided here.

use std::sync::Arc;

use mainstay_canon::{
    ChatRequest, EmbedInputs, EmbedRequest, EmbedResponse, Failure, Kind, Outcome, Quality, Usage,
    WireVectors,
};
use mainstay_cost::Purpose;
use mainstay_dialects::{Embeddings, Outbound};
use mainstay_normalize::estimate_tokens;

use super::outcome::entry;
use super::{Errand, NoAttempt, Trip};
use crate::engine::record::{self, Came};
use crate::engine::{CallOptions, Engine, Route, TierRuntime};
use crate::gave_up::{GaveUp, Reason};

/// What a token of an input costs beside its own in the bound: the marks around an input.
const INPUT_OVERHEAD: u64 = 16;

/// A request for vectors, with what was counted of it once.
pub(super) struct Vectors {
    request: Arc<EmbedRequest>,
    /// Tokens of the inputs, as we estimate them for what the provider leaves out.
    estimate: u64,
}

impl Trip {
    /// Vectors from the one tier that the route names.
    pub(crate) fn start_embedding(
        engine: Arc<Engine>,
        route: Route,
        request: EmbedRequest,
        options: CallOptions,
    ) -> Self {
        let carrier = ChatRequest {
            model_hint: request.model_hint.clone(),
            meta: request.meta.clone(),
            ..ChatRequest::default()
        };
        let bound = tokens_at_most(&request.inputs);
        let vectors = Vectors { estimate: tokens_about(&request.inputs), request: Arc::new(request) };
        Self::begin(engine, route, carrier, options, bound, Errand::Vectors(vectors))
    }

    /// The vectors are what was asked for: settles, writes the row, closes the walk.
    ///
    /// # Errors
    ///
    /// When the call log cannot be written and the config says to refuse then.
    pub(crate) fn embedded(&mut self, wire: WireVectors, came: Came) -> Result<EmbedResponse, GaveUp> {
        let (Some(mut flight), Errand::Vectors(vectors)) = (self.in_flight.take(), &self.errand) else {
            return Err(self.nobody());
        };
        let usage = usage(&wire, vectors.estimate);
        let now = self.engine.clock.now();
        let cost = self.settle(&mut flight, Kind::Bad(Quality::Ok), Some((usage, wire.usage.cost)), now);
        self.walk.succeeded(now);
        self.engine.publish_health();
        let mut attempt = entry(&flight, Outcome::Ok, cost, now);
        attempt.http_status = came.status;
        attempt.quality = Some(Quality::Ok);
        let mut row = self.row(&flight, &attempt, None);
        record::fill_usage(&mut row, &usage);
        row.model = wire.model.clone().filter(|model| !model.is_empty()).or(row.model);
        came.fill(&mut row);
        row.released = true;
        row.rescued = !self.trail.is_empty();
        self.trail.push(attempt);
        self.write_kept();
        self.over = true;
        let written = self.engine.write_row(row);
        written.map_err(|why| self.gave_up(Reason::LogUnavailable(why), None))?;
        Ok(EmbedResponse {
            vectors: wire.vectors,
            model: wire.model,
            usage,
            request_id: self.request_id.clone(),
            target: flight.tier.target.clone(),
            cost: self.cost,
            latency_ms: record::millis(self.engine.clock.now().since(self.started)),
            attempts: self.trail.clone(),
        })
    }

    /// The tier did not make the vectors, and nobody else may.
    pub(crate) fn no_vectors(&mut self, none: NoAttempt) -> GaveUp {
        self.over = true;
        let gave_up = self.ended(none);
        self.close(&gave_up);
        gave_up
    }
}

impl Vectors {
    /// Writes the request for a tier.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` where nobody could answer it, or where that model makes no vectors;
    /// `UnsupportedParameter` where its provider cannot be told something in it.
    pub(super) fn outbound(&self, tier: &TierRuntime) -> Result<Outbound, Failure> {
        self.request.check()?;
        embeddings_of(tier)?.write_request(&self.request, &tier.target)
    }
}

/// How that tier is asked for vectors.
///
/// # Errors
///
/// `InvalidRequest` where its model or its provider has none.
pub(crate) fn embeddings_of(tier: &TierRuntime) -> Result<&'static dyn Embeddings, Failure> {
    let none = |why: String| Err(Failure::new(Kind::InvalidRequest, why).param("model"));
    match tier.model.as_ref().map(|model| model.purpose) {
        Some(Purpose::Chat | Purpose::ResponsesOnly) => {
            return none(format!("{} makes no embeddings; it is a model for chat", tier.target));
        }
        Some(Purpose::Embedding) | None => {}
    }
    let Some(embeddings) = tier.provider.upstream.embeddings() else {
        return none(format!("the provider of {} has no embeddings that are spoken here", tier.target));
    };
    Ok(embeddings)
}

/// Refuses a chat with a model that only makes vectors.
///
/// # Errors
///
/// `InvalidRequest` that says where vectors are asked for.
pub(super) fn chats(tier: &TierRuntime) -> Result<(), Failure> {
    match tier.model.as_ref().map(|model| model.purpose) {
        Some(Purpose::Embedding) => {
            let why = format!(
                "{} makes embeddings and cannot chat; ask for them at /v1/embeddings, or with `embed`",
                tier.target
            );
            Err(Failure::new(Kind::InvalidRequest, why).param("model"))
        }
        Some(Purpose::Chat | Purpose::ResponsesOnly) | None => Ok(()),
    }
}

/// The most tokens that the inputs can have.
fn tokens_at_most(inputs: &EmbedInputs) -> u64 {
    match inputs {
        EmbedInputs::Texts(texts) => mainstay_cost::text_bound(texts.iter().map(String::as_str)),
        EmbedInputs::Tokens(lists) => {
            let each = lists.iter().map(|list| count(list).saturating_add(INPUT_OVERHEAD));
            each.fold(0, u64::saturating_add)
        }
    }
}

/// How many tokens the inputs have, more or less.
fn tokens_about(inputs: &EmbedInputs) -> u64 {
    let each: &mut dyn Iterator<Item = u64> = match inputs {
        EmbedInputs::Texts(texts) => &mut texts.iter().map(|text| estimate_tokens(text)),
        EmbedInputs::Tokens(lists) => &mut lists.iter().map(|list| count(list)),
    };
    each.fold(0, u64::saturating_add)
}

fn count(list: &[u32]) -> u64 {
    u64::try_from(list.len()).unwrap_or(u64::MAX)
}

/// The counts of vectors: what the provider said, else our estimate. No input is empty, so a zero is a count
/// that was left out. Vectors have no output tokens.
fn usage(wire: &WireVectors, estimate: u64) -> Usage {
    let said = wire.usage.prompt.filter(|prompt| *prompt > 0);
    Usage { prompt: said.unwrap_or(estimate), estimated: said.is_none(), ..Usage::default() }
}
