//! Streams to a caller.

use mainstay_canon::{
    Dialect, Extra, FinishReason, RawJson, ReasoningBlock, ReplyEvent, Target, ToolCall, Usage,
};
use mainstay_dialects::openai_responses::INBOUND;
use mainstay_dialects::{Ending, Inbound, Problem, ProblemKind};
use serde_json::{Value, json};

use crate::sdk::check_stream;
use crate::shared::{context, raw, target, told};

pub(crate) fn ending(reason: FinishReason) -> Ending {
    let usage = Usage { prompt: 3, completion: 2, ..Usage::default() };
    Ending { reason, raw: None, stop_sequence: None, context_full: false, usage, mark: None, comment: None }
}

fn streamed(events: &[ReplyEvent], ending: &Ending) -> String {
    let mut writer = INBOUND.write_stream(&context());
    let mut out = Vec::new();
    for event in events {
        writer.event(event, &mut out);
    }
    writer.finish(ending, &mut out);
    let before = out.len();
    writer.event(&ReplyEvent::Text("late".into()), &mut out);
    writer.finish(ending, &mut out);
    assert_eq!(out.len(), before, "nothing comes after the end");
    String::from_utf8(out).unwrap()
}

/// The events of a stream, checked against what the SDKs require.
fn events(events: &[ReplyEvent], ending: &Ending) -> Vec<(String, Value)> {
    let told = told(&streamed(events, ending));
    check_stream(&told);
    told
}

fn names(events: &[(String, Value)]) -> Vec<&str> {
    events.iter().map(|(name, _)| name.strip_prefix("response.").unwrap_or(name)).collect()
}

fn start() -> ReplyEvent {
    ReplyEvent::Start { id: Some("x".into()), model: Some("m".into()) }
}

fn text(text: &str) -> ReplyEvent {
    ReplyEvent::Text(text.into())
}

fn call(index: usize, id: &str) -> ReplyEvent {
    ReplyEvent::ToolStart { index, id: id.into(), name: "f".into(), extra: Extra::new() }
}

fn arguments(index: usize, delta: &str) -> ReplyEvent {
    ReplyEvent::ToolArguments { index, delta: delta.into() }
}

