//! The judge: one answer in, one verdict out. The order of the classes is behaviour 4.1's.
//!
//! It does no I/O and reads no clock. For an ordinary answer it allocates nothing: the text is borrowed,
//! the windows that are searched are arrays on the stack, the phrase lists and the schemas are compiled
//! before, and an `ok` verdict is made of constants. Only JSON that has to be parsed (tool arguments, a
//! requested format) and a finding that has to be described take memory.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use mainstay_canon::{Answer, FinishReason, Quality, ResponseFormat, ToolCall, Verdict};
use serde_json::Value;

use crate::ask::Ask;
use crate::demand::Demand;
use crate::findings::{
    call_missing, circle_or_leak, cut_structure, described, filtered, finish, interrupted, is_shown,
    leaked_call, nothing_visible, only_signs, paused, placeholder, provider_refusal, shown, signs_answer,
    too_short, truncated, wire_finding,
};
use crate::leak::{self, Leaked};
use crate::lexicon::LEXICON;
use crate::model::Model;
use crate::options::{JudgeOptions, Profile};
use crate::pattern::{PatternError, Patterns};
use crate::refusal::{self, Degree, Place};
use crate::repair;
use crate::schema::Schemas;
use crate::tools::{self, Calls};
use crate::visible::{self, Visible};
use crate::watch::{HoldOptions, Watch};

/// Bytes of JSON beyond which it is not read for a refusal.
const LONGEST_JSON_REFUSAL: usize = 400;

/// How an answer arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// Whole, with its terminator.
    Complete,
    /// It broke off.
    BrokenOff,
}

/// What the judge made of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The finding.
    pub verdict: Verdict,
    /// The text to hand over instead: JSON without its fence, prose or commas too many.
    pub repaired: Option<String>,
    /// The tool calls to hand over instead, where `repair_tool_calls` repaired one.
    pub repaired_calls: Option<Vec<ToolCall>>,
}

/// Judges answers. Cheap to clone; clones share their compiled schemas.
#[derive(Clone)]
pub struct Judge {
    inner: Arc<Inner>,
}

struct Inner {
    options: JudgeOptions,
    patterns: Patterns,
    schemas: Schemas,
    model: Model,
}

impl std::fmt::Debug for Judge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Judge").field("options", &self.inner.options).finish_non_exhaustive()
    }
}

/// A finding before the operator's settings are applied.
struct Found {
    verdict: Verdict,
    repaired: Option<String>,
    repaired_calls: Option<Vec<ToolCall>>,
}

impl From<Verdict> for Found {
    fn from(verdict: Verdict) -> Self {
        Self { verdict, repaired: None, repaired_calls: None }
    }
}

impl Judge {
    /// A judge with these options.
    ///
    /// # Errors
    ///
    /// [`PatternError`] for the first refusal pattern that cannot be used.
    pub fn new(options: JudgeOptions) -> Result<Self, PatternError> {
        // The file that is built in fits the code: a test sees to it.
        Self::with_model(options, Model::embedded().unwrap_or_else(|_| Model::blank()))
    }

    /// A judge that weighs with another model than the one that is built in: for training.
    ///
    /// # Errors
    ///
    /// [`PatternError`] for the first refusal pattern that cannot be used.
    pub fn with_model(options: JudgeOptions, model: Model) -> Result<Self, PatternError> {
        let patterns = Patterns::new(&options.refusal_patterns)?;
        // The lists are compiled here rather than under the first answer.
        LazyLock::force(&LEXICON);
        leak::prepare();
        refusal::prepare();
        Ok(Self { inner: Arc::new(Inner { options, patterns, schemas: Schemas::default(), model }) })
    }

    /// The options it was made with.
    pub fn options(&self) -> &JudgeOptions {
        &self.inner.options
    }

    pub(crate) fn patterns(&self) -> &Patterns {
        &self.inner.patterns
    }

    pub(crate) fn model(&self) -> &Model {
        &self.inner.model
    }

    pub(crate) fn schemas(&self) -> &Schemas {
        &self.inner.schemas
    }

    /// Judges a whole answer. The same answer is always judged the same.
    pub fn judge(&self, ask: &Ask<'_>, answer: &Answer, arrival: Arrival) -> Judged {
        match as_written(answer) {
            None => self.judge_written(ask, answer, arrival),
            Some(written) => Judged { repaired: None, ..self.judge_written(ask, &written, arrival) },
        }
    }

