//! Where a request goes and how it names itself, as each provider's documentation says: the path behind the
//! provider's own base URL, the headers, the key in its one place and never in an address.

use std::fmt::Write as _;

use mainstay::{ChatRequest, RawJson, ReasoningEffort, Tool};
use mainstay_providers::by_id;
use mainstay_testkit::{Reply, Seen, Spelling};
use serde_json::json;

use crate::common::cases::{KEY, planted};
use crate::common::{Bench, NOW, TestClock};

const GOOD: &str = "The Douro, the Tagus and the Guadiana.";

/// A chain of this provider's model alone, at the path at which the provider itself listens.
async fn bench(provider: &str, model: &str, with_key: bool) -> Bench {
    let base_url = by_id(provider).unwrap().base_url;
    let (_, rest) = base_url.split_once("://").unwrap();
    let path = rest.split_once('/').map_or(String::new(), |(_, path)| format!("/{path}"));
    let mut text = format!("[providers.{provider}]\nbase_url = \"ORIGIN{path}\"\n");
    text.push_str(if with_key { "api_key_env = \"PLANTED\"\n" } else { "auth = \"none\"\n" });
    let _ = writeln!(
        text,
        "[[chains.default.tiers]]\nprovider = \"{provider}\"\nmodel = \"{model}\"\nretry_budget = 1\n\
         price = {{ input = \"1\", output = \"2\" }}"
    );
    let bench = Bench::with_text(&text, &planted, TestClock::at(NOW)).await;
    bench.provider.otherwise(Reply::text(GOOD));
    bench
}

/// The request that a call leads to, whole or streamed.
async fn sent(bench: &Bench, request: ChatRequest, stream: bool) -> Seen {
    if stream {
        assert_eq!(bench.stream(request).await.done().text, GOOD);
    } else {
        assert_eq!(bench.ask(request).await.unwrap().text, GOOD);
    }
    bench.provider.seen().pop().unwrap()
}

fn tool() -> Tool {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    Tool::function("weather", "The weather.", RawJson::of(&schema).unwrap())
}

#[tokio::test]
async fn every_request_goes_where_its_provider_listens_with_the_key_in_its_one_place() {
    let chat = |prefix: &str| [format!("{prefix}/chat/completions"), format!("{prefix}/chat/completions")];
    let gemini = "/v1beta/models/gemini-3.8-flash";
    let table: [(&str, &str, [String; 2], &str, &str); 9] = [
        ("openai", "gpt-4o", chat("/v1"), "authorization", "Bearer "),
        ("deepseek", "deepseek-flash", chat("/v1"), "authorization", "Bearer "),
        ("openrouter", "acme/model", chat("/api/v1"), "authorization", "Bearer "),
        ("mistral", "mistral-medium-latest", chat("/v1"), "authorization", "Bearer "),
        ("groq", "llama-3.3-70b-versatile", chat("/openai/v1"), "authorization", "Bearer "),
        ("xai", "grok-4", chat("/v1"), "authorization", "Bearer "),
        ("minimax", "MiniMax-M3", chat("/v1"), "authorization", "Bearer "),
        ("anthropic", "claude-opus-5-5", ["/v1/messages".into(), "/v1/messages".into()], "x-api-key", ""),
        (
            "gemini",
            "gemini-3.8-flash",
            [format!("{gemini}:generateContent"), format!("{gemini}:streamGenerateContent?alt=sse")],
            "x-goog-api-key",
            "",
        ),
    ];
    for (provider, model, paths, header, before) in table {
        for (stream, path) in [false, true].into_iter().zip(&paths) {
            let bench = bench(provider, model, true).await;
            let seen = sent(&bench, ChatRequest::user("Which rivers?"), stream).await;
            let shown = format!("{provider} stream={stream}: {seen:?}");
            assert_eq!((&seen.path, seen.stream), (path, stream), "{shown}");
            assert_eq!(seen.header(header), Some(&*format!("{before}{KEY}")), "{shown}");
            assert_eq!(seen.header("content-type"), Some("application/json"), "{shown}");
            let places = seen.headers.iter().filter(|(_, value)| value.contains(KEY)).count();
            assert_eq!(places, 1, "{shown}");
            assert!(!seen.path.contains(KEY) && !seen.body.to_string().contains(KEY), "{shown}");
            let accept = if stream { "text/event-stream" } else { "application/json" };
            assert_eq!(seen.header("accept"), Some(accept), "{shown}");
            if stream {
                assert_eq!(seen.header("accept-encoding"), Some("identity"), "{shown}");
            }
            let version = seen.header("anthropic-version");
            assert_eq!(version, (provider == "anthropic").then_some("2026-10-21"), "{shown}");
            let model_in_body = seen.body.get("model").is_some();
            assert_eq!(model_in_body, provider != "gemini", "{shown}");
        }
    }
}

