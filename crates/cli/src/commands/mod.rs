//! One file a command.

pub(crate) mod calls;
pub(crate) mod chat;
pub(crate) mod check;
pub(crate) mod serve;
pub(crate) mod why;

use std::path::PathBuf;

use mainstay::{Clock, Moment, SystemClock};
use mainstay_config::{Config, Loaded, StoreUrl};
use mainstay_store::LogReader;

use crate::args::Global;
use crate::exit::Exit;

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

/// Loads the configuration, or says where one was looked for.
pub(crate) fn load(global: &Global) -> Result<Loaded, Exit> {
    match find_file(global)? {
        Some(path) => mainstay_config::read_file(&path, &variable, now()).map_err(Exit::usage),
        None => Err(Exit::usage(
            "no configuration: there is no ./mainstay.toml, and neither --config nor MAINSTAY_CONFIG names one\n\
             start with `mainstay demo`, which needs none",
        )),
    }
}

/// The configuration, else what the keys in the environment make of one.
pub(crate) fn load_or_environment(global: &Global) -> Result<Loaded, Exit> {
    if find_file(global)?.is_some() {
        return load(global);
    }
    let generated = mainstay_config::from_environment(&variable, &[], now()).map_err(Exit::usage)?;
    Ok(Loaded { config: with_state_log(generated.config), warnings: Vec::new() })
}

/// Where things are kept that belong to the user and to no project.
pub(crate) fn state_dir() -> PathBuf {
    let home = || variable("HOME").map(|home| PathBuf::from(home).join(".local/state"));
    let base = variable("XDG_STATE_HOME").filter(|path| !path.is_empty()).map(PathBuf::from).or_else(home);
    base.unwrap_or_else(std::env::temp_dir).join("mainstay")
}

/// Without a file, the log lies in the user's state directory.
pub(crate) fn with_state_log(mut config: Config) -> Config {
    config.log.url = StoreUrl::Sqlite(state_dir().join("mainstay.db"));
    config
}

/// The log that the configuration names, else the one in the user's state directory.
pub(crate) fn open_log(global: &Global) -> Result<LogReader, Exit> {
    let url = match find_file(global)? {
        // A log can be read without the keys that the rest of the file asks for.
        Some(path) => mainstay_config::log_url(&path).map_err(Exit::usage)?,
        None => StoreUrl::Sqlite(state_dir().join("mainstay.db")),
    };
    LogReader::open_url(&url.to_string()).map_err(Exit::failed)
}
