//! `[chains]` as typed: the short form, a list of `provider/model`, and the long form with tables.

use mainstay_canon::{MaxTokensParam, PerMillion, ReasoningReplay, Target};
use mainstay_cost::Catalogue;
use toml::de::{DeArray, DeValue};

use crate::report::{At, Fault, Report, Typed};
use crate::secret::quoted;
use crate::table::{Entry, Section};
use crate::typed::check_name;
use crate::typed::patience::Patience;

/// Most tiers of one chain.
const MOST_TIERS: usize = 50;
/// Longest name of a model, in bytes.
const LONGEST_MODEL: usize = 256;

/// One chain.
#[derive(Debug)]
pub(crate) struct TypedChain {
    pub(crate) name: Typed<String>,
    pub(crate) aliases: Vec<Typed<String>>,
    pub(crate) tiers: Vec<TypedTier>,
    /// Whether every tier could be read; without that nothing is said about the chain as a whole.
    pub(crate) complete: bool,
}

/// One tier.
#[derive(Debug)]
pub(crate) struct TypedTier {
    pub(crate) at: At,
    /// Whether it is written as `provider/model` alone.
    pub(crate) is_short: bool,
    pub(crate) provider: Typed<String>,
    pub(crate) model: Typed<String>,
    pub(crate) static_fallback: bool,
    pub(crate) patience: Patience,
    pub(crate) price: Option<Typed<TypedPrice>>,
    pub(crate) unpriced: Option<Typed<bool>>,
    pub(crate) accepts: TypedAccepts,
    pub(crate) rpm: Option<u64>,
    pub(crate) tpm: Option<u64>,
    pub(crate) in_flight: Option<u64>,
}

impl TypedTier {
    /// The name in records, headers and commands.
    pub(crate) fn target(&self) -> Target {
        Target::new(self.provider.value.as_str(), self.model.value.as_str())
    }
}

/// A tier's own price in dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TypedPrice {
    pub(crate) input: PerMillion,
    pub(crate) cached_input: Option<PerMillion>,
    pub(crate) cache_write: Option<PerMillion>,
    pub(crate) output: PerMillion,
}

/// What a tier says about its model, where it says something.
#[derive(Debug, Default)]
pub(crate) struct TypedAccepts {
    pub(crate) system_role: Option<bool>,
    pub(crate) developer_role: Option<bool>,
    pub(crate) alternate_roles: Option<bool>,
    pub(crate) max_tokens_param: Option<MaxTokensParam>,
    pub(crate) sampling: Option<bool>,
    pub(crate) reasoning_replay: Option<ReasoningReplay>,
    pub(crate) images: Option<bool>,
    pub(crate) tools: Option<bool>,
    pub(crate) json_schema: Option<bool>,
    pub(crate) effort: Option<bool>,
}

/// Reads all chains, in the order of the file.
pub(crate) fn read_all(chains: &Section<'_, '_>, report: &mut Report<'_>) -> Vec<TypedChain> {
    let mut all: Vec<TypedChain> = Vec::new();
    for (name, entry) in chains.names() {
        if check_name(report, "chain", &name) {
            all.extend(read(name, &entry, report));
        }
    }
    all.sort_by_key(|chain| chain.name.at.span.start);
    all
}

fn read(name: Typed<String>, entry: &Entry<'_, '_>, report: &mut Report<'_>) -> Option<TypedChain> {
    match entry.value {
        DeValue::Array(tiers) => {
            let (tiers, complete) = read_tiers(tiers, &entry.at, report);
            Some(TypedChain { name, aliases: Vec::new(), tiers, complete })
        }
        DeValue::Table(table) => {
            let mut section = Section::new("[chains.NAME]", entry.at.clone(), table);
            let aliases = section.texts(report, "aliases").unwrap_or_default();
            let (tiers, complete) = match section.entry("tiers") {
                Some(Entry { at, value: DeValue::Array(tiers) }) => read_tiers(tiers, &at, report),
                Some(other) => {
                    let fix = format!("write [[{}]] before each tier", other.at.path);
                    other.wrong_type(report, "a list of tiers", &fix);
                    (Vec::new(), false)
                }
                None => (Vec::new(), true),
            };
            section.close(report);
            Some(TypedChain { name, aliases, tiers, complete })
        }
        DeValue::String(_)
        | DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_) => {
            let fix = format!("write {} = [\"provider/model\", \"provider/model\"]", name.value);
            entry.wrong_type(report, "a list of tiers", &fix);
            None
        }
    }
}

