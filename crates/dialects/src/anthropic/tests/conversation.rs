//! Requests to a provider: the conversation.

use mainstay_canon::{ChatMessage, Dialect, Extra, Kind, RawJson, ReasoningBlock, Role, ToolCall, Verbatim};
use serde_json::json;

use super::cases::assert_no_blank;
use super::request_upstream::{hello, raw};
use super::*;

fn call(id: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.into(), name: "f".into(), arguments: arguments.into(), extra: Extra::new() }
}

fn called(calls: Vec<ToolCall>) -> ChatMessage {
    ChatMessage { tool_calls: calls, ..ChatMessage::empty(Role::Assistant) }
}

fn result(id: &str, text: &str) -> ChatMessage {
    ChatMessage { tool_call_id: Some(id.into()), ..ChatMessage::new(Role::Tool, text) }
}

#[test]
fn instructions_go_to_the_front_with_their_marks() {
    let mut request = ChatRequest { origin: Some(Dialect::Anthropic), ..hello().system("one") };
    request.messages[0].content[0].extra.insert("cache_control", raw(&json!({"type": "ephemeral"})));
    request.messages.insert(1, ChatMessage::new(Role::Developer, "two"));
    assert_eq!(
        body(&write(&request))["system"],
        json!([
            {"type": "text", "text": "one", "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": "two"}
        ])
    );
}

#[test]
fn an_instruction_between_messages_stays_for_an_own_caller_and_moves_for_others() {
    let mut request = hello().message(ChatMessage::new(Role::System, "now in French"));
    let out = write(&request);
    assert_eq!(body(&out)["system"], "now in French");
    assert_eq!(out.notes.len(), 1);
    request.origin = Some(Dialect::Anthropic);
    let out = write(&request);
    assert_eq!(body(&out)["messages"][1], json!({"role": "system", "content": "now in French"}));
    assert!(out.notes.is_empty());
}

#[test]
fn a_model_without_system_messages_is_told_by_the_user() {
    let accepts = Accepts { system_role: false, ..accepts() };
    let out = write_with(&hello().system("be brief"), &accepts).unwrap();
    assert!(body(&out).get("system").is_none());
    assert_eq!(
        body(&out)["messages"],
        json!([{"role": "user", "content": [{"type": "text", "text": "be brief"}, {"type": "text", "text": "hi"}]}])
    );
}

#[test]
fn instructions_alone_become_the_question_and_nothing_at_all_is_an_error() {
    let alone = ChatRequest { messages: vec![ChatMessage::new(Role::System, "say hi")], ..hello() };
    assert_eq!(body(&write(&alone))["messages"], json!([{"role": "user", "content": "say hi"}]));
    let nothing = ChatRequest { messages: vec![ChatMessage::new(Role::User, " ")], ..hello() };
    let failure = write_with(&nothing, &accepts()).unwrap_err();
    assert_eq!((failure.kind, failure.param.as_deref()), (Kind::InvalidRequest, Some("messages")));
}

#[test]
fn neighbours_of_one_role_are_joined_and_blanks_are_left_out() {
    let request = ChatRequest {
        messages: vec![
            ChatMessage::new(Role::User, "a"),
            ChatMessage::new(Role::Assistant, " \n"),
            ChatMessage::new(Role::User, "b"),
            ChatMessage::new(Role::Assistant, "c"),
            ChatMessage::new(Role::Assistant, "d"),
            ChatMessage::new(Role::User, "e"),
        ],
        ..hello()
    };
    let body = body(&write(&request));
    let roles: Vec<_> = body["messages"].as_array().unwrap().iter().map(|turn| &turn["role"]).collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
    assert_no_blank(&body, "joined");
}

