//! The conversation in a request: turns, calls and results, signatures and their stand-in.

use mainstay_canon::{
    ChatMessage, ChatRequest, Content, ContentPart, Dialect, Extra, Kind, Media, MediaSource, RawJson,
    ReasoningBlock, ReasoningReplay, Role, Target, Verbatim, WireReply,
};
use mainstay_dialects::Upstream;
use serde_json::{Value, json};

use crate::shared::{NEWEST, OLDER, accepts, call, result, target, try_write, turn, write};

const STAND_IN: &str = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=";

fn said(role: Role, text: &str) -> ChatMessage {
    ChatMessage::new(role, text)
}

fn talk(messages: Vec<ChatMessage>) -> ChatRequest {
    ChatRequest { messages, ..ChatRequest::default() }
}

fn calls(calls: Vec<mainstay_canon::ToolCall>) -> ChatMessage {
    ChatMessage { tool_calls: calls, ..ChatMessage::empty(Role::Assistant) }
}

fn reply(parts: &Value) -> WireReply {
    let body =
        json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]});
    NEWEST.read_reply(body.to_string().as_bytes()).unwrap()
}

fn image() -> ContentPart {
    let media = Media {
        mime: Some("image/png".to_owned()),
        name: None,
        source: MediaSource::Base64("QQ==".to_owned()),
    };
    ContentPart { content: Content::Image(media), extra: Extra::new() }
}

#[test]
fn instructions_stand_apart_and_roles_take_turns() {
    let (body, notes) = write(
        NEWEST,
        &talk(vec![
            said(Role::System, "be brief"),
            said(Role::User, "one"),
            said(Role::User, "two"),
            said(Role::Assistant, ""),
            said(Role::Assistant, "three"),
            said(Role::Developer, "be kind"),
            said(Role::User, " "),
            said(Role::User, "four"),
        ]),
    );
    assert_eq!(
        body,
        json!({
            "systemInstruction": {"parts": [{"text": "be brief"}, {"text": "be kind"}]},
            "contents": [
                {"role": "user", "parts": [{"text": "one"}, {"text": "two"}]},
                {"role": "model", "parts": [{"text": "three"}]},
                {"role": "user", "parts": [{"text": "four"}]},
            ],
        })
    );
    assert_eq!(notes, ["an instruction between messages was moved to the front"]);
}

#[test]
fn a_model_without_instructions_gets_them_before_the_users_words() {
    let without = mainstay_canon::Accepts { system_role: false, ..accepts() };
    let request = talk(vec![said(Role::System, "be brief"), said(Role::User, "hi")]);
    let outbound = try_write(NEWEST, &request, &without).unwrap();
    let body: Value = serde_json::from_slice(&outbound.body).unwrap();
    assert_eq!(body["contents"][0]["parts"], json!([{"text": "be brief"}, {"text": "hi"}]));
    assert!(body.get("systemInstruction").is_none() && outbound.notes.len() == 1);

    let (body, notes) = write(NEWEST, &talk(vec![said(Role::System, "alone")]));
    assert_eq!(body["contents"], json!([{"role": "user", "parts": [{"text": "alone"}]}]));
    assert_eq!(notes.len(), 1);
    let nothing = try_write(NEWEST, &talk(vec![said(Role::User, " ")]), &accepts()).unwrap_err();
    assert_eq!((nothing.kind, nothing.param.as_deref()), (Kind::InvalidRequest, Some("messages")));
}

