//! What each dialect's providers may answer, with and without each thing. Sources: OpenAI API reference ("Chat
//! Completions" and "Responses", response objects), Anthropic API reference (Messages, Citations, Server tools),
//! Gemini API reference (GenerateContentResponse), Ollama API reference (`/api/chat`), all 2026-11.

use serde_json::{Value, json};

use super::feature::{Feature, Features, list};

/// Replies of OpenAI Chat Completions.
pub(crate) fn openai_chat() -> Vec<Feature> {
    let plain = json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14}});
    let message =
        |body: &mut Value, member: &str, value: Value| body["choices"][0]["message"][member] = value;
    let mut features = Features::new();
    features.group("What is said");
    features.add("text", &plain, |body| message(body, "content", json!("probe-text")));
    features.add("tool call", &plain, |body| {
        message(body, "content", Value::Null);
        message(
            body,
            "tool_calls",
            json!([{"id": "probe_call", "type": "function",
            "function": {"name": "probe_tool", "arguments": "{\"q\":\"probe-argument\"}"}}]),
        );
        body["choices"][0]["finish_reason"] = json!("tool_calls");
    });
    features.add("text beside a tool call", &plain, |body| {
        message(body, "content", json!("probe-text"));
        message(
            body,
            "tool_calls",
            json!([{"id": "probe_call", "type": "function",
            "function": {"name": "probe_tool", "arguments": "{}"}}]),
        );
        body["choices"][0]["finish_reason"] = json!("tool_calls");
    });
    features
        .add("reasoning as text", &plain, |body| message(body, "reasoning_content", json!("probe-thought")));
    features.add("reasoning to be handed back", &plain, |body| {
        message(
            body,
            "reasoning_details",
            json!([{"type": "reasoning.encrypted", "data": "probe-sealed", "format": "x"}]),
        );
    });
    features.add("refusal", &plain, |body| {
        message(body, "content", Value::Null);
        message(body, "refusal", json!("probe-refusal"));
    });
    ends(
        &mut features,
        &plain,
        &[("the token limit", "length"), ("a filter", "content_filter")],
        |body, word| {
            body["choices"][0]["finish_reason"] = json!(word);
        },
    );
    features.add("a stop text (vLLM says which)", &plain, |body| {
        body["choices"][0]["stop_reason"] = json!("probe-stop");
    });
    features.group("Token counts");
    features.add("prompt and completion", &plain, |body| {
        body["usage"] = json!({"prompt_tokens": 1234, "completion_tokens": 567, "total_tokens": 1801});
    });
    let mut counted = plain.clone();
    counted["usage"] = json!({"prompt_tokens": 1234, "completion_tokens": 567, "total_tokens": 1801});
    features.add("read from a cache", &counted, |body| {
        body["usage"]["prompt_tokens_details"] = json!({"cached_tokens": 345});
    });
    features.add("written to a cache", &counted, |body| {
        body["usage"]["prompt_tokens_details"] = json!({"cache_write_tokens": 345});
    });
    features.add("reasoning", &counted, |body| {
        body["usage"]["completion_tokens_details"] = json!({"reasoning_tokens": 345});
    });
    features.group("What only this dialect says");
    features.add("citations", &plain, |body| {
        message(body, "annotations", json!([{"type": "url_citation",
            "url_citation": {"url": "https://x.test/probe", "title": "probe-title", "start_index": 0, "end_index": 2}}]));
    });
    features.add("logprobs", &plain, |body| {
        body["choices"][0]["logprobs"] = json!({"content": [{"token": "probe", "logprob": -0.5}]});
    });
    features.add("sound", &plain, |body| {
        message(body, "audio", json!({"id": "probe_audio", "data": "probe0"}));
    });
    features.member("service_tier", &plain, "service_tier", json!("probe-flex"));
    features.member("system_fingerprint", &plain, "system_fingerprint", json!("probe-print"));
    features.group("Members that nobody knows");
    features.member("in the reply", &plain, "x_probe", json!("probe-value"));
    features.add("in the choice", &plain, |body| body["choices"][0]["x_probe"] = json!("probe-value"));
    features.add("in the message", &plain, |body| message(body, "x_probe", json!("probe-value")));
    features.add("in the token counts", &plain, |body| body["usage"]["x_probe"] = json!("probe-value"));
    features.into_list()
}

