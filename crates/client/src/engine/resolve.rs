//! What a caller's `model` means (behaviour 11.2).

use std::sync::Arc;

use mainstay_canon::Target;
use mainstay_config::BareModels;

use super::{Engine, Route};

/// A name that means nothing here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownModel {
    /// The name.
    pub name: String,
    /// What exists.
    pub known: Vec<String>,
}

impl std::fmt::Display for UnknownModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "no chain, alias or model is called \"{}\"; there are: {}",
            self.name,
            self.known.join(", ")
        )
    }
}

impl std::error::Error for UnknownModel {}

/// How a name was understood.
pub type Resolved = Result<Route, UnknownModel>;

impl Engine {
    /// Finds the chain and tiers that a name means: a chain, an alias, `provider/model`, a bare model name.
    /// No name means `default`.
    ///
    /// # Errors
    ///
    /// [`UnknownModel`], which lists what exists.
    pub fn resolve(&self, name: Option<&str>) -> Resolved {
        let found = match name.filter(|name| !name.is_empty()) {
            None => self.config.default_chain().and_then(|chain| self.whole_chain(&chain.name)),
            Some(name) => self
                .config
                .chain_for(name)
                .and_then(|chain| self.whole_chain(&chain.name))
                .or_else(|| self.by_target(&Target::parse(name)?))
                .or_else(|| self.by_bare_name(name)),
        };
        found.ok_or_else(|| self.unknown(name.unwrap_or("default")))
    }

    /// The names that `/v1/models` lists: chains, then tiers, each once.
    pub fn model_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.config.chains.iter().map(|chain| chain.name.clone()).collect();
        for tier in self.chains.values().flat_map(|chain| &chain.tiers) {
            let name = tier.target.to_string();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    pub(super) fn whole_chain(&self, name: &str) -> Option<Route> {
        self.chains.get(name).map(|chain| Route { chain: Arc::clone(chain), only: None, order: None })
    }

    /// `provider/model`: that tier alone, whether it stands in a chain or not.
    pub(super) fn by_target(&self, target: &Target) -> Option<Route> {
        let standing = self.chains.values().find(|chain| !chain.places_of(target).is_empty()).map(Arc::clone);
        let chain = standing.or_else(|| self.ad_hoc(target, None))?;
        // Several places are the same model under keys of separate accounts.
        match *chain.places_of(target).as_slice() {
            [place] => Some(Route { chain, only: Some(place), order: None }),
            ref places => Some(Route { order: Some(places.to_vec()), chain, only: None }),
        }
    }

    /// A model's own name: that model first, then the tiers of `default` (`bare_models` changes that).
    fn by_bare_name(&self, name: &str) -> Option<Route> {
        let target = self.config.serving(name)?;
        match self.config.server.bare_models {
            BareModels::Refuse => None,
            BareModels::Alone => self.by_target(&target),
            BareModels::ThenDefault => {
                let default = self.chains.get(&self.config.default_chain()?.name)?;
                let mut order = default.places_of(&target);
                if order.is_empty() {
                    let chain = self.ad_hoc(&target, Some(default))?;
                    return Some(Route { chain, only: None, order: None });
                }
                let rest: Vec<usize> =
                    (0..default.tiers.len()).filter(|place| !order.contains(place)).collect();
                order.extend(rest);
                Some(Route { chain: Arc::clone(default), only: None, order: Some(order) })
            }
        }
    }

    pub(super) fn unknown(&self, name: &str) -> UnknownModel {
        let mut known = self.model_names();
        known.extend(self.config.chains.iter().flat_map(|chain| chain.aliases.iter().cloned()));
        UnknownModel { name: name.chars().take(200).collect(), known }
    }
}
