//! What each provider's models take, a line a model. The words of a line are said by [`line`].

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod shared;

use std::collections::BTreeSet;

use mainstay_canon::{
    Accepts, ForcedTools, MaxTokensParam, ReasoningEffort, ReasoningReplay, Route, Temperatures, Thinking,
};
use mainstay_providers::by_id;
use serde_json::Value;

fn accepts(provider: &str, model: &str) -> Accepts {
    (by_id(provider).unwrap().accepts)(model)
}

/// A model's shape in words: how it thinks and with which efforts, when it samples, what is limited, and what it
/// has beyond text (`+`) or lacks (`-`).
fn line(accepts: &Accepts) -> String {
    let mut words = vec![match accepts.thinking {
        Thinking::Never => "thinks:never".to_owned(),
        Thinking::Optional => "thinks:optional".to_owned(),
        Thinking::Always => "thinks:always".to_owned(),
    }];
    let efforts: Vec<&str> = accepts.efforts.iter().map(|effort| effort.word()).collect();
    if accepts.effort && efforts.len() == ReasoningEffort::ALL.len() {
        words.push("effort:any".to_owned());
    } else if accepts.effort {
        words.push(format!("effort:{}", efforts.join("|")));
    }
    if let Some(budget) = accepts.budget.filter(|budget| budget.most < u32::MAX) {
        words.push(format!("budget:{}..{}", budget.least, budget.most));
    }
    words.push(match (accepts.sampling, accepts.sampling_at_rest) {
        (true, _) => "samples".to_owned(),
        (false, true) => "samples:at-rest".to_owned(),
        (false, false) => "samples:never".to_owned(),
    });
    if accepts.temperature != Temperatures::ANY {
        words.push(format!("t:{}..{}", accepts.temperature.least, accepts.temperature.most));
    }
    words.push(match accepts.reasoning_replay {
        ReasoningReplay::All => "replay:all".to_owned(),
        ReasoningReplay::ToolLoop => "replay:calls".to_owned(),
        ReasoningReplay::Never => "replay:never".to_owned(),
    });
    words.extend(accepts.most_stops.map(|most| format!("stops:{most}")));
    words.extend(accepts.most_tools.map(|most| format!("tools:{most}")));
    words.extend(accepts.most_images.map(|most| format!("images:{most}")));
    match accepts.forced_tools {
        ForcedTools::Always => {}
        ForcedTools::AtRest => words.push("forced:at-rest".to_owned()),
        ForcedTools::Never => words.push("forced:never".to_owned()),
    }
    match accepts.route {
        Route::Either => {}
        Route::Chat => words.push("route:chat".to_owned()),
        Route::ResponsesForTools => words.push("route:responses-for-tools".to_owned()),
        Route::Responses => words.push("route:responses".to_owned()),
    }
    for (has, word) in [
        (accepts.developer_role, "+developer"),
        (accepts.max_tokens_param == MaxTokensParam::MaxCompletionTokens, "+max_completion_tokens"),
        (accepts.alternate_roles, "+alternate"),
        (!accepts.system_role, "-system"),
        (!accepts.images, "-images"),
        (!accepts.audio, "-audio"),
        (!accepts.files, "-files"),
        (!accepts.tools, "-tools"),
        (!accepts.json_schema, "-schema"),
        (!accepts.form_with_tools, "-form-with-tools"),
        (!accepts.effort_with_tools, "-effort-with-tools-in-chat"),
        (!accepts.parallel_choice, "-parallel"),
        (!accepts.penalties, "-penalties"),
    ] {
        words.extend(has.then(|| word.to_owned()));
    }
    words.join(" ")
}

#[track_caller]
fn check(provider: &str, table: &[(&str, &str)]) {
    for (model, expected) in table {
        assert_eq!(line(&accepts(provider, model)), *expected, "{provider}/{model}");
    }
}

