//! A gateway in this process, in front of a simulated provider.

// Each test file uses a part of it.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::fmt::Write as _;
use std::time::Duration;

use mainstay::{Client, Clock, SystemClock};
use mainstay_calllog::{CallFilter, CallRecord};
use mainstay_gateway::{Gateway, Options, Serving};
use mainstay_testkit::FakeProvider;
use serde_json::{Value, json};

/// A running gateway and its provider.
pub struct Front {
    pub provider: FakeProvider,
    pub gateway: Serving,
    pub client: Client,
    pub folder: tempfile::TempDir,
    pub http: reqwest::Client,
}

/// Somebody who asks a gateway.
#[derive(Clone)]
pub struct Asker {
    http: reqwest::Client,
    base: String,
}

/// Whose SDK asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    #[default]
    OpenAi,
    Anthropic,
    /// OpenAI's, at its Responses API.
    Responses,
}

/// What to ask.
#[derive(Clone, Default)]
pub struct Ask {
    pub by: By,
    pub stream: bool,
    pub model: Option<String>,
    pub body: Option<Value>,
    pub headers: Vec<(&'static str, String)>,
}

impl Ask {
    pub fn by(by: By, stream: bool) -> Self {
        Self { by, stream, ..Self::default() }
    }
}

/// What was told.
#[derive(Debug)]
pub struct Told {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
    /// The answer's text, whole or joined.
    pub text: String,
    /// The first tool call, as name and arguments.
    pub call: Option<(String, String)>,
    /// Whether the answer ended as its dialect wants it.
    pub finished: bool,
}

impl Told {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The story in the closing comment of a stream.
    pub fn comment(&self) -> Value {
        let line = self.body.lines().find_map(|line| line.strip_prefix(": mainstay "));
        line.and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default()
    }
}

impl Front {
    /// A gateway whose chain `default` has these models as tiers: `model` of the simulated provider in
    /// OpenAI's dialect, `claude/model` in Anthropic's, and in any dialect under its own name, such as
    /// `ollama/model`.
    pub async fn start(models: &[&str]) -> Self {
        Self::start_with(models, "").await
    }

    /// The same with further configuration.
    pub async fn start_with(models: &[&str], further: &str) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), models, further, &|_| None).await
    }

    /// The same in that folder, with those variables.
    pub async fn start_in(
        folder: tempfile::TempDir,
        models: &[&str],
        further: &str,
        variables: &dyn Fn(&str) -> Option<String>,
    ) -> Self {
        let provider = FakeProvider::start().await.unwrap();
        let text = config(&provider, folder.path(), models, further);
        let now = SystemClock::new().now();
        let loaded = mainstay_config::load(&text, "test.toml", variables, now);
        let mut config = loaded.unwrap_or_else(|problems| panic!("{problems}\n{text}")).config;
        config.server.listen.set_port(0);
        let options = Options { admin_token_file: Some(folder.path().join("state/admin-token")) };
        let gateway = Gateway::open(config, options).await.unwrap().serve().await.unwrap();
        let client = gateway.client().clone();
        let http = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(Duration::from_mins(1))
            .build()
            .unwrap();
        Self { provider, gateway, client, folder, http }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.gateway.address())
    }

    /// The admin token, from the file that keeps it.
    pub fn admin_token(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("state/admin-token")).unwrap().trim().to_owned()
    }

    /// Asks as an SDK does.
    pub async fn ask(&self, ask: Ask) -> Told {
        self.asker().ask(ask).await
    }

    /// Somebody who asks from a task of its own.
    pub fn asker(&self) -> Asker {
        Asker { http: self.http.clone(), base: self.url("") }
    }

    /// Asks the admin API with the admin token.
    pub async fn admin(&self, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        let mut request =
            self.http.request(method.parse().unwrap(), self.url(path)).bearer_auth(self.admin_token());
        if let Some(body) = body {
            request = request.json(&body);
        }
        let reply = request.send().await.unwrap();
        let status = reply.status().as_u16();
        let text = reply.text().await.unwrap();
        (status, serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")))
    }

    /// The rows of the call log, the newest first.
    pub async fn rows(&self) -> Vec<CallRecord> {
        let engine = self.client.engine();
        tokio::task::spawn_blocking(move || {
            engine.store().unwrap().reader().unwrap().calls(&CallFilter::default()).unwrap()
        })
        .await
        .unwrap()
    }

    /// Waits until something holds; panics when it does not come to hold within ten seconds.
    pub async fn until(&self, what: &str, holds: impl AsyncFn(&Self) -> bool) {
        for _ in 0..500 {
            if holds(self).await {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("it never came to hold that {what}");
    }
}

impl Asker {
    /// Asks as an SDK does.
    pub async fn ask(&self, ask: Ask) -> Told {
        let model = ask.model.unwrap_or_else(|| "default".into());
        let body = ask.body.unwrap_or_else(|| {
            let question = "Name three rivers of Portugal.";
            match ask.by {
                By::OpenAi | By::Anthropic => {
                    json!({"model": model, "stream": ask.stream, "max_tokens": 300,
                           "messages": [{"role": "user", "content": question}]})
                }
                By::Responses => json!({"model": model, "stream": ask.stream, "input": question}),
            }
        });
        let path = match ask.by {
            By::OpenAi => "/v1/chat/completions",
            By::Anthropic => "/v1/messages",
            By::Responses => "/v1/responses",
        };
        let mut request = self
            .http
            .post(format!("{}{path}", self.base))
            .header("content-type", "application/json")
            .body(body.to_string());
        for (name, value) in ask.headers {
            request = request.header(name, value);
        }
        let reply = request.send().await.unwrap();
        let status = reply.status().as_u16();
        let headers = reply
            .headers()
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap_or_default().to_owned()))
            .collect();
        let body = reply.text().await.unwrap_or_default();
        let read = match (ask.by, ask.stream) {
            (By::OpenAi, false) => openai::whole(&body),
            (By::OpenAi, true) => openai::stream(&body),
            (By::Anthropic, false) => anthropic::whole(&body),
            (By::Anthropic, true) => anthropic::stream(&body),
            (By::Responses, false) => responses::whole(&body),
            (By::Responses, true) => responses::stream(&body),
        };
        Told { status, headers, body, text: read.text, call: read.call, finished: read.finished }
    }
}

