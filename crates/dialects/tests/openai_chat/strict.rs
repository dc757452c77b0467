//! What goes to a host that refuses unknown members and conversations out of its order, such as Mistral.

use mainstay_canon::{
    Accepts, ChatMessage, ChatRequest, Content, ContentPart, Dialect, Extra, Media, MediaSource, RawJson,
    ReasoningEffort, Role, Tool, ToolCall,
};
use mainstay_dialects::Inbound;
use mainstay_dialects::openai_chat::{INBOUND, OpenAiChat};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::shared::write;

const STYLE: OpenAiChat = OpenAiChat {
    only_members: Some(&["safe_prompt", "top_k"]),
    strict_order: true,
    tool_names: true,
    ..OpenAiChat::STANDARD
};

fn written(request: &ChatRequest) -> (Value, Vec<String>) {
    let accepts = Accepts { efforts: &[ReasoningEffort::None, ReasoningEffort::High], ..Accepts::default() };
    write(&STYLE, request, &accepts).unwrap()
}

fn raw(value: &Value) -> RawJson {
    RawJson::of(value).unwrap()
}

fn call(id: &str) -> ToolCall {
    ToolCall { id: id.into(), name: "f".into(), arguments: "{}".into(), extra: Extra::new() }
}

fn calls(id: &str) -> ChatMessage {
    ChatMessage { tool_calls: vec![call(id)], ..ChatMessage::empty(Role::Assistant) }
}

fn result(id: &str, text: &str) -> ChatMessage {
    ChatMessage { tool_call_id: Some(id.into()), ..ChatMessage::new(Role::Tool, text) }
}

fn roles(body: &Value) -> Vec<&str> {
    body["messages"].as_array().unwrap().iter().map(|message| message["role"].as_str().unwrap()).collect()
}

#[test]
fn members_of_a_caller_that_the_host_does_not_know_are_left_out_and_noted() {
    let body = json!({
        "model": "x", "user": "ann", "store": false, "safe_prompt": true, "top_k": 5, "logit_bias": {"1": 2},
        "reasoning_effort": "medium", "seed": 3,
        "messages": [
            {"role": "system", "content": "Be brief.", "name": "boss"},
            {"role": "user", "name": "ann", "content": [{"type": "text", "text": "Hi", "cache_control": {}}]},
            {"role": "assistant", "content": null, "refusal": "No.", "annotations": []},
            {"role": "user", "content": "Why?"}
        ],
        "tools": [{"type": "function", "cache_control": {}, "function": {"name": "f", "strict": true}}]
    });
    let request = INBOUND.read_request(&serde_json::to_vec(&body).unwrap()).unwrap().request;
    let (sent, notes) = written(&request);
    assert_eq!(
        sent,
        json!({
            "model": "gpt-6-luna", "safe_prompt": true, "top_k": 5, "reasoning_effort": "high", "seed": 3,
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Hi"},
                {"role": "assistant", "content": "No."},
                {"role": "user", "content": "Why?"}
            ],
            "tools": [{"type": "function", "function": {
                "name": "f", "strict": true, "parameters": {"type": "object", "properties": {}}}}]
        })
    );
    for note in [
        "dropped_param:user",
        "dropped_param:store",
        "dropped_param:logit_bias",
        "dropped_param:messages.annotations",
        "dropped_param:messages.content.cache_control",
        "dropped_param:tools.cache_control",
        "the names of speakers are not passed on",
        "reasoning_effort medium is sent as high",
    ] {
        assert!(notes.iter().any(|said| said == note), "{note}: {notes:?}");
    }
    // Nobody else is sent less for it.
    let (sent, _) = write(&OpenAiChat::STANDARD, &request, &Accepts::default()).unwrap();
    assert_eq!((&sent["user"], &sent["messages"][1]["name"]), (&json!("ann"), &json!("ann")));
    assert_eq!(sent["reasoning_effort"], "medium");
}

