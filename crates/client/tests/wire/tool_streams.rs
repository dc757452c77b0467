//! Calls of tools as providers stream them: interleaved, without indexes or ids or with too many of them, in one
//! piece, with the counts before or after.

use mainstay::{ChatRequest, RawJson, Tool};
use mainstay_testkit::{Reply, Spelling};
use serde_json::{Value, json};

use crate::common::{Bench, NOW, TestClock};

fn ask() -> ChatRequest {
    let any = || RawJson::parse("{\"type\":\"object\"}").unwrap();
    let request = ChatRequest::user("How are Porto and Lisbon?");
    request.tool(Tool::function("look", "Looks.", any())).tool(Tool::function("hear", "Hears.", any()))
}

async fn bench(spelling: Spelling) -> Bench {
    let text = format!(
        "[providers.fake]\ndialect = \"{}\"\nbase_url = \"BASE_URL\"\nauth = \"none\"\n\
         [[chains.default.tiers]]\nprovider = \"fake\"\nmodel = \"m\"\nretry_budget = 1\n",
        spelling.dialect()
    );
    Bench::with_text(&text, &|_| None, TestClock::at(NOW)).await
}

/// Both calls, in their order, whatever happened to their ids.
async fn comes_out(spelling: Spelling, name: &str, events: &[Value]) {
    let framed = |event: &Value| match spelling {
        Spelling::Ollama => format!("{event}\n"),
        Spelling::Anthropic | Spelling::OpenaiResponses => {
            format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())
        }
        Spelling::OpenaiChat | Spelling::Gemini => format!("data: {event}\n\n"),
    };
    let body = events.iter().map(framed).collect::<Vec<String>>().concat();
    let end = if spelling == Spelling::OpenaiChat { "data: [DONE]\n\n" } else { "" };
    let kind = if spelling == Spelling::Ollama { "application/x-ndjson" } else { "text/event-stream" };
    let bench = bench(spelling).await;
    bench.provider.on("m", [Reply::http(200, &[("content-type", kind)], &format!("{body}{end}"))]);
    let streamed = bench.stream(ask()).await;
    let shown = format!("{spelling:?}, {name}");
    let response = streamed.end.as_ref().unwrap_or_else(|gave_up| panic!("{shown}: {gave_up}"));
    let calls: Vec<(String, Value)> = streamed
        .calls()
        .into_iter()
        .map(|(name, arguments)| (name, serde_json::from_str(&arguments).unwrap()))
        .collect();
    let wanted = [("look", json!({"city": "Porto"})), ("hear", json!({"city": "Lisbon"}))];
    assert_eq!(calls, wanted.map(|(name, arguments)| (name.to_owned(), arguments)), "{shown}");
    let ids: Vec<&str> = response.tool_calls.iter().map(|call| &*call.id).collect();
    assert!(ids.len() == 2 && ids[0] != ids[1] && !ids.contains(&""), "{shown}: {ids:?}");
    assert_eq!((response.usage.prompt, response.usage.completion), (30, 20), "{shown}");
}

const PORTO: [&str; 2] = ["{\"city\":", "\"Porto\"}"];
const LISBON: [&str; 2] = ["{\"city\":", "\"Lisbon\"}"];

mod openai {
    use super::*;

    fn delta(calls: &Value, finish: Option<&str>) -> Value {
        json!({"id": "c1", "model": "m", "choices": [{"index": 0, "delta": {"tool_calls": calls},
            "finish_reason": finish}]})
    }

    fn counts(choices: &Value) -> Value {
        json!({"id": "c1", "model": "m", "choices": choices,
            "usage": {"prompt_tokens": 30, "completion_tokens": 20}})
    }

