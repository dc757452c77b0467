//! What is written reads back as what it was, both faces against each other; and no input is a panic.

use mainstay_canon::{
    Answer, ChatMessage, ChatRequest, ChatResponse, Content, ContentPart, Cost, Dialect, Extra, FinishReason,
    Media, MediaSource, RawJson, ReasoningBlock, ReasoningEffort, ReplyEvent, ResponseFormat, Role, Tool,
    ToolCall, ToolChoice, Usage, Verdict,
};
use mainstay_dialects::openai_chat::{INBOUND, OpenAiChat, ReasoningStyle};
use mainstay_dialects::{Call, Ending, FaceContext, Inbound, Upstream};
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

use crate::shared::{assemble, stream, takes_all, target};

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{1,12}",
        select(vec!["\"quoted\"\n", "é世🙂", "data: [DONE]\n\n", "\u{2028}\\", "{\"a\":1}"])
            .prop_map(str::to_owned),
    ]
}

fn raw() -> impl Strategy<Value = RawJson> {
    let values = ["1.0", "null", "{ \"b\": [1, 2.50] }", "\"x\"", "[]", "true", "12345678901234567890"];
    select(values.to_vec()).prop_map(|json| RawJson::parse(json).unwrap())
}

fn extra() -> impl Strategy<Value = Extra> {
    let names = select(vec!["x_a", "x_b", "cache_control"]).prop_map(str::to_owned);
    prop::collection::btree_map(names, raw(), 0..3).prop_map(|members| members.into_iter().collect())
}

fn media(mime: &'static str) -> impl Strategy<Value = Media> {
    select(vec!["QUJD", "/9j/AA=="]).prop_map(move |data| Media {
        mime: Some(mime.to_owned()),
        name: None,
        source: MediaSource::Base64(data.to_owned()),
    })
}

fn image() -> impl Strategy<Value = Media> {
    let url = Media { mime: None, name: None, source: MediaSource::Url("https://example.org/a.png".into()) };
    prop_oneof![media("image/png"), Just(url)]
}

fn file() -> impl Strategy<Value = Media> {
    let named = media("application/pdf").prop_map(|media| Media { name: Some("a.pdf".into()), ..media });
    let id = Media { mime: None, name: None, source: MediaSource::FileId("file-1".into()) };
    prop_oneof![named, Just(id)]
}

