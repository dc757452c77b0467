//! How a well-behaved provider spells an answer, in each dialect the fake provider knows.

// Indexing a JSON value that was built a line above cannot fail.
#![allow(clippy::indexing_slicing)]

use std::fmt::Write as _;
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};

use crate::server::{Seen, Step};

/// Which dialect a route speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// OpenAI Chat Completions.
    OpenaiChat,
    /// Anthropic Messages.
    Anthropic,
}

impl Spelling {
    /// By the path that was called.
    pub fn of_path(path: &str) -> Self {
        if path.contains("/messages") { Self::Anthropic } else { Self::OpenaiChat }
    }

    /// An error body.
    pub fn error(self, kind: &str, code: Option<&str>, message: &str) -> String {
        match self {
            Self::OpenaiChat => {
                json!({"error": {"message": message, "type": kind, "param": null, "code": code}}).to_string()
            }
            Self::Anthropic => {
                json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_fake"})
                    .to_string()
            }
        }
    }
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub struct SaidCall {
    /// Its id.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments' text.
    pub arguments: String,
}

/// What the model says.
#[derive(Clone, Debug)]
pub struct Said {
    /// Visible text.
    pub text: String,
    /// Reasoning, where the dialect shows it.
    pub reasoning: Option<String>,
    /// The refusal field, where the dialect has one.
    pub refusal: Option<String>,
    /// Calls of tools.
    pub calls: Vec<SaidCall>,
    /// The finish word; `None` leaves it out.
    pub finish: Option<String>,
    /// Input tokens.
    pub prompt_tokens: u64,
    /// Output tokens; counted as one per four characters where `None`.
    pub completion_tokens: Option<u64>,
    /// The wait before each streamed piece.
    pub gap: Duration,
    /// Characters per streamed piece.
    pub piece: usize,
    /// Further response headers.
    pub headers: Vec<(String, String)>,
}

impl Said {
    /// A plain answer that ends as it should.
    pub fn text(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            reasoning: None,
            refusal: None,
            calls: Vec::new(),
            finish: Some("stop".into()),
            prompt_tokens: 12,
            completion_tokens: None,
            gap: Duration::ZERO,
            piece: 8,
            headers: Vec::new(),
        }
    }

    /// Calls a tool instead of speaking.
    pub fn call(name: &str, arguments: &str) -> Self {
        Self::text("").and_call(name, arguments)
    }

    /// Calls a tool as well.
    #[must_use]
    pub fn and_call(mut self, name: &str, arguments: &str) -> Self {
        let id = format!("call_fake{}", self.calls.len() + 1);
        self.calls.push(SaidCall { id, name: name.to_owned(), arguments: arguments.to_owned() });
        self.finish = Some("tool_calls".into());
        self
    }

    /// Ends with that finish word, as OpenAI spells it.
    #[must_use]
    pub fn finish(mut self, word: &str) -> Self {
        self.finish = Some(word.to_owned());
        self
    }

    /// Thinks first.
    #[must_use]
    pub fn thinking(mut self, reasoning: &str) -> Self {
        self.reasoning = Some(reasoning.to_owned());
        self
    }

    /// States these token counts.
    #[must_use]
    pub fn tokens(mut self, prompt: u64, completion: u64) -> Self {
        self.prompt_tokens = prompt;
        self.completion_tokens = Some(completion);
        self
    }

    /// Waits so long before each streamed piece.
    #[must_use]
    pub fn slowly(mut self, gap: Duration) -> Self {
        self.gap = gap;
        self
    }

    /// Output tokens as they are reported.
    pub fn completion(&self) -> u64 {
        self.completion_tokens.unwrap_or_else(|| (self.text.chars().count() as u64).div_ceil(4))
    }

    pub(crate) fn steps(&self, spelling: Spelling, seen: &Seen) -> Vec<Step> {
        if seen.stream {
            let mut steps = vec![self.stream_head()];
            for event in self.events(spelling, &seen.model) {
                if !self.gap.is_zero() {
                    steps.push(Step::Wait(self.gap));
                }
                steps.push(chunk(&event));
            }
            steps.push(last_chunk());
            steps
        } else {
            let headers: Vec<(&str, &str)> =
                self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            http(200, &headers, self.body(spelling, &seen.model).to_string().as_bytes())
        }
    }

