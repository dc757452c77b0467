//! A plain client, as anyone would write one: it believes what it is handed.

use std::time::Instant;

use serde_json::{Value, json};

/// What a plain client was handed.
#[derive(Debug, Default)]
pub(crate) struct Handed {
    /// HTTP status; `None` when the connection failed before one.
    pub(crate) status: Option<u16>,
    /// The text of the answer.
    pub(crate) text: String,
    /// What the client would have raised, if anything.
    pub(crate) broken: Option<String>,
    /// Milliseconds from asking to the end.
    pub(crate) took_ms: u128,
    /// The tier, when the gateway says so.
    pub(crate) tier: Option<String>,
    /// How many upstream calls were made, when the gateway says so.
    pub(crate) attempts: Option<String>,
    /// Our id of the request.
    pub(crate) request_id: Option<String>,
}

impl Handed {
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "status": self.status, "text": self.text, "error": self.broken, "took_ms": self.took_ms,
            "tier": self.tier, "attempts": self.attempts, "request_id": self.request_id,
        })
    }
}

/// Asks one question in OpenAI's dialect.
pub(crate) async fn ask(http: &reqwest::Client, base_url: &str, model: &str, stream: bool) -> Handed {
    let began = Instant::now();
    let mut handed = Handed::default();
    let body = json!({
        "model": model, "stream": stream, "max_tokens": 200,
        "messages": [{"role": "user", "content": "Which river runs through Porto?"}],
    });
    let sent = http
        .post(format!("{base_url}/chat/completions"))
        .header("content-type", "application/json")
        .body(body.to_string())
        .send()
        .await;
    match sent {
        Err(error) => handed.broken = Some(short(&error)),
        Ok(mut reply) => {
            handed.status = Some(reply.status().as_u16());
            let header = |name: &str| {
                reply.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
            };
            handed.tier = header("x-mainstay-tier");
            handed.attempts = header("x-mainstay-attempts");
            handed.request_id = header("x-mainstay-request-id");
            let mut bytes = Vec::new();
            loop {
                match reply.chunk().await {
                    Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
                    Ok(None) => break,
                    Err(error) => {
                        handed.broken = Some(short(&error));
                        break;
                    }
                }
            }
            read(&mut handed, &String::from_utf8_lossy(&bytes), stream);
        }
    }
    handed.took_ms = began.elapsed().as_millis();
    handed
}

fn read(handed: &mut Handed, body: &str, stream: bool) {
    if handed.status != Some(200) {
        let error: Value = serde_json::from_str(body).unwrap_or_default();
        let message = error.pointer("/error/message").and_then(Value::as_str).unwrap_or("an error");
        handed.broken = Some(message.to_owned());
    } else if stream {
        for event in body.lines().filter_map(|line| line.strip_prefix("data: ")) {
            let event: Value = serde_json::from_str(event).unwrap_or_default();
            handed.text.push_str(
                event.pointer("/choices/0/delta/content").and_then(Value::as_str).unwrap_or_default(),
            );
        }
    } else {
        let reply: Value = serde_json::from_str(body).unwrap_or_default();
        match reply.pointer("/choices/0/message") {
            Some(message) => {
                handed.text.push_str(message.get("content").and_then(Value::as_str).unwrap_or_default());
            }
            // What the two lines of code say that everybody writes.
            None if reply.get("choices").is_some() => {
                handed.broken = Some("choices[0]: index out of range".into());
            }
            None => handed.broken = Some("'choices': no such key".into()),
        }
    }
}

fn short(error: &reqwest::Error) -> String {
    if error.is_connect() { "connection failed".into() } else { "connection broke off".into() }
}
