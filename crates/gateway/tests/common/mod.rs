//! A gateway in this process, in front of a simulated provider.

// Each test file uses a part of it.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::fmt::Write as _;

use mainstay::{Client, Clock, SystemClock};
use mainstay_gateway::{Gateway, Options, Serving};
use mainstay_testkit::FakeProvider;
use serde_json::{Value, json};

/// A running gateway and its provider.
pub struct Front {
    pub provider: FakeProvider,
    pub gateway: Serving,
    pub client: Client,
    folder: tempfile::TempDir,
    http: reqwest::Client,
}

/// What to ask.
#[derive(Clone, Default)]
pub struct Ask {
    pub stream: bool,
    pub model: Option<String>,
    pub body: Option<Value>,
    pub headers: Vec<(&'static str, String)>,
}

/// What was told.
#[derive(Debug)]
pub struct Told {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
    /// The answer's text, whole or joined.
    pub text: String,
    /// Whether the answer ended as its dialect wants it.
    pub finished: bool,
}

impl Told {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl Front {
    /// A gateway whose chain `default` has these models of the simulated provider as tiers.
    pub async fn start(models: &[&str]) -> Self {
        Self::start_with(models, "").await
    }

    /// The same with further configuration.
    pub async fn start_with(models: &[&str], further: &str) -> Self {
        let provider = FakeProvider::start().await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut text = format!(
            "{further}[log]\nurl = \"sqlite:{}\"\n[budget]\ndaily = \"5.00\"\n\
             [providers.fake]\ndialect = \"openai-chat\"\nbase_url = \"{}\"\nauth = \"none\"\n",
            folder.path().join("log.db").display(),
            provider.base_url(),
        );
        for model in models {
            let _ = writeln!(
                text,
                "[[chains.default.tiers]]\nprovider = \"fake\"\nmodel = \"{model}\"\nbackoff = \"1ms\"\n\
                 price = {{ input = \"1.00\", output = \"2.00\" }}"
            );
        }
        let now = SystemClock::new().now();
        let mut config = mainstay_config::load(&text, "test.toml", &|_| None, now).unwrap().config;
        config.server.listen.set_port(0);
        let gateway = Gateway::open(config, Options::default()).await.unwrap().serve().await.unwrap();
        let client = gateway.client().clone();
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { provider, gateway, client, folder, http }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.gateway.address())
    }

    /// Asks in OpenAI's dialect.
    pub async fn ask(&self, ask: Ask) -> Told {
        let model = ask.model.unwrap_or_else(|| "default".into());
        let body = ask.body.unwrap_or_else(|| {
            json!({"model": model, "stream": ask.stream, "max_tokens": 300,
                   "messages": [{"role": "user", "content": "Name three rivers of Portugal."}]})
        });
        let mut request = self
            .http
            .post(self.url("/v1/chat/completions"))
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
        let (text, finished) = if ask.stream { read_stream(&body) } else { read_whole(&body) };
        Told { status, headers, body, text, finished }
    }
}

fn read_whole(body: &str) -> (String, bool) {
    let reply: Value = serde_json::from_str(body).unwrap_or_default();
    let text = reply.pointer("/choices/0/message/content").and_then(Value::as_str).unwrap_or_default();
    (text.to_owned(), reply.pointer("/choices/0/finish_reason").is_some_and(Value::is_string))
}

fn read_stream(body: &str) -> (String, bool) {
    let mut text = String::new();
    let mut finish = false;
    for line in body.lines().filter_map(|line| line.strip_prefix("data: ")) {
        let event: Value = serde_json::from_str(line).unwrap_or_default();
        text.push_str(event.pointer("/choices/0/delta/content").and_then(Value::as_str).unwrap_or_default());
        finish |= event.pointer("/choices/0/finish_reason").is_some_and(Value::is_string);
    }
    (text, finish && body.trim_end().ends_with("data: [DONE]"))
}
