//! What only one dialect says survives a stream as it survives a whole reply.
//!
//! Every recorded stream is put together twice: by the readers, and by a few lines here that know nothing of them and
//! follow each dialect's own rules. Then it is written to a caller of its dialect, and that stream is put together by
//! the same few lines: what the provider said is what the caller sees.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use std::io::Write as _;
use std::sync::Arc;

use mainstay_canon::{Answer, Dialect, Extra, ReplyEvent, Target};
use mainstay_dialects::{Ending, FaceContext, Inbound, anthropic, openai_chat, openai_responses};
use mainstay_normalize::{Assembler, Context, whole};
use mainstay_providers::{Provider, by_id, for_dialect};
use mainstay_testkit::{Recording, corpus};
use serde_json::{Map, Value, json};

/// The data of each event of a stream, and the lines of one without events.
fn events(wire: &str) -> Vec<Value> {
    let lines = wire.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
    lines.filter(|line| line.starts_with('{')).filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn streams(file: &str) -> Vec<Recording> {
    let is_good =
        |recording: &Recording| recording.stream && recording.status == 200 && recording.body.is_some();
    corpus(file).unwrap().into_iter().filter(is_good).collect()
}

fn provider(recording: &Recording, dialect: Dialect) -> &'static Provider {
    let named = by_id(&recording.provider).filter(|provider| provider.upstream.dialect() == dialect);
    named.or_else(|| for_dialect(dialect)).unwrap()
}

/// The answer that a stream is, with its events. Nothing where it is none.
fn streamed(provider: &'static Provider, wire: &str) -> Option<(Vec<ReplyEvent>, Answer)> {
    let mut reader = provider.upstream.read_stream();
    let table = Arc::new(|word: &str| provider.meaning(word));
    let target = Target::new(provider.id, "m");
    let mut assembler = Assembler::new(target, table, 0, provider.upstream.dialect());
    let (mut told, mut events) = (Vec::new(), Vec::new());
    for piece in wire.as_bytes().chunks(97) {
        reader.push(piece, &mut told).ok()?;
    }
    reader.close(&mut told).ok()?;
    for event in told {
        assembler.event(event, &mut events).unwrap();
    }
    let answer = assembler.finish(&mut events).ok()?;
    Some((events, answer))
}

/// The answer that a whole body is.
fn read_whole(provider: &'static Provider, body: &Value) -> Answer {
    let target = Target::new(provider.id, "m");
    let finish = |word: &str| provider.meaning(word);
    let dialect = provider.upstream.dialect();
    let context = Context { target: &target, finish: &finish, prompt_estimate: 0, dialect };
    let wire = provider.upstream.read_reply(&serde_json::to_vec(body).unwrap()).unwrap();
    whole(&context, wire).unwrap()
}

fn values(extra: &Extra) -> Map<String, Value> {
    extra.iter().map(|(name, raw)| (name.to_owned(), serde_json::from_str(raw.text()).unwrap())).collect()
}

/// Writes an answer to a caller.
fn written(face: &'static dyn Inbound, events: &[ReplyEvent], answer: &Answer) -> String {
    let context =
        FaceContext { request_id: "req_1".into(), created: 1, include_usage: true, echo: Extra::new() };
    let mut writer = face.write_stream(&context);
    let mut out = Vec::new();
    for event in events {
        writer.event(event, &mut out);
    }
    let ending = Ending {
        reason: answer.finish_reason,
        raw: answer.finish_reason_raw.clone(),
        stop_sequence: answer.stop_sequence.clone(),
        context_full: answer.context_full,
        usage: answer.usage,
        mark: None,
        comment: None,
    };
    writer.finish(&ending, &mut out);
    String::from_utf8(out).unwrap()
}

fn say(line: &str) {
    // Past the test runner's capture: how much was tried belongs to the result.
    std::io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
}