    fn end() -> [Value; 2] {
        let finish = json!({"id": "c1", "model": "m",
            "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]});
        [finish, counts(&json!([]))]
    }

    /// A piece of a call; `null` members are left out.
    fn piece(index: &Value, id: &Value, name: &Value, arguments: &Value) -> Value {
        let mut call = json!({"type": "function", "function": {}});
        for (field, value) in [("index", index), ("id", id)] {
            if !value.is_null() {
                call[field] = value.clone();
            }
        }
        for (field, value) in [("name", name), ("arguments", arguments)] {
            if !value.is_null() {
                call["function"][field] = value.clone();
            }
        }
        call
    }

    #[tokio::test]
    async fn calls_are_put_together_whatever_their_indexes_and_ids_are() {
        let none = Value::Null;
        let p = |index: Value, id: Value, name: Value, arguments: &str| {
            delta(&json!([piece(&index, &id, &name, &json!(arguments))]), None)
        };
        let mut table: Vec<(&str, Vec<Value>)> = vec![
            (
                "interleaved",
                vec![
                    p(json!(0), json!("a"), json!("look"), PORTO[0]),
                    p(json!(1), json!("b"), json!("hear"), LISBON[0]),
                    p(json!(0), none.clone(), none.clone(), PORTO[1]),
                    p(json!(1), none.clone(), none.clone(), LISBON[1]),
                ],
            ),
            (
                "from 1",
                vec![
                    p(json!(1), json!("a"), json!("look"), PORTO[0]),
                    p(json!(1), none.clone(), none.clone(), PORTO[1]),
                    p(json!(2), json!("b"), json!("hear"), LISBON[0]),
                    p(json!(2), none.clone(), none.clone(), LISBON[1]),
                ],
            ),
            (
                "id and name with every piece",
                vec![
                    p(json!(0), json!("a"), json!("look"), PORTO[0]),
                    p(json!(0), json!("a"), json!("look"), PORTO[1]),
                    p(json!(1), json!("b"), json!("hear"), LISBON[0]),
                    p(json!(1), json!("b"), json!("hear"), LISBON[1]),
                ],
            ),
            (
                "an empty id and name with every further piece",
                vec![
                    p(json!(0), json!("a"), json!("look"), PORTO[0]),
                    p(json!(0), json!(""), json!(""), PORTO[1]),
                    p(json!(1), json!("b"), json!("hear"), LISBON[0]),
                    p(json!(1), json!(""), json!(""), LISBON[1]),
                ],
            ),
            (
                "no index",
                vec![
                    p(none.clone(), json!("a"), json!("look"), PORTO[0]),
                    p(none.clone(), none.clone(), none.clone(), PORTO[1]),
                    p(none.clone(), json!("b"), json!("hear"), LISBON[0]),
                    p(none.clone(), none.clone(), none.clone(), LISBON[1]),
                ],
            ),
            (
                "the same index for both",
                vec![
                    p(json!(0), json!("a"), json!("look"), &PORTO.concat()),
                    p(json!(0), json!("b"), json!("hear"), &LISBON.concat()),
                ],
            ),
            (
                "no ids",
                vec![
                    p(json!(0), none.clone(), json!("look"), &PORTO.concat()),
                    p(json!(1), none.clone(), json!("hear"), &LISBON.concat()),
                ],
            ),
        ];
        let both = |second: Value| {
            json!([
                piece(&json!(0), &json!("a"), &json!("look"), &json!(PORTO.concat())),
                piece(&second, &json!("b"), &json!("hear"), &json!(LISBON.concat())),
            ])
        };
        table.push(("both in one chunk", vec![delta(&both(json!(1)), None)]));
        for (name, events) in &mut table {
            events.extend(end());
            comes_out(Spelling::OpenaiChat, name, events).await;
        }
        // The word in the chunk of the last piece; the counts in it, before it, after it.
        let word = delta(&both(json!(1)), Some("tool_calls"));
        let mut with_counts = word.clone();
        with_counts["usage"] = json!({"prompt_tokens": 30, "completion_tokens": 20});
        let empty = json!([]);
        for (name, events) in [
            ("counts with the word", vec![with_counts.clone()]),
            ("counts after the word", vec![word.clone(), counts(&empty)]),
            ("counts before the word", vec![counts(&empty), word.clone()]),
            ("counts twice", vec![with_counts, counts(&empty)]),
            ("the word twice", vec![word, end()[0].clone(), end()[1].clone()]),
        ] {
            comes_out(Spelling::OpenaiChat, name, &events).await;
        }
    }

    #[tokio::test]
    async fn arguments_as_an_object_are_arguments() {
        let call = |index: u8, name: &str, city: &str| {
            json!({"index": index, "id": format!("c{index}"), "type": "function",
                "function": {"name": name, "arguments": {"city": city}}})
        };
        let mut events = vec![delta(&json!([call(0, "look", "Porto"), call(1, "hear", "Lisbon")]), None)];
        events.extend(end());
        comes_out(Spelling::OpenaiChat, "objects", &events).await;
    }
}

#[tokio::test]
async fn anthropics_blocks_may_be_interleaved_or_whole_at_once() {
    let start = |content: Value, word: Value| {
        json!({"type": "message_start", "message": {"id": "m1", "type": "message", "role": "assistant",
            "model": "m", "content": content, "stop_reason": word, "usage": {"input_tokens": 30, "output_tokens": 20}}})
    };
    let begin = |index: u8, id: &str, name: &str, input: Value| {
        json!({"type": "content_block_start", "index": index,
            "content_block": {"type": "tool_use", "id": id, "name": name, "input": input}})
    };
    let more = |index: u8, text: &str| {
        json!({"type": "content_block_delta", "index": index,
            "delta": {"type": "input_json_delta", "partial_json": text}})
    };
    let stop = |index: u8| json!({"type": "content_block_stop", "index": index});
    let end = || {
        [
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 20}}),
            json!({"type": "message_stop"}),
        ]
    };
    let mut interleaved = vec![
        start(json!([]), Value::Null),
        begin(0, "a", "look", json!({})),
        begin(1, "b", "hear", json!({})),
        more(0, PORTO[0]),
        more(1, LISBON[0]),
        more(1, LISBON[1]),
        more(0, PORTO[1]),
        stop(1),
        stop(0),
    ];
    interleaved.extend(end());
    comes_out(Spelling::Anthropic, "interleaved", &interleaved).await;

    let mut at_once = vec![
        start(json!([]), Value::Null),
        begin(0, "a", "look", json!({"city": "Porto"})),
        stop(0),
        begin(1, "b", "hear", json!({"city": "Lisbon"})),
        stop(1),
    ];
    at_once.extend(end());
    comes_out(Spelling::Anthropic, "input in the block's beginning", &at_once).await;

    let blocks = json!([
        {"type": "tool_use", "id": "a", "name": "look", "input": {"city": "Porto"}},
        {"type": "tool_use", "id": "b", "name": "hear", "input": {"city": "Lisbon"}},
    ]);
    let whole = [start(blocks, json!("tool_use")), json!({"type": "message_stop"})];
    comes_out(Spelling::Anthropic, "the whole turn at once", &whole).await;
}

