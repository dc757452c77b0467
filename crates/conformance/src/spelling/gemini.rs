//! Google Gemini `generateContent`. Sources: Gemini API reference, GenerateContentResponse, and Troubleshooting;
//! recordings, as of 2026-11.

use mainstay_canon::Dialect;
use serde_json::{Value, json};

use super::framing::{
    PAGE, broken_letter, commented, cut_after, event, events, line_ends, over_lines, up_to, without_spaces,
};
use super::{End, Part, Parts, Spelling};
use crate::outcome::{
    CACHED, CACHED_PROMPT, COUNTS, DELAY_SECONDS, FIRST, HIDDEN, SAID, SECOND, SIGNATURE, TEXT, THOUGHT,
    UNKNOWN_WORD,
};
use crate::scenario::{Form, Scenario, Wire};

pub(super) static SPELLING: Spelling = Spelling { dialect: Dialect::Gemini, spell, skips: SKIPS, with_word };

static SKIPS: &[(Scenario, Option<Form>, &str)] = &[
    (Scenario::StopSequence, None, "it does not say which stop text was hit"),
    (Scenario::Refusal, None, "it has no refusal field and no such finish word"),
    (Scenario::ContextFull, None, "no word tells a full window from a token limit"),
    (
        Scenario::CallCutByLength,
        Some(Form::Whole),
        "the arguments of a whole call are an object, never half of one",
    ),
    (Scenario::InterleavedCalls, None, "calls follow one another: nothing says which one a piece belongs to"),
    (Scenario::CallsFromOne, None, "the wire numbers no call"),
    (
        Scenario::TerminatorMissing,
        None,
        "events have no terminator: the stream ends when the connection does",
    ),
    (Scenario::PromptFiltered, None, "a blocked prompt is an answer without a candidate"),
    (
        Scenario::OtherJson,
        None,
        "a list is how a stream without events comes, and other values are covered there",
    ),
];

