//! What can be asked in the Responses API. Source: OpenAI API reference, "Create a model response", 2026-11.

use serde_json::{Value, json};

use super::feature::{Feature, Features, list};

fn plain() -> Value {
    json!({"model": "m", "input": [{"role": "user", "content": "Hi"}]})
}

/// A body that offers one tool.
fn offering() -> Value {
    let mut body = plain();
    body["tools"] = json!([{"type": "function", "name": "find", "description": "Finds.",
        "parameters": {"type": "object", "properties": {}}}]);
    body
}

/// A body in which the model called a tool and the result came.
fn tool_loop() -> Value {
    let mut body = offering();
    list(&mut body["input"]).extend([
        json!({"type": "function_call", "call_id": "call_1", "name": "find", "arguments": "{}"}),
        json!({"type": "function_call_output", "call_id": "call_1", "output": "found"}),
    ]);
    body
}

/// Adds a part to the question.
fn with_part(features: &mut Features, name: &'static str, part: Value) {
    let mut body = plain();
    body["input"][0]["content"] = json!([{"type": "input_text", "text": "Hi"}]);
    features.add(name, &body, |body| list(&mut body["input"][0]["content"]).push(part));
}

/// Adds an item of the model before its call.
fn with_reasoning(features: &mut Features, name: &'static str, item: Value) {
    features.add(name, &tool_loop(), |body| list(&mut body["input"]).insert(1, item));
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
    features.member("instructions", &plain(), "instructions", json!("probe-system"));
    features.add("system message", &plain(), |body| {
        list(&mut body["input"]).insert(0, json!({"role": "system", "content": "probe-system"}));
    });
    features.add("developer message", &plain(), |body| {
        list(&mut body["input"]).insert(0, json!({"role": "developer", "content": "probe-developer"}));
    });
    features.add("system message later on", &plain(), |body| {
        list(&mut body["input"]).extend([
            json!({"role": "system", "content": "probe-later"}),
            json!({"role": "user", "content": "probe-then"}),
        ]);
    });
    features.add("input as one text", &plain(), |body| body["input"] = json!("probe-input"));
    features.add("several text parts", &plain(), |body| {
        body["input"][0]["content"] =
            json!([{"type": "input_text", "text": "probe-one"}, {"type": "input_text", "text": "probe-two"}]);
    });
    features.add("earlier answer", &plain(), |body| {
        list(&mut body["input"]).extend([
            json!({"type": "message", "role": "assistant", "id": "msg_1", "status": "completed",
                "content": [{"type": "output_text", "text": "probe-answer", "annotations": []}]}),
            json!({"role": "user", "content": "probe-next"}),
        ]);
    });
    features.add("earlier refusal", &plain(), |body| {
        list(&mut body["input"]).extend([
            json!({"type": "message", "role": "assistant",
                "content": [{"type": "refusal", "refusal": "probe-refusal"}]}),
            json!({"role": "user", "content": "probe-next"}),
        ]);
    });
}

fn settings(features: &mut Features) {
    features.group("Settings");
    let plain = &plain();
    features.member("temperature", plain, "temperature", json!(0.25));
    features.member("top_p", plain, "top_p", json!(0.75));
    features.member("max_output_tokens", plain, "max_output_tokens", json!(321));
    features.member("top_logprobs", plain, "top_logprobs", json!(3));
    features.member("truncation", plain, "truncation", json!("auto"));
    features.member("max_tool_calls", plain, "max_tool_calls", json!(2));
}

fn tools(features: &mut Features) {
    features.group("Tools");
    features.member(
        "tool",
        &plain(),
        "tools",
        json!([{"type": "function",
        "name": "probe_tool", "description": "probe-description",
        "parameters": {"type": "object", "properties": {"probe_argument": {"type": "string"}}}}]),
    );
    features.add("strict tool", &offering(), |body| body["tools"][0]["strict"] = json!(true));
    features.add("free-text tool", &offering(), |body| {
        list(&mut body["tools"]).push(json!({"type": "custom", "name": "probe_custom"}));
    });
    features.add("the provider's own tool", &offering(), |body| {
        list(&mut body["tools"]).push(json!({"type": "web_search", "search_context_size": "probe-low"}));
    });
    features.member("tool_choice: auto", &offering(), "tool_choice", json!("auto"));
    features.member("tool_choice: none", &offering(), "tool_choice", json!("none"));
    features.member("tool_choice: required", &offering(), "tool_choice", json!("required"));
    let named = json!({"type": "function", "name": "find"});
    features.member("tool_choice: one tool", &offering(), "tool_choice", named.clone());
    features.member(
        "tool_choice: some tools",
        &offering(),
        "tool_choice",
        json!({"type": "allowed_tools", "mode": "auto", "tools": [named]}),
    );
    features.member("one call at a time", &offering(), "parallel_tool_calls", json!(false));
}

