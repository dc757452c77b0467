//! OpenAI Responses. Sources: OpenAI API reference, "Responses" and "Streaming events"; recordings, as of 2026-11.

use mainstay_canon::Dialect;
use serde_json::{Value, json};

use super::framing::{
    PAGE, broken_letter, commented, cut_after, event, events, line_ends, over_lines, up_to, without_spaces,
};
use super::{End, Part, Parts, Spelling};
use crate::outcome::{
    CACHED, CACHED_PROMPT, COUNTS, DECLINED, DELAY_SECONDS, FIRST, HIDDEN, SAID, SECOND, SIGNATURE, TEXT,
    THOUGHT, UNKNOWN_WORD,
};
use crate::scenario::{Form, Scenario, Wire};

pub(super) static SPELLING: Spelling =
    Spelling { dialect: Dialect::OpenaiResponses, spell, skips: SKIPS, with_word };

static SKIPS: &[(Scenario, Option<Form>, &str)] = &[
    (Scenario::StopSequence, None, "it takes no stop texts"),
    (Scenario::PromptProhibited, None, "a filtered prompt is an error of its own here"),
    (Scenario::Pause, None, "no status asks to continue"),
    (Scenario::ContextFull, None, "no reason tells a full window from a token limit"),
    (Scenario::FirstChoiceOnly, None, "there is one answer"),
    (Scenario::TerminatorMissing, None, "the last event is the only proof of an end"),
    (Scenario::UsageAfterFinish, None, "counts come inside the last event"),
    (Scenario::CutAfterFinish, None, "nothing follows the last event"),
];

