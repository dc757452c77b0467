//! `mainstay serve`: the gateway, until it is told to stop.

use mainstay::Client;
use mainstay_config::{Config, Loaded};
use mainstay_gateway::App;
use owo_colors::OwoColorize;

use super::check::price_words;
use crate::args::{Global, ServeArgs};
use crate::commands;
use crate::exit::Exit;

/// Runs the gateway.
pub(crate) async fn run(args: &ServeArgs, global: &Global) -> Result<(), Exit> {
    let file = commands::find_file(global)?;
    let loaded = if file.is_some() || args.require_config {
        commands::load(global)?
    } else {
        from_environment()?
    };
    for warning in &loaded.warnings {
        anstream::eprintln!("{}", warning.to_string().trim_end());
    }
    let server = loaded.config.server.clone();
    let about = About::of(&loaded.config);
    let client = Client::new(loaded.config, Vec::new()).await?;
    let app = App::new(client, &server, file.is_some());
    let gateway = mainstay_gateway::serve(app, &server).await.map_err(Exit::failed)?;
    about.print(&gateway.address().to_string(), file.is_some());
    wait_for_signal().await;
    anstream::eprintln!("stopping: running answers get {} s to finish", server.drain_timeout.as_secs());
    gateway.stop().await;
    Ok(())
}

/// With no file: what `init` would write, on loopback, with a cap.
fn from_environment() -> Result<Loaded, Exit> {
    let generated = mainstay_config::from_environment(&commands::variable, &[], commands::now()).map_err(|missing| {
        Exit::usage(format!("{missing}\nno key at hand? `mainstay demo` needs none"))
    })?;
    anstream::eprintln!("no configuration file; using the keys in {}", generated.variables_used.join(", "));
    let config = commands::with_state_log(generated.config);
    Ok(Loaded { config, warnings: Vec::new() })
}

/// What is worth saying of a configuration once it runs.
struct About {
    chains: Vec<(String, Vec<(String, String)>)>,
    cap: Option<String>,
    log: String,
}

impl About {
    fn of(config: &Config) -> Self {
        let chains = config
            .chains
            .iter()
            .map(|chain| {
                let tiers = chain.tiers.iter().map(|tier| (tier.target.to_string(), price_words(tier)));
                (chain.name.clone(), tiers.collect())
            })
            .collect();
        Self {
            chains,
            cap: config.budget.daily.map(|cap| cap.to_string()),
            log: config.log.url.to_string(),
        }
    }

    /// On stderr: stdout stays free for pipes.
    fn print(&self, address: &str, has_file: bool) {
        for (name, tiers) in &self.chains {
            anstream::eprintln!("chain {}", name.bold());
            for (place, (tier, price)) in tiers.iter().enumerate() {
                anstream::eprintln!("  {} {tier:<40} {price}", place + 1);
            }
        }
        match &self.cap {
            Some(cap) => anstream::eprintln!("cap: ${cap} a day"),
            None => anstream::eprintln!("cap: none; set [budget] daily"),
        }
        anstream::eprintln!("log: {}", self.log);
        if !has_file {
            anstream::eprintln!("to change any of this, write a mainstay.toml and run `mainstay check`");
        }
        anstream::eprintln!("listening on {}; in a client:", format!("http://{address}").bold());
        anstream::eprintln!("  OpenAI     base_url=\"http://{address}/v1\"");
        anstream::eprintln!("  Anthropic  base_url=\"http://{address}\"");
    }
}

/// SIGTERM or Ctrl-C.
async fn wait_for_signal() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        let terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate());
        if let Ok(mut terminate) = terminate {
            tokio::select! {
                _ = interrupt => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    // Without a signal handler the process still ends with the terminal.
    let _ = interrupt.await;
}
