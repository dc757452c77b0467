//! A gateway for one dialect, with a chain for every cell, in front of one simulated provider that misbehaves and
//! one that is well.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use mainstay::{Client, Target};
use mainstay_calllog::{CallFilter, CallRecord};
use mainstay_fallback::TierHealth;
use mainstay_gateway::{Gateway, Options, Serving};
use mainstay_testkit::{FakeProvider, Reply, Spelling};

use crate::ask::Face;
use crate::cell::Cell;
use crate::expect::COOLDOWN;
use crate::places;
use crate::read::{Heard, read};
use crate::row::{Place, Row, Trouble};

/// How long a caller waits at most.
const PATIENCE: Duration = Duration::from_mins(1);

/// One dialect's gateway.
pub struct Lab {
    /// The provider of first tiers.
    pub bad: FakeProvider,
    /// The provider of second tiers.
    pub good: FakeProvider,
    gateway: Serving,
    http: reqwest::Client,
    _folder: tempfile::TempDir,
}

impl Lab {
    /// Starts it with a chain for each of those cells.
    pub async fn start(spelling: Spelling, cells: &[Cell], rows: &Arc<Vec<Row>>) -> Self {
        let (bad, good) = (FakeProvider::start().await.unwrap(), FakeProvider::start().await.unwrap());
        answer(&bad, cells, rows, Row::reply);
        answer(&good, cells, rows, |row| row.wish.healthy());
        let folder = tempfile::tempdir().unwrap();
        let log = format!("[log]\nurl = \"sqlite:{}\"\n", folder.path().join("log.db").display());
        let text = format!("{log}{}{}", providers(spelling, &bad, &good).await, chains(cells, rows));
        Self { bad, good, gateway: open(&text).await, http: http(), _folder: folder }
    }

    /// The engine behind the gateway.
    pub fn client(&self) -> &Client {
        self.gateway.client()
    }

    /// Asks as a client of that kind does.
    pub async fn ask(&self, cell: Cell, row: &Row) -> Heard {
        let chain = cell.chain();
        let body = row.wish.body(cell.face, &chain, cell.stream).to_string();
        ask(&self.http, &format!("http://{}", self.gateway.address()), cell.face, cell.stream, body).await
    }

    /// How a target fares now.
    pub fn health(&self, target: &Target) -> TierHealth {
        let engine = self.client().engine();
        engine.board().health_of(target, None, engine.now())
    }

    /// The log's rows by request, the oldest first, once all are written.
    pub async fn rows(&self) -> HashMap<String, Vec<CallRecord>> {
        let engine = self.client().engine();
        let rows = tokio::task::spawn_blocking(move || {
            let store = engine.store().unwrap();
            assert!(store.flush(PATIENCE), "the log was not written in time");
            store.reader().unwrap().calls(&CallFilter::default()).unwrap()
        });
        let mut by_request: HashMap<String, Vec<CallRecord>> = HashMap::new();
        for row in rows.await.unwrap().into_iter().rev() {
            by_request.entry(row.request_id.clone()).or_default().push(row);
        }
        by_request
    }
}

/// Opens a gateway with a configuration.
pub async fn open(text: &str) -> Serving {
    let now = mainstay::Clock::now(&mainstay::SystemClock::new());
    let loaded = mainstay_config::load(text, "faults.toml", &|_| None, now);
    let mut config = loaded.unwrap_or_else(|problems| panic!("{problems}")).config;
    config.server.listen.set_port(0);
    Gateway::open(config, Options::default()).await.unwrap().serve().await.unwrap()
}

/// A caller's HTTP client, which retries nothing.
pub fn http() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().timeout(PATIENCE).build().unwrap()
}

/// Asks a gateway.
pub async fn ask(http: &reqwest::Client, gateway: &str, face: Face, stream: bool, body: String) -> Heard {
    let request =
        http.post(format!("{gateway}{}", face.path())).header("content-type", "application/json").body(body);
    let reply = match request.send().await {
        Ok(reply) => reply,
        Err(error) => return Heard { body: format!("no reply: {error:?}"), ..Heard::default() },
    };
    let status = reply.status().as_u16();
    let fields = reply.headers().iter();
    let headers = fields
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap_or_default().to_owned()))
        .collect();
    let body = reply.text().await.unwrap_or_else(|error| format!("the body broke off: {error:?}"));
    Heard { status, headers, read: read(face, stream, status, &body), body }
}

/// Lets a provider answer each cell's model as its row has it.
fn answer(provider: &FakeProvider, cells: &[Cell], rows: &Arc<Vec<Row>>, reply: fn(&Row) -> Reply) {
    for cell in cells {
        let (rows, row) = (Arc::clone(rows), cell.row);
        provider.on(&cell.chain(), [Reply::by(move |_| reply(&rows[row]))]);
    }
}

async fn providers(spelling: Spelling, bad: &FakeProvider, good: &FakeProvider) -> String {
    let mut all = vec![("bad", bad.base_url()), ("good", good.base_url())];
    for place in Place::ALL {
        all.push((place.provider(), places::base_url(place, bad).await));
    }
    let mut text = format!(
        "[streaming]\nkeepalive = \"60s\"\n[defaults]\ncooldown = \"{COOLDOWN}s\"\nbackoff = \"1ms\"\nconnect_timeout = \"10s\"\n"
    );
    for (name, base_url) in all {
        let dialect = spelling.dialect();
        writeln!(
            text,
            "[providers.{name}]\ndialect = \"{dialect}\"\nauth = \"none\"\nbase_url = \"{base_url}\""
        )
        .unwrap();
    }
    text
}

fn chains(cells: &[Cell], rows: &[Row]) -> String {
    let mut text = String::new();
    for cell in cells {
        let (chain, row) = (cell.chain(), &rows[cell.row]);
        let provider = first_provider(row);
        writeln!(
            text,
            "[[chains.{chain}.tiers]]\nprovider = \"{provider}\"\nmodel = \"{chain}\"\nunpriced = true\n{}",
            row.limits
        )
        .unwrap();
        if !cell.alone {
            writeln!(
                text,
                "[[chains.{chain}.tiers]]\nprovider = \"good\"\nmodel = \"{chain}\"\nunpriced = true"
            )
            .unwrap();
        }
    }
    text
}

/// The provider of a row's first tier.
pub const fn first_provider(row: &Row) -> &'static str {
    match &row.trouble {
        Trouble::Fault(_) | Trouble::Made(_) => "bad",
        Trouble::Place(place) => place.provider(),
    }
}
