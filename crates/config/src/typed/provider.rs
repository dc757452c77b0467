//! `[providers.NAME]` as typed.

use std::collections::BTreeMap;

use mainstay_canon::{Dialect, FinishReason};
use toml::de::DeValue;

use crate::address::{AddressError, BaseUrl, is_proxy};
use crate::report::{At, Fault, Report, Typed};
use crate::secret::{quoted, shown_address};
use crate::surroundings::Surroundings;
use crate::table::{Entry, Section};
use crate::typed::check_name;
use crate::variables;

/// Most finish words that are mapped for one provider.
const MOST_WORDS: usize = 100;

/// One provider's table.
#[derive(Debug)]
pub(crate) struct TypedProvider {
    pub(crate) name: Typed<String>,
    pub(crate) dialect: Option<Typed<Dialect>>,
    /// Whether a dialect was given, even one that could not be read.
    pub(crate) has_dialect: bool,
    pub(crate) addresses: Vec<Typed<BaseUrl>>,
    /// Whether an address was given, even one that could not be read.
    pub(crate) has_address: bool,
    pub(crate) allow_http: bool,
    pub(crate) no_auth: Option<Typed<bool>>,
    pub(crate) keys: TypedKeys,
    pub(crate) separate_accounts: Option<Typed<bool>>,
    pub(crate) api_version: Option<String>,
    pub(crate) region: Option<String>,
    pub(crate) proxy: Option<String>,
    pub(crate) finish_reasons: BTreeMap<String, FinishReason>,
}

/// Where a provider's keys come from, as typed.
#[derive(Debug)]
pub(crate) enum TypedKeys {
    /// Nothing is said.
    Unsaid,
    /// What is said cannot be used, and that has been noted.
    Unusable,
    /// One or more variables.
    Variables(Vec<Typed<String>>),
    /// A file.
    File(Typed<String>),
}

const FINISH_WORDS: [(&str, FinishReason); 6] = [
    ("stop", FinishReason::Stop),
    ("length", FinishReason::Length),
    ("tool_call", FinishReason::ToolCall),
    ("refusal", FinishReason::Refusal),
    ("content_filter", FinishReason::ContentFilter),
    ("pause", FinishReason::Pause),
];

/// Reads all providers, by name.
pub(crate) fn read_all(
    providers: &Section<'_, '_>,
    report: &mut Report<'_>,
    around: &Surroundings<'_>,
) -> BTreeMap<String, TypedProvider> {
    let mut all = BTreeMap::new();
    for (name, entry) in providers.names() {
        if !check_name(report, "provider", &name) {
            continue;
        }
        let DeValue::Table(table) = entry.value else {
            let fix = format!("write [providers.{}] on a line of its own", name.value);
            entry.wrong_type(report, "a table", &fix);
            continue;
        };
        let section = Section::new("[providers.NAME]", entry.at, table);
        all.insert(name.value.clone(), read(name, section, report, around));
    }
    all
}

fn read(
    name: Typed<String>,
    mut section: Section<'_, '_>,
    report: &mut Report<'_>,
    around: &Surroundings<'_>,
) -> TypedProvider {
    let s = &mut section;
    let (addresses, has_address) = read_addresses(s, report);
    let provider = TypedProvider {
        name,
        has_dialect: s.entry("dialect").is_some(),
        dialect: s.choice(report, "dialect", &Dialect::ALL.map(|dialect| (dialect.name(), dialect))),
        addresses,
        has_address,
        allow_http: s.flag(report, "allow_http").is_some_and(|flag| flag.value),
        no_auth: s.choice(report, "auth", &[("none", true), ("key", false)]),
        keys: read_keys(s, report),
        separate_accounts: s.flag(report, "separate_accounts"),
        api_version: s.optional_text(report, "api_version").map(|text| text.value),
        region: read_region(s, report),
        proxy: read_proxy(s, report, around),
        finish_reasons: read_finish_reasons(s, report),
    };
    section.close(report);
    provider.check(report);
    provider
}

impl TypedProvider {
    /// What contradicts itself.
    fn check(&self, report: &mut Report<'_>) {
        let says_key = !matches!(self.keys, TypedKeys::Unsaid);
        if let Some(auth) = self.no_auth.as_ref().filter(|auth| auth.value && says_key) {
            report.push(
                Fault::error("contradiction", &auth.at, "auth = \"none\" and a key contradict each other")
                    .fix("keep one of the two"),
            );
        }
        let several = matches!(&self.keys, TypedKeys::Variables(names) if names.len() > 1);
        if let Some(separate) = self.separate_accounts.as_ref().filter(|flag| flag.value && !several) {
            report.push(
                Fault::warning(
                    "no_effect",
                    &separate.at,
                    "separate_accounts says nothing about a single key",
                )
                .fix("name the keys in api_key_envs, or take the line out"),
            );
        }
        for address in &self.addresses {
            if !address.value.is_https && !address.value.is_loopback && !self.allow_http {
                report.push(
                    Fault::error(
                        "plain_http",
                        &address.at,
                        format!("{} is plain HTTP and not loopback", address.at.path),
                    )
                    .expected("https://, or an address of this machine")
                    .fix("use https, or set allow_http = true if nobody can listen in between"),
                );
            }
        }
    }
}

/// `base_url`, or several in `base_urls`; and whether either was there.
fn read_addresses(section: &mut Section<'_, '_>, report: &mut Report<'_>) -> (Vec<Typed<BaseUrl>>, bool) {
    let one = section.text(report, "base_url");
    let many = section.texts(report, "base_urls");
    let has_address = one.is_some() || many.is_some();
    if let (Some(one), Some(_)) = (&one, &many) {
        report.push(
            Fault::error("contradiction", &one.at, "base_url and base_urls contradict each other")
                .fix("put every address into base_urls"),
        );
    }
    let typed = one.into_iter().chain(many.unwrap_or_default());
    let addresses = typed.filter_map(|typed| read_address(report, typed)).collect();
    (addresses, has_address)
}

