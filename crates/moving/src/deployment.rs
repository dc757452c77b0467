//! `model_list`: each deployment becomes a tier, each `model_name` a group of them.

use serde_json::Value;

use crate::Note;
use crate::hosts::{self, Host};
use crate::plan::{self, Plan, Provider, Tier};
use crate::theirs::{Section, clean, variable};
use crate::write::quoted;

/// Most deployments that are read.
const MOST: usize = 500;

/// The deployments that share a `model_name`.
#[derive(Debug)]
pub(crate) struct Group {
    /// What clients ask for.
    pub(crate) name: String,
    /// With each tier its `order`; a lower one is asked first.
    pub(crate) tiers: Vec<(u64, Tier)>,
}

/// Settings of a deployment that say how a request is to be made; a caller may say them here.
const REQUEST: [&str; 12] = [
    "temperature",
    "top_p",
    "max_tokens",
    "max_completion_tokens",
    "seed",
    "stop",
    "presence_penalty",
    "frequency_penalty",
    "reasoning_effort",
    "thinking",
    "extra_body",
    "extra_headers",
];

/// All groups, in the order in which they first appear.
pub(crate) fn read_all(
    list: Vec<Value>,
    env: &dyn Fn(&str) -> Option<String>,
    plan: &mut Plan,
    notes: &mut Vec<Note>,
) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let count = list.len();
    for (index, item) in list.into_iter().take(MOST).enumerate() {
        let path = format!("model_list[{index}]");
        let Value::Object(members) = item else {
            notes.push(Note { about: path, what: "is no map and was left out".into() });
            continue;
        };
        let mut section = Section::new(path.clone(), members);
        let Some(name) = section.text("model_name") else {
            notes.push(Note { about: path, what: "has no model_name and was left out".into() });
            continue;
        };
        let Some((order, tier)) = read(&mut section, &name, env, plan, notes) else { continue };
        section.rest(notes, "has no counterpart here and was left out");
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) if group.tiers.iter().any(|(_, known)| known.is_same(&tier)) => {
                let what =
                    format!("asks {} twice: one tier, its keys each with a health of its own", tier.name());
                notes.push(Note { about: clean(&name), what });
            }
            Some(group) => group.tiers.push((order, tier)),
            None => groups.push(Group { name, tiers: vec![(order, tier)] }),
        }
    }
    if count > MOST {
        let what = format!("{} of its {count} deployments were left out; {MOST} are read", count - MOST);
        notes.push(Note { about: "model_list".into(), what });
    }
    groups
}

/// One deployment; `None`, and a note, where it cannot be asked from here.
fn read(
    section: &mut Section,
    name: &str,
    env: &dyn Fn(&str) -> Option<String>,
    plan: &mut Plan,
    notes: &mut Vec<Note>,
) -> Option<(u64, Tier)> {
    let mut params = section.section("litellm_params");
    let mut info = section.section("model_info");
    let mut left_out = |what: String| notes.push(Note { about: clean(name), what });
    let Some(model) = params.text("model") else {
        left_out("has no litellm_params.model and was left out".into());
        return None;
    };
    let shown = clean(&model);
    if let Some(mode) = info.text("mode").filter(|mode| !matches!(mode.as_str(), "chat" | "responses")) {
        left_out(format!("{shown} is for {}, and chains are for chat; left out", clean(&mode)));
        return None;
    }
    if model.contains('*') {
        left_out(format!("{shown} is a wildcard; here clients ask for provider/model without any entry"));
        return None;
    }
    let custom = params.text("custom_llm_provider");
    let host = hosts::of(&model, custom.as_deref());
    let Some((host, model)) = host.filter(|(host, _)| *host != Host::NotYet) else {
        left_out(format!("nobody here speaks to {shown} yet; left out"));
        return None;
    };
    let provider = provider(&mut params, host, env, plan, notes, name)?;
    let mut lines: Vec<String> = limits(&mut params, &mut info).into_iter().collect();
    lines.extend(patience(&mut params));
    let kind = plan.providers.iter().find(|known| known.name == provider).and_then(|known| known.built_in);
    lines.extend(price(&mut params, &mut info, kind.unwrap_or(&provider), &model, name, notes));
    let order = params.whole("order").unwrap_or(0);
    if params.take("weight").is_some() {
        let what = "weights are not kept: the first tier answers, the next ones when it cannot".into();
        notes.push(Note { about: clean(name), what });
    }
    params.remark(&REQUEST, "is left to the caller: send it with the request", notes);
    params.ignore(&[
        "drop_params",
        "additional_drop_params",
        "use_in_pass_through",
        "merge_reasoning_content_in_choices",
    ]);
    params.rest(notes, "has no counterpart here and was left out");
    info.ignore(&[
        "id",
        "base_model",
        "description",
        "max_tokens",
        "max_input_tokens",
        "max_output_tokens",
        "db_model",
    ]);
    Some((order, Tier { provider, model, lines }))
}

