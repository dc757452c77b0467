//! Whole replies of each dialect, and what the normalizer makes of them.

use mainstay_canon::{Dialect, Target, WireReply};
use mainstay_normalize::{Context, whole};

use crate::cut::Dice;
use crate::dialect::speakers;
use crate::stream::extra_size;
use crate::written;

/// Most bytes that a byte of a reply may become.
const GROWTH: usize = 16;

/// A Chat Completions reply.
pub fn reply_openai_chat(data: &[u8]) {
    reply(Dialect::OpenaiChat, data);
}

/// A Responses reply.
pub fn reply_openai_responses(data: &[u8]) {
    reply(Dialect::OpenaiResponses, data);
}

/// A Messages reply.
pub fn reply_anthropic(data: &[u8]) {
    reply(Dialect::Anthropic, data);
}

/// A `generateContent` reply.
pub fn reply_gemini(data: &[u8]) {
    reply(Dialect::Gemini, data);
}

/// An `/api/chat` reply.
pub fn reply_ollama(data: &[u8]) {
    reply(Dialect::Ollama, data);
}

fn reply(dialect: Dialect, data: &[u8]) {
    let Some(provider) = Dice::of(data).pick(&speakers(dialect)).copied() else { return };
    let Ok(wire) = provider.upstream.read_reply(data) else { return };
    let size = size(&wire);
    assert!(size <= data.len().saturating_mul(GROWTH) + 4096, "{} bytes became {size}", data.len());
    let target = Target::new(provider.id, "m-test");
    let finish = |word: &str| provider.meaning(word);
    let context = Context { target: &target, finish: &finish, prompt_estimate: 12, dialect };
    let calls = wire.tool_calls.len();
    let answer = whole(&context, wire.clone());
    let again = whole(&context, wire);
    assert_eq!(answer.as_ref().ok(), again.as_ref().ok(), "the same reply is the same answer");
    let Ok(answer) = answer else { return };
    assert!(answer.tool_calls.len() <= calls, "no call is made up");
    assert!(answer.tool_calls.iter().all(|call| !call.id.is_empty()), "every call has an id");
    assert!(answer.usage.cached <= answer.usage.prompt, "{:?}", answer.usage);
    assert!(answer.usage.reasoning <= answer.usage.completion, "{:?}", answer.usage);
    written::whole(&answer);
}

fn size(wire: &WireReply) -> usize {
    let optional = [
        &wire.id,
        &wire.model,
        &wire.reasoning,
        &wire.refusal,
        &wire.finish,
        &wire.native_finish,
        &wire.stop_sequence,
    ];
    let optional: usize = optional.into_iter().flatten().map(String::len).sum();
    let blocks: usize = wire.reasoning_blocks.iter().map(|block| block.raw.text().len()).sum();
    let calls = wire.tool_calls.iter();
    let calls: usize = calls
        .map(|call| call.id.len() + call.name.len() + call.arguments.len() + extra_size(&call.extra))
        .sum();
    let shown: usize = wire.shown.iter().map(mainstay_canon::Shown::weight).sum();
    wire.text.len() + optional + blocks + shown + calls + extra_size(&wire.extra)
}
