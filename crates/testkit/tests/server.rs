//! The fake provider does on the wire what a script says.

use std::time::Duration;

use mainstay_testkit::{FakeProvider, Fault, Reply, Said, Spelling};
use serde_json::{Value, json};

async fn ask(provider: &FakeProvider, path: &str, stream: bool) -> Result<(u16, String), reqwest::Error> {
    let url = format!("{}{path}", provider.base_url());
    let reply = reqwest::Client::new()
        .post(url)
        .body(json!({"model": "m", "stream": stream}).to_string())
        .send()
        .await?;
    let status = reply.status().as_u16();
    Ok((status, reply.text().await?))
}

#[tokio::test]
async fn a_script_is_answered_in_order_and_its_last_entry_again_and_again() {
    let provider = FakeProvider::start().await.unwrap();
    provider.on("m", [Reply::text("one"), Reply::Fault(Fault::RateLimited(7))]);
    let (status, body) = ask(&provider, "/chat/completions", false).await.unwrap();
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, body["choices"][0]["message"]["content"].as_str()), (200, Some("one")));
    for _ in 0..2 {
        assert_eq!(ask(&provider, "/chat/completions", false).await.unwrap().0, 429);
    }
    assert_eq!(provider.calls("m"), 3);
}

#[tokio::test]
async fn an_answer_is_spelled_in_the_dialect_of_the_route() {
    let provider = FakeProvider::start().await.unwrap();
    provider.otherwise(Reply::Say(Said::text("Hello there.").thinking("hm")));
    let (_, body) = ask(&provider, "/messages", false).await.unwrap();
    assert!(body.contains("\"stop_reason\":\"end_turn\""), "{body}");
    let (_, stream) = ask(&provider, "/messages", true).await.unwrap();
    assert!(stream.contains("event: message_stop"), "{stream}");
    let (_, stream) = ask(&provider, "/chat/completions", true).await.unwrap();
    assert!(stream.ends_with("data: [DONE]\n\n"), "{stream}");
}

/// The route of each dialect, whole and streamed.
fn route(spelling: Spelling, stream: bool) -> &'static str {
    match (spelling, stream) {
        (Spelling::OpenaiChat, _) => "/chat/completions",
        (Spelling::OpenaiResponses, _) => "/responses",
        (Spelling::Anthropic, _) => "/messages",
        (Spelling::Gemini, false) => "/models/m:generateContent",
        (Spelling::Gemini, true) => "/models/m:streamGenerateContent?alt=sse",
        (Spelling::Ollama, _) => "/api/chat",
    }
}

#[tokio::test]
async fn every_dialect_is_known_by_its_route_and_spelled_with_its_own_end() {
    let provider = FakeProvider::start().await.unwrap();
    provider.on("m", [Reply::Say(Said::call("look", "{\"city\":\"Porto\"}").thinking("hm"))]);
    for spelling in Spelling::ALL {
        let (whole_end, stream_end) = match spelling {
            Spelling::OpenaiChat => ("\"finish_reason\":\"tool_calls\"", "data: [DONE]"),
            Spelling::OpenaiResponses => ("\"status\":\"completed\"", "event: response.completed"),
            Spelling::Anthropic => ("\"stop_reason\":\"tool_use\"", "event: message_stop"),
            Spelling::Gemini => ("\"finishReason\":\"STOP\"", "\"finishReason\":\"STOP\""),
            Spelling::Ollama => ("\"done_reason\":\"stop\"", "\"done\":true"),
        };
        for (stream, end) in [(false, whole_end), (true, stream_end)] {
            let (status, body) = ask(&provider, route(spelling, stream), stream).await.unwrap();
            assert_eq!(status, 200, "{spelling:?}");
            assert!(
                body.contains(end) && body.contains("look") && body.contains("hm"),
                "{spelling:?}: {body}"
            );
            let seen = provider.seen().pop().unwrap();
            assert_eq!((seen.model.as_str(), seen.stream), ("m", stream), "{spelling:?}");
        }
    }
    assert_eq!(provider.calls("m"), 10);
}

#[tokio::test]
async fn ollama_streams_unless_it_is_told_not_to() {
    let provider = FakeProvider::start().await.unwrap();
    provider.on("m", [Reply::text("Hello there.")]);
    let url = format!("{}/api/chat", provider.origin());
    let reply = reqwest::Client::new().post(url).body("{\"model\": \"m\"}").send().await.unwrap();
    assert_eq!(reply.headers()["content-type"], "application/x-ndjson");
    let body = reply.text().await.unwrap();
    assert!(body.lines().count() > 2, "{body}");
    assert!(body.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{body}");
}

#[tokio::test]
async fn errors_are_spelled_in_every_dialect() {
    let provider = FakeProvider::start().await.unwrap();
    for spelling in Spelling::ALL {
        for (fault, statuses) in [
            (Fault::RateLimited(3), [429].as_slice()),
            (Fault::Quota, &[402, 429]),
            (Fault::Status(500), &[500]),
            (Fault::UnknownModel, &[404]),
            (Fault::Overloaded, &[503, 529]),
            (Fault::ErrorInside200, &[200]),
        ] {
            provider.now_on("m", [Reply::Fault(fault.clone())]);
            let (status, body) = ask(&provider, route(spelling, false), false).await.unwrap();
            assert!(statuses.contains(&status), "{spelling:?} {fault:?}: {status}");
            let body: Value = serde_json::from_str(&body).unwrap();
            let error = &body["error"];
            match spelling {
                Spelling::Ollama => assert!(error.is_string(), "{spelling:?} {fault:?}: {body}"),
                Spelling::Gemini => assert!(error["status"].is_string(), "{spelling:?} {fault:?}: {body}"),
                Spelling::OpenaiChat | Spelling::OpenaiResponses | Spelling::Anthropic => {
                    assert!(error["message"].is_string(), "{spelling:?} {fault:?}: {body}");
                }
            }
        }
    }
}

#[tokio::test]
async fn connections_break_where_a_fault_says_so() {
    let provider = FakeProvider::start().await.unwrap();
    for (fault, stream) in [
        (Fault::CloseAtOnce, false),
        (Fault::ResetAtOnce, true),
        (Fault::CutBeforeContent, true),
        (Fault::CutBeforeContent, false),
        (Fault::CutInText("A fine answer, cut somewhere in the middle.".into()), true),
        (Fault::CutAtByte("A fine answer".into(), 30), true),
    ] {
        provider.now_on("m", [Reply::Fault(fault.clone())]);
        assert!(ask(&provider, "/chat/completions", stream).await.is_err(), "{fault:?}");
    }
}

#[tokio::test]
async fn a_peer_that_leaves_is_noticed() {
    let provider = FakeProvider::start().await.unwrap();
    provider.on("m", [Reply::Fault(Fault::Hang)]);
    let call = tokio::time::timeout(Duration::from_millis(100), ask(&provider, "/chat/completions", true));
    assert!(call.await.is_err());
    for _ in 0..100 {
        if provider.open_connections() == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the connection is still open");
}

#[tokio::test]
async fn a_reply_may_depend_on_the_request() {
    let provider = FakeProvider::start().await.unwrap();
    provider.otherwise(Reply::by(|seen| Reply::text(&format!("You asked {}.", seen.model))));
    let (_, body) = ask(&provider, "/chat/completions", false).await.unwrap();
    assert!(body.contains("You asked m."), "{body}");
}
