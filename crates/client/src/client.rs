//! The small front door: make one client, make one call.

use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use arc_swap::ArcSwap;
use futures_core::Stream;
use mainstay_canon::{ChatRequest, ChatResponse, EmbedRequest, EmbedResponse, ReplyEvent, Target};
use mainstay_config::Config;
use mainstay_fallback::TierHealth;
use tokio::sync::mpsc;

use crate::builder::Builder;
use crate::engine::stream;
use crate::engine::{
    CallOptions, Engine, Observer, Opening, Resolved, Route, Setup, StreamItem, embed, whole,
};
use crate::error::{BuildError, ChatError};
use crate::gave_up::GaveUp;

/// How long `close` waits for the log to be written out.
const CLOSE_WAIT: Duration = Duration::from_secs(5);

/// A client for a chain of models. Cheap to clone and safe to share.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let client = mainstay::Client::builder()
///     .tier("deepseek/deepseek-flash")
///     .tier("anthropic/claude-sonnet-5-5")
///     .build()
///     .await?;
/// let answer = client.generate("What is a mainstay?").await?;
/// println!("{answer}");
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Client {
    engine: Arc<ArcSwap<Engine>>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let chains: Vec<String> = self.engine.load().chains.keys().cloned().collect();
        f.debug_struct("Client").field("chains", &chains).finish_non_exhaustive()
    }
}

impl Client {
    /// Starts a client with tiers given in code.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A client from a configuration file; keys come from the environment.
    ///
    /// # Errors
    ///
    /// [`BuildError`] with every mistake of the file at once.
    pub async fn from_config(path: impl AsRef<Path>) -> Result<Self, BuildError> {
        let now = crate::clock::Clock::now(&crate::clock::SystemClock::new());
        let path = path.as_ref().to_owned();
        // Reading a file and opening a store block; neither belongs on the runtime's own threads.
        let loaded = tokio::task::spawn_blocking(move || {
            mainstay_config::read_file(&path, &|name| std::env::var(name).ok(), now)
        })
        .await
        .map_err(|error| BuildError::Internal(error.to_string()))?;
        Self::new(loaded?.config, Vec::new()).await
    }

    /// A client from a validated configuration, with whoever shall watch it.
    ///
    /// # Errors
    ///
    /// [`BuildError`] when the log cannot be opened or an endpoint cannot be built.
    pub async fn new(config: Config, observers: Vec<Arc<dyn Observer>>) -> Result<Self, BuildError> {
        Self::start(config, Setup { observers, ..Setup::default() }).await
    }

    /// A client from a validated configuration and everything else that it stands on.
    ///
    /// # Errors
    ///
    /// [`BuildError`] when the log cannot be opened or an endpoint cannot be built.
    pub async fn start(config: Config, setup: Setup) -> Result<Self, BuildError> {
        let engine = Engine::open(config, setup).await?;
        Ok(Self { engine: Arc::new(ArcSwap::from_pointee(engine)) })
    }

    /// The same without a call log: nothing is kept on disk, and caps do not outlive the process.
    ///
    /// # Errors
    ///
    /// [`BuildError`] when an endpoint cannot be built.
    pub async fn without_log(config: Config, observers: Vec<Arc<dyn Observer>>) -> Result<Self, BuildError> {
        Self::start(config, Setup { observers, keep_log: false, ..Setup::default() }).await
    }

    /// Text in, text out, through the default chain.
    ///
    /// # Errors
    ///
    /// [`ChatError::GaveUp`] with every attempt when nobody answered.
    pub async fn generate(&self, prompt: impl Into<String>) -> Result<String, ChatError> {
        Ok(self.chat(ChatRequest::user(prompt)).await?.answer.text)
    }

    /// One answer, judged. The chain is the one that `model_hint` names, else `default`.
    ///
    /// # Errors
    ///
    /// [`ChatError::UnknownModel`] when the hint means nothing here; [`ChatError::GaveUp`] with every attempt
    /// when nobody answered.
    pub async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ChatError> {
        let route = self.resolve(request.model_hint.as_deref())?;
        Ok(self.chat_on(route, request, CallOptions::default()).await?)
    }