fn spell(scenario: Scenario, form: Form) -> Option<Wire> {
    use Scenario as S;
    let text = || stream(&[Part::Text(&TEXT)], End::with("completed"));
    Some(match scenario {
        S::PlainText => reply(form, &[Part::Text(&TEXT)], End::with("completed")),
        S::Reasoning => reply(form, &[Part::Thought(&THOUGHT), Part::Text(&SAID)], End::with("completed")),
        S::SignedReasoning => {
            reply(form, &[Part::Signed(&THOUGHT, SIGNATURE), Part::Text(&SAID)], End::with("completed"))
        }
        S::ReasoningCount => {
            reply(form, &[Part::Text(&SAID)], End { hidden: HIDDEN, ..End::with("completed") })
        }
        S::OneCall => reply(form, &[Part::Call("call_1", &FIRST)], End::with("completed")),
        S::ParallelCalls => reply(
            form,
            &[Part::Call("call_1", &FIRST), Part::Call("call_2", &SECOND)],
            End::with("completed"),
        ),
        S::TextThenCall => {
            reply(form, &[Part::Text(&SAID), Part::Call("call_1", &FIRST)], End::with("completed"))
        }
        S::CallWithoutArguments => reply(form, &[Part::Call("call_1", &[])], End::with("completed")),
        S::CallWithoutId => reply(form, &[Part::Call("", &FIRST)], End::with("completed")),
        S::Length => reply(form, &[Part::Text(&SAID)], End::with("incomplete:max_output_tokens")),
        S::LengthBeforeText => {
            reply(form, &[Part::Thought(&THOUGHT)], End::with("incomplete:max_output_tokens"))
        }
        S::CallCutByLength => {
            reply(form, &[Part::Call("call_1", &[FIRST[0]])], End::with("incomplete:max_output_tokens"))
        }
        S::Refusal => reply(form, &[Part::Refusal(DECLINED)], End::with("completed")),
        S::ContentFilter => reply(form, &[Part::Text(&SAID)], End::with("incomplete:content_filter")),
        S::UnknownFinish => reply(form, &[Part::Text(&SAID)], End::with(UNKNOWN_WORD)),
        S::FinishMissing if form == Form::Stream => Wire::ok(body_of(&[Part::Text(&SAID)])),
        S::FinishMissing => reply(form, &[Part::Text(&SAID)], End { word: None, ..End::with("") }),
        S::NullMembers => null_members(form),
        S::UnknownMembers => unknown_members(form),
        S::NoContent => reply(form, &[], End::with("completed")),
        S::UsageAbsent => reply(form, &[Part::Text(&SAID)], End { counts: None, ..End::with("completed") }),
        S::CachedPrompt => reply(
            form,
            &[Part::Text(&SAID)],
            End { counts: Some((CACHED_PROMPT, COUNTS.1)), cached: CACHED, ..End::with("completed") },
        ),
        S::LeakedThinking => reply(
            form,
            &[Part::Text(&["<thi", "nk>Let me ", "think it over.</th", "ink>\n\nIt is ", "done."])],
            End::with("completed"),
        ),
        S::ErrorInside => inside(form, "server_error", "The server had an error."),
        S::RateLimitInside => inside(form, "rate_limit_exceeded", "Rate limit reached."),
        S::OverloadInside => inside(form, "server_is_overloaded", "Try again later."),
        S::Markup => Wire::ok(PAGE),
        S::NotUtf8 => {
            let wire = reply(form, &[Part::Text(&SAID)], End::with("completed"));
            Wire::ok(broken_letter(std::str::from_utf8(&wire.body).unwrap(), SAID[1]))
        }
        S::EmptyObject => Wire::ok("{}"),
        S::OtherJson => Wire::ok("[1, 2]"),
        S::CutBody => Wire::ok(cut_after(&whole(&[Part::Text(&TEXT)], End::with("completed")), "aus")),
        S::NoBody | S::EmptyStream => Wire::ok(""),
        S::InterleavedCalls => Wire::ok(calls(
            &[
                added(0, "call_1"),
                added(1, "call_2"),
                arguments(0, FIRST[0]),
                arguments(1, SECOND[0]),
                arguments(1, SECOND[1]),
                arguments(0, FIRST[1]),
                done(0, &call("call_1", &FIRST)),
                done(1, &call("call_2", &SECOND)),
            ],
            &[call("call_1", &FIRST), call("call_2", &SECOND)],
        )),
        S::WholeCallInOnePiece => {
            Wire::ok(calls(&[done(0, &call("call_1", &FIRST))], &[call("call_1", &FIRST)]))
        }
        S::CallIdRepeated => {
            let piece = |text: &str| {
                let mut piece = arguments(0, text);
                piece["call_id"] = json!("call_1");
                piece["name"] = json!("weather");
                piece
            };
            Wire::ok(calls(
                &[added(0, "call_1"), piece(FIRST[0]), piece(FIRST[1]), done(0, &call("call_1", &FIRST))],
                &[call("call_1", &FIRST)],
            ))
        }
        S::CallsFromOne => Wire::ok(calls(
            &[
                added(1, "call_1"),
                arguments(1, &FIRST.concat()),
                done(1, &call("call_1", &FIRST)),
                added(2, "call_2"),
                arguments(2, SECOND[0]),
                arguments(2, SECOND[1]),
                done(2, &call("call_2", &SECOND)),
            ],
            &[],
        )),
        S::CallsUnnumbered => {
            // Told apart by the items' own ids.
            let without = |mut event: Value| {
                let index = event.as_object_mut().unwrap().remove("output_index");
                if event.get("item_id").is_some() {
                    let id = if index == Some(json!(0)) { "fc_call_1" } else { "fc_call_2" };
                    event["item_id"] = json!(id);
                }
                event
            };
            let events = [
                added(0, "call_1"),
                arguments(0, FIRST[0]),
                arguments(0, FIRST[1]),
                done(0, &call("call_1", &FIRST)),
                added(1, "call_2"),
                arguments(1, &SECOND.concat()),
                done(1, &call("call_2", &SECOND)),
            ];
            Wire::ok(calls(&events.map(without), &[]))
        }
        S::DataAfterTerminator => Wire::ok(format!(
            "{}{}data: rubbish\n\ndata: [DONE]\n\n",
            text(),
            frame(&json!({"type": "response.output_text.delta", "output_index": 0, "delta": "more"}))
        )),
        S::ErrorAfterReasoning => broken_off(&[Part::Thought(&THOUGHT), Part::Text(&SAID)], THOUGHT[1]),
        S::ErrorAfterText => broken_off(&[Part::Text(&TEXT)], TEXT[2]),
        S::CutBeforeContent => Wire::ok(up_to(&text(), "response.output_item.added", "\n\n")),
        S::CutInReasoning => {
            let stream = stream(&[Part::Thought(&THOUGHT), Part::Text(&SAID)], End::with("completed"));
            Wire::ok(cut_after(&stream, "think it"))
        }
        S::CutInText => Wire::ok(cut_after(&text(), "aus ")),
        S::CutInCall => {
            Wire::ok(cut_after(&stream(&[Part::Call("call_1", &FIRST)], End::with("completed")), "Köl"))
        }
        S::KeepAlives => {
            let ping = "event: ping\ndata: {\"type\":\"ping\"}\n\n: ping\n\n";
            Wire::ok(text().replace("\n\n", &format!("\n\n{ping}")))
        }
        S::UnknownEvent => {
            let odd = frame(&json!({"type": "response.horoscope.delta", "output_index": 7, "delta": "Lion"}));
            Wire::ok(text().replacen("\n\n", &format!("\n\n{odd}"), 4))
        }
        S::CrLf => Wire::ok(line_ends(&text(), "\r\n")),
        S::LoneCr => Wire::ok(line_ends(&text(), "\r")),
        S::Comments => Wire::ok(commented(&text())),
        S::ByteOrderMark => {
            let wire = reply(form, &[Part::Text(&TEXT)], End::with("completed"));
            Wire::ok(["\u{feff}".as_bytes(), &wire.body].concat())
        }
        S::DataOverLines => Wire::ok(over_lines(&text())),
        S::NoSpaceAfterColon => Wire::ok(without_spaces(&text())),
        S::NoLastLineEnd => Wire::ok(text().trim_end()),
        S::WholeBodyInStream => Wire::ok(whole(&[Part::Text(&TEXT)], End::with("completed"))),
        S::GiantLine => Wire::ok(frame(&delta("output_text", 0, &"x".repeat(9 << 20)))),
        S::GiantEvent => Wire::ok(format!("data: {}\n", "x".repeat(1 << 20)).repeat(17)),
        S::GiantAnswer => Wire::ok(frame(&delta("output_text", 0, &"x".repeat(1 << 20))).repeat(33)),
        S::StopSequence
        | S::PromptProhibited
        | S::Pause
        | S::ContextFull
        | S::FirstChoiceOnly
        | S::TerminatorMissing
        | S::UsageAfterFinish
        | S::CutAfterFinish => return None,
        S::WrongKey => refused(401, "invalid_api_key", "Incorrect API key provided."),
        S::NoPermission => refused(403, "insufficient_permissions", "You may not do this."),
        S::NoSuchModel => refused(404, "model_not_found", "The model `m` does not exist."),
        S::BadRequest => refused(400, "invalid_type", "Invalid type for 'input'."),
        S::TooLarge => refused(413, "payload_too_large", "The request is too large."),
        S::RateLimit => refused(429, "rate_limit_exceeded", "Rate limit reached for m."),
        S::RateLimitWithDelay => refused(
            429,
            "rate_limit_exceeded",
            &format!("Rate limit reached. Please try again in {DELAY_SECONDS}s."),
        ),
        S::QuotaGone => refused(429, "insufficient_quota", "You exceeded your current quota."),
        S::ContextTooLong => {
            refused(400, "context_length_exceeded", "Your input exceeds the context window of this model.")
        }
        S::Unsupported => refused(400, "unsupported_parameter", "Unsupported parameter: 'temperature'."),
        S::PromptFiltered => refused(400, "prompt_blocked", "The prompt was blocked."),
        S::ServerFault => refused(500, "server_error", "The server had an error."),
        S::Overloaded => refused(503, "server_is_overloaded", "Our servers are overloaded."),
        S::MarkupError => Wire::error(502, PAGE),
        S::EmptyError => Wire::error(500, ""),
    })
}

