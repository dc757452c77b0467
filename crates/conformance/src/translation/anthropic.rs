//! What can be asked in Anthropic Messages. Source: Anthropic API reference, Messages, Tool use, Extended thinking,
//! Citations and Prompt caching, 2026-11.

use serde_json::{Value, json};

use super::feature::{Feature, Features, list};

fn plain() -> Value {
    json!({"model": "m", "max_tokens": 4096, "messages": [{"role": "user", "content": "Hi"}]})
}

/// A body that offers one tool.
fn offering() -> Value {
    let mut body = plain();
    body["tools"] = json!([{"name": "find", "description": "Finds.",
        "input_schema": {"type": "object", "properties": {}}}]);
    body
}

/// A body in which the model called a tool and the result came.
fn tool_loop() -> Value {
    let mut body = offering();
    list(&mut body["messages"]).extend([
        json!({"role": "assistant", "content": [
            {"type": "tool_use", "id": "toolu_1", "name": "find", "input": {}}]}),
        json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": "found"}]}),
    ]);
    body
}

/// Adds a block to the question.
fn with_block(features: &mut Features, name: &'static str, block: Value) {
    let mut body = plain();
    body["messages"][0]["content"] = json!([{"type": "text", "text": "Hi"}]);
    features.add(name, &body, |body| list(&mut body["messages"][0]["content"]).push(block));
}

/// Puts a block before the model's call.
fn with_thought(features: &mut Features, name: &'static str, block: Value) {
    features.add(name, &tool_loop(), |body| list(&mut body["messages"][1]["content"]).insert(0, block));
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
    rest(&mut features);
    unknown(&mut features);
    features.into_list()
}

fn texts(features: &mut Features) {
    features.group("Texts");
    features.member("system text", &plain(), "system", json!("probe-system"));
    features.member(
        "system text in blocks",
        &plain(),
        "system",
        json!([{"type": "text", "text": "probe-one"}, {"type": "text", "text": "probe-two"}]),
    );
    features.add("system message later on", &plain(), |body| {
        list(&mut body["messages"]).extend([
            json!({"role": "system", "content": "probe-later"}),
            json!({"role": "user", "content": "probe-then"}),
        ]);
    });
    features.add("several text blocks", &plain(), |body| {
        body["messages"][0]["content"] =
            json!([{"type": "text", "text": "probe-one"}, {"type": "text", "text": "probe-two"}]);
    });
    features.add("earlier answer", &plain(), |body| {
        list(&mut body["messages"]).extend([
            json!({"role": "assistant", "content": [{"type": "text", "text": "probe-answer"}]}),
            json!({"role": "user", "content": "probe-next"}),
        ]);
    });
    features.add("beginning of the answer (prefill)", &plain(), |body| {
        list(&mut body["messages"]).push(json!({"role": "assistant", "content": "probe-prefill"}));
    });
    features.add("two user messages in a row", &plain(), |body| {
        list(&mut body["messages"]).push(json!({"role": "user", "content": "probe-more"}));
    });
    with_block(
        features,
        "search result",
        json!({"type": "search_result", "source": "https://x.test/probe", "title": "probe-title",
            "content": [{"type": "text", "text": "probe-found"}]}),
    );
}

fn settings(features: &mut Features) {
    features.group("Settings");
    let plain = &plain();
    features.member("temperature", plain, "temperature", json!(0.25));
    features.member("top_p", plain, "top_p", json!(0.75));
    features.member("top_k", plain, "top_k", json!(40));
    features.member("max_tokens", plain, "max_tokens", json!(321));
    features.member("stop_sequences", plain, "stop_sequences", json!(["probe-stop"]));
}

fn tools(features: &mut Features) {
    features.group("Tools");
    features.member(
        "tool",
        &plain(),
        "tools",
        json!([{"name": "probe_tool", "description": "probe-description",
        "input_schema": {"type": "object", "properties": {"probe_argument": {"type": "string"}}}}]),
    );
    features.add("strict tool", &offering(), |body| body["tools"][0]["strict"] = json!(true));
    features.add("the provider's own tool", &offering(), |body| {
        list(&mut body["tools"])
            .push(json!({"type": "web_search_20260209", "name": "web_search", "max_uses": 3}));
    });
    features.member("tool_choice: auto", &offering(), "tool_choice", json!({"type": "auto"}));
    features.member("tool_choice: none", &offering(), "tool_choice", json!({"type": "none"}));
    features.member("tool_choice: any", &offering(), "tool_choice", json!({"type": "any"}));
    features.member(
        "tool_choice: one tool",
        &offering(),
        "tool_choice",
        json!({"type": "tool", "name": "find"}),
    );
    let mut body = offering();
    body["tool_choice"] = json!({"type": "auto"});
    features.add("one call at a time", &body, |body| {
        body["tool_choice"]["disable_parallel_tool_use"] = json!(true);
    });
}

