//! The field's `request` cases: what arrives at a provider's socket.

use std::fmt::Write as _;

use mainstay::{
    ChatMessage, ChatRequest, Dialect, GaveUp, RawJson, Reason, ReasoningBlock, ReasoningEffort, Role,
    Target, Tool, ToolCall,
};
use mainstay_testkit::{Reply, Seen};
use serde_json::{Value, json};

use crate::common::cases::{KEY, LONG_ANSWER, planted, provider_table, requests};
use crate::common::{Bench, NOW, TestClock};

/// The configuration of a chain with the case's model alone, which accepts what the case says it does.
fn config(case: &Value) -> String {
    let (provider, mut text) = provider_table(case);
    let model = case["request"]["model"].as_str().unwrap();
    let mut accepts: Vec<String> = Vec::new();
    for (name, value) in case["request"]["profile"].as_object().into_iter().flatten() {
        accepts.push(match name.as_str() {
            "temperature" => format!("sampling = {}", value != "fixed"),
            name => format!("{name} = {value}"),
        });
    }
    let _ = writeln!(
        text,
        "[[chains.default.tiers]]\nprovider = \"{provider}\"\nmodel = \"{model}\"\nretry_budget = 1\n\
         price = {{ input = \"1\", output = \"2\" }}\naccepts = {{ {} }}",
        accepts.join(", ")
    );
    text
}

/// What the caller of this case asks.
fn canonical(case: &Value, stream: bool) -> ChatRequest {
    let asked = &case["request"];
    let mut request = ChatRequest { stream, ..ChatRequest::default() };
    request.messages = asked["messages"].as_array().unwrap().iter().map(|one| message(case, one)).collect();
    request.max_tokens = asked["max_tokens"].as_u64().and_then(|tokens| u32::try_from(tokens).ok());
    request.temperature = asked["temperature"].as_f64();
    request.reasoning_effort = (asked["thinking"] == true).then_some(ReasoningEffort::Medium);
    for tool in asked["tools"].as_array().into_iter().flatten() {
        let schema = RawJson::of(&tool["parameters"]).unwrap();
        request = request.tool(Tool::function(tool["name"].as_str().unwrap(), "A tool.", schema));
    }
    request
}

fn message(case: &Value, asked: &Value) -> ChatMessage {
    let text = |name: &str| asked[name].as_str().map(str::to_owned);
    let role = match asked["role"].as_str().unwrap() {
        "system" => Role::System,
        "developer" => Role::Developer,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        other => panic!("{other}"),
    };
    let mut message = ChatMessage::new(role, text("content").unwrap_or_default());
    message.tool_call_id = text("tool_call_id");
    message.reasoning_content = text("reasoning");
    for call in asked["tool_calls"].as_array().into_iter().flatten() {
        message.tool_calls.push(ToolCall {
            id: call["id"].as_str().unwrap().to_owned(),
            name: call["name"].as_str().unwrap().to_owned(),
            arguments: call["arguments"].to_string(),
            extra: mainstay::Extra::new(),
        });
    }
    let model = case["request"]["model"].as_str().unwrap();
    let origin = asked["origin"]["provider"].as_str().map(|provider| Target::new(provider, model));
    let mut block = |dialect, raw: &Value| {
        let raw = RawJson::of(raw).unwrap();
        message.reasoning_blocks.push(ReasoningBlock { dialect, origin: origin.clone(), raw });
    };
    for detail in asked["reasoning_details"].as_array().into_iter().flatten() {
        block(Dialect::OpenaiChat, detail);
    }
    for signed in asked["signatures"].as_array().into_iter().flatten() {
        if let Some(data) = signed["redacted_data"].as_str() {
            block(Dialect::Anthropic, &json!({"type": "redacted_thinking", "data": data}));
        } else if let Some(signature) = signed["signature"].as_str() {
            let thinking =
                json!({"type": "thinking", "thinking": asked["reasoning"], "signature": signature});
            block(Dialect::Anthropic, &thinking);
        } else {
            let call = usize::try_from(signed["tool_call"].as_u64().unwrap()).unwrap();
            let signature = RawJson::of(&signed["thought_signature"]).unwrap();
            message.tool_calls[call].extra.insert("thoughtSignature", signature);
        }
    }
    message
}

/// Whether one check holds of a body.
fn holds(check: &Value, body: &Value) -> bool {
    let found = body.pointer(check["path"].as_str().unwrap());
    let text =
        || found.map_or_else(String::new, |found| found.as_str().map_or(found.to_string(), str::to_owned));
    let known = check.as_object().unwrap().iter().filter(|(name, _)| *name != "path");
    known.fold(true, |so_far, (name, wanted)| {
        so_far
            && match name.as_str() {
                "equals" => found.is_some_and(|found| same(found, wanted)),
                "absent" => found.is_none() == wanted.as_bool().unwrap(),
                "contains" => text().contains(wanted.as_str().unwrap()),
                "not_contains" => !text().contains(wanted.as_str().unwrap()),
                "matches" => regex::Regex::new(wanted.as_str().unwrap()).unwrap().is_match(&text()),
                "same_as" => found.is_some() && found == body.pointer(wanted.as_str().unwrap()),
                "roles_alternate" => {
                    let messages = body["messages"].as_array().unwrap();
                    messages.windows(2).all(|pair| pair[0]["role"] != pair[1]["role"])
                }
                "no_empty_text_blocks" => !has_empty_text(body),
                "no_orphan_tool_results" => orphans(body).is_empty(),
                other => panic!("a check that is not known: {other}"),
            }
    })
}

