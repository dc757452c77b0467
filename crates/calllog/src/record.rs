//! The record of one attempt: one row of `llm_calls`.

use mainstay_canon::{
    Attempt, Cost, FinishReason, Metadata, Moment, Nanodollars, Outcome, Quality, Target, Usage,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{CallId, note};

/// The columns of `llm_calls` in their order, `detail` and the computed `cost_usd` included.
pub const COLUMNS: [&str; 38] = [
    "id",
    "ts",
    "request_id",
    "client_request_id",
    "session_id",
    "user_id",
    "key_name",
    "label",
    "chain",
    "tier",
    "provider",
    "model",
    "attempt",
    "tier_attempt",
    "stream",
    "outcome",
    "quality",
    "finish_reason",
    "finish_reason_raw",
    "error_kind",
    "http_status",
    "prompt_tokens",
    "completion_tokens",
    "cached_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "tokens_estimated",
    "cost_nanousd",
    "cost_usd",
    "latency_ms",
    "ttft_ms",
    "wait_ms",
    "released",
    "rescued",
    "provider_request_id",
    "trace_id",
    "note",
    "detail",
];

/// One attempt, or one tier that was passed over, or a request refused before any call.
///
/// As JSON it has the column names of `llm_calls`, and what is absent is left out: this is the
/// journal's line. [`crate::CallRow`] is the form for people's scripts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallRecord {
    /// The row's own name; sorts by time.
    pub id: CallId,
    /// When it began, its wait not included.
    pub ts: Moment,
    /// Our id of the request; all rows of one request share it.
    pub request_id: String,
    /// The caller's own id of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_request_id: Option<String>,
    /// The conversation or agent run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The end user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// The virtual key's name, never the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_name: Option<String>,
    /// A team or feature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The chain that was walked.
    pub chain: String,
    /// The tier, `provider/model`; `None` where the request was refused before any tier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    /// The provider's name in the config.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The model, as the provider reports it, else as it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Counts upstream calls of the request from 1; `None` when the tier was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// Counts calls to this tier from 1; `None` when it was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier_attempt: Option<u32>,
    /// Whether the caller wanted a stream.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stream: bool,
    /// How it ended.
    pub outcome: Outcome,
    /// The judge's class, when there was an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<Quality>,
    /// Why the answer ended, when there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<FinishReason>,
    /// The provider's own word for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish_reason_raw: Option<String>,
    /// The kind of failure, one of the words of [`mainstay_canon::Kind::word`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<String>,
    /// HTTP status of the provider's reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_status: Option<u16>,
    /// All input tokens, cached and cache-writing ones included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
    /// All billed output tokens, reasoning included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion_tokens: Option<u64>,
    /// Input tokens read from a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u64>,
    /// Input tokens written to a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write_tokens: Option<u64>,
    /// The hidden part of the output tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
    /// Whether a count is our estimate.
    #[serde(default, skip_serializing_if = "is_false")]
    pub tokens_estimated: bool,
    /// What it cost; as JSON and in the table whole nano-dollars, null when unknown.
    #[serde(rename = "cost_nanousd", serialize_with = "write_cost", deserialize_with = "read_cost")]
    pub cost: Cost,
    /// From sending to the end, in ms.
    #[serde(default)]
    pub latency_ms: u64,
    /// From sending to the first content, in ms; streams only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttft_ms: Option<u64>,
    /// The wait before it, in ms.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub wait_ms: u64,
    /// Whether anything of it reached the caller.
    #[serde(default, skip_serializing_if = "is_false")]
    pub released: bool,
    /// Whether it answered after another attempt had failed or a tier had been skipped.
    #[serde(default, skip_serializing_if = "is_false")]
    pub rescued: bool,
    /// The provider's id of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_request_id: Option<String>,
    /// The trace it belongs to, 32 hex digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// Remarks; see [`crate::note`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Why, in words: the verdict's detail, the provider's message, why it was skipped; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

impl CallRecord {
    /// Longest text kept in one field, in bytes; see [`Self::bounded`].
    pub const TEXT_LIMIT: usize = 2048;

    /// A row about this request of this chain, with nothing known yet: a skipped one without a tier.
    pub fn new(id: CallId, ts: Moment, request_id: impl Into<String>, chain: impl Into<String>) -> Self {
        Self {
            id,
            ts,
            request_id: request_id.into(),
            client_request_id: None,
            session_id: None,
            user_id: None,
            key_name: None,
            label: None,
            chain: chain.into(),
            tier: None,
            provider: None,
            model: None,
            attempt: None,
            tier_attempt: None,
            stream: false,
            outcome: Outcome::Skipped,
            quality: None,
            finish_reason: None,
            finish_reason_raw: None,
            error_kind: None,
            http_status: None,
            prompt_tokens: None,
            completion_tokens: None,
            cached_tokens: None,
            cache_write_tokens: None,
            reasoning_tokens: None,
            tokens_estimated: false,
            cost: Cost::ZERO,
            latency_ms: 0,
            ttft_ms: None,
            wait_ms: 0,
            released: false,
            rescued: false,
            provider_request_id: None,
            trace_id: None,
            note: None,
            detail: String::new(),
        }
    }

    /// Takes who asked: session, user, key, label, trace and the caller's own id.
    pub fn with_meta(mut self, meta: &Metadata) -> Self {
        self.client_request_id.clone_from(&meta.client_request_id);
        self.session_id.clone_from(&meta.session_id);
        self.user_id.clone_from(&meta.user_id);
        self.key_name.clone_from(&meta.key_name);
        self.label.clone_from(&meta.label);
        self.trace_id.clone_from(&meta.trace_id);
        self
    }

    /// Says which tier it is about.
    pub fn at(mut self, target: &Target) -> Self {
        self.tier = Some(target.to_string());
        self.provider = Some(target.provider.to_string());
        self.model = Some(target.model.to_string());
        self
    }

    /// Takes what the trail says of the attempt: its tier, numbers, outcome, times, cost and why.
    pub fn of(self, attempt: &Attempt) -> Self {
        Self {
            attempt: attempt.number,
            tier_attempt: attempt.tier_attempt,
            outcome: attempt.outcome,
            quality: attempt.quality,
            finish_reason: attempt.finish_reason,
            error_kind: attempt.error.map(|kind| kind.word().to_owned()),
            http_status: attempt.http_status,
            cost: attempt.cost,
            latency_ms: attempt.latency_ms,
            wait_ms: attempt.wait_ms,
            detail: attempt.why.clone(),
            ..self.at(&attempt.target)
        }
    }

    /// Takes the token counts.
    pub fn with_usage(mut self, usage: &Usage) -> Self {
        self.prompt_tokens = Some(usage.prompt);
        self.completion_tokens = Some(usage.completion);
        self.cached_tokens = Some(usage.cached);
        self.cache_write_tokens = Some(usage.cache_write);
        self.reasoning_tokens = Some(usage.reasoning);
        self.tokens_estimated = usage.estimated;
        self
    }

    /// Adds a remark to the note.
    pub fn add_note(&mut self, remark: &str) {
        note::add(&mut self.note, remark);
    }

    /// Whether the note has a remark with this opening, one of [`crate::note`]'s.
    pub fn has_note(&self, opening: &str) -> bool {
        note::has(self.note.as_deref(), opening)
    }

    /// Whether the very first call was accepted, with no tier passed over: nothing to tell.
    pub fn is_first_try_ok(&self) -> bool {
        self.outcome == Outcome::Ok && self.attempt == Some(1) && !self.rescued
    }

    /// Whether the caller got anything for it: an accepted answer, or whatever was released.
    pub fn is_handed_over(&self) -> bool {
        self.released || self.outcome == Outcome::Ok
    }

    /// Whether every text is at most [`Self::TEXT_LIMIT`] bytes long.
    pub fn is_bounded(&self) -> bool {
        let optional = [
            &self.client_request_id,
            &self.session_id,
            &self.user_id,
            &self.key_name,
            &self.label,
            &self.tier,
            &self.provider,
            &self.model,
            &self.finish_reason_raw,
            &self.error_kind,
            &self.provider_request_id,
            &self.trace_id,
            &self.note,
        ];
        let always = [&self.request_id, &self.chain, &self.detail];
        optional.into_iter().flatten().chain(always).all(|text| text.len() <= Self::TEXT_LIMIT)
    }

    /// The record with every text cut to [`Self::TEXT_LIMIT`] bytes, between characters: what callers
    /// and providers send has no limit of its own.
    pub fn bounded(mut self) -> Self {
        let optional = [
            &mut self.client_request_id,
            &mut self.session_id,
            &mut self.user_id,
            &mut self.key_name,
            &mut self.label,
            &mut self.tier,
            &mut self.provider,
            &mut self.model,
            &mut self.finish_reason_raw,
            &mut self.error_kind,
            &mut self.provider_request_id,
            &mut self.trace_id,
            &mut self.note,
        ];
        let always = [&mut self.request_id, &mut self.chain, &mut self.detail];
        for text in optional.into_iter().flatten().chain(always) {
            text.truncate(text.floor_char_boundary(Self::TEXT_LIMIT));
        }
        self
    }
}

/// For leaving out what is false.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// For leaving out what is nothing.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_zero(value: &u64) -> bool {
    *value == 0
}

