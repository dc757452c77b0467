//! The accept loop: connections with limits, and an end that loses nothing.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use mainstay_config::Server;
use tokio::net::{TcpListener};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tower::Service;

use crate::app::App;

/// How long a client may take to send its request head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// How long streams get to say goodbye once the grace time is over.
const GOODBYE: Duration = Duration::from_millis(500);
/// The pause after an accept that failed for want of a resource.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Why the gateway could not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}; is another mainstay running there? Set [server] listen")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
}

/// A gateway that is running.
#[derive(Debug)]
pub struct Serving {
    address: SocketAddr,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Serving {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Drains: no new requests, running ones finish within the grace time, the log is flushed.
    pub async fn stop(self) {
        self.stop.cancel();
        // The task ends by itself; a panic in it has been reported by the runtime.
        let _ = self.task.await;
    }
}

/// Starts listening and serving.
///
/// # Errors
///
/// [`ServeError`] when the address cannot be had.
pub async fn serve(app: Arc<App>, server: &Server) -> Result<Serving, ServeError> {
    let address = server.listen;
    let listener =
        TcpListener::bind(address).await.map_err(|source| ServeError::Listen { address, source })?;
    let address = listener.local_addr().map_err(|source| ServeError::Listen { address, source })?;
    let stop = CancellationToken::new();
    let task = tokio::spawn(run(listener, app, server.max_connections, server.drain_timeout, stop.clone()));
    Ok(Serving { address, stop, task })
}

async fn run(listener: TcpListener, app: Arc<App>, connections: usize, grace: Duration, stop: CancellationToken) {
    let router = app.router();
    let places = Arc::new(Semaphore::new(connections));
    let graceful = GracefulShutdown::new();
    let mut http = auto::Builder::new(TokioExecutor::new());
    http.http1().timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
    http.http2().timer(TokioTimer::new());
    loop {
        let place = tokio::select! {
            () = stop.cancelled() => break,
            place = Arc::clone(&places).acquire_owned() => place,
        };
        let Ok(place) = place else { break };
        let socket = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match socket {
            Ok((socket, _)) => {
                // Small pieces of a stream must not wait for each other.
                let _ = socket.set_nodelay(true);
                let router = router.clone();
                let service = hyper::service::service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
                    let mut router = router.clone();
                    async move { router.call(request.map(axum::body::Body::new)).await }
                });
                let connection = http.serve_connection_with_upgrades(TokioIo::new(socket), service);
                let connection = graceful.watch(connection.into_owned());
                tokio::spawn(async move {
                    // A connection that breaks is its peer's business.
                    let _ = connection.await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    app.draining.store(true, Ordering::Release);
    let drained = graceful.shutdown();
    tokio::pin!(drained);
    if tokio::time::timeout(grace, &mut drained).await.is_err() {
        app.hard_stop.cancel();
        let _ = tokio::time::timeout(GOODBYE, drained).await;
    }
    app.client.close().await;
}