    /// Status line and headers of a streamed answer.
    pub(crate) fn stream_head(&self) -> Step {
        let mut head = String::from(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nx-request-id: req_fake\r\n",
        );
        for (name, value) in &self.headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        head.push_str("\r\n");
        Step::Bytes(head.into())
    }

    /// The body of a whole answer.
    pub fn body(&self, spelling: Spelling, model: &str) -> Value {
        match spelling {
            Spelling::OpenaiChat => self.openai_body(model),
            Spelling::Anthropic => self.anthropic_body(model),
        }
    }

    /// The events of a streamed answer, terminator included, each with its framing.
    pub fn events(&self, spelling: Spelling, model: &str) -> Vec<String> {
        match spelling {
            Spelling::OpenaiChat => self.openai_events(model),
            Spelling::Anthropic => self.anthropic_events(model),
        }
    }

    fn pieces(text: &str, size: usize) -> Vec<String> {
        let letters: Vec<char> = text.chars().collect();
        letters.chunks(size.max(1)).map(|piece| piece.iter().collect()).collect()
    }

    fn openai_usage(&self) -> Value {
        let completion = self.completion();
        json!({"prompt_tokens": self.prompt_tokens, "completion_tokens": completion,
               "total_tokens": self.prompt_tokens + completion})
    }

