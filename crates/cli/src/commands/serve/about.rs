//! What is worth saying of a gateway once it runs.

use std::net::SocketAddr;

use mainstay_config::Config;
use mainstay_gateway::Serving;
use owo_colors::OwoColorize;
use serde_json::{Value, json};

use crate::args::Global;
use crate::exit::Exit;
use crate::{chains, out};

/// What the configuration alone says.
pub(super) struct About {
    lines: Vec<String>,
    chains: Value,
    cap: Option<String>,
    log: String,
    /// The variables and files that hold the keys.
    keys: Vec<String>,
    /// The variables whose keys are used, where there is no file.
    variables: Option<Vec<String>>,
}

impl About {
    pub(super) fn of(config: &Config, variables: Option<Vec<String>>) -> Self {
        Self {
            lines: chains::lines(config),
            chains: chains::to_json(config),
            cap: config.budget.daily.map(|cap| cap.to_string()),
            log: config.log.url.to_string(),
            keys: keys(config),
            variables,
        }
    }

    /// To people on stderr, so that stdout stays free for pipes; to scripts one object on stdout.
    pub(super) fn print(&self, gateway: &Serving, global: &Global) -> Result<(), Exit> {
        let address = gateway.address();
        if global.json {
            return out::json(&json!({
                "listening": format!("http://{address}"),
                "config": if self.variables.is_some() { "environment" } else { "file" },
                "variables": self.variables,
                "daily_cap_usd": self.cap,
                "log": self.log,
                "chains": self.chains,
                "dashboard": gateway.dashboard_link().ok(),
            }));
        }
        self.print_origin();
        for line in &self.lines {
            anstream::eprintln!("{line}");
        }
        match &self.cap {
            Some(cap) => anstream::eprintln!("cap: ${cap} a day"),
            None => anstream::eprintln!("cap: none a day; [budget] daily sets one"),
        }
        anstream::eprintln!("log: {}", self.log);
        if let Ok(link) = gateway.dashboard_link() {
            anstream::eprintln!("dashboard, a link for one use: {link}");
        }
        print_clients(address);
        Ok(())
    }

    fn print_origin(&self) {
        let Some(variables) = &self.variables else {
            if !self.keys.is_empty() {
                anstream::eprintln!("keys: {} (names; no value is ever shown)", self.keys.join(", "));
            }
            return;
        };
        if variables.is_empty() {
            anstream::eprintln!("no configuration file and no key; using the local Ollama");
        } else {
            anstream::eprintln!("no configuration file; using the keys in {}", variables.join(", "));
        }
        anstream::eprintln!("`mainstay init` writes this down as a mainstay.toml, to be changed as you like");
    }
}

/// Where the keys of all providers come from, by name.
fn keys(config: &Config) -> Vec<String> {
    let names = config.providers.values().flat_map(|provider| &provider.keys).map(|key| key.name.clone());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.dedup();
    names
}

/// What is pasted into a client. The line with the address comes first and alone: scripts wait for it.
fn print_clients(address: SocketAddr) {
    anstream::eprintln!("listening on {}", format!("http://{address}").bold());
    anstream::eprintln!("in a client, with any API key:");
    anstream::eprintln!(
        "  OpenAI     OPENAI_BASE_URL=http://{address}/v1   or OpenAI(base_url=\"http://{address}/v1\")"
    );
    anstream::eprintln!(
        "  Anthropic  ANTHROPIC_BASE_URL=http://{address}   or Anthropic(base_url=\"http://{address}\")"
    );
}
