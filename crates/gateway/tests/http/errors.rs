//! Every error in the caller's dialect, with the headers that tell SDKs what to do (behaviour 11.1).

use mainstay_testkit::{Fault, Reply};
use serde_json::{Value, json};

use crate::common::{Ask, By, Front, Told};

/// What a caller of either dialect must be told.
struct Expected {
    status: u16,
    /// OpenAI's `error.type`.
    openai: &'static str,
    /// Anthropic's `error.type`, and our own word in its details.
    anthropic: (&'static str, &'static str),
    /// How many calls were made.
    attempts: &'static str,
}

const ALL_FAILED: (&str, &str) = ("overloaded_error", "all_providers_failed");

async fn both(front: &Front, ask: impl Fn(By) -> Ask, expected: &Expected) {
    for by in [By::OpenAi, By::Anthropic, By::Responses] {
        let told = front.ask(ask(by)).await;
        check(&told, by, expected);
    }
}

fn check(told: &Told, by: By, expected: &Expected) {
    let about = format!("{by:?}: {told:?}");
    let status = match (by, expected.status) {
        // What is overloaded has a number of its own there, by which its SDKs raise it.
        (By::Anthropic, 503) => 529,
        (By::OpenAi | By::Anthropic | By::Responses, status) => status,
    };
    assert_eq!(told.status, status, "{about}");
    assert_eq!(told.header("content-type"), Some("application/json"), "{about}");
    assert_eq!(told.header("x-mainstay-attempts"), Some(expected.attempts), "{about}");
    assert!(told.header("x-mainstay-cost-usd").is_some(), "{about}");
    assert!(told.header("x-should-retry").is_some(), "{about}");
    assert_eq!(told.header("x-mainstay-quality"), None, "there was no answer; {about}");
    let asked_somebody = expected.attempts != "0";
    assert_eq!(told.header("x-mainstay-tier").is_some(), asked_somebody, "{about}");
    assert_eq!(told.header("x-mainstay-served").is_some(), asked_somebody, "{about}");
    let id = told.header("x-mainstay-request-id").unwrap();
    assert_eq!(told.header("x-request-id"), Some(id), "{about}");
    let body = told.json();
    let message = body["error"]["message"].as_str().unwrap();
    assert!(!message.is_empty(), "{about}");
    match by {
        By::OpenAi | By::Responses => {
            assert_eq!(body["error"]["type"], expected.openai, "{about}");
            assert!(body["error"].as_object().unwrap().contains_key("param"), "{about}");
            assert!(body["error"]["code"].is_string(), "{about}");
        }
        By::Anthropic => {
            assert_eq!(body["type"], "error", "{about}");
            assert_eq!(body["error"]["type"], expected.anthropic.0, "{about}");
            assert_eq!(body["error"]["details"]["error_code"], expected.anthropic.1, "{about}");
            assert_eq!((&body["request_id"], told.header("request-id")), (&json!(id), Some(id)), "{about}");
        }
    }
}

#[tokio::test]
async fn what_every_tier_failed_at_is_told_by_kind() {
    let cases: [(Fault, Expected); 6] = [
        (
            Fault::Status(500),
            Expected { status: 503, openai: "all_providers_failed", anthropic: ALL_FAILED, attempts: "2" },
        ),
        (
            Fault::Overloaded,
            Expected { status: 503, openai: "all_providers_failed", anthropic: ALL_FAILED, attempts: "2" },
        ),
        (
            Fault::Empty,
            Expected { status: 502, openai: "all_providers_failed", anthropic: ALL_FAILED, attempts: "2" },
        ),
        (
            Fault::UnknownFinish,
            Expected { status: 502, openai: "all_providers_failed", anthropic: ALL_FAILED, attempts: "1" },
        ),
        (
            Fault::RateLimited(700),
            Expected {
                status: 429,
                openai: "rate_limit_error",
                anthropic: ("rate_limit_error", "all_providers_failed"),
                attempts: "1",
            },
        ),
        (
            Fault::Status(400),
            Expected {
                status: 400,
                openai: "invalid_request_error",
                anthropic: ("invalid_request_error", "invalid_request_error"),
                attempts: "1",
            },
        ),
    ];
    for (fault, expected) in cases {
        // In a stream the word comes after the text is out.
        let ways: &[bool] = if fault == Fault::UnknownFinish { &[false] } else { &[false, true] };
        for stream in ways.iter().copied() {
            for by in [By::OpenAi, By::Anthropic] {
                let front = Front::start(&["bad"]).await;
                front.provider.on("bad", [Reply::Fault(fault.clone())]);
                let told = front.ask(Ask::by(by, stream)).await;
                check(&told, by, &expected);
                assert_eq!(told.header("x-should-retry"), Some("false"), "{fault:?}: it has been retried");
            }
        }
    }
}

