//! The provider that clients talk to, directly or through a gateway, and the gateway.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mainstay_testkit::{FakeProvider, Fault, Reply, Said, Seen};
use serde_json::Value;

use crate::client::Face;
use crate::common::Gateway;

/// What a good model answers; the scripts ask for it.
pub const RIVERS: &str = "The Douro, the Tagus and the Guadiana.";
/// What is said once a tool has answered.
pub const MILD: &str = "It is 18 degrees there.";
/// How many steps the loop has.
pub const STEPS: usize = 10;
/// What is said when they are done.
pub const ALL_DONE: &str = "All ten steps are done.";
/// The structured answer.
pub const SHAPED: &str = r#"{"city":"Porto","people":231962}"#;
/// A text that breaks off, longer than what is held back of it.
const BROKEN_OFF: &str = "The committee met on Tuesday to hear what had become of the bridge, and whether the road \
    to it would be open by the spring, for which the town had been waiting since";
/// When to come back, in seconds: longer than any client is ready to wait.
const LONG: u64 = 3600;

/// How a client reaches the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Its base URL is the provider's own.
    Directly,
    /// Through a gateway, before a provider that speaks this dialect.
    Through(Face),
}

impl Way {
    /// The three that a client is compared on.
    pub const fn all(face: Face) -> [Self; 3] {
        let other = match face {
            Face::Chat | Face::Responses => Face::Anthropic,
            Face::Anthropic => Face::Chat,
        };
        [Self::Directly, Self::Through(face), Self::Through(other)]
    }

    /// As people read it.
    pub fn name(self) -> String {
        match self {
            Self::Directly => "directly".into(),
            Self::Through(face) => format!("before {}", face.name()),
        }
    }
}

/// A provider, and the gateway before it where there is one.
pub struct Setting {
    pub provider: FakeProvider,
    /// Says only the answer that never ends, so that its connections can be counted.
    pub endless: FakeProvider,
    pub gateway: Option<Gateway>,
    _folder: tempfile::TempDir,
}

impl Setting {
    /// Starts what this way needs.
    pub async fn start(way: Way, face: Face) -> Self {
        let provider = FakeProvider::start().await.unwrap();
        let endless = FakeProvider::start().await.unwrap();
        good_answers(&provider);
        endless.on("endless", [Reply::Say(drip())]);
        let folder = tempfile::tempdir().unwrap();
        let gateway = match way {
            Way::Directly => {
                as_itself(&provider, face);
                None
            }
            Way::Through(face) => {
                misbehaving(&provider);
                Some(Gateway::start(&write_config(folder.path(), face, &provider, &endless)))
            }
        };
        Self { provider, endless, gateway, _folder: folder }
    }

    /// Where the client is sent, without a path.
    pub fn origin(&self) -> String {
        self.gateway.as_ref().map_or_else(|| self.provider.origin(), |gateway| gateway.base_url.clone())
    }
}

