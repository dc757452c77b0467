//! The plan as the text of a `mainstay.toml`.

use std::fmt::Write as _;

use crate::Note;
use crate::plan::{Chain, Plan, Provider, Tier};

/// Most notes that are repeated in the file itself.
const MOST_NOTES: usize = 40;

/// A string of TOML on one line; no name or address holds a control character.
pub(crate) fn quoted(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    toml::Value::String(text).to_string()
}

/// The whole file.
pub(crate) fn text(plan: &Plan, notes: &[Note]) -> String {
    let mut text =
        String::from("# Made by `mainstay init --from` from the configuration of a LiteLLM proxy.\n");
    if !notes.is_empty() {
        text.push_str("#\n# What differs:\n");
        for note in notes.iter().take(MOST_NOTES) {
            comment(&mut text, &format!("- {}: {}", note.about, note.what));
        }
        if notes.len() > MOST_NOTES {
            comment(
                &mut text,
                &format!("- and {} more, as `mainstay init --from` prints them", notes.len() - MOST_NOTES),
            );
        }
    }
    table(&mut text, "defaults", &plan.defaults);
    table(&mut text, "budget", &plan.budget);
    plan.providers
        .iter()
        .filter(|provider| !provider.is_plain())
        .for_each(|provider| write_provider(&mut text, provider));
    plan.chains.iter().for_each(|chain| write_chain(&mut text, chain));
    text
}

/// One line, whatever is in it.
fn comment(text: &mut String, line: &str) {
    let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let _ = writeln!(text, "# {line}");
}

fn table(text: &mut String, name: &str, lines: &[String]) {
    if !lines.is_empty() {
        let _ = writeln!(text, "\n[{name}]\n{}", lines.join("\n"));
    }
}

fn write_provider(text: &mut String, provider: &Provider) {
    let _ = writeln!(text, "\n[providers.{}]", key(&provider.name));
    if let Some(dialect) = provider.dialect {
        let _ = writeln!(text, "dialect = {}", quoted(dialect));
    }
    if let Some(url) = &provider.base_url {
        let _ = writeln!(text, "base_url = {}", quoted(url));
        if url.starts_with("http://")
            && !["http://localhost", "http://127.", "http://[::1]"].iter().any(|s| url.starts_with(s))
        {
            text.push_str("allow_http = true            # plain HTTP: anybody in between can read the key\n");
        }
    }
    match provider.keys.as_slice() {
        [] if provider.no_auth => text.push_str("auth = \"none\"\n"),
        [] => {}
        [_] if provider.has_usual_key() => {}
        [one] => {
            let _ = writeln!(text, "api_key_env = {}", quoted(one));
        }
        several => {
            let names: Vec<String> = several.iter().map(|name| quoted(name)).collect();
            let _ = writeln!(text, "api_key_envs = [{}]\nseparate_accounts = true", names.join(", "));
        }
    }
}

/// Dots are part of a name here.
fn key(name: &str) -> String {
    let is_bare = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if is_bare { name.to_owned() } else { quoted(name) }
}

fn write_chain(text: &mut String, chain: &Chain) {
    let name = key(&chain.name);
    let _ = writeln!(text, "\n[chains.{name}]");
    if !chain.aliases.is_empty() {
        let aliases: Vec<String> = chain.aliases.iter().map(|alias| quoted(alias)).collect();
        let _ = writeln!(text, "aliases = [{}]", aliases.join(", "));
    }
    for Tier { provider, model, lines } in &chain.tiers {
        let _ = writeln!(
            text,
            "\n[[chains.{name}.tiers]]\nprovider = {}\nmodel = {}",
            quoted(provider),
            quoted(model)
        );
        for line in lines {
            let _ = writeln!(text, "{line}");
        }
    }
}
