//! Whole replies to callers.

use mainstay_canon::{Dialect, Extra, FinishReason, RawJson, ReasoningBlock, ToolCall, Usage};
use serde_json::json;

use super::*;
use crate::anthropic::Face;
use crate::{Inbound, Problem, ProblemKind};

fn write(answer: Answer) -> Value {
    serde_json::from_slice(&Face.write_reply(&response(answer), &context())).unwrap()
}

fn said(text: &str) -> Answer {
    Answer { text: text.into(), finish_reason: FinishReason::Stop, ..Answer::default() }
}

fn raw(value: &Value) -> RawJson {
    RawJson::of(value).unwrap()
}

fn call(arguments: &str) -> ToolCall {
    ToolCall { id: "t".into(), name: "f".into(), arguments: arguments.into(), extra: Extra::new() }
}

#[test]
fn a_plain_answer_has_every_member_that_clients_read() {
    let answer = Answer {
        model: Some("gpt-6-luna".into()),
        usage: Usage {
            prompt: 11_040,
            completion: 500,
            cached: 9000,
            cache_write: 2000,
            cache_write_1h: 500,
            reasoning: 20,
            estimated: false,
        },
        ..said("hi")
    };
    assert_eq!(
        write(answer),
        json!({
            "id": "msg_7f3a", "type": "message", "role": "assistant", "model": "gpt-6-luna",
            "content": [{"type": "text", "text": "hi"}],
            "stop_reason": "end_turn", "stop_sequence": null, "stop_details": null,
            "usage": {
                "input_tokens": 40, "output_tokens": 500,
                "cache_creation_input_tokens": 2000, "cache_read_input_tokens": 9000,
                "cache_creation": {"ephemeral_5m_input_tokens": 1500, "ephemeral_1h_input_tokens": 500},
                "output_tokens_details": {"thinking_tokens": 20}
            }
        })
    );
}

#[test]
fn every_finish_reason_has_its_word() {
    for (reason, raw, word) in [
        (FinishReason::Stop, None, "end_turn"),
        (FinishReason::Empty, None, "end_turn"),
        (FinishReason::Length, None, "max_tokens"),
        (FinishReason::Length, Some("model_context_window_exceeded"), "model_context_window_exceeded"),
        (FinishReason::ToolCall, None, "tool_use"),
        (FinishReason::Refusal, None, "refusal"),
        (FinishReason::ContentFilter, None, "refusal"),
        (FinishReason::Pause, Some("pause_turn"), "pause_turn"),
        (FinishReason::Pause, Some("compaction"), "compaction"),
    ] {
        let answer =
            Answer { finish_reason: reason, finish_reason_raw: raw.map(str::to_owned), ..Answer::default() };
        assert_eq!(write(answer)["stop_reason"], word, "{reason}");
    }
    let full = Answer { finish_reason: FinishReason::Length, context_full: true, ..Answer::default() };
    assert_eq!(write(full)["stop_reason"], "model_context_window_exceeded");
    let stopped = Answer { stop_sequence: Some("END".into()), ..said("a") };
    let body = write(stopped);
    assert_eq!((&body["stop_reason"], &body["stop_sequence"]), (&json!("stop_sequence"), &json!("END")));
}