/// Arguments that are told as text may differ in spacing.
fn same(found: &Value, wanted: &Value) -> bool {
    let parsed = |value: &Value| serde_json::from_str::<Value>(value.as_str()?).ok();
    found == wanted || parsed(found).is_some_and(|found| Some(found) == parsed(wanted))
}

fn has_empty_text(value: &Value) -> bool {
    match value {
        Value::Object(members) => {
            let blank =
                members.get("text").and_then(Value::as_str).is_some_and(|text| text.trim().is_empty());
            let empty =
                members.get("content").is_some_and(|content| *content == json!("") || *content == json!([]));
            blank || empty || members.values().any(has_empty_text)
        }
        Value::Array(values) => values.iter().any(has_empty_text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Results of tools that nobody called, in OpenAI's and Anthropic's shape.
fn orphans(body: &Value) -> Vec<String> {
    fn ids(value: &Value, of: &dyn Fn(&Value) -> Option<String>, found: &mut Vec<String>) {
        found.extend(of(value));
        match value {
            Value::Object(members) => members.values().for_each(|value| ids(value, of, found)),
            Value::Array(values) => values.iter().for_each(|value| ids(value, of, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let is_call = |value: &Value| value["type"] == "tool_use" || value["type"] == "function";
    let (mut called, mut answered) = (Vec::new(), Vec::new());
    ids(body, &|value| is_call(value).then(|| text(&value["id"])).flatten(), &mut called);
    ids(body, &|value| text(&value["tool_call_id"]).or_else(|| text(&value["tool_use_id"])), &mut answered);
    answered.retain(|id| !called.contains(id));
    answered
}

/// What every request of a dialect has beside its body: where it goes and how it names itself.
fn manners(case: &Value, seen: &Seen, stream: bool) -> Vec<String> {
    let model = case["request"]["model"].as_str().unwrap();
    let bearer = format!("Bearer {KEY}");
    let (path, key) = match (case["dialect"].as_str().unwrap(), stream) {
        ("anthropic", _) => ("/v1/messages".to_owned(), ("x-api-key", KEY)),
        ("gemini", false) => (format!("/v1beta/models/{model}:generateContent"), ("x-goog-api-key", KEY)),
        ("gemini", true) => {
            (format!("/v1beta/models/{model}:streamGenerateContent?alt=sse"), ("x-goog-api-key", KEY))
        }
        ("ollama", _) => ("/api/chat".to_owned(), ("authorization", &*bearer)),
        ("openai", _) => ("/v1/chat/completions".to_owned(), ("authorization", &*bearer)),
        (other, _) => panic!("{other}"),
    };
    let mut wrong = Vec::new();
    if seen.path != path {
        wrong.push(format!("path {}", seen.path));
    }
    if seen.header(key.0) != Some(key.1) || seen.header("content-type") != Some("application/json") {
        wrong.push(format!("headers {:?}", seen.headers));
    }
    if seen.stream != stream {
        wrong.push(format!("asked for a stream: {}", seen.stream));
    }
    wrong
}

/// In what the request that arrived, or the error without one, differs from the case.
async fn play(case: &Value, stream: bool) -> Vec<String> {
    let bench = Bench::with_text(&config(case), &planted, TestClock::at(NOW)).await;
    let model = case["request"]["model"].as_str().unwrap();
    bench.provider.on(model, [Reply::text(LONG_ANSWER)]);
    let request = canonical(case, stream);
    let ended: Result<(), GaveUp> = if stream {
        bench.stream(request).await.end.map(|_| ())
    } else {
        bench.ask(request).await.map(|_| ())
    };
    let expect = &case["expect"];
    let seen = bench.provider.seen();
    let Some(seen) = seen.first() else {
        let told = match ended.unwrap_err().reason {
            Reason::InvalidRequest(failure) => failure.kind.word().to_owned(),
            other => format!("{other:?}"),
        };
        let allowed = expect["or_local_error"].as_str() == Some(&*told);
        return if allowed { Vec::new() } else { vec![format!("nothing was sent: {told}")] };
    };
    let mut wrong = manners(case, seen, stream);
    for check in expect["outbound"].as_array().unwrap() {
        if !holds(check, &seen.body) {
            wrong.push(format!("{check}\n    in {}", seen.body));
        }
    }
    if let Err(gave_up) = ended {
        wrong.push(format!("no answer: {gave_up}"));
    }
    if let Some(record) = expect["must_record"].as_str()
        && !bench.attempts().iter().any(|row| row.has_note(record))
    {
        wrong.push(format!("{record} is not in the row"));
    }
    wrong
}

#[tokio::test(flavor = "multi_thread")]
async fn what_arrives_at_a_provider_is_what_every_case_says() {
    let cases = requests();
    let mut wrong = Vec::new();
    for case in &cases {
        for stream in [false, true] {
            let found = play(case, stream).await;
            println!("{:8} {} stream={stream}", if found.is_empty() { "ok" } else { "DIFFERS" }, case["id"]);
            wrong.extend(found.into_iter().map(|what| format!("{} stream={stream}: {what}", case["id"])));
        }
    }
    assert!(cases.is_empty() || cases.len() == 10, "{} cases", cases.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
