//! Tool calls and JSON: what is no good never reaches a caller, what can be mended is (behaviour 4.1, 7.1a).

use mainstay::{ChatRequest, ChatResponse, Outcome, Quality, RawJson, ResponseFormat, Tool};
use mainstay_testkit::{Reply, Said};
use serde_json::{Value, json};

use crate::common::Bench;
use crate::common::bytes::{calls, ends, stream_of};

const PORTO: &str = "{\"city\":\"Porto\"}";

fn weather() -> Tool {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    Tool::function("weather", "The weather.", RawJson::of(&schema).unwrap())
}

fn ask() -> ChatRequest {
    ChatRequest::user("What is the weather in Porto and in Lisbon?").tool(weather())
}

fn ask_json() -> ChatRequest {
    let schema =
        json!({"type": "object", "properties": {"rivers": {"type": "array"}}, "required": ["rivers"]});
    let schema = RawJson::of(&schema).unwrap();
    let response_format = ResponseFormat::JsonSchema { name: "rivers".into(), schema, strict: None };
    ChatRequest { response_format, ..ChatRequest::user("List three rivers as JSON.") }
}

/// The answer, whole or streamed; what a stream gave must be what it says it gave.
async fn answer(bench: &Bench, request: ChatRequest, stream: bool) -> ChatResponse {
    if !stream {
        return bench.ask(request).await.unwrap();
    }
    let streamed = bench.stream(request).await;
    let response = streamed.done().clone();
    assert_eq!(streamed.text(), response.text);
    let calls: Vec<(String, String)> =
        response.tool_calls.iter().map(|call| (call.name.clone(), call.arguments.clone())).collect();
    assert_eq!(streamed.calls(), calls);
    response
}

#[tokio::test]
async fn a_call_that_cannot_be_run_never_reaches_a_caller() {
    let bad = [
        Said::call("weather", "{\"city\": \"Porto"),
        Said::call("weather", "{\"town\": 1}"),
        Said::call("launch", PORTO),
        Said::call("weather", PORTO).and_call("weather", "{\"city\": 7}"),
        Said { text: "Let me see.".into(), ..Said::call("weather", "not json") },
        Said::text("<tool_call>{\"name\": \"weather\", \"arguments\": {\"city\": \"Porto\"}}</tool_call>"),
    ];
    for said in bad {
        for stream in [false, true] {
            // Text before a call is out by the time that the call proves bad.
            if stream && !said.text.is_empty() && !said.calls.is_empty() {
                continue;
            }
            let bench = Bench::with_tiers(&[("bad", "retry_budget = 1"), ("good", "")], "").await;
            let shown = format!("{said:?} stream={stream}");
            bench.provider.on("bad", [Reply::Say(said.clone())]);
            bench.provider.on("good", [Reply::Say(Said::call("weather", PORTO))]);
            let response = answer(&bench, ask(), stream).await;
            assert_eq!(response.tool_calls.len(), 1, "{shown}");
            assert_eq!(&*response.target.model, "good", "{shown}");
            assert_eq!(bench.attempts()[0].quality, Some(Quality::MalformedToolCall), "{shown}");
        }
    }
}

#[tokio::test]
async fn calls_at_once_and_text_before_them_arrive_whole_and_in_order() {
    for stream in [false, true] {
        let bench = Bench::start(&["m"], "").await;
        let said =
            Said { text: "I shall look up both of them for you.".into(), ..Said::call("weather", PORTO) };
        bench.provider.on("m", [Reply::Say(said.and_call("weather", "{\"city\":\"Lisbon\"}"))]);
        let response = answer(&bench, ask(), stream).await;
        assert_eq!(response.text, "I shall look up both of them for you.");
        let cities: Vec<Value> =
            response.tool_calls.iter().map(|call| serde_json::from_str(&call.arguments).unwrap()).collect();
        assert_eq!(cities, [json!({"city": "Porto"}), json!({"city": "Lisbon"})]);
    }
}

#[tokio::test]
async fn calls_that_are_not_to_be_held_flow() {
    let bench = Bench::start(&["m"], "[streaming]\nhold_tool_calls = false\n").await;
    let mut events = calls(0, "weather", PORTO);
    events.extend(ends("tool_calls", 12, 9));
    bench.provider.on("m", [Reply::Raw(stream_of(&events))]);
    let streamed = bench.stream(ask()).await;
    let pieces =
        streamed.events.iter().filter(|event| matches!(event, mainstay::ReplyEvent::ToolArguments { .. }));
    assert_eq!((pieces.count(), streamed.calls().len()), (2, 1));
}