fn results(features: &mut Features) {
    features.group("Calls and results");
    features.add("call and its result", &offering(), |body| {
        list(&mut body["input"]).extend([
            json!({"type": "function_call", "call_id": "call_1", "name": "find",
                "arguments": "{\"q\": \"probe-argument\"}"}),
            json!({"type": "function_call_output", "call_id": "call_1", "output": "probe-result"}),
        ]);
    });
    features.add("several calls at once", &tool_loop(), |body| {
        let second = json!({"type": "function_call", "call_id": "call_2", "name": "find",
            "arguments": "{\"q\": \"probe-second\"}"});
        list(&mut body["input"]).insert(2, second);
        list(&mut body["input"])
            .push(json!({"type": "function_call_output", "call_id": "call_2", "output": "probe-too"}));
    });
    features.add("text before a call", &tool_loop(), |body| {
        list(&mut body["input"]).insert(1, json!({"role": "assistant", "content": "probe-said"}));
    });
    features.add("text parts in a result", &tool_loop(), |body| {
        body["input"][2]["output"] = json!([{"type": "input_text", "text": "probe-part"}]);
    });
    features.add("image in a result", &tool_loop(), |body| {
        body["input"][2]["output"] = json!([{"type": "input_text", "text": "found"},
            {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgoprobe"}]);
    });
}

fn media(features: &mut Features) {
    features.group("Images, sound, files");
    with_part(
        features,
        "image by URL",
        json!({"type": "input_image", "image_url": "https://x.test/probe.png"}),
    );
    with_part(
        features,
        "image inline",
        json!({"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgoprobe"}),
    );
    features.add("detail of an image", &plain(), |body| {
        body["input"][0]["content"] =
            json!([{"type": "input_image", "image_url": "https://x.test/a.png", "detail": "probe-low"}]);
    });
    with_part(features, "image by id", json!({"type": "input_image", "file_id": "probe-file"}));
    with_part(
        features,
        "sound",
        json!({"type": "input_audio", "input_audio": {"data": "UklGRgprobe0", "format": "wav"}}),
    );
    with_part(
        features,
        "file inline",
        json!({"type": "input_file", "filename": "probe.pdf",
            "file_data": "data:application/pdf;base64,JVBERi0probe0"}),
    );
    with_part(features, "file by URL", json!({"type": "input_file", "file_url": "https://x.test/probe.pdf"}));
    with_part(features, "file by id", json!({"type": "input_file", "file_id": "probe-file"}));
}

fn reasoning(features: &mut Features) {
    features.group("Reasoning");
    let plain = &plain();
    for (name, word) in [
        ("effort: none", "none"),
        ("effort: minimal", "minimal"),
        ("effort: low", "low"),
        ("effort: medium", "medium"),
        ("effort: high", "high"),
        ("effort: xhigh", "xhigh"),
        ("effort: max", "max"),
    ] {
        features.member(name, plain, "reasoning", json!({"effort": word}));
    }
    features.add("effort beside tools", &offering(), |body| body["reasoning"] = json!({"effort": "high"}));
    features.member("summary of the reasoning", plain, "reasoning", json!({"summary": "auto"}));
    features.member("verbosity", plain, "text", json!({"verbosity": "low"}));
    with_reasoning(
        features,
        "encrypted reasoning",
        json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "probe-sealed"}),
    );
    with_reasoning(
        features,
        "reasoning with its summary",
        json!({"type": "reasoning", "id": "rs_1", "encrypted_content": "probe-sealed",
            "summary": [{"type": "summary_text", "text": "probe-thought"}]}),
    );
    with_reasoning(
        features,
        "what the provider's own tool did",
        json!({"type": "web_search_call", "id": "ws_1", "status": "completed",
            "action": {"type": "search", "query": "probe-query"}}),
    );
    features.member("include: encrypted reasoning", plain, "include", json!(["reasoning.encrypted_content"]));
    features.member("include: something else", plain, "include", json!(["probe.results"]));
}

fn forms(features: &mut Features) {
    features.group("Form of the answer");
    let plain = &plain();
    features.member("text", plain, "text", json!({"format": {"type": "text"}}));
    features.member("JSON", plain, "text", json!({"format": {"type": "json_object"}}));
    let schema = json!({"format": {"type": "json_schema", "name": "answer",
        "schema": {"type": "object", "properties": {"probe_member": {"type": "string"}}}}});
    features.member("JSON by a schema", plain, "text", schema.clone());
    let mut body = plain.clone();
    body["text"] = schema;
    features.add("schema held to strictly", &body, |body| body["text"]["format"]["strict"] = json!(true));
    features.add("description of the schema", &body, |body| {
        body["text"]["format"]["description"] = json!("probe-description");
    });
}

fn rest(features: &mut Features) {
    features.group("Caches, people, service");
    let plain = &plain();
    features.member("prompt_cache_key", plain, "prompt_cache_key", json!("probe-key"));
    features.member("prompt_cache_retention", plain, "prompt_cache_retention", json!("24h"));
    features.member("user", plain, "user", json!("probe-user"));
    features.member("safety_identifier", plain, "safety_identifier", json!("probe-user"));
    features.member("metadata", plain, "metadata", json!({"team": "probe-team"}));
    features.member("service_tier", plain, "service_tier", json!("flex"));
    features.group("What would have to be stored");
    features.member("store", plain, "store", json!(true));
    features.member("previous_response_id", plain, "previous_response_id", json!("resp_1"));
    features.member("conversation", plain, "conversation", json!("conv_1"));
    features.member("prompt", plain, "prompt", json!({"id": "pmpt_1"}));
    features.member("background", plain, "background", json!(true));
    features.add("reference to an item", plain, |body| {
        list(&mut body["input"]).push(json!({"type": "item_reference", "id": "msg_1"}));
    });
    features.group("Streams");
    features.member("stream", plain, "stream", json!(true));
    let mut streaming = plain.clone();
    streaming["stream"] = json!(true);
    features.member(
        "padding of a stream",
        &streaming,
        "stream_options",
        json!({"include_obfuscation": false}),
    );
    features.group("Members that nobody knows");
    features.member("in the body", plain, "x_probe", json!({"a": [1.5, "probe-value"]}));
    features.add("in a message", plain, |body| body["input"][0]["x_probe"] = json!("probe-value"));
    features.add("in a part", plain, |body| {
        body["input"][0]["content"] = json!([{"type": "input_text", "text": "Hi", "x_probe": "probe-value"}]);
    });
    features.add("in a tool", &offering(), |body| body["tools"][0]["x_probe"] = json!("probe-value"));
    features.add("in a call", &tool_loop(), |body| body["input"][1]["x_probe"] = json!("probe-value"));
    features.add("in a result", &tool_loop(), |body| body["input"][2]["x_probe"] = json!("probe-value"));
    features.add("in an earlier answer", plain, |body| {
        list(&mut body["input"]).extend([
            json!({"role": "assistant", "content": "ok", "x_probe": "probe-value"}),
            json!({"role": "user", "content": "next"}),
        ]);
    });
    features.add("in tool_choice", &offering(), |body| {
        body["tool_choice"] = json!({"type": "function", "name": "find", "x_probe": "probe-value"});
    });
    features.member("in text", plain, "text", json!({"x_probe": "probe-value"}));
    features.member(
        "in text.format",
        plain,
        "text",
        json!({"format": {"type": "json_object", "x_probe": "probe-value"}}),
    );
    features.member("in reasoning", plain, "reasoning", json!({"x_probe": "probe-value"}));
    features.add("an item of an unknown kind", plain, |body| {
        list(&mut body["input"]).push(json!({"type": "x_item", "x_probe": "probe-value"}));
    });
    features.add("a part of an unknown kind", plain, |body| {
        body["input"][0]["content"] =
            json!([{"type": "input_text", "text": "Hi"}, {"type": "x_video", "x_video": "probe-url"}]);
    });
}
