//! What is to be written, before it is text.

use crate::theirs;

/// The file to be.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) providers: Vec<Provider>,
    pub(crate) chains: Vec<Chain>,
    /// `[defaults]`, `[budget]`: lines of `key = value`.
    pub(crate) defaults: Vec<String>,
    pub(crate) budget: Vec<String>,
}

/// One `[providers.NAME]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Provider {
    /// Its name in our file.
    pub(crate) name: String,
    /// The name of a built-in provider behind it.
    pub(crate) built_in: Option<&'static str>,
    /// Said where it is no built-in provider.
    pub(crate) dialect: Option<&'static str>,
    /// Said where it differs from the built-in one.
    pub(crate) base_url: Option<String>,
    /// The variables that hold its keys.
    pub(crate) keys: Vec<String>,
    /// Whether it takes no key.
    pub(crate) no_auth: bool,
}

impl Provider {
    /// Whether our file must speak of it at all.
    pub(crate) fn is_plain(&self) -> bool {
        self.dialect.is_none() && self.base_url.is_none() && self.has_usual_key() && !self.no_auth
    }

    /// Whether its key is where Mainstay looks for it anyway.
    pub(crate) fn has_usual_key(&self) -> bool {
        match self.keys.as_slice() {
            [] => true,
            [one] => self.built_in.and_then(standard_variable) == Some(one),
            _ => false,
        }
    }
}

/// One chain.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub(crate) name: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) tiers: Vec<Tier>,
}

/// One tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tier {
    pub(crate) provider: String,
    pub(crate) model: String,
    /// Lines of `key = value`.
    pub(crate) lines: Vec<String>,
}

impl Tier {
    /// `provider/model`.
    pub(crate) fn name(&self) -> String {
        format!("{}/{}", self.provider, theirs::clean(&self.model))
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.provider == other.provider && self.model == other.model
    }
}

impl Plan {
    /// The name under which a provider with that address and key is written; a second key joins the first.
    pub(crate) fn provider(&mut self, wanted: Provider) -> String {
        let same = |known: &&mut Provider| {
            (known.built_in, known.dialect, &known.base_url, known.no_auth)
                == (wanted.built_in, wanted.dialect, &wanted.base_url, wanted.no_auth)
                && known.name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-')
                    == wanted.name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-')
        };
        if let Some(known) = self.providers.iter_mut().find(same) {
            for key in wanted.keys {
                if !known.keys.contains(&key) {
                    known.keys.push(key);
                }
            }
            return known.name.clone();
        }
        let name = self.free_name(&wanted);
        self.providers.push(Provider { name: name.clone(), ..wanted });
        name
    }

    /// A name that no other provider has. A second address of a built-in provider needs one of its own, and
    /// then the dialect must be said, which the caller has seen to.
    fn free_name(&self, wanted: &Provider) -> String {
        let taken = |name: &str| self.providers.iter().any(|known| known.name == name);
        if !taken(&wanted.name) {
            return wanted.name.clone();
        }
        let mut number = 2_u32;
        loop {
            let name = format!("{}-{number}", wanted.name);
            if !taken(&name) {
                return name;
            }
            number += 1;
        }
    }

    /// Whether a built-in provider already stands under its own name with another address.
    pub(crate) fn is_elsewhere(&self, built_in: &str, base_url: Option<&str>) -> bool {
        self.providers.iter().any(|known| known.name == built_in && known.base_url.as_deref() != base_url)
    }

    /// The variables that must hold a key, each once.
    pub(crate) fn variables(&self) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for name in self.providers.iter().flat_map(|provider| &provider.keys) {
            if !all.contains(name) {
                all.push(name.clone());
            }
        }
        all
    }
}

/// The variable in which a built-in provider looks for its key.
pub(crate) fn standard_variable(provider: &str) -> Option<&'static str> {
    match mainstay_providers::by_id(provider)?.auth {
        mainstay_providers::Auth::Bearer { env } | mainstay_providers::Auth::Header { env, .. } => {
            Some(env).filter(|env| !env.is_empty())
        }
        mainstay_providers::Auth::None => None,
    }
}

/// A name of theirs as one of ours: letters, digits and `-_.+`.
pub(crate) fn our_name(theirs: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
    let name: String =
        theirs::clean(theirs).chars().map(|c| if fits(c) { c } else { '-' }).take(60).collect();
    let name = name.trim_matches('-').to_owned();
    if name.is_empty() { "chain".into() } else { name }
}