/// The tiers that can be read, and whether those were all.
fn read_tiers(items: &DeArray<'_>, at: &At, report: &mut Report<'_>) -> (Vec<TypedTier>, bool) {
    if items.len() > MOST_TIERS {
        report.push(
            Fault::error("too_many", at, format!("{} has {} tiers", at.path, items.len()))
                .expected(format!("at most {MOST_TIERS}")),
        );
    }
    let mut tiers = Vec::new();
    for (index, item) in items.iter().take(MOST_TIERS).enumerate() {
        let at = At::new(format!("{}[{index}]", at.path), item.span());
        let entry = Entry { at, value: item.get_ref() };
        tiers.extend(match entry.value {
            DeValue::String(name) => read_short(name, entry.at, report),
            DeValue::Table(table) => read_long(Section::new("a tier", entry.at.clone(), table), report),
            DeValue::Integer(_)
            | DeValue::Float(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_)
            | DeValue::Array(_) => {
                entry.wrong_type(report, "a tier", "write \"provider/model\"");
                None
            }
        });
    }
    let complete = tiers.len() == items.len();
    (tiers, complete)
}

/// `provider/model`.
fn read_short(name: &str, at: At, report: &mut Report<'_>) -> Option<TypedTier> {
    let Some(target) = Target::parse(name).filter(|_| name.trim() == name) else {
        let what = format!("{} = {} is not a tier", at.path, quoted(name));
        report.push(bare_model(Fault::error("bad_tier", &at, what), name));
        return None;
    };
    let typed = |value: &str| Typed { value: value.to_owned(), at: at.clone() };
    let (provider, model) = (typed(&target.provider), typed(&target.model));
    let good = check_name(report, "provider", &provider) & check_model(report, &model);
    good.then(|| TypedTier {
        at,
        is_short: true,
        provider,
        model,
        static_fallback: false,
        patience: Patience::default(),
        price: None,
        unpriced: None,
        accepts: TypedAccepts::default(),
        rpm: None,
        tpm: None,
        in_flight: None,
    })
}

/// Says whose model a bare name probably is.
fn bare_model(fault: Fault, name: &str) -> Fault {
    let fault = fault.expected("\"provider/model\", such as \"openai/gpt-6-luna\"");
    let owners: Vec<&str> = Catalogue::bundled().providers_of(name).collect();
    match mainstay_providers::ALL.iter().map(|kind| kind.id).find(|id| owners.contains(id)) {
        Some(provider) => fault.fix(format!("did you mean {}?", quoted(&format!("{provider}/{name}")))),
        None => fault.fix("write the provider's name before the model, with a slash between"),
    }
}

fn check_model(report: &mut Report<'_>, model: &Typed<String>) -> bool {
    let name = &model.value;
    let is_good = name.trim() == name && name.len() <= LONGEST_MODEL && !name.chars().any(char::is_control);
    if !is_good {
        report.push(
            Fault::error("bad_name", &model.at, format!("{} cannot be the name of a model", quoted(name)))
                .expected("the name as the provider knows it, without blanks around it"),
        );
    }
    is_good
}

