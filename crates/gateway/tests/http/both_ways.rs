//! Either dialect as the caller's, either as the provider's: four ways, whole and streamed (behaviour 11.1).

use mainstay_testkit::{Reply, Said};
use serde_json::{Value, json};

use crate::common::{Ask, By, Front, Told};

const GOOD: &str = "The Douro, the Tagus and the Guadiana, which all rise in Spain.";

/// Every caller, provider and way of answering.
fn ways() -> impl Iterator<Item = (By, &'static str, bool)> {
    [By::OpenAi, By::Anthropic, By::Responses].into_iter().flat_map(|by| {
        ["fake/good", "claude/good"].into_iter().flat_map(move |tier| [(by, tier, false), (by, tier, true)])
    })
}

/// What every good answer's headers and body say.
fn check_story(told: &Told, by: By, tier: &str, stream: bool) {
    let about = format!("{by:?} {tier} stream={stream}: {told:?}");
    assert_eq!(told.header("x-mainstay-tier"), Some(tier), "{about}");
    assert_eq!(told.header("x-mainstay-served"), Some("first"), "{about}");
    assert_eq!(told.header("x-mainstay-attempts"), Some("1"), "{about}");
    let id = told.header("x-mainstay-request-id").unwrap();
    assert_eq!(told.header("x-request-id"), Some(id), "{about}");
    assert_eq!(told.header("request-id"), (by == By::Anthropic).then_some(id), "{about}");
    if stream {
        assert_eq!(told.header("content-type"), Some("text/event-stream"), "{about}");
        assert_eq!(told.header("cache-control"), Some("no-cache"), "{about}");
        assert_eq!(told.header("x-accel-buffering"), Some("no"), "{about}");
        assert_eq!(told.header("x-mainstay-quality"), Some("pending"), "{about}");
        assert_eq!(told.header("x-mainstay-cost-usd"), None, "{about}");
        let comment = told.comment();
        assert_eq!(comment["request_id"], id, "{about}");
        assert_eq!(comment["tier"], tier, "{about}");
        assert_eq!((&comment["attempts"], &comment["quality"]), (&json!(1), &json!("ok")), "{about}");
        assert!(comment["cost_usd"].as_str().unwrap().starts_with("0.0000"), "{about}");
        assert_eq!(comment["continued"], false, "{about}");
    } else {
        assert_eq!(told.header("content-type"), Some("application/json"), "{about}");
        assert_eq!(told.header("x-mainstay-quality"), Some("ok"), "{about}");
        assert!(told.header("x-mainstay-cost-usd").unwrap().starts_with("0.0000"), "{about}");
        assert_eq!(told.json()["model"], "good", "the model that answered; {about}");
    }
}

#[tokio::test]
async fn text_goes_every_way() {
    for (by, tier, stream) in ways() {
        let front = Front::start(&[tier]).await;
        front.provider.on("good", [Reply::text(GOOD)]);
        let told = front.ask(Ask::by(by, stream)).await;
        assert_eq!(
            (told.status, told.text.as_str()),
            (200, GOOD),
            "{by:?} {tier} stream={stream}: {}",
            told.body
        );
        assert!(told.finished, "{by:?} {tier} stream={stream}: {}", told.body);
        check_story(&told, by, tier, stream);
        let seen = front.provider.seen();
        let path = if tier.starts_with("claude") { "/v1/messages" } else { "/v1/chat/completions" };
        assert_eq!(seen[0].path, path);
    }
}

#[tokio::test]
async fn tool_calls_go_every_way() {
    let city = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    for (by, tier, stream) in ways() {
        let front = Front::start(&[tier]).await;
        front.provider.on("good", [Reply::Say(Said::call("get_weather", "{\"city\":\"Porto\"}"))]);
        let tools = match by {
            By::OpenAi => {
                json!([{"type": "function", "function": {"name": "get_weather", "parameters": city}}])
            }
            By::Anthropic => json!([{"name": "get_weather", "input_schema": city}]),
            By::Responses => json!([{"type": "function", "name": "get_weather", "parameters": city}]),
        };
        let question = "What is the weather in Porto?";
        let mut body = json!({"model": "default", "stream": stream, "tools": tools});
        match by {
            By::OpenAi | By::Anthropic => {
                body["max_tokens"] = json!(300);
                body["messages"] = json!([{"role": "user", "content": question}]);
            }
            By::Responses => body["input"] = json!(question),
        }
        let told = front.ask(Ask { body: Some(body), ..Ask::by(by, stream) }).await;
        let (name, arguments) =
            told.call.clone().unwrap_or_else(|| panic!("{by:?} {tier} {stream}: {}", told.body));
        assert_eq!(name, "get_weather");
        let arguments: Value = serde_json::from_str(&arguments).unwrap();
        assert_eq!(arguments, json!({"city": "Porto"}), "{by:?} {tier} stream={stream}");
        assert!(told.finished, "{by:?} {tier} stream={stream}: {}", told.body);
        let sent = &front.provider.seen()[0].body["tools"][0];
        let schema =
            if tier.starts_with("claude") { &sent["input_schema"] } else { &sent["function"]["parameters"] };
        assert_eq!(*schema, city, "{by:?} {tier} stream={stream}");
    }
}