#[test]
fn openai() {
    check(
        "openai",
        &[
            ("gpt-4o", "thinks:never samples t:0..200 replay:never stops:4 tools:128 -audio"),
            (
                "gpt-4",
                "thinks:never samples t:0..200 replay:never stops:4 tools:128 -images -audio -files -schema",
            ),
            (
                "gpt-audio-1.5",
                "thinks:never samples t:0..200 replay:never stops:4 tools:128 route:chat -images -files -schema",
            ),
            (
                "gpt-5-search-api",
                "thinks:never samples:never t:0..200 replay:never stops:4 tools:128 route:chat -audio",
            ),
            (
                "o3-mini",
                "thinks:always effort:low|medium|high samples:never t:0..200 replay:all stops:4 tools:128 +developer +max_completion_tokens -images -audio -files -parallel -penalties",
            ),
            (
                "o3",
                "thinks:always effort:low|medium|high samples:never t:0..200 replay:all stops:0 tools:128 +developer +max_completion_tokens -audio -parallel -penalties",
            ),
            (
                "gpt-5-mini",
                "thinks:always effort:minimal|low|medium|high samples:never t:0..200 replay:all stops:0 tools:128 +developer +max_completion_tokens -audio -penalties",
            ),
            (
                "gpt-5-pro",
                "thinks:always effort:high samples:never t:0..200 replay:all stops:0 tools:128 route:responses +developer +max_completion_tokens -audio -penalties",
            ),
            (
                "gpt-5.1",
                "thinks:optional effort:none|low|medium|high samples:at-rest t:0..200 replay:all stops:0 tools:128 +developer +max_completion_tokens -audio",
            ),
            (
                "gpt-5.4",
                "thinks:optional effort:none|low|medium|high|xhigh samples:at-rest t:0..200 replay:all stops:0 tools:128 +developer +max_completion_tokens -audio -effort-with-tools-in-chat",
            ),
            (
                "gpt-6-luna",
                "thinks:optional effort:none|low|medium|high|xhigh|max samples:at-rest t:0..200 replay:all stops:0 tools:128 +developer +max_completion_tokens -audio -effort-with-tools-in-chat",
            ),
            (
                "gpt-6.1-sol",
                "thinks:always effort:low|medium|high|xhigh|max samples:never t:0..200 replay:all stops:0 tools:128 route:responses-for-tools +developer +max_completion_tokens -audio -effort-with-tools-in-chat -penalties",
            ),
        ],
    );
}

#[test]
fn anthropic() {
    check(
        "anthropic",
        &[
            (
                "claude-3-5-haiku-20241022",
                "thinks:never samples t:0..100 replay:all images:100 forced:at-rest +alternate -audio -schema -penalties",
            ),
            (
                "claude-haiku-4-5",
                "thinks:optional effort:any samples t:0..100 replay:all images:100 forced:at-rest +alternate -audio -penalties",
            ),
            (
                "claude-sonnet-4-6",
                "thinks:optional effort:none|low|medium|high|max samples t:0..100 replay:all images:600 forced:at-rest +alternate -audio -penalties",
            ),
            (
                "claude-opus-4-7",
                "thinks:optional effort:none|low|medium|high|xhigh|max samples:never t:0..100 replay:all images:600 forced:at-rest +alternate -audio -penalties",
            ),
            (
                "claude-haiku-5-5",
                "thinks:optional effort:none|low|medium|high|xhigh|max samples:never t:0..100 replay:all images:600 forced:at-rest +alternate -audio -penalties",
            ),
            (
                "claude-fable-5",
                "thinks:always effort:low|medium|high|xhigh|max samples:never t:0..100 replay:all images:600 forced:at-rest +alternate -audio -penalties",
            ),
            (
                "claude-opus-5-5",
                "thinks:always effort:low|medium|high|xhigh|max samples:never t:0..100 replay:all images:600 forced:never +alternate -audio -penalties",
            ),
        ],
    );
}

#[test]
fn gemini() {
    check(
        "gemini",
        &[
            (
                "gemini-2.5-flash",
                "thinks:optional effort:any budget:1..24576 samples t:0..200 replay:all stops:5 +alternate -form-with-tools",
            ),
            (
                "gemini-2.5-pro",
                "thinks:always effort:any budget:128..32768 samples t:0..200 replay:all stops:5 +alternate -form-with-tools",
            ),
            (
                "gemini-3-flash-preview",
                "thinks:always effort:minimal|low|medium|high samples t:0..200 replay:all stops:5 +alternate",
            ),
            (
                "gemini-3.8-flash",
                "thinks:always effort:low|medium|high samples:never t:0..200 replay:all stops:5 +alternate",
            ),
            (
                "gemini-4-hydrogen",
                "thinks:always effort:low|medium|high|xhigh samples t:0..200 replay:all stops:5 +alternate",
            ),
            (
                "gemma-3-27b-it",
                "thinks:never samples t:0..200 replay:all stops:5 +alternate -system -audio -files -tools -schema",
            ),
        ],
    );
}

