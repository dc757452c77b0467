//! `mainstay serve`: the gateway, until it is told to stop.

mod about;
mod reload;

use mainstay_config::Loaded;
use mainstay_gateway::{Gateway, OpenError, Options};

use super::check::warn;
use crate::args::{Global, ServeArgs};
use crate::exit::Exit;
use crate::settings;
use about::About;
use reload::Watch;

/// Runs the gateway.
pub(crate) async fn run(args: &ServeArgs, global: &Global) -> Result<(), Exit> {
    let file = settings::find_file(global)?;
    let (loaded, variables) = if file.is_some() || args.require_config {
        (settings::load(global)?, None)
    } else {
        let generated = settings::from_environment().await.map_err(|missing| settings::no_keys(&missing))?;
        let config = settings::with_state_log(generated.config);
        (Loaded { config, warnings: generated.warnings }, Some(generated.variables_used))
    };
    warn(&loaded.warnings);
    let about = About::of(&loaded.config, variables);
    let log = loaded.config.log.url.clone();
    let drain = loaded.config.server.drain_timeout;
    let options = Options { admin_token_file: Some(settings::admin_token_file()) };
    let gateway = Gateway::open(loaded.config, options).await?.serve().await.map_err(Exit::failed)?;
    about.print(&gateway, global)?;
    let watch = file.map(|path| Watch::new(path, log));
    until_told(&gateway, watch).await;
    anstream::eprintln!("stopping: what runs gets {} s to finish; again ends it at once", drain.as_secs());
    tokio::select! {
        () = gateway.stop() => Ok(()),
        () = told_to_stop() => Err(Exit::failed("stopped before everything had finished")),
    }
}

/// Serves until SIGTERM or Ctrl-C, and takes in a new configuration meanwhile.
async fn until_told(gateway: &mainstay_gateway::Serving, watch: Option<Watch>) {
    let watching = async {
        match watch {
            Some(watch) => watch.run(gateway).await,
            None => reload::refuse_hangups().await,
        }
    };
    tokio::select! {
        () = told_to_stop() => {}
        () = watching => {}
    }
}

/// SIGTERM or Ctrl-C.
async fn told_to_stop() {
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

impl From<OpenError> for Exit {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Build(error) => error.into(),
            OpenError::AdminToken(_) | OpenError::Webhook(_) => Self::failed(error),
        }
    }
}