#[tokio::test]
async fn geminis_calls_come_with_or_without_ids_in_one_reply_or_in_several() {
    let reply = |parts: Value, word: Option<&str>| {
        let mut candidate = json!({"index": 0, "content": {"role": "model", "parts": parts}});
        if let Some(word) = word {
            candidate["finishReason"] = json!(word);
        }
        json!({"candidates": [candidate], "usageMetadata": {"promptTokenCount": 30, "candidatesTokenCount": 20}})
    };
    let call = |id: Option<&str>, name: &str, city: &str| {
        let mut call = json!({"name": name, "args": {"city": city}});
        if let Some(id) = id {
            call["id"] = json!(id);
        }
        json!({ "functionCall": call })
    };
    for ids in [[None, None], [Some("a"), Some("b")], [Some(""), None]] {
        let (look, hear) = (call(ids[0], "look", "Porto"), call(ids[1], "hear", "Lisbon"));
        let end = reply(json!([{"text": ""}]), Some("STOP"));
        let apart = [reply(json!([look]), None), reply(json!([hear]), None), end.clone()];
        comes_out(Spelling::Gemini, "apart", &apart).await;
        comes_out(Spelling::Gemini, "together", &[reply(json!([look, hear]), None), end]).await;
        comes_out(Spelling::Gemini, "with the end", &[reply(json!([look, hear]), Some("STOP"))]).await;
    }
}