#[test]
fn deepseek() {
    check(
        "deepseek",
        &[
            (
                "deepseek-flash",
                "thinks:optional effort:none|low|high|max samples:at-rest t:0..200 replay:calls stops:16 tools:128 forced:at-rest -audio -files -schema",
            ),
            (
                "deepseek-v4-pro",
                "thinks:optional effort:none|low|high|max samples:at-rest t:0..200 replay:calls stops:16 tools:128 forced:at-rest -images -audio -files -schema",
            ),
            (
                "deepseek-r1",
                "thinks:always samples:never t:0..200 replay:never stops:16 tools:128 forced:at-rest -images -audio -files -schema",
            ),
            (
                "deepseek-v3",
                "thinks:never samples t:0..200 replay:calls stops:16 tools:128 -images -audio -files -schema",
            ),
        ],
    );
}

#[test]
fn minimax() {
    check(
        "minimax",
        &[
            (
                "MiniMax-M3",
                "thinks:optional effort:any samples t:1..100 replay:calls +max_completion_tokens -audio -files -schema -penalties",
            ),
            (
                "MiniMax-M2.7",
                "thinks:always samples t:1..100 replay:calls +max_completion_tokens -images -audio -files -schema -penalties",
            ),
        ],
    );
}

#[test]
fn mistral() {
    check(
        "mistral",
        &[
            (
                "mistral-medium-latest",
                "thinks:optional effort:none|high samples t:0..150 replay:calls images:8 -audio",
            ),
            ("mistral-medium-2508", "thinks:never samples t:0..150 replay:never images:8 -audio"),
            ("magistral-medium-latest", "thinks:always samples t:0..150 replay:calls images:8 -audio"),
            ("zai-glm-5", "thinks:always effort:low|high|max samples t:0..150 replay:calls images:8 -audio"),
            ("codestral-latest", "thinks:never samples t:0..150 replay:never images:8 -images -audio"),
            ("voxtral-small-latest", "thinks:never samples t:0..150 replay:never images:8 -images"),
        ],
    );
}

#[test]
fn groq() {
    check(
        "groq",
        &[
            (
                "openai/gpt-oss-120b",
                "thinks:always effort:low|medium|high samples t:0..200 replay:never stops:4 tools:128 images:5 +max_completion_tokens -images -audio -files -form-with-tools",
            ),
            (
                "qwen/qwen3.8-27b",
                "thinks:optional effort:any samples t:0..200 replay:never stops:4 tools:128 images:5 +max_completion_tokens -audio -files -form-with-tools",
            ),
            (
                "llama-3.3-70b-versatile",
                "thinks:never samples t:0..200 replay:never stops:4 tools:128 images:5 +max_completion_tokens -audio -files -form-with-tools",
            ),
        ],
    );
}

#[test]
fn xai() {
    check(
        "xai",
        &[
            (
                "grok-4.20-0309-non-reasoning",
                "thinks:never samples t:0..200 replay:never tools:128 -audio -penalties",
            ),
            (
                "grok-4.20-0309-reasoning",
                "thinks:always samples t:0..200 replay:never stops:0 tools:128 -audio -penalties",
            ),
            (
                "grok-4.3",
                "thinks:optional effort:none|low|medium|high samples t:0..200 replay:never stops:0 tools:128 -audio -penalties",
            ),
            (
                "grok-4.5",
                "thinks:always effort:low|medium|high samples t:0..200 replay:never stops:0 tools:128 -audio -penalties",
            ),
            (
                "grok-4.6",
                "thinks:always effort:low|medium|high|xhigh samples t:0..200 replay:never stops:0 tools:128 -audio -penalties",
            ),
            (
                "grok-4.20-multi-agent",
                "thinks:always effort:low|medium|high|xhigh samples t:0..200 replay:never stops:0 tools:128 route:responses -audio -penalties",
            ),
        ],
    );
}