#[tokio::test]
async fn a_refusal_is_an_answer_in_every_dialect() {
    for (by, tier, stream) in ways() {
        let front = Front::start(&[tier]).await;
        front.provider.on("good", [Reply::text("I'm sorry, but I cannot help with that.")]);
        let told = front.ask(Ask::by(by, stream)).await;
        assert_eq!(told.status, 200, "{by:?} {tier} stream={stream}: {}", told.body);
        assert!(told.finished, "{by:?} {tier} stream={stream}: {}", told.body);
        if !stream {
            assert_eq!(told.header("x-mainstay-quality"), Some("refusal"), "{}", told.body);
            match by {
                By::OpenAi => {
                    assert!(told.json()["choices"][0]["message"]["refusal"].is_string(), "{}", told.body);
                }
                By::Anthropic => assert_eq!(told.json()["stop_reason"], "refusal", "{}", told.body),
                By::Responses => {
                    assert!(told.body.contains(r#"{"type":"refusal","refusal":"I'm sorry"#), "{}", told.body);
                }
            }
        }
    }
}

#[tokio::test]
async fn beta_features_go_along_where_the_callers_own_dialect_is_spoken() {
    for (tier, expected) in [("claude/good", Some("context-1m-2026,files-2026")), ("fake/good", None)] {
        let front = Front::start(&[tier]).await;
        front.provider.on("good", [Reply::text(GOOD)]);
        let headers = vec![
            ("anthropic-beta", "context-1m-2026".to_owned()),
            ("anthropic-beta", "files-2026".to_owned()),
            ("anthropic-version", "2023-06-01".to_owned()),
        ];
        let told = front.ask(Ask { headers, ..Ask::by(By::Anthropic, false) }).await;
        assert_eq!(told.status, 200, "{}", told.body);
        assert_eq!(front.provider.seen()[0].header("anthropic-beta"), expected, "{tier}");
    }
}

#[tokio::test]
async fn models_are_listed_in_the_callers_dialect() {
    let front = Front::start(&["good", "claude/other"]).await;
    let list = async |path: &str, version: Option<&str>| -> Value {
        let mut request = front.http.get(front.url(path));
        if let Some(version) = version {
            request = request.header("anthropic-version", version);
        }
        request.send().await.unwrap().json().await.unwrap()
    };
    let ids = |list: &Value| -> Vec<String> {
        list["data"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
    };
    let openai = list("/v1/models", None).await;
    assert_eq!((&openai["object"], &openai["data"][0]["object"]), (&json!("list"), &json!("model")));
    assert_eq!(ids(&openai), ["default", "fake/good", "claude/other"]);
    let anthropic = list("/v1/models", Some("2026-10-21")).await;
    assert_eq!((&anthropic["data"][0]["type"], &anthropic["has_more"]), (&json!("model"), &json!(false)));
    assert_eq!((ids(&anthropic), &anthropic["last_id"]), (ids(&openai), &json!("claude/other")));
    assert_eq!(list("/v1/models/fake%2Fgood", None).await["id"], "fake/good");
    assert_eq!(list("/v1/models/fake/good", Some("2026-10-21")).await["type"], "model");
    let unknown = list("/v1/models/nothing", None).await;
    assert_eq!(unknown["error"]["code"], "model_not_found");
    assert!(unknown["error"]["message"].as_str().unwrap().contains("fake/good"), "{unknown}");
}

#[tokio::test]
async fn a_count_of_tokens_says_that_it_is_an_estimate() {
    let front = Front::start(&["claude/good"]).await;
    let count = async |model: &str| {
        let body = json!({"model": model, "messages": [{"role": "user", "content": "How long is this?"}]});
        front.http.post(front.url("/v1/messages/count_tokens?beta=true")).json(&body).send().await.unwrap()
    };
    let reply = count("default").await;
    assert_eq!(reply.status(), 200);
    assert_eq!(reply.headers()["x-mainstay-estimated"], "true");
    assert_eq!(reply.headers()["x-mainstay-attempts"], "0");
    assert!(reply.headers().contains_key("request-id"));
    let body: Value = reply.json().await.unwrap();
    assert!((4..20).contains(&body["input_tokens"].as_u64().unwrap()), "{body}");
    assert!(front.provider.seen().is_empty(), "nobody is asked");
    let reply = count("nothing").await;
    assert_eq!(reply.status(), 404);
    assert_eq!(reply.json::<Value>().await.unwrap()["type"], "error");
}
