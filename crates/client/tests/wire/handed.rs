//! What a caller was handed, and in what it differs from what a field case expects.

use std::time::Duration;

use mainstay::{Answer, ChatResponse, Failure, GaveUp, Kind, Quality, Reason};
use serde_json::Value;

use crate::common::Streamed;
use crate::common::cases::KEY;

/// What a caller was handed, whichever way it was asked.
pub(crate) struct Handed {
    pub(crate) outcome: &'static str,
    /// The class of the answer, where there was one.
    pub(crate) quality: Option<Quality>,
    /// The kind of failure that is no finding about an answer.
    pub(crate) kind: Option<Kind>,
    pub(crate) answer: Answer,
    pub(crate) failure: Option<Failure>,
    pub(crate) cost_nanos: Option<i64>,
    pub(crate) streamed_text: Option<String>,
    pub(crate) streamed_calls: Option<usize>,
    pub(crate) error_text: String,
}

impl Handed {
    pub(crate) fn answered(response: &ChatResponse) -> Self {
        Self {
            outcome: "response",
            quality: Some(response.quality.quality),
            kind: None,
            answer: response.answer.clone(),
            failure: None,
            cost_nanos: response.cost.known().map(mainstay::Nanodollars::nanos),
            streamed_text: None,
            streamed_calls: None,
            error_text: String::new(),
        }
    }

    pub(crate) fn gave_up(gave_up: &GaveUp) -> Self {
        let failure = match &gave_up.reason {
            Reason::Interrupted(failure) | Reason::InvalidRequest(failure) | Reason::Refused(failure) => {
                failure
            }
            _ => gave_up.failures.last().expect("a failure for every end without an answer"),
        };
        let quality = match (failure.kind, &gave_up.reason) {
            (Kind::Bad(quality), _) => Some(quality),
            (_, Reason::Interrupted(_)) => Some(Quality::Interrupted),
            _ => None,
        };
        Self {
            // A useless answer is one to the cases; here the caller gets it with the error.
            outcome: if failure.is_about_quality() { "response" } else { "error" },
            quality,
            kind: (!failure.is_about_quality()).then_some(failure.kind),
            answer: failure.answer.as_deref().cloned().unwrap_or_default(),
            failure: Some(failure.clone()),
            cost_nanos: None,
            streamed_text: None,
            streamed_calls: None,
            error_text: format!("{gave_up} {gave_up:?}"),
        }
    }

    pub(crate) fn streamed(streamed: &Streamed) -> Self {
        let mut handed = match &streamed.end {
            Ok(response) => Self::answered(response),
            Err(gave_up) => Self::gave_up(gave_up),
        };
        handed.streamed_text = Some(streamed.text());
        handed.streamed_calls = Some(streamed.calls().len());
        handed
    }
}

