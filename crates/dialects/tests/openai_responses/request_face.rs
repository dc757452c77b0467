//! Requests of callers.

use mainstay_canon::{
    ChatRequest, Content, Dialect, Failure, Kind, MediaSource, ReasoningEffort, ResponseFormat, Role,
    ToolChoice,
};
use mainstay_dialects::openai_responses::INBOUND;
use mainstay_dialects::{Inbound, Received};
use serde_json::{Value, json};

use crate::shared::{takes_all, write};

fn received(body: &Value) -> Received {
    INBOUND.read_request(&serde_json::to_vec(body).unwrap()).unwrap()
}

fn read(body: &Value) -> ChatRequest {
    received(body).request
}

fn items(items: &Value) -> ChatRequest {
    read(&json!({"model": "m", "input": items}))
}

fn refused(body: &str) -> Failure {
    let failure = INBOUND.read_request(body.as_bytes()).unwrap_err();
    assert_eq!(failure.kind, Kind::InvalidRequest);
    failure
}

#[test]
fn every_member_finds_its_place() {
    let received = received(&json!({
        "model": "m", "instructions": "be brief", "input": "hi", "temperature": 0.5, "top_p": 1, "max_output_tokens": 7,
        "stream": true, "stream_options": {"include_obfuscation": false}, "store": true, "background": false,
        "conversation": null, "previous_response_id": null, "tool_choice": "required", "parallel_tool_calls": false,
        "tools": [{"type": "function", "name": "f", "parameters": {}}, {"type": "web_search"}],
        "text": {"format": {"type": "json_object"}, "verbosity": "low"},
        "reasoning": {"effort": "low", "summary": "auto", "context": null},
        "user": "u-1", "safety_identifier": "s-1", "truncation": "auto", "metadata": null,
        "include": ["reasoning.encrypted_content"]
    }));
    let request = received.request;
    assert!(received.include_usage && request.stream);
    assert_eq!((request.model_hint.as_deref(), request.messages.len()), (Some("m"), 2));
    assert_eq!((request.messages[0].role, request.messages[0].text()), (Role::System, "be brief".into()));
    assert_eq!((request.messages[1].role, request.messages[1].text()), (Role::User, "hi".into()));
    assert_eq!((request.temperature, request.top_p, request.max_tokens), (Some(0.5), Some(1.0), Some(7)));
    assert_eq!((request.tool_choice, request.parallel_tool_calls), (Some(ToolChoice::Required), Some(false)));
    assert_eq!((request.tools[0].name.as_str(), request.tools[1].name.as_str()), ("f", "web_search"));
    assert!(request.tools[1].native.is_some());
    assert_eq!(
        (request.reasoning_effort, request.response_format),
        (Some(ReasoningEffort::Low), ResponseFormat::Json)
    );
    assert_eq!(
        (request.meta.user_id.as_deref(), request.origin),
        (Some("u-1"), Some(Dialect::OpenaiResponses))
    );
    assert_eq!(
        request.extra.names().collect::<Vec<_>>(),
        [
            "include",
            "metadata",
            "reasoning.context",
            "reasoning.summary",
            "safety_identifier",
            "stream_options",
            "text.verbosity",
            "truncation",
            "user"
        ]
    );
}

