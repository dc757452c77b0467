//! Replies that are no answer: what went wrong, and how long to stay away.

use std::time::Duration;

use mainstay_canon::{Dialect, Failure, Moment};
use mainstay_providers::{ALL, Provider};

use crate::dialect::speakers;
use crate::message::Message;

/// When the replies come: 1 March 2026, 12:00 UTC.
const NOW: Moment = Moment::from_secs(1_772_366_400);

/// Longest wait that is ever kept.
const LONGEST: Duration = Duration::from_hours(24);

/// An error of a Chat Completions host.
pub fn error_openai_chat(data: &[u8]) {
    error(Dialect::OpenaiChat, data);
}

/// An error of a Responses host.
pub fn error_openai_responses(data: &[u8]) {
    error(Dialect::OpenaiResponses, data);
}

/// An error of a Messages host.
pub fn error_anthropic(data: &[u8]) {
    error(Dialect::Anthropic, data);
}

/// An error of a `generateContent` host.
pub fn error_gemini(data: &[u8]) {
    error(Dialect::Gemini, data);
}

/// An error of an `/api/chat` host.
pub fn error_ollama(data: &[u8]) {
    error(Dialect::Ollama, data);
}

fn error(dialect: Dialect, data: &[u8]) {
    let message = Message::of(data);
    for provider in speakers(dialect) {
        let failure = provider.upstream.read_error(message.status, message.body);
        bounded(provider, &message, &failure);
        let failure = provider.read_error(message.status, &message.headers, message.body, NOW);
        bounded(provider, &message, &failure);
        let again = provider.read_error(message.status, &message.headers, message.body, NOW);
        assert_eq!((again.kind, again.hint), (failure.kind, failure.hint), "{}", provider.id);
    }
}

/// Any body gives a failure that can be kept and shown.
fn bounded(provider: &Provider, message: &Message<'_>, failure: &Failure) {
    let id = provider.id;
    assert!(failure.status.is_some(), "{id}: no status in {failure:?}");
    assert!(failure.message.chars().count() <= Failure::MESSAGE_LIMIT + 1, "{id}: {}", failure.message.len());
    assert!(failure.to_string().len() <= message.body.len().saturating_mul(8) + 4096, "{id}: {failure}");
    assert!(failure.hint.is_none_or(|hint| hint.after <= LONGEST), "{id}: {:?}", failure.hint);
    for word in [&failure.code, &failure.param].into_iter().flatten() {
        assert!(word.len() <= message.body.len().saturating_mul(4) + 256, "{id}: {} bytes", word.len());
    }
}

/// Rate-limit headers of every provider: waits and buckets.
pub fn hint(data: &[u8]) {
    let message = Message::of(data);
    for provider in ALL {
        let hint = provider.hint(message.status, &message.headers, None, NOW);
        assert!(hint.is_none_or(|hint| hint.after <= LONGEST), "{}: {hint:?}", provider.id);
        let good = provider.hint(200, &message.headers, None, NOW);
        assert_eq!(good, None, "{}: a good answer asks for no wait", provider.id);
        for left in provider.remaining(&message.headers, NOW) {
            assert!(left.resets >= NOW, "{}: {left:?}", provider.id);
        }
        let _ = provider.request_id(&message.headers);
    }
}