fn reply(form: Form, parts: &[Part], end: End) -> Wire {
    Wire::ok(if form == Form::Stream { stream(parts, end) } else { whole(parts, end) })
}

fn frame(value: &Value) -> String {
    event(value, true)
}

fn response(output: &[Value], end: End) -> Value {
    let (status, reason) = match end.word.map(|word| word.split_once(':').unwrap_or((word, ""))) {
        Some((status, "")) => (json!(status), Value::Null),
        Some((status, reason)) => (json!(status), json!({"reason": reason})),
        None => (Value::Null, Value::Null),
    };
    let mut usage = Value::Null;
    if let Some((prompt, completion)) = end.counts {
        usage = json!({"input_tokens": prompt, "output_tokens": completion, "total_tokens": prompt + completion,
            "input_tokens_details": {"cached_tokens": end.cached},
            "output_tokens_details": {"reasoning_tokens": end.hidden}});
    }
    json!({"id": "resp_1", "object": "response", "created_at": 1, "model": "m-wire", "status": status,
        "incomplete_details": reason, "error": null, "output": output, "usage": usage})
}

fn call(id: &str, pieces: &[&str]) -> Value {
    let mut call = json!({"type": "function_call", "name": "weather", "arguments": pieces.concat(),
        "status": "completed"});
    if !id.is_empty() {
        call["id"] = json!(format!("fc_{id}"));
        call["call_id"] = json!(id);
    }
    call
}

