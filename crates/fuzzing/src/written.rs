//! What a face writes, the other face of the same dialect reads: the answer that a caller is told is the answer.

use mainstay_canon::{Answer, ChatResponse, Cost, FinishReason, ReplyEvent, Target, Verdict, WireEvent};
use mainstay_dialects::{Ending, FaceContext};
use mainstay_providers::for_dialect;

use crate::dialect::{BOTH, face};
use crate::stream::{laws, read};

fn context() -> FaceContext {
    FaceContext {
        request_id: "req_1".to_owned(),
        created: 1,
        include_usage: true,
        echo: mainstay_canon::Extra::new(),
    }
}

/// A whole answer is written in every dialect and read back.
pub(crate) fn whole(answer: &Answer) {
    let response = ChatResponse {
        answer: answer.clone(),
        request_id: "req_1".to_owned(),
        target: Target::new("acme", "m"),
        quality: Verdict::ok(),
        cost: Cost::Unknown,
        latency_ms: 1,
        time_to_first_token_ms: None,
        attempts: Vec::new(),
        from_static_tier: false,
        continued_at: None,
    };
    for dialect in BOTH {
        let (Some(face), Some(provider)) = (face(dialect), for_dialect(dialect)) else { continue };
        let body = face.write_reply(&response, &context());
        let read = provider.upstream.read_reply(&body);
        assert!(read.is_ok(), "{dialect}: {read:?} of {}", String::from_utf8_lossy(&body));
        let Ok(reply) = read else { continue };
        let names: Vec<&str> = reply.tool_calls.iter().map(|call| call.name.as_str()).collect();
        let all = answer.text.clone() + answer.refusal.as_deref().unwrap_or_default();
        same(&dialect.to_string(), answer, &all, &reply.text, reply.refusal.as_deref(), &names);
    }
}

/// The events of an answer are written in every dialect and read back.
pub(crate) fn streamed(answer: &Answer, events: &[ReplyEvent]) {
    let all = spoken(events);
    for dialect in BOTH {
        let (Some(face), Some(provider)) = (face(dialect), for_dialect(dialect)) else { continue };
        let mut writer = face.write_stream(&context());
        let mut wire = Vec::new();
        for event in events.iter().filter(|event| !matches!(event, ReplyEvent::Finish { .. })) {
            writer.event(event, &mut wire);
            writer.keep_alive(&mut wire);
        }
        let ending = Ending {
            reason: answer.finish_reason,
            raw: answer.finish_reason_raw.clone(),
            stop_sequence: answer.stop_sequence.clone(),
            context_full: answer.context_full,
            usage: answer.usage,
            mark: None,
            comment: None,
        };
        writer.finish(&ending, &mut wire);
        let told = read(provider.upstream, &[&wire]);
        assert_eq!(told.failed, None, "{dialect}: {}", String::from_utf8_lossy(&wire));
        laws(&told.events);
        let (mut text, mut refusal, mut names) = (String::new(), None::<String>, Vec::new());
        for event in &told.events {
            match event {
                WireEvent::Text(part) => text.push_str(part),
                WireEvent::Refusal(part) => refusal.get_or_insert_default().push_str(part),
                WireEvent::ToolStart { name, .. } => names.push(name.as_str()),
                WireEvent::Start { .. }
                | WireEvent::Reasoning(_)
                | WireEvent::ReasoningBlock(_)
                | WireEvent::Shown(_)
                | WireEvent::ToolArguments { .. }
                | WireEvent::ToolEnd { .. }
                | WireEvent::KeepAlive
                | WireEvent::Finish { .. }
                | WireEvent::Usage(_)
                | WireEvent::Extra(_)
                | WireEvent::End => {}
            }
        }
        same(&dialect.to_string(), answer, &all, &text, refusal.as_deref(), &names);
    }
}

/// Text and refusal in the order in which they came, as one text.
fn spoken(events: &[ReplyEvent]) -> String {
    let piece = |event: &ReplyEvent| match event {
        ReplyEvent::Text(piece) | ReplyEvent::Refusal(piece) => Some(piece.clone()),
        ReplyEvent::Start { .. }
        | ReplyEvent::Reasoning(_)
        | ReplyEvent::ReasoningBlock(_)
        | ReplyEvent::Shown(_)
        | ReplyEvent::ToolStart { .. }
        | ReplyEvent::ToolArguments { .. }
        | ReplyEvent::ToolEnd { .. }
        | ReplyEvent::Extra(_)
        | ReplyEvent::Finish { .. } => None,
    };
    events.iter().filter_map(piece).collect()
}

/// The text and the calls are the answer's. A refusal may be told as text, so that the text is `all` that was said, or
/// left out where the text says the same; where a provider gave no words for a refusal, the face may.
fn same(dialect: &str, answer: &Answer, all: &str, text: &str, refusal: Option<&str>, names: &[&str]) {
    let refused = answer.refusal.as_deref();
    // What is shown may be told in words beside them.
    assert!(
        text == answer.text || text == all || !answer.shown.is_empty(),
        "{dialect}: {text:?} for {:?} of {all:?}",
        answer.text
    );
    let unspoken = refused.is_none()
        && matches!(answer.finish_reason, FinishReason::Refusal | FinishReason::ContentFilter);
    assert!(refusal.is_none() || refusal == refused || unspoken, "{dialect}: {refusal:?} for {refused:?}");
    let mut called: Vec<&str> = answer.tool_calls.iter().map(|call| call.name.as_str()).collect();
    let mut names = names.to_vec();
    if called.contains(&"") {
        // A call that is not named is begun when it is whole, behind others.
        called.sort_unstable();
        names.sort_unstable();
    }
    assert_eq!(names, called, "{dialect}: the calls");
}
