//! Ollama, spoken to in its own dialect: its OpenAI-compatible route calls a lost model a good end and cuts long
//! prompts in silence. Sources: Ollama API reference and the server's source, as of 2026-08, and recordings of
//! 2026-08.

use mainstay_canon::{Accepts, FinishMeaning, Kind, ReasoningEffort, ReasoningReplay, Thinking};
use mainstay_dialects::ollama::Ollama;

use crate::efforts::LOW_TO_HIGH;
use crate::words::{LENGTH, STOP, broken};
use crate::{Auth, Provider};

/// Ollama on this machine.
pub(crate) static PROVIDER: Provider = Provider {
    id: "ollama",
    base_url: "http://localhost:11434",
    auth: Auth::None,
    upstream: &UPSTREAM,
    choose: |_, _| None,
    finish: FINISH,
    accepts,
    // Its errors are words without codes, which are read with the dialect.
    refine: |_, _| {},
    buckets: &[],
    hinted: &[],
    request_id: &["x-request-id"],
};

/// Any server that speaks as Ollama does: one elsewhere, or ollama.com.
pub(crate) static COMPATIBLE: Provider = Provider {
    id: "ollama-compatible",
    base_url: "",
    auth: Auth::Bearer { env: "" },
    upstream: &UPSTREAM,
    choose: |_, _| None,
    finish: FINISH,
    accepts,
    refine: |_, _| {},
    buckets: &[],
    hinted: &[],
    request_id: &["x-request-id"],
};

const UPSTREAM: Ollama = Ollama { thinks_by_levels: is_gpt_oss, ..Ollama::STANDARD };

/// Complete. The last two answer a request without messages; as the end of an answer they mean that none was
/// given. A lost model is spelled by no word at all, which the dialect reads as an interruption.
static FINISH: &[(&str, FinishMeaning)] = &[
    ("stop", STOP),
    ("length", LENGTH),
    ("load", broken(Kind::InvalidResponse)),
    ("unload", broken(Kind::InvalidResponse)),
];

/// What a model takes. What it cannot see or call is known to the server alone, which then says so.
fn accepts(model: &str) -> Accepts {
    let by_levels = is_gpt_oss(model);
    Accepts {
        reasoning_replay: ReasoningReplay::ToolLoop,
        // The dialect has no place for them.
        audio: false,
        files: false,
        effort: thinks(model),
        // All others think or do not.
        efforts: if by_levels { LOW_TO_HIGH } else { &ReasoningEffort::ALL },
        thinking: if by_levels { Thinking::Always } else { Thinking::Optional },
        ..Accepts::default()
    }
}

/// Told in levels how much to think, and cannot be told not to.
fn is_gpt_oss(model: &str) -> bool {
    model.starts_with("gpt-oss")
}

/// Whether a model of Ollama's own library can be told to think; for any other the server refuses it. Names of
/// other people's models (`user/model`, `hf.co/…`) tell nothing: their template decides.
fn thinks(model: &str) -> bool {
    const FAMILIES: [&str; 13] = [
        "deepseek-r1",
        "deepseek-v3.1",
        "deepseek-v3.2",
        "gemma4",
        "glm-4.6",
        "glm-4.7",
        "glm-5",
        "gpt-oss",
        "kimi-k2-thinking",
        "kimi-k2.5",
        "magistral",
        "minimax-m2",
        "qwen3",
    ];
    const NOT: [&str; 4] = ["coder", "instruct", "embedding", "rerank"];
    !model.contains('/')
        && FAMILIES.iter().any(|family| model.starts_with(family))
        && !NOT.iter().any(|word| model.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_models_that_are_known_to_think_are_told_to() {
        for model in
            ["qwen3:4b", "qwen3.6:latest", "gpt-oss:20b", "gpt-oss:120b-cloud", "deepseek-r1", "glm-5:cloud"]
        {
            assert!(accepts(model).effort, "{model}");
        }
        for model in [
            "llama3.2:3b",
            "qwen3-coder:30b",
            "qwen3:4b-instruct",
            "qwen3-embedding",
            "hf.co/unsloth/Qwen3-8B-GGUF",
            "someone/qwen3",
        ] {
            assert!(!accepts(model).effort, "{model}");
        }
        assert!(is_gpt_oss("gpt-oss:20b") && !is_gpt_oss("qwen3:4b"));
    }
}