#[tokio::test]
async fn a_wait_is_told_where_it_helps() {
    let front = Front::start(&["bad"]).await;
    front.provider.on("bad", [Reply::Fault(Fault::RateLimited(60))]);
    let impatient = || Ask { headers: vec![("x-mainstay-deadline-ms", "2000".into())], ..Ask::default() };
    let first = front.ask(impatient()).await;
    assert_eq!((first.status, first.header("x-should-retry")), (429, Some("false")), "it has been tried");
    let told = front.ask(impatient()).await;
    assert_eq!((told.status, told.header("x-mainstay-attempts")), (429, Some("0")), "{}", told.body);
    assert_eq!(told.header("x-should-retry"), Some("true"), "nobody was asked, and a minute can be sat out");
    let seconds: u64 = told.header("retry-after").unwrap().parse().unwrap();
    let millis: u64 = told.header("retry-after-ms").unwrap().parse().unwrap();
    assert!((50..=61).contains(&seconds) && millis.div_ceil(1000) == seconds, "{told:?}");
    assert_eq!(front.provider.calls("bad"), 1);
}

#[tokio::test]
async fn a_request_that_is_wrong_names_the_field() {
    let front = Front::start(&["good"]).await;
    let invalid = ("invalid_request_error", "invalid_request_error");
    let expected =
        Expected { status: 400, openai: "invalid_request_error", anthropic: invalid, attempts: "0" };
    let bodies = [
        json!("not an object"),
        json!({"model": "default"}),
        json!({"model": "default", "messages": "hi"}),
        json!({"model": "default", "messages": [{"role": "user", "content": "hi"}], "max_tokens": "many"}),
    ];
    for body in bodies {
        both(&front, |by| Ask { body: Some(body.clone()), ..Ask::by(by, false) }, &expected).await;
    }
    let told = front
        .ask(Ask {
            body: Some(json!({"model": "default", "n": 2, "messages": [{"role": "user", "content": "hi"}]})),
            ..Ask::default()
        })
        .await;
    assert_eq!((told.status, &told.json()["error"]["param"]), (400, &json!("n")), "{}", told.body);
    let bad_header = |by| Ask { headers: vec![("x-mainstay-expect", "huge".into())], ..Ask::by(by, false) };
    both(&front, bad_header, &expected).await;
    assert!(front.provider.seen().is_empty(), "nobody is asked what cannot be read");
}

#[tokio::test]
async fn a_body_that_is_not_json_is_a_400_and_the_connection_goes_on() {
    let front = Front::start(&["good"]).await;
    for path in ["/v1/chat/completions", "/v1/messages"] {
        for body in ["", "{", "nonsense", "[1,2", "\u{0}", "{\"model\": \"default\", }"] {
            let request = front.http.post(front.url(path)).header("content-type", "application/json");
            let reply = request.body(body).send().await.unwrap();
            assert_eq!(reply.status(), 400, "{path} {body:?}");
            let body: Value = reply.json().await.unwrap();
            assert_eq!(body["error"]["type"], "invalid_request_error", "{body}");
        }
    }
}

