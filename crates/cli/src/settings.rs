//! Which configuration a command means, and where things lie that belong to the user and to no project.
//!
//! Commands that call a provider need the whole configuration, keys included. Commands that look do not:
//! a log can be read and a gateway asked where no call could be made.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use mainstay::{Clock, Moment, SystemClock};
use mainstay_config::{Config, Generated, Loaded, NoKeys, Problems, StoreUrl};
use mainstay_store::LogReader;

use crate::args::Global;
use crate::exit::Exit;
use crate::ollama;

/// Stands for a variable that is not set, where its value is not needed.
const STAND_IN: &str = "not-set-and-not-needed-here";

/// The environment, as the config wants to see it.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Now, by the machine's clock.
pub(crate) fn now() -> Moment {
    SystemClock::new().now()
}

/// The configuration file that is meant, if there is one.
pub(crate) fn find_file(global: &Global) -> Result<Option<PathBuf>, Exit> {
    mainstay_config::find_file(global.config.as_deref(), &variable).map_err(Exit::usage)
}

/// Reads the configuration, or says where one was looked for.
pub(crate) fn load(global: &Global) -> Result<Loaded, Exit> {
    load_or_problems(global)?.map_err(Exit::usage)
}

/// The same, with the mistakes as values.
pub(crate) fn load_or_problems(global: &Global) -> Result<Result<Loaded, Problems>, Exit> {
    match find_file(global)? {
        Some(path) => Ok(mainstay_config::read_file(&path, &variable, now())),
        None => Err(Exit::usage(
            "no configuration: there is no ./mainstay.toml, and neither --config nor MAINSTAY_CONFIG names one\n\
             `mainstay init` writes one from the keys in the environment; `mainstay demo` needs none",
        )),
    }
}

/// The configuration, else what the keys in the environment make of one.
pub(crate) async fn load_or_environment(global: &Global) -> Result<Loaded, Exit> {
    if find_file(global)?.is_some() {
        return load(global);
    }
    let generated = from_environment().await.map_err(|missing| no_keys(&missing))?;
    Ok(Loaded { config: with_state_log(generated.config), warnings: generated.warnings })
}

/// What `init` would write: from the keys in the environment and a local Ollama.
pub(crate) async fn from_environment() -> Result<Generated, NoKeys> {
    let local = ollama::models().await;
    mainstay_config::from_environment(&variable, &local, now())
}

/// Nothing to work with: what was looked for, and the way that needs nothing.
pub(crate) fn no_keys(missing: &NoKeys) -> Exit {
    Exit::usage(format!(
        "no API key in the environment; looked for\n  {}\n\
         and for the models of an Ollama at {}\n\
         set one of these, or try `mainstay demo`, which needs none",
        missing.looked_for.join(", "),
        ollama::ADDRESS
    ))
}

/// The configuration as far as it can be read without the keys it asks for; `None` without a file.
pub(crate) fn load_without_keys(global: &Global) -> Result<Option<Result<Config, Problems>>, Exit> {
    let Some(path) = find_file(global)? else { return Ok(None) };
    let missing = RefCell::new(Vec::new());
    let or_stand_in = |name: &str| {
        variable(name).filter(|value| !value.trim().is_empty()).or_else(|| {
            missing.borrow_mut().push(name.to_owned());
            Some(STAND_IN.to_owned())
        })
    };
    let loaded = mainstay_config::read_file(&path, &or_stand_in, now());
    let missing = missing.into_inner();
    Ok(Some(loaded.map(|loaded| {
        let mut config = loaded.config;
        if missing.contains(&config.server.admin_token_env) {
            config.server.admin_token = None;
        }
        config
    })))
}

/// A text that was just written, as it will mean something once its keys are set.
pub(crate) fn load_with_stand_ins(text: &str, path: &Path) -> Result<Loaded, Problems> {
    let or_stand_in = |name: &str| {
        variable(name).filter(|value| !value.trim().is_empty()).or_else(|| Some(STAND_IN.to_owned()))
    };
    mainstay_config::load(text, &path.display().to_string(), &or_stand_in, now())
}

/// Where things are kept that belong to the user and to no project.
pub(crate) fn state_dir() -> PathBuf {
    let named = |name: &str| variable(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    let home = || named("HOME").map(|home| home.join(".local/state"));
    named("XDG_STATE_HOME").or_else(home).unwrap_or_else(std::env::temp_dir).join("mainstay")
}

/// The file that keeps the admin token of this user's gateways.
pub(crate) fn admin_token_file() -> PathBuf {
    state_dir().join("admin-token")
}

/// Without a file, the log lies in the user's state directory.
pub(crate) fn with_state_log(mut config: Config) -> Config {
    config.log.url = state_log();
    config
}

fn state_log() -> StoreUrl {
    StoreUrl::Sqlite(state_dir().join("mainstay.db"))
}

/// Where the log lies that the configuration names, else the one in the user's state directory.
pub(crate) fn log_url(global: &Global) -> Result<StoreUrl, Exit> {
    match load_without_keys(global)? {
        None => Ok(state_log()),
        Some(Ok(config)) => Ok(config.log.url),
        // What is wrong with the rest of the file is no reason to keep the log from anybody.
        Some(Err(problems)) => {
            let path = find_file(global)?;
            path.and_then(|path| mainstay_config::log_url(&path).ok()).ok_or_else(|| Exit::usage(problems))
        }
    }
}

/// Opens that log for reading.
pub(crate) fn open_log(global: &Global) -> Result<LogReader, Exit> {
    Ok(LogReader::open_url(&log_url(global)?.to_string())?)
}