fn user_part() -> impl Strategy<Value = ContentPart> {
    let native = RawJson::parse(r#"{"type":"video_url", "video_url":{"url":"u"}}"#).unwrap();
    let native = Content::Native { dialect: Dialect::OpenaiChat, kind: "video_url".into(), raw: native };
    let content = prop_oneof![
        3 => text().prop_map(Content::Text),
        1 => image().prop_map(Content::Image),
        1 => media("audio/mpeg").prop_map(Content::Audio),
        1 => file().prop_map(Content::File),
    ];
    let known = (content, extra()).prop_map(|(content, extra)| ContentPart { content, extra });
    prop_oneof![8 => known, 1 => Just(ContentPart { content: native, extra: Extra::new() })]
}

fn text_part() -> impl Strategy<Value = ContentPart> {
    (text(), extra()).prop_map(|(text, extra)| ContentPart { content: Content::Text(text), extra })
}

fn call() -> impl Strategy<Value = ToolCall> {
    let arguments = select(vec!["{}", "{\"city\": \"Oslo\"}", "{\"cut", "[1]"]).prop_map(str::to_owned);
    let extra = extra().prop_flat_map(|extra| {
        select(vec!["", "function.x", "custom"]).prop_map(move |kind| {
            let mut extra = extra.clone();
            match kind {
                "custom" => extra.insert("type", RawJson::parse("\"custom\"").unwrap()),
                "" => {}
                inner => extra.insert(inner, RawJson::parse("1.0").unwrap()),
            }
            extra
        })
    });
    ("call_[a-z]{3}", "[a-z_]{1,8}", arguments, extra).prop_map(|(id, name, arguments, extra)| ToolCall {
        id,
        name,
        arguments,
        extra,
    })
}

fn block() -> impl Strategy<Value = ReasoningBlock> {
    let items = [
        r#"{"type":"reasoning.encrypted", "data":"QQ==","n":1.0}"#,
        r#"{"type":"reasoning.text","text":"t","index":0}"#,
    ];
    select(items.to_vec()).prop_map(|json| ReasoningBlock {
        dialect: Dialect::OpenaiChat,
        origin: None,
        raw: RawJson::parse(json).unwrap(),
    })
}

/// A block that a stream never sends in pieces.
fn sealed() -> impl Strategy<Value = ReasoningBlock> {
    let foreign = ReasoningBlock {
        dialect: Dialect::Anthropic,
        origin: Some(target()),
        raw: RawJson::parse(r#"{"type":"thinking", "thinking":"","signature":"c2ln"}"#).unwrap(),
    };
    let ours = RawJson::parse(r#"{"type":"reasoning.encrypted", "data":"QQ==","n":1.0}"#).unwrap();
    select(vec![foreign, ReasoningBlock { dialect: Dialect::OpenaiChat, origin: None, raw: ours }])
}

fn message() -> impl Strategy<Value = ChatMessage> {
    let role = select(vec![Role::System, Role::Developer, Role::User]);
    let plain = (role, prop::collection::vec(user_part(), 1..4), of("[a-z]{1,5}"), extra()).prop_map(
        |(role, content, name, extra)| ChatMessage { content, name, extra, ..ChatMessage::empty(role) },
    );
    let tool = (prop::collection::vec(text_part(), 1..3), "call_[a-z]{3}").prop_map(|(content, id)| {
        ChatMessage { content, tool_call_id: Some(id), ..ChatMessage::empty(Role::Tool) }
    });
    prop_oneof![2 => plain, 1 => tool, 2 => assistant()]
}

fn assistant() -> impl Strategy<Value = ChatMessage> {
    let reasoning = prop_oneof![
        of(prop_oneof![text(), Just(String::new())]).prop_map(|text| (text, Vec::new())),
        prop::collection::vec(block(), 1..3).prop_map(|blocks| (None, blocks)),
    ];
    (
        prop::collection::vec(text_part(), 0..3),
        prop::collection::vec(call(), 0..3),
        of(text()),
        reasoning,
        extra(),
    )
        .prop_map(|(mut content, tool_calls, refusal, (reasoning_content, reasoning_blocks), extra)| {
            if content.is_empty() && tool_calls.is_empty() && refusal.is_none() {
                // Nothing at all is written as an empty string.
                content.push(ContentPart::text(""));
            }
            ChatMessage {
                content,
                tool_calls,
                refusal,
                reasoning_content,
                reasoning_blocks,
                extra,
                ..ChatMessage::empty(Role::Assistant)
            }
        })
}

fn tool() -> impl Strategy<Value = Tool> {
    let schema = of(Just(RawJson::parse(r#"{"type": "object", "x": 1.0}"#).unwrap()));
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
        name: "sum".into(),
        description: None,
        parameters: None,
        strict: None,
        extra: Extra::new(),
        native: RawJson::parse(r#"{"type":"custom", "custom":{"name":"sum"}}"#).ok(),
    };
    prop_oneof![4 => function, 1 => Just(native)]
}

fn format() -> impl Strategy<Value = ResponseFormat> {
    let schema = (of(any::<bool>()), "[a-z]{1,5}").prop_map(|(strict, name)| ResponseFormat::JsonSchema {
        name,
        schema: RawJson::parse(r#"{"type": "object"}"#).unwrap(),
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

fn request() -> impl Strategy<Value = ChatRequest> {
    let numbers = (of(0u32..200), of(0u32..100), of(1u32..9999), of(any::<i64>()));
    let tools = (prop::collection::vec(tool(), 0..3), of(choice()), of(any::<bool>()));
    let rest = (
        prop::collection::vec(text(), 0..3),
        format(),
        of(select(ReasoningEffort::ALL.to_vec())),
        any::<bool>(),
    );
    (prop::collection::vec(message(), 1..5), numbers, tools, rest, extra()).prop_map(
        |(messages, (temperature, top_p, max_tokens, seed), (tools, tool_choice, parallel), rest, extra)| {
            let (stop, response_format, reasoning_effort, stream) = rest;
            let offers = !tools.is_empty();
            ChatRequest {
                model_hint: Some(target().model.to_string()),
                messages,
                temperature: temperature.map(|hundredths| f64::from(hundredths) / 100.0),
                top_p: top_p.map(|hundredths| f64::from(hundredths) / 100.0),
                max_tokens,
                stop,
                seed,
                tools,
                tool_choice: tool_choice.filter(|_| offers),
                parallel_tool_calls: parallel.filter(|_| offers),
                response_format,
                reasoning_effort,
                stream,
                origin: Some(Dialect::OpenaiChat),
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

fn answer() -> impl Strategy<Value = Answer> {
    let plain_call = call().prop_map(|call| ToolCall { extra: Extra::new(), ..call });
    let blocks = prop::collection::vec(sealed(), 0..3);
    (of(text()), of(text()), blocks, of(text()), prop::collection::vec(plain_call, 0..3), usage()).prop_map(
        |(said, reasoning_content, reasoning_blocks, refusal, tool_calls, usage)| Answer {
            id: Some("chatcmpl-req_1".into()),
            model: Some("m".into()),
            text: said.unwrap_or_default(),
            finish_reason: FinishReason::Length,
            finish_reason_raw: None,
            reasoning_content,
            reasoning_blocks,
            refusal,
            tool_calls: numbered(tool_calls),
            usage,
            ..Answer::default()
        },
    )
}

/// Calls of one answer have different ids.
fn numbered(calls: Vec<ToolCall>) -> Vec<ToolCall> {
    calls
        .into_iter()
        .enumerate()
        .map(|(at, call)| ToolCall { id: format!("{}{at}", call.id), ..call })
        .collect()
}

fn context() -> FaceContext {
    FaceContext {
        request_id: "req_1".into(),
        created: 1,
        include_usage: true,
        echo: mainstay_canon::Extra::new(),
    }
}

fn events(answer: &Answer) -> Vec<ReplyEvent> {
    let mut events = vec![ReplyEvent::Start { id: None, model: answer.model.clone() }];
    events.extend(answer.reasoning_content.clone().map(ReplyEvent::Reasoning));
    events.extend(answer.reasoning_blocks.iter().cloned().map(ReplyEvent::ReasoningBlock));
    events.extend(answer.text.chars().map(|c| ReplyEvent::Text(c.to_string())));
    events.extend(answer.refusal.clone().map(ReplyEvent::Refusal));
    for (index, call) in answer.tool_calls.iter().enumerate() {
        events.push(ReplyEvent::ToolStart {
            index,
            id: call.id.clone(),
            name: call.name.clone(),
            extra: call.extra.clone(),
        });
        events.extend(
            call.arguments.chars().map(|c| ReplyEvent::ToolArguments { index, delta: c.to_string() }),
        );
        events.push(ReplyEvent::ToolEnd { index });
    }
    events
}

/// JSON made of this dialect's own words in all the wrong places.
fn odd_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        select(vec![
            "",
            "user",
            "assistant",
            "text",
            "function",
            "thinking",
            "mainstay.reasoning",
            "error",
            "[DONE]",
            "é"
        ])
        .prop_map(Into::into),
    ];
    let names = select(vec![
        "choices",
        "message",
        "delta",
        "content",
        "tool_calls",
        "function",
        "arguments",
        "name",
        "id",
        "index",
        "error",
        "code",
        "type",
        "text",
        "messages",
        "role",
        "usage",
        "prompt_tokens",
        "reasoning_details",
        "reasoning",
        "reasoning_content",
        "refusal",
        "finish_reason",
        "stop_reason",
        "base_resp",
        "x_groq",
        "metadata",
        "detail",
        "thinking",
        "custom",
        "image_url",
        "file",
        "tools",
        "response_format",
        "stop",
        "stream_options",
        "cost",
    ])
    .prop_map(str::to_owned);
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
        let style = OpenAiChat { reasoning: ReasoningStyle::Details, ..OpenAiChat::STANDARD };
        let (target, accepts) = (target(), takes_all());
        let call = Call { target: &target, accepts: &accepts, stream: request.stream, max_tokens: request.max_tokens };
        let outbound = style.write_request(&request, &call).unwrap();
        prop_assert_eq!(&outbound.notes, &[""; 0]);
        let received = INBOUND.read_request(&outbound.body).unwrap();
        prop_assert_eq!(received.include_usage, request.stream);
        prop_assert_eq!(received.request, request);
    }

    #[test]
    fn a_reply_written_and_read_is_the_same_reply(answer in answer()) {
        let response = ChatResponse {
            answer: answer.clone(),
            request_id: "req_1".into(),
            target: target(),
            quality: Verdict::ok(),
            cost: Cost::Unknown,
            latency_ms: 0,
            time_to_first_token_ms: None,
            attempts: Vec::new(),
            from_static_tier: false,
            continued_at: None,
        };
        let reply = OpenAiChat::STANDARD.read_reply(&INBOUND.write_reply(&response, &context())).unwrap();
        same(&reply, &answer)?;
        prop_assert_eq!(reply.tool_calls, answer.tool_calls);
    }

    #[test]
    fn a_stream_written_and_read_is_the_same_reply(answer in answer(), cut in any::<prop::sample::Index>()) {
        let mut writer = INBOUND.write_stream(&context());
        let mut wire = Vec::new();
        for event in events(&answer) {
            writer.keep_alive(&mut wire);
            writer.event(&event, &mut wire);
        }
        let ending = Ending {
            reason: answer.finish_reason,
            raw: None,
            stop_sequence: None,
            context_full: false,
            usage: answer.usage,
            mark: None,
            comment: RawJson::parse("{\"a\":\n1}").ok(),
        };
        writer.finish(&ending, &mut wire);
        let (a, b) = wire.split_at(cut.index(wire.len() + 1));
        let told = stream(&[a, b]);
        prop_assert_eq!(&told.failure, &None);
        let reply = assemble(&told.events);
        same(&reply, &answer)?;
        prop_assert_eq!(reply.tool_calls, answer.tool_calls);
    }

    #[test]
    fn no_json_is_a_panic(json in odd_json(), status in 100u16..600) {
        let body = serde_json::to_vec(&json).unwrap();
        let _ = INBOUND.read_request(&body);
        let _ = OpenAiChat::STANDARD.read_reply(&body);
        prop_assert_eq!(OpenAiChat::STANDARD.read_error(status, &body).status, Some(status));
        let wire = [b"data: ", &body[..], b"\n\ndata: ", &body[..], b"\n\n"].concat();
        prop_assert_eq!(stream(&[&wire]), stream(&wire.chunks(3).collect::<Vec<_>>()));
    }

    #[test]
    fn no_bytes_are_a_panic(body in prop::collection::vec(any::<u8>(), 0..64), status in any::<u16>()) {
        let _ = INBOUND.read_request(&body);
        let _ = OpenAiChat::STANDARD.read_reply(&body);
        let _ = OpenAiChat::STANDARD.read_error(status, &body);
        stream(&[&body]);
    }
}

/// Everything but the calls.
fn same(reply: &mainstay_canon::WireReply, answer: &Answer) -> Result<(), TestCaseError> {
    prop_assert_eq!(&reply.id, &answer.id);
    prop_assert_eq!(&reply.model, &answer.model);
    prop_assert_eq!(&reply.text, &answer.text);
    prop_assert_eq!(&reply.reasoning, &answer.reasoning_content);
    prop_assert_eq!(&reply.reasoning_blocks, &answer.reasoning_blocks);
    prop_assert_eq!(&reply.refusal, &answer.refusal);
    prop_assert_eq!(reply.finish.as_deref(), Some("length"));
    prop_assert_eq!(reply.usage.prompt, Some(answer.usage.prompt));
    prop_assert_eq!(reply.usage.completion, Some(answer.usage.completion));
    prop_assert_eq!(reply.usage.cached, Some(answer.usage.cached));
    prop_assert_eq!(reply.usage.reasoning, Some(answer.usage.reasoning));
    Ok(())
}