/// Joins one value to another as OpenAI's SDKs do with deltas, but for texts, which are no pieces here.
fn join(known: &mut Value, more: Value) {
    match (known, more) {
        (_, Value::Null) => {}
        (Value::Array(known), Value::Array(more)) => known.extend(more),
        (Value::Object(known), Value::Object(more)) => {
            for (name, value) in more {
                join(known.entry(name).or_insert(Value::Null), value);
            }
        }
        (known, more) => *known = more,
    }
}

/// What the chunks of a chat say under names that are not of the canon.
fn of_chat(events: &[Value]) -> (Map<String, Value>, Value, Value) {
    let (mut body, mut choice, mut delta) = (Map::new(), json!({}), json!({}));
    let silent = ["id", "object", "created", "model", "choices", "usage", "obfuscation", "p", "base_resp"];
    for event in events {
        for (name, value) in event.as_object().unwrap() {
            if !silent.contains(&name.as_str()) && !value.is_null() {
                body.insert(name.clone(), value.clone());
            }
        }
        let mut choices = event["choices"].as_array().into_iter().flatten();
        let Some(first) = choices.find(|one| one["index"].as_u64().unwrap_or(0) == 0) else {
            continue;
        };
        let mut first = first.clone();
        let said = first["delta"].take();
        for silent in ["index", "delta", "message", "finish_reason"] {
            first.as_object_mut().unwrap().remove(silent);
        }
        join(&mut choice, first);
        let silent = [
            "role",
            "content",
            "refusal",
            "reasoning_content",
            "reasoning",
            "reasoning_details",
            "tool_calls",
            "function_call",
        ];
        let said = said.as_object().cloned().unwrap_or_default();
        join(&mut delta, said.into_iter().filter(|(name, _)| !silent.contains(&name.as_str())).collect());
    }
    for value in [&mut choice, &mut delta] {
        value.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    }
    (body, choice, delta)
}

#[test]
fn extras_of_a_chat_survive() {
    let (mut streams_read, mut with_extras) = (0, 0);
    for recording in streams("openai-chat").into_iter().chain(streams("mistral")) {
        let wire = recording.body.as_deref().unwrap();
        let provider = provider(&recording, Dialect::OpenaiChat);
        let Some((events_of, answer)) = streamed(provider, wire) else { continue };
        let (body, choice, delta) = of_chat(&events(wire));
        let mut expected = body.clone();
        for (prefix, members) in [("choices[0].", &choice), ("choices[0].message.", &delta)] {
            for (name, value) in members.as_object().unwrap() {
                expected.insert(format!("{prefix}{name}"), value.clone());
            }
        }
        let mut kept = values(&answer.extra);
        // Parts of a content that have no place; their text has.
        kept.remove("choices[0].message.content");
        assert_eq!(Value::Object(kept), Value::Object(expected), "{}", recording.id);
        let told = of_chat(&events(&written(&openai_chat::INBOUND, &events_of, &answer)));
        assert_eq!(Value::Object(told.0), Value::Object(body), "{}", recording.id);
        assert_eq!((&told.1, &told.2), (&choice, &delta), "{}", recording.id);
        streams_read += 1;
        with_extras += usize::from(choice != json!({}) || delta != json!({}));
    }
    say(&format!("{streams_read} streams of chats, {with_extras} with extras in a choice"));
    assert!(streams_read == 0 || streams_read > 140 && with_extras > 8);
}