pub(crate) fn words(one: &Value, any: &Value) -> Vec<String> {
    let listed = any.as_array().into_iter().flatten();
    listed.chain([one]).filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Everything in which `handed` differs from what the case expects, as `what: expected …, got …`.
pub(crate) fn differences(case: &Value, handed: &Handed) -> Vec<String> {
    let expect = &case["expect"];
    let mut found = Vec::new();
    let mut differ = |what: &str, expected: &dyn std::fmt::Debug, got: &dyn std::fmt::Debug| {
        found.push(format!("{what}: expected {expected:?}, got {got:?}"));
    };
    let outcomes = words(&expect["outcome"], &expect["outcome_any"]);
    if !outcomes.iter().any(|word| word == handed.outcome) {
        differ("outcome", &outcomes, &(handed.outcome, &handed.failure));
    }
    let qualities = words(&expect["quality"], &expect["quality_any"]);
    if !qualities.is_empty() && (handed.outcome == "response" || expect["outcome"] == "error") {
        let got = handed.quality.map_or("none", Quality::word);
        if !qualities.iter().any(|word| word == got) {
            differ("quality", &qualities, &got);
        }
    }
    if let Some(failure) = handed.failure.as_ref().filter(|_| handed.outcome == "error") {
        let mut kinds = words(&expect["error"]["kind"], &expect["error"]["kind_any"]);
        if kinds.is_empty() {
            // What is an answer's quality to the case may be a failure to us, of the same name.
            kinds.clone_from(&qualities);
        }
        if !kinds.iter().any(|kind| Some(kind.as_str()) == handed.kind.map(Kind::word)) {
            differ("kind", &kinds, failure);
        }
        if let Some(status) = expect["error"]["effective_status"].as_u64()
            && failure.status.map(u64::from) != Some(status)
        {
            differ("status", &status, &failure.status);
        }
        if let Some(word) = expect["raw_finish_reason"].as_str()
            && failure.finish_reason_raw.as_deref() != Some(word)
        {
            differ("raw finish reason", &word, &failure.finish_reason_raw);
        }
        if expect.get("retry_after_s").is_some() {
            let expected = Duration::from_secs_f64(expect["retry_after_s"].as_f64().unwrap_or(0.0));
            let got = failure.hint.map_or(Duration::ZERO, |hint| hint.after);
            let said = failure.hint.is_some() || expect["retry_after_s"].is_null();
            // Header dates are read by the clock, which has gone on a little.
            if got.abs_diff(expected) > Duration::from_millis(1) && got.abs_diff(expected) > slack(case)
                || !said
            {
                differ("retry after", &expected, &failure.hint);
            }
        }
    }
    answer_differences(expect, handed, &mut differ);
    if handed.error_text.contains(KEY) {
        differ("the key", &"hidden", &"in the error");
    }
    found
}

/// How far a wait may be off where it was told as a moment: by what has passed since the case's own.
fn slack(case: &Value) -> Duration {
    let epoch = case["body"].as_str().is_some_and(|body| body.contains("X-RateLimit-Reset"));
    let dated = case["headers"].as_object().unwrap().iter().any(|(name, value)| {
        let value = value.as_str().unwrap();
        name.eq_ignore_ascii_case("date") || value.contains("GMT") || value.contains('T')
    });
    if dated || epoch { Duration::from_secs(1) } else { Duration::ZERO }
}

fn answer_differences(
    expect: &Value,
    handed: &Handed,
    differ: &mut impl FnMut(&str, &dyn std::fmt::Debug, &dyn std::fmt::Debug),
) {
    let answer = &handed.answer;
    let texts = [
        ("text", Some(answer.text.as_str())),
        ("partial_text", Some(answer.text.as_str())),
        ("text_trimmed", Some(answer.text.trim())),
        ("reasoning", Some(answer.reasoning_content.as_deref().unwrap_or(""))),
        ("refusal_text", answer.refusal.as_deref()),
    ];
    for (name, got) in texts {
        if let Some(expected) = expect[name].as_str()
            && got != Some(expected)
        {
            differ(name, &expected, &got);
        }
    }
    if let Some(word) = expect["raw_finish_reason"].as_str().filter(|_| handed.failure.is_none()) {
        let got = answer.finish_reason_raw.as_deref();
        // Why a prompt was blocked stands apart from how an answer ended.
        if got.map(|got| got.strip_prefix("promptFeedback:").unwrap_or(got)) != Some(word) {
            differ("raw finish reason", &word, &got);
        }
    }
    if let Some(part) = expect["reasoning_contains"].as_str()
        && !answer.reasoning_content.as_deref().is_some_and(|reasoning| reasoning.contains(part))
    {
        differ("reasoning", &part, &answer.reasoning_content);
    }
    if let Some(streamed) = &handed.streamed_text {
        let expected =
            if handed.failure.is_none() || expect["quality"] == "interrupted" { &answer.text } else { "" };
        if streamed != expected {
            differ("streamed text", &expected, streamed);
        }
    }
    let reasons = words(&expect["finish_reason"], &expect["finish_reason_any"]);
    if handed.outcome == "response"
        && !reasons.is_empty()
        && !reasons.iter().any(|word| word == answer.finish_reason.word())
    {
        differ("finish reason", &reasons, &answer.finish_reason);
    }
    if let Some(calls) = expect["tool_calls"].as_array() {
        if calls.len() != answer.tool_calls.len() {
            differ("tool calls", calls, &answer.tool_calls);
        }
        if handed.streamed_calls.is_some_and(|streamed| streamed != calls.len()) {
            differ("streamed calls", calls, &handed.streamed_calls);
        }
        let ids: std::collections::BTreeSet<&str> = answer.tool_calls.iter().map(|call| &*call.id).collect();
        if ids.len() != answer.tool_calls.len() {
            differ("ids", &"one for each call", &answer.tool_calls);
        }
        for (expected, got) in calls.iter().zip(&answer.tool_calls) {
            let id = expected["id"].as_str().unwrap();
            let same_id = if id == "*" { !got.id.is_empty() } else { got.id == id };
            let arguments: Option<Value> = serde_json::from_str(&got.arguments).ok();
            if !same_id || got.name != expected["name"] || arguments.as_ref() != Some(&expected["arguments"])
            {
                differ("tool call", expected, got);
            }
        }
    }
    if expect["tool_calls_executable"] == false
        && (handed.failure.is_none() || handed.streamed_calls.is_some_and(|calls| calls > 0))
    {
        differ("a call that must not be run", &"held back", &answer.tool_calls);
    }
    let usage = &answer.usage;
    let counts = [
        ("prompt", usage.prompt),
        ("completion", usage.completion),
        ("cached", usage.cached),
        ("cache_write", usage.cache_write),
        ("reasoning", usage.reasoning),
    ];
    for (name, got) in counts {
        if let Some(expected) = expect["usage"][name].as_u64()
            && got != expected
        {
            differ(name, &expected, &got);
        }
    }
    if let Some(cost) = expect["cost_usd"].as_f64() {
        #[allow(clippy::cast_precision_loss)]
        let got = handed.cost_nanos.map(|nanos| nanos as f64 / 1e9);
        if got.is_none_or(|got| (got - cost).abs() > 1e-9) {
            differ("cost", &cost, &got);
        }
    }
    let blocks: Vec<Value> =
        answer.reasoning_blocks.iter().map(|block| block.raw.read::<Value>().unwrap()).collect();
    for signed in expect["signatures"].as_array().into_iter().flatten() {
        let block = usize::try_from(signed["block"].as_u64().unwrap()).ok().and_then(|at| blocks.get(at));
        let got = block.map(|block| [&block["signature"], &block["data"]]);
        if got != Some([&signed["signature"], &signed["redacted_data"]]) {
            differ("signature", signed, &blocks);
        }
    }
    if expect["reasoning_details_preserved"] == true && blocks.is_empty() {
        differ("reasoning details", &"kept", &blocks);
    }
}