/// Who is asked, where and with which key.
fn provider(
    params: &mut Section,
    host: Host,
    env: &dyn Fn(&str) -> Option<String>,
    plan: &mut Plan,
    notes: &mut Vec<Note>,
    name: &str,
) -> Option<String> {
    let address = match params.text("api_base").or_else(|| params.text("base_url")) {
        None => None,
        Some(text) => match variable(&text) {
            None => Some(text),
            Some(from) => {
                let Some(value) = env(from) else {
                    let what = format!("its address is in {from}, which is not set; left out");
                    notes.push(Note { about: clean(name), what });
                    return None;
                };
                Some(value)
            }
        },
    };
    let key = params.text("api_key");
    params.ignore(&["api_version", "api_type"]);
    let (wanted, default_key) = match host {
        Host::Known(built_in) => known(built_in, address, plan),
        Host::Compatible { name: ours, base_url, env } => {
            let Some(base_url) = address.or_else(|| Some(base_url.to_owned()).filter(|url| !url.is_empty()))
            else {
                let what = "has no api_base, so nobody knows whom to ask; left out".into();
                notes.push(Note { about: clean(name), what });
                return None;
            };
            (server(ours, "openai-chat", base_url), env)
        }
        Host::NotYet => return None,
    };
    let keys = key_variables(key.as_deref(), default_key, &wanted, plan, notes, name);
    Some(plan.provider(Provider { no_auth: keys.is_empty() && wanted.dialect.is_some(), keys, ..wanted }))
}

/// A built-in provider; at a second address it needs a name and a dialect of its own.
fn known(built_in: &'static str, address: Option<String>, plan: &Plan) -> (Provider, &'static str) {
    let usual = mainstay_providers::by_id(built_in).map(|provider| provider.base_url).unwrap_or_default();
    let address = address
        .map(|url| url.trim_end_matches('/').to_owned())
        .filter(|url| url != usual && format!("{url}/v1") != usual);
    let standard = plan::standard_variable(built_in).unwrap_or_default();
    let is_a_server = built_in == "openai" && address.is_some();
    if let (Some(address), true) = (&address, is_a_server || plan.is_elsewhere(built_in, address.as_deref()))
    {
        let dialect = match built_in {
            "anthropic" => "anthropic",
            "gemini" => "gemini",
            "ollama" => "ollama",
            _ => "openai-chat",
        };
        let name = if is_a_server { "compatible-server" } else { built_in };
        return (server(name, dialect, address.clone()), standard);
    }
    let provider = Provider {
        name: built_in.into(),
        built_in: Some(built_in),
        dialect: None,
        base_url: address,
        keys: Vec::new(),
        no_auth: false,
    };
    (provider, standard)
}

fn server(name: &str, dialect: &'static str, base_url: String) -> Provider {
    Provider {
        name: name.into(),
        built_in: None,
        dialect: Some(dialect),
        base_url: Some(base_url),
        keys: Vec::new(),
        no_auth: false,
    }
}

/// The variable with the key; none where no key is meant.
fn key_variables(
    key: Option<&str>,
    standard: &'static str,
    wanted: &Provider,
    plan: &Plan,
    notes: &mut Vec<Note>,
    name: &str,
) -> Vec<String> {
    let is_local = wanted.base_url.as_deref().is_some_and(is_loopback);
    match key.map(|key| (key, variable(key))) {
        Some((_, Some(variable))) => vec![variable.to_owned()],
        // A word in the place of a key for a server of this machine, which wants none.
        Some((key, None)) if is_local && key.len() < 20 => Vec::new(),
        Some((_, None)) if wanted.built_in.is_some() && standard.is_empty() => Vec::new(),
        Some((_, None)) => {
            let is_first = !standard.is_empty() && !plan.variables().iter().any(|known| known == standard);
            let variable = if is_first { standard.to_owned() } else { own_variable(name) };
            let what = format!("its key stands in the file and was not copied: put it into {variable}");
            notes.push(Note { about: clean(name), what });
            vec![variable]
        }
        None if is_local || standard.is_empty() => Vec::new(),
        None => vec![standard.to_owned()],
    }
}