    /// One vector for each text, from the model or the first embedding tier of the chain that is named.
    /// Embeddings never go to another tier: vectors of two models do not mix.
    ///
    /// ```
    /// use mainstay::{Client, Tier};
    /// # use mainstay_testkit::{FakeProvider, Reply, Vectors};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let provider = FakeProvider::start().await?;
    /// # provider.on("nomic-embed-text", [Reply::Vectors(Vectors::of(768))]);
    /// # let address = provider.base_url();
    /// let client = Client::builder().tier(Tier::new("local/nomic-embed-text").base_url(address)).build().await?;
    /// let found = client.embed("local/nomic-embed-text", &["a mast", "a stay"]).await?;
    /// assert_eq!(found.vectors.len(), 2);
    /// assert_eq!(found.vectors[0].len(), 768);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ChatError::UnknownModel`] when the name means nothing here; [`ChatError::GaveUp`] with every attempt
    /// when no vectors came, or others than were asked for.
    pub async fn embed<T: AsRef<str>>(&self, model: &str, texts: &[T]) -> Result<EmbedResponse, ChatError> {
        let texts = texts.iter().map(|text| text.as_ref().to_owned());
        self.embed_request(EmbedRequest::texts(texts).model(model)).await
    }

    /// The same for a request that says more. The tier is the one that `model_hint` means, else the first of
    /// `default` that makes embeddings.
    ///
    /// # Errors
    ///
    /// As [`Self::embed`].
    pub async fn embed_request(&self, request: EmbedRequest) -> Result<EmbedResponse, ChatError> {
        let route = self.resolve_embedding(request.model_hint.as_deref())?;
        Ok(self.embed_on(route, request, CallOptions::default()).await?)
    }

    /// Vectors along a route that was resolved before; of a whole chain, its first embedding tier makes them.
    ///
    /// # Errors
    ///
    /// [`GaveUp`] with every attempt when no vectors came, or others than were asked for.
    pub async fn embed_on(
        &self,
        route: Route,
        request: EmbedRequest,
        options: CallOptions,
    ) -> Result<EmbedResponse, GaveUp> {
        embed::embed(self.engine.load_full(), route, request, options).await
    }

    /// What a `model` name means for embeddings: one tier.
    ///
    /// # Errors
    ///
    /// [`UnknownModel`](crate::UnknownModel), which lists what exists.
    pub fn resolve_embedding(&self, name: Option<&str>) -> Resolved {
        self.engine.load().resolve_embedding(name)
    }

    /// One answer in pieces: released deltas, then the verdict.
    ///
    /// # Errors
    ///
    /// [`ChatError::UnknownModel`] when the hint means nothing here. What goes wrong later is an item of
    /// the stream.
    #[expect(clippy::unused_async, reason = "a stream that is asked for like everything else")]
    pub async fn chat_stream(&self, request: ChatRequest) -> Result<ChatStream, ChatError> {
        let route = self.resolve(request.model_hint.as_deref())?;
        Ok(self.stream_on(route, request, CallOptions::default()))
    }

    /// Text in pieces.
    ///
    /// # Errors
    ///
    /// As [`Self::chat_stream`].
    pub async fn generate_stream(&self, prompt: impl Into<String>) -> Result<ChatStream, ChatError> {
        self.chat_stream(ChatRequest::user(prompt)).await
    }

    /// One answer along a route that was resolved before.
    ///
    /// # Errors
    ///
    /// [`GaveUp`] with every attempt when nobody answered.
    pub async fn chat_on(
        &self,
        route: Route,
        request: ChatRequest,
        options: CallOptions,
    ) -> Result<ChatResponse, GaveUp> {
        whole::chat(self.engine.load_full(), route, request, options).await
    }