fn item(part: &Part) -> Value {
    let message = |content: Value| json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [content]});
    match part {
        Part::Text(pieces) => {
            message(json!({"type": "output_text", "text": pieces.concat(), "annotations": []}))
        }
        Part::Refusal(text) => message(json!({"type": "refusal", "refusal": text})),
        Part::Thought(pieces) => json!({"type": "reasoning", "id": "rs_1",
            "summary": [{"type": "summary_text", "text": pieces.concat()}]}),
        Part::Signed(pieces, signature) => json!({"type": "reasoning", "id": "rs_1",
            "encrypted_content": signature, "summary": [{"type": "summary_text", "text": pieces.concat()}]}),
        Part::Call(id, pieces) => call(id, pieces),
    }
}

fn whole(parts: &[Part], end: End) -> String {
    response(&parts.iter().map(item).collect::<Vec<_>>(), end).to_string()
}

fn delta(kind: &str, index: usize, piece: &str) -> Value {
    json!({"type": format!("response.{kind}.delta"), "output_index": index, "item_id": format!("item_{index}"),
        "content_index": 0, "summary_index": 0, "delta": piece})
}

fn added(index: usize, id: &str) -> Value {
    let mut item = call(id, &[]);
    item["status"] = json!("in_progress");
    json!({"type": "response.output_item.added", "output_index": index, "item": item})
}

fn arguments(index: usize, piece: &str) -> Value {
    delta("function_call_arguments", index, piece)
}

fn done(index: usize, item: &Value) -> Value {
    json!({"type": "response.output_item.done", "output_index": index, "item": item})
}

/// The events of one item.
fn told(index: usize, part: &Part) -> Vec<Value> {
    let whole = item(part);
    let begun =
        |item: Value| json!({"type": "response.output_item.added", "output_index": index, "item": item});
    let message = || begun(json!({"type": "message", "id": "msg_1", "role": "assistant", "content": []}));
    let mut events = match part {
        Part::Text(_) | Part::Refusal(_) => vec![message()],
        Part::Thought(_) | Part::Signed(..) => {
            vec![begun(json!({"type": "reasoning", "id": "rs_1", "summary": []}))]
        }
        Part::Call(id, _) => vec![added(index, id)],
    };
    match part {
        Part::Text(pieces) => {
            events.extend(pieces.iter().map(|piece| delta("output_text", index, piece)));
            events
                .push(json!({"type": "response.output_text.done", "output_index": index, "content_index": 0,
                "text": pieces.concat()}));
        }
        Part::Refusal(text) => events.push(delta("refusal", index, text)),
        Part::Thought(pieces) | Part::Signed(pieces, _) => {
            events.extend(pieces.iter().map(|piece| delta("reasoning_summary_text", index, piece)));
            events.push(json!({"type": "response.reasoning_summary_text.done", "output_index": index,
                "summary_index": 0, "text": pieces.concat()}));
        }
        Part::Call(_, pieces) => {
            events.extend(pieces.iter().map(|piece| arguments(index, piece)));
            events.push(json!({"type": "response.function_call_arguments.done", "output_index": index,
                "arguments": pieces.concat()}));
        }
    }
    events.push(done(index, &whole));
    events
}