/// The text of a configuration.
pub fn config(provider: &FakeProvider, folder: &std::path::Path, models: &[&str], further: &str) -> String {
    let budget = if further.contains("[budget]") { "" } else { "[budget]\ndaily = \"5.00\"\n" };
    let mut text = format!(
        "{further}\n[log]\nurl = \"sqlite:{}\"\n{budget}\
         [providers.fake]\ndialect = \"openai-chat\"\nbase_url = \"{}\"\nauth = \"none\"\n\
         [providers.claude]\ndialect = \"anthropic\"\nbase_url = \"http://{}\"\nauth = \"none\"\n",
        folder.join("log.db").display(),
        provider.base_url(),
        provider.address(),
    );
    // In each dialect a provider of its name, two of which are built in.
    for spelling in mainstay_testkit::Spelling::ALL {
        let name = tier_provider(spelling);
        let _ = writeln!(
            text,
            "[providers.{name}]\ndialect = \"{}\"\nbase_url = \"{}\"\nauth = \"none\"",
            spelling.dialect(),
            provider.base_url()
        );
    }
    for model in models {
        let (model, more) = model.split_once(' ').unwrap_or((model, ""));
        let (provider, model) = model.split_once('/').unwrap_or(("fake", model));
        let _ = writeln!(
            text,
            "[[chains.default.tiers]]\nprovider = \"{provider}\"\nmodel = {}\nbackoff = \"1ms\"\n\
             price = {{ input = \"1.00\", output = \"2.00\" }}\n{more}",
            json!(model)
        );
    }
    text
}

/// The provider of a chain's tiers that speaks so.
pub const fn tier_provider(spelling: mainstay_testkit::Spelling) -> &'static str {
    spelling.dialect()
}

/// What was read out of an answer.
#[derive(Default)]
struct Read {
    text: String,
    call: Option<(String, String)>,
    finished: bool,
}

