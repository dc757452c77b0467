//! Each provider once: which kind it is, where it listens, with which keys.

use std::collections::BTreeMap;

use mainstay_providers::{Provider, by_id, for_dialect};

use crate::address::BaseUrl;
use crate::config::ProviderConfig;
use crate::report::{At, Fault, Report};
use crate::resolve::keys;
use crate::secret::quoted;
use crate::suggest::nearest;
use crate::surroundings::Surroundings;
use crate::typed::chain::TypedChain;
use crate::typed::provider::TypedProvider;

/// A provider that is wanted, and by whom.
pub(crate) struct Asked<'n> {
    pub(crate) name: &'n str,
    /// Where it is spoken of first: its own table, else the first tier that uses it.
    pub(crate) at: At,
    /// `provider/model in chain name`, for each tier.
    pub(crate) users: Vec<String>,
    /// Whether it is a server of this machine.
    pub(crate) is_local: bool,
}

/// A provider as far as it could be built: its tiers are looked at even where its key is missing.
pub(crate) struct Built {
    pub(crate) config: ProviderConfig,
    is_complete: bool,
    wants_no_key: bool,
}

impl Built {
    /// The provider, if nothing is missing.
    pub(crate) fn complete(self) -> Option<ProviderConfig> {
        self.is_complete.then_some(self.config)
    }

    /// Whether what it does may go uncounted under a cap: this machine's own, or without a key to bill.
    pub(crate) fn may_go_uncounted(&self) -> bool {
        self.config.is_loopback || self.wants_no_key
    }

    /// Whether its calls cost nothing.
    pub(crate) fn is_free(&self) -> bool {
        self.is_complete && self.config.is_free()
    }
}

/// Every provider that the file names or a tier uses. Those that cannot be built are left out and noted.
pub(crate) fn resolve(
    typed: &BTreeMap<String, TypedProvider>,
    chains: &[TypedChain],
    report: &mut Report<'_>,
    around: &Surroundings<'_>,
) -> BTreeMap<String, Built> {
    let mut wanted: BTreeMap<&str, Asked<'_>> = BTreeMap::new();
    for (name, provider) in typed {
        let asked = Asked { name, at: provider.name.at.clone(), users: Vec::new(), is_local: false };
        wanted.insert(name, asked);
    }
    for chain in chains {
        for tier in &chain.tiers {
            let name = tier.provider.value.as_str();
            let asked = wanted.entry(name).or_insert_with(|| Asked {
                name,
                at: tier.provider.at.clone(),
                users: Vec::new(),
                is_local: false,
            });
            asked.users.push(format!("{} in chain {}", tier.target(), chain.name.value));
        }
    }
    let mut built = BTreeMap::new();
    for (name, asked) in wanted {
        if let Some(provider) = build(asked, typed, report, around) {
            built.insert(name.to_owned(), provider);
        }
    }
    built
}

fn build(
    mut asked: Asked<'_>,
    all: &BTreeMap<String, TypedProvider>,
    report: &mut Report<'_>,
    around: &Surroundings<'_>,
) -> Option<Built> {
    let typed = all.get(asked.name);
    let built_in = by_id(asked.name);
    let kind = kind(&asked, typed, built_in, all, report)?;
    let addresses = addresses(&asked, typed, built_in, kind, report);
    asked.is_local = addresses.as_ref().is_some_and(|all| all.iter().all(|address| address.is_loopback));
    let keys = keys::find(&asked, typed, built_in, report, around);
    let is_complete = addresses.is_some() && keys.is_some();
    let wants_no_key = keys.as_ref().is_some_and(Vec::is_empty);
    let config = ProviderConfig {
        name: asked.name.to_owned(),
        kind,
        base_url: String::new(),
        base_urls: Vec::new(),
        keys: keys.unwrap_or_default(),
        separate_accounts: typed
            .is_some_and(|typed| typed.separate_accounts.as_ref().is_some_and(|f| f.value)),
        finish_reasons: typed.map(|typed| typed.finish_reasons.clone()).unwrap_or_default(),
        proxy: typed.and_then(|typed| typed.proxy.clone()),
        allow_http: typed.is_some_and(|typed| typed.allow_http),
        api_version: typed.and_then(|typed| typed.api_version.clone()),
        region: typed.and_then(|typed| typed.region.clone()),
        is_loopback: false,
        own_address: typed.is_some_and(|typed| typed.has_address),
    };
    Some(Built { config: config.at(&addresses.unwrap_or_default()), is_complete, wants_no_key })
}