/// Replies of OpenAI Responses.
pub(crate) fn openai_responses() -> Vec<Feature> {
    let plain = json!({"id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": "m",
        "output": [{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": "Hi", "annotations": []}]}],
        "usage": {"input_tokens": 9, "output_tokens": 5, "total_tokens": 14}});
    let mut features = Features::new();
    features.group("What is said");
    features.add("text", &plain, |body| body["output"][0]["content"][0]["text"] = json!("probe-text"));
    let call = json!({"type": "function_call", "id": "fc_1", "call_id": "probe_call", "status": "completed",
        "name": "probe_tool", "arguments": "{\"q\":\"probe-argument\"}"});
    features.add("tool call", &plain, |body| body["output"] = json!([call]));
    features.add("text beside a tool call", &plain, |body| {
        body["output"][0]["content"][0]["text"] = json!("probe-text");
        list(&mut body["output"]).push(call.clone());
    });
    features.add("reasoning as text", &plain, |body| {
        list(&mut body["output"]).insert(
            0,
            json!({"type": "reasoning", "id": "rs_1",
            "summary": [{"type": "summary_text", "text": "probe-thought"}]}),
        );
    });
    features.add("reasoning to be handed back", &plain, |body| {
        list(&mut body["output"]).insert(
            0,
            json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "probe-sealed"}),
        );
    });
    features.add("refusal", &plain, |body| {
        body["output"][0]["content"] = json!([{"type": "refusal", "refusal": "probe-refusal"}]);
    });
    features.add("what the provider's own tool did", &plain, |body| {
        list(&mut body["output"]).insert(
            0,
            json!({"type": "web_search_call", "id": "ws_1", "status": "completed",
            "action": {"type": "search", "query": "probe-query"}}),
        );
    });
    ends(
        &mut features,
        &plain,
        &[("the token limit", "max_output_tokens"), ("a filter", "content_filter")],
        |body, word| {
            body["status"] = json!("incomplete");
            body["incomplete_details"] = json!({"reason": word});
        },
    );
    features.group("Token counts");
    let counts = json!({"input_tokens": 1234, "output_tokens": 567, "total_tokens": 1801});
    features.member("prompt and completion", &plain, "usage", counts.clone());
    let mut counted = plain.clone();
    counted["usage"] = counts;
    features.add("read from a cache", &counted, |body| {
        body["usage"]["input_tokens_details"] = json!({"cached_tokens": 345});
    });
    features.add("reasoning", &counted, |body| {
        body["usage"]["output_tokens_details"] = json!({"reasoning_tokens": 345});
    });
    features.group("What only this dialect says");
    features.add("citations", &plain, |body| {
        body["output"][0]["content"][0]["annotations"] =
            json!([{"type": "url_citation", "url": "https://x.test/probe", "title": "probe-title"}]);
    });
    features.add("logprobs", &plain, |body| {
        body["output"][0]["content"][0]["logprobs"] = json!([{"token": "probe", "logprob": -0.5}]);
    });
    features.member("service_tier", &plain, "service_tier", json!("probe-flex"));
    features.group("Members that nobody knows");
    features.member("in the reply", &plain, "x_probe", json!("probe-value"));
    features.add("in the message", &plain, |body| body["output"][0]["x_probe"] = json!("probe-value"));
    features.add("in the token counts", &plain, |body| body["usage"]["x_probe"] = json!("probe-value"));
    features.into_list()
}