#[tokio::test]
async fn ollamas_calls_come_with_or_without_ids_and_indexes_in_one_line_or_in_several() {
    let line = |calls: Value, done: bool| {
        let mut line = json!({"model": "m", "message": {"role": "assistant", "content": "", "tool_calls": calls},
            "done": done});
        if done {
            line["done_reason"] = json!("stop");
            line["prompt_eval_count"] = json!(30);
            line["eval_count"] = json!(20);
        }
        line
    };
    let call = |id: Option<&str>, index: Option<u8>, name: &str, arguments: Value| {
        let mut call = json!({"function": {"name": name, "arguments": arguments}});
        if let Some(id) = id {
            call["id"] = json!(id);
        }
        if let Some(index) = index {
            call["function"]["index"] = json!(index);
        }
        call
    };
    let object = |city: &str| json!({"city": city});
    let text = |city: &str| json!(format!("{{\"city\":\"{city}\"}}"));
    let makers: [&dyn Fn(&str) -> Value; 2] = [&object, &text];
    for arguments in makers {
        for (ids, indexes) in [
            ([None, None], [None, None]),
            ([Some("a"), Some("b")], [Some(0), Some(1)]),
            ([None, None], [Some(0), Some(0)]),
            ([Some("a"), Some("b")], [Some(1), Some(2)]),
        ] {
            let look = call(ids[0], indexes[0], "look", arguments("Porto"));
            let hear = call(ids[1], indexes[1], "hear", arguments("Lisbon"));
            let apart = [line(json!([look]), false), line(json!([hear]), false), line(json!([]), true)];
            comes_out(Spelling::Ollama, "apart", &apart).await;
            comes_out(
                Spelling::Ollama,
                "together",
                &[line(json!([look, hear]), false), line(json!([]), true)],
            )
            .await;
            comes_out(Spelling::Ollama, "with the end", &[line(json!([look, hear]), true)]).await;
        }
    }
}

#[tokio::test]
async fn items_of_responses_may_be_interleaved_or_come_only_whole() {
    let item = |id: &str, call: &str, name: &str, arguments: &str, status: &str| {
        json!({"id": id, "type": "function_call", "status": status, "call_id": call, "name": name,
            "arguments": arguments})
    };
    let response = |status: &str, output: Value| {
        json!({"id": "r1", "object": "response", "status": status, "model": "m", "output": output,
            "error": null, "incomplete_details": null, "usage": {"input_tokens": 30, "output_tokens": 20}})
    };
    let begun = json!({"type": "response.created", "response": response("in_progress", json!([]))});
    let added =
        |at: u8, item: Value| json!({"type": "response.output_item.added", "output_index": at, "item": item});
    let more = |at: u8, id: &str, text: &str| json!({"type": "response.function_call_arguments.delta", "output_index": at, "item_id": id, "delta": text});
    let done =
        |at: u8, item: Value| json!({"type": "response.output_item.done", "output_index": at, "item": item});
    let look = || item("f0", "a", "look", &PORTO.concat(), "completed");
    let hear = || item("f1", "b", "hear", &LISBON.concat(), "completed");
    let end =
        |output: Value| json!({"type": "response.completed", "response": response("completed", output)});
    let interleaved = [
        begun.clone(),
        added(0, item("f0", "a", "look", "", "in_progress")),
        added(1, item("f1", "b", "hear", "", "in_progress")),
        more(1, "f1", LISBON[0]),
        more(0, "f0", PORTO[0]),
        more(0, "f0", PORTO[1]),
        more(1, "f1", LISBON[1]),
        done(1, hear()),
        done(0, look()),
        end(json!([look(), hear()])),
    ];
    comes_out(Spelling::OpenaiResponses, "interleaved", &interleaved).await;
    let whole_items = [begun.clone(), done(0, look()), done(1, hear()), end(json!([look(), hear()]))];
    comes_out(Spelling::OpenaiResponses, "whole items", &whole_items).await;
    // The last event of one server repeats nothing.
    let not_repeated = [begun.clone(), done(0, look()), done(1, hear()), end(json!([]))];
    comes_out(Spelling::OpenaiResponses, "not repeated", &not_repeated).await;
    comes_out(Spelling::OpenaiResponses, "at the end only", &[begun, end(json!([look(), hear()]))]).await;
}