#[tokio::test]
async fn what_a_newer_version_of_anthropics_refuses_is_asked_in_the_older() {
    let bench = bench("anthropic", "claude-haiku-4-5", true).await;
    let request = ChatRequest { temperature: Some(0.2), ..ChatRequest::user("Which rivers?") };
    let seen = sent(&bench, request, false).await;
    assert_eq!(seen.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(seen.body["temperature"], json!(0.2));
}

#[tokio::test]
async fn ollama_is_asked_at_its_own_route_and_without_a_key_where_there_is_none() {
    for stream in [false, true] {
        for with_key in [false, true] {
            let bench = bench("ollama", "llama3.2:3b", with_key).await;
            let seen = sent(&bench, ChatRequest::user("Which rivers?"), stream).await;
            assert_eq!((seen.path.as_str(), seen.stream), ("/api/chat", stream));
            // It streams unless it is told not to.
            assert_eq!(seen.body["stream"], json!(stream));
            let bearer = format!("Bearer {KEY}");
            assert_eq!(seen.header("authorization"), with_key.then_some(&*bearer));
            assert!(seen.body["options"]["num_ctx"].is_u64(), "{}", seen.body);
        }
    }
}

#[tokio::test]
async fn a_name_that_is_no_path_is_spelled_out_in_geminis_address() {
    let bench = bench("gemini", "models/gemini-3.8-flash", true).await;
    bench.provider.otherwise(Reply::text(GOOD));
    let seen = sent(&bench, ChatRequest::user("Which rivers?"), false).await;
    assert_eq!(seen.path, "/v1beta/models/gemini-3.8-flash:generateContent");
}

#[tokio::test]
async fn openais_newer_models_are_asked_in_responses_where_chat_completions_refuses_and_older_ones_are_not() {
    use ReasoningEffort::{High, Low, None as Nothing};
    use Spelling::{OpenaiChat, OpenaiResponses};
    let table = [
        ("gpt-4o", true, None, OpenaiChat),
        ("gpt-5-mini", true, Some(High), OpenaiChat),
        ("gpt-5.4", true, None, OpenaiChat),
        ("gpt-5.4", false, Some(High), OpenaiChat),
        ("gpt-5.4", true, Some(Nothing), OpenaiChat),
        ("gpt-5.4", true, Some(Low), OpenaiResponses),
        ("gpt-5.6", true, None, OpenaiResponses),
        ("gpt-6-luna", false, None, OpenaiChat),
        ("gpt-6-luna", true, Some(Nothing), OpenaiChat),
        ("gpt-6-luna", true, None, OpenaiResponses),
        ("gpt-6-astra", true, Some(Nothing), OpenaiResponses),
        ("gpt-6.1-sol", true, None, OpenaiResponses),
        // No other route serves these.
        ("gpt-5.3-codex", false, None, OpenaiResponses),
        ("gpt-5-pro", false, None, OpenaiResponses),
        ("ft:gpt-4o-mini:acme::7p4l", true, None, OpenaiChat),
    ];
    for (model, with_tool, reasoning_effort, spelling) in table {
        for stream in [false, true] {
            let bench = bench("openai", model, true).await;
            let request =
                ChatRequest { reasoning_effort, ..ChatRequest::user("Which rivers?").max_tokens(300) };
            let request = if with_tool { request.tool(tool()) } else { request };
            let seen = sent(&bench, request, stream).await;
            let shown =
                format!("{model} {reasoning_effort:?} tool={with_tool} stream={stream}: {}", seen.body);
            let path = if spelling == OpenaiChat { "/v1/chat/completions" } else { "/v1/responses" };
            assert_eq!((seen.path.as_str(), seen.stream), (path, stream), "{shown}");
            assert_eq!(seen.header("authorization"), Some(&*format!("Bearer {KEY}")), "{shown}");
            let body = &seen.body;
            let (said, tool_name, limit) = if spelling == OpenaiChat {
                let limit = body.get("max_tokens").or(body.get("max_completion_tokens"));
                ("messages", "/tools/0/function/name", limit)
            } else {
                assert_eq!(body["store"], json!(false), "{shown}");
                ("input", "/tools/0/name", body.get("max_output_tokens"))
            };
            assert!(body[said].is_array() || body[said].is_string(), "{shown}");
            assert_eq!(body.pointer(tool_name), with_tool.then_some(&json!("weather")), "{shown}");
            assert_eq!(limit, Some(&json!(300)), "{shown}");
        }
    }
}

#[tokio::test]
async fn calls_that_come_through_responses_are_read_as_any_others() {
    for stream in [false, true] {
        let bench = bench("openai", "gpt-6-luna", true).await;
        let said = mainstay_testkit::Said::call("weather", "{\"city\":\"Porto\"}").thinking("Which city?");
        bench.provider.on("gpt-6-luna", [Reply::Say(said)]);
        let request = ChatRequest::user("How is the weather in Porto?").tool(tool());
        let response = if stream {
            bench.stream(request).await.done().clone()
        } else {
            bench.ask(request).await.unwrap()
        };
        let [call] = response.tool_calls.as_slice() else { panic!("{response:?}") };
        assert_eq!((call.name.as_str(), call.arguments.as_str()), ("weather", "{\"city\":\"Porto\"}"));
        assert_eq!(response.reasoning_content.as_deref(), Some("Which city?"));
    }
}