fn write_cost<S: Serializer>(cost: &Cost, serializer: S) -> Result<S::Ok, S::Error> {
    cost.known().serialize(serializer)
}

fn read_cost<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Cost, D::Error> {
    Ok(Option::<Nanodollars>::deserialize(deserializer)?.map_or(Cost::Unknown, Cost::Known))
}

#[cfg(test)]
pub(crate) mod tests {
    use mainstay_canon::Kind;
    use proptest::prelude::*;

    use super::*;

    /// Any record at all, for the codecs' laws.
    pub(crate) fn any_record() -> impl Strategy<Value = CallRecord> {
        let text = || proptest::option::of(".{0,12}");
        let count = || proptest::option::of(any::<u64>());
        let who = (text(), text(), text(), text(), text(), text(), "[a-z]{1,8}", ".{0,12}");
        let what = (
            proptest::option::of(1_u32..9),
            proptest::sample::select(vec![
                Outcome::Ok,
                Outcome::Quality,
                Outcome::Error,
                Outcome::Aborted,
                Outcome::Skipped,
            ]),
            proptest::option::of(proptest::sample::select(Quality::ALL.to_vec())),
            proptest::option::of(Just(FinishReason::ContentFilter)),
            proptest::option::of(Just(Kind::Overloaded.word().to_owned())),
            proptest::option::of(any::<u16>()),
            any::<[bool; 4]>(),
            text(),
        );
        let sums = (count(), count(), any::<[u32; 3]>(), proptest::option::of(any::<i64>()));
        (0_i64..1 << 50, who, what, sums).prop_map(|(micros, who, what, sums)| {
            let ts = Moment::from_micros(micros);
            let mut record = CallRecord::new(IdSource::new(3).next(ts), ts, who.7, who.6);
            record.session_id = who.0;
            record.user_id = who.1;
            record.key_name = who.2;
            record.label = who.3;
            record.client_request_id = who.4;
            record.tier = who.5;
            record.attempt = what.0;
            record.outcome = what.1;
            record.quality = what.2;
            record.finish_reason = what.3;
            record.error_kind = what.4;
            record.http_status = what.5;
            [record.stream, record.tokens_estimated, record.released, record.rescued] = what.6;
            record.note.clone_from(&what.7);
            record.detail = what.7.unwrap_or_default();
            record.prompt_tokens = sums.0;
            record.completion_tokens = sums.1;
            [record.latency_ms, record.wait_ms, _] = sums.2.map(u64::from);
            record.ttft_ms = sums.1;
            record.cost = sums.3.map_or(Cost::Unknown, |nanos| Cost::Known(Nanodollars::from_nanos(nanos)));
            record
        })
    }

