//! Who is asked.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A provider and a model of it: what a tier points at, what health is kept for. Cheap to clone.
///
/// ```
/// let target = mainstay_canon::Target::new("openai", "gpt-6-luna");
/// assert_eq!(target.to_string(), "openai/gpt-6-luna");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Target {
    /// The provider's name in the config, such as `openai`.
    pub provider: Arc<str>,
    /// The model's name as that provider knows it. May itself hold a `/`.
    pub model: Arc<str>,
}

impl Target {
    /// A target from its two names.
    pub fn new(provider: impl Into<Arc<str>>, model: impl Into<Arc<str>>) -> Self {
        Self { provider: provider.into(), model: model.into() }
    }

    /// Reads `provider/model`. The first `/` divides; both sides must hold something.
    pub fn parse(name: &str) -> Option<Self> {
        let (provider, model) = name.split_once('/')?;
        (!provider.trim().is_empty() && !model.trim().is_empty()).then(|| Self::new(provider, model))
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_slash_divides() {
        let target = Target::parse("openrouter/meta/llama-4").unwrap();
        assert_eq!((&*target.provider, &*target.model), ("openrouter", "meta/llama-4"));
        for bad in ["", "openai", "/m", "p/", " /m"] {
            assert_eq!(Target::parse(bad), None, "{bad:?}");
        }
    }
}
