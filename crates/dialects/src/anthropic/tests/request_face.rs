//! Requests of callers.

use mainstay_canon::{
    Content, Dialect, Kind, MediaSource, ReasoningEffort, ResponseFormat, Role, ToolChoice,
};
use serde_json::json;

use super::*;
use crate::Inbound;
use crate::anthropic::Face;

fn read(body: &Value) -> ChatRequest {
    Face.read_request(&serde_json::to_vec(body).unwrap()).unwrap().request
}

/// A body around these messages.
fn messages(messages: &Value) -> Value {
    json!({"model": "m", "max_tokens": 10, "messages": messages})
}

fn hello(more: &Value) -> Value {
    let mut body = messages(&json!([{"role": "user", "content": "hi"}]));
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

#[test]
fn every_member_with_a_name_gets_it() {
    let request = read(&hello(&json!({
        "system": "s", "temperature": 0.5, "top_p": 0.9, "top_k": 5, "stop_sequences": ["END"], "stream": true,
        "metadata": {"user_id": "u-1"}, "service_tier": "auto", "container": null,
        "tools": [
            {"name": "f", "description": "d", "input_schema": {"type": "object"}, "strict": true,
             "cache_control": {"type": "ephemeral"}},
            {"type": "custom", "name": "g", "input_schema": {"type": "object"}},
            {"type": "web_search_20250305", "name": "web_search", "max_uses": 3}
        ],
        "tool_choice": {"type": "tool", "name": "f", "disable_parallel_tool_use": true},
    })));
    assert_eq!((request.model_hint.as_deref(), request.max_tokens), (Some("m"), Some(10)));
    assert_eq!((request.temperature, request.top_p), (Some(0.5), Some(0.9)));
    assert_eq!((request.stop.as_slice(), request.stream), (&["END".to_owned()][..], true));
    assert_eq!(request.meta.user_id.as_deref(), Some("u-1"));
    assert_eq!(request.origin, Some(Dialect::Anthropic));
    assert_eq!(request.messages[0].role, Role::System);
    assert_eq!(request.tool_choice, Some(ToolChoice::Named("f".into())));
    assert_eq!(request.parallel_tool_calls, Some(false));
    assert_eq!(request.tools[0].extra.names().collect::<Vec<_>>(), ["cache_control"]);
    assert!(request.tools[1].extra.is_empty() && request.tools[1].native.is_none());
    assert_eq!(request.tools[2].name, "web_search");
    assert!(request.tools[2].native.is_some());
    assert_eq!(request.extra.names().collect::<Vec<_>>(), ["metadata", "service_tier", "top_k"]);
}

#[test]
fn results_become_messages_of_their_own_before_what_the_user_says() {
    let request = read(&messages(&json!([
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [
            {"type": "text", "text": "ok"},
            {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}},
            {"type": "tool_use", "id": "b", "name": "f", "input": {}}
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "a", "content": "1"},
            {"type": "text", "text": "and?"},
            {"type": "tool_result", "tool_use_id": "b", "is_error": true, "cache_control": {"type": "ephemeral"},
             "content": [{"type": "text", "text": "2"},
                         {"type": "image", "source": {"type": "url", "url": "https://x.test/i.png"}}]}
        ]}
    ])));
    let roles: Vec<_> = request.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::Tool, Role::User]);
    assert_eq!(request.messages[1].tool_calls[0].arguments, r#"{"x":1}"#);
    assert!(request.messages[1].verbatim.is_none());
    assert_eq!(request.messages[2].text(), "1");
    let second = &request.messages[3];
    assert_eq!((second.tool_call_id.as_deref(), second.tool_error), (Some("b"), true));
    assert!(matches!(second.content[1].content, Content::Image(_)));
    assert_eq!(second.extra.names().collect::<Vec<_>>(), ["cache_control"]);
    assert_eq!(request.messages[4].text(), "and?");
}

