//! The accept loop: connections with limits, and an end that loses nothing.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use mainstay::{BuildError, Client};
use mainstay_config::{Config, Server};
use secrecy::SecretString;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service as _;

use crate::access::ClientDoor;
use crate::app::App;
use crate::gateway::needs_restart;
use crate::patient::Patient;
use crate::secret::NoRandomness;
use crate::{paths, routes};

/// How long a client may take to send its request head, and to begin its next request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// Largest request head, in bytes.
const HEAD_LIMIT: usize = 64 * 1024;
/// How long a client may take nothing of what it is sent.
const WRITE_PATIENCE: Duration = Duration::from_mins(1);
/// Connections beyond those at work and those that wait: probes, scrapers, operators.
const SPARE_CONNECTIONS: usize = 64;
/// How long what still runs gets to say goodbye once the grace time is over.
const GOODBYE: Duration = Duration::from_millis(500);
/// The pause after an accept that failed for want of a resource.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How long the last alerts get to be posted.
const LAST_ALERTS: Duration = Duration::from_secs(2);
/// How often health and alerts are looked after where no request does.
const LOOK_EVERY: Duration = Duration::from_secs(5);

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
    /// Beyond loopback nobody may come in without a key, and there is none (behaviour 11.3).
    #[error(
        "refusing to listen on {address} without client keys: everybody who reaches it could spend your money. \
         Make one with `mainstay keys create`, or set [server] listen = \"127.0.0.1:7171\""
    )]
    NoKeys {
        /// The address.
        address: SocketAddr,
    },
    /// HTTPS is asked for.
    #[error(
        "[server] tls_cert is set, and this build cannot serve HTTPS; serving plain HTTP instead would show \
         every key and prompt. Take the line out and put a TLS proxy in front"
    )]
    Tls,
}

