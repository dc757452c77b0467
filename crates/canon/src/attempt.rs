//! One entry of the trail that leads to an answer.

use serde::{Deserialize, Serialize};

use crate::{Cost, FinishReason, Kind, Quality, Target};

/// How one attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Its answer was accepted.
    Ok,
    /// Its answer was judged useless, or handed over although it was.
    Quality,
    /// It failed.
    Error,
    /// The caller went away.
    Aborted,
    /// It was not made: the tier was cooling, open, disabled, full or over budget.
    Skipped,
}

impl Outcome {
    /// The word for records.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Quality => "quality",
            Self::Error => "error",
            Self::Aborted => "aborted",
            Self::Skipped => "skipped",
        }
    }

    /// The outcome of that word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Ok, Self::Quality, Self::Error, Self::Aborted, Self::Skipped]
            .into_iter()
            .find(|outcome| outcome.word() == word)
    }
}

/// One call to a provider, or one tier that was passed over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// Who was asked.
    pub target: Target,
    /// Counts upstream calls of the request from 1; `None` when the tier was skipped.
    pub number: Option<u32>,
    /// Counts calls to this tier from 1; `None` when it was skipped.
    pub tier_attempt: Option<u32>,
    /// How it ended.
    pub outcome: Outcome,
    /// The judge's class, when there was an answer.
    pub quality: Option<Quality>,
    /// Why the answer ended, when there was one.
    pub finish_reason: Option<FinishReason>,
    /// What went wrong, when something did.
    pub error: Option<Kind>,
    /// HTTP status of the provider's reply.
    pub http_status: Option<u16>,
    /// From sending to the end, in ms.
    pub latency_ms: u64,
    /// The wait before it, in ms.
    pub wait_ms: u64,
    /// What it cost.
    pub cost: Cost,
    /// Why, in a few words: the verdict's detail, the provider's message, or why it was skipped.
    pub why: String,
}
