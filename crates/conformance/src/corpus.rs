//! Recorded replies of real providers: who answered, in which dialect, and what was said.

use mainstay_canon::{Answer, Dialect, FinishReason, Headers, ToolCall};
use mainstay_providers::{by_id, for_dialect};
use mainstay_testkit::Recording;
use serde_json::{Value, json};

use crate::heard::Speaker;

/// The files of the dialects that are spoken, with the number of recordings and of streams among them.
pub const SPOKEN: [(&str, Dialect, usize, usize); 6] = [
    ("openai-chat", Dialect::OpenaiChat, 369, 132),
    ("openai-responses", Dialect::OpenaiResponses, 161, 70),
    ("anthropic-messages", Dialect::Anthropic, 172, 72),
    ("gemini", Dialect::Gemini, 176, 51),
    ("mistral", Dialect::OpenaiChat, 84, 37),
    ("ollama", Dialect::Ollama, 17, 6),
];

/// The files of what is not spoken yet, with the number of recordings.
pub const UNSPOKEN: [(&str, usize); 12] = [
    ("bedrock-converse", 62),
    ("bedrock-invoke", 8),
    ("cohere", 38),
    ("cohere-v1", 3),
    ("cohere-embeddings", 2),
    ("gemini-embeddings", 3),
    ("gemini-interactions", 14),
    ("models", 16),
    ("ollama-generate", 3),
    ("openai-completions", 10),
    ("openai-embeddings", 19),
    ("token-count", 4),
];

/// Who answered: our provider of that name if it speaks the dialect, else what stands behind any server that does.
pub fn speaker(recording: &Recording, dialect: Dialect) -> Speaker {
    let model = recording.whole["model"].as_str().unwrap_or_default();
    by_id(&recording.provider)
        .and_then(|provider| Speaker::of(provider, dialect, model))
        .or_else(|| for_dialect(dialect).map(Speaker::usual))
        .unwrap()
}

/// The headers that were recorded.
pub fn headers(recording: &Recording) -> Headers {
    let fields = recording.whole["headers"].as_object().into_iter().flatten();
    fields.filter_map(|(name, value)| Some((name.as_str(), value.as_str()?))).collect()
}

/// The tags of a recording.
pub fn has(recording: &Recording, feature: &str) -> bool {
    recording.whole["features"].as_array().is_some_and(|tags| tags.iter().any(|tag| tag == feature))
}