/// Replies of Anthropic Messages.
pub(crate) fn anthropic() -> Vec<Feature> {
    let plain = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
        "content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn", "stop_sequence": null,
        "usage": {"input_tokens": 9, "output_tokens": 5}});
    let mut features = Features::new();
    features.group("What is said");
    features.add("text", &plain, |body| body["content"][0]["text"] = json!("probe-text"));
    let call = json!({"type": "tool_use", "id": "probe_call", "name": "probe_tool", "input": {"q": "probe-argument"}});
    features.add("tool call", &plain, |body| {
        body["content"] = json!([call]);
        body["stop_reason"] = json!("tool_use");
    });
    features.add("text beside a tool call", &plain, |body| {
        body["content"][0]["text"] = json!("probe-text");
        list(&mut body["content"]).push(call.clone());
        body["stop_reason"] = json!("tool_use");
    });
    features.add("reasoning to be handed back", &plain, |body| {
        list(&mut body["content"]).insert(
            0,
            json!({"type": "thinking", "thinking": "probe-thought", "signature": "probe-signature"}),
        );
    });
    features.add("redacted reasoning", &plain, |body| {
        list(&mut body["content"]).insert(0, json!({"type": "redacted_thinking", "data": "probe-sealed"}));
    });
    features.add("what the provider's own tool did", &plain, |body| {
        list(&mut body["content"]).insert(
            0,
            json!({"type": "server_tool_use", "id": "srvtoolu_1",
            "name": "web_search", "input": {"query": "probe-query"}}),
        );
    });
    ends(
        &mut features,
        &plain,
        &[
            ("the token limit", "max_tokens"),
            ("a full context window", "model_context_window_exceeded"),
            ("a refusal", "refusal"),
            ("a pause", "pause_turn"),
        ],
        |body, word| body["stop_reason"] = json!(word),
    );
    features.add("a stop text", &plain, |body| {
        body["stop_reason"] = json!("stop_sequence");
        body["stop_sequence"] = json!("probe-stop");
    });
    features.group("Token counts");
    features.member(
        "prompt and completion",
        &plain,
        "usage",
        json!({"input_tokens": 1234, "output_tokens": 567}),
    );
    let mut counted = plain.clone();
    counted["usage"] = json!({"input_tokens": 1234, "output_tokens": 567});
    features.add("read from a cache", &counted, |body| body["usage"]["cache_read_input_tokens"] = json!(345));
    features.add("written to a cache", &counted, |body| {
        body["usage"]["cache_creation_input_tokens"] = json!(345);
    });
    features.add("reasoning", &counted, |body| {
        body["usage"]["output_tokens_details"] = json!({"thinking_tokens": 345});
    });
    features.group("What only this dialect says");
    features.add("citations", &plain, |body| {
        body["content"][0]["citations"] =
            json!([{"type": "char_location", "cited_text": "probe-cited", "document_index": 0}]);
    });
    let mut refused = plain.clone();
    refused["stop_reason"] = json!("refusal");
    features.member(
        "why it refused",
        &refused,
        "stop_details",
        json!({"type": "refusal", "category": "probe-bio", "explanation": "probe-why"}),
    );
    features.member("container", &plain, "container", json!({"id": "probe_container"}));
    features.add("service_tier", &plain, |body| body["usage"]["service_tier"] = json!("probe-batch"));
    features.group("Members that nobody knows");
    features.member("in the reply", &plain, "x_probe", json!("probe-value"));
    features.add("in a block", &plain, |body| body["content"][0]["x_probe"] = json!("probe-value"));
    features.add("in the token counts", &plain, |body| body["usage"]["x_probe"] = json!("probe-value"));
    features.add("a block of an unknown kind", &plain, |body| {
        list(&mut body["content"]).push(json!({"type": "x_block", "x": "probe-value"}));
    });
    features.into_list()
}