/// A gateway that is running.
pub struct Serving {
    address: SocketAddr,
    app: Arc<App>,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl std::fmt::Debug for Serving {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Serving").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Serving {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The client that answers.
    pub fn client(&self) -> &Client {
        &self.app.client
    }

    /// What lets into the admin API.
    pub fn admin_token(&self) -> &SecretString {
        self.app.admin.token()
    }

    /// A link that opens the dashboard, once, in the browser that follows it first within a day.
    ///
    /// # Errors
    ///
    /// [`NoRandomness`] when the system gives no random numbers.
    pub fn dashboard_link(&self) -> Result<String, NoRandomness> {
        let link = self.app.sessions.new_link(self.app.now())?;
        Ok(format!("http://{}/?token={link}", reachable(self.address)))
    }

    /// Puts a new configuration in force without dropping a request; what runs finishes under the old one.
    /// Where to listen, and how many at a time, stay as they are until the next start.
    ///
    /// # Errors
    ///
    /// [`BuildError`]; then the old one stays in force.
    pub fn reload(&self, config: Config) -> Result<(), BuildError> {
        if needs_restart(&self.app.client.engine().config().server, &config.server) {
            tracing::warn!(
                "[server] listen, tls_*, max_connections, queue and queue_timeout change at the next start"
            );
        }
        self.app.client.reload(config)?;
        self.app.renew(self.app.client.engine().config());
        Ok(())
    }

    /// Drains: no new requests, running ones finish within the grace time, the log is flushed.
    pub async fn stop(self) {
        self.stop.cancel();
        // The task ends by itself; a panic in it has been reported by the runtime.
        let _ = self.task.await;
    }
}

/// An address that a browser on this machine can open.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

/// Starts listening and serving.
pub(crate) async fn serve(app: Arc<App>) -> Result<Serving, ServeError> {
    let server = app.client.engine().config().server.clone();
    let address = server.listen;
    if !server.is_loopback() && ClientDoor::of(&server) == ClientDoor::Locked {
        return Err(ServeError::NoKeys { address });
    }
    if server.tls.is_some() {
        return Err(ServeError::Tls);
    }
    let fail = |source| ServeError::Listen { address, source };
    let listener = TcpListener::bind(address).await.map_err(fail)?;
    let address = listener.local_addr().map_err(fail)?;
    app.sessions.name_after(address.port());
    let stop = CancellationToken::new();
    let task = tokio::spawn(run(listener, Arc::clone(&app), server, stop.clone()));
    Ok(Serving { address, app, stop, task })
}

/// Serves until it is told to stop, then drains.
async fn run(listener: TcpListener, app: Arc<App>, server: Server, stop: CancellationToken) {
    let door = Door::new(&app, &server);
    let mut is_troubled = false;
    let looking = tokio::spawn(look_after(Arc::clone(&app)));
    loop {
        let place = tokio::select! {
            () = stop.cancelled() => break,
            place = Arc::clone(&door.places).acquire_owned() => place,
        };
        let Ok(place) = place else { break };
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((socket, _)) => {
                is_troubled = false;
                door.serve(socket, place);
            }
            Err(error) => {
                // As a rule for want of file descriptors, and then again and again: one line will do.
                if !std::mem::replace(&mut is_troubled, true) {
                    tracing::warn!(%error, "connections cannot be accepted");
                }
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    app.draining.store(true, Ordering::Release);
    door.drain(&app, server.drain_timeout).await;
    looking.abort();
    app.client.close().await;
    app.alerts.settle(LAST_ALERTS).await;
}

/// What time alone brings, such as the end of an alert, is told without a request, too.
async fn look_after(app: Arc<App>) {
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        app.client.engine().publish_health();
    }
}

/// What every connection needs.
struct Door {
    http: http1::Builder,
    router: Router,
    places: Arc<Semaphore>,
    graceful: GracefulShutdown,
    connections: TaskTracker,
    /// Ends every connection that is left.
    end: CancellationToken,
}

impl Door {
    fn new(app: &Arc<App>, server: &Server) -> Self {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_header_size(HEAD_LIMIT);
        let places = server.max_connections.saturating_add(server.queue).saturating_add(SPARE_CONNECTIONS);
        Self {
            http,
            router: routes::router(app),
            places: Arc::new(Semaphore::new(places.min(Semaphore::MAX_PERMITS))),
            graceful: GracefulShutdown::new(),
            connections: TaskTracker::new(),
            end: CancellationToken::new(),
        }
    }

    /// Serves one connection in a task of its own; its place is free again when it is over.
    fn serve(&self, socket: TcpStream, place: tokio::sync::OwnedSemaphorePermit) {
        // Small pieces of a stream must not wait for each other.
        let _ = socket.set_nodelay(true);
        let router = self.router.clone();
        let service = hyper::service::service_fn(move |request| answer(router.clone(), request));
        let io = TokioIo::new(Patient::new(socket, WRITE_PATIENCE));
        let connection = self.graceful.watch(self.http.serve_connection(io, service));
        let end = self.end.clone();
        self.connections.spawn(async move {
            tokio::select! {
                // A connection that breaks is its peer's business.
                _ = connection => {}
                () = end.cancelled() => {}
            }
            drop(place);
        });
    }

    /// Lets what runs come to its end; what takes too long is told so, and then cut.
    async fn drain(self, app: &App, grace: Duration) {
        self.connections.close();
        let drained = self.graceful.shutdown();
        tokio::pin!(drained);
        if tokio::time::timeout(grace, &mut drained).await.is_err() {
            app.hard_stop.cancel();
            let _ = tokio::time::timeout(GOODBYE, drained).await;
        }
        self.end.cancel();
        self.connections.wait().await;
    }
}

async fn answer(mut router: Router, request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
    let (mut parts, body) = request.into_parts();
    parts.uri = paths::normalized(parts.uri);
    router.call(Request::from_parts(parts, Body::new(body))).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_to_an_address_that_can_be_opened() {
        for (listens, opens) in [
            ("0.0.0.0:7171", "127.0.0.1:7171"),
            ("[::]:7171", "[::1]:7171"),
            ("127.0.0.1:1", "127.0.0.1:1"),
            ("192.0.2.1:80", "192.0.2.1:80"),
        ] {
            assert_eq!(reachable(listens.parse().unwrap()).to_string(), opens);
        }
    }
}
