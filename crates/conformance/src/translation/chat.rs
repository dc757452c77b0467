//! What can be asked in Chat Completions. Source: OpenAI API reference, "Create chat completion", 2026-11;
//! OpenRouter API reference for `reasoning_details` and `cache_control`, 2026-11.

use serde_json::{Value, json};

use super::feature::{Feature, Features, list};

fn plain() -> Value {
    json!({"model": "m", "messages": [{"role": "user", "content": "Hi"}]})
}

/// A body that offers one tool.
fn offering() -> Value {
    let mut body = plain();
    body["tools"] = json!([{"type": "function", "function": {
        "name": "find", "description": "Finds.", "parameters": {"type": "object", "properties": {}}}}]);
    body
}

/// A body in which the model called a tool and the result came.
fn tool_loop() -> Value {
    let mut body = offering();
    list(&mut body["messages"]).extend([
        json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "find", "arguments": "{}"}}]}),
        json!({"role": "tool", "tool_call_id": "call_1", "content": "found"}),
    ]);
    body
}

fn streaming() -> Value {
    let mut body = plain();
    body["stream"] = json!(true);
    body
}

/// Adds a part to the question.
fn with_part(features: &mut Features, name: &'static str, part: Value) {
    let mut body = plain();
    body["messages"][0]["content"] = json!([{"type": "text", "text": "Hi"}]);
    features.add(name, &body, |body| list(&mut body["messages"][0]["content"]).push(part));
}

/// All of it.
pub(crate) fn features() -> Vec<Feature> {
    let mut features = Features::new();
    texts(&mut features);
    settings(&mut features);
    tools(&mut features);
    results(&mut features);
    media(&mut features);
    reasoning(&mut features);
    forms(&mut features);
    rest(&mut features);
    features.into_list()
}

fn texts(features: &mut Features) {
    features.group("Texts");
    features.add("system message", &plain(), |body| {
        list(&mut body["messages"]).insert(0, json!({"role": "system", "content": "probe-system"}));
    });
    features.add("developer message", &plain(), |body| {
        list(&mut body["messages"]).insert(0, json!({"role": "developer", "content": "probe-developer"}));
    });
    features.add("system message later on", &plain(), |body| {
        list(&mut body["messages"]).extend([
            json!({"role": "system", "content": "probe-later"}),
            json!({"role": "user", "content": "probe-then"}),
        ]);
    });
    features.add("several text parts", &plain(), |body| {
        body["messages"][0]["content"] =
            json!([{"type": "text", "text": "probe-one"}, {"type": "text", "text": "probe-two"}]);
    });
    features.add("earlier answer", &plain(), |body| {
        list(&mut body["messages"]).extend([
            json!({"role": "assistant", "content": "probe-answer"}),
            json!({"role": "user", "content": "probe-next"}),
        ]);
    });
    features.add("beginning of the answer (prefill)", &plain(), |body| {
        list(&mut body["messages"]).push(json!({"role": "assistant", "content": "probe-prefill"}));
    });
    features.add("two user messages in a row", &plain(), |body| {
        list(&mut body["messages"]).push(json!({"role": "user", "content": "probe-more"}));
    });
    features.add("name of the speaker", &plain(), |body| body["messages"][0]["name"] = json!("probe_ann"));
    features.add("earlier refusal", &plain(), |body| {
        list(&mut body["messages"]).extend([
            json!({"role": "assistant", "content": null, "refusal": "probe-refusal"}),
            json!({"role": "user", "content": "probe-next"}),
        ]);
    });
}

fn settings(features: &mut Features) {
    features.group("Settings");
    let plain = &plain();
    features.member("temperature", plain, "temperature", json!(0.25));
    features.member("top_p", plain, "top_p", json!(0.75));
    features.member("seed", plain, "seed", json!(1234));
    features.member("stop", plain, "stop", json!(["probe-stop"]));
    features.member("max_completion_tokens", plain, "max_completion_tokens", json!(321));
    features.member("max_tokens", plain, "max_tokens", json!(321));
    features.member("presence_penalty", plain, "presence_penalty", json!(0.5));
    features.member("frequency_penalty", plain, "frequency_penalty", json!(0.5));
    features.member("top_k (of local servers)", plain, "top_k", json!(40));
    features.member("logit_bias", plain, "logit_bias", json!({"50256": -100}));
    features.add("logprobs", plain, |body| {
        body["logprobs"] = json!(true);
        body["top_logprobs"] = json!(3);
    });
    features.member("n: 1", plain, "n", json!(1));
    features.member("n above 1", plain, "n", json!(2));
}

