//! A whole answer, told as a stream.

use mainstay_canon::{Answer, ExtraPiece, Joins, ReplyEvent, ToolCall};

/// The events of a whole answer; its end is not among them.
pub(super) fn events_of(answer: &Answer) -> Vec<ReplyEvent> {
    let mut events = vec![ReplyEvent::Start { id: answer.id.clone(), model: answer.model.clone() }];
    // First: a writer says things otherwise where its own dialect has said them already.
    if let Some(dialect) = answer.dialect.filter(|_| !answer.extra.is_empty()) {
        let members = answer.extra.clone();
        events.push(ReplyEvent::Extra(ExtraPiece { dialect, members, joins: Joins::Replace }));
    }
    events.extend(answer.reasoning_content.clone().map(ReplyEvent::Reasoning));
    events.extend(answer.reasoning_blocks.iter().cloned().map(ReplyEvent::ReasoningBlock));
    events.extend(answer.shown.iter().cloned().map(ReplyEvent::Shown));
    if !answer.text.is_empty() {
        events.push(ReplyEvent::Text(answer.text.clone()));
    }
    events.extend(answer.refusal.clone().map(ReplyEvent::Refusal));
    for (index, call) in answer.tool_calls.iter().enumerate() {
        events.extend(events_of_call(index, call));
    }
    events
}

/// The events of a whole call.
pub(super) fn events_of_call(index: usize, call: &ToolCall) -> [ReplyEvent; 3] {
    [
        ReplyEvent::ToolStart {
            index,
            id: call.id.clone(),
            name: call.name.clone(),
            extra: call.extra.clone(),
        },
        ReplyEvent::ToolArguments { index, delta: call.arguments.clone() },
        ReplyEvent::ToolEnd { index },
    ]
}
