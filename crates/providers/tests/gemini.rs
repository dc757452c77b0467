//! Gemini from bytes to answer or failure: the field cases, the recordings, what its errors are, and that no key gets
//! out.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod shared;

use std::time::Duration;

use mainstay_canon::{
    Answer, ChatMessage, ChatRequest, Dialect, Failure, FinishReason, Headers, Kind, Moment, ReplyEvent,
    Role, Target,
};
use mainstay_dialects::{Call, Outbound};
use mainstay_providers::{Auth, Provider, by_id, for_dialect};
use serde_json::{Value, json};
use shared::Reply;

/// 2026-03-01T12:00:00Z, the moment of every case that names one.
const NOW: Moment = Moment::from_secs(1_772_366_400);

fn gemini() -> &'static Provider {
    by_id("gemini").unwrap()
}

fn cases() -> Vec<Value> {
    let all = shared::lines("cases/bug-cases.jsonl");
    all.into_iter().filter(|case| case["dialect"] == "gemini" && case["phase"] == "response").collect()
}

/// All words that a case allows under a name and under `NAME_any`.
fn words(expect: &Value, name: &str) -> Vec<String> {
    let one = &expect[name];
    let any = &expect[&format!("{name}_any")];
    let words = any.as_array().into_iter().flatten().chain([one]);
    words.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Which kinds of failure a case allows. What the contract calls a failure a case may call an answer's quality.
fn kinds(expect: &Value) -> Vec<String> {
    let mut kinds = words(&expect["error"], "kind");
    kinds.extend(words(expect, "quality").into_iter().filter(|quality| quality == "malformed_tool_call"));
    kinds
}

#[test]
fn field_cases_come_out_as_they_should() {
    let cases = cases();
    for case in &cases {
        let (id, expect) = (case["id"].as_str().unwrap(), &case["expect"]);
        let (outcome, events) = Reply::of(case, NOW).read(gemini());
        match &outcome {
            Ok(answer) => check_answer(id, expect, answer),
            Err(failure) => check_failure(id, expect, failure),
        }
        let ends = events.iter().filter(|event| matches!(event, ReplyEvent::Finish { .. })).count();
        assert_eq!(ends, usize::from(case["stream"] == true && outcome.is_ok()), "{id}: one end");
    }
    assert!(cases.is_empty() || cases.len() == 24, "{} cases", cases.len());
}

fn check_answer(id: &str, expect: &Value, answer: &Answer) {
    assert!(words(expect, "outcome").iter().any(|word| word == "response"), "{id}: {answer:?}");
    if let Some(word) = expect["raw_finish_reason"].as_str() {
        let raw = answer.finish_reason_raw.as_deref().unwrap();
        assert_eq!(raw.strip_prefix("promptFeedback:").unwrap_or(raw), word, "{id}");
    }
    let reasons = words(expect, "finish_reason");
    assert!(
        reasons.is_empty() || reasons.iter().any(|word| word == answer.finish_reason.word()),
        "{id}: {:?}",
        answer.finish_reason
    );
    check_said(id, expect, answer);
    let said = !answer.text.is_empty() || !answer.tool_calls.is_empty();
    match words(expect, "quality").first().map(String::as_str) {
        Some("ok") => assert!(said, "{id}"),
        Some("filtered") => assert_eq!(answer.finish_reason, FinishReason::ContentFilter, "{id}"),
        Some("truncated_empty") => {
            assert_eq!((said, answer.finish_reason), (false, FinishReason::Length), "{id}");
        }
        Some("empty" | "reasoning_only") => assert!(!said, "{id}"),
        other => panic!("{id}: {other:?}"),
    }
}

fn check_failure(id: &str, expect: &Value, failure: &Failure) {
    assert!(kinds(expect).iter().any(|kind| kind == failure.kind.word()), "{id}: {failure:?}");
    if let Some(status) = expect["error"]["effective_status"].as_u64() {
        assert_eq!(failure.status.map(u64::from), Some(status), "{id}");
    }
    if let Some(seconds) = expect["retry_after_s"].as_f64() {
        let after = failure.hint.unwrap().after;
        assert!(
            after.abs_diff(Duration::from_secs_f64(seconds)) <= Duration::from_millis(1),
            "{id}: {after:?}"
        );
    }
    if let Some(word) = expect["raw_finish_reason"].as_str() {
        assert_eq!(failure.finish_reason_raw.as_deref(), Some(word), "{id}");
    }
    if let Some(answer) = &failure.answer {
        check_said(id, expect, answer);
    } else {
        assert!(
            expect.get("text").is_none() && expect.get("partial_text").is_none(),
            "{id}: what came is kept"
        );
    }
}

fn check_said(id: &str, expect: &Value, answer: &Answer) {
    if let Some(text) = expect["text"].as_str().or(expect["partial_text"].as_str()) {
        assert_eq!(answer.text, text, "{id}");
    }
    if let Some(reasoning) = expect["reasoning"].as_str() {
        assert_eq!(answer.reasoning_content.as_deref(), Some(reasoning), "{id}");
    }
    if let Some(calls) = expect["tool_calls"].as_array() {
        assert_eq!(answer.tool_calls.len(), calls.len(), "{id}");
        for (call, wanted) in answer.tool_calls.iter().zip(calls) {
            let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
            assert_eq!((&json!(call.name), &arguments), (&wanted["name"], &wanted["arguments"]), "{id}");
            assert!(!call.id.is_empty(), "{id}: an id is made up");
        }
    }
    let usage = answer.usage;
    for (name, count) in [
        ("prompt", usage.prompt),
        ("completion", usage.completion),
        ("cached", usage.cached),
        ("reasoning", usage.reasoning),
    ] {
        if let Some(expected) = expect["usage"][name].as_u64() {
            assert_eq!((count, usage.estimated), (expected, false), "{id}: {name}");
        }
    }
}

#[test]
fn cutting_the_bytes_of_a_field_case_changes_nothing() {
    for case in cases().iter().filter(|case| case["stream"] == true) {
        let mut reply = Reply::of(case, NOW);
        let body = reply.chunks.concat();
        let whole = reply.read(gemini()).0.unwrap();
        for cut in 0..=body.len() {
            reply.chunks = vec![body[..cut].to_vec(), body[cut..].to_vec()];
            assert_eq!(reply.read(gemini()).0.unwrap(), whole, "{} cut at byte {cut}", case["id"]);
        }
    }
}

#[test]
fn every_recorded_reply_is_an_answer_or_the_failure_that_it_tells() {
    let recordings = shared::lines("corpus/gemini.jsonl.gz");
    for line in &recordings {
        let (id, expected) = (&line["id"], &line["expected"]);
        let outcome = Reply::of(line, NOW).read(gemini()).0;
        let word = match &expected["finish_reason_raw"] {
            Value::Number(number) => Some(number.to_string()),
            word => word.as_str().map(str::to_owned),
        };
        match outcome {
            Ok(answer) => {
                assert_eq!(answer.finish_reason_raw, word, "{id}");
                assert_eq!(answer.text, expected["text"].as_str().unwrap(), "{id}");
                let calls = expected["tool_calls"].as_array().unwrap();
                assert_eq!(answer.tool_calls.len(), calls.len(), "{id}");
                for (call, wanted) in answer.tool_calls.iter().zip(calls) {
                    let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
                    assert_eq!((&arguments, call.id.is_empty()), (&wanted["arguments"], false), "{id}");
                }
                if !calls.is_empty() && word.as_deref() != Some("MAX_TOKENS") {
                    assert_eq!(answer.finish_reason, FinishReason::ToolCall, "{id}");
                }
                assert!(answer.usage.cached <= answer.usage.prompt, "{id}: {:?}", answer.usage);
            }
            Err(failure) if word.as_deref() == Some("UNEXPECTED_TOOL_CALL") => {
                assert_eq!(failure.kind, Kind::MalformedToolCall, "{id}");
                assert!(failure.message.contains("(Unexpected tool call)"), "{failure}");
            }
            Err(failure) => {
                assert!(line["status"].as_u64().unwrap() >= 400, "{id}: {failure}");
                let kind = match expected["error"]["message"].as_str().unwrap() {
                    message if message.contains("API key not valid") => Kind::Auth,
                    message if message.contains("input token count") => Kind::ContextLength,
                    message if message.contains("Cannot fetch content") => Kind::RequestDeclined,
                    message if message.contains("not found") => Kind::NotFound,
                    message if message.contains("exceeded your current quota") => Kind::RateLimited,
                    message => panic!("{id}: {message}"),
                };
                assert_eq!(failure.kind, kind, "{id}: {failure}");
            }
        }
    }
    assert!(recordings.is_empty() || recordings.len() == 176, "{} recordings", recordings.len());
}

fn read_error(status: u16, word: &str, message: &str, details: &Value) -> Failure {
    let body = json!({"error": {"code": status, "message": message, "status": word, "details": details}});
    gemini().read_error(status, &Headers::new(), body.to_string().as_bytes(), NOW)
}

#[track_caller]
fn check_error(status: u16, word: &str, message: &str, kind: Kind) -> Failure {
    let failure = read_error(status, word, message, &json!([]));
    assert_eq!(failure.kind, kind, "{status} {word}: {message}");
    failure
}

#[test]
fn the_key_the_account_and_the_request_are_told_apart() {
    let (invalid, denied) = ("INVALID_ARGUMENT", "PERMISSION_DENIED");
    check_error(400, invalid, "API key expired. Please renew the API key.", Kind::Auth);
    check_error(403, denied, "Your API key was reported as leaked. Please use another API key.", Kind::Auth);
    check_error(403, denied, "Method doesn't allow unregistered callers.", Kind::Auth);
    check_error(403, denied, "Your project has been denied access.", Kind::Permission);
    let location = "User location is not supported for the API use.";
    check_error(400, "FAILED_PRECONDITION", location, Kind::Permission);
    let file = "You do not have permission to access the File abc or it may not exist.";
    check_error(403, denied, file, Kind::RequestDeclined);
    let state = "The File abc is not in an ACTIVE state and usage is not allowed.";
    check_error(400, "FAILED_PRECONDITION", state, Kind::RequestDeclined);
    check_error(403, denied, "CachedContent not found (or permission denied)", Kind::RequestDeclined);
    check_error(404, "NOT_FOUND", "models/g is not found for API version v1beta", Kind::NotFound);
}

#[test]
fn money_is_told_from_a_rate_limit() {
    let word = "RESOURCE_EXHAUSTED";
    check_error(429, word, "You exceeded your current quota, please check your plan.", Kind::RateLimited);
    check_error(429, word, "Your prepayment credits are depleted.", Kind::QuotaExhausted);
    check_error(402, word, "Your prepayment credits are depleted.", Kind::QuotaExhausted);
    check_error(429, word, "Your project has exceeded its monthly spending cap.", Kind::QuotaExhausted);
    let nothing =
        "* Quota exceeded for metric: m_free_tier_requests, limit: 0, model: g\nPlease retry in 12s.";
    let failure = check_error(429, word, nothing, Kind::QuotaExhausted);
    assert_eq!(failure.hint.unwrap().after, Duration::from_secs(12));
    check_error(429, word, "* Quota exceeded for metric: m, limit: 1000000, model: g", Kind::RateLimited);
}

#[test]
fn what_another_model_may_take_names_its_field() {
    for (message, param) in [
        ("Function call is missing a thought_signature in functionCall parts.", "messages"),
        ("Function calling is not enabled for models/g", "tools"),
        ("Function calling with a response mime type: 'application/json' is unsupported", "response_format"),
        ("Thinking level MINIMAL is not supported for this model.", "reasoning_effort"),
        ("Unable to submit request because it has a maxOutputTokens value of 99999 but", "max_tokens"),
    ] {
        let failure = check_error(400, "INVALID_ARGUMENT", message, Kind::UnsupportedParameter);
        assert_eq!(failure.param.as_deref(), Some(param), "{message}");
    }
    check_error(400, "INVALID_ARGUMENT", "Request contains an invalid argument.", Kind::InvalidRequest);
}

#[test]
fn faults_of_the_server_are_its_own() {
    check_error(500, "INTERNAL", "An internal error has occurred.", Kind::ServerError);
    check_error(503, "UNAVAILABLE", "The model is overloaded. Please try again later.", Kind::Overloaded);
    check_error(504, "DEADLINE_EXCEEDED", "The request timed out.", Kind::ServerError);
    check_error(499, "CANCELLED", "The operation was cancelled.", Kind::ServerError);
    let hinted = read_error(503, "UNAVAILABLE", "x", &json!([{"retryDelay": "3.5s"}]));
    assert_eq!(hinted.hint.unwrap().after, Duration::from_millis(3500));
}

#[test]
fn a_blocked_prompt_is_filtered_and_a_prohibited_one_is_asked_of_nobody_else() {
    for (reason, prohibited) in [
        ("SAFETY", false),
        ("OTHER", false),
        ("JAILBREAK", false),
        ("BLOCKLIST", true),
        ("PROHIBITED_CONTENT", true),
    ] {
        let body = json!({"promptFeedback": {"blockReason": reason}}).to_string();
        let line = json!({"status": 200, "body": body});
        let answer = Reply::of(&line, NOW).read(gemini()).0.unwrap();
        let found = (answer.finish_reason, answer.prompt_prohibited);
        assert_eq!(found, (FinishReason::ContentFilter, prohibited), "{reason}");
    }
    let line = json!({"status": 200, "body": r#"{"candidates":[{"finishReason":"PROHIBITED_CONTENT"}]}"#});
    let answer = Reply::of(&line, NOW).read(gemini()).0.unwrap();
    assert!(answer.finish_reason == FinishReason::ContentFilter && !answer.prompt_prohibited);
}

fn write(model: &str, request: &ChatRequest) -> (Value, Outbound) {
    let target = Target::new("gemini", model);
    let accepts = (gemini().accepts)(model);
    let call = Call { target: &target, accepts: &accepts, stream: true, max_tokens: request.max_tokens };
    let outbound = gemini().upstream.write_request(request, &call).unwrap();
    (serde_json::from_slice(&outbound.body).unwrap(), outbound)
}

#[test]
fn a_signature_makes_the_round_through_the_normalizer_and_goes_to_its_model_only() {
    let parts = json!([
        {"text": "Let me look.", "thoughtSignature": "s1"},
        {"functionCall": {"name": "get_weather", "args": {"city": "Oslo"}}, "thoughtSignature": "s2"},
    ]);
    let chunk =
        json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]});
    for (stream, body) in [(false, chunk.to_string()), (true, format!("data: {chunk}\r\n\r\n"))] {
        let line = json!({"status": 200, "stream": stream, "body": body});
        let answer = Reply::of(&line, NOW).read(gemini()).0.unwrap();
        let id = answer.tool_calls[0].id.clone();
        let assistant = ChatMessage {
            tool_calls: answer.tool_calls,
            reasoning_blocks: answer.reasoning_blocks,
            ..ChatMessage::new(Role::Assistant, answer.text)
        };
        let result = ChatMessage { tool_call_id: Some(id.clone()), ..ChatMessage::new(Role::Tool, "4 C") };
        let request = ChatRequest::user("Weather in Oslo?").message(assistant).message(result);

        // The recorded reader calls every model `m-test`.
        let (body, _) = write("m-test", &request);
        let mut sent = parts.clone();
        sent[1]["functionCall"]["id"] = json!(id);
        assert_eq!(body["contents"][1], json!({"role": "model", "parts": sent}));
        assert_eq!(body["contents"][2]["parts"][0]["functionResponse"]["name"], "get_weather");

        let (body, _) = write("gemini-2.5-flash", &request);
        assert!(!body.to_string().contains("thoughtSignature"), "{body}");
        let (body, outbound) = write("gemini-3.8-flash", &request);
        let text = body.to_string();
        assert!(!text.contains("\"s1\"") && !text.contains("\"s2\""), "{text}");
        assert_eq!(text.matches("thoughtSignature").count(), 1, "{text}");
        assert!(!outbound.notes.is_empty());
    }
}

