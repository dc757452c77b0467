//! Asks through a running gateway, in OpenAI's dialect, as any client would.

use std::time::Instant;

use mainstay::{Expect, Quality};
use mainstay_calllog::CallRecord;
use mainstay_config::Config;
use reqwest::Response;
use serde_json::{Value, json};

use super::{Failed, Question, Replied, Show, trail_line};
use crate::args::Global;
use crate::exit::Exit;
use crate::running::Running;
use crate::settings;

/// The variable that holds a client's key, where the gateway wants one.
const KEY_VARIABLE: &str = "MAINSTAY_API_KEY";
/// Longest answer, and longest line of a stream, that is read, in bytes.
const LONGEST: usize = 64 << 20;

/// A gateway that answers.
pub(crate) struct Through {
    running: Running,
    /// What is asked where the question names nothing.
    default: String,
    global: Global,
}

impl Through {
    /// The gateway, if it answers.
    pub(super) async fn find(running: Running, config: &Config, global: &Global) -> Option<Self> {
        let alive = running.http().get(format!("{}/healthz", running.url())).send().await;
        alive.ok()?.error_for_status().ok()?;
        let default = config.default_chain().map_or_else(|| "default".to_owned(), |chain| chain.name.clone());
        Some(Self { running, default, global: global.clone() })
    }

    pub(super) fn url(&self) -> &str {
        self.running.url()
    }

    /// Asks; shows the pieces where there is somebody to show them to.
    pub(super) async fn ask(
        &self,
        question: &Question,
        show: Show<'_>,
    ) -> Result<Result<Replied, Failed>, Exit> {
        let began = Instant::now();
        let reply =
            self.post("chat/completions", &self.chat_body(question, show.is_some()), question).await?;
        let mut found = of_headers(&reply);
        if !reply.status().is_success() {
            return Ok(Err(self.failed(reply, found.request_id).await));
        }
        let broken = match show {
            None => read_whole(reply, &mut found).await?,
            Some(show) => read_stream(reply, &mut found, show).await?,
        };
        Ok(self.told(found, broken, began))
    }

    /// Asks for a vector. That it is one is for the gateway to check.
    pub(super) async fn embed(&self, question: &Question) -> Result<Result<Replied, Failed>, Exit> {
        let began = Instant::now();
        let name = question.name.as_ref().unwrap_or(&self.default);
        let body = json!({"model": name, "input": question.prompt});
        let reply = self.post("embeddings", &body, question).await?;
        let mut found = of_headers(&reply);
        if !reply.status().is_success() {
            return Ok(Err(self.failed(reply, found.request_id).await));
        }
        let broken = read_whole(reply, &mut found).await?;
        Ok(self.told(found, broken, began))
    }

    /// What came of it, with the trail.
    fn told(&self, mut found: Replied, broken: Option<String>, began: Instant) -> Result<Replied, Failed> {
        found.latency_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        found.trail = self.trail(&found.request_id);
        let trail = std::mem::take(&mut found.trail);
        match broken {
            None => Ok(Replied { trail, ..found }),
            Some(message) => {
                Err(Failed { message, is_usage: false, request_id: Some(found.request_id), trail })
            }
        }
    }

    fn chat_body(&self, question: &Question, stream: bool) -> Value {
        json!({
            "model": question.name.as_ref().unwrap_or(&self.default),
            "messages": [{"role": "user", "content": question.prompt}],
            "stream": stream,
            "max_completion_tokens": question.max_tokens,
        })
    }

    async fn post(&self, route: &str, body: &Value, question: &Question) -> Result<Response, Exit> {
        let url = format!("{}/v1/{route}", self.running.url());
        let mut request = self.running.http().post(url).header("content-type", "application/json");
        match question.expect {
            Expect::Any => {}
            Expect::Short => request = request.header("x-mainstay-expect", "short"),
            Expect::Long => request = request.header("x-mainstay-expect", "long"),
        }
        if let Some(deadline) = question.deadline {
            request = request.header("x-mainstay-deadline-ms", deadline.as_millis().to_string());
        }
        if let Some(key) = settings::variable(KEY_VARIABLE).filter(|key| !key.trim().is_empty()) {
            request = request.bearer_auth(key.trim());
        }
        let sent = request.body(body.to_string()).send().await;
        sent.map_err(|error| Exit::failed(format!("the gateway at {}: {error}", self.running.url())))
    }

    async fn failed(&self, reply: Response, request_id: String) -> Failed {
        let status = reply.status().as_u16();
        let body: Value = serde_json::from_str(&reply.text().await.unwrap_or_default()).unwrap_or_default();
        let said = body.pointer("/error/message").and_then(Value::as_str).unwrap_or("an error without words");
        let message = if status == 401 {
            format!("{said}\nthis gateway wants a client key: set {KEY_VARIABLE}")
        } else {
            said.to_owned()
        };
        let trail = self.trail(&request_id);
        Failed {
            message,
            is_usage: matches!(status, 400 | 401 | 404),
            request_id: Some(request_id).filter(|id| !id.is_empty()),
            trail,
        }
    }

    /// What the log says of it; nothing where the log is not at hand.
    fn trail(&self, request_id: &str) -> Vec<String> {
        let rows = settings::open_log(&self.global).ok().and_then(|log| log.request(request_id).ok());
        rows.unwrap_or_default().iter().map(line).collect()
    }
}

