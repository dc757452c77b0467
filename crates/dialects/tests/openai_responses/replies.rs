//! Whole replies to a caller.

use mainstay_canon::{
    Answer, ChatRequest, ChatResponse, Dialect, Extra, FinishReason, Quality, ReasoningBlock, Target,
    ToolCall, Usage, Verdict,
};
use mainstay_dialects::openai_responses::{INBOUND, OpenAiResponses};
use mainstay_dialects::{Inbound, Problem, ProblemKind, Upstream};
use serde_json::{Value, json};

use crate::sdk::check_response;
use crate::shared::{context, raw, recordings, response, takes_all, target, write};

fn replied(response: &ChatResponse) -> Value {
    let reply = serde_json::from_slice(&INBOUND.write_reply(response, &context())).unwrap();
    check_response(&reply);
    reply
}

fn of(answer: Answer) -> Value {
    replied(&response(answer))
}

#[test]
fn a_reply_has_what_the_sdks_ask_for() {
    let answer = Answer {
        model: Some("gpt-6-sol-2026".into()),
        text: "Hi".into(),
        finish_reason: FinishReason::Stop,
        usage: Usage {
            prompt: 9,
            completion: 5,
            cached: 4,
            cache_write: 1,
            reasoning: 2,
            ..Usage::default()
        },
        ..Answer::default()
    };
    assert_eq!(
        String::from_utf8(INBOUND.write_reply(&response(answer), &context())).unwrap(),
        r#"{"id":"resp_7f3a","object":"response","created_at":1770000000,"status":"completed","background":false,"error":null,"incomplete_details":null,"model":"gpt-6-sol-2026","output":[{"type":"message","id":"msg_mainstay_7f3a_0","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Hi","annotations":[],"logprobs":[]}]}],"previous_response_id":null,"store":false,"instructions":null,"max_output_tokens":null,"metadata":{},"parallel_tool_calls":true,"reasoning":{"effort":null,"summary":null},"temperature":null,"text":{"format":{"type":"text"}},"tool_choice":"auto","tools":[],"top_p":null,"truncation":"disabled","usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":4,"cache_write_tokens":1},"output_tokens":5,"output_tokens_details":{"reasoning_tokens":2},"total_tokens":14}}"#
    );
}

#[test]
fn every_finish_reason_has_a_status() {
    for (reason, status, details) in [
        (FinishReason::Stop, "completed", Value::Null),
        (FinishReason::ToolCall, "completed", Value::Null),
        (FinishReason::Refusal, "completed", Value::Null),
        (FinishReason::Empty, "completed", Value::Null),
        (FinishReason::Length, "incomplete", json!({"reason": "max_output_tokens"})),
        (FinishReason::ContentFilter, "incomplete", json!({"reason": "content_filter"})),
        (FinishReason::Pause, "incomplete", Value::Null),
    ] {
        let reply = of(Answer { finish_reason: reason, ..Answer::default() });
        assert_eq!((&reply["status"], &reply["incomplete_details"]), (&json!(status), &details), "{reason}");
        assert_eq!(reply["output"][0]["status"], status);
    }
}

#[test]
fn calls_of_every_kind_are_items() {
    let call = |id: &str, arguments: &str, kind: Option<&str>| {
        let mut extra = Extra::new();
        if let Some(kind) = kind {
            extra.insert("type", raw(&format!("\"{kind}\"")));
        }
        ToolCall { id: id.into(), name: "f".into(), arguments: arguments.into(), extra }
    };
    let computer = r#"{"type":"computer_call","id":"cu_1","call_id":"c3","action":{"type":"wait"}}"#;
    let mut foreign = call("c4", "{}", None);
    foreign.extra.insert("thoughtSignature", raw("\"c2ln\""));
    let reply = of(Answer {
        finish_reason: FinishReason::ToolCall,
        tool_calls: vec![
            call("c1", "{\"a\": 1}", None),
            call("c2", "4 + 4", Some("custom")),
            call("c3", computer, Some("computer_call")),
            foreign,
        ],
        ..Answer::default()
    });
    assert_eq!(
        reply["output"],
        json!([
            {"type": "function_call", "id": "fc_mainstay_7f3a_0", "call_id": "c1", "name": "f", "arguments": "{\"a\": 1}", "status": "completed"},
            {"type": "custom_tool_call", "id": "ctc_mainstay_7f3a_1", "call_id": "c2", "name": "f", "input": "4 + 4", "status": "completed"},
            {"type": "computer_call", "id": "cu_1", "call_id": "c3", "action": {"type": "wait"}},
            {"type": "function_call", "id": "fc_mainstay_7f3a_3", "call_id": "c4", "name": "f", "arguments": "{}", "status": "completed"}
        ])
    );
    let cut = of(Answer {
        finish_reason: FinishReason::Length,
        tool_calls: vec![call("c1", "{}", None), call("c2", "", None)],
        ..Answer::default()
    });
    assert_eq!(
        (&cut["output"][0]["status"], &cut["output"][1]["status"], &cut["output"][1]["arguments"]),
        (&json!("completed"), &json!("incomplete"), &json!(""))
    );
}