/// A table.
fn read_long(mut section: Section<'_, '_>, report: &mut Report<'_>) -> Option<TypedTier> {
    let s = &mut section;
    let provider =
        required(s, report, "provider", "\"openai\"").filter(|name| check_name(report, "provider", name));
    let model = required(s, report, "model", "\"gpt-6-luna\"").filter(|name| check_model(report, name));
    let static_fallback = s.flag(report, "static_fallback").is_some_and(|flag| flag.value);
    let patience = Patience::read(s, report);
    let price = read_price(s, report);
    let unpriced = s.flag(report, "unpriced").filter(|flag| flag.value);
    if let (Some(_), Some(unpriced)) = (&price, &unpriced) {
        report.push(
            Fault::error("contradiction", &unpriced.at, "price and unpriced contradict each other")
                .fix("keep the price"),
        );
    }
    let accepts = read_accepts(s, report);
    let mut limits = s.section(report, "limits", "limits");
    let (rpm, tpm, in_flight) =
        (limits.count(report, "rpm"), limits.count(report, "tpm"), limits.count(report, "in_flight"));
    limits.close(report);
    let at = section.at.clone();
    section.close(report);
    Some(TypedTier {
        at,
        is_short: false,
        provider: provider?,
        model: model?,
        static_fallback,
        patience,
        price,
        unpriced,
        accepts,
        rpm: rpm.map(|n| n.value),
        tpm: tpm.map(|n| n.value),
        in_flight: in_flight.map(|n| n.value),
    })
}

/// A string that must be there.
fn required(
    section: &mut Section<'_, '_>,
    report: &mut Report<'_>,
    key: &'static str,
    example: &str,
) -> Option<Typed<String>> {
    if section.entry(key).is_none() {
        report.push(
            Fault::error("missing_key", &section.at, format!("{} names no {key}", section.at.path))
                .fix(format!("add {key} = {example}")),
        );
        return None;
    }
    section.text(report, key)
}

/// Input and output, and what cached tokens cost.
fn read_price(section: &mut Section<'_, '_>, report: &mut Report<'_>) -> Option<Typed<TypedPrice>> {
    let mut table = section.section(report, "price", "price");
    if !table.is_present() {
        return None;
    }
    let input = table.price(report, "input");
    let cached_input = table.price(report, "cached_input").map(|price| price.value);
    let cache_write = table.price(report, "cache_write").map(|price| price.value);
    let output = table.price(report, "output");
    for key in ["input", "output"] {
        if table.entry(key).is_none() {
            report.push(
                Fault::error("missing_key", &table.at, format!("{} says nothing about {key}", table.at.path))
                    .fix(format!("add {key} = \"0.10\", in dollars per million tokens")),
            );
        }
    }
    let at = table.at.clone();
    table.close(report);
    let value = TypedPrice { input: input?.value, cached_input, cache_write, output: output?.value };
    Some(Typed { value, at })
}

fn read_accepts(section: &mut Section<'_, '_>, report: &mut Report<'_>) -> TypedAccepts {
    let mut table = section.section(report, "accepts", "accepts");
    let t = &mut table;
    let accepts = TypedAccepts {
        system_role: t.flag(report, "system_role").map(|flag| flag.value),
        developer_role: t.flag(report, "developer_role").map(|flag| flag.value),
        alternate_roles: t.flag(report, "alternate_roles").map(|flag| flag.value),
        max_tokens_param: t
            .choice(
                report,
                "max_tokens_param",
                &[
                    ("max_tokens", MaxTokensParam::MaxTokens),
                    ("max_completion_tokens", MaxTokensParam::MaxCompletionTokens),
                ],
            )
            .map(|word| word.value),
        sampling: t.flag(report, "sampling").map(|flag| flag.value),
        reasoning_replay: t
            .choice(
                report,
                "reasoning_replay",
                &[
                    ("all", ReasoningReplay::All),
                    ("tool_loop", ReasoningReplay::ToolLoop),
                    ("never", ReasoningReplay::Never),
                ],
            )
            .map(|word| word.value),
        images: t.flag(report, "images").map(|flag| flag.value),
        tools: t.flag(report, "tools").map(|flag| flag.value),
        json_schema: t.flag(report, "json_schema").map(|flag| flag.value),
        effort: t.flag(report, "effort").map(|flag| flag.value),
    };
    table.close(report);
    accepts
}