#[test]
fn those_who_know_their_models_by_name_only() {
    const ANYTHING: &str = "thinks:optional effort:any samples replay:never";
    check("openrouter", &[("google/g-test", "thinks:optional effort:any samples replay:calls")]);
    for provider in ["vllm", "llamacpp", "lmstudio", "local", "compatible"] {
        check(provider, &[("anything", ANYTHING)]);
    }
    check(
        "ollama",
        &[
            ("gpt-oss:20b", "thinks:always effort:low|medium|high samples replay:calls -audio -files"),
            ("qwen3:4b", "thinks:optional effort:any samples replay:calls -audio -files"),
            ("llama3.2:3b", "thinks:optional samples replay:calls -audio -files"),
        ],
    );
}

/// Models of whose efforts (OpenAI's large ones) or tools (Gemma 2) the model page says otherwise.
const PAGES_KNOW_BETTER: [&str; 5] =
    ["gpt-5-pro", "gpt-5.2-pro", "gpt-5.4-pro", "gpt-5.5-pro", "gemini-gemma-2"];

#[test]
fn the_catalogue_agrees() {
    let Some(text) = shared::text("facts/prices.json") else { return };
    let catalogue: Value = serde_json::from_str(&text).unwrap();
    let (mut checked, mut wrong) = (0, Vec::new());
    for entry in catalogue["models"].as_array().unwrap() {
        let (provider, model) = (entry["provider"].as_str().unwrap(), entry["model"].as_str().unwrap());
        let is_gone = matches!(entry["status"].as_str(), Some("removed" | "retired"));
        let is_ours = ["openai", "anthropic", "gemini", "deepseek", "mistral", "groq", "xai", "minimax"];
        if is_gone || !is_ours.contains(&provider) || entry["mode"] == "embedding" {
            continue;
        }
        let disagreements = disagreements(entry, &accepts(provider, model), model);
        wrong.extend(disagreements.into_iter().map(|what| format!("{provider}/{model} {what}")));
        checked += 1;
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(checked > 150, "{checked}");
}

/// What the catalogue says otherwise. What it does not name may still be there.
fn disagreements(entry: &Value, accepts: &Accepts, model: &str) -> Vec<String> {
    let says = |flag: &str| entry[flag] == true;
    let caps = entry["caps"].as_array().cloned().unwrap_or_default();
    let has = |cap: &str| caps.iter().any(|known| known == cap);
    let known_better = PAGES_KNOW_BETTER.iter().any(|start| model.starts_with(start));
    let mut wrong: Vec<String> = [
        (says("no_sampling_params") && accepts.sampling, "takes no sampling"),
        (says("thinking_always_on") && accepts.thinking != Thinking::Always, "always thinks"),
        (says("no_forced_tool_choice") && accepts.forced_tools != ForcedTools::Never, "takes no forced call"),
        (has("vision") && !accepts.images, "sees"),
        (has("pdf") && !accepts.files, "reads documents"),
        (has("audio_in") && !accepts.audio, "hears"),
        (has("tools") && !accepts.tools && !known_better, "takes tools"),
        (has("parallel_tools") && !accepts.parallel_choice, "takes several calls"),
        (has("reasoning") && accepts.thinking == Thinking::Never, "thinks"),
    ]
    .into_iter()
    .filter(|(is_wrong, _)| *is_wrong)
    .map(|(_, what)| what.to_owned())
    .collect();
    let words = |field: &str| -> Option<BTreeSet<&str>> {
        Some(entry[field].as_array()?.iter().filter_map(Value::as_str).collect())
    };
    let mut ours: BTreeSet<&str> = accepts.efforts.iter().map(|effort| effort.word()).collect();
    let expected = words("effort_levels").or_else(|| {
        let mut extra = words("effort_extra").filter(|_| accepts.effort && !known_better)?;
        extra.extend(["low", "medium", "high"]);
        Some(extra)
    });
    // Anthropic turns thinking off by a switch of its own, which the catalogue does not count as an effort.
    if entry["provider"] == "anthropic" {
        ours.remove("none");
    }
    wrong.extend(
        expected.filter(|expected| *expected != ours).map(|words| format!("knows {words:?}, not {ours:?}")),
    );
    wrong
}