#[test]
fn a_refusal_is_a_part_and_its_text_stays() {
    let mut plain =
        response(Answer { text: "I cannot.".into(), finish_reason: FinishReason::Stop, ..Answer::default() });
    plain.quality = Verdict::of(Quality::Refusal, "refusal.head", "");
    let content = &replied(&plain)["output"][0]["content"];
    assert_eq!((&content[0]["text"], &content[1]["refusal"]), (&json!("I cannot."), &json!("I cannot.")));
    let field =
        of(Answer { refusal: Some("No.".into()), finish_reason: FinishReason::Refusal, ..Answer::default() });
    assert_eq!(field["output"][0]["content"], json!([{"type": "refusal", "refusal": "No."}]));
    let silent = of(Answer { finish_reason: FinishReason::Refusal, ..Answer::default() });
    assert_eq!(silent["output"][0]["content"][0]["refusal"], "The model declined to answer.");
}

#[test]
fn where_the_text_was_continued_is_told() {
    let mut continued = response(Answer { text: "ab".into(), ..Answer::default() });
    continued.continued_at = Some(1);
    assert_eq!(replied(&continued)["mainstay"], json!({"continued_at": 1}));
}

fn thinking(dialect: Dialect, json: &str) -> ReasoningBlock {
    let origin = match dialect {
        Dialect::OpenaiResponses => target(),
        _ => Target::new("anthropic", "claude-sonnet-5-5"),
    };
    ReasoningBlock { dialect, origin: Some(origin), raw: raw(json) }
}

/// What the caller sends back after it was given these items.
fn echoed(output: &Value, drop: &[&str]) -> ChatRequest {
    let mut items = output.as_array().unwrap().clone();
    for item in &mut items {
        for name in drop {
            item.as_object_mut().unwrap().remove(*name);
        }
    }
    items.insert(0, json!({"role": "user", "content": "hi"}));
    INBOUND.read_request(&serde_json::to_vec(&json!({"input": items})).unwrap()).unwrap().request
}

