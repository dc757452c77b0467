//! A gateway from a configuration: what watches is made first, then the client that it watches.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use mainstay::{BuildError, Client, Observer};
use mainstay_config::{Config, Server};

use crate::admin_token::{self, AdminTokenError};
use crate::alerts::Alerts;
use crate::app::{App, Parts, TokenAt};
use crate::metrics::Metrics;
use crate::server::{self, ServeError, Serving};

/// What a gateway wants to know that no configuration says.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The file that keeps the admin token where the configuration names none. Without it a token is made
    /// that nobody else knows; then only a [`Serving::dashboard_link`] leads in.
    pub admin_token_file: Option<PathBuf>,
}

/// Why a gateway could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The client could not be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// There is no admin token.
    #[error(transparent)]
    AdminToken(#[from] AdminTokenError),
    /// What posts alerts to the webhook could not be built.
    #[error("the webhook for alerts cannot be used: {0}")]
    Webhook(reqwest::Error),
}

/// A gateway that is ready to listen.
///
/// ```no_run
/// use mainstay_gateway::{Gateway, Options};
///
/// # async fn example(config: mainstay_config::Config) -> Result<(), Box<dyn std::error::Error>> {
/// let gateway = Gateway::open(config, Options::default()).await?.serve().await?;
/// println!("listening on {}", gateway.address());
/// println!("dashboard: {}", gateway.dashboard_link()?);
/// gateway.stop().await;
/// # Ok(()) }
/// ```
pub struct Gateway {
    app: Arc<App>,
}

impl std::fmt::Debug for Gateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gateway").field("client", &self.app.client).finish_non_exhaustive()
    }
}

impl Gateway {
    /// Opens the log and builds everything that a configuration asks for. Must be called within a tokio
    /// runtime.
    ///
    /// # Errors
    ///
    /// [`OpenError`] when the log cannot be opened, an endpoint cannot be built or there is no admin token.
    pub async fn open(config: Config, options: Options) -> Result<Self, OpenError> {
        let (admin_token, admin_token_at) = match (&config.server.admin_token, options.admin_token_file) {
            (Some(token), _) => (token.clone(), TokenAt::Variable),
            (None, Some(path)) => (admin_token::load_or_make(&path)?, TokenAt::File),
            (None, None) => (admin_token::for_this_process()?, TokenAt::Nowhere),
        };
        let metrics = Arc::new(Metrics::new(&config));
        let alerts = Arc::new(Alerts::new(&config, Arc::clone(&metrics)).map_err(OpenError::Webhook)?);
        let observers: Vec<Arc<dyn Observer>> = vec![Arc::clone(&metrics) as _, Arc::clone(&alerts) as _];
        let client = Client::new(config, observers).await?;
        Ok(Self { app: App::new(Parts { client, metrics, alerts, admin_token, admin_token_at }) })
    }

    /// The client that answers.
    pub fn client(&self) -> &Client {
        &self.app.client
    }

    /// Starts listening where the configuration says.
    ///
    /// # Errors
    ///
    /// [`ServeError`] when the address cannot be had, or must not be listened on.
    pub async fn serve(self) -> Result<Serving, ServeError> {
        server::serve(self.app).await
    }
}

/// Whether what is being served would have to be started anew for this configuration to hold.
pub(crate) fn needs_restart(running: &Server, wanted: &Server) -> bool {
    let place = |server: &Server| -> (SocketAddr, usize, usize, std::time::Duration) {
        (server.listen, server.max_connections, server.queue, server.queue_timeout)
    };
    place(running) != place(wanted) || running.tls != wanted.tls
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::http::Request;
    use tower::ServiceExt as _;

    use super::*;
    use crate::routes;

    const TOKEN: &str = "0123456789abcdef0123";

    /// A gateway that listens nowhere, configured for an address that everybody can reach.
    async fn open(folder: &std::path::Path, further: &str) -> Gateway {
        let text = format!(
            "[server]\nlisten = \"0.0.0.0:7171\"\n{further}\n[log]\nurl = \"sqlite:{}\"\n[providers.local]\n\
             dialect = \"openai-chat\"\nbase_url = \"http://127.0.0.1:1/v1\"\nauth = \"none\"\n\
             [chains]\ndefault = [\"local/m\"]\n",
            folder.join("log.db").display()
        );
        let token = |name: &str| (name == "MAINSTAY_ADMIN_TOKEN").then(|| TOKEN.to_owned());
        let now = mainstay::Moment::from_secs(1_796_000_000);
        let config = mainstay_config::load(&text, "test.toml", &token, now).unwrap().config;
        Gateway::open(config, Options::default()).await.unwrap()
    }

    async fn status(gateway: &Gateway, path: &str, token: Option<&str>) -> u16 {
        let mut request = Request::get(path).header("host", "gateway.lan:7171");
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let request = request.body(Body::empty()).unwrap();
        routes::router(&gateway.app).oneshot(request).await.unwrap().status().as_u16()
    }

    #[tokio::test]
    async fn beyond_loopback_metrics_want_the_admin_token_and_clients_a_key() {
        let folder = tempfile::tempdir().unwrap();
        let gateway = open(folder.path(), "").await;
        assert_eq!(status(&gateway, "/metrics", None).await, 401);
        assert_eq!(status(&gateway, "/metrics", Some("wrong")).await, 401);
        assert_eq!(status(&gateway, "/metrics", Some(TOKEN)).await, 200);
        assert_eq!(status(&gateway, "/admin/status", Some(TOKEN)).await, 200);
        assert_eq!(
            status(&gateway, "/v1/models", Some(TOKEN)).await,
            401,
            "the admin token is no client key"
        );
        assert_eq!(status(&gateway, "/healthz", None).await, 200);
        assert_eq!(status(&gateway, "/", None).await, 401);
    }

    #[tokio::test]
    async fn metrics_are_public_where_the_operator_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let gateway = open(folder.path(), "metrics_public = true").await;
        assert_eq!(status(&gateway, "/metrics", None).await, 200);
    }

    #[tokio::test]
    async fn only_names_that_are_listed_are_served_where_some_are() {
        let folder = tempfile::tempdir().unwrap();
        let gateway = open(folder.path(), "metrics_public = true\nhosts = [\"llm.lan\"]").await;
        assert_eq!(status(&gateway, "/metrics", None).await, 403);
        assert_eq!(
            status(&gateway, "/healthz", None).await,
            200,
            "a probe comes by an address that nobody listed"
        );
    }
}