    fn judge_written(&self, ask: &Ask<'_>, answer: &Answer, arrival: Arrival) -> Judged {
        let found = match self.inner.options.profile {
            Profile::Balanced | Profile::Strict => self.find(ask, answer, arrival),
            Profile::Off => wire_finding(answer, arrival).unwrap_or_else(Verdict::ok).into(),
        };
        let Found { mut verdict, repaired, repaired_calls } = found;
        verdict.is_failure = self.inner.options.is_failure(verdict.quality);
        Judged { verdict, repaired, repaired_calls }
    }

    /// Watches an answer arrive in pieces, to say when it may be shown.
    pub fn watch(&self, ask: &Ask<'_>, hold: HoldOptions) -> Watch {
        Watch::new(self.clone(), ask, hold)
    }

    fn find(&self, ask: &Ask<'_>, answer: &Answer, arrival: Arrival) -> Found {
        if let Some(verdict) = interrupted(arrival).or_else(|| filtered(answer)) {
            return verdict.into();
        }
        if !answer.tool_calls.is_empty() {
            return self.judge_calls(ask, answer);
        }
        let text = visible::behind_thinking(&answer.text);
        let leaked = leak::find(text, ask.prompt);
        if let Some(verdict) = leaked_call(ask, text, leaked, answer) {
            return verdict.into();
        }
        if let Some(verdict) = provider_refusal(answer) {
            return verdict.into();
        }
        match visible::look(&answer.text) {
            Visible::Nothing(_) if is_shown(ask, answer) => shown(answer).or(call_missing(ask)).map_or_else(
                || Verdict { rule: Cow::Borrowed("ok.shown"), ..Verdict::ok() }.into(),
                Found::from,
            ),
            Visible::Nothing(nothing) => match nothing_visible(ask, answer, nothing) {
                Some(verdict) => verdict.into(),
                None => paused().into(),
            },
            Visible::Signs(signs) if !signs_answer(ask, signs) => only_signs(answer, signs).into(),
            Visible::Words(words) | Visible::Signs(words) => self.judge_text(ask, answer, words, leaked),
        }
    }

    fn judge_calls(&self, ask: &Ask<'_>, answer: &Answer) -> Found {
        match tools::check(ask, answer, &self.inner.schemas, self.inner.options.repair_tool_calls) {
            Calls::Bad(fault) => described(Quality::MalformedToolCall, fault.rule, fault.detail).into(),
            Calls::Good { skipped, repaired } => {
                let mut verdict = Verdict::ok();
                verdict.rule =
                    Cow::Borrowed(if repaired.is_some() { "ok.repaired_call" } else { "ok.tool_call" });
                verdict.detail = skipped.map_or(Cow::Borrowed(""), Cow::Owned);
                Found { verdict, repaired: None, repaired_calls: repaired }
            }
        }
    }

    /// Judges visible text: from refusal on in the order of the classes.
    fn judge_text(&self, ask: &Ask<'_>, answer: &Answer, words: &str, leaked: Option<Leaked>) -> Found {
        if let Some(verdict) = placeholder(ask, answer, words) {
            return verdict.into();
        }
        // Offsets are stated in the answer's own text; `words` is an end of it.
        let offset = answer.text.len() - words.len();
        let (refused, possible) = self.refused(ask, words, offset);
        if let Some(verdict) = refused.or_else(|| circle_or_leak(ask, words, offset, leaked, answer)) {
            return verdict.into();
        }
        let json = match self.check_format(ask, answer) {
            Ok(json) => json,
            Err(verdict) => return verdict.into(),
        };
        let ending = match answer.finish_reason {
            FinishReason::Pause => Some(paused()),
            FinishReason::Length => Some(truncated(answer)),
            FinishReason::Stop
            | FinishReason::ToolCall
            | FinishReason::Refusal
            | FinishReason::ContentFilter
            | FinishReason::Empty => cut_structure(words),
        };
        let verdict = ending
            .or_else(|| too_short(ask, answer, words, json.asked, self.inner.options.profile))
            .or_else(|| call_missing(ask))
            .or(possible);
        let mut verdict = verdict.unwrap_or_else(Verdict::ok);
        if verdict.quality == Quality::Ok && (json.repaired.is_some() || json.note.is_some()) {
            verdict.rule = Cow::Borrowed(if json.repaired.is_some() { "ok.repaired_json" } else { "ok" });
            verdict.detail = json.note.map_or(Cow::Borrowed(""), Cow::Owned);
        }
        Found { verdict, repaired: json.repaired, repaired_calls: None }
    }