#[test]
fn what_rests_on_something_stored_is_refused_and_says_what_to_do() {
    for (member, message) in [
        (
            r#""previous_response_id":"resp_1""#,
            "previous_response_id: answers are not stored here; send the earlier items",
        ),
        (r#""conversation":"conv_1""#, "conversation: conversations are not stored here"),
        (r#""conversation":{"id":"conv_1"}"#, "conversation: conversations are not stored here"),
        (r#""prompt":{"id":"pmpt_1"}"#, "prompt: stored prompts are one provider's own"),
        (r#""background":true"#, "background: answers are not kept for later"),
    ] {
        let failure = refused(&format!(r#"{{"input":"x",{member}}}"#));
        assert!(failure.message.starts_with(message), "{}", failure.message);
        assert!(failure.message.contains("; "), "{}", failure.message);
        assert_eq!(failure.param.as_deref(), message.split(':').next());
    }
    for reference in [r#"{"type":"item_reference","id":"rs_1"}"#, r#"{"id":"msg_1"}"#] {
        let failure = refused(&format!(r#"{{"input":[{{"role":"user","content":"x"}},{reference}]}}"#));
        assert_eq!(
            failure.message,
            "input[1]: items are not stored here; send the item itself, not a reference to it"
        );
    }
}

#[test]
fn an_error_names_the_field_and_what_was_found() {
    for (body, message) in [
        ("[]", "the body: expected an object, found a list"),
        ("{", "the body is not JSON: it ends early at line 1, column 1"),
        ("{}", "input: expected a string or a list of items, found nothing"),
        (r#"{"messages":[]}"#, "messages: this is Chat Completions; send `input`"),
        (r#"{"input":7}"#, "input: expected a string or a list of items, found a number"),
        (r#"{"input":[]}"#, "input: expected at least one item, found none"),
        (r#"{"input":[7]}"#, "input[0]: expected an object, found a number"),
        (r#"{"input":[{}]}"#, "input[0].type: expected a string, found nothing"),
        (
            r#"{"input":[{"role":"user"}]}"#,
            "input[0].content: expected a string or a list of parts, found nothing",
        ),
        (
            r#"{"input":[{"role":"robot","content":""}]}"#,
            "input[0].role: expected \"system\", \"developer\", \"user\" or \"assistant\", found \"robot\"",
        ),
        (
            r#"{"input":[{"role":"user","content":[{"type":"input_text"}]}]}"#,
            "input[0].content[0].text: expected a string, found nothing",
        ),
        (
            r#"{"input":[{"type":"function_call","name":"f"}]}"#,
            "input[0].call_id: expected a string, found nothing",
        ),
        (
            r#"{"input":[{"type":"function_call_output","call_id":"c"}]}"#,
            "input[0].output: expected a string or a list of parts, found nothing",
        ),
        (
            r#"{"input":[{"type":"reasoning","encrypted_content":7}]}"#,
            "input[0].encrypted_content: expected a string, found a number",
        ),
        (
            r#"{"input":"x","max_output_tokens":0}"#,
            "max_output_tokens: expected a whole number of at least 1, found 0",
        ),
        (r#"{"input":"x","store":"no"}"#, "store: expected true or false, found a string"),
        (
            r#"{"input":"x","text":{"format":{"type":"json_schema"}}}"#,
            "text.format.schema: expected a JSON schema, found nothing",
        ),
        (r#"{"input":"x","reasoning":"low"}"#, "reasoning: expected an object, found a string"),
        (r#"{"input":"x","tools":[{"name":"f"}]}"#, "tools[0].type: expected a string, found nothing"),
        (r#"{"input":"x","stream":1}"#, "stream: expected true or false, found a number"),
    ] {
        assert_eq!(refused(body).message, message);
    }
}

#[test]
fn what_the_model_did_is_one_turn() {
    let request = items(&json!([
        {"role": "user", "content": [{"type": "input_text", "text": "weather?"}]},
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Look."}], "encrypted_content": "gAAA"},
        {"type": "message", "role": "assistant", "id": "msg_1", "status": "completed", "phase": "commentary",
         "content": [{"type": "output_text", "text": "Looking.", "annotations": [], "logprobs": []}]},
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{}", "status": "completed"},
        {"type": "function_call", "call_id": "c2", "name": "g", "arguments": "{\"a\": 1}"},
        {"type": "function_call_output", "call_id": "c1", "output": "4 C"},
        {"type": "function_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "5 C"}]},
        {"role": "assistant", "content": "Cold."}
    ]));
    let roles: Vec<_> = request.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::Tool, Role::Assistant]);
    let turn = &request.messages[1];
    assert_eq!((turn.text(), turn.reasoning_content.as_deref()), ("Looking.".into(), Some("Look.")));
    assert_eq!(turn.extra.names().collect::<Vec<_>>(), ["id", "phase", "status"]);
    assert_eq!((turn.tool_calls.len(), turn.verbatim.is_none()), (2, true));
    assert_eq!(turn.reasoning_blocks[0].origin, None);
    assert!(turn.reasoning_blocks[0].raw.text().contains("gAAA"));
    assert_eq!(
        (request.messages[2].tool_call_id.as_deref(), request.messages[3].text()),
        (Some("c1"), "5 C".into())
    );
}

#[test]
fn a_turn_in_another_order_is_kept_as_it_came() {
    let turn = json!([
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
        {"type": "reasoning", "id": "rs_2", "summary": [], "n": 1.5},
        {"type": "message", "role": "assistant", "content": "a"},
        {"type": "message", "role": "assistant", "content": "b"}
    ]);
    let request = items(&turn);
    let [message] = &request.messages[..] else { panic!("{request:?}") };
    assert_eq!((message.text(), message.tool_calls.len()), ("ab".into(), 1));
    let kept = message.verbatim.as_ref().unwrap();
    assert_eq!((kept.dialect, kept.content.read::<Value>().unwrap()), (Dialect::OpenaiResponses, turn));
}

#[test]
fn what_the_provider_did_itself_travels_like_reasoning() {
    let request = items(&json!([
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        {"type": "shell_call", "call_id": "s", "environment": {"type": "container_reference"}},
        {"type": "shell_call_output", "call_id": "s", "output": []},
        {"role": "assistant", "content": "Found."}
    ]));
    let [message] = &request.messages[..] else { panic!("{request:?}") };
    assert_eq!((message.reasoning_blocks.len(), message.verbatim.is_none()), (3, true));
}

#[test]
fn tools_that_only_this_dialect_knows_are_calls_with_results_that_others_refuse() {
    let request = items(&json!([
        {"type": "computer_call", "id": "cu", "call_id": "c", "action": {"type": "screenshot"}},
        {"type": "computer_call_output", "call_id": "c", "output": {"type": "computer_screenshot", "image_url": "data:x"}},
        {"type": "mcp_approval_request", "id": "mcpr_1", "name": "f", "arguments": "{}"},
        {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": true},
        {"type": "compaction", "id": "cmp", "encrypted_content": "x"}
    ]));
    let roles: Vec<_> = request.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::Assistant, Role::Tool, Role::Assistant, Role::Tool, Role::User]);
    assert_eq!(request.messages[0].tool_calls[0].name, "computer");
    assert_eq!(request.messages[3].tool_call_id.as_deref(), Some("mcpr_1"));
    for at in [1, 3, 4] {
        let message = &request.messages[at];
        assert!(matches!(
            &message.content[0].content,
            Content::Native { dialect: Dialect::OpenaiResponses, .. }
        ));
        assert!(message.verbatim.is_some());
    }
}

#[test]
fn free_text_calls_are_known_by_their_extra_and_their_results_by_the_call() {
    let request = items(&json!([
        {"type": "custom_tool_call", "call_id": "c", "name": "sum", "input": "4 + 4"},
        {"type": "custom_tool_call_output", "call_id": "c", "output": "8"},
        {"type": "custom_tool_call_output", "call_id": "lost", "output": "9"}
    ]));
    let call = &request.messages[0].tool_calls[0];
    assert_eq!((&*call.arguments, call.extra.get("type").unwrap().text()), ("4 + 4", "\"custom\""));
    assert!(request.messages[1].extra.is_empty());
    assert_eq!(request.messages[2].extra.get("type").unwrap().text(), "\"custom_tool_call_output\"");
}

#[test]
fn parts_of_every_kind_are_read() {
    let request = items(&json!([{"role": "user", "content": [
        {"type": "input_image", "image_url": "data:image/png;base64,QUJD", "detail": "low"},
        {"type": "input_file", "file_url": "https://x/a.pdf"},
        {"type": "input_audio", "input_audio": {"data": "QUJD", "format": "wav"}},
        {"type": "input_hologram", "x": 1}
    ]}]));
    let [image, file, sound, other] = &request.messages[0].content[..] else { panic!() };
    assert!(
        matches!(&image.content, Content::Image(media) if media.source == MediaSource::Base64("QUJD".into()))
    );
    assert_eq!(image.extra.get("detail").unwrap().text(), "\"low\"");
    assert!(
        matches!(&file.content, Content::File(media) if media.source == MediaSource::Url("https://x/a.pdf".into()))
    );
    assert!(matches!(&sound.content, Content::Audio(media) if media.mime.as_deref() == Some("audio/wav")));
    assert!(matches!(&other.content, Content::Native { kind, .. } if kind == "input_hologram"));
}

#[test]
fn what_only_this_dialect_can_say_is_kept() {
    let request = read(&json!({
        "input": "x", "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": []},
        "text": {"format": {"type": "grammar", "syntax": "lark"}}, "reasoning": {"effort": "extreme"}
    }));
    assert_eq!(request.extra.names().collect::<Vec<_>>(), ["reasoning.effort", "text.format", "tool_choice"]);
    let described = read(&json!({"input": "x", "text": {"format":
        {"type": "json_schema", "name": "n", "description": "d", "schema": {"type": "object"}, "strict": true}}}));
    assert_eq!(described.extra.names().collect::<Vec<_>>(), ["text.format.description"]);
    assert!(matches!(described.response_format, ResponseFormat::JsonSchema { strict: Some(true), .. }));
}

#[test]
fn ids_that_we_made_up_go_to_no_provider() {
    let said = json!({"type": "message", "id": "msg_mainstay_7f3a_1", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": "a", "annotations": []}]});
    let call = json!({"type": "function_call", "id": "fc_mainstay_7f3a_2", "call_id": "c", "name": "f", "arguments": "{}"});
    // Its encrypted content was lost on the way, so there is nothing to give back.
    let thought = json!({"type": "reasoning", "id": "rs_mainstay_7f3a_0", "summary": [{"type": "summary_text", "text": "Hm."}]});
    for turn in [json!([thought, said, call]), json!([thought, call, said])] {
        let request = items(&turn);
        let message = &request.messages[0];
        assert_eq!((message.reasoning_content.as_deref(), message.reasoning_blocks.len()), (Some("Hm."), 0));
        let (body, _) = write(&request, &takes_all()).unwrap();
        let sent = body["input"].as_array().unwrap();
        assert_eq!(sent.len(), 2, "{sent:?}");
        assert!(sent.iter().all(|item| item.get("id").is_none()), "{sent:?}");
    }
}
