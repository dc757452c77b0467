//! Who their words before the slash stand for.

use mainstay_cost::Catalogue;

/// What stands behind a model name of theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    /// A provider that Mainstay knows.
    Known(&'static str),
    /// A host that speaks the dialect of OpenAI's Chat Completions.
    Compatible {
        /// Its name in our file.
        name: &'static str,
        /// Where it listens; empty where only their file knows.
        base_url: &'static str,
        /// The variable in which LiteLLM looks for its key.
        env: &'static str,
    },
    /// A provider that cannot be asked from here yet.
    NotYet,
}

const fn compatible(name: &'static str, base_url: &'static str, env: &'static str) -> Host {
    Host::Compatible { name, base_url, env }
}

/// Their prefixes (LiteLLM's list of providers, 2026-11), with the hosts' documented addresses.
static PREFIXES: &[(&str, Host)] = &[
    ("openai", Host::Known("openai")),
    ("anthropic", Host::Known("anthropic")),
    ("gemini", Host::Known("gemini")),
    ("deepseek", Host::Known("deepseek")),
    ("openrouter", Host::Known("openrouter")),
    ("mistral", Host::Known("mistral")),
    ("groq", Host::Known("groq")),
    ("xai", Host::Known("xai")),
    ("minimax", Host::Known("minimax")),
    ("ollama", Host::Known("ollama")),
    ("ollama_chat", Host::Known("ollama")),
    ("hosted_vllm", Host::Known("vllm")),
    ("vllm", Host::Known("vllm")),
    ("llamafile", Host::Known("llamacpp")),
    ("lm_studio", Host::Known("lmstudio")),
    ("together_ai", compatible("together", "https://api.together.xyz/v1", "TOGETHERAI_API_KEY")),
    (
        "fireworks_ai",
        compatible("fireworks", "https://api.fireworks.ai/inference/v1", "FIREWORKS_AI_API_KEY"),
    ),
    ("moonshot", compatible("moonshot", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY")),
    (
        "dashscope",
        compatible(
            "dashscope",
            "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
            "DASHSCOPE_API_KEY",
        ),
    ),
    ("openai_like", compatible("compatible-server", "", "OPENAI_LIKE_API_KEY")),
    ("custom_openai", compatible("compatible-server", "", "OPENAI_API_KEY")),
    ("litellm_proxy", compatible("litellm", "", "LITELLM_PROXY_API_KEY")),
    ("azure", Host::NotYet),
    ("azure_ai", Host::NotYet),
    ("bedrock", Host::NotYet),
    ("sagemaker", Host::NotYet),
    ("sagemaker_chat", Host::NotYet),
    ("vertex_ai", Host::NotYet),
    ("vertex_ai_beta", Host::NotYet),
    ("cohere", Host::NotYet),
    ("cohere_chat", Host::NotYet),
    ("perplexity", Host::NotYet),
    ("cerebras", Host::NotYet),
    ("sambanova", Host::NotYet),
    ("huggingface", Host::NotYet),
    ("github", Host::NotYet),
    ("github_copilot", Host::NotYet),
    ("cloudflare", Host::NotYet),
    ("databricks", Host::NotYet),
    ("snowflake", Host::NotYet),
    ("replicate", Host::NotYet),
    ("watsonx", Host::NotYet),
    ("zai", Host::NotYet),
    ("text-completion-openai", Host::NotYet),
];

/// The host and the model's name there; `None` where nobody knows whose model it is.
pub(crate) fn of(model: &str, custom: Option<&str>) -> Option<(Host, String)> {
    let known = |prefix: &str| PREFIXES.iter().find(|(name, _)| *name == prefix).map(|(_, host)| *host);
    if let Some(host) = custom.and_then(known) {
        let bare = custom.and_then(|custom| model.strip_prefix(custom)?.strip_prefix('/')).unwrap_or(model);
        return Some((host, bare.to_owned()));
    }
    if let Some((prefix, rest)) = model.split_once('/')
        && let Some(host) = known(prefix)
    {
        // `openai/responses/gpt-…` asks for the other API; the choice is ours to make.
        let rest = rest.strip_prefix("responses/").unwrap_or(rest);
        return Some((host, rest.to_owned()));
    }
    bare(model).map(|host| (host, model.to_owned()))
}

/// A model without a prefix: LiteLLM knows it by its price list, so do we.
fn bare(model: &str) -> Option<Host> {
    ["openai", "anthropic", "mistral", "deepseek", "xai", "groq"]
        .into_iter()
        .find(|provider| Catalogue::bundled().find(provider, model).is_some())
        .map(Host::Known)
        .or_else(|| if model.starts_with("gpt-") { Some(Host::Known("openai")) } else { None })
        .or_else(|| if model.starts_with("claude-") { Some(Host::Known("anthropic")) } else { None })
}