fn spell(scenario: Scenario, form: Form) -> Option<Wire> {
    use Scenario as S;
    let text = || stream(&[Part::Text(&TEXT)], End::with("STOP"));
    Some(match scenario {
        S::PlainText => reply(form, &[Part::Text(&TEXT)], End::with("STOP")),
        S::Reasoning => reply(form, &[Part::Thought(&THOUGHT), Part::Text(&SAID)], End::with("STOP")),
        S::SignedReasoning => {
            reply(form, &[Part::Signed(&THOUGHT, SIGNATURE), Part::Text(&SAID)], End::with("STOP"))
        }
        S::ReasoningCount => reply(form, &[Part::Text(&SAID)], End { hidden: HIDDEN, ..End::with("STOP") }),
        S::OneCall => reply(form, &[Part::Call("call_1", &FIRST)], End::with("STOP")),
        S::ParallelCalls => {
            reply(form, &[Part::Call("call_1", &FIRST), Part::Call("call_2", &SECOND)], End::with("STOP"))
        }
        S::TextThenCall => reply(form, &[Part::Text(&SAID), Part::Call("call_1", &FIRST)], End::with("STOP")),
        S::CallWithoutArguments => reply(form, &[Part::Call("call_1", &[])], End::with("STOP")),
        S::CallWithoutId => reply(form, &[Part::Call("", &FIRST)], End::with("STOP")),
        S::Length => reply(form, &[Part::Text(&SAID)], End::with("MAX_TOKENS")),
        S::LengthBeforeText => reply(form, &[Part::Thought(&THOUGHT)], End::with("MAX_TOKENS")),
        S::CallCutByLength if form == Form::Whole => return None,
        S::CallCutByLength => Wire::ok(cut_call()),
        S::ContentFilter => reply(form, &[Part::Text(&SAID)], End::with("SAFETY")),
        S::PromptProhibited => one(
            form,
            &json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
            "modelVersion": "m-wire", "responseId": "r1"}),
        ),
        S::Pause => reply(form, &[Part::Text(&SAID)], End::with("CONTINUATION")),
        S::UnknownFinish => reply(form, &[Part::Text(&SAID)], End::with(UNKNOWN_WORD)),
        S::FinishMissing => reply(form, &[Part::Text(&SAID)], End { word: None, ..End::with("") }),
        S::NullMembers => one(
            form,
            &json!({"candidates": [{"index": null, "finishMessage": null, "safetyRatings": null,
            "citationMetadata": null, "finishReason": "STOP", "content": {"role": null, "parts": [{"text": SAID.concat(),
            "thought": null, "functionCall": null, "inlineData": null, "thoughtSignature": null}, null]}}],
            "promptFeedback": null, "error": null, "modelVersion": null, "responseId": null, "usageMetadata":
            {"promptTokenCount": COUNTS.0, "candidatesTokenCount": COUNTS.1, "thoughtsTokenCount": null,
            "cachedContentTokenCount": null}}),
        ),
        S::UnknownMembers => {
            let wire = reply(form, &[Part::Text(&SAID)], End::with("STOP"));
            let text = String::from_utf8(wire.body).unwrap();
            let text = text.replace(r#""candidates":[{"#, r#""candidates":[{"xMood":{"deep":[1.0]},"#);
            Wire::ok(text.replace(r#""modelVersion":"#, r#""xOdd":[[],{"a":null}],"modelVersion":"#))
        }
        S::NoContent => reply(form, &[], End::with("STOP")),
        S::UsageAbsent => reply(form, &[Part::Text(&SAID)], End { counts: None, ..End::with("STOP") }),
        S::CachedPrompt => reply(
            form,
            &[Part::Text(&SAID)],
            End { counts: Some((CACHED_PROMPT, COUNTS.1)), cached: CACHED, ..End::with("STOP") },
        ),
        S::LeakedThinking => reply(
            form,
            &[Part::Text(&["<thi", "nk>Let me ", "think it over.</th", "ink>\n\nIt is ", "done."])],
            End::with("STOP"),
        ),
        S::FirstChoiceOnly => {
            let mut both = response(&[json!({"text": SAID.concat()})], End::with("STOP"));
            let other = json!({"index": 1, "finishReason": "MAX_TOKENS", "content": {"parts": [{"text": "Not this."}]}});
            both["candidates"].as_array_mut().unwrap().insert(0, other);
            one(form, &both)
        }
        S::ErrorInside => one(form, &error(500, "INTERNAL", "An internal error has occurred.")),
        S::RateLimitInside => one(form, &error(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted.")),
        S::OverloadInside => one(form, &error(503, "UNAVAILABLE", "The model is overloaded.")),
        S::Markup => Wire::ok(PAGE),
        S::NotUtf8 => {
            let wire = reply(form, &[Part::Text(&SAID)], End::with("STOP"));
            Wire::ok(broken_letter(std::str::from_utf8(&wire.body).unwrap(), SAID[1]))
        }
        S::EmptyObject => Wire::ok("{}"),
        S::CutBody => Wire::ok(cut_after(&whole(&[Part::Text(&TEXT)], End::with("STOP")), "aus")),
        S::NoBody | S::EmptyStream => Wire::ok(""),
        S::WholeCallInOnePiece => {
            let call = json!({"functionCall": {"id": "call_1", "name": "weather", "args": read(&FIRST)}});
            Wire::ok(frame(&response(&[call], End::with("STOP"))))
        }
        // Arguments that come in pieces, each with the call's id.
        S::CallIdRepeated => Wire::ok(in_pieces(true)),
        S::CallsUnnumbered => {
            let call = |id: &str, pieces: &[&str]| json!({"functionCall": {"id": id, "name": "weather", "args": read(pieces)}});
            let both = [call("call_1", &FIRST), call("call_2", &SECOND)];
            Wire::ok(frame(&response(&both, End::with("STOP"))))
        }
        S::UsageAfterFinish => {
            let late = json!({"usageMetadata": counts(End::with("STOP")), "modelVersion": "m-wire"});
            let stream = stream(&[Part::Text(&TEXT)], End { counts: None, ..End::with("STOP") });
            Wire::ok(format!("{stream}{}", frame(&late)))
        }
        // Without `alt=sse` a stream is a list, which has an end.
        S::DataAfterTerminator => {
            Wire::ok(format!("{} {{\"candidates\": rubbish", listed(&[Part::Text(&TEXT)])))
        }
        S::ErrorAfterReasoning => broken_off(&[Part::Thought(&THOUGHT), Part::Text(&SAID)], THOUGHT[1]),
        S::ErrorAfterText => broken_off(&[Part::Text(&TEXT)], TEXT[1]),
        S::CutBeforeContent => Wire::ok(cut_after(&text(), r#""candidates":[{"content":{"#)),
        S::CutInReasoning => {
            let stream = stream(&[Part::Thought(&THOUGHT), Part::Text(&SAID)], End::with("STOP"));
            Wire::ok(cut_after(&stream, "think it"))
        }
        S::CutInText => Wire::ok(cut_after(&text(), "aus ")),
        S::CutInCall => Wire::ok(cut_after(&in_pieces(false), "Köl")),
        S::CutAfterFinish => Wire::ok(format!("{}data: {{\"usageMeta", {
            stream(&[Part::Text(&TEXT)], End { counts: None, ..End::with("STOP") })
        })),
        S::KeepAlives => {
            let quiet =
                frame(&json!({"candidates": [{"content": {"role": "model", "parts": [{"text": ""}]}}]}));
            let stream = text();
            let pinged = stream.replacen("\n\n", &format!("\n\n{quiet}: ping\n\n"), 2);
            Wire::ok(pinged)
        }
        S::UnknownEvent => {
            let odd = frame(&json!({"horoscope": {"sign": "Lion"}}));
            Wire::ok(format!("{odd}{}", text()))
        }
        S::CrLf => Wire::ok(line_ends(&text(), "\r\n")),
        S::LoneCr => Wire::ok(line_ends(&text(), "\r")),
        S::Comments => Wire::ok(commented(&text())),
        S::ByteOrderMark => {
            let wire = reply(form, &[Part::Text(&TEXT)], End::with("STOP"));
            Wire::ok(["\u{feff}".as_bytes(), &wire.body].concat())
        }
        S::DataOverLines => Wire::ok(over_lines(&text())),
        S::NoSpaceAfterColon => Wire::ok(without_spaces(&text())),
        S::NoLastLineEnd => Wire::ok(text().trim_end()),
        S::WholeBodyInStream => Wire::ok(whole(&[Part::Text(&TEXT)], End::with("STOP"))),
        S::GiantLine => Wire::ok(giant(9 << 20)),
        S::GiantEvent => Wire::ok(format!("data: {}\n", "x".repeat(1 << 20)).repeat(17)),
        S::GiantAnswer => Wire::ok(giant(1 << 20).repeat(33)),
        S::StopSequence
        | S::Refusal
        | S::ContextFull
        | S::InterleavedCalls
        | S::CallsFromOne
        | S::TerminatorMissing
        | S::PromptFiltered
        | S::OtherJson => return None,
        S::WrongKey => {
            let mut body = error(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.");
            body["error"]["details"] =
                json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]);
            Wire::error(400, body.to_string())
        }
        S::NoPermission => refused(403, "PERMISSION_DENIED", "You do not have permission."),
        S::NoSuchModel => refused(404, "NOT_FOUND", "models/m is not found for API version v1beta."),
        S::BadRequest => refused(400, "INVALID_ARGUMENT", "Invalid value at 'contents'."),
        S::TooLarge => {
            refused(400, "INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes.")
        }
        S::RateLimit => refused(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted."),
        S::RateLimitWithDelay => {
            let mut body = error(429, "RESOURCE_EXHAUSTED", "You exceeded your quota of a minute.");
            body["error"]["details"] = json!([{"@type": "type.googleapis.com/google.rpc.RetryInfo",
                "retryDelay": format!("{DELAY_SECONDS}s")}]);
            Wire::error(429, body.to_string())
        }
        S::QuotaGone => {
            let mut body = error(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.");
            body["error"]["details"] = json!([{"@type": "type.googleapis.com/google.rpc.QuotaFailure",
                "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]);
            Wire::error(429, body.to_string())
        }
        S::ContextTooLong => refused(
            400,
            "INVALID_ARGUMENT",
            "The input token count (9) exceeds the maximum number of tokens allowed (8).",
        ),
        S::Unsupported => refused(400, "INVALID_ARGUMENT", "Penalty is not supported for this model."),
        S::ServerFault => refused(500, "INTERNAL", "An internal error has occurred."),
        S::Overloaded => refused(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
        S::MarkupError => Wire::error(502, PAGE),
        S::EmptyError => Wire::error(500, ""),
    })
}

fn reply(form: Form, parts: &[Part], end: End) -> Wire {
    Wire::ok(if form == Form::Stream { stream(parts, end) } else { whole(parts, end) })
}

fn one(form: Form, response: &Value) -> Wire {
    Wire::ok(if form == Form::Stream { frame(response) } else { response.to_string() })
}

fn frame(value: &Value) -> String {
    event(value, false)
}

fn read(pieces: &[&str]) -> Value {
    serde_json::from_str(&pieces.concat()).unwrap()
}

/// Hidden tokens stand beside the candidates' count here.
fn counts(end: End) -> Value {
    let Some((prompt, completion)) = end.counts else { return Value::Null };
    let mut usage = json!({"promptTokenCount": prompt, "candidatesTokenCount": completion - end.hidden,
        "totalTokenCount": prompt + completion});
    if end.cached > 0 {
        usage["cachedContentTokenCount"] = json!(end.cached);
    }
    if end.hidden > 0 {
        usage["thoughtsTokenCount"] = json!(end.hidden);
    }
    usage
}

fn response(parts: &[Value], end: End) -> Value {
    let mut candidate = json!({"index": 0, "content": {"role": "model", "parts": parts}});
    if let Some(word) = end.word {
        candidate["finishReason"] = json!(word);
    }
    let mut response = json!({"candidates": [candidate], "modelVersion": "m-wire", "responseId": "r1"});
    if end.counts.is_some() {
        response["usageMetadata"] = counts(end);
    }
    response
}

fn call(id: &str, pieces: &[&str]) -> Value {
    let mut call = json!({"name": "weather"});
    if !id.is_empty() {
        call["id"] = json!(id);
    }
    if !pieces.is_empty() {
        call["args"] = read(pieces);
    }
    json!({"functionCall": call})
}

/// The parts of the wire, piece by piece.
fn pieces(part: &Part) -> Vec<Value> {
    match part {
        Part::Text(pieces) => pieces.iter().map(|piece| json!({"text": piece})).collect(),
        Part::Thought(pieces) => pieces.iter().map(|piece| json!({"text": piece, "thought": true})).collect(),
        Part::Signed(pieces, signature) => {
            let mut parts: Vec<Value> =
                pieces.iter().map(|piece| json!({"text": piece, "thought": true})).collect();
            parts.last_mut().unwrap()["thoughtSignature"] = json!(signature);
            parts
        }
        Part::Refusal(_) => unreachable!("this dialect has no refusal"),
        Part::Call(id, pieces) => vec![call(id, pieces)],
    }
}

fn whole(parts: &[Part], end: End) -> String {
    let parts: Vec<Value> = parts.iter().flat_map(pieces).collect();
    response(&parts, end).to_string()
}

/// One response a part; the last has the finish word and the counts, and the ones before have the prompt's.
fn responses(parts: &[Part], end: End) -> Vec<Value> {
    let mut parts: Vec<Value> = parts.iter().flat_map(pieces).collect();
    let last = parts.pop();
    let early = End { word: None, counts: None, ..End::default() };
    let mut all: Vec<Value> = parts.into_iter().map(|part| response(&[part], early)).collect();
    all.push(response(last.as_slice(), end));
    all
}

fn stream(parts: &[Part], end: End) -> String {
    events(&responses(parts, end), false)
}

fn listed(parts: &[Part]) -> String {
    let all: Vec<String> = responses(parts, End::with("STOP")).iter().map(ToString::to_string).collect();
    format!("[{}\n]\n", all.join("\n,\r\n"))
}

/// A call whose one argument comes in pieces (Gemini 3, recorded 2026-08).
fn in_pieces(with_id: bool) -> String {
    let piece = |name: Option<&str>, partial: Value, goes_on: bool| {
        let mut call = json!({"willContinue": goes_on});
        if let Some(name) = name {
            call["name"] = json!(name);
        }
        if with_id || name.is_some() {
            call["id"] = json!("call_1");
        }
        if !partial.is_null() {
            call["partialArgs"] = json!([partial]);
        }
        json!({"functionCall": call})
    };
    let early = End { word: None, counts: None, ..End::default() };
    let city = |text: &str, goes_on: bool| json!({"jsonPath": "$.city", "stringValue": text, "willContinue": goes_on});
    let first = response(&[piece(Some("weather"), Value::Null, true)], early);
    let second = response(&[piece(None, city("K", true), true)], early);
    let third = response(&[piece(None, city("öln", false), true)], early);
    let end = response(&[json!({"functionCall": {"willContinue": false}})], End::with("STOP"));
    // The marks of a cut stand in one piece where that is asked for.
    if with_id {
        return events(&[first, second, third, end], false);
    }
    let both = response(&[piece(None, city("Köln", false), true)], early);
    events(&[first, both, end], false)
}

/// A call that the token limit cut before its argument was told.
fn cut_call() -> String {
    let early = End { word: None, counts: None, ..End::default() };
    let first = json!({"functionCall": {"name": "weather", "id": "call_1", "willContinue": true,
        "partialArgs": [{"jsonPath": "$.city", "stringValue": "K", "willContinue": true}]}});
    let end = response(&[], End::with("MAX_TOKENS"));
    events(&[response(&[first], early), end], false)
}

fn giant(bytes: usize) -> String {
    frame(&response(
        &[json!({"text": "x".repeat(bytes)})],
        End { word: None, counts: None, ..End::default() },
    ))
}

fn error(code: u16, status: &str, message: &str) -> Value {
    json!({"error": {"code": code, "message": message, "status": status}})
}

fn refused(status: u16, word: &str, message: &str) -> Wire {
    Wire::error(status, error(status, word, message).to_string())
}

fn broken_off(parts: &[Part], mark: &str) -> Wire {
    let stream = stream(parts, End::with("STOP"));
    let error = frame(&error(500, "INTERNAL", "An internal error has occurred."));
    Wire::ok(format!("{}{error}", up_to(&stream, mark, "\n\n")))
}

fn with_word(word: &str, parts: Parts) -> Wire {
    if let Some(reason) = word.strip_prefix("promptFeedback:") {
        return Wire::ok(json!({"promptFeedback": {"blockReason": reason}, "responseId": "r1"}).to_string());
    }
    let said = match parts {
        Parts::Text => Part::Text(&SAID),
        Parts::Call => Part::Call("call_1", &FIRST),
    };
    Wire::ok(whole(&[said], End::with(UNKNOWN_WORD)).replace(UNKNOWN_WORD, word))
}
