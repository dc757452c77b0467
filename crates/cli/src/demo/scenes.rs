//! The scenes: what the simulated provider does, and what must come of it.

use std::fmt::Write as _;
use std::path::Path;

use mainstay_testkit::{Fault, Reply, Said};
use serde_json::{Value, json};

use super::GOOD;
use super::plain::Handed;

/// What the reliable provider says.
const ANSWER: &str = "It is the Douro.";

/// One fault and how it is asked for.
#[derive(Debug)]
pub(crate) struct Scene {
    /// What happens, in a few words.
    pub(crate) title: &'static str,
    /// The model of the misbehaving provider; also the name of the chain.
    pub(crate) model: &'static str,
    /// Whether a stream is asked for.
    pub(crate) stream: bool,
    fault: fn() -> Fault,
}

/// All scenes, in the order of the table.
pub(crate) const SCENES: &[Scene] = &[
    Scene { title: "an empty answer", model: "empty", stream: false, fault: || Fault::Empty },
    Scene { title: "{\"choices\": []}", model: "no-choices", stream: false, fault: || Fault::NoChoices },
    Scene { title: "a lone full stop", model: "dot", stream: false, fault: || Fault::Dot },
    Scene { title: "a refusal, streamed", model: "refusal", stream: true, fault: || Fault::Refusal },
    Scene {
        title: "429, Retry-After: 30",
        model: "rate-limited",
        stream: false,
        fault: || Fault::RateLimited(30),
    },
    Scene { title: "500", model: "server-error", stream: false, fault: || Fault::Status(500) },
    Scene {
        title: "an error inside a 200",
        model: "error-inside",
        stream: false,
        fault: || Fault::ErrorInside200,
    },
    Scene {
        title: "a stream cut early",
        model: "cut-stream",
        stream: true,
        fault: || Fault::CutBeforeContent,
    },
];

impl Scene {
    /// What the provider answers, again and again.
    pub(crate) fn script(&self) -> Vec<Reply> {
        vec![Reply::Fault((self.fault)())]
    }
}

/// What the reliable provider answers to everything.
pub(crate) fn good_answer() -> Reply {
    Reply::Say(Said::text(ANSWER).tokens(21, 6))
}

/// A chain for each scene: the misbehaving model first, the reliable one after it.
pub(crate) fn config(cheap: &str, sure: &str, log: &Path) -> String {
    let mut text = format!(
        "[log]\nurl = {}\n[budget]\ndaily = \"1.00\"\n\
         [providers.cheap]\ndialect = \"openai-chat\"\nbase_url = \"{cheap}\"\nauth = \"none\"\n\
         [providers.sure]\ndialect = \"openai-chat\"\nbase_url = \"{sure}\"\nauth = \"none\"\n",
        json!(format!("sqlite:{}", log.display())),
    );
    for scene in SCENES {
        let name = scene.model;
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "[[chains.{name}.tiers]]\nprovider = \"cheap\"\nmodel = \"{name}\"\nbackoff = \"50ms\"\n\
             price = {{ input = \"0.10\", output = \"0.40\" }}\n\
             [[chains.{name}.tiers]]\nprovider = \"sure\"\nmodel = \"{GOOD}\"\n\
             price = {{ input = \"1.00\", output = \"4.00\" }}\n"
        );
    }
    text
}

/// One scene with what both sides were handed.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) scene: &'static Scene,
    pub(crate) plain: Handed,
    pub(crate) ours: Handed,
    /// Whether the caller got the good answer through the gateway.
    pub(crate) as_promised: bool,
}

impl Shown {
    pub(crate) fn new(scene: &'static Scene, plain: Handed, ours: Handed) -> Self {
        let as_promised = ours.status == Some(200) && ours.text == ANSWER && ours.broken.is_none();
        Self { scene, plain, ours, as_promised }
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({
            "fault": self.scene.title,
            "stream": self.scene.stream,
            "simulated": true,
            "without": self.plain.to_json(),
            "with": self.ours.to_json(),
            "as_promised": self.as_promised,
        })
    }
}