#[test]
fn reasoning_of_every_dialect_survives_the_way_through_a_caller() {
    let blocks = vec![
        thinking(Dialect::Anthropic, r#"{"type":"thinking", "thinking":"Hm.","signature":"c2ln"}"#),
        thinking(Dialect::Anthropic, r#"{"type":"redacted_thinking","data":"QQ=="}"#),
        thinking(
            Dialect::OpenaiResponses,
            r#"{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Own."}],"encrypted_content":"gAAA","n":1.0}"#,
        ),
    ];
    let answer = Answer {
        text: "Yes.".into(),
        finish_reason: FinishReason::Stop,
        reasoning_content: Some("Hm.".into()),
        reasoning_blocks: blocks.clone(),
        ..Answer::default()
    };
    let output = of(answer)["output"].take();
    assert_eq!(output[0]["summary"], json!([{"type": "summary_text", "text": "Hm."}]));
    assert_eq!((&output[1]["summary"], &output[2]["summary"]), (&json!([]), &json!([])));
    // Clients hand reasoning back with less than they were given, but never without its encrypted content.
    for drop in [&[][..], &["id", "status", "summary"]] {
        let request = echoed(&output, drop);
        assert_eq!(request.messages[1].reasoning_blocks, blocks, "{drop:?}");
        let (body, notes) = write(&request, &takes_all()).unwrap();
        let sent = body["input"].as_array().unwrap().iter().find(|item| item["type"] == "reasoning").unwrap();
        assert_eq!(*sent, blocks[2].raw.read::<Value>().unwrap());
        assert_eq!(notes.len(), 1, "the other model's reasoning stays behind");
    }
}

#[test]
fn reasoning_of_which_only_the_text_is_known_is_shown_and_never_taken_for_a_providers() {
    let output = of(Answer {
        text: "Yes.".into(),
        finish_reason: FinishReason::Stop,
        reasoning_content: Some("Hm.".into()),
        ..Answer::default()
    })["output"]
        .take();
    assert_eq!(output[0]["summary"][0]["text"], "Hm.");
    let request = echoed(&output, &[]);
    assert_eq!(
        (request.messages[1].reasoning_content.as_deref(), request.messages[1].reasoning_blocks.len()),
        (Some("Hm."), 0)
    );
}

#[test]
fn every_recorded_reply_reaches_a_caller_of_this_dialect_with_its_items() {
    let mut checked = 0;
    for recording in recordings() {
        let body = recording["body"].as_str().unwrap_or_default();
        if recording["stream"] == json!(true) || recording["status"] != json!(200) {
            continue;
        }
        let wire = OpenAiResponses::STANDARD.read_reply(body.as_bytes()).unwrap();
        let blocks: Vec<ReasoningBlock> = wire
            .reasoning_blocks
            .into_iter()
            .map(|block| ReasoningBlock { origin: Some(target()), ..block })
            .collect();
        let answer = Answer {
            text: wire.text,
            tool_calls: wire.tool_calls,
            refusal: wire.refusal,
            reasoning_content: wire.reasoning,
            reasoning_blocks: blocks,
            finish_reason: FinishReason::Stop,
            extra: wire.extra,
            dialect: Some(Dialect::OpenaiResponses),
            ..Answer::default()
        };
        let reply: Value =
            serde_json::from_slice(&INBOUND.write_reply(&response(answer.clone()), &context())).unwrap();
        let theirs: Value = serde_json::from_str(body).unwrap();
        for (ours, theirs) in
            reply["output"].as_array().unwrap().iter().zip(theirs["output"].as_array().unwrap())
        {
            let (mut ours, mut theirs) = (ours.clone(), theirs.clone());
            if theirs["type"] == "reasoning" {
                ours.as_object_mut().unwrap().remove("encrypted_content");
                theirs.as_object_mut().unwrap().remove("encrypted_content");
            }
            assert_eq!(ours, theirs, "{}", recording["id"]);
        }
        for name in ["tools", "tool_choice", "temperature", "service_tier"] {
            if !theirs[name].is_null() {
                assert_eq!(reply[name], theirs[name], "{} {name}", recording["id"]);
            }
        }
        checked += 1;
    }
    assert!(checked == 0 || checked == 84, "{checked}");
}

#[test]
fn items_that_no_longer_say_what_the_answer_says_are_made_anew() {
    let wire = br#"{"object":"response","status":"completed","output":[{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"a","annotations":[{"n":1.0}]}]}],"service_tier":"flex","store":true,"id":"resp_theirs"}"#;
    let reply = OpenAiResponses::STANDARD.read_reply(wire).unwrap();
    let dialect = Some(Dialect::OpenaiResponses);
    let mut answer = Answer { text: reply.text, extra: reply.extra, dialect, ..Answer::default() };
    let same = of(answer.clone());
    assert_eq!(same["output"][0]["content"][0]["annotations"], json!([{"n": 1.0}]));
    assert_eq!(
        (&same["service_tier"], &same["store"], &same["id"]),
        (&json!("flex"), &json!(false), &json!("resp_7f3a"))
    );
    answer.text = "b".into();
    let anew = of(answer.clone());
    assert_eq!(
        (&anew["output"][0]["id"], &anew["output"][0]["content"][0]["text"]),
        (&json!("msg_mainstay_7f3a_0"), &json!("b"))
    );
    answer.text = "a".into();
    answer.finish_reason = FinishReason::Refusal;
    assert_eq!(of(answer)["output"][0]["content"][1]["refusal"], "a");
}

#[test]
fn extras_of_another_dialect_stay_away() {
    let dialect = Some(Dialect::OpenaiChat);
    let mut answer = Answer { text: "a".into(), dialect, ..Answer::default() };
    answer.extra = [("stop_details".to_owned(), raw("{}"))].into_iter().collect();
    assert_eq!(of(answer).get("stop_details"), None);
}

#[test]
fn an_error_body_is_openais() {
    let problem = Problem {
        kind: ProblemKind::InvalidRequest,
        status: 400,
        message: "conversation: not here".into(),
        param: Some("conversation".into()),
        code: None,
        request_id: "req_1".into(),
    };
    assert_eq!(
        String::from_utf8(INBOUND.write_problem(&problem)).unwrap(),
        r#"{"error":{"message":"conversation: not here","type":"invalid_request_error","param":"conversation","code":"invalid_request_error"}}"#
    );
}
