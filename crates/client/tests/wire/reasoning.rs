//! Reasoning on its way there and back (behaviour 1.4): what a model signed or encrypted is handed back to that
//! model unchanged, kept in a loop of tools, and kept from everybody else, which the row says.

use std::fmt::Write as _;

use mainstay::{Answer, ChatMessage, ChatRequest, ChatResponse, Content, RawJson, Role, Tool};
use mainstay_testkit::{Reply, Said, Seen, Spelling};
use serde_json::{Value, json};

use crate::common::cases::planted;
use crate::common::{Bench, NOW, TestClock};

const GOOD: &str = "The Douro, the Tagus and the Guadiana.";
const THOUGHT: &str = "The live value is needed.";

/// A model that thinks, and how its thoughts stand in the next request.
struct Thinker {
    provider: &'static str,
    model: &'static str,
    /// What it says first, whole and streamed.
    first: fn(&Seen) -> Reply,
    /// A place in the body of the next request, and what stands there.
    returned: fn(&Value) -> (Option<&Value>, Value),
    /// What nobody else may be given.
    secret: &'static str,
}

fn calls() -> Said {
    Said::call("look", "{\"place\":\"Porto\"}").thinking(THOUGHT)
}

/// An answer of Anthropic's with thinking that was redacted beside thinking that is shown.
fn redacted(seen: &Seen) -> Reply {
    let blocks = [
        json!({"type": "thinking", "thinking": THOUGHT, "signature": "RXFRQkNr+/=="}),
        json!({"type": "redacted_thinking", "data": "cmVkYWN0ZWQ+/A=="}),
        json!({"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"place": "Porto"}}),
    ];
    let usage = json!({"input_tokens": 9, "output_tokens": 30});
    let mut message = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": seen.model,
        "content": blocks, "stop_reason": "tool_use", "stop_sequence": null, "usage": usage});
    if !seen.stream {
        return Reply::http(200, &[], &message.to_string());
    }
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    let mut events = vec![json!({"type": "message_start", "message": message})];
    let deltas = [
        vec![
            json!({"type": "thinking_delta", "thinking": THOUGHT}),
            json!({"type": "signature_delta", "signature": "RXFRQkNr+/=="}),
        ],
        Vec::new(),
        vec![json!({"type": "input_json_delta", "partial_json": "{\"place\":\"Porto\"}"})],
    ];
    for (index, (block, deltas)) in blocks.iter().zip(deltas).enumerate() {
        let start = match index {
            0 => json!({"type": "thinking", "thinking": "", "signature": ""}),
            1 => block.clone(),
            _ => json!({"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}),
        };
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        for delta in deltas {
            events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": usage}));
    events.push(json!({"type": "message_stop"}));
    let body: Vec<String> = events
        .iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()))
        .collect();
    Reply::http(200, &[("content-type", "text/event-stream")], &body.concat())
}

const DETAIL: &str =
    r#"{"type":"reasoning.encrypted","data":"QUJD","id":"call_fake1","format":"google-gemini-v1","index":0}"#;

/// An answer of OpenRouter's, whose reasoning is a list to be handed back as it is.
fn details(seen: &Seen) -> Reply {
    let detail: Value = serde_json::from_str(DETAIL).unwrap();
    let call = json!({"index": 0, "id": "call_fake1", "type": "function",
        "function": {"name": "look", "arguments": "{\"place\":\"Porto\"}"}});
    let message = json!({"role": "assistant", "content": "", "reasoning": THOUGHT,
        "reasoning_details": [detail], "tool_calls": [call]});
    let usage = json!({"prompt_tokens": 9, "completion_tokens": 30});
    let choice = |field: &str| json!([{"index": 0, field: message, "finish_reason": "tool_calls"}]);
    if !seen.stream {
        let body = json!({"id": "gen-1", "model": seen.model, "choices": choice("message"), "usage": usage});
        return Reply::http(200, &[], &body.to_string());
    }
    let chunk = json!({"id": "gen-1", "model": seen.model, "choices": choice("delta"), "usage": usage});
    Reply::http(200, &[("content-type", "text/event-stream")], &format!("data: {chunk}\n\ndata: [DONE]\n\n"))
}

/// An answer of a model that thinks inside its text.
fn tagged(_: &Seen) -> Reply {
    Reply::Say(Said { text: format!("<think>\n{THOUGHT}\n</think>\n\n"), reasoning: None, ..calls() })
}

fn said(_: &Seen) -> Reply {
    Reply::Say(calls())
}

fn thinkers() -> [Thinker; 7] {
    [
        Thinker {
            provider: "anthropic",
            model: "claude-opus-5-5",
            first: redacted,
            returned: |body| {
                let blocks = body.pointer("/messages/1/content");
                let call =
                    json!({"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"place": "Porto"}});
                let thinking = json!({"type": "thinking", "thinking": THOUGHT, "signature": "RXFRQkNr+/=="});
                let redacted = json!({"type": "redacted_thinking", "data": "cmVkYWN0ZWQ+/A=="});
                (blocks, json!([thinking, redacted, call]))
            },
            secret: "RXFRQkNr+/==",
        },
        Thinker {
            provider: "openai",
            model: "gpt-6-luna",
            first: said,
            returned: |body| {
                let item = json!({"id": "rs_fake", "type": "reasoning", "encrypted_content": "ZW5jcnlwdGVk",
                    "summary": [{"type": "summary_text", "text": THOUGHT}]});
                (body.pointer("/input/1"), item)
            },
            secret: "ZW5jcnlwdGVk",
        },
        Thinker {
            provider: "gemini",
            model: "gemini-3.8-flash",
            first: said,
            returned: |body| (body.pointer("/contents/1/parts/0/thoughtSignature"), json!("dGhvdWdodA==")),
            secret: "dGhvdWdodA==",
        },
        Thinker {
            provider: "openrouter",
            model: "google/gemini-3.8-flash",
            first: details,
            returned: |body| {
                let detail: Value = serde_json::from_str(DETAIL).unwrap();
                (body.pointer("/messages/1/reasoning_details"), json!([detail]))
            },
            secret: "QUJD",
        },
        Thinker {
            provider: "deepseek",
            model: "deepseek-flash",
            first: said,
            returned: |body| (body.pointer("/messages/1/reasoning_content"), json!(THOUGHT)),
            secret: THOUGHT,
        },
        Thinker {
            provider: "ollama",
            model: "qwen3:4b",
            first: said,
            returned: |body| (body.pointer("/messages/1/thinking"), json!(THOUGHT)),
            secret: THOUGHT,
        },
        Thinker {
            provider: "minimax",
            model: "MiniMax-M3",
            first: tagged,
            returned: |body| {
                (body.pointer("/messages/1/content"), json!(format!("<think>\n{THOUGHT}\n</think>")))
            },
            secret: THOUGHT,
        },
    ]
}

/// A chain of that model, and behind it one of its own provider and one of each dialect elsewhere.
async fn bench(thinker: &Thinker) -> Bench {
    let address = match thinker.provider {
        "anthropic" | "ollama" => "ORIGIN",
        _ => "BASE_URL",
    };
    let mut text =
        format!("[providers.{}]\nbase_url = \"{address}\"\napi_key_env = \"PLANTED\"\n", thinker.provider);
    let mut tiers =
        vec![(thinker.provider.to_owned(), thinker.model), (thinker.provider.to_owned(), "other")];
    for spelling in Spelling::ALL {
        let name = format!("other-{}", spelling.dialect());
        let _ = writeln!(
            text,
            "[providers.{name}]\ndialect = \"{}\"\nbase_url = \"BASE_URL\"\nauth = \"none\"",
            spelling.dialect()
        );
        tiers.push((name, thinker.model));
    }
    for (provider, model) in tiers {
        let _ = writeln!(
            text,
            "[[chains.default.tiers]]\nprovider = \"{provider}\"\nmodel = \"{model}\"\nretry_budget = 1\n\
             price = {{ input = \"1\", output = \"2\" }}"
        );
    }
    let bench = Bench::with_text(&text, &planted, TestClock::at(NOW)).await;
    bench.provider.otherwise(Reply::text(GOOD));
    bench.provider.on(thinker.model, [Reply::by(thinker.first), Reply::text(GOOD)]);
    bench
}

fn ask() -> ChatRequest {
    let schema = json!({"type": "object", "properties": {"place": {"type": "string"}}});
    let tool = Tool::function("look", "Looks.", RawJson::of(&schema).unwrap());
    ChatRequest::user("How is the weather in Porto?").tool(tool)
}

/// The answer as a message of the conversation.
fn turn(answer: &Answer) -> ChatMessage {
    let mut message = ChatMessage::new(Role::Assistant, answer.text.clone());
    if answer.text.is_empty() {
        message.content.clear();
    }
    message.tool_calls.clone_from(&answer.tool_calls);
    message.reasoning_content.clone_from(&answer.reasoning_content);
    message.reasoning_blocks.clone_from(&answer.reasoning_blocks);
    message
}

/// The conversation after the tool has answered.
fn then(answer: &Answer) -> ChatRequest {
    let mut result = ChatMessage::new(Role::Tool, "14 C");
    result.tool_call_id = Some(answer.tool_calls[0].id.clone());
    ask().message(turn(answer)).message(result)
}

async fn answer(bench: &Bench, request: ChatRequest, stream: bool) -> ChatResponse {
    if stream { bench.stream(request).await.done().clone() } else { bench.ask(request).await.unwrap() }
}

#[tokio::test]
async fn a_model_is_handed_back_in_a_loop_of_tools_exactly_what_it_thought() {
    for thinker in thinkers() {
        for stream in [false, true] {
            let shown = format!("{} stream={stream}", thinker.provider);
            let bench = bench(&thinker).await;
            let first = answer(&bench, ask(), stream).await;
            assert_eq!((first.text.trim(), first.tool_calls.len()), ("", 1), "{shown}: {first:?}");
            let reasoning = first.reasoning_content.as_deref().map(str::trim);
            assert_eq!(reasoning, Some(THOUGHT), "{shown}: {first:?}");
            answer(&bench, then(&first), stream).await;
            let seen = bench.provider.seen();
            let (found, wanted) = (thinker.returned)(&seen[1].body);
            assert_eq!(found, Some(&wanted), "{shown}: {}", seen[1].body);
        }
    }
}

#[tokio::test]
async fn nobody_else_is_given_what_a_model_thought_and_the_row_says_so() {
    for thinker in thinkers() {
        let bench = bench(&thinker).await;
        let first = answer(&bench, ask(), false).await;
        let others = Spelling::ALL.map(|spelling| format!("other-{}/{}", spelling.dialect(), thinker.model));
        let same_provider = format!("{}/other", thinker.provider);
        for target in others.into_iter().chain([same_provider]) {
            let shown = format!("{} to {target}", thinker.provider);
            let request = ChatRequest { model_hint: Some(target.clone()), ..then(&first) };
            // Plain thoughts bear no mark of who thought them. A model that refuses a turn of tools without
            // any is told these (DeepSeek API, Thinking mode, 2026-11); whose they are, nobody can tell.
            let wants_some = target.starts_with("other-ollama/") || target.ends_with("/other");
            let may_be_told = first.reasoning_blocks.is_empty() && wants_some;
            let response = bench.ask(request).await.unwrap();
            assert_eq!(response.target.to_string(), target);
            let seen = bench.provider.seen().pop().unwrap();
            let is_told = seen.body.to_string().contains(thinker.secret);
            assert_eq!(is_told, may_be_told, "{shown}: {}", seen.body);
            if may_be_told {
                continue;
            }
            let row = bench.attempts().pop().unwrap();
            assert!(
                row.note.as_deref().is_some_and(|note| note.contains("reasoning")),
                "{shown}: the note is {:?}",
                row.note
            );
        }
    }
}

#[tokio::test]
async fn the_next_tier_of_a_chain_is_not_given_what_the_first_one_thought() {
    for thinker in thinkers().into_iter().filter(|thinker| thinker.secret != THOUGHT) {
        let bench = bench(&thinker).await;
        let first = answer(&bench, ask(), false).await;
        bench.provider.now_on(thinker.model, [Reply::Fault(mainstay_testkit::Fault::Status(503))]);
        let response = answer(&bench, then(&first), false).await;
        assert_eq!(&*response.target.model, "other", "{}", thinker.provider);
        let seen = bench.provider.seen();
        let [.., own, other] = seen.as_slice() else { panic!("{seen:?}") };
        assert!(own.body.to_string().contains(thinker.secret), "{}: {}", thinker.provider, own.body);
        assert!(!other.body.to_string().contains(thinker.secret), "{}: {}", thinker.provider, other.body);
    }
}

#[tokio::test]
async fn thoughts_that_leak_into_text_are_moved_out_and_stay_out() {
    let leaked = format!("<think>\n{THOUGHT}\n</think>\n\n{GOOD}");
    for spelling in [Spelling::OpenaiChat, Spelling::Ollama] {
        for stream in [false, true] {
            let text = format!(
                "[providers.fake]\ndialect = \"{}\"\nbase_url = \"BASE_URL\"\nauth = \"none\"\n\
                 [[chains.default.tiers]]\nprovider = \"fake\"\nmodel = \"m\"\n",
                spelling.dialect()
            );
            let bench = Bench::with_text(&text, &|_| None, TestClock::at(NOW)).await;
            bench.provider.on("m", [Reply::Say(Said { piece: 5, ..Said::text(&leaked) }), Reply::text(GOOD)]);
            let response = if stream {
                let streamed = bench.stream(ask()).await;
                assert_eq!(streamed.text(), GOOD, "{spelling:?}");
                assert_eq!(streamed.reasoning().trim(), THOUGHT, "{spelling:?}");
                streamed.done().clone()
            } else {
                bench.ask(ask()).await.unwrap()
            };
            assert_eq!(response.text, GOOD, "{spelling:?} stream={stream}");
            assert_eq!(response.reasoning_content.as_deref().map(str::trim), Some(THOUGHT));
            let message = turn(&response);
            let Content::Text(said) = &message.content[0].content else { panic!("{message:?}") };
            assert!(!said.contains("think"), "{said}");
            let again = ask().message(message).message(ChatMessage::new(Role::User, "And in Spain?"));
            bench.ask(again).await.unwrap();
            // Its turn called no tool: nothing asks for these thoughts again.
            let body = bench.provider.seen()[1].body.to_string();
            assert!(!body.contains(THOUGHT), "{spelling:?}: {body}");
        }
    }
}