/// Puts a message together as Anthropic's SDK does.
fn of_anthropic(events: &[Value]) -> Value {
    let mut message = json!({});
    let mut inputs: Vec<String> = Vec::new();
    for event in events {
        let at = usize::try_from(event["index"].as_u64().unwrap_or(0)).unwrap();
        let delta = &event["delta"];
        match event["type"].as_str().unwrap() {
            "message_start" => message = event["message"].clone(),
            "content_block_start" => {
                message["content"].as_array_mut().unwrap().push(event["content_block"].clone());
                inputs.push(String::new());
            }
            "content_block_delta" => {
                let block = &mut message["content"][at];
                let append = |block: &mut Value, name: &str| {
                    let known = block[name].as_str().unwrap_or_default();
                    block[name] = json!(format!("{known}{}", delta[name].as_str().unwrap()));
                };
                match delta["type"].as_str().unwrap() {
                    "text_delta" => append(block, "text"),
                    "thinking_delta" => append(block, "thinking"),
                    "signature_delta" => append(block, "signature"),
                    "compaction_delta" => append(block, "content"),
                    "input_json_delta" => inputs[at].push_str(delta["partial_json"].as_str().unwrap()),
                    "citations_delta" => match &mut block["citations"] {
                        Value::Array(known) => known.push(delta["citation"].clone()),
                        none => *none = json!([delta["citation"]]),
                    },
                    other => panic!("{other}"),
                }
            }
            "content_block_stop" if !inputs[at].is_empty() => {
                // A call may be cut by the limit of the answer.
                if let Ok(input) = serde_json::from_str(&inputs[at]) {
                    message["content"][at]["input"] = input;
                }
            }
            "message_delta" => {
                for (name, value) in delta.as_object().unwrap() {
                    message[name] = value.clone();
                }
                for (name, value) in event.as_object().unwrap() {
                    if !["type", "delta", "usage"].contains(&name.as_str()) {
                        message[name] = value.clone();
                    }
                }
                for (name, value) in event["usage"].as_object().into_iter().flatten() {
                    message["usage"][name] = value.clone();
                }
            }
            _ => {}
        }
    }
    message
}

#[test]
fn extras_of_anthropic_survive() {
    let (mut streams_read, mut with_content) = (0, 0);
    for recording in streams("anthropic-messages") {
        let wire = recording.body.as_deref().unwrap();
        let provider = provider(&recording, Dialect::Anthropic);
        let Some((events_of, answer)) = streamed(provider, wire) else { continue };
        let message = of_anthropic(&events(wire));
        let other = read_whole(provider, &message);
        assert_eq!(values(&answer.extra), values(&other.extra), "{}", recording.id);
        let of_calls = |answer: &Answer| -> Vec<_> {
            answer.tool_calls.iter().map(|call| values(&call.extra)).collect()
        };
        assert_eq!(of_calls(&answer), of_calls(&other), "{}", recording.id);
        let told = of_anthropic(&events(&written(&anthropic::Face, &events_of, &answer)));
        let id = &recording.id;
        if answer.extra.get("content").is_some() {
            assert_eq!(told["content"], message["content"], "{id}");
            with_content += 1;
        }
        for name in ["container", "context_management", "stop_details"] {
            assert_eq!(told[name], message[name], "{id} {name}");
        }
        for name in ["service_tier", "server_tool_use", "inference_geo"] {
            assert_eq!(told["usage"][name], message["usage"][name], "{id} {name}");
        }
        streams_read += 1;
    }
    say(&format!("{streams_read} streams of messages, {with_content} with content of their own"));
    assert!(streams_read == 0 || streams_read > 60 && with_content > 8);
}

/// The texts of the output with their annotations, the items of tools that the provider ran, and log probabilities.
fn of_responses(response: &Value) -> (Vec<Value>, Vec<Value>) {
    let items = response["output"].as_array().unwrap();
    let parts = items.iter().filter(|item| item["type"] == "message");
    let texts = parts
        .flat_map(|item| item["content"].as_array().unwrap())
        .filter(|part| part["type"] == "output_text" && part["text"] != "")
        .map(|part| {
            let or_none = |name: &str| if part[name].is_array() { part[name].clone() } else { json!([]) };
            json!([part["text"], or_none("annotations"), or_none("logprobs")])
        });
    let is_ours = |item: &&Value| {
        let kind = item["type"].as_str().unwrap();
        !["message", "reasoning", "function_call", "custom_tool_call"].contains(&kind)
    };
    (texts.collect(), items.iter().filter(is_ours).cloned().collect())
}

fn last_of_responses(events: &[Value]) -> Option<Value> {
    let is_last =
        |event: &&Value| event["type"] == "response.completed" || event["type"] == "response.incomplete";
    events.iter().find(is_last).map(|event| event["response"].clone())
}

