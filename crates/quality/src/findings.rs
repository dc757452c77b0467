//! The single findings of which a verdict is one: each looks for one class and says why.
//!
//! Which comes first is the judge's business; what it leads to is nobody's here.

use std::borrow::Cow;

use mainstay_canon::{Answer, FinishReason, Quality, ResponseFormat, ToolChoice, Verdict};
use serde_json::Value;

use crate::ask::Ask;
use crate::demand::Demand;
use crate::judge::Arrival;
use crate::leak::Leaked;
use crate::options::Profile;
use crate::visible::{self, Nothing};
use crate::words::markup::Leak;
use crate::{degenerate, page, repair, short};

/// What the wire says without reading the text: all that the profile `off` notes.
pub(crate) fn wire_finding(answer: &Answer, arrival: Arrival) -> Option<Verdict> {
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

pub(crate) fn interrupted(arrival: Arrival) -> Option<Verdict> {
    match arrival {
        Arrival::Complete => None,
        Arrival::BrokenOff => Some(Verdict::of(
            Quality::Interrupted,
            "interrupted.transport",
            "the answer broke off before its end",
        )),
    }
}

pub(crate) fn filtered(answer: &Answer) -> Option<Verdict> {
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
pub(crate) fn provider_refusal(answer: &Answer) -> Option<Verdict> {
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
pub(crate) fn leaked_call(
    ask: &Ask<'_>,
    text: &str,
    leaked: Option<Leaked>,
    answer: &Answer,
) -> Option<Verdict> {
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
pub(crate) fn nothing_visible(ask: &Ask<'_>, answer: &Answer, nothing: Nothing) -> Option<Verdict> {
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

/// Whether something to see or to hear is the answer: never where JSON was asked for.
pub(crate) fn is_shown(ask: &Ask<'_>, answer: &Answer) -> bool {
    !answer.shown.is_empty() && *ask.response_format == ResponseFormat::Text
}

/// What there is to say of an answer that shows something and says nothing; `None` where that is all of it.
pub(crate) fn shown(answer: &Answer) -> Option<Verdict> {
    match answer.finish_reason {
        FinishReason::Pause => Some(paused()),
        FinishReason::Length => Some(truncated(answer)),
        FinishReason::Stop
        | FinishReason::ToolCall
        | FinishReason::Refusal
        | FinishReason::ContentFilter
        | FinishReason::Empty => None,
    }
}

pub(crate) const fn empty_rule(ask: &Ask<'_>, nothing: Nothing) -> &'static str {
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
pub(crate) fn signs_answer(ask: &Ask<'_>, signs: &str) -> bool {
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

pub(crate) fn only_signs(answer: &Answer, signs: &str) -> Verdict {
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

/// Words of programs for nothing.
const PLACEHOLDERS: [&str; 9] =
    ["null", "none", "undefined", "nan", "nil", "[object object]", "(empty)", "(no content)", "[no content]"];

/// Whether an answer that begins like this may turn out to be a program's word for nothing.
pub(crate) fn may_be_placeholder(words: &str) -> bool {
    let bare = words.trim();
    let begins = |nothing: &&str| {
        nothing.get(..bare.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(bare))
    };
    PLACEHOLDERS.iter().any(begins)
}

/// "null" or "None" where a text was asked for: a program's word for nothing.
pub(crate) fn placeholder(ask: &Ask<'_>, answer: &Answer, words: &str) -> Option<Verdict> {
    let bare = words.trim();
    let is_nothing = PLACEHOLDERS.iter().any(|nothing| bare.eq_ignore_ascii_case(nothing));
    if !is_nothing || *ask.response_format != ResponseFormat::Text {
        return None;
    }
    let demand = Demand::of(ask);
    (demand.long() || (demand.more() && !demand.mentions(bare))).then(|| {
        described(Quality::Empty, "empty.placeholder", format!("{}, only \"{bare}\"", finish(answer)))
    })
}

pub(crate) fn circle_or_leak(
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

pub(crate) fn paused() -> Verdict {
    Verdict::of(Quality::Paused, "paused", "the provider asks to continue the turn")
}

pub(crate) fn truncated(answer: &Answer) -> Verdict {
    if answer.context_full {
        return Verdict::of(
            Quality::Truncated,
            "truncated.context",
            "cut because the context window was full",
        );
    }
    Verdict::of(Quality::Truncated, "truncated.limit", "cut by the token limit")
}

/// An answer that is one code block of JSON, whose block and JSON both never close, was cut, whatever the reason
/// says.
pub(crate) fn cut_structure(words: &str) -> Option<Verdict> {
    let (language, body) = words.strip_prefix("```")?.split_once('\n')?;
    let json = matches!(language.trim(), "" | "json" | "jsonc" | "json5")
        && body.trim_start().starts_with(['{', '[']);
    (json && !body.contains("```") && repair::is_cut(body.trim_start()))
        .then(|| Verdict::of(Quality::Truncated, "truncated.structure", "the JSON ends before it is whole"))
}

pub(crate) fn too_short(
    ask: &Ask<'_>,
    answer: &Answer,
    words: &str,
    json: bool,
    profile: Profile,
) -> Option<Verdict> {
    if json {
        return None;
    }
    let found = short::find(words.trim_end(), ask, &answer.usage, profile)?;
    Some(described(Quality::SuspiciouslyShort, found.rule, found.detail))
}

/// A call was required and text came instead. Said last: an answer that is bad in another way is that.
pub(crate) fn call_missing(ask: &Ask<'_>) -> Option<Verdict> {
    match ask.tool_choice {
        Some(ToolChoice::Required | ToolChoice::Named(_)) => Some(Verdict::of(
            Quality::MalformedToolCall,
            "malformed_tool_call.missing",
            "a tool call was required and none came",
        )),
        Some(ToolChoice::Auto | ToolChoice::None) | None => None,
    }
}

pub(crate) fn described(quality: Quality, rule: &'static str, detail: String) -> Verdict {
    Verdict { detail: Cow::Owned(detail), ..Verdict::of(quality, rule, "") }
}

/// `finish "end_turn"`: the provider's word where there is one, else ours.
pub(crate) fn finish(answer: &Answer) -> String {
    let word = answer.finish_reason_raw.as_deref().unwrap_or(answer.finish_reason.word());
    format!("finish \"{}\"", crate::plain::clip(word, 40))
}
