//! The judge: one answer in, one verdict out. The order of the classes is behaviour 4.1's.
//!
//! It does no I/O and reads no clock. For an ordinary answer it allocates nothing: the text is borrowed,
//! the windows that are searched are arrays on the stack, the phrase lists and the schemas are compiled
//! before, and an `ok` verdict is made of constants. Only JSON that has to be parsed (tool arguments, a
//! requested format) and a finding that has to be described take memory.

use std::borrow::Cow;
use std::sync::Arc;

use mainstay_canon::{Answer, FinishReason, Quality, ResponseFormat, ToolCall, ToolChoice, Verdict};
use serde_json::Value;

use crate::ask::Ask;
use crate::demand::Demand;
use crate::leak::{self, Leaked};
use crate::options::{JudgeOptions, Profile};
use crate::pattern::{PatternError, Patterns};
use crate::refusal::{self, Place};
use crate::schema::Schemas;
use crate::tools::{self, Calls};
use crate::visible::{self, Nothing, Visible};
use crate::watch::{HoldOptions, Watch};
use crate::words::markup::Leak;
use crate::{degenerate, page, repair, short};

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
        let patterns = Patterns::new(&options.refusal_patterns)?;
        Ok(Self { inner: Arc::new(Inner { options, patterns, schemas: Schemas::default() }) })
    }

    /// The options it was made with.
    pub fn options(&self) -> &JudgeOptions {
        &self.inner.options
    }

    pub(crate) fn patterns(&self) -> &Patterns {
        &self.inner.patterns
    }

    pub(crate) fn schemas(&self) -> &Schemas {
        &self.inner.schemas
    }

    /// Judges a whole answer. The same answer is always judged the same.
    pub fn judge(&self, ask: &Ask<'_>, answer: &Answer, arrival: Arrival) -> Judged {
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
        let (refused, possible) = self.refused(words, offset);
        if let Some(verdict) = refused.or_else(|| degenerate(ask, words, offset, leaked, answer)) {
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
            | FinishReason::Empty => None,
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
    fn refused(&self, words: &str, offset: usize) -> (Option<Verdict>, Option<Verdict>) {
        if let Some((index, at)) = self.inner.patterns.find(words) {
            let detail = format!("matches refusal_patterns[{index}]");
            let verdict = described(Quality::Refusal, "refusal.pattern", detail);
            return (Some(Verdict { at: Some(offset + at), score: Some(1.0), ..verdict }), None);
        }
        // Long JSON is data: sentences in it are not the model speaking.
        if words.starts_with(['{', '[']) && words.len() > LONGEST_JSON_REFUSAL {
            return (None, None);
        }
        let finding = refusal::examine(words);
        let at = finding.at.map(|at| offset + at);
        let rule = match finding.place {
            Place::Head => "refusal.head",
            Place::Tail => "refusal.tail",
        };
        if finding.score >= refusal::REFUSAL {
            let sentence = match finding.place {
                Place::Head => "declines what was asked",
                Place::Tail => "breaks off and declines at the end",
            };
            let verdict = Verdict::of(Quality::Refusal, rule, sentence);
            return (Some(Verdict { at, score: Some(finding.score), ..verdict }), None);
        }
        let possible = (finding.score >= refusal::POSSIBLE).then(|| Verdict {
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

/// What became of a requested format.
#[derive(Default)]
struct Format {
    asked: bool,
    repaired: Option<String>,
    note: Option<String>,
}

/// What the wire says without reading the text: all that the profile `off` notes.
fn wire_finding(answer: &Answer, arrival: Arrival) -> Option<Verdict> {
    interrupted(arrival).or_else(|| filtered(answer)).or_else(|| provider_refusal(answer)).or_else(|| {
        match answer.finish_reason {
            FinishReason::Pause => Some(paused()),
            FinishReason::Length => Some(truncated(answer)),
            FinishReason::Stop
            | FinishReason::ToolCall
            | FinishReason::Refusal
            | FinishReason::ContentFilter
            | FinishReason::Empty => None,
        }
    })
}

fn interrupted(arrival: Arrival) -> Option<Verdict> {
    match arrival {
        Arrival::Complete => None,
        Arrival::BrokenOff => Some(Verdict::of(
            Quality::Interrupted,
            "interrupted.transport",
            "the answer broke off before its end",
        )),
    }
}

fn filtered(answer: &Answer) -> Option<Verdict> {
    if answer.prompt_prohibited {
        return Some(Verdict::of(
            Quality::Filtered,
            "filtered.prompt",
            "the provider blocked the prompt as prohibited",
        ));
    }
    (answer.finish_reason == FinishReason::ContentFilter).then(|| {
        described(
            Quality::Filtered,
            "filtered.finish",
            format!("{}, cut by the provider's filter", finish(answer)),
        )
    })
}

/// The provider's own word for a refusal. It comes before the empty classes: an answer whose refusal field
/// is filled has no text, and is no empty answer.
fn provider_refusal(answer: &Answer) -> Option<Verdict> {
    let field = answer.refusal.as_deref().is_some_and(|refusal| !refusal.trim().is_empty());
    let verdict = if field {
        Verdict::of(Quality::Refusal, "refusal.field", "the provider's refusal field is filled")
    } else if answer.finish_reason == FinishReason::Refusal {
        described(Quality::Refusal, "refusal.finish", finish(answer))
    } else {
        return None;
    };
    Some(Verdict { score: Some(1.0), ..verdict })
}

/// A tool call that was written as text.
fn leaked_call(ask: &Ask<'_>, text: &str, leaked: Option<Leaked>, answer: &Answer) -> Option<Verdict> {
    let offset = answer.text.len() - text.len();
    let malformed = |at: usize, detail: String| {
        let verdict = described(Quality::MalformedToolCall, "malformed_tool_call.markup", detail);
        Some(Verdict { at: Some(offset + at), ..verdict })
    };
    if let Some(Leaked { leak: Leak::Tool, mark, at }) = leaked {
        return malformed(at, format!("tool-call markup {mark} in the text"));
    }
    let bare = text.trim();
    if ask.tools.is_empty() || *ask.response_format != ResponseFormat::Text || !bare.starts_with('{') {
        return None;
    }
    let value: Value = serde_json::from_str(bare).ok()?;
    let name = value.get("name").or_else(|| value.get("function"))?.as_str()?;
    let has_arguments = value.get("arguments").or_else(|| value.get("parameters")).is_some();
    let offered = ask.tools.iter().any(|tool| tool.name == name);
    if has_arguments && offered {
        malformed(0, format!("a call of \"{name}\" written as text"))
    } else {
        None
    }
}

/// No visible text: cut, only thought, or empty. A paused turn may have none.
fn nothing_visible(ask: &Ask<'_>, answer: &Answer, nothing: Nothing) -> Option<Verdict> {
    let thought = answer.reasoning_content.as_deref().is_some_and(|text| !text.trim().is_empty())
        || !answer.reasoning_blocks.is_empty()
        || nothing == Nothing::Thinking;
    let finish = finish(answer);
    let verdict = match answer.finish_reason {
        FinishReason::Pause => return None,
        FinishReason::Length => {
            let tokens = answer.usage.completion;
            let rule = if thought { "truncated_empty.reasoning" } else { "truncated_empty" };
            described(
                Quality::TruncatedEmpty,
                rule,
                format!("{finish} after {tokens} tokens, no visible text"),
            )
        }
        FinishReason::Stop
        | FinishReason::ToolCall
        | FinishReason::Refusal
        | FinishReason::ContentFilter
        | FinishReason::Empty => {
            if thought {
                described(
                    Quality::ReasoningOnly,
                    "reasoning_only",
                    format!("{finish}, reasoning but no answer"),
                )
            } else {
                described(Quality::Empty, empty_rule(ask, nothing), format!("{finish}, no visible text"))
            }
        }
    };
    Some(verdict)
}

const fn empty_rule(ask: &Ask<'_>, nothing: Nothing) -> &'static str {
    match nothing {
        Nothing::NoText if ask.follows_tool_result => "empty.after_tool_result",
        Nothing::NoText => "empty.no_text",
        Nothing::Blank => "empty.blank",
        Nothing::Tokens => "empty.tokens",
        Nothing::Fence => "empty.fence",
        Nothing::EmptyThinking | Nothing::Thinking => "empty.thinking",
    }
}

/// Whether signs alone can be the answer: an empty JSON value, or the sign that was asked for.
fn signs_answer(ask: &Ask<'_>, signs: &str) -> bool {
    if matches!(signs, "{}" | "[]" | "\"\"") {
        return true;
    }
    // JSON that was only begun is judged as JSON.
    if *ask.response_format != ResponseFormat::Text && signs.starts_with(['{', '[']) {
        return true;
    }
    let demand = Demand::of(ask);
    let sentence_marks = signs.chars().all(visible::is_sentence_mark);
    demand.sign() || (!sentence_marks && !demand.is_unknown() && demand.quick_question())
}

fn only_signs(answer: &Answer, signs: &str) -> Verdict {
    let finish = finish(answer);
    let shown: String = signs.chars().take(8).collect();
    if answer.finish_reason == FinishReason::Length {
        return described(
            Quality::TruncatedEmpty,
            "truncated_empty.punctuation",
            format!("{finish}, only \"{shown}\""),
        );
    }
    let verdict = described(Quality::Empty, "empty.punctuation", format!("{finish}, only \"{shown}\""));
    Verdict { at: Some(0), ..verdict }
}

/// "null" or "None" where a text was asked for: a program's word for nothing.
fn placeholder(ask: &Ask<'_>, answer: &Answer, words: &str) -> Option<Verdict> {
    let bare = words.trim();
    let is_nothing = [
        "null",
        "none",
        "undefined",
        "nan",
        "nil",
        "[object object]",
        "(empty)",
        "(no content)",
        "[no content]",
    ]
    .iter()
    .any(|nothing| bare.eq_ignore_ascii_case(nothing));
    if !is_nothing || *ask.response_format != ResponseFormat::Text {
        return None;
    }
    let demand = Demand::of(ask);
    (demand.long() || (demand.more() && !demand.mentions(bare))).then(|| {
        described(Quality::Empty, "empty.placeholder", format!("{}, only \"{bare}\"", finish(answer)))
    })
}

fn degenerate(
    ask: &Ask<'_>,
    words: &str,
    offset: usize,
    leaked: Option<Leaked>,
    answer: &Answer,
) -> Option<Verdict> {
    let degenerate = |rule, at: usize, detail: String| {
        let verdict = described(Quality::Degenerate, rule, detail);
        Some(Verdict { at: Some(at), ..verdict })
    };
    if let Some(Leaked { mark, at, .. }) = leaked {
        let body = answer.text.len() - visible::behind_thinking(&answer.text).len();
        return degenerate(
            "degenerate.template",
            body + at,
            format!("chat-template token {mark} in the text"),
        );
    }
    if page::is_error_page(words, || Demand::of(ask)) {
        return degenerate("degenerate.error_page", offset, "an HTML error page".to_owned());
    }
    if *ask.response_format == ResponseFormat::Text && page::is_error_text(words, || Demand::of(ask)) {
        return degenerate(
            "degenerate.error_text",
            offset,
            "an error message in place of an answer".to_owned(),
        );
    }
    let circle = degenerate::find(words)?;
    if Demand::of(ask).repetition() && circle.period > 0 {
        return None;
    }
    let detail = match circle.period {
        0 => "repeats its own pieces over and over".to_owned(),
        period => format!("repeats the same {period} bytes over and over"),
    };
    degenerate("degenerate.loop", offset + circle.at, detail)
}

fn paused() -> Verdict {
    Verdict::of(Quality::Paused, "paused", "the provider asks to continue the turn")
}

fn truncated(answer: &Answer) -> Verdict {
    if answer.context_full {
        return Verdict::of(
            Quality::Truncated,
            "truncated.context",
            "cut because the context window was full",
        );
    }
    Verdict::of(Quality::Truncated, "truncated.limit", "cut by the token limit")
}

fn too_short(ask: &Ask<'_>, answer: &Answer, words: &str, json: bool, profile: Profile) -> Option<Verdict> {
    if json {
        return None;
    }
    let found = short::find(words.trim_end(), ask, &answer.usage, profile)?;
    Some(described(Quality::SuspiciouslyShort, found.rule, found.detail))
}

/// A call was required and text came instead. Said last: an answer that is bad in another way is that.
fn call_missing(ask: &Ask<'_>) -> Option<Verdict> {
    match ask.tool_choice {
        Some(ToolChoice::Required | ToolChoice::Named(_)) => Some(Verdict::of(
            Quality::MalformedToolCall,
            "malformed_tool_call.missing",
            "a tool call was required and none came",
        )),
        Some(ToolChoice::Auto | ToolChoice::None) | None => None,
    }
}

fn described(quality: Quality, rule: &'static str, detail: String) -> Verdict {
    Verdict { detail: Cow::Owned(detail), ..Verdict::of(quality, rule, "") }
}

/// `finish "end_turn"`: the provider's word where there is one, else ours.
fn finish(answer: &Answer) -> String {
    let word = answer.finish_reason_raw.as_deref().unwrap_or(answer.finish_reason.word());
    format!("finish \"{}\"", crate::plain::clip(word, 40))
}
