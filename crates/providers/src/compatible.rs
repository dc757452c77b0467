//! Any server that speaks OpenAI Chat Completions: vLLM, llama.cpp, LM Studio, SGLang, TGI, gateways, and
//! hosts without a file of their own. Sources: the servers' documentation and sources, and the hosts' API
//! references, as of 2026-11.

use mainstay_canon::{Accepts, Failure, FinishMeaning, Kind, Quality};
use mainstay_dialects::openai_chat::OpenAiChat;

use crate::errors::{ErrorBody, Rule, apply, says};
use crate::words::{CONTEXT_FULL, FILTERED, LENGTH, STOP, TOOL_CALL, broken};
use crate::{Auth, Bucket, Provider, Told};

/// Any OpenAI-compatible server.
pub(crate) static PROVIDER: Provider = Provider {
    id: "compatible",
    base_url: "",
    auth: Auth::Bearer { env: "" },
    upstream: &OpenAiChat::STANDARD,
    finish: FINISH,
    accepts: |_| Accepts::default(),
    refine,
    buckets: BUCKETS,
    hinted: &[],
    request_id: &["x-request-id", "request-id"],
};

/// The dialect's own words, and those that its speakers are known to use. What is not here is loud, and an
/// operator may map it for one server.
pub(crate) static FINISH: &[(&str, FinishMeaning)] = &[
    ("stop", STOP),
    ("length", LENGTH),
    ("tool_calls", TOOL_CALL),
    ("function_call", TOOL_CALL),
    ("content_filter", FILTERED),
    // xAI and Snowflake end an answer of tool calls without a word.
    ("", TOOL_CALL),
    // TGI, Together, and hosts that hand on what stands behind them.
    ("eos", STOP),
    ("eos_token", STOP),
    ("end_turn", STOP),
    ("stop_sequence", STOP),
    ("STOP", STOP),
    ("max_tokens", LENGTH),
    ("MAX_TOKENS", LENGTH),
    ("tool_use", TOOL_CALL),
    // Mistral, Z.ai.
    ("model_length", CONTEXT_FULL),
    ("model_context_window_exceeded", CONTEXT_FULL),
    ("sensitive", FILTERED),
    ("network_error", broken(Kind::ServerError)),
    // vLLM and SGLang: the engine gave up, or caught its model in a loop.
    ("abort", broken(Kind::ServerError)),
    ("error", broken(Kind::ServerError)),
    ("repetition", broken(Kind::Bad(Quality::Degenerate))),
    // DeepSeek's, behind a gateway.
    ("insufficient_system_resource", broken(Kind::Overloaded)),
];

/// OpenAI's headers, and the short ones of hosts such as Together and the HuggingFace router.
pub(crate) static BUCKETS: &[Bucket] = &[
    Bucket { remaining: "x-ratelimit-remaining-requests", reset: "x-ratelimit-reset-requests" },
    Bucket { remaining: "x-ratelimit-remaining-tokens", reset: "x-ratelimit-reset-tokens" },
    Bucket { remaining: "x-ratelimit-remaining", reset: "x-ratelimit-reset" },
    Bucket { remaining: "ratelimit-remaining", reset: "ratelimit-reset" },
];

static ERRORS: &[Rule] = &[
    // LM Studio with nothing loaded: somebody must load a model.
    says(&[400, 404], "no models loaded", Kind::NotFound),
    // vLLM, where the prompt alone fills the window.
    says(&[400], "max_tokens must be at least 1, got -", Kind::ContextLength),
    says(&[400], "max_completion_tokens must be at least 1, got -", Kind::ContextLength),
    // llama.cpp, whose batch is too small for the prompt.
    says(&[500], "too large to process", Kind::ContextLength),
    // Fireworks: the account is suspended for its bill.
    says(&[412], "", Kind::QuotaExhausted),
];

pub(crate) fn refine(failure: &mut Failure, told: &Told<'_>) {
    apply(ERRORS, failure, &ErrorBody::of(told.body));
}
