//! What is written reads back as what it was, both faces against each other; and no input is a panic.

use mainstay_canon::{
    Answer, ChatMessage, ChatRequest, Content, ContentPart, Dialect, Extra, FinishReason, Media, MediaSource,
    RawJson, ReasoningBlock, ReasoningEffort, ReplyEvent, ResponseFormat, Role, Target, Tool, ToolCall,
    ToolChoice, Usage, Verbatim, WireReply,
};
use mainstay_dialects::openai_responses::{INBOUND, OpenAiResponses};
use mainstay_dialects::{Call, Ending, Inbound, Upstream};
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use crate::sdk::{check_response, check_stream};
use crate::shared::{assemble, context, raw, response, stream, takes_all, target, told};
use crate::stream_face::ending;

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{1,12}",
        select(vec!["\"quoted\"\n", "é世🙂", "data: [DONE]\n\n", "\u{2028}\\", "{\"a\":1}", "mainstay:{}"])
            .prop_map(str::to_owned),
    ]
}

fn json_value() -> impl Strategy<Value = RawJson> {
    select(vec!["1.0", "{ \"b\": [1, 2.50] }", "\"x\"", "[0]", "true", "12345678901234567890"]).prop_map(raw)
}

fn extra() -> impl Strategy<Value = Extra> {
    let names = select(vec!["x_a", "x_b", "status"]).prop_map(str::to_owned);
    prop::collection::btree_map(names, json_value(), 0..3).prop_map(|members| members.into_iter().collect())
}

fn media(mime: &'static str) -> impl Strategy<Value = Media> {
    select(vec!["QUJD", "/9j/AA=="]).prop_map(move |data| Media {
        mime: Some(mime.to_owned()),
        name: None,
        source: MediaSource::Base64(data.to_owned()),
    })
}

fn elsewhere() -> impl Strategy<Value = Media> {
    let url = MediaSource::Url("https://example.org/a".into());
    select(vec![url, MediaSource::FileId("file-1".into())]).prop_map(|source| Media {
        mime: None,
        name: None,
        source,
    })
}