/// The finish word as it was recorded; Gemini's may be a number, and an empty one is none.
pub fn word(expected: &Value) -> Option<String> {
    match &expected["finish_reason_raw"] {
        Value::String(word) => Some(word.clone()).filter(|word| !word.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Why a recorded answer ended, told by its word and by what came, without any provider's table. `None` where the
/// word is no ending.
pub fn reason(expected: &Value) -> Option<FinishReason> {
    let has_calls = expected["tool_calls"].as_array().is_some_and(|calls| !calls.is_empty());
    let has_refusal = expected["refusal_text"].as_str().is_some_and(|text| !text.trim().is_empty());
    Some(match word(expected).as_deref() {
        // A plain end, which says less than what came.
        Some("stop" | "eos" | "end_turn" | "stop_sequence" | "completed" | "STOP" | "1") if has_calls => {
            FinishReason::ToolCall
        }
        Some("stop" | "completed") if has_refusal => FinishReason::Refusal,
        Some("stop" | "eos" | "end_turn" | "stop_sequence" | "completed" | "STOP" | "1") => {
            FinishReason::Stop
        }
        Some("length" | "max_tokens" | "MAX_TOKENS" | "incomplete:max_output_tokens") => FinishReason::Length,
        Some("tool_calls" | "tool_use") => FinishReason::ToolCall,
        Some("refusal") => FinishReason::Refusal,
        Some("content_filter" | "SAFETY" | "promptFeedback:MODEL_ARMOR") => FinishReason::ContentFilter,
        // Some hosts end an answer of tool calls without a word; any other such answer is not a whole one.
        None if has_calls => FinishReason::ToolCall,
        None => FinishReason::Empty,
        Some(_) => return None,
    })
}

/// In what an answer differs from what was recorded.
pub fn differences(recording: &Recording, answer: &Answer) -> Vec<String> {
    let expected = recording.expected.as_ref().unwrap();
    let mut found = Vec::new();
    let mut same = |what: &str, got: Value, wanted: Value| {
        if got != wanted {
            found.push(format!("{what}: {got} where {wanted} was recorded"));
        }
    };
    let said = |value: &Value| json!(value.as_str().unwrap_or_default());
    let text = |text: &Option<String>| json!(text.as_deref().unwrap_or_default());
    if expected["content_object"] == true {
        same("content is an object", json!(serde_json::from_str::<Value>(&answer.text).is_ok()), json!(true));
    } else if is_mixed(recording, expected) {
        same("leaked thinking", json!(answer.text.contains("think>")), json!(false));
    } else {
        same("text", json!(answer.text), said(&expected["text"]));
        // Where a host sends its reasoning in details alone, the recording's SDK has no name for it.
        if !expected["reasoning_text"].is_null() || answer.reasoning_blocks.is_empty() {
            same("reasoning", text(&answer.reasoning_content), said(&expected["reasoning_text"]));
        }
    }
    // Anthropic explains a refusal beside its word, for which the recording's SDK has no name.
    if !(expected["refusal_text"].is_null() && answer.finish_reason_raw.as_deref() == Some("refusal")) {
        same("refusal", text(&answer.refusal), said(&expected["refusal_text"]));
    }
    same("finish word", json!(answer.finish_reason_raw), json!(word(expected)));
    let hides_a_cut = has(recording, "truncation_not_reported");
    if !(hides_a_cut && answer.finish_reason == FinishReason::Length) {
        same("reason", json!(answer.finish_reason), json!(reason(expected)));
    }
    let wanted = expected["tool_calls"].as_array().into_iter().flatten();
    let calls = wanted.clone().zip(&answer.tool_calls);
    same("calls", json!(answer.tool_calls.len()), json!(wanted.count()));
    for (wanted, call) in calls {
        same("call", found_call(call, wanted), wanted_call(wanted, answer.finish_reason));
    }
    counts(recording, expected, answer, &mut same);
    found
}

/// Whether thinking leaked into the recorded text. Of a stream a closing mark alone tells too late that what came
/// before was thinking.
fn is_mixed(recording: &Recording, expected: &Value) -> bool {
    let text = expected["text"].as_str().unwrap_or_default();
    text.contains("think>") && (!recording.stream || text.contains("<think>"))
}

fn found_call(call: &ToolCall, wanted: &Value) -> Value {
    let arguments = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!(call.arguments));
    // An id that was not recorded is made up, so that there is one.
    let id = if wanted["id"].as_str().is_some_and(|id| !id.is_empty()) {
        json!(call.id)
    } else {
        json!(!call.id.is_empty())
    };
    json!([id, call.name, arguments])
}

fn wanted_call(call: &Value, reason: FinishReason) -> Value {
    let id = call["id"].as_str().filter(|id| !id.is_empty()).map_or(json!(true), |id| json!(id));
    let arguments = call.get("arguments").or(call.get("arguments_raw")).cloned().unwrap_or_default();
    // Of a whole answer, blank arguments mean none.
    let is_blank = arguments.as_str().is_some_and(|text| text.trim().is_empty());
    let arguments = if is_blank && reason != FinishReason::Length { json!({}) } else { arguments };
    json!([id, call["name"], arguments])
}

fn counts(
    recording: &Recording,
    expected: &Value,
    answer: &Answer,
    same: &mut impl FnMut(&str, Value, Value),
) {
    let recorded = |name: &str| expected["usage"][name].as_u64();
    let usage = &answer.usage;
    let body = recording.body.as_deref().unwrap_or_default();
    let estimated = recorded("prompt").is_none_or(|count| count == 0);
    if estimated {
        same("estimated", json!(usage.estimated), json!(true));
        return;
    }
    let (cached, written) = (recorded("cached").unwrap_or(0), recorded("cache_write").unwrap_or(0));
    let hidden = recorded("reasoning").unwrap_or(0);
    let prompt = recorded("prompt").unwrap_or(0);
    let completion = recorded("completion").unwrap_or(0);
    // The recorded counters are raw. Ours count what was cached with the prompt, what was hidden with the
    // completion; hosts differ in that, so either sum will do. Compaction rounds and server tools count apart.
    if body.contains("\"compaction\"") || body.contains("toolUsePromptTokenCount") {
        return;
    }
    let prompts = [prompt, prompt + cached + written];
    same("prompt", json!(prompts.contains(&usage.prompt)), json!(true));
    let completions = [completion, completion + hidden, hidden.max(completion)];
    let is_estimated = completion == 0 && usage.estimated;
    same("completion", json!(is_estimated || completions.contains(&usage.completion)), json!(true));
    // Mistral's older name for it is not among those that were recorded.
    if !(cached == 0 && body.contains("\"num_cached_tokens\"")) {
        same("cached", json!(usage.cached), json!(cached));
    }
    same("cache_write", json!(usage.cache_write), json!(written));
    same("reasoning", json!(usage.reasoning), json!(hidden));
}