#[test]
fn a_text_is_written_as_the_sdks_read_it() {
    let mut end = ending(FinishReason::Stop);
    end.comment = Some(raw("{\"tier\":\n\"a/b\"}"));
    end.mark = Some(raw(r#"{"continued_at":4}"#));
    let wire = streamed(&[start(), text("Hi"), text(" \"you\"")], &end);
    let response = |status: &str, output: &str, usage: &str, mark: &str| {
        format!(
            r#""response":{{"id":"resp_7f3a","object":"response","created_at":1770000000,"status":"{status}","background":false,"error":null,"incomplete_details":null,"model":"m","output":[{output}],"previous_response_id":null,"store":false,"instructions":null,"max_output_tokens":null,"metadata":{{}},"parallel_tool_calls":true,"reasoning":{{"effort":null,"summary":null}},"temperature":null,"text":{{"format":{{"type":"text"}}}},"tool_choice":"auto","tools":[],"top_p":null,"truncation":"disabled","usage":{usage}{mark}}}"#
        )
    };
    let at = r#""item_id":"msg_mainstay_7f3a_0","output_index":0,"content_index":0"#;
    let part =
        |text: &str| format!(r#"{{"type":"output_text","text":"{text}","annotations":[],"logprobs":[]}}"#);
    let item = |status: &str, content: &str| {
        format!(
            r#"{{"type":"message","id":"msg_mainstay_7f3a_0","status":"{status}","role":"assistant","content":[{content}]}}"#
        )
    };
    let whole = r#"Hi \"you\""#;
    let usage = r#"{"input_tokens":3,"input_tokens_details":{"cached_tokens":0,"cache_write_tokens":0},"output_tokens":2,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":5}"#;
    let expected = [
        ("response.created", response("in_progress", "", "null", "")),
        ("response.in_progress", response("in_progress", "", "null", "")),
        ("response.output_item.added", format!(r#""output_index":0,"item":{}"#, item("in_progress", ""))),
        ("response.content_part.added", format!(r#"{at},"part":{}"#, part(""))),
        ("response.output_text.delta", format!(r#"{at},"delta":"Hi","logprobs":[]"#)),
        ("response.output_text.delta", format!(r#"{at},"delta":" \"you\"","logprobs":[]"#)),
        ("response.output_text.done", format!(r#"{at},"text":"{whole}","logprobs":[]"#)),
        ("response.content_part.done", format!(r#"{at},"part":{}"#, part(whole))),
        (
            "response.output_item.done",
            format!(r#""output_index":0,"item":{}"#, item("completed", &part(whole))),
        ),
        (
            "response.completed",
            response(
                "completed",
                &item("completed", &part(whole)),
                usage,
                r#","mainstay":{"continued_at":4}"#,
            ),
        ),
    ];
    let comment =
        |name: &str| if name == "response.completed" { ": mainstay {\"tier\": \"a/b\"}\n\n" } else { "" };
    let lines: Vec<String> = (0..)
        .zip(&expected)
        .map(|(number, (name, data))| {
            let comment = comment(name);
            format!("{comment}event: {name}\ndata: {{\"type\":\"{name}\",\"sequence_number\":{number},{data}}}\n\n")
        })
        .collect();
    assert_eq!(wire, lines.concat());
}

#[test]
fn every_kind_of_item_comes_in_its_order() {
    let block = ReasoningBlock {
        dialect: Dialect::Anthropic,
        origin: Some(Target::new("anthropic", "c")),
        raw: raw(r#"{"type":"thinking","signature":"c2ln"}"#),
    };
    let told = events(
        &[
            start(),
            ReplyEvent::Reasoning("Hm".into()),
            ReplyEvent::Reasoning(".".into()),
            ReplyEvent::ReasoningBlock(block),
            text("Looking."),
            call(0, "c1"),
            arguments(0, "{\"a\":"),
            arguments(0, "1}"),
            ReplyEvent::ToolEnd { index: 0 },
            text("And."),
            ReplyEvent::Refusal("No.".into()),
        ],
        &ending(FinishReason::ToolCall),
    );
    assert_eq!(
        names(&told),
        [
            "created",
            "in_progress",
            "output_item.added",
            "reasoning_summary_part.added",
            "reasoning_summary_text.delta",
            "reasoning_summary_text.delta",
            "reasoning_summary_text.done",
            "reasoning_summary_part.done",
            "output_item.done",
            "output_item.added",
            "content_part.added",
            "output_text.delta",
            "output_text.done",
            "content_part.done",
            "output_item.done",
            "output_item.added",
            "function_call_arguments.delta",
            "function_call_arguments.delta",
            "function_call_arguments.done",
            "output_item.done",
            "output_item.added",
            "content_part.added",
            "output_text.delta",
            "output_text.done",
            "content_part.done",
            "content_part.added",
            "refusal.delta",
            "refusal.done",
            "content_part.done",
            "output_item.done",
            "completed",
        ]
    );
    let output = told.last().unwrap().1["response"]["output"].clone();
    let kinds: Vec<_> = output.as_array().unwrap().iter().map(|item| item["type"].clone()).collect();
    assert_eq!(kinds, ["reasoning", "message", "function_call", "message"]);
    assert_eq!(output[0]["summary"], json!([{"type": "summary_text", "text": "Hm."}]));
    assert!(output[0]["encrypted_content"].as_str().unwrap().contains("c2ln"));
    assert_eq!((&output[2]["arguments"], &output[2]["call_id"]), (&json!("{\"a\":1}"), &json!("c1")));
    assert_eq!(output[3]["content"][1], json!({"type": "refusal", "refusal": "No."}));
}

#[test]
fn calls_may_overlap_and_text_may_come_between() {
    let told = events(
        &[
            call(0, "a"),
            call(1, "b"),
            arguments(1, "{}"),
            text("x"),
            arguments(0, "{\"y\":1}"),
            ReplyEvent::ToolEnd { index: 1 },
            ReplyEvent::ToolEnd { index: 0 },
        ],
        &ending(FinishReason::ToolCall),
    );
    let output = &told.last().unwrap().1["response"]["output"];
    assert_eq!((&output[0]["arguments"], &output[1]["arguments"]), (&json!("{\"y\":1}"), &json!("{}")));
    assert_eq!(output[2]["content"][0]["text"], "x");
}

#[test]
fn a_cut_answer_is_incomplete_to_its_last_item() {
    let told = events(&[call(0, "a"), arguments(0, "{\"cu")], &ending(FinishReason::Length));
    let (name, last) = told.last().unwrap();
    assert_eq!((name.as_str(), &last["response"]["status"]), ("response.incomplete", &json!("incomplete")));
    assert_eq!(last["response"]["incomplete_details"], json!({"reason": "max_output_tokens"}));
    assert_eq!(
        (&last["response"]["output"][0]["status"], &last["response"]["output"][0]["arguments"]),
        (&json!("incomplete"), &json!("{\"cu"))
    );
    let filtered = events(&[text("a")], &ending(FinishReason::ContentFilter));
    assert_eq!(filtered.last().unwrap().1["response"]["output"][0]["status"], "incomplete");
}

#[test]
fn calls_for_free_text_and_calls_that_are_items_have_their_own_events() {
    let typed =
        |kind: &str| [("type".to_owned(), raw(&format!("\"{kind}\"")))].into_iter().collect::<Extra>();
    let computer = r#"{"type":"computer_call","id":"cu","call_id":"b"}"#;
    let told = events(
        &[
            ReplyEvent::ToolStart { index: 0, id: "a".into(), name: "sum".into(), extra: typed("custom") },
            arguments(0, "4 + 4"),
            ReplyEvent::ToolEnd { index: 0 },
            ReplyEvent::ToolStart {
                index: 1,
                id: "b".into(),
                name: "computer".into(),
                extra: typed("computer_call"),
            },
            arguments(1, computer),
            ReplyEvent::ToolEnd { index: 1 },
        ],
        &ending(FinishReason::ToolCall),
    );
    assert_eq!(
        names(&told)[2..],
        [
            "output_item.added",
            "custom_tool_call_input.delta",
            "custom_tool_call_input.done",
            "output_item.done",
            "output_item.added",
            "output_item.done",
            "completed"
        ]
    );
    let output = &told.last().unwrap().1["response"]["output"];
    assert_eq!(output[0]["input"], "4 + 4");
    assert_eq!(output[1], serde_json::from_str::<Value>(computer).unwrap());
}

#[test]
fn items_of_the_providers_own_tools_pass_as_they_are() {
    let search = r#"{"type":"web_search_call","id":"ws_1","status":"completed","n":1.0}"#;
    let block =
        ReasoningBlock { dialect: Dialect::OpenaiResponses, origin: Some(target()), raw: raw(search) };
    let wire = streamed(&[ReplyEvent::ReasoningBlock(block), text("Found.")], &ending(FinishReason::Stop));
    check_stream(&told(&wire));
    assert_eq!(wire.matches(search).count(), 3, "announced, done, and in the whole");
}

#[test]
fn a_stream_that_declines_says_so_in_a_part() {
    let declined = events(&[text("I cannot.")], &ending(FinishReason::Refusal));
    let content = &declined.last().unwrap().1["response"]["output"][0]["content"];
    assert_eq!((&content[0]["text"], &content[1]["refusal"]), (&json!("I cannot."), &json!("I cannot.")));
    let silent = events(&[], &ending(FinishReason::Refusal));
    assert_eq!(
        silent.last().unwrap().1["response"]["output"][0]["content"],
        json!([{"type": "refusal", "refusal": "The model declined to answer."}])
    );
    let field = streamed(&[ReplyEvent::Refusal("No.".into())], &ending(FinishReason::Refusal));
    assert_eq!(field.matches("response.refusal.delta\"").count(), 1);
}

#[test]
fn an_answer_of_nothing_is_still_a_stream() {
    let told = events(&[], &ending(FinishReason::Empty));
    assert_eq!(names(&told), ["created", "in_progress", "completed"]);
}

#[test]
fn an_error_in_a_stream_is_an_event_and_a_failed_response() {
    let mut writer = INBOUND.write_stream(&context());
    let mut out = Vec::new();
    writer.event(&text("a"), &mut out);
    writer.keep_alive(&mut out);
    let problem = Problem {
        kind: ProblemKind::AllProvidersFailed,
        status: 503,
        message: "the stream broke off".into(),
        param: None,
        code: None,
        request_id: "req_7f3a".into(),
    };
    writer.problem(&problem, &mut out);
    let before = out.len();
    writer.finish(&ending(FinishReason::Stop), &mut out);
    assert_eq!(out.len(), before);
    let wire = String::from_utf8(out).unwrap();
    assert!(wire.contains(": keep-alive\n\n") && !wire.contains("[DONE]"));
    let told = told(&wire);
    check_stream(&told);
    let [.., (error, event), (failed, last)] = &told[..] else { panic!("{told:?}") };
    assert_eq!((error.as_str(), failed.as_str()), ("error", "response.failed"));
    assert_eq!(
        (&event["code"], &event["message"]),
        (&json!("all_providers_failed"), &json!("the stream broke off"))
    );
    assert_eq!(event["error"]["code"], "all_providers_failed");
    assert_eq!(last["response"]["error"], json!({"code": "server_error", "message": "the stream broke off"}));
    assert_eq!(last["response"]["output"], json!([]), "what was half said is not whole");
}

#[test]
fn what_an_answer_says_is_said_in_both_ways() {
    let extra = Extra::new();
    let calls = [ToolCall { id: "a".into(), name: "f".into(), arguments: "{}".into(), extra }];
    let told = events(
        &[
            ReplyEvent::Reasoning("Hm.".into()),
            text("Hi"),
            call(0, "a"),
            arguments(0, "{}"),
            ReplyEvent::ToolEnd { index: 0 },
        ],
        &ending(FinishReason::ToolCall),
    );
    let answer = mainstay_canon::Answer {
        model: Some(String::new()),
        text: "Hi".into(),
        reasoning_content: Some("Hm.".into()),
        tool_calls: calls.into(),
        finish_reason: FinishReason::ToolCall,
        usage: ending(FinishReason::Stop).usage,
        ..mainstay_canon::Answer::default()
    };
    let whole: Value =
        serde_json::from_slice(&INBOUND.write_reply(&crate::shared::response(answer), &context())).unwrap();
    assert_eq!(told.last().unwrap().1["response"], whole);
    assert!(RawJson::of(&whole).is_ok());
}
