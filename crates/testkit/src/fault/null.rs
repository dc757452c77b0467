//! Answers in which null stands where the content should.

use serde_json::{Value, json};

use super::broken::head;
use crate::said::Said;
use crate::server::{Seen, Step};
use crate::spell::Spelling;
use crate::wire::{chunk, data, http, last_chunk, line, named};

/// Null in place of what each dialect has its answers in, for whole answers and streams.
pub(super) fn steps(spelling: Spelling, seen: &Seen) -> Vec<Step> {
    let mut whole = Said::text("").tokens(12, 0).body(spelling, &seen.model);
    for place in places(spelling) {
        if let Some(value) = whole.pointer_mut(place) {
            *value = Value::Null;
        }
    }
    if !seen.stream {
        return http(200, &[], whole.to_string().as_bytes());
    }
    let mut steps = vec![head(spelling)];
    steps.extend(events(spelling, seen, &whole).iter().map(|event| chunk(event)));
    steps.push(last_chunk());
    steps
}

const fn places(spelling: Spelling) -> &'static [&'static str] {
    match spelling {
        Spelling::OpenaiChat => &["/choices"],
        Spelling::OpenaiResponses => &["/output"],
        Spelling::Anthropic => &["/content"],
        Spelling::Gemini => &["/candidates"],
        Spelling::Ollama => &["/message"],
    }
}

/// The same in a stream, which otherwise begins and ends as it should.
fn events(spelling: Spelling, seen: &Seen, whole: &Value) -> Vec<String> {
    match spelling {
        Spelling::OpenaiChat => {
            vec![
                data(&json!({"id": "chatcmpl-fake", "object": "chat.completion.chunk", "choices": null})),
                "data: [DONE]\n\n".into(),
            ]
        }
        Spelling::OpenaiResponses => {
            let mut events = Said::text("").parts(spelling, &seen.model).opening;
            events
                .push(named(&json!({"type": "response.completed", "response": whole, "sequence_number": 9})));
            events
        }
        Spelling::Anthropic => {
            let mut message = whole.clone();
            if let Some(word) = message.pointer_mut("/stop_reason") {
                *word = Value::Null;
            }
            let ending = Said::text("").tokens(12, 0).parts(spelling, &seen.model).ending;
            let start = named(&json!({"type": "message_start", "message": message}));
            std::iter::once(start).chain(ending).collect()
        }
        Spelling::Gemini => vec![data(whole)],
        Spelling::Ollama => vec![line(whole)],
    }
}