/// How the provider is spoken to.
fn kind(
    asked: &Asked<'_>,
    typed: Option<&TypedProvider>,
    built_in: Option<&'static Provider>,
    all: &BTreeMap<String, TypedProvider>,
    report: &mut Report<'_>,
) -> Option<&'static Provider> {
    let dialect = typed.and_then(|typed| typed.dialect.as_ref());
    match (built_in, dialect) {
        (Some(kind), None) => Some(kind),
        (Some(kind), Some(dialect)) if kind.upstream.dialect() == dialect.value => Some(kind),
        (_, Some(dialect)) => {
            let kind = for_dialect(dialect.value);
            if kind.is_none() {
                report.push(
                    Fault::error(
                        "missing_dialect",
                        &dialect.at,
                        format!("dialect {} is not in this build", quoted(dialect.value.name())),
                    )
                    .fix("take a build that has it, or another dialect that the server speaks"),
                );
            }
            kind
        }
        // What it names instead of a dialect has been noted.
        (None, None) if typed.is_some_and(|typed| typed.has_dialect) => None,
        (None, None) => {
            unknown(asked, typed, all, report);
            None
        }
    }
}

/// Neither built in nor described.
fn unknown(
    asked: &Asked<'_>,
    typed: Option<&TypedProvider>,
    all: &BTreeMap<String, TypedProvider>,
    report: &mut Report<'_>,
) {
    let name = quoted(asked.name);
    let (code, what) = match typed {
        None => ("unknown_provider", format!("unknown provider {name}")),
        Some(_) => ("missing_key", format!("provider {name} is not built in and names no dialect")),
    };
    let own = all.keys().map(String::as_str).filter(|_| typed.is_none());
    let meant = nearest(asked.name, mainstay_providers::ALL.iter().map(|kind| kind.id).chain(own));
    let what = meant.map_or(what.clone(), |meant| format!("{what}; did you mean {}?", quoted(meant)));
    let fix = match typed {
        None => format!("or describe it: [providers.{}] with dialect and base_url", asked.name),
        Some(typed) => {
            let and_where = if typed.has_address { "" } else { ", and base_url" };
            format!("add dialect = \"openai-chat\", or the one that the server speaks{and_where}")
        }
    };
    report.push(Fault::error(code, &asked.at, what).fix(fix));
}

/// Where the provider listens.
fn addresses(
    asked: &Asked<'_>,
    typed: Option<&TypedProvider>,
    built_in: Option<&'static Provider>,
    kind: &'static Provider,
    report: &mut Report<'_>,
) -> Option<Vec<BaseUrl>> {
    if let Some(typed) = typed.filter(|typed| typed.has_address) {
        let read: Vec<BaseUrl> = typed.addresses.iter().map(|address| address.value.clone()).collect();
        return (!read.is_empty()).then_some(read);
    }
    // Another dialect of a built-in provider has the provider's address only where both have the same.
    let own =
        built_in.map_or("", |built_in| if built_in.base_url == kind.base_url { kind.base_url } else { "" });
    let region = typed.and_then(|typed| typed.region.as_deref());
    let (key, example) = if own.contains("{region}") && region.is_none() {
        ("region", "\"us-east-1\"")
    } else if own.is_empty() {
        ("base_url", "\"https://…\"")
    } else {
        return BaseUrl::parse(&own.replace("{region}", region.unwrap_or_default()))
            .ok()
            .map(|url| vec![url]);
    };
    report.push(
        Fault::error("missing_key", &asked.at, format!("provider {} needs a {key}", quoted(asked.name)))
            .fix(format!("add {key} = {example} to [providers.{}]", asked.name)),
    );
    None
}