fn results(features: &mut Features) {
    features.group("Calls and results");
    features.add("call and its result", &offering(), |body| {
        list(&mut body["messages"]).extend([
            json!({"role": "assistant", "content": [
                {"type": "tool_use", "id": "toolu_1", "name": "find", "input": {"q": "probe-argument"}}]}),
            json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "probe-result"}]}),
        ]);
    });
    features.add("several calls at once", &tool_loop(), |body| {
        list(&mut body["messages"][1]["content"]).push(
            json!({"type": "tool_use", "id": "toolu_2", "name": "find", "input": {"q": "probe-second"}}),
        );
        list(&mut body["messages"][2]["content"])
            .push(json!({"type": "tool_result", "tool_use_id": "toolu_2", "content": "probe-too"}));
    });
    features.add("text before a call", &tool_loop(), |body| {
        list(&mut body["messages"][1]["content"]).insert(0, json!({"type": "text", "text": "probe-said"}));
    });
    features.add("text after a call", &tool_loop(), |body| {
        list(&mut body["messages"][1]["content"]).push(json!({"type": "text", "text": "probe-said"}));
    });
    features.add("question beside a result", &tool_loop(), |body| {
        list(&mut body["messages"][2]["content"]).push(json!({"type": "text", "text": "probe-asked"}));
    });
    features.add("result that is an error", &tool_loop(), |body| {
        body["messages"][2]["content"][0]["is_error"] = json!(true);
    });
    features.add("text blocks in a result", &tool_loop(), |body| {
        body["messages"][2]["content"][0]["content"] = json!([{"type": "text", "text": "probe-part"}]);
    });
    let image = json!({"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgoprobe"});
    features.add("image in a result", &tool_loop(), |body| {
        body["messages"][2]["content"][0]["content"] =
            json!([{"type": "text", "text": "found"}, {"type": "image", "source": image}]);
    });
    let document = json!({"type": "base64", "media_type": "application/pdf", "data": "JVBERi0probe0"});
    features.add("document in a result", &tool_loop(), |body| {
        body["messages"][2]["content"][0]["content"] =
            json!([{"type": "text", "text": "found"}, {"type": "document", "source": document}]);
    });
    features.add("result without content", &tool_loop(), |body| {
        body["messages"][2]["content"][0] = json!({"type": "tool_result", "tool_use_id": "toolu_1"});
    });
}

fn media(features: &mut Features) {
    features.group("Images, documents");
    let block = |kind: &str, source: Value| json!({"type": kind, "source": source});
    let url = |name: &str| json!({"type": "url", "url": format!("https://x.test/probe.{name}")});
    with_block(features, "image by URL", block("image", url("png")));
    let data = json!({"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgoprobe"});
    with_block(features, "image inline", block("image", data));
    let file = json!({"type": "file", "file_id": "probe_file"});
    with_block(features, "image by id", block("image", file.clone()));
    with_block(features, "document by URL", block("document", url("pdf")));
    let data = json!({"type": "base64", "media_type": "application/pdf", "data": "JVBERi0probe0"});
    let inline = block("document", data);
    with_block(features, "document inline", inline.clone());
    with_block(features, "document by id", block("document", file));
    let text = json!({"type": "text", "media_type": "text/plain", "data": "probe-document"});
    with_block(features, "document as text", block("document", text));
    let titled = |member: &str, value: Value| {
        let mut block = inline.clone();
        block[member] = value;
        block
    };
    with_block(features, "title of a document", titled("title", json!("probe-title")));
    with_block(features, "context of a document", titled("context", json!("probe-context")));
    with_block(features, "citations of a document", titled("citations", json!({"enabled": true})));
}

fn reasoning(features: &mut Features) {
    features.group("Reasoning");
    let plain = &plain();
    features.member(
        "thinking: a budget",
        plain,
        "thinking",
        json!({"type": "enabled", "budget_tokens": 2048}),
    );
    features.member("thinking: adaptive", plain, "thinking", json!({"type": "adaptive"}));
    features.member(
        "thinking: shown",
        plain,
        "thinking",
        json!({"type": "adaptive", "display": "summarized"}),
    );
    features.member("thinking: disabled", plain, "thinking", json!({"type": "disabled"}));
    for (name, word) in [
        ("effort: low", "low"),
        ("effort: medium", "medium"),
        ("effort: high", "high"),
        ("effort: xhigh", "xhigh"),
        ("effort: max", "max"),
    ] {
        features.member(name, plain, "output_config", json!({"effort": word}));
    }
    features
        .add("effort beside tools", &offering(), |body| body["output_config"] = json!({"effort": "high"}));
    with_thought(
        features,
        "signed thinking",
        json!({"type": "thinking", "thinking": "probe-thought", "signature": "probe-signature"}),
    );
    with_thought(features, "redacted thinking", json!({"type": "redacted_thinking", "data": "probe-sealed"}));
    with_thought(
        features,
        "what the provider's own tool did",
        json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "probe-query"}}),
    );
    features.group("Form of the answer");
    features.member(
        "JSON by a schema",
        plain,
        "output_config",
        json!({"format": {"type": "json_schema",
            "schema": {"type": "object", "properties": {"probe_member": {"type": "string"}}}}}),
    );
}

