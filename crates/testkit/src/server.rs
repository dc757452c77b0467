//! The server: one HTTP/1.1 connection at a time per task, every byte of the answer under control.
//!
//! It is written on bare sockets because a proper HTTP library refuses to misbehave.

use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::Fault;
pub use crate::request::Seen;
use crate::request::read_request;
use crate::said::Said;
use crate::spell::Spelling;
use crate::vectors::Vectors;

/// One thing the server does on the wire.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Sends bytes, and sees to it that they leave.
    Bytes(Bytes),
    /// Waits.
    Wait(Duration),
    /// Closes the connection in good order.
    Close,
    /// Resets the connection (RST).
    Reset,
    /// Says nothing more until the peer leaves.
    Hang,
}

/// What the server answers to one request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// An answer, spelled in the dialect of the route that was called, whole or streamed as asked.
    Say(Said),
    /// Vectors, spelled likewise.
    Vectors(Vectors),
    /// A fault, spelled likewise.
    Fault(Fault),
    /// Exactly these steps, status line and headers included.
    Raw(Vec<Step>),
    /// Whatever this makes of the request.
    By(Script),
}

/// Makes a reply of a request, such as one that keeps to the request's `max_tokens`.
#[derive(Clone)]
pub struct Script(Arc<dyn Fn(&Seen) -> Reply + Send + Sync>);

impl std::fmt::Debug for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Script(..)")
    }
}

impl Reply {
    /// A plain answer.
    pub fn text(text: &str) -> Self {
        Self::Say(Said::text(text))
    }

    /// Whatever `script` makes of the request.
    pub fn by(script: impl Fn(&Seen) -> Self + Send + Sync + 'static) -> Self {
        Self::By(Script(Arc::new(script)))
    }

    /// A whole HTTP reply with a status, headers and a body.
    pub fn http(status: u16, headers: &[(&str, &str)], body: &str) -> Self {
        Self::Raw(crate::wire::http(status, headers, body.as_bytes()))
    }
}

#[derive(Default)]
struct State {
    scripts: HashMap<String, VecDeque<Reply>>,
    fallback: Option<Reply>,
    seen: Vec<Seen>,
}

/// A provider that is simulated: it listens on a loopback port and answers from a script per model.
pub struct FakeProvider {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    open: Arc<AtomicUsize>,
    acceptor: JoinHandle<()>,
}

impl Drop for FakeProvider {
    fn drop(&mut self) {
        self.acceptor.abort();
    }
}

impl FakeProvider {
    /// Listens on a free loopback port.
    ///
    /// # Errors
    ///
    /// When no port can be had.
    pub async fn start() -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let state = Arc::new(Mutex::new(State::default()));
        let open = Arc::new(AtomicUsize::new(0));
        let acceptor = tokio::spawn(accept(listener, Arc::clone(&state), Arc::clone(&open)));
        Ok(Self { address, state, open, acceptor })
    }

    /// Its address without a path, `http://127.0.0.1:PORT`: the base URL for Anthropic's dialect and Ollama's.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The base URL for OpenAI's dialects, `http://127.0.0.1:PORT/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Adds answers for a model; they are given in order, and the last one again and again.
    pub fn on(&self, model: &str, replies: impl IntoIterator<Item = Reply>) -> &Self {
        self.state.lock().scripts.entry(model.to_owned()).or_default().extend(replies);
        self
    }

    /// Forgets a model's answers and gives it these.
    pub fn now_on(&self, model: &str, replies: impl IntoIterator<Item = Reply>) -> &Self {
        self.state.lock().scripts.insert(model.to_owned(), replies.into_iter().collect());
        self
    }

    /// Answers so for every model without a script.
    pub fn otherwise(&self, reply: Reply) -> &Self {
        self.state.lock().fallback = Some(reply);
        self
    }

    /// All requests so far, in the order they were read.
    pub fn seen(&self) -> Vec<Seen> {
        self.state.lock().seen.clone()
    }

    /// How many requests named that model.
    pub fn calls(&self, model: &str) -> usize {
        self.state.lock().seen.iter().filter(|seen| seen.model == model).count()
    }

    /// How many connections are open now.
    pub fn open_connections(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }
}

async fn accept(listener: TcpListener, state: Arc<Mutex<State>>, open: Arc<AtomicUsize>) {
    while let Ok((socket, _)) = listener.accept().await {
        let (state, open) = (Arc::clone(&state), Arc::clone(&open));
        tokio::spawn(async move {
            open.fetch_add(1, Ordering::SeqCst);
            // A peer that goes away ends the connection; there is nobody to tell.
            let _ = converse(socket, &state).await;
            open.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

/// Serves requests on one connection until a step closes it.
async fn converse(mut socket: TcpStream, state: &Mutex<State>) -> std::io::Result<()> {
    socket.set_nodelay(true)?;
    let mut buffer = Vec::new();
    while let Some(seen) = read_request(&mut socket, &mut buffer).await? {
        let reply = choose(state, &seen);
        for step in steps(reply, &seen) {
            match step {
                Step::Bytes(bytes) => {
                    socket.write_all(&bytes).await?;
                    socket.flush().await?;
                }
                Step::Wait(wait) => {
                    if peer_left_within(&mut socket, wait).await {
                        return Ok(());
                    }
                }
                Step::Close => return socket.shutdown().await,
                Step::Reset => {
                    socket.set_zero_linger()?;
                    return Ok(());
                }
                Step::Hang => {
                    peer_left_within(&mut socket, Duration::from_hours(1)).await;
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

/// Waits, and notices when the peer hangs up meanwhile.
async fn peer_left_within(socket: &mut TcpStream, wait: Duration) -> bool {
    let mut byte = [0_u8; 1];
    let left = async {
        loop {
            match socket.peek(&mut byte).await {
                Ok(0) | Err(_) => return,
                // A pipelined request: nothing to learn from it, look again later.
                Ok(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    };
    tokio::time::timeout(wait, left).await.is_ok()
}

fn choose(state: &Mutex<State>, seen: &Seen) -> Reply {
    let mut state = state.lock();
    state.seen.push(seen.clone());
    let scripted = state
        .scripts
        .get_mut(&seen.model)
        .and_then(|script| if script.len() > 1 { script.pop_front() } else { script.front().cloned() });
    scripted.or_else(|| state.fallback.clone()).unwrap_or(Reply::Fault(Fault::UnknownModel))
}

fn steps(reply: Reply, seen: &Seen) -> Vec<Step> {
    let spelling = Spelling::of_path(&seen.path);
    match reply {
        Reply::Say(said) => said.steps(spelling, seen),
        Reply::Vectors(vectors) => vectors.steps(spelling, seen),
        Reply::Fault(fault) => fault.steps(spelling, seen),
        Reply::Raw(steps) => steps,
        Reply::By(script) => steps(script.0(seen), seen),
    }
}