/// Replies of Gemini.
pub(crate) fn gemini() -> Vec<Feature> {
    let plain = json!({"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}]},
        "finishReason": "STOP", "index": 0}], "modelVersion": "m", "responseId": "r1",
        "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 5, "totalTokenCount": 14}});
    let parts = |body: &mut Value, value: Value| body["candidates"][0]["content"]["parts"] = value;
    let mut features = Features::new();
    features.group("What is said");
    features.add("text", &plain, |body| parts(body, json!([{"text": "probe-text"}])));
    features.add("tool call", &plain, |body| {
        parts(body, json!([{"functionCall": {"name": "probe_tool", "args": {"q": "probe-argument"}}}]));
    });
    features.add("text beside a tool call", &plain, |body| {
        parts(body, json!([{"text": "probe-text"}, {"functionCall": {"name": "probe_tool", "args": {}}}]));
    });
    features.add("reasoning as text", &plain, |body| {
        parts(body, json!([{"text": "probe-thought", "thought": true}, {"text": "Hi"}]));
    });
    features.add("reasoning to be handed back", &plain, |body| {
        parts(body, json!([{"text": "Hi", "thoughtSignature": "probesignature"}]));
    });
    features.add("reasoning to be handed back, with a call", &plain, |body| {
        parts(
            body,
            json!([{"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "probesignature"}]),
        );
    });
    ends(
        &mut features,
        &plain,
        &[("the token limit", "MAX_TOKENS"), ("a filter", "SAFETY")],
        |body, word| {
            body["candidates"][0]["finishReason"] = json!(word);
        },
    );
    features.group("Token counts");
    let counts = json!({"promptTokenCount": 1234, "candidatesTokenCount": 567, "totalTokenCount": 1801});
    features.member("prompt and completion", &plain, "usageMetadata", counts.clone());
    let mut counted = plain.clone();
    counted["usageMetadata"] = counts;
    features.add("read from a cache", &counted, |body| {
        body["usageMetadata"]["cachedContentTokenCount"] = json!(345);
    });
    features.add("reasoning", &counted, |body| body["usageMetadata"]["thoughtsTokenCount"] = json!(345));
    features.group("What only this dialect says");
    features.add("citations", &plain, |body| {
        body["candidates"][0]["groundingMetadata"] =
            json!({"groundingChunks": [{"web": {"uri": "https://x.test/probe", "title": "probe-title"}}]});
    });
    features.add("logprobs", &plain, |body| {
        body["candidates"][0]["logprobsResult"] =
            json!({"chosenCandidates": [{"token": "probe", "logProbability": -0.5}]});
    });
    features.add("safety ratings", &plain, |body| {
        body["candidates"][0]["safetyRatings"] = json!([{"category": "probe-harm", "probability": "LOW"}]);
    });
    features.add("code that ran", &plain, |body| {
        parts(
            body,
            json!([{"executableCode": {"language": "PYTHON", "code": "probe-code"}}, {"text": "Hi"}]),
        );
    });
    features.add("an image", &plain, |body| {
        parts(body, json!([{"text": "Hi"}, {"inlineData": {"mimeType": "image/png", "data": "probe0"}}]));
    });
    features.into_list()
}

/// Replies of Ollama.
pub(crate) fn ollama() -> Vec<Feature> {
    let plain = json!({"model": "m", "created_at": "2026-11-01T00:00:00Z", "done": true, "done_reason": "stop",
        "message": {"role": "assistant", "content": "Hi"}, "prompt_eval_count": 9, "eval_count": 5});
    let mut features = Features::new();
    features.group("What is said");
    features.add("text", &plain, |body| body["message"]["content"] = json!("probe-text"));
    let call = json!({"function": {"name": "probe_tool", "arguments": {"q": "probe-argument"}}});
    features.add("tool call", &plain, |body| {
        body["message"] = json!({"role": "assistant", "content": "", "tool_calls": [call]});
    });
    features.add("text beside a tool call", &plain, |body| {
        body["message"] = json!({"role": "assistant", "content": "probe-text", "tool_calls": [call]});
    });
    features.add("reasoning as text", &plain, |body| body["message"]["thinking"] = json!("probe-thought"));
    ends(&mut features, &plain, &[("the token limit", "length")], |body, word| {
        body["done_reason"] = json!(word);
    });
    features.group("Token counts");
    features.add("prompt and completion", &plain, |body| {
        body["prompt_eval_count"] = json!(1234);
        body["eval_count"] = json!(567);
    });
    features.group("What only this dialect says");
    features.member("how long it took", &plain, "total_duration", json!(987_654_321));
    features.add("logprobs", &plain, |body| body["logprobs"] = json!([{"token": "probe", "logprob": -0.5}]));
    features.into_list()
}

/// Adds the words with which an answer ends.
fn ends(
    features: &mut Features,
    plain: &Value,
    words: &[(&'static str, &str)],
    end: impl Fn(&mut Value, &str),
) {
    features.group("Why it ended");
    for (name, word) in words {
        features.add(name, plain, |body| end(body, word));
    }
}
