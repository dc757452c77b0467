//! HTTP to a provider: sends one request, hands back status, headers and the body as it comes.
//!
//! It does not know what a body means, retries nothing and follows no redirect.

use std::borrow::Cow;
use std::error::Error as _;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use mainstay_canon::{Failure, Headers, Kind};
use mainstay_dialects::Outbound;
use mainstay_providers::Auth;
use secrecy::{ExposeSecret, SecretString};

use crate::engine::redact::without_keys;

/// Idle pooled connections are dropped before common load balancers drop them.
const POOL_IDLE: Duration = Duration::from_secs(55);
/// Idle connections kept per host.
const POOL_SIZE: usize = 256;
/// Largest whole reply, in bytes.
const REPLY_LIMIT: usize = 64 * 1024 * 1024;
/// How much may follow an answer's end before its connection is given up, in bytes, and for how long.
const REST_LIMIT: usize = 64 * 1024;
const REST_WAIT: Duration = Duration::from_secs(2);
/// Largest error body that is read, in bytes.
const ERROR_LIMIT: usize = 256 * 1024;

/// Where and how one provider is reached.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    client: reqwest::Client,
    base_url: String,
    auth: Auth,
    /// The keys of one account, used in turn.
    keys: Arc<[SecretString]>,
    turn: Arc<AtomicUsize>,
}

/// The head of a reply; its body is still to come.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Headers,
    response: reqwest::Response,
}

impl Endpoint {
    /// An endpoint with its own connection pool.
    ///
    /// # Errors
    ///
    /// When the HTTP client cannot be built, such as for a bad proxy address.
    pub(crate) fn new(
        base_url: &str,
        auth: Auth,
        keys: Vec<SecretString>,
        connect_timeout: Duration,
        proxy: Option<&str>,
    ) -> Result<Self, reqwest::Error> {
        let builder = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(connect_timeout)
            .pool_idle_timeout(POOL_IDLE)
            .pool_max_idle_per_host(POOL_SIZE)
            .http1_only()
            .tcp_nodelay(true)
            .user_agent(concat!("mainstay/", env!("CARGO_PKG_VERSION")));
        let builder = match proxy {
            None => builder.no_proxy(),
            Some("env") => builder,
            Some(address) => builder.no_proxy().proxy(reqwest::Proxy::all(address)?),
        };
        Ok(Self {
            client: builder.build()?,
            base_url: base_url.trim_end_matches('/').to_owned(),
            auth,
            keys: keys.into(),
            turn: Arc::default(),
        })
    }

    /// The key whose turn it is.
    fn key(&self) -> Option<&SecretString> {
        let turn = if self.keys.len() > 1 { self.turn.fetch_add(1, Ordering::Relaxed) } else { 0 };
        self.keys.get(turn.checked_rem(self.keys.len())?)
    }

    /// Sends a request and waits for the head of the reply.
    pub(crate) async fn send(&self, outbound: Outbound, stream: bool) -> Result<Reply, Failure> {
        let mut request = self
            .client
            .post(format!("{}{}", self.base_url, outbound.path))
            .header("content-type", "application/json");
        // A compressed stream holds back what has not filled a block.
        request = if stream {
            request.header("accept", "text/event-stream").header("accept-encoding", "identity")
        } else {
            request.header("accept", "application/json")
        };
        for (name, value) in &outbound.headers {
            request = request.header(*name, value);
        }
        if let Some(key) = self.key() {
            let (name, value) = match self.auth {
                Auth::Header { name, .. } => (name, key.expose_secret().to_owned()),
                // A key that was given all the same is sent in the usual way.
                Auth::Bearer { .. } | Auth::None => {
                    ("authorization", format!("Bearer {}", key.expose_secret()))
                }
            };
            let mut value = http::HeaderValue::try_from(value).map_err(|_| {
                Failure::new(Kind::Auth, "the API key holds characters that cannot stand in a header")
            })?;
            value.set_sensitive(true);
            request = request.header(name, value);
        }
        let response = request.body(outbound.body).send().await.map_err(|error| transport_failure(&error))?;
        let headers = response
            .headers()
            .iter()
            .filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
            .collect();
        Ok(Reply { status: response.status().as_u16(), headers, response })
    }

