//! The same dialect in and out loses nothing: whatever a caller adds, anywhere, reaches a provider of its dialect.

#![allow(clippy::unwrap_used, clippy::panic)]

use mainstay_canon::{Accepts, Dialect, ReasoningReplay, Target};
use mainstay_conformance::translation::asked_bodies;
use mainstay_dialects::anthropic::AnthropicMessages;
use mainstay_dialects::openai_chat::{OpenAiChat, ReasoningStyle};
use mainstay_dialects::openai_responses::OpenAiResponses;
use mainstay_dialects::{Call, Inbound, Upstream};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

static CHAT: OpenAiChat = OpenAiChat { reasoning: ReasoningStyle::Details, ..OpenAiChat::STANDARD };

/// The upstream of a dialect, one that takes everything.
fn upstream(dialect: Dialect) -> &'static dyn Upstream {
    match dialect {
        Dialect::OpenaiChat => &CHAT,
        Dialect::OpenaiResponses => &OpenAiResponses::STANDARD,
        Dialect::Anthropic => &AnthropicMessages::STANDARD,
        Dialect::Gemini | Dialect::Ollama | Dialect::Bedrock => panic!("{dialect} has no face"),
    }
}

/// All objects of a body, by their JSON pointers.
fn objects(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        // Our own envelope around another dialect's reasoning, which no provider of this one is given.
        Value::Object(members) if members.get("type") == Some(&json!("mainstay.reasoning")) => {}
        Value::Object(members) => {
            found.push(at.to_owned());
            for (name, value) in members {
                objects(value, &format!("{at}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (nth, item) in items.iter().enumerate() {
                objects(item, &format!("{at}/{nth}"), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Adds members that nobody knows at some of the places; gives back where.
fn add(body: &mut Value, places: &[Index]) -> Vec<String> {
    let mut all = Vec::new();
    objects(body, "", &mut all);
    let mut chosen: Vec<String> = places.iter().map(|place| place.get(&all).clone()).collect();
    chosen.sort_unstable();
    chosen.dedup();
    for (nth, at) in chosen.iter().enumerate() {
        body.pointer_mut(at).unwrap()[format!("x_added_{nth}")] = json!({"a": [format!("added-{nth}-")]});
    }
    chosen
}

/// What reaches the provider, unless the request is refused by name.
fn sent(face: &dyn Inbound, body: &Value) -> Option<String> {
    let received = face.read_request(body.to_string().as_bytes()).ok()?;
    let request = &received.request;
    let target = Target::new("provider", "m");
    let accepts =
        Accepts { developer_role: true, reasoning_replay: ReasoningReplay::All, ..Accepts::default() };
    let call =
        Call { target: &target, accepts: &accepts, stream: request.stream, max_tokens: request.max_tokens };
    let outbound = upstream(face.dialect()).write_request(request, &call).ok()?;
    Some(String::from_utf8(outbound.body).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_a_caller_adds_anywhere_reaches_a_provider_of_its_dialect(
        which in any::<Index>(),
        places in prop::collection::vec(any::<Index>(), 1..4),
    ) {
        for (face, bodies) in asked_bodies() {
            let mut body = which.get(&bodies).clone();
            let places = add(&mut body, &places);
            let Some(sent) = sent(face, &body) else { continue };
            for (nth, at) in places.iter().enumerate() {
                let added = format!("added-{nth}-");
                prop_assert!(sent.contains(&added), "{}: added at {at:?} of {body}, not in {sent}", face.dialect());
            }
        }
    }
}

/// Every place of every body, one at a time: what the property draws from, in full.
#[test]
fn every_single_place_is_tried() {
    let mut lost = Vec::new();
    let mut tried = 0;
    for (face, bodies) in asked_bodies() {
        for body in bodies {
            let mut all = Vec::new();
            objects(&body, "", &mut all);
            for at in all {
                let mut body = body.clone();
                body.pointer_mut(&at).unwrap()["x_added"] = json!("added");
                let Some(sent) = sent(face, &body) else { continue };
                tried += 1;
                if !sent.contains("added") {
                    lost.push(format!("{}: added at {at:?} of {body}", face.dialect()));
                }
            }
        }
    }
    assert!(tried > 500, "only {tried} places");
    assert!(lost.is_empty(), "{} of {tried} lost:\n{}", lost.len(), lost.join("\n"));
}