fn read_address(report: &mut Report<'_>, typed: Typed<String>) -> Option<Typed<BaseUrl>> {
    match BaseUrl::parse(&typed.value) {
        Ok(value) => Some(Typed { value, at: typed.at }),
        Err(why) => {
            let what = format!("{} = {} {why}", typed.at.path, quoted(&shown_address(&typed.value)));
            let fix = match why {
                AddressError::Userinfo => "name the variable that holds the key: api_key_env = \"…\"",
                AddressError::Query => "write the address alone; a version goes into api_version",
                AddressError::Scheme | AddressError::Host | AddressError::Port | AddressError::Character => {
                    "write scheme, host and path, without what the dialect adds, such as /chat/completions"
                }
            };
            report.push(
                Fault::error("bad_address", &typed.at, what)
                    .expected("an address such as \"https://api.example.com/v1\"")
                    .fix(fix),
            );
            None
        }
    }
}

/// A region becomes part of a host name.
fn read_region(section: &mut Section<'_, '_>, report: &mut Report<'_>) -> Option<String> {
    let typed = section.optional_text(report, "region")?;
    if typed.value.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
        return Some(typed.value);
    }
    report.push(
        Fault::error("bad_region", &typed.at, format!("{} is not a region", quoted(&typed.value)))
            .expected("letters, digits and dashes, such as \"eu-central-1\""),
    );
    None
}

/// One of `api_key_env`, `api_key_envs`, `api_key_file`.
fn read_keys(section: &mut Section<'_, '_>, report: &mut Report<'_>) -> TypedKeys {
    let one = section.entry("api_key_env").map(|entry| (entry.at.clone(), text_of(report, &entry)));
    let many = section.entry("api_key_envs").map(|entry| entry.at);
    let names = if many.is_some() { section.texts(report, "api_key_envs") } else { None };
    let file = section.entry("api_key_file").map(|entry| (entry.at.clone(), text_of(report, &entry)));
    let places: Vec<&At> = [one.as_ref().map(|(at, _)| at), many.as_ref(), file.as_ref().map(|(at, _)| at)]
        .into_iter()
        .flatten()
        .collect();
    if let [first, second, ..] = places.as_slice() {
        let what = format!("{} and {} contradict each other", first.path, second.path);
        report.push(
            Fault::error("contradiction", second, what).fix("keep one; several keys go into api_key_envs"),
        );
        return TypedKeys::Unusable;
    }
    match (one, many, file) {
        (None, None, None) => TypedKeys::Unsaid,
        (Some((_, Some(name))), _, _) => variables_of(report, vec![name]),
        (_, Some(at), _) => match names {
            Some(names) if names.is_empty() => {
                report.push(
                    Fault::error("blank", &at, format!("{} names no variable", at.path))
                        .fix("name at least one, or take the line out"),
                );
                TypedKeys::Unusable
            }
            Some(names) => variables_of(report, names),
            None => TypedKeys::Unusable,
        },
        (_, _, Some((_, Some(path)))) => TypedKeys::File(path),
        (Some((_, None)), ..) | (_, _, Some((_, None))) => TypedKeys::Unusable,
    }
}

/// A string that is not blank.
fn text_of(report: &mut Report<'_>, entry: &Entry<'_, '_>) -> Option<Typed<String>> {
    let text = entry.string(report)?;
    if text.value.trim().is_empty() {
        report.push(
            Fault::error("blank", &text.at, format!("{} is blank", text.at.path))
                .fix("name the variable or file that holds the key, or take the line out"),
        );
        return None;
    }
    Some(text)
}

/// Names of variables, each once.
fn variables_of(report: &mut Report<'_>, typed: Vec<Typed<String>>) -> TypedKeys {
    let mut names: Vec<Typed<String>> = Vec::with_capacity(typed.len());
    let mut complete = true;
    for name in typed {
        let Some(name) = variables::named(report, name) else {
            complete = false;
            continue;
        };
        if names.iter().any(|known| known.value == name.value) {
            report.push(
                Fault::error("duplicate", &name.at, format!("{} is named twice", name.value))
                    .fix("name it once"),
            );
        } else {
            names.push(name);
        }
    }
    if complete { TypedKeys::Variables(names) } else { TypedKeys::Unusable }
}

/// A proxy's address, `"env"` for what the environment says, or `"env:NAME"`.
fn read_proxy(
    section: &mut Section<'_, '_>,
    report: &mut Report<'_>,
    around: &Surroundings<'_>,
) -> Option<String> {
    let typed = section.optional_text(report, "proxy")?;
    let address = variables::expand(report, around, &typed)?.text;
    if address == "env" || is_proxy(&address) {
        return Some(address);
    }
    report.push(
        Fault::error("bad_address", &typed.at, format!("{} is not the address of a proxy", typed.at.path))
            .expected("\"http://host:port\", \"socks5h://host:port\", \"env\" or \"env:NAME\""),
    );
    None
}

/// Words that this server ends with and no table knows.
fn read_finish_reasons(
    section: &mut Section<'_, '_>,
    report: &mut Report<'_>,
) -> BTreeMap<String, FinishReason> {
    let words = section.section(report, "finish_reasons", "finish_reasons");
    let mut reasons = BTreeMap::new();
    for (word, entry) in words.names().take(MOST_WORDS) {
        if let Some(reason) = entry.choice(report, &FINISH_WORDS) {
            reasons.insert(word.value, reason);
        }
    }
    reasons
}