    use crate::IdSource;

    #[test]
    fn a_skipped_tier_of_the_trail_becomes_a_row_without_numbers() {
        let attempt = Attempt {
            target: Target::new("openai", "gpt-6-luna"),
            number: None,
            tier_attempt: None,
            outcome: Outcome::Skipped,
            quality: None,
            finish_reason: None,
            error: None,
            http_status: None,
            latency_ms: 0,
            wait_ms: 0,
            cost: Cost::ZERO,
            why: "cooling, 42 s left".to_owned(),
        };
        let now = Moment::from_secs(5);
        let row = CallRecord::new(IdSource::new(1).next(now), now, "req_1", "default").of(&attempt);
        assert_eq!((row.attempt, row.tier.as_deref()), (None, Some("openai/gpt-6-luna")));
        assert_eq!(row.detail, "cooling, 42 s left");
        assert!(!row.is_handed_over() && !row.is_first_try_ok());
    }

    #[test]
    fn texts_without_end_are_cut_between_characters() {
        let now = Moment::EPOCH;
        let mut row = CallRecord::new(IdSource::new(1).next(now), now, "é".repeat(5000), "default");
        row.user_id = Some(format!("x{}", "é".repeat(5000)));
        assert!(!row.is_bounded());
        let row = row.bounded();
        assert!(row.is_bounded());
        assert_eq!(row.request_id.len(), CallRecord::TEXT_LIMIT);
        assert_eq!(row.user_id.map(|user| user.len()), Some(CallRecord::TEXT_LIMIT - 1));
    }

    #[test]
    fn a_plain_row_is_a_short_line() {
        let now = Moment::from_secs(5);
        let row = CallRecord::new(IdSource::new(1).next(now), now, "r", "c");
        let line = serde_json::to_string(&row).unwrap();
        assert_eq!(
            line,
            "{\"id\":\"0000000004rj8000000000\",\"ts\":5000000,\"request_id\":\"r\",\"chain\":\"c\",\
             \"outcome\":\"skipped\",\"cost_nanousd\":0,\"latency_ms\":0}"
                .replace("0000000004rj8000000000", &row.id.to_string())
        );
    }

    proptest! {
        #[test]
        fn a_line_reads_back_as_it_was_written(record in any_record()) {
            let line = serde_json::to_string(&record).unwrap();
            prop_assert_eq!(serde_json::from_str::<CallRecord>(&line).unwrap(), record);
        }
    }
}