fn line(row: &CallRecord) -> String {
    let kind = row.error_kind.as_deref();
    let verdict = kind.or(row.quality.map(Quality::word)).unwrap_or(row.outcome.word());
    trail_line(row.attempt, row.tier.as_deref().unwrap_or("-"), verdict, row.latency_ms, row.cost.known())
}

fn of_headers(reply: &Response) -> Replied {
    let header =
        |name: &str| reply.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    Replied {
        request_id: header("x-mainstay-request-id").unwrap_or_default(),
        tier: header("x-mainstay-tier").unwrap_or_default(),
        quality: header("x-mainstay-quality").unwrap_or_default(),
        cost: header("x-mainstay-cost-usd").and_then(|cost| cost.parse().ok()),
        attempts: header("x-mainstay-attempts").and_then(|count| count.parse().ok()).unwrap_or(0),
        ..Replied::default()
    }
}

/// Reads a whole answer; the error is why it cannot be used.
async fn read_whole(mut reply: Response, found: &mut Replied) -> Result<Option<String>, Exit> {
    let mut bytes = Vec::new();
    loop {
        match reply.chunk().await {
            Ok(Some(chunk)) if bytes.len() + chunk.len() <= LONGEST => bytes.extend_from_slice(&chunk),
            Ok(Some(_)) => return Ok(Some("the answer is too long".to_owned())),
            Ok(None) => break,
            Err(error) => return Ok(Some(format!("the answer broke off: {error}"))),
        }
    }
    let body: Value = match serde_json::from_slice(&bytes) {
        Ok(body) => body,
        Err(error) => return Ok(Some(format!("the answer cannot be read: {error}"))),
    };
    let text = |pointer: &str| body.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    found.text = text("/choices/0/message/content").unwrap_or_default();
    found.refusal = text("/choices/0/message/refusal");
    found.finish_reason = text("/choices/0/finish_reason");
    found.model = text("/model");
    found.prompt_tokens = body.pointer("/usage/prompt_tokens").and_then(Value::as_u64);
    found.completion_tokens = body.pointer("/usage/completion_tokens").and_then(Value::as_u64);
    Ok(None)
}

/// Reads a stream and shows its text; the error is why it ended too soon.
async fn read_stream(
    mut reply: Response,
    found: &mut Replied,
    show: &mut dyn FnMut(&str) -> Result<(), Exit>,
) -> Result<Option<String>, Exit> {
    let mut waiting = Vec::new();
    loop {
        let chunk = match reply.chunk().await {
            Ok(Some(chunk)) => chunk,
            Ok(None) => return Ok(Some("the answer broke off".to_owned())),
            Err(error) => return Ok(Some(format!("the answer broke off: {error}"))),
        };
        waiting.extend_from_slice(&chunk);
        while let Some(end) = waiting.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = waiting.drain(..=end).collect();
            match read_line(String::from_utf8_lossy(&line).trim_end(), found) {
                Line::Nothing => {}
                Line::Text(text) => show(&text)?,
                Line::End => return Ok(None),
                Line::Error(message) => return Ok(Some(message)),
            }
        }
        if waiting.len() > LONGEST {
            return Ok(Some("a line of the answer is too long".to_owned()));
        }
    }
}

/// What one line of a stream says.
#[derive(Debug, PartialEq)]
enum Line {
    Nothing,
    Text(String),
    End,
    Error(String),
}

fn read_line(line: &str, found: &mut Replied) -> Line {
    if let Some(comment) = line.strip_prefix(": mainstay ") {
        let told: Value = serde_json::from_str(comment).unwrap_or_default();
        let text = |name: &str| told.get(name).and_then(Value::as_str).map(str::to_owned);
        found.tier = text("tier").unwrap_or_default();
        found.quality = text("quality").unwrap_or_default();
        found.cost = text("cost_usd").and_then(|cost| cost.parse().ok());
        return Line::Nothing;
    }
    let Some(data) = line.strip_prefix("data: ") else { return Line::Nothing };
    if data == "[DONE]" {
        return Line::End;
    }
    let event: Value = serde_json::from_str(data).unwrap_or_default();
    if let Some(message) = event.pointer("/error/message").and_then(Value::as_str) {
        return Line::Error(message.to_owned());
    }
    let delta = |name: &str| event.pointer(&format!("/choices/0/delta/{name}")).and_then(Value::as_str);
    let text = [delta("content"), delta("refusal")].into_iter().flatten().find(|text| !text.is_empty());
    text.map_or(Line::Nothing, |text| Line::Text(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_read_line_by_line() {
        let mut found = Replied::default();
        let mut read = |line: &str| read_line(line, &mut found);
        assert_eq!(read(r#"data: {"choices":[{"delta":{"content":"Hi"}}]}"#), Line::Text("Hi".into()));
        assert_eq!(read(r#"data: {"choices":[{"delta":{"refusal":"No."}}]}"#), Line::Text("No.".into()));
        assert_eq!(read(": keep-alive"), Line::Nothing);
        assert_eq!(read(r#"data: {"error":{"message":"broke off"}}"#), Line::Error("broke off".into()));
        assert_eq!(read(r#": mainstay {"tier":"a/b","quality":"ok","cost_usd":"0.10"}"#), Line::Nothing);
        assert_eq!(read("data: [DONE]"), Line::End);
        assert_eq!((found.tier.as_str(), found.cost), ("a/b", "0.10".parse().ok()));
    }
}