fn good_answers(provider: &FakeProvider) {
    provider
        .on("good", [Reply::text(RIVERS)])
        .on(
            "tool",
            [Reply::by(|seen| answer_once_told(seen, Said::call("get_weather", r#"{"city":"Porto"}"#)))],
        )
        .on(
            "parallel",
            [Reply::by(|seen| {
                let calls = Said::call("get_weather", r#"{"city":"Porto"}"#)
                    .and_call("get_weather", r#"{"city":"Lisbon"}"#);
                answer_once_told(seen, calls)
            })],
        )
        .on("shaped", [Reply::by(shaped)])
        .on("bad", [Reply::Fault(Fault::Status(400))])
        .on("refusing", [Reply::Fault(Fault::RefusalField)])
        .on("agent-backup", [Reply::by(step)]);
}

/// The provider as clients know it: it says so when it fails, and says so in a way that is soon over.
fn as_itself(provider: &FakeProvider, face: Face) {
    // By which each API says that it is out.
    let out = match face {
        Face::Chat | Face::Responses => 503,
        Face::Anthropic => 529,
    };
    let headers = vec![("retry-after-ms".to_owned(), "10".to_owned())];
    let body = r#"{"type":"error","error":{"type":"rate_limit_error","message":"Too many requests"}}"#;
    provider
        .on("outage", [Reply::Fault(Fault::Status(out))])
        .on("limited", [Reply::Fault(Fault::RateLimitedWith(headers, body.to_owned()))])
        .on("cut", [Reply::Fault(Fault::ErrorAfterText)])
        .on("agent", [Reply::by(step)])
        .on("endless", [Reply::Say(drip())]);
}

/// The provider as the gateway meets it.
fn misbehaving(provider: &FakeProvider) {
    let answers = AtomicUsize::new(1);
    provider
        .on("outage", [Reply::Fault(Fault::Status(500))])
        .on("limited", [Reply::Fault(Fault::RateLimited(LONG))])
        .on("cut", [Reply::Fault(Fault::CutInText(BROKEN_OFF.to_owned()))])
        .on(
            "agent",
            [Reply::by(move |seen| match answers.fetch_add(1, Ordering::SeqCst) {
                at if at % 12 == 0 => Reply::Fault(Fault::RefusalField),
                at if at % 6 == 0 => Reply::Fault(Fault::Empty),
                _ => step(seen),
            })],
        );
}

/// More text than anybody waits for.
fn drip() -> Said {
    Said::text(&"One more word and then another. ".repeat(200)).slowly(Duration::from_millis(20))
}

/// These calls at first, and words when their results are there.
fn answer_once_told(seen: &Seen, calls: Said) -> Reply {
    if results(&seen.body) == 0 { Reply::Say(calls) } else { Reply::text(MILD) }
}

/// The next step of the loop, by how many results are there already.
fn step(seen: &Seen) -> Reply {
    match results(&seen.body) {
        STEPS.. => Reply::text(ALL_DONE),
        done => {
            let mut said = Said::call("next_step", &format!(r#"{{"step":{}}}"#, done + 1));
            // As with a real model, no two calls of a conversation have one id.
            said.calls.iter_mut().for_each(|call| call.id = format!("call_step_{}", done + 1));
            Reply::Say(said)
        }
    }
}

/// The structured answer, in the form in which this client asks: as a tool's arguments, or as text.
fn shaped(seen: &Seen) -> Reply {
    let tool = seen
        .body
        .pointer("/tools/0")
        .and_then(|tool| tool.pointer("/function/name").or_else(|| tool.get("name")).and_then(Value::as_str));
    match tool {
        Some(name) => Reply::Say(Said::call(name, SHAPED)),
        None => Reply::text(SHAPED),
    }
}

/// How many results of tools stand in a conversation, in whichever dialect.
fn results(value: &Value) -> usize {
    let here = ["tool_result", "function_call_output"].iter().any(|word| value["type"] == *word)
        || value["role"] == "tool";
    let inside = match value {
        Value::Array(items) => items.iter().map(results).sum(),
        Value::Object(members) => members.values().map(results).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    };
    inside + usize::from(here)
}

/// The section of a provider that speaks this dialect.
pub fn section(name: &str, face: Face, provider: &FakeProvider) -> String {
    let (dialect, base_url) = match face {
        Face::Chat => ("openai-chat", provider.base_url()),
        Face::Responses => ("openai-responses", provider.base_url()),
        Face::Anthropic => ("anthropic", provider.origin()),
    };
    format!("[providers.{name}]\ndialect = \"{dialect}\"\nbase_url = \"{base_url}\"\nauth = \"none\"\n")
}

/// One chain for each model, named as the model is.
fn write_config(
    folder: &Path,
    face: Face,
    provider: &FakeProvider,
    endless: &FakeProvider,
) -> std::path::PathBuf {
    let mut text = format!(
        "[server]\nlisten = \"127.0.0.1:0\"\n[log]\nurl = \"sqlite:{}\"\n[budget]\ndaily = \"5.00\"\n{}{}",
        folder.join("log.db").display(),
        section("fake", face, provider),
        section("endless", face, endless),
    );
    let models = ["good", "tool", "parallel", "shaped", "bad", "outage", "limited", "refusing", "cut"];
    for model in models {
        text += &tier(model, "fake", model);
    }
    text += &(tier("endless", "endless", "endless") + &tier("agent", "fake", "agent"));
    text += &tier("agent", "fake", "agent-backup");
    let path = folder.join("mainstay.toml");
    std::fs::write(&path, text).unwrap();
    path
}

/// One tier of a chain.
pub fn tier(chain: &str, provider: &str, model: &str) -> String {
    format!(
        "[[chains.{chain}.tiers]]\nprovider = \"{provider}\"\nmodel = \"{model}\"\nbackoff = \"10ms\"\n\
         price = {{ input = \"1.00\", output = \"2.00\" }}\n"
    )
}