#[test]
fn results_follow_their_turn_in_the_order_of_the_calls() {
    let request = ChatRequest {
        messages: vec![
            ChatMessage::new(Role::User, "go"),
            called(vec![call("a", "{}"), call("b", ""), call("c", r#"{"n": 1.0}"#)]),
            result("c", "3"),
            ChatMessage::new(Role::User, "wait"),
            result("a", " "),
            ChatMessage { tool_error: true, ..result("b", "no") },
        ],
        ..hello()
    };
    let out = write(&request);
    assert!(String::from_utf8_lossy(&out.body).contains(r#""input":{"n": 1.0}"#));
    assert_eq!(
        body(&out)["messages"][2]["content"],
        json!([
            {"type": "tool_result", "tool_use_id": "a"},
            {"type": "tool_result", "tool_use_id": "b", "content": "no", "is_error": true},
            {"type": "tool_result", "tool_use_id": "c", "content": "3"},
            {"type": "text", "text": "wait"}
        ])
    );
    assert_eq!(body(&out)["messages"].as_array().unwrap().len(), 3);
}

#[test]
fn a_result_without_its_call_becomes_the_users_words() {
    let request = ChatRequest {
        messages: vec![
            result("gone", "42"),
            ChatMessage::new(Role::User, "so?"),
            called(vec![call("a", "{}")]),
            result("a", "1"),
            result("a", "again"),
        ],
        ..hello()
    };
    let out = write(&request);
    assert_eq!(body(&out)["messages"][0]["content"][0], json!({"type": "text", "text": "42"}));
    assert_eq!(
        body(&out)["messages"][2]["content"],
        json!([
            {"type": "tool_result", "tool_use_id": "a", "content": "1"},
            {"type": "text", "text": "again"}
        ])
    );
    assert_eq!(out.notes.len(), 1);
}

#[test]
fn foreign_ids_are_made_to_fit_for_calls_and_results_alike() {
    let request = ChatRequest {
        messages: vec![
            ChatMessage::new(Role::User, "go"),
            called(vec![call("functions.f:0", "{}"), call("functions.f_0", "{}"), call("", "{}")]),
            result("functions.f:0", "1"),
            result("functions.f_0", "2"),
            result("", "3"),
            called(vec![call("call_0", "{}")]),
            result("call_0", "4"),
            called(vec![call("call_0", "{}")]),
            result("call_0", "5"),
        ],
        ..hello()
    };
    let body = body(&write(&request));
    let mut ids = Vec::new();
    for (nth, turn) in body["messages"].as_array().unwrap().iter().enumerate().skip(1).step_by(2) {
        let calls = turn["content"].as_array().unwrap();
        let results = body["messages"][nth + 1]["content"].as_array().unwrap();
        for (call, result) in calls.iter().zip(results) {
            assert_eq!(call["id"], result["tool_use_id"]);
            ids.push(call["id"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(ids.len(), 5);
    let valid =
        |id: &String| !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
    assert!(ids.iter().all(valid), "{ids:?}");
    assert_eq!(ids.iter().collect::<std::collections::BTreeSet<_>>().len(), 5, "{ids:?}");
}

#[test]
fn arguments_that_are_no_object_are_for_another_tier() {
    for arguments in ["{\"a\":", "[1]", "7", "\"x\""] {
        let request = hello().message(called(vec![call("a", arguments)]));
        let failure = write_with(&request, &accepts()).unwrap_err();
        assert_eq!(failure.kind, Kind::UnsupportedParameter);
        assert_eq!(failure.param.as_deref(), Some("messages.1.tool_calls.0.arguments"));
    }
    let request = hello().message(called(vec![call("a", "null")]));
    assert_eq!(body(&write(&request))["messages"][1]["content"][0]["input"], json!({}));
}

fn thought(origin: Option<Target>, block: &Value) -> ReasoningBlock {
    ReasoningBlock { dialect: Dialect::Anthropic, origin, raw: raw(block) }
}

#[test]
fn thinking_goes_back_to_its_own_model_only() {
    let signed = json!({"type": "thinking", "thinking": "hm", "signature": "s"});
    let unsigned = json!({"type": "thinking", "thinking": "hm", "signature": ""});
    let own = Some(Target::new("anthropic", "claude-test"));
    let other = Some(Target::new("anthropic", "claude-other"));
    let foreign = ReasoningBlock { dialect: Dialect::Gemini, ..thought(None, &signed) };
    for (block, goes_back) in [
        (thought(own, &signed), true),
        (thought(None, &signed), true),
        (thought(other, &signed), false),
        (thought(None, &unsigned), false),
        (foreign, false),
    ] {
        let message = ChatMessage {
            reasoning_content: Some("hm".into()),
            reasoning_blocks: vec![block.clone()],
            ..ChatMessage::new(Role::Assistant, "yes")
        };
        let out = write(&hello().message(message));
        let text = String::from_utf8(out.body).unwrap();
        assert_eq!(text.contains(block.raw.text()), goes_back, "{block:?}");
        assert_eq!(out.notes.is_empty(), goes_back, "{block:?}");
        assert!(!text.contains("reasoning_content"));
    }
}

#[test]
fn the_model_decides_when_reasoning_goes_back() {
    let block = thought(None, &json!({"type": "redacted_thinking", "data": "x"}));
    let plain =
        ChatMessage { reasoning_blocks: vec![block.clone()], ..ChatMessage::new(Role::Assistant, "yes") };
    let calling = ChatMessage { reasoning_blocks: vec![block], ..called(vec![call("a", "{}")]) };
    for (replay, with_text, with_call) in [
        (ReasoningReplay::All, true, true),
        (ReasoningReplay::ToolLoop, false, true),
        (ReasoningReplay::Never, false, false),
    ] {
        let accepts = Accepts { reasoning_replay: replay, ..accepts() };
        for (message, expected) in [(&plain, with_text), (&calling, with_call)] {
            let out = write_with(&hello().message(message.clone()), &accepts).unwrap();
            assert_eq!(String::from_utf8_lossy(&out.body).contains("redacted"), expected, "{replay:?}");
        }
    }
}

#[test]
fn content_of_this_dialect_is_sent_as_it_came() {
    let content = r#"[{"type":"thinking","thinking":"a","signature":"s"}, {"type":"text","text":""},{"type":"tool_use","id":"t","name":"f","input":{ }},{"type":"text","text":"z"}]"#;
    let message = ChatMessage {
        verbatim: Some(Verbatim { dialect: Dialect::Anthropic, content: RawJson::parse(content).unwrap() }),
        tool_calls: vec![call("t", "{}")],
        ..ChatMessage::new(Role::Assistant, "z")
    };
    let request = hello().message(message.clone()).message(result("t", "1"));
    let out = write(&request);
    assert!(String::from_utf8(out.body.clone()).unwrap().contains(content));
    assert_eq!(body(&out)["messages"][2]["content"][0]["tool_use_id"], "t");

    // Another dialect's content is not.
    let foreign = ChatMessage {
        verbatim: Some(Verbatim { dialect: Dialect::Gemini, content: RawJson::parse(content).unwrap() }),
        ..message.clone()
    };
    let out = write(&hello().message(foreign).message(result("t", "1")));
    assert_eq!(body(&out)["messages"][1]["content"][0], json!({"type": "text", "text": "z"}));

    // Thinking that belongs to another model is taken out of it.
    let moved = ChatMessage {
        reasoning_blocks: vec![thought(
            Some(Target::new("anthropic", "claude-other")),
            &json!({"type": "thinking", "thinking": "a", "signature": "s"}),
        )],
        ..message
    };
    let out = write(&hello().message(moved).message(result("t", "1")));
    assert_eq!(body(&out)["messages"][1]["content"][0]["type"], "text");
    assert_eq!(out.notes.len(), 1);
}

#[test]
fn the_beginning_of_an_answer_ends_without_white_space() {
    let out = write(&hello().message(ChatMessage::new(Role::Assistant, "Once upon \n")));
    assert_eq!(body(&out)["messages"][1]["content"], "Once upon");
    assert_eq!(out.notes.len(), 1);
}

#[test]
fn a_refusal_that_was_given_is_kept_in_the_conversation() {
    let refused = ChatMessage { refusal: Some("I will not.".into()), ..ChatMessage::empty(Role::Assistant) };
    let out = write(&hello().message(refused).message(ChatMessage::new(Role::User, "why?")));
    assert_eq!(body(&out)["messages"][1], json!({"role": "assistant", "content": "I will not."}));
}

#[test]
fn a_message_with_members_of_its_own_is_joined_to_its_results_and_to_nothing_else() {
    let mut request = ChatRequest { origin: Some(Dialect::Anthropic), ..ChatRequest::user("one") };
    let with = |role, text: &str, n: i32| {
        let mut message = ChatMessage::new(role, text);
        message.extra.insert("n", raw(&json!(n)));
        message
    };
    request.messages.push(with(Role::User, "two", 2));
    request.messages.push(ChatMessage::new(Role::User, "three"));
    request.messages.push(called(vec![call("a", "{}")]));
    request.messages.push(result("a", "done"));
    request.messages.push(with(Role::User, "", 4));
    request.messages.push(with(Role::Assistant, "five", 5));
    request.messages.push(with(Role::Assistant, "six", 6));
    request.messages.push(with(Role::User, " ", 7));
    let outbound = write(&request);
    let written = body(&outbound);
    let told: Vec<_> = written["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| {
            let blocks = message["content"].as_array().map_or(1, Vec::len);
            (message["role"].as_str().unwrap(), blocks, message["n"].as_i64())
        })
        .collect();
    let expected = [
        ("user", 1, None),
        ("user", 1, Some(2)),
        ("user", 1, None),
        ("assistant", 1, None),
        ("user", 1, Some(4)),
        ("assistant", 1, Some(5)),
        ("assistant", 1, Some(6)),
    ];
    assert_eq!(told, expected, "{written}");
    let note = "a message that says nothing is left out, its members with it";
    assert!(outbound.notes.iter().any(|said| said == note), "{:?}", outbound.notes);
}

#[test]
fn a_result_goes_into_the_first_message_behind_its_call_whatever_was_said_in_between() {
    let mut request = ChatRequest { origin: Some(Dialect::Anthropic), ..ChatRequest::user("go") };
    request.messages.push(called(vec![call("a", "{}")]));
    request.messages.push(ChatMessage::new(Role::User, "wait"));
    let mut late = ChatMessage::new(Role::User, "well");
    late.extra.insert("n", raw(&json!(1)));
    request.messages.push(late);
    request.messages.push(result("a", "done"));
    let written = body(&write(&request));
    assert_eq!(written["messages"][2]["content"][0]["type"], "tool_result", "{written}");
    assert_eq!(written["messages"][2]["content"][1]["text"], "wait");
    assert_eq!(
        (&written["messages"][3]["content"], &written["messages"][3]["n"]),
        (&json!("well"), &json!(1))
    );
}
