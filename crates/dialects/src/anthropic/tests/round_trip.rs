//! What one face writes the other reads: read(write(x)) = x.

use mainstay_canon::{
    ChatMessage, Content, ContentPart, Dialect, Extra, FinishReason, Media, MediaSource, RawJson,
    ReasoningBlock, ReasoningEffort, ReplyEvent, ResponseFormat, Role, Tool, ToolCall, ToolChoice, Usage,
    Verbatim,
};
use proptest::prelude::*;
use serde_json::json;

use super::stream_face::ending;
use super::*;
use crate::anthropic::Face;
use crate::{Ending, Inbound};

fn text() -> impl Strategy<Value = String> {
    // Never blank, and no white space at the end: neither can be sent everywhere.
    "[a-zé世🙂\"\\\\ \n]{0,12}[a-z.]"
}

fn id() -> impl Strategy<Value = String> {
    "[A-Za-z0-9_-]{1,12}"
}

fn json_object() -> impl Strategy<Value = RawJson> {
    prop::sample::select(vec!["{}", r#"{"a":1.50}"#, r#"{ "b" : [true, null] }"#, r#"{"c":"\u00e9"}"#])
        .prop_map(|text| RawJson::parse(text).unwrap())
}

fn extra() -> impl Strategy<Value = Extra> {
    prop::option::weighted(0.3, json_object())
        .prop_map(|value| value.into_iter().map(|value| ("cache_control".to_owned(), value)).collect())
}

fn part() -> impl Strategy<Value = ContentPart> {
    let media = |content: fn(Media) -> Content, named: bool| {
        (prop::sample::select(vec![0, 1, 2]), prop::option::of(text())).prop_map(move |(kind, name)| {
            let (mime, source) = match kind {
                0 => (Some("application/pdf".to_owned()), MediaSource::Base64("JVBE".to_owned())),
                1 => (None, MediaSource::Url("https://x.test/a".to_owned())),
                _ => (None, MediaSource::FileId("file_1".to_owned())),
            };
            content(Media { mime, name: name.filter(|_| named), source })
        })
    };
    let native = Just(Content::Native {
        dialect: Dialect::Anthropic,
        kind: "search_result".to_owned(),
        raw: RawJson::parse(r#"{"type":"search_result", "n":1.0}"#).unwrap(),
    })
    .prop_map(|content| ContentPart { content, extra: Extra::new() });
    let content = prop_oneof![
        4 => text().prop_map(Content::Text),
        1 => media(Content::Image, false),
        1 => media(Content::File, true),
    ];
    prop_oneof![
        5 => (content, extra()).prop_map(|(content, extra)| ContentPart { content, extra }),
        1 => native,
    ]
}

fn calls() -> impl Strategy<Value = Vec<ToolCall>> {
    prop::collection::vec((id(), json_object(), extra()), 0..3).prop_map(|calls| {
        calls
            .into_iter()
            .enumerate()
            .map(|(nth, (id, input, extra))| ToolCall {
                id: format!("{id}{nth}"),
                name: "f".to_owned(),
                arguments: input.text().to_owned(),
                extra,
            })
            .collect()
    })
}

/// One turn of the model with the results and the next question.
fn exchange() -> impl Strategy<Value = Vec<ChatMessage>> {
    let results = prop::collection::vec((prop::collection::vec(part(), 0..3), any::<bool>(), extra()), 3);
    (text(), any::<bool>(), calls(), results, prop::collection::vec(part(), 1..3)).prop_map(
        |(said, thinks, calls, results, question)| {
            let mut assistant =
                ChatMessage { tool_calls: calls, ..ChatMessage::new(Role::Assistant, said.as_str()) };
            if thinks {
                with_thinking(&mut assistant, &said);
            }
            let mut messages: Vec<ChatMessage> = assistant
                .tool_calls
                .iter()
                .zip(results)
                .map(|(call, (content, tool_error, extra))| ChatMessage {
                    content,
                    tool_error,
                    extra,
                    tool_call_id: Some(call.id.clone()),
                    ..ChatMessage::empty(Role::Tool)
                })
                .collect();
            messages.insert(0, assistant);
            messages.push(ChatMessage { content: question, ..ChatMessage::empty(Role::User) });
            messages
        },
    )
}

fn with_thinking(message: &mut ChatMessage, text: &str) {
    let thinking = json!({"type": "thinking", "thinking": text, "signature": "c2ln"});
    let mut blocks = vec![thinking.clone(), json!({"type": "text", "text": text})];
    for call in &mut message.tool_calls {
        // Inside content that is kept as it came, a value tree stands for the text here.
        let input: Value = serde_json::from_str(&call.arguments).unwrap();
        call.arguments = input.to_string();
        call.extra = Extra::new();
        blocks.push(json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input}));
    }
    message.reasoning_content = Some(text.to_owned());
    message.reasoning_blocks = vec![ReasoningBlock {
        dialect: Dialect::Anthropic,
        origin: None,
        raw: RawJson::of(&thinking).unwrap(),
    }];
    message.verbatim = Some(Verbatim { dialect: Dialect::Anthropic, content: RawJson::of(&blocks).unwrap() });
}

fn tool() -> impl Strategy<Value = Tool> {
    (id(), prop::option::of(text()), json_object(), prop::option::of(any::<bool>()), extra()).prop_map(
        |(name, description, schema, strict, extra)| Tool {
            name,
            description,
            parameters: Some(schema),
            strict,
            extra,
            native: None,
        },
    )
}

fn format() -> impl Strategy<Value = ResponseFormat> {
    prop_oneof![
        Just(ResponseFormat::Text),
        json_object().prop_map(|schema| ResponseFormat::JsonSchema {
            name: "answer".into(),
            schema,
            strict: None
        }),
    ]
}

fn effort() -> impl Strategy<Value = Option<ReasoningEffort>> {
    prop::option::of(prop::sample::select(vec![
        ReasoningEffort::None,
        ReasoningEffort::Low,
        ReasoningEffort::Medium,
        ReasoningEffort::High,
        ReasoningEffort::Xhigh,
        ReasoningEffort::Max,
    ]))
}

prop_compose! {
    fn request()(
        system in prop::option::of((text(), extra())),
        question in text(),
        exchanges in prop::collection::vec(exchange(), 0..3),
        tools in prop::collection::vec(tool(), 0..3),
        choice in prop::option::of(prop_oneof![
            Just(ToolChoice::Auto), id().prop_map(ToolChoice::Named), Just(ToolChoice::Required)
        ]),
        parallel in prop::option::of(any::<bool>()),
        (response_format, effort) in (format(), effort()),
        temperature in prop::option::of((0_u8..=10).prop_map(|tenths| f64::from(tenths) / 8.0)),
        stop in prop::collection::vec(text(), 0..3),
        (user_id, stream, max_tokens) in (prop::option::of(text()), any::<bool>(), 1..u32::MAX),
        more in extra(),
    ) -> ChatRequest {
        let mut request = ChatRequest::user(question).max_tokens(max_tokens);
        if let Some((text, extra)) = system {
            let content = vec![ContentPart { content: Content::Text(text), extra }];
            request.messages.insert(0, ChatMessage { content, ..ChatMessage::empty(Role::System) });
        }
        request.messages.extend(exchanges.into_iter().flatten());
        request.tool_choice = choice.filter(|_| !tools.is_empty());
        // Without a choice the parallel wish alone would come back as `auto`, forced calls do not go with thinking.
        request.parallel_tool_calls = parallel.filter(|_| request.tool_choice.is_some());
        let is_forced = !matches!(request.tool_choice, None | Some(ToolChoice::Auto));
        request.reasoning_effort = effort.filter(|_| !is_forced);
        request.temperature = temperature.filter(|_| {
            matches!(request.reasoning_effort, None | Some(ReasoningEffort::None))
        });
        request.response_format = response_format;
        request.tools = tools;
        request.stop = stop;
        request.meta.user_id = user_id;
        request.stream = stream;
        request.extra = more;
        if let Some(user_id) = &request.meta.user_id {
            request.extra.insert("metadata", RawJson::of(&json!({"user_id": user_id})).unwrap());
        }
        request.origin = Some(Dialect::Anthropic);
        request.model_hint = Some("claude-test".to_owned());
        request
    }
}

fn own_reply() -> impl Strategy<Value = Answer> {
    let thinking = prop::option::of((text(), any::<bool>()));
    let counts = (0..1000_u64, 0..1000_u64, 0..1000_u64, 0..1000_u64, 0..1000_u64);
    (thinking, prop::option::of(text()), calls(), counts, prop::option::of(text())).prop_map(
        |(thinking, text, mut calls, (fresh, cached, written, completion, reasoning), stop)| {
            let mut answer =
                Answer { model: Some("m".into()), text: text.unwrap_or_default(), ..Answer::default() };
            for call in &mut calls {
                call.extra = Extra::new();
            }
            if let Some((thinking, is_shown)) = thinking {
                let shown = if is_shown { thinking.as_str() } else { "" };
                let raw = json!({"type": "thinking", "thinking": shown, "signature": "c2ln"});
                answer.reasoning_content = is_shown.then(|| thinking.clone());
                answer.reasoning_blocks.push(ReasoningBlock {
                    dialect: Dialect::Anthropic,
                    origin: None,
                    raw: RawJson::parse(format!(
                        r#"{{"type":"thinking","thinking":{},"signature":{}}}"#,
                        raw["thinking"], raw["signature"]
                    ))
                    .unwrap(),
                });
            }
            answer.finish_reason = if calls.is_empty() { FinishReason::Stop } else { FinishReason::ToolCall };
            answer.stop_sequence = stop.filter(|_| calls.is_empty());
            answer.tool_calls = calls;
            answer.usage = Usage {
                prompt: fresh + cached + written,
                completion: completion + reasoning,
                cached,
                cache_write: written,
                cache_write_1h: written / 2,
                reasoning,
                estimated: false,
            };
            answer
        },
    )
}

/// The wire reply that says what the answer says.
fn as_wire(answer: &Answer) -> WireReply {
    let usage = &answer.usage;
    let word = match (answer.finish_reason, &answer.stop_sequence) {
        (FinishReason::ToolCall, _) => "tool_use",
        (_, Some(_)) => "stop_sequence",
        (_, None) => "end_turn",
    };
    WireReply {
        id: Some("msg_7f3a".into()),
        model: answer.model.clone(),
        text: answer.text.clone(),
        reasoning: answer.reasoning_content.clone(),
        reasoning_blocks: answer.reasoning_blocks.clone(),
        tool_calls: answer.tool_calls.clone(),
        finish: Some(word.to_owned()),
        stop_sequence: answer.stop_sequence.clone(),
        usage: WireUsage {
            prompt: Some(usage.prompt),
            completion: Some(usage.completion),
            cached: Some(usage.cached),
            cache_write: Some(usage.cache_write),
            cache_write_1h: Some(usage.cache_write_1h),
            reasoning: Some(usage.reasoning),
            cost: None,
        },
        ..WireReply::default()
    }
}

/// The answer in pieces.
fn events(answer: &Answer) -> Vec<ReplyEvent> {
    let mut events = vec![ReplyEvent::Start { id: None, model: answer.model.clone() }];
    let halves = |text: &str| {
        let cut = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
        let (a, b) = text.split_at(cut);
        [a.to_owned(), b.to_owned()]
    };
    if let Some(reasoning) = &answer.reasoning_content {
        events.extend(halves(reasoning).map(ReplyEvent::Reasoning));
    }
    events.extend(answer.reasoning_blocks.iter().cloned().map(ReplyEvent::ReasoningBlock));
    events.extend(halves(&answer.text).map(ReplyEvent::Text));
    for (index, call) in answer.tool_calls.iter().enumerate() {
        events.push(ReplyEvent::ToolStart {
            index,
            id: call.id.clone(),
            name: call.name.clone(),
            extra: call.extra.clone(),
        });
        events.extend(halves(&call.arguments).map(|delta| ReplyEvent::ToolArguments { index, delta }));
        events.push(ReplyEvent::ToolEnd { index });
    }
    events
}

proptest! {
    #[test]
    fn a_request_survives_both_faces(request in request()) {
        let out = write(&request);
        prop_assert!(out.notes.is_empty(), "{:?}", out.notes);
        let read = Face.read_request(&out.body).unwrap().request;
        prop_assert_eq!(read, request);
    }

    #[test]
    fn a_whole_reply_survives_both_faces(answer in own_reply()) {
        let body = Face.write_reply(&response(answer.clone()), &context());
        let read = UPSTREAM.read_reply(&body).unwrap();
        prop_assert_eq!(read, as_wire(&answer));
    }

    #[test]
    fn a_streamed_reply_survives_both_faces_wherever_it_is_cut(
        answer in own_reply(),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut writer = Face.write_stream(&context());
        let mut wire = Vec::new();
        for event in events(&answer) {
            writer.event(&event, &mut wire);
            writer.keep_alive(&mut wire);
        }
        let end = Ending {
            stop_sequence: answer.stop_sequence.clone(),
            usage: answer.usage,
            comment: Some(RawJson::parse("{}").unwrap()),
            ..ending(answer.finish_reason)
        };
        writer.finish(&end, &mut wire);
        let (a, b) = wire.split_at(cut.index(wire.len() + 1));
        let (events, failure) = stream(&[a, b]);
        prop_assert!(failure.is_none());
        prop_assert_eq!(joined(&events), as_wire(&answer));
    }

    #[test]
    fn no_bytes_break_a_reader(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = UPSTREAM.read_reply(&bytes);
        let _ = UPSTREAM.read_error(400, &bytes);
        let _ = Face.read_request(&bytes);
        let _ = stream(&[&bytes]);
    }

    #[test]
    fn no_json_breaks_a_reader(value in any_json()) {
        let bytes = value.to_string();
        let _ = UPSTREAM.read_reply(bytes.as_bytes());
        let _ = UPSTREAM.read_error(429, bytes.as_bytes());
        let _ = Face.read_request(bytes.as_bytes());
        let event = format!("event: content_block_delta\ndata: {bytes}\n\n");
        let (events, _) = stream(&[event.as_bytes(), event.as_bytes()]);
        let _ = joined(&events);
    }
}

#[test]
fn deeply_nested_json_breaks_no_reader() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let reply = format!(r#"{{"content":{deep},"x":{deep},"usage":{deep}}}"#);
    assert!(UPSTREAM.read_reply(reply.as_bytes()).is_ok());
    let request = format!(r#"{{"model":"m","x":{deep},"messages":[{{"role":"user","content":{deep}}}]}}"#);
    assert!(Face.read_request(request.as_bytes()).is_err());
    let event = format!(
        "data: {{\"type\":\"content_block_start\",\"content_block\":{{\"type\":\"x\",\"y\":{deep}}}}}\n\n"
    );
    let (_, failure) = stream(&[event.as_bytes()]);
    assert_eq!(failure.unwrap().kind, mainstay_canon::Kind::StreamInterrupted);
}

/// JSON whose members have the names that readers look for.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop::sample::select(vec![
            "",
            "text",
            "tool_use",
            "thinking",
            "tool_result",
            "image",
            "user",
            "assistant",
            "error",
            "message_start",
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "text_delta",
            "input_json_delta",
            "{\"a\":1}",
            "base64",
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        let name = prop::sample::select(vec![
            "type",
            "role",
            "content",
            "messages",
            "model",
            "text",
            "input",
            "id",
            "name",
            "usage",
            "error",
            "message",
            "index",
            "delta",
            "content_block",
            "partial_json",
            "source",
            "tools",
            "thinking",
            "stop_reason",
            "system",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(name, inner, 0..6).prop_map(|members| {
                members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Value>()
            }),
        ]
    })
}
