//! The field's cases, as a provider plays them and as a caller asks.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use mainstay::{ChatMessage, ChatRequest, Expect, RawJson, ResponseFormat, Role, Tool, ToolCall};
use mainstay_testkit::{Reply, Step};
use serde_json::{Value, json};

use super::{Bench, NOW, TestClock};

/// A key that stands in no error, row or debug print.
pub const KEY: &str = "sk-planted-0123456789abcdef";

/// An answer of some length that nobody finds fault with.
pub const LONG_ANSWER: &str = "The report has five parts. The first says how the harbour was built and who \
    paid for it. The second follows the trade in salt and cork over two centuries, with figures for each \
    decade. The third is about the flood of 1909, which took the old bridge and most of the lower town. The \
    fourth lists what was rebuilt, in which order and at what price. The last one asks whether the new quay \
    was worth its cost, and comes to no clear answer.";

/// All cases.
pub fn all() -> Vec<Value> {
    mainstay_testkit::bug_cases().unwrap()
}

/// The `response` cases, of every dialect.
pub fn responses() -> Vec<Value> {
    all().into_iter().filter(|case| case["phase"] == "response").collect()
}

/// The `request` cases, of every dialect.
pub fn requests() -> Vec<Value> {
    all().into_iter().filter(|case| case["phase"] == "request").collect()
}

/// One policy case.
pub fn policy(id: &str) -> Option<Value> {
    let all = all();
    let found = all.iter().find(|case| case["id"] == id).cloned();
    assert!(all.is_empty() || found.is_some(), "there is no case {id}");
    found
}

/// A provider's table in the configuration: one of ours where it has the case's name, else a server that
/// is described by its dialect alone.
pub fn provider_table(case: &Value) -> (String, String) {
    let dialect = case["dialect"].as_str().unwrap();
    let named = case["provider"].as_str();
    // Ollama's other route is none of our provider of that name.
    let ours = match (named, dialect) {
        (Some(name @ ("openrouter" | "deepseek" | "mistral" | "groq" | "vllm" | "minimax" | "local")), _) => {
            Some(name)
        }
        (None, dialect) => Some(dialect),
        (Some(_), _) => None,
    };
    let address = match dialect {
        "gemini" => "ORIGIN/v1beta",
        "anthropic" | "ollama" => "ORIGIN",
        _ => "BASE_URL",
    };
    let name = ours.or(named).unwrap().to_owned();
    let mut table = format!("[providers.{name}]\nbase_url = \"{address}\"\napi_key_env = \"PLANTED\"\n");
    if ours.is_none() {
        let dialect = if dialect == "openai" { "openai-chat" } else { dialect };
        let _ = writeln!(table, "dialect = \"{dialect}\"");
    }
    (name, table)
}

/// The configuration of a chain with this case's provider alone, or with a second tier behind it.
fn config(case: &Value, retry_budget: u32, second: bool, further: &str) -> String {
    let (provider, table) = provider_table(case);
    let mut text = format!("{further}[defaults]\nbackoff = \"1ms\"\n");
    if case["request"]["delivered_to_caller"] == true {
        text.push_str("[streaming]\nmode = \"live\"\non_interrupt = \"error\"\n");
    }
    text.push_str(&table);
    let price = case["request"]["price_per_million"].as_object().map_or_else(
        || "unpriced = true".to_owned(),
        |rates| {
            let rate = |(name, value): (&String, &Value)| {
                let name = if name == "cached" { "cached_input" } else { name };
                format!("{name} = \"{value}\"")
            };
            let rates: Vec<String> = rates.iter().map(rate).collect();
            format!("price = {{ {} }}", rates.join(", "))
        },
    );
    let _ = writeln!(
        text,
        "[[chains.default.tiers]]\nprovider = \"{provider}\"\nmodel = \"m-test\"\nretry_budget = {retry_budget}\n{price}"
    );
    if second {
        text.push_str(
            "[providers.other]\ndialect = \"openai-chat\"\nbase_url = \"BASE_URL\"\nauth = \"none\"\n\
             [[chains.default.tiers]]\nprovider = \"other\"\nmodel = \"m-other\"\n",
        );
    }
    text
}

/// The one variable that is set.
pub fn planted(name: &str) -> Option<String> {
    (name == "PLANTED").then(|| KEY.to_owned())
}