fn user_part() -> impl Strategy<Value = ContentPart> {
    let named = media("application/pdf").prop_map(|media| Media { name: Some("a.pdf".into()), ..media });
    let content = prop_oneof![
        3 => text().prop_map(Content::Text),
        1 => prop_oneof![media("image/png"), elsewhere()].prop_map(Content::Image),
        1 => media("audio/mpeg").prop_map(Content::Audio),
        1 => prop_oneof![named, elsewhere()].prop_map(Content::File),
    ];
    let sound = |content: &Content| matches!(content, Content::Audio(_));
    let known = (content, extra()).prop_map(move |(content, extra)| {
        let extra = if sound(&content) { Extra::new() } else { extra };
        ContentPart { content, extra }
    });
    let native = Content::Native {
        dialect: Dialect::OpenaiResponses,
        kind: "input_video".into(),
        raw: raw(r#"{"type":"input_video", "n":1.0}"#),
    };
    prop_oneof![8 => known, 1 => Just(ContentPart { content: native, extra: Extra::new() })]
}

fn text_part() -> impl Strategy<Value = ContentPart> {
    (text(), extra()).prop_map(|(text, extra)| ContentPart { content: Content::Text(text), extra })
}

fn call() -> impl Strategy<Value = ToolCall> {
    let arguments = select(vec!["{}", "{\"city\": \"Oslo\"}", "{\"cut", "[1]"]).prop_map(str::to_owned);
    let function = (extra(), arguments).prop_map(|(extra, arguments)| ("f", extra, arguments));
    let custom = (extra(), text()).prop_map(|(mut extra, input)| {
        extra.insert("type", raw("\"custom\""));
        ("sum", extra, input)
    });
    let computer = Just(()).prop_map(|()| {
        let extra = [("type".to_owned(), raw("\"computer_call\""))].into_iter().collect();
        ("computer", extra, r#"{"type":"computer_call","call_id":"call_item","n":1.0}"#.to_owned())
    });
    let kinds = prop_oneof![4 => function, 1 => custom, 1 => computer];
    ("call_[a-z]{3}", kinds).prop_map(|(id, (name, extra, arguments))| {
        let id = if name == "computer" { "call_item".to_owned() } else { id };
        ToolCall { id, name: name.to_owned(), arguments, extra }
    })
}

/// Calls of one turn have different ids.
fn calls() -> impl Strategy<Value = Vec<ToolCall>> {
    prop::collection::vec(call(), 0..3).prop_map(|calls| {
        let mut calls: Vec<ToolCall> = calls
            .into_iter()
            .enumerate()
            .map(|(at, call)| match call.name.as_str() {
                "computer" => call,
                _ => ToolCall { id: format!("{}{at}", call.id), ..call },
            })
            .collect();
        calls.dedup_by(|a, b| a.id == b.id);
        calls
    })
}

/// A block as a provider of this dialect sends it, which no caller's envelope has been around.
fn block() -> impl Strategy<Value = ReasoningBlock> {
    let items = [
        r#"{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA","n":1.0}"#,
        r#"{"type":"web_search_call","id":"ws_1", "status":"completed"}"#,
    ];
    select(items.to_vec()).prop_map(|json| ReasoningBlock {
        dialect: Dialect::OpenaiResponses,
        origin: None,
        raw: raw(json),
    })
}

/// One turn of the model and the results of its calls.
fn exchange() -> impl Strategy<Value = Vec<ChatMessage>> {
    let said = (prop::collection::vec(text_part(), 0..3), of(text()), extra());
    let results = prop::collection::vec((prop::collection::vec(text_part(), 1..3), extra()), 3);
    (said, prop::collection::vec(block(), 0..3), calls(), results).prop_map(
        |((mut content, refusal, extra), reasoning_blocks, tool_calls, results)| {
            if content.is_empty() && refusal.is_none() && tool_calls.is_empty() {
                content.push(ContentPart::text("ok"));
            }
            let speaks = !content.is_empty() || refusal.is_some();
            let functions: Vec<_> = tool_calls
                .iter()
                .filter(|call| call.name != "computer")
                .map(|call| call.id.clone())
                .collect();
            let assistant = ChatMessage {
                content,
                refusal,
                reasoning_blocks,
                tool_calls,
                extra: if speaks { extra } else { Extra::new() },
                ..ChatMessage::empty(Role::Assistant)
            };
            let results = functions.into_iter().zip(results).map(|(id, (content, extra))| ChatMessage {
                content,
                extra,
                tool_call_id: Some(id),
                ..ChatMessage::empty(Role::Tool)
            });
            std::iter::once(assistant).chain(results).collect()
        },
    )
}

/// A turn in an order that the canonical fields do not tell.
fn kept_turn() -> impl Strategy<Value = Vec<ChatMessage>> {
    text().prop_map(|said| {
        let call = json!({"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"});
        let items = json!([call, {"type": "message", "role": "assistant", "content": said}]);
        vec![ChatMessage {
            tool_calls: vec![ToolCall {
                id: "c".into(),
                name: "f".into(),
                arguments: "{}".into(),
                extra: Extra::new(),
            }],
            verbatim: Some(Verbatim { dialect: Dialect::OpenaiResponses, content: raw(&items.to_string()) }),
            ..ChatMessage::new(Role::Assistant, said)
        }]
    })
}

fn conversation() -> impl Strategy<Value = Vec<ChatMessage>> {
    let role = select(vec![Role::System, Role::Developer, Role::User]);
    let plain = (role, prop::collection::vec(user_part(), 1..4), extra())
        .prop_map(|(role, content, extra)| ChatMessage { content, extra, ..ChatMessage::empty(role) });
    let turn = prop_oneof![4 => exchange(), 1 => kept_turn()];
    let round = (plain, of(turn)).prop_map(|(message, turn)| {
        std::iter::once(message).chain(turn.into_iter().flatten()).collect::<Vec<_>>()
    });
    prop::collection::vec(round, 1..4).prop_map(|rounds| rounds.concat())
}

fn tool() -> impl Strategy<Value = Tool> {
    let schema = of(Just(raw(r#"{"type": "object", "x": 1.0}"#)));
    let function = ("[a-z_]{1,8}", of(text()), schema, of(any::<bool>()), extra()).prop_map(
        |(name, description, parameters, strict, extra)| Tool {
            name,
            description,
            parameters,
            strict,
            extra,
            native: None,
        },
    );
    let native = Tool {
        name: "web_search".into(),
        description: None,
        parameters: None,
        strict: None,
        extra: Extra::new(),
        native: Some(raw(r#"{"type":"web_search", "n":1.0}"#)),
    };
    prop_oneof![4 => function, 1 => Just(native)]
}

fn format() -> impl Strategy<Value = ResponseFormat> {
    let schema = (of(any::<bool>()), "[a-z]{1,5}").prop_map(|(strict, name)| ResponseFormat::JsonSchema {
        name,
        schema: raw(r#"{"type": "object"}"#),
        strict,
    });
    prop_oneof![Just(ResponseFormat::Text), Just(ResponseFormat::Json), schema]
}

fn choice() -> impl Strategy<Value = ToolChoice> {
    prop_oneof![
        Just(ToolChoice::Auto),
        Just(ToolChoice::None),
        Just(ToolChoice::Required),
        "[a-z]{1,5}".prop_map(ToolChoice::Named)
    ]
}

/// Members of a body, those of `text` and `reasoning` under their path.
fn members() -> impl Strategy<Value = Extra> {
    let names = select(vec!["x_a", "truncation", "text.verbosity", "reasoning.summary", "text.\\x.y"]);
    prop::collection::btree_map(names.prop_map(str::to_owned), json_value(), 0..4).prop_map(|mut members| {
        // What is asked for in any case.
        members.insert("include".to_owned(), raw(r#"["reasoning.encrypted_content"]"#));
        members.into_iter().collect()
    })
}

fn request() -> impl Strategy<Value = ChatRequest> {
    let numbers = (of(0u32..200), of(0u32..100), of(1u32..9999));
    let tools = (prop::collection::vec(tool(), 0..3), of(choice()), of(any::<bool>()));
    let rest = (format(), of(select(ReasoningEffort::ALL.to_vec())), any::<bool>());
    (conversation(), numbers, tools, rest, members()).prop_map(
        |(messages, (temperature, top_p, max_tokens), (tools, tool_choice, parallel), rest, extra)| {
            let (response_format, reasoning_effort, stream) = rest;
            let offers = !tools.is_empty();
            ChatRequest {
                model_hint: Some(target().model.to_string()),
                messages,
                temperature: temperature.map(|hundredths| f64::from(hundredths) / 100.0),
                top_p: top_p.map(|hundredths| f64::from(hundredths) / 100.0),
                max_tokens,
                tools,
                tool_choice: tool_choice.filter(|_| offers),
                parallel_tool_calls: parallel.filter(|_| offers),
                response_format,
                reasoning_effort,
                stream,
                origin: Some(Dialect::OpenaiResponses),
                extra,
                ..ChatRequest::default()
            }
        },
    )
}

fn usage() -> impl Strategy<Value = Usage> {
    (0u64..1000, 0u64..1000, 0u64..9, 0u64..9).prop_map(|(prompt, completion, cached, reasoning)| Usage {
        prompt: prompt + cached,
        completion: completion + reasoning,
        cached,
        reasoning,
        ..Usage::default()
    })
}

/// Blocks of this and of other dialects, as an answer has them: with their origin.
fn thoughts() -> impl Strategy<Value = Vec<ReasoningBlock>> {
    let foreign = ReasoningBlock {
        dialect: Dialect::Anthropic,
        origin: Some(Target::new("anthropic", "c")),
        raw: raw(r#"{"type":"thinking", "thinking":"","signature":"c2ln"}"#),
    };
    let ours = block().prop_map(|block| ReasoningBlock { origin: Some(target()), ..block });
    prop::collection::vec(prop_oneof![ours, Just(foreign)], 0..3)
}

fn answer() -> impl Strategy<Value = Answer> {
    (of(text()), of(text()), thoughts(), of(text()), calls(), usage()).prop_map(
        |(said, reasoning_content, reasoning_blocks, refusal, tool_calls, usage)| Answer {
            id: Some("resp_7f3a".into()),
            model: Some("m".into()),
            text: said.unwrap_or_default(),
            finish_reason: FinishReason::Length,
            reasoning_content,
            reasoning_blocks,
            refusal,
            tool_calls,
            usage,
            ..Answer::default()
        },
    )
}

fn events(answer: &Answer) -> Vec<ReplyEvent> {
    let mut events = vec![ReplyEvent::Start { id: None, model: answer.model.clone() }];
    events.extend(answer.reasoning_content.clone().map(ReplyEvent::Reasoning));
    events.extend(answer.reasoning_blocks.iter().cloned().map(ReplyEvent::ReasoningBlock));
    events.extend(answer.text.chars().map(|c| ReplyEvent::Text(c.to_string())));
    events.extend(answer.refusal.clone().map(ReplyEvent::Refusal));
    for (index, call) in answer.tool_calls.iter().enumerate() {
        let (id, name, extra) = (call.id.clone(), call.name.clone(), call.extra.clone());
        events.push(ReplyEvent::ToolStart { index, id, name, extra });
        events.extend(
            call.arguments.chars().map(|c| ReplyEvent::ToolArguments { index, delta: c.to_string() }),
        );
        events.push(ReplyEvent::ToolEnd { index });
    }
    events
}

/// What of a call comes back; ids and states of items are ours on the way to a caller.
fn call_told(call: &ToolCall) -> (String, String, String, Option<RawJson>) {
    let ToolCall { id, name, arguments, extra } = call.clone();
    (id, name, arguments, extra.get("type").cloned())
}

/// The blocks that a caller hands back, once it has been given them.
fn blocks_returned(output: &serde_json::Value) -> Vec<ReasoningBlock> {
    let mut items = output.as_array().unwrap().clone();
    items.push(json!({"role": "user", "content": "go on"}));
    let body = serde_json::to_vec(&json!({"input": items})).unwrap();
    let messages = INBOUND.read_request(&body).unwrap().request.messages;
    messages.into_iter().flat_map(|message| message.reasoning_blocks).collect()
}

/// Whether a reply says what an answer says.
fn same(reply: &WireReply, answer: &Answer) -> Result<(), TestCaseError> {
    prop_assert_eq!(&reply.id, &answer.id);
    prop_assert_eq!(&reply.model, &answer.model);
    prop_assert_eq!(&reply.text, &answer.text);
    prop_assert_eq!(&reply.reasoning, &answer.reasoning_content);
    prop_assert_eq!(&reply.refusal, &answer.refusal);
    prop_assert_eq!(reply.finish.as_deref(), Some("incomplete:max_output_tokens"));
    prop_assert_eq!(
        reply.tool_calls.iter().map(call_told).collect::<Vec<_>>(),
        answer.tool_calls.iter().map(call_told).collect::<Vec<_>>()
    );
    let (told, usage) = (&reply.usage, &answer.usage);
    prop_assert_eq!((told.prompt, told.completion), (Some(usage.prompt), Some(usage.completion)));
    prop_assert_eq!((told.cached, told.reasoning), (Some(usage.cached), Some(usage.reasoning)));
    Ok(())
}

/// A hosted tool's item has no envelope to say whose it is; here it went through a value tree, too.
fn as_returned(block: &ReasoningBlock) -> ReasoningBlock {
    let item: serde_json::Value = block.raw.read().unwrap();
    if item["type"] != "web_search_call" {
        return block.clone();
    }
    ReasoningBlock { origin: None, raw: raw(&item.to_string()), ..block.clone() }
}

/// JSON made of this dialect's own words in all the wrong places.
fn odd_json() -> impl Strategy<Value = serde_json::Value> {
    let words = [
        "",
        "user",
        "assistant",
        "message",
        "reasoning",
        "function_call",
        "custom_tool_call",
        "computer_call",
        "shell_call",
        "function_call_output",
        "input_text",
        "output_text",
        "input_image",
        "refusal",
        "completed",
        "incomplete",
        "failed",
        "response.completed",
        "response.failed",
        "response.output_item.added",
        "response.output_item.done",
        "response.output_text.delta",
        "response.function_call_arguments.delta",
        "error",
        "mainstay:{}",
        "[DONE]",
        "é",
    ];
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        select(words.to_vec()).prop_map(Into::into),
    ];
    let names = [
        "input",
        "output",
        "type",
        "role",
        "content",
        "text",
        "summary",
        "encrypted_content",
        "call_id",
        "id",
        "name",
        "arguments",
        "item",
        "item_id",
        "output_index",
        "content_index",
        "delta",
        "response",
        "status",
        "error",
        "code",
        "message",
        "usage",
        "input_tokens",
        "incomplete_details",
        "reason",
        "tools",
        "tool_choice",
        "reasoning",
        "effort",
        "format",
        "instructions",
        "include",
        "environment",
        "refusal",
        "output_text",
        "detail",
    ];
    let names = select(names.to_vec()).prop_map(str::to_owned);
    leaf.prop_recursive(6, 48, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            prop::collection::hash_map(names.clone(), inner, 0..6)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn a_request_written_and_read_is_the_same_request(request in request()) {
        let (target, accepts) = (target(), takes_all());
        let call = Call { target: &target, accepts: &accepts, stream: request.stream, max_tokens: request.max_tokens };
        let outbound = OpenAiResponses::STANDARD.write_request(&request, &call).unwrap();
        prop_assert_eq!(&outbound.notes, &[""; 0]);
        let received = INBOUND.read_request(&outbound.body).unwrap();
        prop_assert_eq!(received.request, request);
    }

    #[test]
    fn a_reply_written_and_read_is_the_same_reply(answer in answer()) {
        let wire = INBOUND.write_reply(&response(answer.clone()), &context());
        let told: serde_json::Value = serde_json::from_slice(&wire).unwrap();
        check_response(&told);
        same(&OpenAiResponses::STANDARD.read_reply(&wire).unwrap(), &answer)?;
        let wanted: Vec<_> = answer.reasoning_blocks.iter().map(as_returned).collect();
        prop_assert_eq!(blocks_returned(&told["output"]), wanted);
    }

    #[test]
    fn a_stream_written_and_read_is_the_same_reply(answer in answer(), cut in any::<prop::sample::Index>()) {
        let mut writer = INBOUND.write_stream(&context());
        let mut wire = Vec::new();
        for event in events(&answer) {
            writer.keep_alive(&mut wire);
            writer.event(&event, &mut wire);
        }
        let comment = RawJson::parse("{\"a\":\n1}").ok();
        let end = Ending { usage: answer.usage, comment, ..ending(answer.finish_reason) };
        writer.finish(&end, &mut wire);
        let (a, b) = wire.split_at(cut.index(wire.len() + 1));
        let read = stream(&[a, b]);
        prop_assert_eq!(&read.failure, &None);
        same(&assemble(&read.events), &answer)?;
        let told = told(std::str::from_utf8(&wire).unwrap());
        check_stream(&told);
        let wanted: Vec<_> = answer.reasoning_blocks.iter().map(as_returned).collect();
        prop_assert_eq!(blocks_returned(&told.last().unwrap().1["response"]["output"]), wanted);
    }

    #[test]
    fn no_json_is_a_panic(json in odd_json(), status in 100u16..600) {
        let body = serde_json::to_vec(&json).unwrap();
        if let Ok(received) = INBOUND.read_request(&body) {
            let (target, accepts) = (target(), takes_all());
            let call = Call { target: &target, accepts: &accepts, stream: false, max_tokens: None };
            let _ = OpenAiResponses::STANDARD.write_request(&received.request, &call);
        }
        let _ = OpenAiResponses::STANDARD.read_reply(&body);
        prop_assert_eq!(OpenAiResponses::STANDARD.read_error(status, &body).status, Some(status));
        let wire = [b"data: ", &body[..], b"\n\ndata: ", &body[..], b"\n\n"].concat();
        prop_assert_eq!(stream(&[&wire]), stream(&wire.chunks(3).collect::<Vec<_>>()));
    }

    #[test]
    fn no_bytes_are_a_panic(body in prop::collection::vec(any::<u8>(), 0..64), status in any::<u16>()) {
        let _ = INBOUND.read_request(&body);
        let _ = OpenAiResponses::STANDARD.read_reply(&body);
        let _ = OpenAiResponses::STANDARD.read_error(status, &body);
        stream(&[&body]);
    }
}
