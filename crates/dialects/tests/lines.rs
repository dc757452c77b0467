//! Whatever a provider spelled on many lines, a caller's event stream has on one: a line end within an event would
//! break it (behaviour 1: each caller is answered in its own dialect).

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use mainstay_canon::{
    Dialect, Extra, ExtraPiece, FinishReason, Joins, RawJson, ReasoningBlock, ReplyEvent, Target, Usage,
};
use mainstay_dialects::{Ending, FaceContext, Inbound, anthropic, openai_chat, openai_responses};

/// JSON as Gemini prints it, with both kinds of line ends.
fn printed() -> RawJson {
    RawJson::parse(
        "{\r\n  \"type\": \"thinking\",\n  \"thinking\": \"a\\nb\",\r  \"list\": [\n    1.0\n  ]\n}",
    )
    .unwrap()
}

/// The members that a dialect may have kept: under names that its writer knows, and under one that nobody knows.
fn members(dialect: Dialect) -> Vec<(&'static str, RawJson)> {
    let list = RawJson::parse("[\n{\r\n\"n\":\n1}\n]").unwrap();
    match dialect {
        Dialect::OpenaiChat => vec![
            ("x", printed()),
            ("choices[0].logprobs", printed()),
            ("choices[0].message.annotations", list),
        ],
        Dialect::OpenaiResponses => vec![("x", printed()), ("output", list.clone()), ("logprobs", list)],
        Dialect::Anthropic => vec![
            ("content_block", printed()),
            ("delta", printed()),
            ("container", printed()),
            ("context_management", printed()),
            ("usage", printed()),
            ("content", list),
        ],
        Dialect::Gemini | Dialect::Ollama | Dialect::Bedrock => Vec::new(),
    }
}

fn events(dialect: Dialect) -> Vec<ReplyEvent> {
    let mut call: Extra = [("extra_content".to_owned(), printed())].into_iter().collect();
    call.insert("function.x", printed());
    let start = ReplyEvent::Start { id: None, model: Some("m".to_owned()) };
    let blocks = Dialect::ALL.into_iter().map(|dialect| {
        let origin = Some(Target::new("acme", "m"));
        ReplyEvent::ReasoningBlock(ReasoningBlock { dialect, origin, raw: printed() })
    });
    let pieces = members(dialect).into_iter().map(|(name, raw)| {
        let members = [(name.to_owned(), raw)].into_iter().collect();
        ReplyEvent::Extra(ExtraPiece { dialect, members, joins: Joins::Replace })
    });
    let rest = [
        ReplyEvent::Text("one\ntwo\r".to_owned()),
        ReplyEvent::ToolStart { index: 0, id: "c".to_owned(), name: "f".to_owned(), extra: call },
        ReplyEvent::ToolArguments { index: 0, delta: "{\n}".to_owned() },
        ReplyEvent::ToolEnd { index: 0 },
    ];
    [start].into_iter().chain(blocks).chain(pieces).chain(rest).collect()
}

#[test]
fn every_event_of_a_stream_is_one_line_of_json() {
    let faces: [&dyn Inbound; 3] = [&openai_chat::INBOUND, &openai_responses::INBOUND, &anthropic::Face];
    for face in faces {
        let context = FaceContext {
            request_id: "req_1".to_owned(),
            created: 1,
            include_usage: true,
            echo: [("metadata".to_owned(), printed())].into_iter().collect(),
        };
        let mut writer = face.write_stream(&context);
        let mut wire = Vec::new();
        for event in events(face.dialect()) {
            writer.event(&event, &mut wire);
        }
        let ending = Ending {
            reason: FinishReason::ToolCall,
            raw: None,
            stop_sequence: None,
            context_full: false,
            usage: Usage::default(),
            mark: Some(printed()),
            comment: Some(printed()),
        };
        writer.finish(&ending, &mut wire);
        let wire = String::from_utf8(wire).unwrap();
        assert!(wire.matches("1.0").count() >= 3 && !wire.contains('\r'), "{wire}");
        for line in wire.split('\n') {
            let json = line.strip_prefix("data: ").or_else(|| line.strip_prefix(": mainstay "));
            let is_json = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
            let is_sound = match json {
                Some(json) => json == "[DONE]" || is_json(json),
                None => line.is_empty() || line.starts_with("event: "),
            };
            assert!(is_sound, "{}: {line:?}", face.dialect());
        }
    }
}