    /// One answer in pieces along a route that was resolved before. Must be called within a tokio runtime.
    pub fn stream_on(&self, route: Route, request: ChatRequest, options: CallOptions) -> ChatStream {
        ChatStream { items: stream::start(self.engine.load_full(), route, request, options) }
    }

    /// What a `model` name means here (behaviour 11.2).
    ///
    /// # Errors
    ///
    /// [`UnknownModel`](crate::UnknownModel), which lists what exists.
    pub fn resolve(&self, name: Option<&str>) -> Resolved {
        self.engine.load().resolve(name)
    }

    /// The engine as it is now; a reload replaces it.
    pub fn engine(&self) -> Arc<Engine> {
        self.engine.load_full()
    }

    /// Puts a new configuration in force without dropping a request: what runs finishes under the old one.
    ///
    /// # Errors
    ///
    /// [`BuildError`]; then the old one stays in force.
    pub fn reload(&self, config: Config) -> Result<(), BuildError> {
        let old = self.engine.load_full();
        self.engine.store(Arc::new(old.renewed(config)?));
        Ok(())
    }

    /// Health of every tier now.
    pub fn tier_health(&self) -> Vec<TierHealth> {
        self.engine.load().tier_health()
    }

    /// The tiers of the default chain that would be asked now, in order.
    pub fn active_tiers(&self) -> Vec<Target> {
        self.engine.load().active_tiers()
    }

    /// Whether any tier could be asked now.
    pub fn is_enabled(&self) -> bool {
        !self.active_tiers().is_empty()
    }

    /// The provider of the default chain's first tier.
    pub fn provider(&self) -> Option<String> {
        self.engine.load().primary().map(|target| target.provider.to_string())
    }

    /// The model of the default chain's first tier.
    pub fn model(&self) -> Option<String> {
        self.engine.load().primary().map(|target| target.model.to_string())
    }

    /// Writes out the log and lets go of the store. Calls that still run keep their journal.
    pub async fn close(&self) {
        let engine = self.engine.load_full();
        // Waiting for the disk must not stop the runtime.
        let _ = tokio::task::spawn_blocking(move || engine.close(CLOSE_WAIT)).await;
    }
}

/// An answer arriving in pieces. Dropping it cancels the upstream call.
#[derive(Debug)]
pub struct ChatStream {
    items: mpsc::Receiver<Result<StreamItem, GaveUp>>,
}

impl ChatStream {
    /// The next item; `None` after the last.
    pub async fn next(&mut self) -> Option<Result<StreamItem, GaveUp>> {
        self.items.recv().await
    }

    /// Waits for the release: who answers. What goes wrong before it is the error.
    ///
    /// # Errors
    ///
    /// [`GaveUp`] when nobody answered.
    pub async fn opening(&mut self) -> Result<Option<Opening>, GaveUp> {
        loop {
            match self.items.recv().await {
                Some(Ok(StreamItem::Open(opening))) => return Ok(Some(opening)),
                Some(Ok(StreamItem::Event(_) | StreamItem::Done(_))) => {}
                Some(Err(gave_up)) => return Err(gave_up),
                None => return Ok(None),
            }
        }
    }

    /// Takes the rest and gives back the whole answer.
    ///
    /// # Errors
    ///
    /// [`GaveUp`] when nobody answered or the answer broke off.
    pub async fn collect(mut self) -> Result<Option<ChatResponse>, GaveUp> {
        while let Some(item) = self.items.recv().await {
            if let StreamItem::Done(response) = item? {
                return Ok(Some(*response));
            }
        }
        Ok(None)
    }

    /// The next piece of visible text; `None` at the end.
    ///
    /// # Errors
    ///
    /// [`GaveUp`] when nobody answered or the answer broke off.
    pub async fn next_text(&mut self) -> Result<Option<String>, GaveUp> {
        while let Some(item) = self.items.recv().await {
            if let StreamItem::Event(ReplyEvent::Text(text)) = item? {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }
}

impl Stream for ChatStream {
    type Item = Result<StreamItem, GaveUp>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.items.poll_recv(context)
    }
}