fn rest(features: &mut Features) {
    features.group("Caches, people, service");
    let plain = &plain();
    let mark = json!({"type": "ephemeral", "ttl": "probe-1h"});
    features.add("cache mark on a text", plain, |body| {
        body["messages"][0]["content"] = json!([{"type": "text", "text": "Hi", "cache_control": mark}]);
    });
    let mut instructed = plain.clone();
    instructed["system"] = json!([{"type": "text", "text": "Be brief."}]);
    features.add("cache mark on the system text", &instructed, |body| {
        body["system"][0]["cache_control"] = mark.clone();
    });
    features
        .add("cache mark on a tool", &offering(), |body| body["tools"][0]["cache_control"] = mark.clone());
    features.add("cache mark on a call", &tool_loop(), |body| {
        body["messages"][1]["content"][0]["cache_control"] = mark.clone();
    });
    features.add("cache mark on a result", &tool_loop(), |body| {
        body["messages"][2]["content"][0]["cache_control"] = mark.clone();
    });
    features.member("cache mark on the whole", plain, "cache_control", mark);
    features.member("metadata.user_id", plain, "metadata", json!({"user_id": "probe-user"}));
    features.member("service_tier", plain, "service_tier", json!("standard_only"));
    features.member("container", plain, "container", json!("probe_container"));
    features.member(
        "context_management",
        plain,
        "context_management",
        json!({"edits": [{"type": "probe-edit"}]}),
    );
    features.member(
        "mcp_servers",
        plain,
        "mcp_servers",
        json!([{"type": "url", "url": "https://x.test/probe", "name": "n"}]),
    );
    features.member("beta features", plain, "(anthropic-beta)", json!("probe-beta"));
    features.group("Streams");
    features.member("stream", plain, "stream", json!(true));
}

fn unknown(features: &mut Features) {
    features.group("Members that nobody knows");
    let plain = &plain();
    features.member("in the body", plain, "x_probe", json!({"a": [1.5, "probe-value"]}));
    features.add("in a message", plain, |body| body["messages"][0]["x_probe"] = json!("probe-value"));
    features.add("in a block", plain, |body| {
        body["messages"][0]["content"] = json!([{"type": "text", "text": "Hi", "x_probe": "probe-value"}]);
    });
    features.add("in the system text", plain, |body| {
        body["system"] = json!([{"type": "text", "text": "Hi", "x_probe": "probe-value"}]);
    });
    features.add("in a source", plain, |body| {
        body["messages"][0]["content"] = json!([{"type": "image",
            "source": {"type": "url", "url": "https://x.test/a.png", "x_probe": "probe-value"}}]);
    });
    features.add("in a tool", &offering(), |body| body["tools"][0]["x_probe"] = json!("probe-value"));
    features.add("in a call", &tool_loop(), |body| {
        body["messages"][1]["content"][0]["x_probe"] = json!("probe-value");
    });
    features.add("in a result", &tool_loop(), |body| {
        body["messages"][2]["content"][0]["x_probe"] = json!("probe-value");
    });
    features.add("in a message that holds only a result", &tool_loop(), |body| {
        body["messages"][2]["x_probe"] = json!("probe-value");
    });
    features.add("in an answer", plain, |body| {
        list(&mut body["messages"]).extend([
            json!({"role": "assistant", "x_probe": "probe-value", "content": "ok"}),
            json!({"role": "user", "content": "next"}),
        ]);
    });
    features.add("in tool_choice", &offering(), |body| {
        body["tool_choice"] = json!({"type": "any", "x_probe": "probe-value"});
    });
    features.add("in metadata", plain, |body| {
        body["metadata"] = json!({"user_id": "u", "x_probe": "probe-value"});
    });
    features.add("in thinking", plain, |body| {
        body["thinking"] = json!({"type": "adaptive", "x_probe": "probe-value"});
    });
    features.add("in output_config", plain, |body| body["output_config"] = json!({"x_probe": "probe-value"}));
    features.add("in the form of the answer", plain, |body| {
        body["output_config"] =
            json!({"format": {"type": "json_schema", "schema": {}, "x_probe": "probe-value"}});
    });
    features.add("a block of an unknown kind", plain, |body| {
        body["messages"][0]["content"] =
            json!([{"type": "text", "text": "Hi"}, {"type": "x_block", "x": "probe-value"}]);
    });
}