#[test]
fn extras_of_calls_stay_behind_whoever_sent_them() {
    let mut made = call("a");
    made.extra.insert("extra_content", raw(&json!({"google": {"thought_signature": "c2ln"}})));
    let assistant = ChatMessage { tool_calls: vec![made], ..ChatMessage::empty(Role::Assistant) };
    for origin in [None, Some(Dialect::OpenaiChat), Some(Dialect::Gemini)] {
        let request = ChatRequest { origin, ..ChatRequest::user("Go") };
        let (sent, notes) = written(&request.message(assistant.clone()).message(result("a", "ok")));
        assert_eq!(
            sent["messages"][1]["tool_calls"],
            json!([{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]),
            "{origin:?}"
        );
        assert!(notes.iter().any(|note| note.contains("extra_content")), "{origin:?} {notes:?}");
    }
}

#[test]
fn an_image_and_a_tools_name_are_no_unknown_members() {
    let image =
        Media { mime: Some("image/png".into()), name: None, source: MediaSource::Base64("QUJD".into()) };
    let part = ContentPart { content: Content::Image(image), extra: Extra::new() };
    let message = ChatMessage { content: vec![part], ..ChatMessage::empty(Role::User) };
    let request = ChatRequest::default().message(message).message(calls("a")).message(result("a", "ok"));
    let (sent, notes) = written(&request);
    assert_eq!(sent["messages"][0]["content"][0]["image_url"]["url"], "data:image/png;base64,QUJD");
    assert_eq!(sent["messages"][2]["name"], "f");
    assert_eq!(notes, [""; 0]);
}

#[test]
fn between_a_result_and_the_user_the_assistant_says_a_word() {
    let request = ChatRequest::user("Go")
        .message(calls("a"))
        .message(result("a", "ok"))
        .message(ChatMessage::new(Role::User, "And now?"));
    let (sent, notes) = written(&request);
    assert_eq!(roles(&sent), ["user", "assistant", "tool", "assistant", "user"]);
    assert_eq!(sent["messages"][3], json!({"role": "assistant", "content": "Done."}));
    assert_eq!(notes.len(), 1, "{notes:?}");
    let (sent, _) = write(&OpenAiChat::STANDARD, &request, &Accepts::default()).unwrap();
    assert_eq!(roles(&sent), ["user", "assistant", "tool", "user"]);
}

#[test]
fn results_of_several_calls_stand_together() {
    let both = ChatMessage { tool_calls: vec![call("a"), call("b")], ..ChatMessage::empty(Role::Assistant) };
    let request = ChatRequest::user("Go")
        .message(both)
        .message(result("a", "1"))
        .message(result("b", "2"))
        .message(ChatMessage::new(Role::Assistant, "Both."))
        .message(ChatMessage::new(Role::User, "Thanks"))
        .message(ChatMessage::new(Role::User, "Bye"));
    let (sent, notes) = written(&request);
    assert_eq!(roles(&sent), ["user", "assistant", "tool", "tool", "assistant", "user", "user"]);
    assert_eq!(notes, [""; 0]);
}

#[test]
fn an_instruction_after_the_models_turn_is_the_users() {
    let request = ChatRequest::user("Go")
        .message(calls("a"))
        .message(result("a", "ok"))
        .message(ChatMessage::new(Role::System, "In German."));
    assert_eq!(roles(&written(&request).0), ["user", "assistant", "tool", "assistant", "user"]);
    let early = ChatRequest::user("Go").message(ChatMessage::new(Role::System, "In German."));
    assert_eq!(roles(&written(&early).0), ["user", "system"]);
}

#[test]
fn a_result_without_its_call_is_the_users() {
    let request = ChatRequest::user("Go").message(result("gone", "4 C"));
    let (sent, _) = written(&request);
    assert_eq!(sent["messages"][1], json!({"role": "user", "content": "4 C"}));
}

#[test]
fn nothing_is_no_message_of_the_assistant() {
    let request = ChatRequest::user("Go")
        .message(ChatMessage::new(Role::Assistant, ""))
        .message(ChatMessage::new(Role::User, "Well?"));
    let (sent, notes) = written(&request);
    assert_eq!(roles(&sent), ["user", "user"]);
    assert_eq!(notes, ["an empty message of the assistant is left out"]);
}

#[test]
fn an_assistant_at_the_end_is_the_beginning_of_the_answer() {
    let request = ChatRequest::user("Go").message(ChatMessage::new(Role::Assistant, "Well,"));
    let (sent, _) = written(&request);
    assert_eq!(sent["messages"][1], json!({"role": "assistant", "content": "Well,", "prefix": true}));
    let mut said = ChatMessage::new(Role::Assistant, "Well,");
    said.extra.insert("prefix", raw(&json!(false)));
    let (sent, _) = written(&ChatRequest::user("Go").message(said));
    assert_eq!(sent["messages"][1]["prefix"], json!(false), "the caller's own word stands");
    let (sent, _) = written(&ChatRequest::user("Go").message(calls("a")));
    assert_eq!(sent["messages"][1].get("prefix"), None);
}

#[test]
fn a_tool_without_a_schema_takes_no_arguments() {
    let tool = Tool { parameters: None, ..Tool::function("f", "d", raw(&json!({}))) };
    let (sent, _) = written(&ChatRequest::user("Go").tool(tool));
    assert_eq!(sent["tools"][0]["function"]["parameters"], json!({"type": "object", "properties": {}}));
}

fn message() -> impl Strategy<Value = ChatMessage> {
    (0_usize..5, prop::sample::select(vec!["", "x"])).prop_map(|(kind, text)| match kind {
        0 => ChatMessage::new(Role::System, text),
        1 => ChatMessage::new(Role::User, text),
        2 => ChatMessage::new(Role::Assistant, text),
        3 => calls("a"),
        _ => result("a", text),
    })
}

proptest! {
    /// Whatever the conversation, its roles come in the order that the host takes.
    #[test]
    fn any_conversation_comes_in_order(messages in prop::collection::vec(message(), 1..12)) {
        let (sent, _) = written(&ChatRequest { messages, ..ChatRequest::default() });
        for pair in roles(&sent).windows(2) {
            let allowed: &[&str] = match pair[0] {
                "system" => &["user", "assistant", "system"],
                "user" => &["assistant", "system", "user"],
                "assistant" => &["assistant", "user", "tool"],
                _ => &["assistant", "tool"],
            };
            prop_assert!(allowed.contains(&pair[1]), "{pair:?} in {sent}");
        }
        if let Some(last) = sent["messages"].as_array().unwrap().last() {
            let bare = last["role"] == "assistant" && last["prefix"] != true && last.get("tool_calls").is_none();
            prop_assert!(!bare, "{sent}");
        }
    }
}