#[test]
fn no_key_stands_in_an_address_and_none_gets_out_with_an_error() {
    let key = "AIzaFAKEFAKE0123456789";
    for provider in [gemini(), for_dialect(Dialect::Gemini).unwrap()] {
        assert!(matches!(provider.auth, Auth::Header { name: "x-goog-api-key", .. }));
        let (_, outbound) = write("gemini-3.8-flash", &ChatRequest::user("hi"));
        assert_eq!(outbound.path, "/models/gemini-3.8-flash:streamGenerateContent?alt=sse");
        assert!(outbound.headers.is_empty());
        for body in [
            "model not found".to_owned(),
            format!("no such model for key {key}"),
            format!(
                r#"{{"error":{{"code":404,"status":"NOT_FOUND","message":"https://x/models/m?key={key}&alt=sse"}}}}"#
            ),
            format!(r#"[{{"error":"Consumer 'api_key:{key}' is unknown"}}]"#),
        ] {
            let failure = provider.read_error(404, &Headers::new(), body.as_bytes(), NOW);
            assert_eq!(failure.kind, Kind::NotFound, "{body}");
            assert!(!format!("{failure} {failure:?}").contains(key), "{failure:?}");
        }
        let mut reader = provider.upstream.read_stream();
        let event = format!("event: error\ndata: bad key {key}\n\n");
        let failure = reader.push(event.as_bytes(), &mut Vec::new()).unwrap_err();
        assert!(!format!("{failure} {failure:?}").contains(key), "{failure:?}");
    }
}
