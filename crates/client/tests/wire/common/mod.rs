//! A client in this process, in front of simulated providers on real sockets.

// Each test file uses a part of it.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

pub mod bytes;
pub mod cases;

use std::fmt::Write as _;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use mainstay::{
    Alert, ChatRequest, ChatResponse, Client, Clock, GaveUp, Moment, Observer, ReplyEvent, Setup, StreamItem,
};
use mainstay_calllog::{CallFilter, CallRecord};
use mainstay_testkit::FakeProvider;
use parking_lot::Mutex;
use tokio::time::Instant;

/// 2026-03-01T12:00:00Z, the moment of every field case that names one.
pub const NOW: Moment = Moment::from_secs(1_772_366_400);

/// A clock that starts where a test wants it, runs as fast as time and never throws dice.
pub struct TestClock {
    start: Moment,
    began: Instant,
}

impl TestClock {
    pub fn at(start: Moment) -> Arc<Self> {
        Arc::new(Self { start, began: Instant::now() })
    }
}

impl Clock for TestClock {
    fn now(&self) -> Moment {
        self.start.after(self.began.elapsed())
    }

    fn sleep(&self, wait: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(tokio::time::sleep(wait))
    }

    fn chance(&self) -> f64 {
        0.0
    }
}

/// Keeps what the engine shows to whoever watches.
#[derive(Default)]
pub struct Watcher {
    pub rows: Mutex<Vec<CallRecord>>,
    pub alerts: Mutex<Vec<Alert>>,
}

impl Observer for Watcher {
    fn row(&self, row: &CallRecord) {
        self.rows.lock().push(row.clone());
    }

    fn alert(&self, alert: &Alert) {
        self.alerts.lock().push(alert.clone());
    }
}

impl Watcher {
    /// The kinds of alert so far, those that say that it is over with a minus before them.
    pub fn told(&self) -> Vec<String> {
        let word = |alert: &Alert| format!("{}{}", if alert.over { "-" } else { "" }, alert.kind);
        self.alerts.lock().iter().map(word).collect()
    }
}

/// A client, the provider that it asks, and its log.
pub struct Bench {
    pub provider: FakeProvider,
    pub client: Client,
    pub watcher: Arc<Watcher>,
    pub folder: tempfile::TempDir,
    pub config: String,
}

impl Bench {
    /// A chain `default` of these models of one local server, without waits between attempts.
    pub async fn start(models: &[&str], further: &str) -> Self {
        let tiers: Vec<(&str, &str)> = models.iter().map(|model| (*model, "")).collect();
        Self::with_tiers(&tiers, further).await
    }

    /// The same with settings for each tier. A price of one and two dollars a million, unless its settings
    /// say another.
    pub async fn with_tiers(tiers: &[(&str, &str)], further: &str) -> Self {
        let mut text = further.to_owned();
        text.push_str(
            "\n[providers.fake]\ndialect = \"openai-chat\"\nbase_url = \"BASE_URL\"\nauth = \"none\"\n",
        );
        for (model, settings) in tiers {
            let price = if settings.contains("price") {
                ""
            } else {
                "price = { input = \"1.00\", output = \"2.00\" }\n"
            };
            let backoff = if settings.contains("backoff") { "" } else { "backoff = \"1ms\"\n" };
            let _ = writeln!(
                text,
                "[[chains.default.tiers]]\nprovider = \"fake\"\nmodel = \"{model}\"\n{backoff}{price}{settings}"
            );
        }
        Self::with_text(&text, &|_| None, TestClock::at(NOW)).await
    }

    /// From a whole configuration in which `BASE_URL` stands for the provider's address, and `ORIGIN` for the
    /// same without a path.
    pub async fn with_text(text: &str, env: &dyn Fn(&str) -> Option<String>, clock: Arc<dyn Clock>) -> Self {
        let provider = FakeProvider::start().await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let text = text.replace("BASE_URL", &provider.base_url());
        let mut text = text.replace("ORIGIN", &provider.origin());
        let url = format!("url = \"sqlite:{}\"\n", folder.path().join("log.db").display());
        text = match text.find("[log]\n") {
            Some(at) => {
                let (before, after) = text.split_at(at + "[log]\n".len());
                format!("{before}{url}{after}")
            }
            None => format!("[log]\n{url}{text}"),
        };
        let watcher = Arc::new(Watcher::default());
        let client = open(&text, env, clock, &watcher).await;
        Self { provider, client, watcher, folder, config: text }
    }

    /// Lets the client go and starts another on the same log, at that moment.
    pub async fn restarted(self, now: Moment) -> Self {
        let Self { provider, client, watcher: _, folder, config } = self;
        client.close().await;
        drop(client);
        let watcher = Arc::new(Watcher::default());
        let client = open(&config, &|_| None, TestClock::at(now), &watcher).await;
        Self { provider, client, watcher, folder, config }
    }

    /// Whether a whole answer came, and which.
    pub async fn ask(&self, request: ChatRequest) -> Result<ChatResponse, GaveUp> {
        self.client.chat(request).await.map_err(gave_up)
    }