#[tokio::test]
async fn json_in_a_fence_is_handed_over_without_it() {
    let bare = "{\"rivers\": [\"Douro\", \"Tagus\", \"Guadiana\"]}";
    for said in [
        format!("```json\n{bare}\n```"),
        format!("```\n{bare}\n```\n"),
        format!("Here is the JSON you asked for:\n\n{bare}"),
    ] {
        for stream in [false, true] {
            let bench = Bench::start(&["m"], "").await;
            bench.provider.on("m", [Reply::text(&said)]);
            let response = answer(&bench, ask_json(), stream).await;
            assert_eq!(response.text, bare, "{said:?} stream={stream}");
            assert_eq!(response.quality.rule, "ok.repaired_json");
            let row = &bench.attempts()[0];
            assert!(row.has_note("repaired") && row.outcome == Outcome::Ok, "{row:?}");
        }
    }
}

#[tokio::test]
async fn json_without_a_flaw_is_handed_over_as_it_is_and_streams_as_it_comes() {
    let bare = "{\"rivers\": [\"Douro\", \"Tagus\", \"Guadiana\"]}";
    let bench = Bench::start(&["m"], "").await;
    bench.provider.on("m", [Reply::text(bare)]);
    let streamed = bench.stream(ask_json()).await;
    assert_eq!(streamed.text(), bare);
    assert!(streamed.events.len() > 4, "it came in pieces: {:?}", streamed.events);
    assert!(!bench.attempts()[0].has_note("repaired"));
}

#[tokio::test]
async fn json_that_was_streamed_before_its_flaw_showed_is_not_called_good() {
    let said = "{\"rivers\": [\"Douro\", \"Tagus\", \"Guadiana\"]}\n\nI hope that this helps!";
    let bench = Bench::start(&["m"], "").await;
    bench.provider.on("m", [Reply::text(said)]);
    let streamed = bench.stream(ask_json()).await;
    assert_eq!((streamed.text().as_str(), streamed.done().text.as_str()), (said, said));
    assert_eq!(streamed.done().quality.rule, "schema_mismatch.streamed");
    let row = &bench.attempts()[0];
    assert_eq!((row.outcome, row.quality), (Outcome::Quality, Some(Quality::SchemaMismatch)));
}

#[tokio::test]
async fn what_is_not_the_json_that_was_asked_for_goes_to_the_next_tier() {
    for said in ["The rivers are the Douro and the Tagus.", "{\"lakes\": []}", "```json\n{\"rivers\": [\n```"]
    {
        for stream in [false, true] {
            let bench = Bench::with_tiers(&[("bad", "retry_budget = 1"), ("good", "")], "").await;
            bench.provider.on("bad", [Reply::text(said)]).on("good", [Reply::text("{\"rivers\": []}")]);
            // A stream of bare JSON is out before its end shows that it misses the schema.
            if stream && said.starts_with('{') {
                continue;
            }
            let response = answer(&bench, ask_json(), stream).await;
            assert_eq!(response.text, "{\"rivers\": []}", "{said:?} stream={stream}");
            assert_eq!(bench.attempts()[0].quality, Some(Quality::SchemaMismatch));
        }
    }
}

#[tokio::test]
async fn arguments_are_mended_where_the_operator_wants_it_and_not_where_one_only_observes() {
    let flawed = "{\"city\": \"Porto\",}";
    for stream in [false, true] {
        let bench = Bench::start(&["m"], "[quality]\nrepair_tool_calls = true\n").await;
        bench.provider.on("m", [Reply::Say(Said::call("weather", flawed))]);
        let response = answer(&bench, ask(), stream).await;
        let arguments: Value = serde_json::from_str(&response.tool_calls[0].arguments).unwrap();
        assert_eq!(arguments, json!({"city": "Porto"}));
        assert!(bench.attempts()[0].has_note("repaired"));

        let observe = "[quality]\naction = \"observe\"\nrepair_tool_calls = true\n";
        let bench = Bench::start(&["m"], observe).await;
        bench.provider.on("m", [Reply::Say(Said::call("weather", flawed))]);
        assert_eq!(answer(&bench, ask(), stream).await.tool_calls[0].arguments, flawed);
        assert!(!bench.attempts()[0].has_note("repaired"));
        let fenced = "```json\n{\"rivers\": []}\n```";
        bench.provider.now_on("m", [Reply::text(fenced)]);
        assert_eq!(answer(&bench, ask_json(), stream).await.text, fenced);
    }
}

#[tokio::test]
async fn a_call_that_the_limit_cut_is_not_asked_for_again_at_the_same_length() {
    let bench = Bench::with_tiers(&[("m", ""), ("good", "")], "").await;
    let mut events = calls(0, "weather", "{\"city\":\"Por");
    events.extend(ends("length", 12, 16));
    bench.provider.on("m", [Reply::Raw(stream_of(&events))]);
    bench.provider.on("good", [Reply::Say(Said::call("weather", PORTO))]);
    let response = answer(&bench, ask().max_tokens(16), true).await;
    assert_eq!((&*response.target.model, bench.provider.calls("m")), ("good", 1));
}