    /// A refusal by the operator's patterns or by the evidence; beside it a verdict that is still ok but
    /// says that it may be one.
    fn refused(&self, ask: &Ask<'_>, words: &str, offset: usize) -> (Option<Verdict>, Option<Verdict>) {
        if let Some((index, at)) = self.inner.patterns.find(words) {
            let detail = format!("matches refusal_patterns[{index}]");
            let verdict = described(Quality::Refusal, "refusal.pattern", detail);
            return (Some(Verdict { at: Some(offset + at), score: Some(1.0), ..verdict }), None);
        }
        // Long JSON is data: sentences in it are not the model speaking.
        if words.starts_with(['{', '[']) && words.len() > LONGEST_JSON_REFUSAL {
            return (None, None);
        }
        let finding = refusal::examine(words, ask.prompt, &self.inner.model);
        let at = finding.at.map(|at| offset + at);
        let rule = match finding.place {
            Place::Head => "refusal.head",
            Place::Tail => "refusal.tail",
        };
        // Words that were asked for are not the model's own refusal.
        if finding.degree == Degree::Refusal && !Demand::of(ask).refusing_words() {
            let sentence = match finding.place {
                Place::Head => "declines what was asked",
                Place::Tail => "breaks off and declines at the end",
            };
            let verdict = Verdict::of(Quality::Refusal, rule, sentence);
            return (Some(Verdict { at, score: Some(finding.score), ..verdict }), None);
        }
        let possible = (finding.degree != Degree::None).then(|| Verdict {
            at,
            score: Some(finding.score),
            ..Verdict::of(Quality::Ok, "ok.possible_refusal", "")
        });
        (None, possible)
    }

    /// Whether the text has the form that was asked for.
    fn check_format(&self, ask: &Ask<'_>, answer: &Answer) -> Result<Format, Verdict> {
        let schema = match ask.response_format {
            ResponseFormat::Text => return Ok(Format::default()),
            ResponseFormat::Json => None,
            ResponseFormat::JsonSchema { schema, .. } => Some(self.inner.schemas.of(schema.text())),
        };
        let text = visible::behind_thinking(&answer.text);
        let mismatch = |rule, detail: String| Err(described(Quality::SchemaMismatch, rule, detail));
        let Some((value, json)) = repair::read(text) else {
            let cut = answer.finish_reason == FinishReason::Length || repair::is_cut(text);
            return if cut {
                mismatch(
                    "schema_mismatch.cut",
                    format!("JSON that ends before it is whole, {}", finish(answer)),
                )
            } else {
                mismatch("schema_mismatch.not_json", format!("not JSON, {}", finish(answer)))
            };
        };
        let repaired = match json {
            Cow::Borrowed(json) if json.len() == answer.text.len() => None,
            Cow::Borrowed(json) => Some(json.trim().to_owned()),
            Cow::Owned(json) => Some(json),
        };
        let Some(schema) = schema else {
            return match value {
                Value::Object(_) | Value::Array(_) => Ok(Format { asked: true, repaired, note: None }),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                    mismatch("schema_mismatch.not_an_object", "JSON, but not an object".to_owned())
                }
            };
        };
        if let Some(fault) = schema.fault(&value) {
            return mismatch("schema_mismatch.schema", format!("misses the schema: {fault}"));
        }
        let note = schema.skipped().map(|why| format!("not checked against the schema: {why}"));
        Ok(Format { asked: true, repaired, note })
    }
}

/// An answer that only speaks, with its words as its text.
fn as_written(answer: &Answer) -> Option<Answer> {
    let speaks = answer.text.is_empty() && answer.shown.iter().any(|shown| shown.transcript.is_some());
    speaks.then(|| Answer {
        text: answer.shown.iter().filter_map(|shown| shown.transcript.as_deref()).collect(),
        ..answer.clone()
    })
}

/// What became of a requested format.
#[derive(Default)]
struct Format {
    asked: bool,
    repaired: Option<String>,
    note: Option<String>,
}