    /// The same as a stream, taken to its end.
    pub async fn stream(&self, request: ChatRequest) -> Streamed {
        let stream = self.client.chat_stream(request).await.unwrap();
        Streamed::of(stream).await
    }

    /// The rows so far, oldest first, as the database has them.
    pub fn rows(&self) -> Vec<CallRecord> {
        let engine = self.client.engine();
        let store = engine.store().unwrap();
        assert!(store.flush(Duration::from_secs(20)), "the store did not follow");
        store.reader().unwrap().calls(&CallFilter::default()).unwrap().into_iter().rev().collect()
    }

    /// The rows of attempts, skipped ones left out.
    pub fn attempts(&self) -> Vec<CallRecord> {
        self.rows().into_iter().filter(|row| row.attempt.is_some()).collect()
    }

    /// Waits for that many rows.
    pub async fn rows_when(&self, count: usize) -> Vec<CallRecord> {
        for _ in 0..200 {
            let rows = self.rows();
            if rows.len() >= count {
                return rows;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{count} rows did not come: {:#?}", self.rows());
    }
}

fn gave_up(error: mainstay::ChatError) -> GaveUp {
    match error {
        mainstay::ChatError::GaveUp(gave_up) => gave_up,
        mainstay::ChatError::UnknownModel(unknown) => panic!("{unknown}"),
    }
}

/// A client from configuration text.
pub async fn open(
    text: &str,
    env: &dyn Fn(&str) -> Option<String>,
    clock: Arc<dyn Clock>,
    watcher: &Arc<Watcher>,
) -> Client {
    let loaded = mainstay_config::load(text, "test.toml", env, clock.now());
    let config = loaded.unwrap_or_else(|problems| panic!("{problems}\n{text}")).config;
    let observer: Arc<dyn Observer> = Arc::<Watcher>::clone(watcher);
    Client::start(config, Setup { clock, observers: vec![observer], keep_log: true }).await.unwrap()
}

/// Everything that a stream gave.
#[derive(Debug)]
pub struct Streamed {
    pub opened: Vec<mainstay::Opening>,
    pub events: Vec<ReplyEvent>,
    /// When each event came, counted from the start.
    pub times: Vec<Duration>,
    pub end: Result<Box<ChatResponse>, GaveUp>,
    pub took: Duration,
}

impl Streamed {
    /// Takes a stream to its end and checks what holds for every stream: one end, last.
    pub async fn of(mut stream: mainstay::ChatStream) -> Self {
        let began = Instant::now();
        let (mut opened, mut events, mut times, mut end) = (Vec::new(), Vec::new(), Vec::new(), None);
        while let Some(item) = stream.next().await {
            assert!(end.is_none(), "something came after the end: {item:?}");
            match item {
                Ok(StreamItem::Open(opening)) => opened.push(opening),
                Ok(StreamItem::Event(event)) => {
                    assert!(!opened.is_empty(), "an event before the opening: {event:?}");
                    times.push(began.elapsed());
                    events.push(event);
                }
                Ok(StreamItem::Done(response)) => end = Some(Ok(response)),
                Err(gave_up) => end = Some(Err(gave_up)),
            }
        }
        assert!(opened.len() <= 1, "opened twice: {opened:?}");
        let starts = events.iter().filter(|event| matches!(event, ReplyEvent::Start { .. })).count();
        assert!(starts <= 1, "begun twice: {events:?}");
        Self { opened, events, times, end: end.expect("a stream has an end"), took: began.elapsed() }
    }

    /// All visible text.
    pub fn text(&self) -> String {
        let text = |event: &ReplyEvent| match event {
            ReplyEvent::Text(text) => Some(text.clone()),
            _ => None,
        };
        self.events.iter().filter_map(text).collect()
    }

    /// All reasoning.
    pub fn reasoning(&self) -> String {
        let text = |event: &ReplyEvent| match event {
            ReplyEvent::Reasoning(text) => Some(text.clone()),
            _ => None,
        };
        self.events.iter().filter_map(text).collect()
    }

    /// The calls: name and arguments, whole ones only.
    pub fn calls(&self) -> Vec<(String, String)> {
        let mut calls: Vec<(String, String, bool)> = Vec::new();
        for event in &self.events {
            match event {
                ReplyEvent::ToolStart { index, name, .. } => {
                    assert_eq!(*index, calls.len(), "calls are numbered from 0: {:?}", self.events);
                    calls.push((name.clone(), String::new(), false));
                }
                ReplyEvent::ToolArguments { index, delta } => calls[*index].1.push_str(delta),
                ReplyEvent::ToolEnd { index } => calls[*index].2 = true,
                _ => {}
            }
        }
        calls.into_iter().filter(|call| call.2).map(|(name, arguments, _)| (name, arguments)).collect()
    }

    pub fn done(&self) -> &ChatResponse {
        self.end.as_ref().unwrap_or_else(|gave_up| panic!("{gave_up}: {gave_up:#?}"))
    }

    pub fn error(&self) -> &GaveUp {
        self.end.as_ref().expect_err("an error was expected")
    }
}
