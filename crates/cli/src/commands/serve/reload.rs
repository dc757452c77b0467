//! Takes in a changed configuration while the gateway runs (behaviour 10.2).
//!
//! The file's content is looked at, not its dates: an editor that renames, and a cluster that swaps a
//! link, change the one without the other. SIGHUP reads it again in any case, for keys kept in files.

use std::path::PathBuf;
use std::time::Duration;

use mainstay_config::{Loaded, StoreUrl};
use mainstay_gateway::Serving;

use super::super::check::warn;
use crate::settings;

/// How often the file is looked at. It counts as written when it is the same twice.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Watches one file.
pub(super) struct Watch {
    path: PathBuf,
    /// Where the log lay at the start; that takes a new start to change.
    log: StoreUrl,
    /// The content that was last taken in or refused.
    judged: Option<Vec<u8>>,
    /// What the last look saw, where that differs.
    fresh: Option<Vec<u8>>,
}

impl Watch {
    pub(super) fn new(path: PathBuf, log: StoreUrl) -> Self {
        let judged = std::fs::read(&path).ok();
        Self { path, log, judged, fresh: None }
    }

    /// Never ends.
    pub(super) async fn run(mut self, gateway: &Serving) {
        let mut hangups = Hangups::listen();
        let mut look = tokio::time::interval(LOOK_EVERY);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            let asked = tokio::select! {
                () = hangups.next() => true,
                _ = look.tick() => false,
            };
            let content = tokio::fs::read(&self.path).await.ok();
            if asked || self.is_new(content.as_ref()) {
                self.judged = content;
                self.fresh = None;
                self.take_in(gateway).await;
            }
        }
    }

    /// Whether there is something else than before that has stood for a whole look.
    fn is_new(&mut self, content: Option<&Vec<u8>>) -> bool {
        // A file that is away for a moment is being replaced.
        let Some(content) = content.filter(|content| self.judged.as_ref() != Some(content)) else {
            self.fresh = None;
            return false;
        };
        let stood = self.fresh.as_ref() == Some(content);
        self.fresh = Some(content.clone());
        stood
    }

    /// Puts it in force, or says loudly why not.
    async fn take_in(&self, gateway: &Serving) {
        let path = self.path.clone();
        let read = tokio::task::spawn_blocking(move || {
            mainstay_config::read_file(&path, &settings::variable, settings::now())
        });
        let refused = match read.await {
            Ok(Ok(loaded)) => self.put_in_force(loaded, gateway),
            Ok(Err(problems)) => Some(problems.to_string()),
            Err(error) => Some(error.to_string()),
        };
        match refused {
            None => tracing::info!(file = %self.path.display(), "the new configuration is in force"),
            Some(why) => tracing::error!(
                file = %self.path.display(),
                "the new configuration is refused and the old one stays in force:\n{why}"
            ),
        }
    }

    fn put_in_force(&self, loaded: Loaded, gateway: &Serving) -> Option<String> {
        warn(&loaded.warnings);
        if loaded.config.log.url.to_string() != self.log.to_string() {
            tracing::warn!("[log] url changes at the next start; until then {} is written", self.log);
        }
        gateway.reload(loaded.config).err().map(|error| error.to_string())
    }
}

/// Without a file there is nothing to read again, and a hangup is no reason to end.
pub(super) async fn refuse_hangups() {
    let mut hangups = Hangups::listen();
    loop {
        hangups.next().await;
        tracing::warn!(
            "there is no configuration file to read again; keys of the environment change at the next start"
        );
    }
}

/// SIGHUP, where there is such a thing.
struct Hangups {
    #[cfg(unix)]
    signal: Option<tokio::signal::unix::Signal>,
}

impl Hangups {
    fn listen() -> Self {
        Self {
            #[cfg(unix)]
            signal: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()).ok(),
        }
    }

    async fn next(&mut self) {
        #[cfg(unix)]
        if let Some(signal) = &mut self.signal
            && signal.recv().await.is_some()
        {
            return;
        }
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch() -> Watch {
        let log = StoreUrl::Sqlite("m.db".into());
        Watch { path: "m.toml".into(), log, judged: Some(b"old".to_vec()), fresh: None }
    }

    #[test]
    fn a_change_counts_when_it_has_stood_for_a_look() {
        let mut watch = watch();
        let mut look =
            |content: Option<&str>| watch.is_new(content.map(|text| text.as_bytes().to_vec()).as_ref());
        assert!(!look(Some("old")));
        assert!(!look(Some("half wri")) && !look(Some("half written")));
        assert!(look(Some("half written")));
    }

    #[test]
    fn a_file_that_is_away_or_back_as_it_was_is_no_change() {
        let mut watch = watch();
        assert!(!watch.is_new(Some(&b"new".to_vec())));
        assert!(!watch.is_new(None));
        assert!(!watch.is_new(Some(&b"new".to_vec())));
        assert!(!watch.is_new(Some(&b"old".to_vec())));
    }
}
