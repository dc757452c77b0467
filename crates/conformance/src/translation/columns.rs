//! Whom a request is written to: one typical current model of each dialect, and the hosts that differ most.

use mainstay_canon::{Dialect, Failure, Target};
use mainstay_dialects::{Call, Outbound, Received};
use mainstay_providers::{Provider, by_id, for_dialect};

/// One upstream.
pub(crate) struct Column {
    /// Its heading.
    pub(crate) title: &'static str,
    /// The model that is asked.
    pub(crate) model: &'static str,
    provider: fn() -> Option<&'static Provider>,
}

/// All of them, in the order of the tables.
pub(crate) static COLUMNS: [Column; 8] = [
    Column { title: "openai", model: "gpt-6-luna", provider: || by_id("openai") },
    Column { title: "openai-chat", model: "a-model", provider: || for_dialect(Dialect::OpenaiChat) },
    Column {
        title: "openai-responses",
        model: "gpt-6-luna",
        provider: || for_dialect(Dialect::OpenaiResponses),
    },
    Column { title: "anthropic", model: "claude-sonnet-5-5", provider: || by_id("anthropic") },
    Column { title: "gemini", model: "gemini-3.8-flash", provider: || by_id("gemini") },
    Column { title: "ollama", model: "qwen3:8b", provider: || by_id("ollama") },
    Column { title: "mistral", model: "mistral-medium-latest", provider: || by_id("mistral") },
    Column { title: "deepseek", model: "deepseek-flash", provider: || by_id("deepseek") },
];

impl Column {
    pub(crate) fn provider(&self) -> &'static Provider {
        (self.provider)().unwrap()
    }

    /// Writes a request as the client does for an only tier.
    pub(crate) fn write(&self, received: &Received) -> Result<Outbound, Failure> {
        let (provider, request) = (self.provider(), &received.request);
        let target = Target::new(provider.id, self.model);
        let accepts = (provider.accepts)(self.model);
        let call = Call {
            target: &target,
            accepts: &accepts,
            stream: request.stream,
            max_tokens: request.max_tokens,
        };
        provider.upstream_for(request, self.model).write_request(request, &call)
    }
}
