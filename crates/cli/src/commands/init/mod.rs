//! `mainstay init`: a configuration from the keys in the environment, or from another gateway's.

mod from;

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use owo_colors::OwoColorize;
use serde_json::json;

use crate::args::{Global, InitArgs};
use crate::exit::Exit;
use crate::{chains, out, settings};

/// Writes it, or prints it, and shows the chain with prices.
pub(crate) async fn run(args: &InitArgs, global: &Global) -> Result<(), Exit> {
    let path = destination(global);
    // Before anything else is done: nothing is found out in vain.
    if !args.stdout && !args.force && path.exists() {
        return Err(exists(&path));
    }
    if let Some(theirs) = &args.from {
        return from::run(theirs, &path, args, global);
    }
    let made = settings::from_environment().await.map_err(|missing| settings::no_keys(&missing))?;
    for warning in &made.warnings {
        anstream::eprintln!("{}", warning.to_string().trim_end());
    }
    if args.stdout {
        return out::piece(&made.toml_text);
    }
    write(&path, &made.toml_text, args.force)?;
    if global.json {
        return out::json(&json!({
            "file": path.display().to_string(),
            "variables": made.variables_used,
            "chains": chains::to_json(&made.config),
        }));
    }
    out::line(format!("wrote {}", path.display().bold()))?;
    if !made.variables_used.is_empty() {
        out::line(format!(
            "keys: {} (names only; the values stay in the environment)",
            made.variables_used.join(", ")
        ))?;
    }
    chains::lines(&made.config).into_iter().try_for_each(out::line)?;
    if let Some(cap) = made.config.budget.daily {
        out::line(format!("cap: ${cap} a day"))?;
    }
    out::line("next: mainstay serve")
}

/// Where it goes: the same place from which it is read.
fn destination(global: &Global) -> PathBuf {
    let named = || settings::variable("MAINSTAY_CONFIG").filter(|path| !path.trim().is_empty());
    global.config.clone().or_else(|| named().map(PathBuf::from)).unwrap_or_else(|| "mainstay.toml".into())
}

/// Never over a file that is there, unless told to.
fn write(path: &Path, text: &str, force: bool) -> Result<(), Exit> {
    let mut options = OpenOptions::new();
    options.write(true);
    if force {
        options.create(true).truncate(true)
    } else {
        options.create_new(true)
    };
    let written = options.open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => exists(path),
        _ => Exit::failed(format!("{} cannot be written: {error}", path.display())),
    })
}

fn exists(path: &Path) -> Exit {
    Exit::usage(format!(
        "{} exists and is left as it is; --force overwrites it, --stdout only prints",
        path.display()
    ))
}