    /// Takes the key, and whatever looks like one, out of a failure's words: a provider may repeat what it was
    /// sent.
    pub(crate) fn scrub(&self, failure: &mut Failure) {
        let keys = || self.keys.iter().map(ExposeSecret::expose_secret).filter(|key| !key.is_empty());
        let word = failure.answer.as_deref_mut().and_then(|answer| answer.finish_reason_raw.as_mut());
        let texts = [&mut failure.code, &mut failure.param, &mut failure.finish_reason_raw];
        let texts = texts.into_iter().flatten().chain(word).chain([&mut failure.message]);
        for text in texts {
            for key in keys() {
                if text.contains(key) {
                    *text = text.replace(key, "[key]");
                }
            }
            if let Cow::Owned(clean) = without_keys(text) {
                *text = clean;
            }
        }
    }
}

impl Reply {
    /// Whether the status is 2xx.
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The next bytes of the body; `None` at its end.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, Failure> {
        self.response.chunk().await.map_err(|error| {
            let (kind, message) = if is_garbled(&error) {
                (Kind::InvalidResponse, "the body cannot be unpacked: it is not as its headers say")
            } else {
                (Kind::StreamInterrupted, "the connection broke off inside the body")
            };
            // The address may hold more than is good for a log.
            Failure::new(kind, message).because(error.without_url())
        })
    }

    /// The whole body of a good reply of which `first` has been read. Fails when no byte comes for `idle`.
    pub(crate) async fn body_after(&mut self, first: &[u8], idle: Duration) -> Result<Vec<u8>, Failure> {
        let mut body = first.to_vec();
        loop {
            let chunk = tokio::time::timeout(idle, self.chunk()).await.map_err(|_| {
                Failure::new(Kind::TimeoutIdle, format!("no byte of the body for {} s", idle.as_secs_f64()))
            })??;
            let Some(chunk) = chunk else { return Ok(body) };
            if body.len().saturating_add(chunk.len()) > REPLY_LIMIT {
                return Err(Failure::new(Kind::InvalidResponse, "the body is larger than 64 MB"));
            }
            body.extend_from_slice(&chunk);
        }
    }

    /// As much of an error's body as is worth reading; what breaks off is taken as it is.
    pub(crate) async fn error_body(&mut self, idle: Duration) -> Vec<u8> {
        let mut body = Vec::new();
        while let Ok(Ok(Some(chunk))) = tokio::time::timeout(idle, self.chunk()).await {
            body.extend_from_slice(&chunk);
            if body.len() > ERROR_LIMIT {
                body.truncate(ERROR_LIMIT);
                break;
            }
        }
        body
    }
}

impl Reply {
    /// The answer is whole; what little may follow it is read aside, so that the connection can be used again.
    pub(crate) fn let_end(mut self) {
        tokio::spawn(async move {
            let mut left = REST_LIMIT;
            let rest = async {
                while let Ok(Some(chunk)) = self.response.chunk().await {
                    left = left.saturating_sub(chunk.len());
                    if left == 0 {
                        return;
                    }
                }
            };
            // A peer that says no more and does not hang up either is left alone.
            drop(tokio::time::timeout(REST_WAIT, rest).await);
        });
    }
}

/// Whether bytes came that are no chunks, or not compressed as they are said to be. A line that broke off says
/// something else.
fn is_garbled(error: &reqwest::Error) -> bool {
    let mut cause = error.source();
    while let Some(below) = cause {
        let kind = below.downcast_ref::<io::Error>().map(io::Error::kind);
        if matches!(kind, Some(io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput)) {
            return true;
        }
        cause = below.source();
    }
    false
}

/// What a transport error is. The address stays out of the message; it may hold credentials.
fn transport_failure(error: &reqwest::Error) -> Failure {
    let mut below = String::new();
    let mut source = error.source();
    while let Some(cause) = source {
        below = cause.to_string();
        source = cause.source();
    }
    let lower = below.to_ascii_lowercase();
    let tls = ["certificate", "tls", "handshake", "invalidcertificate", "received corrupt message"];
    let kind = if error.is_connect() && tls.iter().any(|word| lower.contains(word)) {
        Kind::Tls
    } else if error.is_connect() {
        Kind::Connect
    } else if error.is_timeout() {
        Kind::TimeoutFirstByte
    } else {
        // Reset or closed before the head of a reply: the provider's side broke off.
        Kind::Connect
    };
    let message = if below.is_empty() { "the connection failed".to_owned() } else { below };
    Failure::new(kind, message)
}