#[test]
fn results_are_objects_in_the_order_of_their_calls_and_come_first() {
    let failed = ChatMessage { tool_error: true, ..result("c", "no such city") };
    let (body, _) = write(
        OLDER,
        &talk(vec![
            said(Role::User, "hi"),
            calls(vec![call("a", "f", r#"{"n": 1.50}"#), call("b", "g", ""), call("c", "h", "null")]),
            failed,
            result("b", "4 C"),
            result("a", r#"{"t":4.0}"#),
            said(Role::User, "and?"),
        ]),
    );
    assert_eq!(
        body["contents"][1]["parts"],
        json!([
            {"functionCall": {"id": "a", "name": "f", "args": {"n": 1.5}}},
            {"functionCall": {"id": "b", "name": "g", "args": {}}},
            {"functionCall": {"id": "c", "name": "h", "args": {}}},
        ])
    );
    assert_eq!(
        body["contents"][2]["parts"],
        json!([
            {"functionResponse": {"id": "a", "name": "f", "response": {"t": 4.0}}},
            {"functionResponse": {"id": "b", "name": "g", "response": {"output": "4 C"}}},
            {"functionResponse": {"id": "c", "name": "h", "response": {"error": "no such city"}}},
            {"text": "and?"},
        ])
    );
}

#[test]
fn arguments_and_results_keep_their_digits() {
    let outbound = try_write(
        NEWEST,
        &talk(vec![
            said(Role::User, "hi"),
            calls(vec![call("a", "f", r#"{"n": 12345678901234567890.10}"#)]),
            result("a", r#"{"m": 0.1000}"#),
        ]),
        &accepts(),
    )
    .unwrap();
    let text = String::from_utf8(outbound.body).unwrap();
    assert!(
        text.contains(r#"{"n": 12345678901234567890.10}"#) && text.contains(r#"{"m": 0.1000}"#),
        "{text}"
    );
}

#[test]
fn calls_with_one_id_are_answered_in_their_order() {
    let (body, _) = write(
        OLDER,
        &talk(vec![
            said(Role::User, "hi"),
            calls(vec![call("x", "f", "{}"), call("x", "g", "{}")]),
            result("x", "1"),
            result("x", "2"),
        ]),
    );
    let names: Vec<_> = body["contents"][2]["parts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| (&part["functionResponse"]["name"], &part["functionResponse"]["response"]["output"]))
        .collect();
    assert_eq!(names, [(&json!("f"), &json!("1")), (&json!("g"), &json!("2"))]);
}

#[test]
fn a_result_without_its_call_is_the_users_words() {
    let (body, notes) = write(NEWEST, &talk(vec![result("gone", "4 C"), said(Role::User, "and?")]));
    assert_eq!(body["contents"][0]["parts"], json!([{"text": "4 C"}, {"text": "and?"}]));
    assert_eq!(notes, ["a tool result without its call is sent as the user's words"]);
}

#[test]
fn arguments_that_are_no_object_cannot_be_said() {
    for arguments in ["[1]", "7", "{\"a\":", "\"x\""] {
        let request = talk(vec![said(Role::User, "hi"), calls(vec![call("a", "f", arguments)])]);
        let failure = try_write(NEWEST, &request, &accepts()).unwrap_err();
        assert_eq!(failure.kind, Kind::UnsupportedParameter, "{arguments}");
        assert_eq!(failure.param.as_deref(), Some("messages.1.tool_calls.0.arguments"));
    }
}

#[test]
fn media_of_a_result_stand_in_it_or_beside_it_as_the_generation_takes_them() {
    let mut shown = result("a", "a chart");
    shown.content.push(image());
    let request = talk(vec![said(Role::User, "hi"), calls(vec![call("a", "f", "{}")]), shown]);
    let blob = json!({"inlineData": {"mimeType": "image/png", "data": "QQ=="}});
    let (body, _) = write(NEWEST, &request);
    let part = json!({"functionResponse": {"id": "a", "name": "f", "response": {"output": "a chart"}, "parts": [blob]}});
    assert_eq!(body["contents"][2]["parts"], json!([part]));
    assert_eq!(body["contents"][1]["parts"][0]["thoughtSignature"], STAND_IN, "a result begins no turn");
    let (body, _) = write(OLDER, &request);
    let part = json!({"functionResponse": {"id": "a", "name": "f", "response": {"output": "a chart"}}});
    assert_eq!(body["contents"][2]["parts"], json!([part, blob]));
}

#[test]
fn media_are_parts_and_foreign_parts_are_refused() {
    let mut seen = said(Role::User, "what is it?");
    seen.content.push(image());
    let (body, _) = write(NEWEST, &talk(vec![seen.clone()]));
    assert_eq!(body["contents"][0]["parts"][1]["inlineData"]["mimeType"], "image/png");
    let blind = mainstay_canon::Accepts { images: false, ..accepts() };
    let failure = try_write(NEWEST, &talk(vec![seen.clone()]), &blind).unwrap_err();
    assert_eq!(failure.param.as_deref(), Some("messages.0.content.1"));
    seen.role = Role::System;
    assert!(try_write(NEWEST, &talk(vec![seen]), &accepts()).is_err());

    let native = |dialect| {
        let raw = RawJson::parse(r#"{"executableCode":{"code":"1 + 1"}}"#).unwrap();
        let content = Content::Native { dialect, kind: "executableCode".to_owned(), raw };
        let content = vec![ContentPart { content, extra: Extra::new() }];
        talk(vec![ChatMessage { content, ..ChatMessage::empty(Role::User) }])
    };
    let (body, _) = write(NEWEST, &native(Dialect::Gemini));
    assert_eq!(body["contents"][0]["parts"][0]["executableCode"]["code"], "1 + 1");
    assert!(try_write(NEWEST, &native(Dialect::Anthropic), &accepts()).is_err());
}

/// A tool loop: a question, what a model answered, and the results of its calls.
fn tool_loop(answer: ChatMessage) -> ChatRequest {
    let results: Vec<_> = answer.tool_calls.iter().map(|call| result(&call.id, "done")).collect();
    let mut messages = vec![said(Role::User, "hi"), answer];
    messages.extend(results);
    talk(messages)
}

#[test]
fn signatures_go_back_on_the_very_parts_they_came_with() {
    let parts = json!([
        {"text": "Hm", "thought": true},
        {"text": "Let me see. "},
        {"executableCode": {"code": "1 + 1", "language": "PYTHON"}, "thoughtSignature": "s0"},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "2"}},
        {"text": "Two, and ", "thoughtSignature": "s1"},
        {"text": "now the ☂ weather."},
        {"functionCall": {"id": "a", "name": "f", "args": {}}, "thoughtSignature": "s2"},
        {"functionCall": {"id": "b", "name": "g", "args": {"x": 1}}},
        {"text": "", "thoughtSignature": "s3"},
    ]);
    let request = tool_loop(turn(&reply(&parts), Some(&target())));
    for style in [NEWEST, OLDER] {
        let (body, notes) = write(style, &request);
        let sent: Vec<Value> = parts.as_array().unwrap()[1..].to_vec();
        assert_eq!(body["contents"][1]["parts"], json!(sent), "all but the unsigned thought");
        assert!(notes.is_empty(), "{notes:?}");
    }
}

#[test]
fn a_calls_signature_goes_back_from_either_place_and_only_once() {
    let parts = json!([{"functionCall": {"id": "a", "name": "f", "args": {}}, "thoughtSignature": "s"}]);
    let whole = turn(&reply(&parts), Some(&target()));
    let without_blocks = ChatMessage { reasoning_blocks: Vec::new(), ..whole.clone() };
    let mut without_extra = whole.clone();
    without_extra.tool_calls[0].extra = Extra::new();
    for message in [whole, without_blocks, without_extra] {
        let outbound = try_write(NEWEST, &tool_loop(message), &accepts()).unwrap();
        let text = String::from_utf8(outbound.body).unwrap();
        assert_eq!(text.matches("thoughtSignature").count(), 1, "{text}");
        assert!(text.contains(r#""thoughtSignature":"s""#) && outbound.notes.is_empty(), "{text}");
    }
}

#[test]
fn another_models_signature_is_not_sent_and_newer_models_get_the_stand_in() {
    let parts = json!([
        {"text": "Two.", "thoughtSignature": "s1"},
        {"functionCall": {"id": "a", "name": "f", "args": {}}, "thoughtSignature": "s2"},
        {"functionCall": {"id": "b", "name": "f", "args": {}}},
    ]);
    for origin in [Target::new("gemini", "g-other"), Target::new("house", "g-test")] {
        let request = tool_loop(turn(&reply(&parts), Some(&origin)));
        let (body, notes) = write(NEWEST, &request);
        let sent = &body["contents"][1]["parts"];
        assert_eq!(sent[0], json!({"text": "Two."}));
        assert_eq!(sent[1]["thoughtSignature"], STAND_IN);
        assert!(sent[2].get("thoughtSignature").is_none(), "only the first call of a step carries one");
        assert_eq!(notes.len(), 2, "{notes:?}");
        let (body, _) = write(OLDER, &request);
        assert!(!body.to_string().contains("thoughtSignature"), "{body}");
    }
}

#[test]
fn each_step_of_the_current_turn_carries_a_stand_in_and_earlier_turns_none() {
    let step = |id: &str| vec![calls(vec![call(id, "f", "{}")]), result(id, "done")];
    let mut messages = vec![said(Role::User, "first")];
    messages.extend(step("a"));
    messages.push(said(Role::Assistant, "done"));
    messages.push(said(Role::User, "second"));
    messages.extend(step("b"));
    messages.extend(step("c"));
    let (body, notes) = write(NEWEST, &talk(messages));
    let signed: Vec<bool> = body["contents"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|turn| turn["role"] == "model")
        .map(|turn| turn["parts"][0].get("thoughtSignature").is_some())
        .collect();
    assert_eq!(signed, [false, false, true, true]);
    assert_eq!(notes.len(), 1, "{notes:?}");
}

#[test]
fn a_text_that_was_edited_loses_its_signature_and_nothing_else() {
    let parts = json!([{"text": "One. "}, {"text": "Two.", "thoughtSignature": "s"}]);
    for (text, sent) in [
        ("One. Too.", json!([{"text": "One. "}, {"text": "Too."}])),
        ("Öne", json!([{"text": "Öne"}])),
        ("", json!(null)),
    ] {
        let mut message = turn(&reply(&parts), Some(&target()));
        message.content = vec![ContentPart::text(text)];
        let (body, notes) =
            write(NEWEST, &talk(vec![said(Role::User, "hi"), message, said(Role::User, "and?")]));
        let found = body["contents"].as_array().unwrap().iter().find(|turn| turn["role"] == "model");
        assert_eq!(found.map_or(json!(null), |turn| turn["parts"].clone()), sent, "{text:?}");
        assert_eq!(notes, ["a signature is not sent back: its part was changed since"], "{text:?}");
    }
}

#[test]
fn another_call_in_the_place_of_a_signed_one_does_not_get_its_signature() {
    let parts = json!([{"functionCall": {"id": "a", "name": "f", "args": {}}, "thoughtSignature": "s"}]);
    let mut message = turn(&reply(&parts), Some(&target()));
    message.tool_calls = vec![call("b", "g", "{}")];
    let (body, _) = write(NEWEST, &tool_loop(message));
    assert_eq!(body["contents"][1]["parts"][0]["thoughtSignature"], STAND_IN);
}

#[test]
fn a_model_that_takes_no_reasoning_back_gets_none() {
    let parts = json!([{"text": "a", "thoughtSignature": "s1"}]);
    let request =
        talk(vec![said(Role::User, "hi"), turn(&reply(&parts), Some(&target())), said(Role::User, "x")]);
    for replay in [ReasoningReplay::Never, ReasoningReplay::ToolLoop] {
        let accepts = mainstay_canon::Accepts { reasoning_replay: replay, ..accepts() };
        let outbound = try_write(NEWEST, &request, &accepts).unwrap();
        assert!(!String::from_utf8(outbound.body).unwrap().contains("thoughtSignature"));
        assert_eq!(outbound.notes.len(), 1);
    }
}

#[test]
fn other_providers_reasoning_and_extras_stay_behind() {
    let mut message = calls(vec![call("a", "f", "{}")]);
    message.tool_calls[0].extra.insert("extra_content", RawJson::parse("{}").unwrap());
    message.reasoning_content = Some("Hm".to_owned());
    message.reasoning_blocks.push(ReasoningBlock {
        dialect: Dialect::Anthropic,
        origin: None,
        raw: RawJson::parse(r#"{"type":"thinking","thinking":"Hm","signature":"s"}"#).unwrap(),
    });
    let request = ChatRequest { origin: Some(Dialect::OpenaiChat), ..tool_loop(message) };
    let (body, notes) = write(OLDER, &request);
    assert_eq!(body["contents"][1]["parts"], json!([{"functionCall": {"id": "a", "name": "f", "args": {}}}]));
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes.iter().any(|note| note.contains("extra_content")), "{notes:?}");
}

#[test]
fn content_that_came_in_this_dialect_goes_as_it_stood() {
    let mut message = calls(vec![call("a", "f", "{}")]);
    let parts = r#"[{"functionCall":{"name":"f","args":{ }},"thoughtSignature":"s"}]"#;
    message.verbatim = Some(Verbatim { dialect: Dialect::Gemini, content: RawJson::parse(parts).unwrap() });
    let outbound = try_write(NEWEST, &tool_loop(message), &accepts()).unwrap();
    let text = String::from_utf8(outbound.body).unwrap();
    assert!(text.contains(parts) && text.contains(r#""functionResponse":{"id":"a","name":"f""#), "{text}");
}

#[test]
fn a_refusal_is_what_the_model_said() {
    let message = ChatMessage { refusal: Some("I can't.".to_owned()), ..ChatMessage::empty(Role::Assistant) };
    let (body, _) = write(NEWEST, &talk(vec![said(Role::User, "hi"), message, said(Role::User, "why?")]));
    assert_eq!(body["contents"][1]["parts"], json!([{"text": "I can't."}]));
}