#[test]
fn extras_of_responses_survive() {
    let (mut streams_read, mut annotated, mut items) = (0, 0, 0);
    for recording in streams("openai-responses") {
        let wire = recording.body.as_deref().unwrap();
        let provider = provider(&recording, Dialect::OpenaiResponses);
        let Some((events_of, answer)) = streamed(provider, wire) else { continue };
        let id = &recording.id;
        let sent = events(wire);
        let response = last_of_responses(&sent).unwrap();
        let other = read_whole(provider, &response);
        assert_eq!(values(&answer.extra), values(&other.extra), "{id}");
        streams_read += 1;
        if response["output"].as_array().is_none_or(Vec::is_empty) {
            continue;
        }
        let told = events(&written(&openai_responses::INBOUND, &events_of, &answer));
        let last = last_of_responses(&told).unwrap();
        let (ours, theirs) = (of_responses(&last), of_responses(&response));
        // Some hosts send log probabilities with the pieces only, some with the whole only.
        let without_logprobs =
            |texts: &[Value]| texts.iter().map(|text| json!([text[0], text[1]])).collect::<Vec<_>>();
        assert_eq!(without_logprobs(&ours.0), without_logprobs(&theirs.0), "{id}");
        assert_eq!(ours.1, theirs.1, "{id}");
        for name in ["service_tier", "temperature", "tools", "tool_choice", "instructions"] {
            if !response[name].is_null() {
                assert_eq!(last[name], response[name], "{id} {name}");
            }
        }
        let pieces = |events: &[Value], kind: &str, member: &str| -> Vec<Value> {
            events.iter().filter(|event| event["type"] == kind).map(|event| event[member].clone()).collect()
        };
        let annotations = pieces(&told, "response.output_text.annotation.added", "annotation");
        let in_whole: usize = theirs.0.iter().map(|text| text[1].as_array().unwrap().len()).sum();
        assert_eq!(annotations.len(), in_whole, "{id}");
        let logprobs = |events: &[Value]| -> Vec<Value> {
            let lists = pieces(events, "response.output_text.delta", "logprobs");
            lists.iter().filter_map(Value::as_array).flatten().cloned().collect()
        };
        assert_eq!(logprobs(&told), logprobs(&sent), "{id}");
        annotated += usize::from(in_whole > 0);
        items += theirs.1.len();
    }
    say(&format!(
        "{streams_read} streams of responses, {annotated} annotated, {items} items of the providers' tools"
    ));
    assert!(streams_read == 0 || streams_read > 55 && annotated > 3 && items > 8);
}

#[test]
fn extras_of_gemini_and_ollama_survive() {
    let mut read = 0;
    for recording in streams("gemini") {
        let wire = recording.body.as_deref().unwrap();
        if wire.trim_start().starts_with('[') {
            continue;
        }
        let provider = provider(&recording, Dialect::Gemini);
        let Some((_, answer)) = streamed(provider, wire) else { continue };
        let other = read_whole(provider, &Value::Array(events(wire)));
        assert_eq!(values(&answer.extra), values(&other.extra), "{}", recording.id);
        let mut expected = Map::new();
        for event in events(wire) {
            let candidate = event["candidates"][0].as_object().cloned().unwrap_or_default();
            for name in ["groundingMetadata", "urlContextMetadata", "citationMetadata"] {
                if let Some(value) = candidate.get(name) {
                    expected.insert(name.to_owned(), value.clone());
                }
            }
        }
        for (name, value) in expected {
            assert_eq!(values(&answer.extra)[&name], value, "{} {name}", recording.id);
        }
        read += 1;
    }
    for recording in streams("ollama") {
        let wire = recording.body.as_deref().unwrap();
        let provider = provider(&recording, Dialect::Ollama);
        let Some((_, answer)) = streamed(provider, wire) else { continue };
        let last = events(wire).pop().unwrap();
        let other = read_whole(provider, &last);
        assert_eq!(values(&answer.extra), values(&other.extra), "{}", recording.id);
        assert!(answer.extra.get("total_duration").is_some());
        read += 1;
    }
    say(&format!("{read} streams of Gemini and Ollama"));
    assert!(read == 0 || read > 40);
}