fn text_at(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The data of the events of a stream, each with its name.
fn events(body: &str) -> Vec<(String, Value)> {
    let mut name = String::new();
    let mut events = Vec::new();
    for line in body.lines() {
        if let Some(event) = line.strip_prefix("event: ") {
            event.clone_into(&mut name);
        } else if let Some(data) = line.strip_prefix("data: ") {
            events.push((std::mem::take(&mut name), serde_json::from_str(data).unwrap_or_default()));
        }
    }
    events
}

mod openai {
    use super::{Read, Value, events, text_at};

    pub(super) fn whole(body: &str) -> Read {
        let reply: Value = serde_json::from_str(body).unwrap_or_default();
        let function = reply.pointer("/choices/0/message/tool_calls/0/function");
        Read {
            text: text_at(&reply, "/choices/0/message/content"),
            call: function.map(|call| (text_at(call, "/name"), text_at(call, "/arguments"))),
            finished: reply.pointer("/choices/0/finish_reason").is_some_and(Value::is_string),
        }
    }

    pub(super) fn stream(body: &str) -> Read {
        let mut read = Read::default();
        let mut finish = false;
        for (_, event) in events(body) {
            read.text.push_str(&text_at(&event, "/choices/0/delta/content"));
            if let Some(function) = event.pointer("/choices/0/delta/tool_calls/0/function") {
                let call = read.call.get_or_insert_default();
                call.0.push_str(&text_at(function, "/name"));
                call.1.push_str(&text_at(function, "/arguments"));
            }
            finish |= event.pointer("/choices/0/finish_reason").is_some_and(Value::is_string);
        }
        read.finished = finish && body.trim_end().ends_with("data: [DONE]");
        read
    }
}

mod anthropic {
    use super::{Read, Value, events, text_at};

    pub(super) fn whole(body: &str) -> Read {
        let reply: Value = serde_json::from_str(body).unwrap_or_default();
        let blocks = reply["content"].as_array().cloned().unwrap_or_default();
        let call = blocks.iter().find(|block| block["type"] == "tool_use");
        Read {
            text: blocks.iter().map(|block| text_at(block, "/text")).collect(),
            call: call.map(|call| (text_at(call, "/name"), call["input"].to_string())),
            finished: reply["stop_reason"].is_string(),
        }
    }

    /// Keeps the SDK's rules: `message_start` first, an event without a name is no event, the name is the type.
    pub(super) fn stream(body: &str) -> Read {
        let mut read = Read::default();
        let events: Vec<_> =
            events(body).into_iter().filter(|(name, _)| !name.is_empty() && name != "ping").collect();
        for (name, event) in &events {
            assert_eq!(event["type"], name.as_str(), "{body}");
            read.text.push_str(&text_at(event, "/delta/text"));
            if text_at(event, "/content_block/type") == "tool_use" {
                read.call = Some((text_at(event, "/content_block/name"), String::new()));
            }
            if let Some(call) = &mut read.call {
                call.1.push_str(&text_at(event, "/delta/partial_json"));
            }
        }
        let stopped =
            events.iter().any(|(_, event)| event.pointer("/delta/stop_reason").is_some_and(Value::is_string));
        let is_named =
            |event: Option<&(String, Value)>, word: &str| event.is_some_and(|(name, _)| name == word);
        read.finished =
            is_named(events.first(), "message_start") && stopped && is_named(events.last(), "message_stop");
        read
    }
}

mod responses {
    use super::{Read, Value, events, text_at};

    pub(super) fn whole(body: &str) -> Read {
        of(&serde_json::from_str(body).unwrap_or_default())
    }

    fn of(response: &Value) -> Read {
        let items = response["output"].as_array().cloned().unwrap_or_default();
        let call = items.iter().find(|item| item["type"] == "function_call");
        let parts = items.iter().flat_map(|item| item["content"].as_array().cloned().unwrap_or_default());
        Read {
            text: parts.map(|part| text_at(&part, "/text")).collect(),
            call: call.map(|call| (text_at(call, "/name"), text_at(call, "/arguments"))),
            finished: matches!(response["status"].as_str(), Some("completed" | "incomplete")),
        }
    }

    /// Keeps the SDK's rules: the name is the type, numbers rise one by one, every item is announced before anything
    /// is said of it, and the last event has the items that were done.
    pub(super) fn stream(body: &str) -> Read {
        let events = events(body);
        let (mut announced, mut done) = (Vec::new(), Vec::new());
        for (number, (name, event)) in events.iter().enumerate() {
            assert_eq!(
                (&event["type"], &event["sequence_number"]),
                (&name.as_str().into(), &number.into()),
                "{body}"
            );
            let index = event["output_index"].as_u64();
            match name.as_str() {
                "response.output_item.added" => {
                    assert_eq!(index, Some(announced.len() as u64), "{body}");
                    announced.push(event["item"]["id"].clone());
                }
                "response.output_item.done" => done.push(event["item"].clone()),
                _ => assert!(index.is_none_or(|index| index < announced.len() as u64), "{body}"),
            }
            if let Some(id) = event.get("item_id") {
                assert_eq!(announced.get(usize::try_from(index.unwrap()).unwrap()), Some(id), "{body}");
            }
        }
        let last = events.last().map(|(_, event)| &event["response"]).filter(|response| response.is_object());
        let last = last.cloned().unwrap_or_default();
        if last["status"] == "completed" {
            let ids = |items: &[Value]| {
                let mut ids: Vec<String> = items.iter().map(|item| item["id"].to_string()).collect();
                ids.sort();
                ids
            };
            assert_eq!(ids(&done), ids(last["output"].as_array().unwrap()), "{body}");
        }
        of(&last)
    }
}
