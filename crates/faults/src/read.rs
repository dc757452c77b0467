//! What a client reads out of a gateway's answer, by the rules of its SDK. Shares no line with the codecs.

use serde_json::Value;

use crate::ask::Face;

/// What a caller was told.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    /// The status.
    pub status: u16,
    /// Header fields, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body as it came.
    pub body: String,
    /// What was read out of it.
    pub read: Read,
}

/// What stands in an answer.
#[derive(Clone, Debug, Default)]
pub struct Read {
    /// Visible text.
    pub text: String,
    /// The refusal, where the dialect tells it apart; Anthropic's stop reason says only that it is one.
    pub refused: bool,
    /// The first call, as name and arguments.
    pub call: Option<(String, String)>,
    /// Why the answer ended, as the caller is told; for Responses also why it is incomplete.
    pub finish: Option<String>,
    /// Whether the answer ended in good order.
    pub ended: bool,
    /// The word of the error.
    pub error: Option<String>,
}

impl Heard {
    /// The value of a header field.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// A field of the comment that closes a stream.
    pub fn closing(&self, field: &str) -> Option<Value> {
        let line = self.body.lines().find_map(|line| line.strip_prefix(": mainstay "))?;
        serde_json::from_str::<Value>(line).ok()?.get(field).cloned()
    }

    /// How many calls were made, as the caller is told.
    pub fn attempts(&self) -> Option<usize> {
        let closing = self.closing("attempts").and_then(|count| count.as_u64());
        let header = || self.header("x-mainstay-attempts")?.parse().ok();
        closing.or_else(header).and_then(|count| usize::try_from(count).ok())
    }

    /// The quality, as the caller is told.
    pub fn quality(&self) -> Option<String> {
        let closing = self.closing("quality").and_then(|word| word.as_str().map(str::to_owned));
        closing.or_else(|| self.header("x-mainstay-quality").map(str::to_owned))
    }
}

/// Reads a body.
pub fn read(face: Face, stream: bool, status: u16, body: &str) -> Read {
    if status != 200 {
        let error: Value = serde_json::from_str(body).unwrap_or_default();
        return Read { error: word(&error, "/error/type"), ..Read::default() };
    }
    if stream {
        let mut read = Read::default();
        let events = events(body);
        let is_done = body.trim_end().ends_with("data: [DONE]");
        for (name, event) in &events {
            match face {
                Face::Chat => chat_event(event, is_done, &mut read),
                Face::Responses => responses_event(event, &mut read),
                Face::Anthropic => anthropic_event(name, event, &mut read),
            }
        }
        return read;
    }
    let reply: Value = serde_json::from_str(body).unwrap_or_default();
    match face {
        Face::Chat => chat_whole(&reply),
        Face::Responses => responses_whole(&reply),
        Face::Anthropic => anthropic_whole(&reply),
    }
}

/// The events of a stream with their names.
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

fn word(value: &Value, pointer: &str) -> Option<String> {
    value.pointer(pointer).and_then(Value::as_str).map(str::to_owned)
}

fn text(value: &Value, pointer: &str) -> String {
    word(value, pointer).unwrap_or_default()
}

fn chat_whole(reply: &Value) -> Read {
    let message = &reply["choices"][0]["message"];
    let function = message.pointer("/tool_calls/0/function");
    Read {
        text: text(message, "/content"),
        refused: message["refusal"].is_string(),
        call: function.map(|call| (text(call, "/name"), text(call, "/arguments"))),
        finish: word(reply, "/choices/0/finish_reason"),
        ended: reply["choices"][0]["finish_reason"].is_string(),
        error: word(reply, "/error/type"),
    }
}

fn chat_event(event: &Value, is_done: bool, read: &mut Read) {
    let choice = &event["choices"][0];
    read.text.push_str(&text(choice, "/delta/content"));
    read.refused |= choice["delta"]["refusal"].is_string();
    if let Some(function) = choice.pointer("/delta/tool_calls/0/function") {
        let call = read.call.get_or_insert_default();
        call.0.push_str(&text(function, "/name"));
        call.1.push_str(&text(function, "/arguments"));
    }
    read.finish = word(choice, "/finish_reason").or(read.finish.take());
    read.ended = is_done && read.finish.is_some();
    read.error = read.error.take().or_else(|| word(event, "/error/type"));
}

fn responses_whole(reply: &Value) -> Read {
    let mut read = Read { finish: responses_finish(reply), ..Read::default() };
    read.ended = read.finish.is_some();
    for item in reply["output"].as_array().into_iter().flatten() {
        if item["type"] == "function_call" && read.call.is_none() {
            read.call = Some((text(item, "/name"), text(item, "/arguments")));
        }
        for part in item["content"].as_array().into_iter().flatten() {
            read.text.push_str(&text(part, "/text"));
            read.refused |= part["type"] == "refusal";
        }
    }
    read
}

/// `completed`, or why it is incomplete.
fn responses_finish(reply: &Value) -> Option<String> {
    let status = word(reply, "/status").filter(|status| status == "completed");
    status.or_else(|| word(reply, "/incomplete_details/reason"))
}

fn responses_event(event: &Value, read: &mut Read) {
    match event["type"].as_str().unwrap_or_default() {
        "response.output_text.delta" => read.text.push_str(&text(event, "/delta")),
        "response.refusal.delta" => read.refused = true,
        "response.output_item.done" if event["item"]["type"] == "function_call" => {
            let item = &event["item"];
            read.call.get_or_insert_with(|| (text(item, "/name"), text(item, "/arguments")));
        }
        "response.completed" | "response.incomplete" => {
            read.finish = responses_finish(&event["response"]);
            read.ended = read.finish.is_some();
        }
        "response.failed" => read.ended = false,
        "error" => read.error = word(event, "/error/type"),
        _ => {}
    }
}

fn anthropic_whole(reply: &Value) -> Read {
    let blocks = reply["content"].as_array().cloned().unwrap_or_default();
    let call = blocks.iter().find(|block| block["type"] == "tool_use");
    Read {
        text: blocks.iter().map(|block| text(block, "/text")).collect(),
        refused: reply["stop_reason"] == "refusal",
        finish: word(reply, "/stop_reason"),
        call: call.map(|call| (text(call, "/name"), call["input"].to_string())),
        ended: reply["stop_reason"].is_string(),
        error: word(reply, "/error/type"),
    }
}

fn anthropic_event(name: &str, event: &Value, read: &mut Read) {
    match name {
        "content_block_start" if event["content_block"]["type"] == "tool_use" => {
            read.call.get_or_insert_with(|| (text(event, "/content_block/name"), String::new()));
        }
        "content_block_delta" => {
            read.text.push_str(&text(event, "/delta/text"));
            if let Some(call) = &mut read.call {
                call.1.push_str(&text(event, "/delta/partial_json"));
            }
        }
        "message_delta" => {
            read.finish = word(event, "/delta/stop_reason");
            read.refused |= read.finish.as_deref() == Some("refusal");
        }
        "message_stop" => read.ended = true,
        "error" => read.error = word(event, "/error/type"),
        _ => {}
    }
}