/// A variable named after what clients ask for.
fn own_variable(name: &str) -> String {
    format!("{}_API_KEY", plan::our_name(name).to_ascii_uppercase().replace(['-', '.', '+'], "_"))
}

fn is_loopback(url: &str) -> bool {
    let host = url.split_once("://").map_or(url, |(_, rest)| rest);
    ["localhost", "127.", "[::1]"].iter().any(|start| host.starts_with(start))
}

/// Requests and tokens a minute, requests at a time.
fn limits(params: &mut Section, info: &mut Section) -> Option<String> {
    let mut parts = Vec::new();
    for (theirs, ours) in [("rpm", "rpm"), ("tpm", "tpm"), ("max_parallel_requests", "in_flight")] {
        let number = params.whole(theirs).or_else(|| info.whole(theirs)).filter(|number| *number > 0);
        parts.extend(number.map(|number| format!("{ours} = {number}")));
    }
    (!parts.is_empty()).then(|| format!("limits = {{ {} }}", parts.join(", ")))
}

/// What one deployment says about waiting.
fn patience(params: &mut Section) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(params.whole("max_retries").map(|n| format!("retry_budget = {}", n.min(9) + 1)));
    lines.extend(params.number("timeout").and_then(seconds).map(|wait| format!("answer_timeout = {wait}")));
    lines.extend(
        params.number("stream_timeout").and_then(seconds).map(|wait| format!("first_byte_timeout = {wait}")),
    );
    lines.extend(params.number("cooldown_time").and_then(seconds).map(|wait| format!("cooldown = {wait}")));
    lines
}

/// Seconds as a duration of ours; none where it is nothing.
pub(crate) fn seconds(number: f64) -> Option<String> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let ms = (number.min(1e8) * 1000.0).round() as u64;
    match ms {
        0 => None,
        ms if ms % 1000 == 0 => Some(quoted(&format!("{}s", ms / 1000))),
        ms => Some(quoted(&format!("{ms}ms"))),
    }
}

/// Their price, else ours, else that there is none.
fn price(
    params: &mut Section,
    info: &mut Section,
    provider: &str,
    model: &str,
    name: &str,
    notes: &mut Vec<Note>,
) -> Option<String> {
    let mut rate = |theirs: &str| params.number(theirs).or_else(|| info.number(theirs)).map(per_million);
    let (input, output) = (rate("input_cost_per_token"), rate("output_cost_per_token"));
    let (cached, written) = (rate("cache_read_input_token_cost"), rate("cache_creation_input_token_cost"));
    if let (Some(input), Some(output)) = (input, output) {
        let mut parts = vec![format!("input = {}", quoted(&input)), format!("output = {}", quoted(&output))];
        parts.extend(cached.map(|rate| format!("cached_input = {}", quoted(&rate))));
        parts.extend(written.map(|rate| format!("cache_write = {}", quoted(&rate))));
        return Some(format!("price = {{ {} }}", parts.join(", ")));
    }
    let is_local =
        mainstay_providers::by_id(provider).is_some_and(|known| known.base_url.starts_with("http://"));
    if is_local || mainstay_cost::Catalogue::bundled().find(provider, model).is_some() {
        return None;
    }
    let what = format!("nobody knows what {} costs: it counts as unpriced; give it a price", clean(model));
    notes.push(Note { about: clean(name), what });
    Some("unpriced = true".into())
}

/// Dollars a million tokens from dollars a token. Nine decimals are more than any price has, and fewer than
/// would show that theirs is a float.
fn per_million(per_token: f64) -> String {
    let text = format!("{:.9}", per_token * 1e6);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_a_token_is_an_exact_price_a_million_tokens() {
        for (theirs, ours) in
            [(1.5e-7, "0.15"), (0.000_003, "3"), (7.5e-8, "0.075"), (0.0, "0"), (0.000_060_001, "60.001")]
        {
            assert_eq!(per_million(theirs), ours);
        }
    }

    #[test]
    fn seconds_keep_their_milliseconds() {
        assert_eq!(seconds(30.0).as_deref(), Some("\"30s\""));
        assert_eq!(seconds(0.25).as_deref(), Some("\"250ms\""));
        assert_eq!(seconds(0.0), None);
    }
}
