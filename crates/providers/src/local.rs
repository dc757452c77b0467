//! A server on this machine or network that speaks OpenAI Chat Completions and asks for no key: what
//! `local/MODEL` with a base URL means. Everything else is as with any compatible server.

use mainstay_canon::Accepts;
use mainstay_dialects::openai_chat::OpenAiChat;

use crate::{Auth, Provider, compatible};

/// A local server.
pub(crate) static PROVIDER: Provider = Provider {
    id: "local",
    base_url: "",
    auth: Auth::None,
    upstream: &OpenAiChat::STANDARD,
    choose: |_, _| None,
    finish: compatible::FINISH,
    accepts: |_| Accepts::default(),
    refine: compatible::refine,
    buckets: compatible::BUCKETS,
    hinted: &[],
    request_id: &["x-request-id", "request-id"],
};