/// A client in front of a provider that plays this case.
pub async fn bench(case: &Value, retry_budget: u32, second: bool, at_once: bool) -> Bench {
    play(case, &config(case, retry_budget, second, ""), at_once).await
}

/// The same with further settings.
pub async fn bench_with(case: &Value, retry_budget: u32, second: bool, further: &str) -> Bench {
    play(case, &config(case, retry_budget, second, further), true).await
}

async fn play(case: &Value, text: &str, at_once: bool) -> Bench {
    let bench = Bench::with_text(text, &planted, TestClock::at(NOW)).await;
    bench.provider.on("m-test", [Reply::Raw(steps(case, at_once))]);
    let good = if case["request"]["response_format"].is_string() {
        "{\"answer\": \"another tier's\"}".to_owned()
    } else {
        LONG_ANSWER.to_owned()
    };
    bench.provider.on("m-other", [Reply::text(&good)]);
    bench
}

/// What the provider puts on the wire. With `at_once` in as few writes as it can, else piece by piece. Pieces
/// of the case's own are apart in time, so that they are read one by one.
fn steps(case: &Value, at_once: bool) -> Vec<Step> {
    let status = case["status"].as_u64().unwrap();
    let mut head = format!("HTTP/1.1 {status} Scripted\r\nconnection: close\r\n");
    for (name, value) in case["headers"].as_object().unwrap() {
        let _ = write!(head, "{name}: {}\r\n", value.as_str().unwrap());
    }
    head.push_str("\r\n");
    let mut steps = vec![Step::Bytes(head.into())];
    let pieces: Vec<Vec<u8>> = match (&case["chunks_b64"], &case["body_b64"]) {
        (Value::Array(pieces), _) => pieces.iter().map(|piece| base64(piece.as_str().unwrap())).collect(),
        (_, Value::String(body)) => vec![base64(body)],
        _ => vec![case["body"].as_str().unwrap_or("").as_bytes().to_vec()],
    };
    for piece in pieces {
        if at_once {
            steps.extend([Step::Bytes(piece.into()), Step::Wait(Duration::from_millis(2))]);
            continue;
        }
        for part in piece.chunks(37) {
            steps.push(Step::Bytes(part.to_vec().into()));
            steps.push(Step::Wait(Duration::from_micros(200)));
        }
    }
    steps.push(Step::Close);
    steps
}

/// What the caller of this case asks.
pub fn request(case: &Value) -> ChatRequest {
    let hints = &case["request"];
    let mut request = ChatRequest::user(hints["prompt"].as_str().unwrap_or("Go on, please."));
    request.max_tokens = hints["max_tokens"].as_u64().and_then(|tokens| u32::try_from(tokens).ok());
    for name in hints["tools"].as_array().into_iter().flatten() {
        let any = RawJson::parse("{\"type\":\"object\"}").unwrap();
        request = request.tool(Tool::function(name.as_str().unwrap(), "A tool.", any));
    }
    if hints["min_chars"].is_u64() {
        request.expect = Expect::Long;
    }
    if hints["response_format"] == "json_schema" {
        request.response_format = ResponseFormat::JsonSchema {
            name: "answer".into(),
            schema: RawJson::parse("{\"type\":\"object\"}").unwrap(),
            strict: None,
        };
    }
    if hints["last_message"] == "tool_result" {
        let call = ToolCall {
            id: "call_1".into(),
            name: "look".into(),
            arguments: "{}".into(),
            extra: mainstay::Extra::new(),
        };
        let called = ChatMessage { tool_calls: vec![call], ..ChatMessage::empty(Role::Assistant) };
        let mut result = ChatMessage::new(Role::Tool, "Nothing found.");
        result.tool_call_id = Some("call_1".into());
        request = request.message(called).message(result);
        request = request.tool(Tool::function("look", "A tool.", RawJson::of(&json!({})).unwrap()));
    }
    request
}

/// Base64 without a library: the data use nothing but the standard alphabet.
fn base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = Vec::new();
    let (mut bits, mut count) = (0_u32, 0_u32);
    for byte in text.bytes().filter(|byte| *byte != b'=') {
        let value = ALPHABET.iter().position(|letter| *letter == byte).unwrap();
        bits = (bits << 6) | u32::try_from(value).unwrap();
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push(u8::try_from((bits >> count) & 0xff).unwrap());
        }
    }
    out
}

/// The clock of every case.
pub fn clock() -> Arc<TestClock> {
    TestClock::at(NOW)
}
