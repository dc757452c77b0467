//! What every handler shares.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arc_swap::ArcSwap;
use mainstay::{Client, Moment};
use mainstay_config::{Config, Server};
use mainstay_store::{LogReader, ReadError};
use parking_lot::Mutex;
use secrecy::SecretString;
use tokio_util::sync::CancellationToken;

use crate::access::{AdminDoor, ClientDoor};
use crate::admission::Admission;
use crate::alerts::Alerts;
use crate::guard::Guard;
use crate::metrics::{Live, Metrics};
use crate::page::Sessions;

/// What every handler shares.
pub(crate) struct App {
    pub(crate) client: Client,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) alerts: Arc<Alerts>,
    pub(crate) admin: AdminDoor,
    /// Where its owner finds the admin token, for telling people.
    pub(crate) admin_token_at: TokenAt,
    pub(crate) admission: Admission,
    pub(crate) sessions: Sessions,
    pub(crate) started: Moment,
    pub(crate) draining: AtomicBool,
    /// Cancelled when the grace time is over: what still runs says so and ends.
    pub(crate) hard_stop: CancellationToken,
    rules: ArcSwap<Rules>,
    reader: Mutex<Option<LogReader>>,
}

/// What a reload may change.
pub(crate) struct Rules {
    pub(crate) guard: Guard,
    pub(crate) clients: ClientDoor,
    pub(crate) max_body: usize,
    /// Whether `/metrics` is open to everybody who can reach it (behaviour 11.3a).
    pub(crate) open_metrics: bool,
}

impl Rules {
    fn of(server: &Server) -> Self {
        Self {
            guard: Guard::new(&server.hosts, server.is_loopback()),
            clients: ClientDoor::of(server),
            max_body: usize::try_from(server.max_body).unwrap_or(usize::MAX),
            open_metrics: server.is_loopback() || server.metrics_public,
        }
    }
}

/// What an [`App`] is made of.
pub(crate) struct Parts {
    pub(crate) client: Client,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) alerts: Arc<Alerts>,
    pub(crate) admin_token: SecretString,
    pub(crate) admin_token_at: TokenAt,
}

/// Where an admin token is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenAt {
    /// In the variable that the configuration names.
    Variable,
    /// In the file in the user's state directory.
    File,
    /// Nowhere: it was made for this process alone.
    Nowhere,
}

impl App {
    /// The shared state of a gateway for the client's own configuration.
    pub(crate) fn new(parts: Parts) -> Arc<Self> {
        let engine = parts.client.engine();
        let server = &engine.config().server;
        Arc::new(Self {
            metrics: parts.metrics,
            alerts: parts.alerts,
            admin: AdminDoor::new(parts.admin_token),
            admin_token_at: parts.admin_token_at,
            admission: Admission::new(server.max_connections, server.queue, server.queue_timeout),
            sessions: Sessions::default(),
            started: engine.now(),
            draining: AtomicBool::new(false),
            hard_stop: CancellationToken::new(),
            rules: ArcSwap::from_pointee(Rules::of(server)),
            reader: Mutex::default(),
            client: parts.client,
        })
    }

    /// Puts a new configuration in force as far as it is ours; the client takes the rest.
    pub(crate) fn renew(&self, config: &Config) {
        self.metrics.set_config(config);
        self.rules.store(Arc::new(Rules::of(&config.server)));
    }

    pub(crate) fn rules(&self) -> Arc<Rules> {
        self.rules.load_full()
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Acquire)
    }

    pub(crate) fn now(&self) -> Moment {
        self.client.engine().now()
    }

    /// Asks the call log something, away from the runtime's own threads. `None` where no log is kept.
    ///
    /// # Errors
    ///
    /// [`ReadError`] when the log cannot be read.
    pub(crate) async fn ask_log<T: Send + 'static>(
        self: &Arc<Self>,
        question: impl FnOnce(&LogReader) -> Result<T, ReadError> + Send + 'static,
    ) -> Result<Option<T>, ReadError> {
        let app = Arc::clone(self);
        let asked = tokio::task::spawn_blocking(move || app.reader()?.map(|log| question(&log)).transpose());
        asked.await.unwrap_or_else(|error| Err(ReadError::Journal(std::io::Error::other(error.to_string()))))
    }

    /// The log's reader, opened once.
    fn reader(&self) -> Result<Option<LogReader>, ReadError> {
        if let Some(reader) = self.reader.lock().as_ref() {
            return Ok(Some(reader.clone()));
        }
        let engine = self.client.engine();
        let Some(store) = engine.store() else { return Ok(None) };
        let opened = store.reader()?;
        *self.reader.lock() = Some(opened.clone());
        Ok(Some(opened))
    }

    /// The metrics as text.
    pub(crate) fn scrape(&self) -> Result<String, std::fmt::Error> {
        let engine = self.client.engine();
        self.metrics.render(&Live {
            engine: &engine,
            alerts: &self.alerts.active(),
            in_flight: self.admission.taken(),
            waiting: self.admission.waiting(),
            lost_webhooks: self.alerts.lost_webhooks(),
        })
    }
}
