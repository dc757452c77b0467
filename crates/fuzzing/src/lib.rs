//! What must hold for any bytes at all: one function a decoder, for the fuzzer and for the tests.
//!
//! Each function of [`TARGETS`] takes bytes and does nothing, or panics because a law is broken. A law is more
//! than "no panic": a stream gives the same events wherever it is cut, what is written reads as what it was,
//! what comes out is no larger than what went in allows. The binaries in `fuzz/` hand these functions what
//! libFuzzer makes up; the tests here hand them the seeds in `fuzz/seeds/` and what a few changes make of them.
//! Nothing that ships depends on this crate.

mod config;
mod count;
mod cut;
mod dialect;
mod differential;
mod embeddings;
mod errors;
mod framing;
mod journal;
mod judge;
mod message;
mod moving;
mod reply;
mod request;
mod sample;
mod stream;
mod texts;
mod thinking;
mod written;

pub use config::{config, quantity};
pub use count::token_count;
pub use differential::{DIFFERENCES, sse_differential};
pub use embeddings::{embed_reply_gemini, embed_reply_ollama, embed_reply_openai, embed_request};
pub use errors::{
    error_anthropic, error_gemini, error_ollama, error_openai_chat, error_openai_responses, hint,
};
pub use framing::{ndjson, sse};
pub use journal::journal;
pub use judge::{judge, schema};
pub use moving::litellm;
pub use reply::{reply_anthropic, reply_gemini, reply_ollama, reply_openai_chat, reply_openai_responses};
pub use request::{request_anthropic, request_chat, request_responses};
pub use sample::sample;
pub use stream::{
    stream_anthropic, stream_gemini, stream_ollama, stream_openai_chat, stream_openai_responses,
};
pub use texts::{catalogue, money, names, when};
pub use thinking::thinking;

/// What a target is: a function of bytes that panics where a law is broken.
pub type Target = fn(&[u8]);

/// All targets by name, which is the name of the binary, of its folder of seeds and of its test.
pub const TARGETS: [(&str, Target); 39] = [
    ("sse", sse),
    ("sse_differential", sse_differential),
    ("ndjson", ndjson),
    ("stream_openai_chat", stream_openai_chat),
    ("stream_openai_responses", stream_openai_responses),
    ("stream_anthropic", stream_anthropic),
    ("stream_gemini", stream_gemini),
    ("stream_ollama", stream_ollama),
    ("reply_openai_chat", reply_openai_chat),
    ("reply_openai_responses", reply_openai_responses),
    ("reply_anthropic", reply_anthropic),
    ("reply_gemini", reply_gemini),
    ("reply_ollama", reply_ollama),
    ("error_openai_chat", error_openai_chat),
    ("error_openai_responses", error_openai_responses),
    ("error_anthropic", error_anthropic),
    ("error_gemini", error_gemini),
    ("error_ollama", error_ollama),
    ("hint", hint),
    ("request_chat", request_chat),
    ("request_responses", request_responses),
    ("request_anthropic", request_anthropic),
    ("embed_request", embed_request),
    ("embed_reply_openai", embed_reply_openai),
    ("embed_reply_gemini", embed_reply_gemini),
    ("embed_reply_ollama", embed_reply_ollama),
    ("token_count", token_count),
    ("litellm", litellm),
    ("thinking", thinking),
    ("judge", judge),
    ("sample", sample),
    ("schema", schema),
    ("config", config),
    ("quantity", quantity),
    ("catalogue", catalogue),
    ("when", when),
    ("money", money),
    ("names", names),
    ("journal", journal),
];