#[tokio::test]
async fn an_unknown_model_is_a_404_that_lists_what_there_is() {
    let front = Front::start(&["good"]).await;
    let expected = Expected {
        status: 404,
        openai: "not_found_error",
        anthropic: ("not_found_error", "model_not_found"),
        attempts: "0",
    };
    both(&front, |by| Ask { model: Some("gpt-99".into()), ..Ask::by(by, false) }, &expected).await;
    let told = front.ask(Ask { model: Some("gpt-99".into()), ..Ask::default() }).await;
    assert_eq!(told.json()["error"]["code"], "model_not_found");
    assert!(told.body.contains("fake/good") && told.body.contains("gpt-99"), "{}", told.body);
}

#[tokio::test]
async fn a_cap_that_leaves_no_room_is_a_402() {
    let front = Front::start_with(&["good"], "[budget]\ndaily = \"0.0001\"\n").await;
    front.provider.on("good", [Reply::text("Fine.")]);
    let expected = Expected {
        status: 402,
        openai: "budget_exceeded",
        anthropic: ("billing_error", "budget_exceeded"),
        attempts: "0",
    };
    for stream in [false, true] {
        both(&front, |by| Ask::by(by, stream), &expected).await;
    }
    let told = front.ask(Ask::default()).await;
    assert_eq!(told.header("x-should-retry"), Some("false"));
    assert!(told.body.contains("daily") && told.body.contains("0.0001"), "{}", told.body);
    assert!(front.provider.seen().is_empty(), "refused before any provider is called");
}

#[tokio::test]
async fn a_deadline_that_passes_is_a_504() {
    let front = Front::start(&["bad"]).await;
    front.provider.on("bad", [Reply::Fault(Fault::Hang)]);
    let ask = |by| Ask { headers: vec![("x-mainstay-deadline-ms", "400".into())], ..Ask::by(by, false) };
    for by in [By::OpenAi, By::Anthropic] {
        let told = front.ask(ask(by)).await;
        assert_eq!(told.status, 504, "{told:?}");
        let word = if by == By::OpenAi { "timeout" } else { "timeout_error" };
        assert_eq!(told.json()["error"]["type"], word);
        assert_eq!(told.header("x-should-retry"), Some("false"));
    }
}

#[tokio::test]
async fn a_refusal_is_an_error_where_the_operator_wants_it() {
    let front = Front::start_with(&["bad"], "[quality]\non_refusal = \"error\"\n").await;
    front.provider.on("bad", [Reply::Fault(Fault::Refusal)]);
    let expected =
        Expected { status: 502, openai: "all_providers_failed", anthropic: ALL_FAILED, attempts: "1" };
    for stream in [false, true] {
        both(&front, |by| Ask::by(by, stream), &expected).await;
    }
}

#[tokio::test]
async fn unknown_routes_and_wrong_methods_are_told_in_the_dialect_of_the_path() {
    let front = Front::start(&["good"]).await;
    let ask = async |method: &str, path: &str| {
        let reply = front.http.request(method.parse().unwrap(), front.url(path)).send().await.unwrap();
        let status = reply.status().as_u16();
        let allow = reply.headers().get("allow").and_then(|allow| allow.to_str().ok()).map(str::to_owned);
        assert!(reply.headers().contains_key("x-mainstay-request-id"), "{method} {path}");
        (status, allow, reply.json::<Value>().await.unwrap_or_default())
    };
    let (status, _, body) = ask("GET", "/v1/nothing").await;
    assert_eq!((status, &body["error"]["type"]), (404, &json!("not_found_error")), "{body}");
    let (status, _, body) = ask("POST", "/v1/messages/batches").await;
    assert_eq!((status, &body["type"]), (404, &json!("error")), "{body}");
    let (status, allow, body) = ask("GET", "/v1/chat/completions").await;
    assert_eq!((status, allow.as_deref()), (405, Some("POST")), "{body}");
    let (status, allow, body) = ask("DELETE", "/v1/messages").await;
    assert_eq!((status, allow.as_deref(), &body["type"]), (405, Some("POST"), &json!("error")), "{body}");
    let (status, allow, _) = ask("OPTIONS", "/v1/models").await;
    assert_eq!((status, allow.as_deref()), (405, Some("GET,HEAD")));
    let reply = front.http.head(front.url("/v1/models")).send().await.unwrap();
    assert_eq!((reply.status().as_u16(), reply.text().await.unwrap().as_str()), (200, ""));
}
