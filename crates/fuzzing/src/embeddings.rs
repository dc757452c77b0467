//! Embeddings: a caller's request, and the vectors that each dialect hands back.

use mainstay_canon::{
    Cost, Dialect, EmbedRequest, EmbedResponse, Target, Usage, VectorEncoding, WireVectors,
};
use mainstay_dialects::openai_chat::{OpenAiEmbeddings, read_embeddings, write_embeddings};
use mainstay_dialects::{Embeddings, Wanted};
use mainstay_providers::ALL;

use crate::cut::Dice;
use crate::dialect::speakers;

/// A request for vectors, as OpenAI's SDKs send it.
pub fn embed_request(data: &[u8]) {
    let Ok(mut request) = read_embeddings(data) else { return };
    request.model_hint.get_or_insert_with(|| "m".to_owned());
    again(&request);
    if request.check().is_err() {
        return;
    }
    let target = Target::new("acme", "m");
    for provider in ALL {
        let Some(embeddings) = provider.upstream.embeddings() else { continue };
        let Ok(outbound) = embeddings.write_request(&request, &target) else { continue };
        let json = serde_json::from_slice::<&serde_json::value::RawValue>(&outbound.body);
        assert!(json.is_ok(), "{}: {}", provider.id, String::from_utf8_lossy(&outbound.body));
        let bound = data.len().saturating_mul(64) + 16_384;
        assert!(outbound.body.len() <= bound, "{}: {} bytes", provider.id, outbound.body.len());
    }
}

/// What is written reads as what it was, unless a note says what was left out. How the numbers are to be written is
/// between us and each side.
fn again(request: &EmbedRequest) {
    let target = Target::new("acme", request.model_hint.as_deref().unwrap_or_default());
    let Ok(outbound) = OpenAiEmbeddings::STANDARD.write_request(request, &target) else { return };
    let read = read_embeddings(&outbound.body);
    let shown = String::from_utf8_lossy(&outbound.body);
    assert!(read.is_ok(), "{read:?} of {shown}");
    let Ok(read) = read else { return };
    if outbound.notes.is_empty() {
        let request = EmbedRequest { encoding: VectorEncoding::Float, ..request.clone() };
        assert_eq!(read, request, "{shown}");
    }
}

/// Vectors of a host that speaks as OpenAI.
pub fn embed_reply_openai(data: &[u8]) {
    reply(Dialect::OpenaiChat, data);
}

/// Vectors of Gemini.
pub fn embed_reply_gemini(data: &[u8]) {
    reply(Dialect::Gemini, data);
}

/// Vectors of Ollama.
pub fn embed_reply_ollama(data: &[u8]) {
    reply(Dialect::Ollama, data);
}

fn reply(dialect: Dialect, data: &[u8]) {
    let speakers: Vec<&dyn Embeddings> =
        speakers(dialect).into_iter().filter_map(|provider| provider.upstream.embeddings()).collect();
    let Some(embeddings) = Dice::of(data).pick(&speakers).copied() else { return };
    for (count, dimensions) in [(0, None), (1, None), (2, None), (3, None), (1, Some(2)), (2, Some(3))] {
        let wanted = Wanted { count, dimensions };
        let read = embeddings.read_reply(wanted, data);
        let once_more = embeddings.read_reply(wanted, data);
        assert_eq!(read.as_ref().ok(), once_more.as_ref().ok(), "the same reply is the same vectors");
        match read {
            Ok(wire) => sound(wanted, wire, data.len()),
            Err(failure) => assert!(failure.message.len() <= 4096 + data.len(), "{failure}"),
        }
    }
}

/// As many vectors as were wanted, all of one length, of numbers that a caller is told to the bit.
fn sound(wanted: Wanted, wire: WireVectors, bytes: usize) {
    let length = wire.vectors.first().map_or(0, Vec::len);
    assert_eq!(wire.vectors.len(), wanted.count);
    assert!(
        wanted.dimensions.is_none_or(|asked| usize::try_from(asked) == Ok(length)),
        "{wanted:?}: {length}"
    );
    for vector in &wire.vectors {
        assert!(vector.len() == length && length > 0, "{} numbers, {length} in the first", vector.len());
        assert!(vector.iter().all(|number| number.is_finite()), "{vector:?}");
    }
    assert!(length.saturating_mul(wanted.count) <= bytes, "more numbers than bytes");
    let response = EmbedResponse {
        vectors: wire.vectors,
        model: wire.model,
        usage: Usage::default(),
        request_id: "req_1".to_owned(),
        target: Target::new("acme", "m"),
        cost: Cost::Unknown,
        latency_ms: 1,
        attempts: Vec::new(),
    };
    for (encoding, base64) in [(VectorEncoding::Float, false), (VectorEncoding::Base64, true)] {
        let body = write_embeddings(&response, encoding);
        let told = OpenAiEmbeddings { base64, ..OpenAiEmbeddings::STANDARD }.read_reply(wanted, &body);
        let bits = |vectors: &[Vec<f32>]| vectors.concat().into_iter().map(f32::to_bits).collect::<Vec<_>>();
        let told = told.as_ref().map(|told| bits(&told.vectors));
        assert_eq!(told.ok(), Some(bits(&response.vectors)), "{}", String::from_utf8_lossy(&body));
    }
}