#[test]
fn thinking_is_read_and_kept() {
    let content = r#"[{"type":"thinking","thinking":"Hm.","signature":"s"},{"type":"redacted_thinking","data":"x"},{"type":"text","text":"Yes"}]"#;
    let body = format!(
        r#"{{"model":"m","messages":[{{"role":"user","content":"?"}},{{"role":"assistant","content":{content}}}]}}"#
    );
    let request = Face.read_request(body.as_bytes()).unwrap().request;
    let message = &request.messages[1];
    assert_eq!((message.reasoning_content.as_deref(), message.text().as_str()), (Some("Hm."), "Yes"));
    assert_eq!(message.reasoning_blocks.len(), 2);
    assert_eq!(message.reasoning_blocks[1].raw.text(), r#"{"type":"redacted_thinking","data":"x"}"#);
    assert_eq!(message.verbatim.as_ref().unwrap().content.text(), content);
    assert_eq!(request.max_tokens, None);
}

#[test]
fn blocks_without_a_name_are_kept_whole_and_in_place() {
    let request = read(&messages(&json!([
        {"role": "user", "content": [
            {"type": "container_upload", "file_id": "f"},
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}},
            {"type": "document", "title": "T", "context": "c",
             "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBE"}}
        ]},
        {"role": "assistant", "content": [
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
            {"type": "text", "text": "a", "citations": [{"type": "x"}]}
        ]}
    ])));
    let user = &request.messages[0].content;
    assert!(matches!(&user[0].content, Content::Native { kind, .. } if kind == "container_upload"));
    assert!(matches!(&user[1].content, Content::Native { kind, .. } if kind == "document"));
    let Content::File(file) = &user[2].content else { panic!("{:?}", user[2]) };
    assert_eq!((file.name.as_deref(), file.mime.as_deref()), (Some("T"), Some("application/pdf")));
    assert_eq!(file.source, MediaSource::Base64("JVBE".into()));
    assert_eq!(user[2].extra.names().collect::<Vec<_>>(), ["context"]);
    let assistant = &request.messages[1];
    assert!(assistant.verbatim.is_some());
    assert_eq!(assistant.content[1].extra.names().collect::<Vec<_>>(), ["citations"]);
}

#[test]
fn effort_is_read_as_far_as_it_maps() {
    for (thinking, config, effort, kept) in [
        (json!({"type": "adaptive"}), json!({"effort": "high"}), Some(ReasoningEffort::High), &[][..]),
        (json!({"type": "disabled"}), Value::Null, Some(ReasoningEffort::None), &[][..]),
        (json!({"type": "adaptive"}), Value::Null, None, &["thinking"][..]),
        (Value::Null, json!({"effort": "low"}), Some(ReasoningEffort::Low), &["output_config"][..]),
        (
            json!({"type": "adaptive", "display": "summarized"}),
            json!({"effort": "max"}),
            Some(ReasoningEffort::Max),
            &["output_config", "thinking"][..],
        ),
        (
            json!({"type": "enabled", "budget_tokens": 2000}),
            Value::Null,
            Some(ReasoningEffort::Low),
            &["thinking"][..],
        ),
        (
            json!({"type": "adaptive"}),
            json!({"effort": "galactic"}),
            None,
            &["output_config", "thinking"][..],
        ),
        (
            json!({"type": "adaptive"}),
            json!({"effort": "high", "task_budget": 5}),
            Some(ReasoningEffort::High),
            &["output_config", "thinking"][..],
        ),
    ] {
        let request = read(&hello(&json!({"thinking": thinking, "output_config": config})));
        assert_eq!(request.reasoning_effort, effort, "{thinking} {config}");
        assert_eq!(request.extra.names().collect::<Vec<_>>(), kept, "{thinking} {config}");
    }
}

#[test]
fn a_schema_is_read_under_both_names() {
    let format = json!({"type": "json_schema", "schema": {"type": "object"}});
    let request = read(&hello(&json!({"output_config": {"format": format}})));
    let ResponseFormat::JsonSchema { schema, .. } = &request.response_format else { panic!() };
    assert_eq!(schema.text(), r#"{"type":"object"}"#);
    assert!(request.extra.is_empty());
    let request = read(&hello(&json!({"output_format": format})));
    assert_ne!(request.response_format, ResponseFormat::Text);
    assert_eq!(request.extra.names().collect::<Vec<_>>(), ["output_format"]);
}

#[test]
fn instructions_may_be_texts_and_stand_between_messages() {
    let request = read(&json!({
        "model": "m",
        "system": [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}, {"type": "text", "text": "b"}],
        "messages": [
            {"role": "user", "content": "hi"},
            {"role": "system", "content": "now in French"},
            {"role": "user", "content": [{"type": "text", "text": "ok"}]}
        ]
    }));
    assert_eq!(request.messages[0].content.len(), 2);
    assert_eq!(request.messages[2].role, Role::System);
}