    fn openai_body(&self, model: &str) -> Value {
        let mut message = json!({"role": "assistant", "content": self.text, "refusal": self.refusal});
        if let Some(reasoning) = &self.reasoning {
            message["reasoning_content"] = json!(reasoning);
        }
        if !self.calls.is_empty() {
            message["tool_calls"] = self
                .calls
                .iter()
                .map(|call| {
                    json!({"id": call.id, "type": "function",
                           "function": {"name": call.name, "arguments": call.arguments}})
                })
                .collect();
            if self.text.is_empty() {
                message["content"] = Value::Null;
            }
        }
        json!({"id": "chatcmpl-fake", "object": "chat.completion", "created": 1_780_000_000, "model": model,
               "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": self.finish}],
               "usage": self.openai_usage()})
    }

    fn openai_events(&self, model: &str) -> Vec<String> {
        let chunk = |delta: Value, finish: &Option<String>| {
            data(&json!({"id": "chatcmpl-fake", "object": "chat.completion.chunk", "created": 1_780_000_000,
                "model": model, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}))
        };
        let mut events = vec![chunk(json!({"role": "assistant", "content": ""}), &None)];
        for piece in Self::pieces(self.reasoning.as_deref().unwrap_or_default(), self.piece) {
            events.push(chunk(json!({"reasoning_content": piece}), &None));
        }
        for piece in Self::pieces(&self.text, self.piece) {
            events.push(chunk(json!({"content": piece}), &None));
        }
        for piece in Self::pieces(self.refusal.as_deref().unwrap_or_default(), self.piece) {
            events.push(chunk(json!({"refusal": piece}), &None));
        }
        for (index, call) in self.calls.iter().enumerate() {
            events.push(chunk(
                json!({"tool_calls": [{"index": index, "id": call.id, "type": "function",
                       "function": {"name": call.name, "arguments": ""}}]}),
                &None,
            ));
            for piece in Self::pieces(&call.arguments, self.piece) {
                events.push(chunk(
                    json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}),
                    &None,
                ));
            }
        }
        events.push(chunk(json!({}), &self.finish));
        events.push(data(&json!({"id": "chatcmpl-fake", "object": "chat.completion.chunk",
            "created": 1_780_000_000, "model": model, "choices": [], "usage": self.openai_usage()})));
        events.push("data: [DONE]\n\n".into());
        events
    }

    fn anthropic_finish(&self) -> Option<&str> {
        self.finish.as_deref().map(|word| match word {
            "stop" => "end_turn",
            "length" => "max_tokens",
            "tool_calls" => "tool_use",
            "content_filter" => "refusal",
            other => other,
        })
    }

    fn anthropic_blocks(&self) -> Vec<Value> {
        let mut blocks = Vec::new();
        if let Some(reasoning) = &self.reasoning {
            blocks.push(json!({"type": "thinking", "thinking": reasoning, "signature": "c2lnbmF0dXJl"}));
        }
        let text =
            if self.text.is_empty() { self.refusal.as_deref().unwrap_or_default() } else { &self.text };
        if !text.is_empty() {
            blocks.push(json!({"type": "text", "text": text}));
        }
        for call in &self.calls {
            let input: Value = serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
            blocks.push(json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input}));
        }
        blocks
    }

    fn anthropic_body(&self, model: &str) -> Value {
        json!({"id": "msg_fake", "type": "message", "role": "assistant", "model": model,
               "content": self.anthropic_blocks(), "stop_reason": self.anthropic_finish(), "stop_sequence": null,
               "usage": {"input_tokens": self.prompt_tokens, "output_tokens": self.completion()}})
    }

    fn anthropic_events(&self, model: &str) -> Vec<String> {
        let mut events = vec![named(&json!({"type": "message_start", "message": {"id": "msg_fake",
            "type": "message", "role": "assistant", "model": model, "content": [], "stop_reason": null,
            "stop_sequence": null, "usage": {"input_tokens": self.prompt_tokens, "output_tokens": 1}}}))];
        for (index, block) in self.anthropic_blocks().into_iter().enumerate() {
            let kind = block["type"].as_str().unwrap_or_default().to_owned();
            let (start, deltas) = match kind.as_str() {
                "thinking" => {
                    let mut deltas: Vec<Value> =
                        Self::pieces(block["thinking"].as_str().unwrap_or_default(), self.piece)
                            .into_iter()
                            .map(|piece| json!({"type": "thinking_delta", "thinking": piece}))
                            .collect();
                    deltas.push(json!({"type": "signature_delta", "signature": block["signature"]}));
                    (json!({"type": "thinking", "thinking": "", "signature": ""}), deltas)
                }
                "text" => (
                    json!({"type": "text", "text": ""}),
                    Self::pieces(block["text"].as_str().unwrap_or_default(), self.piece)
                        .into_iter()
                        .map(|piece| json!({"type": "text_delta", "text": piece}))
                        .collect(),
                ),
                _ => (
                    json!({"type": "tool_use", "id": block["id"], "name": block["name"], "input": {}}),
                    Self::pieces(&block["input"].to_string(), self.piece)
                        .into_iter()
                        .map(|piece| json!({"type": "input_json_delta", "partial_json": piece}))
                        .collect(),
                ),
            };
            events
                .push(named(&json!({"type": "content_block_start", "index": index, "content_block": start})));
            for delta in deltas {
                events.push(named(&json!({"type": "content_block_delta", "index": index, "delta": delta})));
            }
            events.push(named(&json!({"type": "content_block_stop", "index": index})));
        }
        events.push(named(&json!({"type": "message_delta",
            "delta": {"stop_reason": self.anthropic_finish(), "stop_sequence": null},
            "usage": {"output_tokens": self.completion()}})));
        events.push(named(&json!({"type": "message_stop"})));
        events
    }
}

/// An event without a name.
pub(crate) fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// An event named after its own `type`.
fn named(value: &Value) -> String {
    format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap_or("message"))
}

/// One piece of a chunked body.
pub(crate) fn chunk(text: &str) -> Step {
    Step::Bytes(format!("{:x}\r\n{text}\r\n", text.len()).into())
}

/// The end of a chunked body.
pub(crate) fn last_chunk() -> Step {
    Step::Bytes(Bytes::from_static(b"0\r\n\r\n"))
}

/// A whole reply with its length.
pub(crate) fn http(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Vec<Step> {
    let mut head =
        format!("HTTP/1.1 {status} Scripted\r\ncontent-length: {}\r\nx-request-id: req_fake\r\n", body.len());
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
        head.push_str("content-type: application/json\r\n");
    }
    for (name, value) in headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    head.push_str("\r\n");
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(body);
    vec![Step::Bytes(bytes.into())]
}