#[test]
fn a_call_is_run_even_where_a_provider_said_stop() {
    let body = write(Answer { tool_calls: vec![call("{\"a\": 1.0}")], ..said("ok") });
    assert_eq!(body["stop_reason"], "tool_use");
    assert_eq!(
        body["content"],
        json!([{"type": "text", "text": "ok"}, {"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1.0}}])
    );
}

#[test]
fn arguments_that_are_no_json_cannot_be_run_by_mistake() {
    for (arguments, input) in [("", json!({})), ("{\"a\":", json!("{\"a\":")), ("[1]", json!([1]))] {
        let body = write(Answer { tool_calls: vec![call(arguments)], ..said("") });
        assert_eq!(body["content"][0]["input"], input);
    }
}

#[test]
fn a_foreign_refusal_is_text_and_details() {
    let body = write(Answer { refusal: Some("I will not.".into()), ..said("") });
    assert_eq!(body["stop_reason"], "refusal");
    assert_eq!(body["content"], json!([{"type": "text", "text": "I will not."}]));
    assert_eq!(
        body["stop_details"],
        json!({"type": "refusal", "category": null, "explanation": "I will not."})
    );
}

#[test]
fn an_own_refusal_keeps_its_details_and_has_no_text() {
    let reply = UPSTREAM
        .read_reply(
            br#"{"content":[],"stop_reason":"refusal","stop_details":{"type":"refusal","category":"bio","explanation":"No."}}"#,
        )
        .unwrap();
    let answer = Answer {
        refusal: reply.refusal,
        finish_reason: FinishReason::Refusal,
        extra: reply.extra,
        ..Answer::default()
    };
    let body = write(answer);
    assert_eq!(body["content"], json!([]));
    assert_eq!(body["stop_details"]["category"], "bio");
}

#[test]
fn foreign_reasoning_is_thinking_without_a_signature() {
    let body = write(Answer { reasoning_content: Some("Hm".into()), ..said("yes") });
    assert_eq!(
        body["content"],
        json!([{"type": "thinking", "thinking": "Hm", "signature": ""}, {"type": "text", "text": "yes"}])
    );
}

#[test]
fn own_reasoning_goes_out_as_it_came_and_foreign_blocks_do_not() {
    let own = json!({"type": "thinking", "thinking": "", "signature": "s"});
    let block = |dialect, value: &Value| ReasoningBlock { dialect, origin: None, raw: raw(value) };
    let answer = Answer {
        reasoning_blocks: vec![
            block(Dialect::Anthropic, &own),
            block(Dialect::OpenaiResponses, &json!({"type": "reasoning"})),
        ],
        ..said("yes")
    };
    assert_eq!(write(answer)["content"], json!([own, {"type": "text", "text": "yes"}]));
}

#[test]
fn own_content_goes_out_as_it_came_while_it_is_still_true() {
    let content = json!([
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"q": "x"}},
        {"type": "text", "text": "a", "citations": [{"type": "t"}]},
        {"type": "text", "text": "b"}
    ]);
    let reply = UPSTREAM
        .read_reply(
            json!({
                "content": content, "stop_reason": "end_turn", "container": {"id": "c"},
                "usage": {"input_tokens": 1, "output_tokens": 2, "server_tool_use": {"web_search_requests": 1}}
            })
            .to_string()
            .as_bytes(),
        )
        .unwrap();
    let answer = Answer { extra: reply.extra, reasoning_blocks: reply.reasoning_blocks, ..said("ab") };
    let body = write(answer.clone());
    assert_eq!(body["content"], content);
    assert_eq!(body["container"], json!({"id": "c"}));
    assert_eq!(body["usage"]["server_tool_use"], json!({"web_search_requests": 1}));

    let changed = write(Answer { text: "ab, and more".into(), ..answer });
    assert_eq!(changed["content"].as_array().unwrap().len(), 2);
    assert_eq!(changed["content"][1], json!({"type": "text", "text": "ab, and more"}));
}

#[test]
fn members_of_another_dialect_are_not_written() {
    let mut answer = said("hi");
    answer.extra.insert("system_fingerprint", raw(&json!("fp")));
    answer.extra.insert("content", raw(&json!("hi")));
    let body = write(answer);
    assert!(body.get("system_fingerprint").is_none());
    assert_eq!(body["content"], json!([{"type": "text", "text": "hi"}]));
}

#[test]
fn a_problem_is_told_in_the_words_of_the_dialect() {
    let problem = Problem {
        kind: ProblemKind::BudgetExceeded,
        status: 402,
        message: "the cap is reached".into(),
        param: None,
        code: None,
        request_id: "req_7f3a".into(),
    };
    let body: Value = serde_json::from_slice(&Face.write_problem(&problem)).unwrap();
    assert_eq!(
        (&body["error"]["type"], &body["error"]["details"]["error_code"], &body["request_id"]),
        (&json!("billing_error"), &json!("budget_exceeded"), &json!("req_7f3a"))
    );
}

#[test]
fn a_refusal_beside_a_text_is_told_whatever_ended_it() {
    for reason in [FinishReason::Stop, FinishReason::Length, FinishReason::ToolCall] {
        let body =
            write(Answer { refusal: Some("I will not.".into()), finish_reason: reason, ..said("First,") });
        assert_eq!(
            body["content"],
            json!([{"type": "text", "text": "First,"}, {"type": "text", "text": "I will not."}]),
            "{reason:?}"
        );
    }
    let twice = write(Answer { refusal: Some("I will not.".into()), ..said("I will not.") });
    assert_eq!(twice["content"], json!([{"type": "text", "text": "I will not."}]), "said once");
}
