//! Good answers that are broken off, held up or left without an end.

use std::time::Duration;

use serde_json::json;

use super::told;
use crate::said::Said;
use crate::server::{Seen, Step};
use crate::spell::Spelling;
use crate::wire::{chunk, chunked_head, data, http, last_chunk, line, named};

/// How long what was sent has to be read: a reset discards what the peer has not read yet.
pub(super) const READ: Duration = Duration::from_millis(50);

/// The head of a stream.
pub(super) fn head(spelling: Spelling) -> Step {
    chunked_head(spelling.stream_type(), &[])
}

/// An answer in which nothing is: not even a choice.
pub(super) fn no_choices(spelling: Spelling, seen: &Seen) -> Vec<Step> {
    let none = match spelling {
        Spelling::OpenaiChat => json!({"choices": []}),
        Spelling::Gemini => json!({"candidates": [], "usageMetadata": {"promptTokenCount": 12}}),
        Spelling::Ollama => json!({"model": seen.model, "done": true, "done_reason": "stop"}),
        Spelling::Anthropic | Spelling::OpenaiResponses => {
            return Said::text("").tokens(12, 0).steps(spelling, seen);
        }
    };
    if !seen.stream {
        return http(200, &[], none.to_string().as_bytes());
    }
    let event = if spelling == Spelling::Ollama { line(&none) } else { data(&none) };
    let mut steps = vec![head(spelling), chunk(&event)];
    if spelling == Spelling::OpenaiChat {
        steps.push(chunk("data: [DONE]\n\n"));
    }
    steps.push(last_chunk());
    steps
}

/// An error under a 200: in place of the answer, or after some text of a stream.
pub(super) fn error_inside(spelling: Spelling, seen: &Seen, text: &str) -> Vec<Step> {
    if !seen.stream {
        return http(200, &[], told::inside_200(spelling).as_bytes());
    }
    let mut steps = opening(text, spelling, seen);
    steps.push(chunk(&told::event(spelling)));
    if spelling == Spelling::OpenaiResponses {
        let failed = serde_json::from_str(&told::inside_200(spelling)).unwrap_or(json!({}));
        steps.push(chunk(&named(&json!({"type": "response.failed", "response": failed}))));
    }
    steps.push(last_chunk());
    steps
}

/// Signs of life and nothing else.
pub(super) fn comments(spelling: Spelling, seen: &Seen, gap: Duration) -> Vec<Step> {
    // Before a document only blank lines say nothing.
    let sign = if seen.stream { spelling.keep_alive() } else { "\n" };
    let mut steps = vec![head(spelling)];
    for _ in 0..2_000 {
        steps.extend([chunk(sign), Step::Wait(gap)]);
    }
    steps
}

pub(super) fn cut_before_content(spelling: Spelling, seen: &Seen) -> Vec<Step> {
    if !seen.stream {
        return cut_at_byte("A fine answer.", 40, spelling, seen);
    }
    let mut steps = vec![head(spelling)];
    let events = Said::text("x").parts(spelling, &seen.model).opening;
    steps.extend(events.iter().map(|event| chunk(event)));
    steps.push(Step::Reset);
    steps
}

/// A stream up to and including its text, without anything after.
fn opening(text: &str, spelling: Spelling, seen: &Seen) -> Vec<Step> {
    let said = Said { piece: 4, ..Said::text(text) };
    let events = said.parts(spelling, &seen.model);
    let mut steps = vec![head(spelling)];
    steps.extend(events.opening.iter().chain(&events.content).map(|event| chunk(event)));
    steps
}

pub(super) fn part_of(text: &str, spelling: Spelling, seen: &Seen, then: Step) -> Vec<Step> {
    if seen.stream {
        let mut steps = opening(text, spelling, seen);
        steps.extend([Step::Wait(READ), then]);
        steps
    } else {
        let mut steps = cut_at_byte(text, 60, spelling, seen);
        steps.pop();
        steps.push(then);
        steps
    }
}

pub(super) fn no_terminator(text: &str, spelling: Spelling, seen: &Seen) -> Vec<Step> {
    if seen.stream {
        let mut steps = opening(text, spelling, seen);
        steps.push(last_chunk());
        steps
    } else {
        Said { finish: None, ..Said::text(text) }.steps(spelling, seen)
    }
}

pub(super) fn cut_at_byte(text: &str, at: usize, spelling: Spelling, seen: &Seen) -> Vec<Step> {
    let mut left = at;
    let mut steps = Vec::new();
    for step in Said::text(text).steps(spelling, seen) {
        match step {
            Step::Bytes(bytes) => {
                // The head is sent whole: a cut in it is a matter of HTTP, not of a dialect.
                let head =
                    bytes.windows(4).position(|window| window == b"\r\n\r\n").filter(|_| steps.is_empty());
                let free = head.map_or(0, |end| end + 4);
                let take = (free + left).min(bytes.len());
                left = left.saturating_sub(take - free);
                steps.push(Step::Bytes(bytes.slice(..take)));
                if take < bytes.len() {
                    break;
                }
            }
            other @ (Step::Wait(_) | Step::Close | Step::Reset | Step::Hang) => steps.push(other),
        }
    }
    steps.push(Step::Close);
    steps
}

/// The same bytes, a few at a time.
pub(super) fn drip(steps: &[Step], few: usize, gap: Duration) -> Vec<Step> {
    let mut slow = Vec::new();
    for step in steps {
        match step {
            Step::Bytes(bytes) => {
                for at in (0..bytes.len()).step_by(few.max(1)) {
                    let end = (at + few.max(1)).min(bytes.len());
                    slow.extend([Step::Bytes(bytes.slice(at..end)), Step::Wait(gap)]);
                }
            }
            other @ (Step::Wait(_) | Step::Close | Step::Reset | Step::Hang) => slow.push(other.clone()),
        }
    }
    slow
}