fn last(response: &Value) -> Value {
    // The type of the last event is never a word that nobody knows; the status inside may be.
    let status = response["status"].as_str().unwrap_or("completed");
    let kind = if status == "incomplete" { "incomplete" } else { "completed" };
    json!({"type": format!("response.{kind}"), "response": response})
}

fn beginning() -> Value {
    json!({"type": "response.created", "response": {"id": "resp_1", "object": "response", "model": "m-wire",
        "status": "in_progress", "output": []}})
}

/// All but the last event.
fn body_of(parts: &[Part]) -> String {
    let mut all = vec![beginning()];
    all.extend(parts.iter().enumerate().flat_map(|(index, part)| told(index, part)));
    events(&all, true)
}

fn stream(parts: &[Part], end: End) -> String {
    let output: Vec<Value> = parts.iter().map(item).collect();
    format!("{}{}", body_of(parts), frame(&last(&response(&output, end))))
}

/// A stream of these events about calls.
fn calls(about: &[Value], output: &[Value]) -> String {
    format!(
        "{}{}{}",
        frame(&beginning()),
        events(about, true),
        frame(&last(&response(output, End::with("completed"))))
    )
}

fn null_members(form: Form) -> Wire {
    let content =
        json!([{"type": "output_text", "text": SAID.concat(), "annotations": null, "logprobs": null}]);
    let item = json!({"type": "message", "id": null, "role": null, "status": null, "content": content});
    let body = json!({"id": null, "object": null, "model": null, "status": "completed", "incomplete_details": null,
        "error": null, "output": [item, null], "tools": null, "usage": {"input_tokens": COUNTS.0,
        "output_tokens": COUNTS.1, "input_tokens_details": null, "output_tokens_details": null}});
    if form == Form::Whole {
        return Wire::ok(body.to_string());
    }
    let nulls =
        json!({"type": "response.created", "response": null, "item": null, "delta": null, "error": null});
    let piece = json!({"type": "response.output_text.delta", "output_index": null, "item_id": null,
        "content_index": null, "delta": SAID.concat(), "logprobs": null});
    let end = json!({"type": "response.completed", "response": body});
    Wire::ok(events(&[nulls, piece, end], true))
}

fn unknown_members(form: Form) -> Wire {
    let wire = reply(form, &[Part::Text(&SAID)], End::with("completed"));
    let text = String::from_utf8(wire.body).unwrap();
    let text = text.replace(r#""type":"#, r#""x_odd":[[],{"a":null}],"type":"#);
    Wire::ok(text.replace(r#""object":"response","#, r#""object":"response","x_mood":{"deep":1.0},"#))
}

fn failed(code: &str, message: &str) -> Value {
    json!({"id": "resp_1", "object": "response", "model": "m-wire", "status": "failed", "output": [],
        "incomplete_details": null, "usage": null, "error": {"code": code, "message": message}})
}

fn inside(form: Form, code: &str, message: &str) -> Wire {
    let failed = failed(code, message);
    if form == Form::Whole {
        return Wire::ok(failed.to_string());
    }
    let end = json!({"type": "response.failed", "response": failed});
    Wire::ok(events(&[beginning(), end], true))
}

fn refused(status: u16, code: &str, message: &str) -> Wire {
    let body = json!({"error": {"message": message, "type": "error", "param": null, "code": code}});
    Wire::error(status, body.to_string())
}

/// An `error` event where more would come.
fn broken_off(parts: &[Part], mark: &str) -> Wire {
    let stream = stream(parts, End::with("completed"));
    let error = json!({"type": "error", "code": "server_error", "message": "The server had an error.", "param": null});
    Wire::ok(format!("{}{}", up_to(&stream, mark, "\n\n"), frame(&error)))
}

fn with_word(word: &str, parts: Parts) -> Wire {
    let said = match parts {
        Parts::Text => Part::Text(&SAID),
        Parts::Call => Part::Call("call_1", &FIRST),
    };
    let mut body: Value = serde_json::from_str(&whole(&[said], End::with("completed"))).unwrap();
    let (status, reason) = word.split_once(':').unwrap_or((word, ""));
    body["status"] = json!(status);
    if !reason.is_empty() {
        body["incomplete_details"] = json!({"reason": reason});
    }
    Wire::ok(body.to_string())
}
