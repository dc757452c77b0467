//! What building a client and calling it can fail with.

use crate::engine::UnknownModel;
use crate::gave_up::GaveUp;

/// Why a client could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The configuration has mistakes; all of them are listed.
    #[error("{0}")]
    Config(#[from] mainstay_config::Problems),
    /// The call log could not be opened.
    #[error("the call log could not be opened: {0}")]
    Store(#[from] mainstay_store::StoreError),
    /// A provider's endpoint could not be built.
    #[error("provider {provider}: {source}")]
    Endpoint {
        /// The provider's name in the config.
        provider: String,
        /// What the HTTP client says.
        source: reqwest::Error,
    },
    /// A refusal pattern of the config does not compile.
    #[error("{0}")]
    Pattern(#[from] mainstay_quality::PatternError),
    /// A chain cannot be walked.
    #[error("chain {chain}: {source}")]
    Plan {
        /// The chain's name.
        chain: String,
        /// What is wrong with it.
        source: mainstay_fallback::PlanError,
    },
    /// Something that should not happen.
    #[error("internal: {0}")]
    Internal(String),
}

/// Why a call brought no answer.
#[expect(clippy::large_enum_variant, reason = "nearly all errors are the large one")]
#[derive(Debug, thiserror::Error)]
pub enum ChatError {
    /// The `model_hint` means nothing here.
    #[error("{0}")]
    UnknownModel(#[from] UnknownModel),
    /// Nobody answered.
    #[error("{0}")]
    GaveUp(#[from] GaveUp),
}
