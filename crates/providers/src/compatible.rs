//! Any server that speaks OpenAI Chat Completions: SGLang, TGI, gateways, hosts without a file of their own, and
//! vLLM, llama.cpp or LM Studio under another name. Sources: the servers' documentation and sources, and the
//! hosts' API references, as of 2026-11.

use mainstay_canon::{Accepts, Failure, FinishMeaning, Kind, Quality};
use mainstay_dialects::openai_chat::OpenAiChat;

use crate::errors::{ErrorBody, Rule, TEMPLATES, apply, says};
use crate::words::{CONTEXT_FULL, FILTERED, LENGTH, STOP, TOOL_CALL, broken};
use crate::{Auth, Bucket, Provider, Told, llamacpp, lmstudio, vllm};

/// Any OpenAI-compatible server.
pub(crate) static PROVIDER: Provider = Provider {
    id: "compatible",
    base_url: "",
    auth: Auth::Bearer { env: "" },
    upstream: &OpenAiChat::STANDARD,
    choose: |_, _| None,
    finish: FINISH,
    accepts: |_| Accepts::default(),
    refine,
    buckets: BUCKETS,
    hinted: &[],
    // The last one is Azure's (recorded 2026-08), beside the first or alone.
    request_id: &["x-request-id", "request-id", "apim-request-id"],
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
    // Fireworks: the account is suspended for its bill.
    says(&[412], "", Kind::QuotaExhausted),
];

pub(crate) fn refine(failure: &mut Failure, told: &Told<'_>) {
    // Nobody says which server it is, and none of their words is another's.
    let rules = [vllm::ERRORS, llamacpp::ERRORS, lmstudio::ERRORS, TEMPLATES, ERRORS].into_iter().flatten();
    apply(rules, failure, &ErrorBody::of(told.body));
}