#[test]
fn a_mistake_names_its_field() {
    for (body, path, found) in [
        (json!({"messages": []}), "model", "required"),
        (json!({"model": 7, "messages": []}), "model", "found a number"),
        (json!({"model": "m"}), "messages", "required"),
        (json!({"model": "m", "messages": []}), "messages", "at least one"),
        (json!({"model": "m", "messages": {}}), "messages", "expected an array, found an object"),
        (messages(&json!([7])), "messages.0", "expected an object"),
        (messages(&json!([{"role": "tool", "content": "x"}])), "messages.0.role", "\"tool\""),
        (messages(&json!([{"role": "user"}])), "messages.0.content", "required"),
        (messages(&json!([{"role": "user", "content": null}])), "messages.0.content", "found null"),
        (
            messages(&json!([{"role": "user", "content": [{"text": "x"}]}])),
            "messages.0.content.0.type",
            "required",
        ),
        (
            messages(
                &json!([{"role": "user", "content": "x"}, {"role": "assistant", "content": [{"type": "tool_use"}]}]),
            ),
            "messages.1.content.0.id",
            "required",
        ),
        (
            messages(&json!([{"role": "user", "content": [{"type": "image", "source": {"type": "url"}}]}])),
            "messages.0.content.0.source.url",
            "required",
        ),
        (
            messages(
                &json!([{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": [7]}]}]),
            ),
            "messages.0.content.0.content.0",
            "expected an object",
        ),
        (hello(&json!({"max_tokens": -1})), "max_tokens", "whole number"),
        (hello(&json!({"max_tokens": 1.5})), "max_tokens", "whole number"),
        (hello(&json!({"temperature": "hot"})), "temperature", "found a string"),
        (hello(&json!({"stop_sequences": ["a", 1]})), "stop_sequences.1", "found a number"),
        (hello(&json!({"stream": "yes"})), "stream", "expected a boolean"),
        (hello(&json!({"tools": [{"input_schema": {}}]})), "tools.0.name", "required"),
        (
            hello(&json!({"tools": [{"name": "f", "input_schema": "x"}]})),
            "tools.0.input_schema",
            "found a string",
        ),
        (hello(&json!({"tool_choice": {"type": "maybe"}})), "tool_choice.type", "\"maybe\""),
        (hello(&json!({"metadata": {"user_id": 5}})), "metadata.user_id", "found a number"),
        (hello(&json!({"thinking": true})), "thinking", "expected an object"),
        (hello(&json!({"output_config": {"effort": 3}})), "output_config.effort", "found a number"),
        (hello(&json!({"system": 5})), "system", "found a number"),
    ] {
        let failure = Face.read_request(&serde_json::to_vec(&body).unwrap()).unwrap_err();
        assert_eq!((failure.kind, failure.status), (Kind::InvalidRequest, Some(400)), "{body}");
        assert_eq!(failure.param.as_deref(), Some(path), "{body}");
        assert!(failure.message.starts_with(&format!("{path}: ")), "{}", failure.message);
        assert!(failure.message.contains(found), "{}", failure.message);
    }
}

#[test]
fn a_body_that_is_no_object_is_a_mistake_without_a_field() {
    for body in ["", "[]", "{\"model\":", "\"secret\""] {
        let failure = Face.read_request(body.as_bytes()).unwrap_err();
        assert_eq!((failure.kind, failure.param.clone()), (Kind::InvalidRequest, None), "{body}");
        assert!(!failure.message.contains("secret"), "{}", failure.message);
    }
    assert_eq!(Face.read_request(b"\xff").unwrap_err().kind, Kind::InvalidRequest);
}