fn tools(features: &mut Features) {
    features.group("Tools");
    features.member(
        "tool",
        &plain(),
        "tools",
        json!([{"type": "function", "function": {
        "name": "probe_tool", "description": "probe-description",
        "parameters": {"type": "object", "properties": {"probe_argument": {"type": "string"}}}}}]),
    );
    features.member(
        "tool without a schema",
        &plain(),
        "tools",
        json!([{"type": "function", "function": {"name": "probe_tool"}}]),
    );
    features.add("strict tool", &offering(), |body| body["tools"][0]["function"]["strict"] = json!(true));
    features.add("free-text tool", &offering(), |body| {
        list(&mut body["tools"]).push(json!({"type": "custom", "custom": {"name": "probe_custom"}}));
    });
    features.member("tool_choice: auto", &offering(), "tool_choice", json!("auto"));
    features.member("tool_choice: none", &offering(), "tool_choice", json!("none"));
    features.member("tool_choice: required", &offering(), "tool_choice", json!("required"));
    let named = json!({"type": "function", "function": {"name": "find"}});
    features.member("tool_choice: one tool", &offering(), "tool_choice", named.clone());
    features.member(
        "tool_choice: some tools",
        &offering(),
        "tool_choice",
        json!({"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [named]}}),
    );
    features.member("one call at a time", &offering(), "parallel_tool_calls", json!(false));
}

fn results(features: &mut Features) {
    features.group("Calls and results");
    features.add("call and its result", &offering(), |body| {
        list(&mut body["messages"]).extend([
            json!({"role": "assistant", "content": null, "tool_calls": [{"id": "call_1", "type": "function",
                "function": {"name": "find", "arguments": "{\"q\": \"probe-argument\"}"}}]}),
            json!({"role": "tool", "tool_call_id": "call_1", "content": "probe-result"}),
        ]);
    });
    features.add("several calls at once", &tool_loop(), |body| {
        list(&mut body["messages"][1]["tool_calls"]).push(
            json!({"id": "call_2", "type": "function", "function": {"name": "find", "arguments": "{\"q\": \"probe-second\"}"}}),
        );
        list(&mut body["messages"]).push(json!({"role": "tool", "tool_call_id": "call_2", "content": "probe-too"}));
    });
    features
        .add("text beside a call", &tool_loop(), |body| body["messages"][1]["content"] = json!("probe-said"));
    features.add("text parts in a result", &tool_loop(), |body| {
        body["messages"][2]["content"] = json!([{"type": "text", "text": "probe-part"}]);
    });
    features.add("image in a result", &tool_loop(), |body| {
        body["messages"][2]["content"] = json!([{"type": "text", "text": "found"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgoprobe"}}]);
    });
}

fn media(features: &mut Features) {
    features.group("Images, sound, files");
    with_part(
        features,
        "image by URL",
        json!({"type": "image_url", "image_url": {"url": "https://x.test/probe.png"}}),
    );
    with_part(
        features,
        "image inline",
        json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgoprobe"}}),
    );
    let mut body = plain();
    body["messages"][0]["content"] =
        json!([{"type": "image_url", "image_url": {"url": "https://x.test/a.png"}}]);
    // A column that takes no images has nothing to take a detail of.
    features.add("detail of an image", &plain(), |with| {
        *with = body;
        with["messages"][0]["content"][0]["image_url"]["detail"] = json!("probe-low");
    });
    with_part(
        features,
        "sound",
        json!({"type": "input_audio", "input_audio": {"data": "UklGRgprobe0", "format": "wav"}}),
    );
    with_part(
        features,
        "file inline",
        json!({"type": "file", "file": {"filename": "probe.pdf", "file_data": "data:application/pdf;base64,JVBERi0probe0"}}),
    );
    with_part(features, "file by id", json!({"type": "file", "file": {"file_id": "probe-file"}}));
}

fn reasoning(features: &mut Features) {
    features.group("Reasoning");
    let plain = &plain();
    features.member("effort: none", plain, "reasoning_effort", json!("none"));
    features.member("effort: minimal", plain, "reasoning_effort", json!("minimal"));
    features.member("effort: low", plain, "reasoning_effort", json!("low"));
    features.member("effort: medium", plain, "reasoning_effort", json!("medium"));
    features.member("effort: high", plain, "reasoning_effort", json!("high"));
    features.member("effort: xhigh", plain, "reasoning_effort", json!("xhigh"));
    features.member("effort: max", plain, "reasoning_effort", json!("max"));
    features.add("effort beside tools", &offering(), |body| body["reasoning_effort"] = json!("high"));
    features.member("verbosity", plain, "verbosity", json!("low"));
    features.add("earlier reasoning as text", &tool_loop(), |body| {
        body["messages"][1]["reasoning_content"] = json!("probe-thought");
    });
    features.add("earlier reasoning of this dialect, signed", &tool_loop(), |body| {
        body["messages"][1]["reasoning_details"] =
            json!([{"type": "reasoning.text", "text": "probe-thought", "signature": "probe-signature"}]);
    });
    for (name, dialect, block) in [
        (
            "Anthropic's thinking, handed on before",
            "anthropic",
            json!({"type": "thinking", "thinking": "probe-thought", "signature": "probe-signature"}),
        ),
        (
            "Anthropic's redacted thinking, handed on before",
            "anthropic",
            json!({"type": "redacted_thinking", "data": "probe-sealed"}),
        ),
        (
            "OpenAI's encrypted reasoning, handed on before",
            "openai-responses",
            json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "probe-sealed"}),
        ),
    ] {
        features.add(name, &tool_loop(), |body| {
            body["messages"][1]["reasoning_details"] =
                json!([{"type": "mainstay.reasoning", "dialect": dialect, "origin": null, "block": block}]);
        });
    }
}

fn forms(features: &mut Features) {
    features.group("Form of the answer");
    let plain = &plain();
    features.member("text", plain, "response_format", json!({"type": "text"}));
    features.member("JSON", plain, "response_format", json!({"type": "json_object"}));
    let schema = json!({"type": "json_schema", "json_schema": {"name": "answer",
        "schema": {"type": "object", "properties": {"probe_member": {"type": "string"}}}}});
    features.member("JSON by a schema", plain, "response_format", schema.clone());
    let mut body = plain.clone();
    body["response_format"] = schema;
    features.add("schema held to strictly", &body, |body| {
        body["response_format"]["json_schema"]["strict"] = json!(true);
    });
    features.add("description of the schema", &body, |body| {
        body["response_format"]["json_schema"]["description"] = json!("probe-description");
    });
}

fn rest(features: &mut Features) {
    features.group("Caches, people, service");
    let plain = &plain();
    features.add("cache mark on a text", plain, |body| {
        body["messages"][0]["content"] =
            json!([{"type": "text", "text": "Hi", "cache_control": {"type": "probe-ephemeral"}}]);
    });
    features.member("prompt_cache_key", plain, "prompt_cache_key", json!("probe-key"));
    features.member("prompt_cache_retention", plain, "prompt_cache_retention", json!("24h"));
    features.member("user", plain, "user", json!("probe-user"));
    features.member("safety_identifier", plain, "safety_identifier", json!("probe-user"));
    features.member("metadata", plain, "metadata", json!({"team": "probe-team"}));
    features.member("store", plain, "store", json!(true));
    features.member("service_tier", plain, "service_tier", json!("flex"));
    features.member(
        "prediction",
        plain,
        "prediction",
        json!({"type": "content", "content": "probe-predicted"}),
    );
    features.member("web_search_options", plain, "web_search_options", json!({"search_context_size": "low"}));
    features.add("spoken answer", plain, |body| {
        body["modalities"] = json!(["text", "audio"]);
        body["audio"] = json!({"voice": "alloy", "format": "mp3"});
    });
    features.group("Streams");
    features.member("stream", plain, "stream", json!(true));
    features.member(
        "token counts in a stream",
        &streaming(),
        "stream_options",
        json!({"include_usage": true}),
    );
    features.group("Members that nobody knows");
    features.member("in the body", plain, "x_probe", json!({"a": [1.5, "probe-value"]}));
    features.add("in a message", plain, |body| body["messages"][0]["x_probe"] = json!("probe-value"));
    features.add("in a part", plain, |body| {
        body["messages"][0]["content"] = json!([{"type": "text", "text": "Hi", "x_probe": "probe-value"}]);
    });
    features.add("in a tool", &offering(), |body| body["tools"][0]["x_probe"] = json!("probe-value"));
    features.add("in a tool's function", &offering(), |body| {
        body["tools"][0]["function"]["x_probe"] = json!("probe-value");
    });
    features.add("in a call", &tool_loop(), |body| {
        body["messages"][1]["tool_calls"][0]["x_probe"] = json!("probe-value");
    });
    features.add("in a call's function", &tool_loop(), |body| {
        body["messages"][1]["tool_calls"][0]["function"]["x_probe"] = json!("probe-value");
    });
    features.add("in a result", &tool_loop(), |body| body["messages"][2]["x_probe"] = json!("probe-value"));
    features.add("in tool_choice", &offering(), |body| {
        body["tool_choice"] =
            json!({"type": "function", "function": {"name": "find"}, "x_probe": "probe-value"});
    });
    features.add("in response_format", plain, |body| {
        body["response_format"] = json!({"type": "json_object", "x_probe": "probe-value"});
    });
    features.add("in stream_options", &streaming(), |body| {
        body["stream_options"] = json!({"x_probe": "probe-value"});
    });
    features.add("a part of an unknown kind", plain, |body| {
        body["messages"][0]["content"] =
            json!([{"type": "text", "text": "Hi"}, {"type": "x_video", "x_video": {"url": "probe-url"}}]);
    });
}
