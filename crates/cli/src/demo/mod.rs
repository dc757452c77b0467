//! `mainstay demo`: simulated providers misbehave on real sockets, the real gateway answers.
//!
//! Every row is measured while it is printed: the left column is what a plain HTTP client was handed by the
//! simulated provider, the right one what the same request brought through the gateway.

mod plain;
mod scenes;
mod table;

use std::time::Duration;

use mainstay_gateway::{Gateway, Options, Serving};
use mainstay_testkit::FakeProvider;

use crate::args::{DemoArgs, Global};
use crate::exit::Exit;
use crate::{out, settings};
use scenes::{SCENES, Scene, Shown};
use table::Stays;

/// The model that answers well in every scene.
const GOOD: &str = "steady";

/// Runs the demonstration.
pub(crate) async fn run(args: &DemoArgs, global: &Global) -> Result<(), Exit> {
    let folder = DemoFolder::create()?;
    let stage = Stage::build(&folder).await?;
    if !global.json {
        out::line(table::heading())?;
    }
    let mut shown = Vec::new();
    for scene in SCENES {
        let one = stage.play(scene).await?;
        if global.json {
            out::json(&one.to_json())?;
        } else {
            out::piece(&table::row(&one))?;
        }
        shown.push(one);
    }
    let story = stage.story(&shown).await?;
    if !global.json {
        let stays = (!args.once).then(|| stage.stays());
        out::line(table::closing(&shown, &story, stays.as_ref()))?;
    }
    let failed: Vec<&str> = shown.iter().filter(|one| !one.as_promised).map(|one| one.scene.title).collect();
    if args.once {
        stage.gateway.stop().await;
    } else {
        // Ctrl-C ends the demonstration; without a terminal there is nothing to wait for.
        let _ = tokio::signal::ctrl_c().await;
        stage.gateway.stop().await;
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(Exit::failed(format!("not as promised: {}", failed.join(", "))))
    }
}

/// A folder of its own for the call log, gone when the demonstration ends.
struct DemoFolder(std::path::PathBuf);

impl DemoFolder {
    fn create() -> Result<Self, Exit> {
        let path = std::env::temp_dir().join(format!("mainstay-demo-{}", std::process::id()));
        std::fs::create_dir_all(&path)
            .map_err(|error| Exit::failed(format!("{}: {error}", path.display())))?;
        Ok(Self(path))
    }

    fn log_path(&self) -> std::path::PathBuf {
        self.0.join("demo.db")
    }
}

impl Drop for DemoFolder {
    fn drop(&mut self) {
        // Left behind in the worst case; the system clears its temporary folder.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The simulated providers, and the real gateway in front of them.
struct Stage {
    cheap: FakeProvider,
    /// Kept alive for as long as the gateway may ask it.
    _sure: FakeProvider,
    gateway: Serving,
    http: reqwest::Client,
}

impl Stage {
    async fn build(folder: &DemoFolder) -> Result<Self, Exit> {
        let cheap = FakeProvider::start().await.map_err(Exit::failed)?;
        let sure = FakeProvider::start().await.map_err(Exit::failed)?;
        for scene in SCENES {
            cheap.on(scene.model, scene.script());
        }
        sure.otherwise(scenes::good_answer());
        let text = scenes::config(&cheap.base_url(), &sure.base_url(), &folder.log_path());
        let loaded = mainstay_config::load(&text, "the demonstration", &|_| None, settings::now());
        let loaded = loaded.map_err(Exit::usage)?;
        let mut config = loaded.config;
        config.server.listen.set_port(0);
        let gateway = Gateway::open(config, Options::default()).await?.serve().await.map_err(Exit::failed)?;
        let http = reqwest::Client::builder()
            .no_proxy()
            .timeout(Duration::from_secs(20))
            .build()
            .map_err(Exit::failed)?;
        Ok(Self { cheap, _sure: sure, gateway, http })
    }

    fn base_url(&self) -> String {
        format!("http://{}/v1", self.gateway.address())
    }

    fn stays(&self) -> Stays {
        Stays { base_url: self.base_url(), dashboard: self.gateway.dashboard_link().ok() }
    }

    /// The same request to the misbehaving provider and through the gateway.
    async fn play(&self, scene: &'static Scene) -> Result<Shown, Exit> {
        let plain = plain::ask(&self.http, &self.cheap.base_url(), scene.model, scene.stream).await;
        let ours = plain::ask(&self.http, &self.base_url(), scene.model, scene.stream).await;
        Ok(Shown::new(scene, plain, ours))
    }

    /// `why` for the most telling request of the demonstration.
    async fn story(&self, shown: &[Shown]) -> Result<String, Exit> {
        let Some(id) = shown.iter().find_map(|one| one.ours.request_id.clone()) else {
            return Ok(String::new());
        };
        let engine = self.gateway.client().engine();
        tokio::task::spawn_blocking(move || {
            let Some(store) = engine.store() else { return Ok(String::new()) };
            let rows = store.reader().map_err(Exit::failed)?.request(&id).map_err(Exit::failed)?;
            let story = mainstay_calllog::story(&rows, &jiff::tz::TimeZone::system());
            Ok(story.seen_from(engine.now()).to_string())
        })
        .await
        .map_err(Exit::failed)?
    }
}
