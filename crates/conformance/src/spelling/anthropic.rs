//! Anthropic Messages. Sources: Anthropic API reference, Messages, Streaming and Errors; recordings, as of 2026-11.

use mainstay_canon::Dialect;
use serde_json::{Value, json};

use super::framing::{
    PAGE, broken_letter, commented, cut_after, event, events, line_ends, over_lines, up_to, without_spaces,
};
use super::{End, Part, Parts, Spelling};
use crate::outcome::{
    CACHED, CACHED_PROMPT, COUNTS, DECLINED, FIRST, HIDDEN, SAID, SECOND, SIGNATURE, TEXT, THOUGHT,
    UNKNOWN_WORD,
};
use crate::scenario::{Form, Scenario, Wire};

pub(super) static SPELLING: Spelling =
    Spelling { dialect: Dialect::Anthropic, spell, skips: SKIPS, with_word };

static SKIPS: &[(Scenario, Option<Form>, &str)] = &[
    (Scenario::ContentFilter, None, "a filtered answer is a refusal or an error here"),
    (Scenario::PromptProhibited, None, "a filtered prompt is a refusal or an error here"),
    (Scenario::FirstChoiceOnly, None, "there is one answer"),
    (
        Scenario::CallCutByLength,
        Some(Form::Whole),
        "the input of a whole call is an object, never half of one",
    ),
    (Scenario::RateLimitWithDelay, None, "a delay stands in headers alone"),
];

fn spell(scenario: Scenario, form: Form) -> Option<Wire> {
    use Scenario as S;
    let text = || stream(&[Part::Text(&TEXT)], End::with("end_turn"));
    Some(match scenario {
        S::PlainText => reply(form, &[Part::Text(&TEXT)], End::with("end_turn")),
        S::Reasoning => reply(form, &[Part::Thought(&THOUGHT), Part::Text(&SAID)], End::with("end_turn")),
        S::SignedReasoning => {
            reply(form, &[Part::Signed(&THOUGHT, SIGNATURE), Part::Text(&SAID)], End::with("end_turn"))
        }
        S::ReasoningCount => {
            reply(form, &[Part::Text(&SAID)], End { hidden: HIDDEN, ..End::with("end_turn") })
        }
        S::OneCall => reply(form, &[Part::Call("call_1", &FIRST)], End::with("tool_use")),
        S::ParallelCalls => {
            reply(form, &[Part::Call("call_1", &FIRST), Part::Call("call_2", &SECOND)], End::with("tool_use"))
        }
        S::TextThenCall => {
            reply(form, &[Part::Text(&SAID), Part::Call("call_1", &FIRST)], End::with("tool_use"))
        }
        S::CallWithoutArguments => reply(form, &[Part::Call("call_1", &[])], End::with("tool_use")),
        S::CallWithoutId => reply(form, &[Part::Call("", &FIRST)], End::with("tool_use")),
        S::StopSequence => {
            let wire = reply(form, &[Part::Text(&SAID)], End::with("stop_sequence"));
            let text = String::from_utf8(wire.body).unwrap();
            // Of a stream the last one, in `message_delta`.
            let (before, after) = text.rsplit_once(r#""stop_sequence":null"#).unwrap();
            Wire::ok(format!(r#"{before}"stop_sequence":"END"{after}"#))
        }
        S::Length => reply(form, &[Part::Text(&SAID)], End::with("max_tokens")),
        S::LengthBeforeText => reply(form, &[Part::Thought(&THOUGHT)], End::with("max_tokens")),
        S::CallCutByLength if form == Form::Whole => return None,
        S::CallCutByLength => reply(form, &[Part::Call("call_1", &[FIRST[0]])], End::with("max_tokens")),
        S::Refusal => refusal(form),
        S::Pause => reply(form, &[Part::Text(&SAID)], End::with("pause_turn")),
        S::ContextFull => reply(form, &[Part::Text(&SAID)], End::with("model_context_window_exceeded")),
        S::UnknownFinish => reply(form, &[Part::Text(&SAID)], End::with(UNKNOWN_WORD)),
        S::FinishMissing => reply(form, &[Part::Text(&SAID)], End { word: None, ..End::with("") }),
        S::NullMembers => null_members(form),
        S::UnknownMembers => unknown_members(form),
        S::NoContent => reply(form, &[], End::with("end_turn")),
        S::UsageAbsent => reply(form, &[Part::Text(&SAID)], End { counts: None, ..End::with("end_turn") }),
        // What is cached stands beside the input here.
        S::CachedPrompt => reply(
            form,
            &[Part::Text(&SAID)],
            End { counts: Some((CACHED_PROMPT - CACHED, COUNTS.1)), cached: CACHED, ..End::with("end_turn") },
        ),
        S::LeakedThinking => reply(
            form,
            &[Part::Text(&["<thi", "nk>Let me ", "think it over.</th", "ink>\n\nIt is ", "done."])],
            End::with("end_turn"),
        ),
        S::ErrorInside => inside(form, "api_error", "Internal server error"),
        S::RateLimitInside => inside(form, "rate_limit_error", "This request would exceed your rate limit."),
        S::OverloadInside => inside(form, "overloaded_error", "Overloaded"),
        S::Markup => Wire::ok(PAGE),
        S::NotUtf8 => {
            let wire = reply(form, &[Part::Text(&SAID)], End::with("end_turn"));
            Wire::ok(broken_letter(std::str::from_utf8(&wire.body).unwrap(), SAID[1]))
        }
        S::EmptyObject => Wire::ok("{}"),
        S::OtherJson => Wire::ok("[1, 2]"),
        S::CutBody => Wire::ok(cut_after(&whole(&[Part::Text(&TEXT)], End::with("end_turn")), "aus")),
        S::NoBody | S::EmptyStream => Wire::ok(""),
        S::InterleavedCalls => Wire::ok(calls(&[
            begin(0, "call_1", &json!({})),
            begin(1, "call_2", &json!({})),
            json_delta(0, FIRST[0]),
            json_delta(1, SECOND[0]),
            json_delta(1, SECOND[1]),
            json_delta(0, FIRST[1]),
            stop(0),
            stop(1),
        ])),
        S::WholeCallInOnePiece => {
            let input: Value = serde_json::from_str(&FIRST.concat()).unwrap();
            Wire::ok(calls(&[begin(0, "call_1", &input), stop(0)]))
        }
        S::CallIdRepeated => {
            let piece = |text: &str| {
                let mut piece = json_delta(0, text);
                piece["delta"]["id"] = json!("call_1");
                piece["delta"]["name"] = json!("weather");
                piece
            };
            Wire::ok(calls(&[begin(0, "call_1", &json!({})), piece(FIRST[0]), piece(FIRST[1]), stop(0)]))
        }
        S::CallsFromOne => Wire::ok(calls(&[
            begin(1, "call_1", &json!({})),
            json_delta(1, &FIRST.concat()),
            stop(1),
            begin(2, "call_2", &json!({})),
            json_delta(2, SECOND[0]),
            json_delta(2, SECOND[1]),
            stop(2),
        ])),
        S::CallsUnnumbered => {
            let events = [
                begin(0, "call_1", &json!({})),
                json_delta(0, FIRST[0]),
                json_delta(0, FIRST[1]),
                stop(0),
                begin(0, "call_2", &json!({})),
                json_delta(0, &SECOND.concat()),
                stop(0),
            ];
            Wire::ok(calls(&events.map(|mut event| {
                event.as_object_mut().unwrap().remove("index");
                event
            })))
        }
        S::UsageAfterFinish => {
            let late = frame(&json!({"type": "message_delta", "delta": {},
                "usage": {"input_tokens": COUNTS.0, "output_tokens": COUNTS.1}}));
            let stream = stream(&[Part::Text(&TEXT)], End { counts: None, ..End::with("end_turn") });
            Wire::ok(stream.replace("event: message_stop", &format!("{late}event: message_stop")))
        }
        S::TerminatorMissing => Wire::ok(up_to(&text(), "event: message_delta", "\n\n")),
        S::DataAfterTerminator => {
            let more = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "more"}});
            Wire::ok(format!("{}{}data: rubbish\n\n", text(), frame(&more)))
        }
        S::ErrorAfterReasoning => broken_off(&[Part::Thought(&THOUGHT), Part::Text(&SAID)], THOUGHT[1]),
        S::ErrorAfterText => broken_off(&[Part::Text(&TEXT)], TEXT[2]),
        S::CutBeforeContent => Wire::ok(up_to(&text(), "content_block_start", "\n\n")),
        S::CutInReasoning => {
            let stream = stream(&[Part::Thought(&THOUGHT), Part::Text(&SAID)], End::with("end_turn"));
            Wire::ok(cut_after(&stream, "think it"))
        }
        S::CutInText => Wire::ok(cut_after(&text(), "aus ")),
        S::CutInCall => {
            Wire::ok(cut_after(&stream(&[Part::Call("call_1", &FIRST)], End::with("tool_use")), "Köl"))
        }
        S::CutAfterFinish => {
            let told = stream(&[Part::Text(&TEXT)], End { counts: None, ..End::with("end_turn") });
            let finished = up_to(&told, "event: message_delta", "\n\n");
            Wire::ok(format!("{finished}event: message_stop\ndata: {{\"ty"))
        }
        S::KeepAlives => {
            let ping = "event: ping\ndata: {\"type\": \"ping\"}\n\n: ping\n\n";
            Wire::ok(text().replace("\n\n", &format!("\n\n{ping}")))
        }
        S::UnknownEvent => {
            let odd = frame(&json!({"type": "horoscope_delta", "index": 0, "delta": {"text": "Lion"}}));
            Wire::ok(text().replacen("\n\n", &format!("\n\n{odd}"), 4))
        }
        S::CrLf => Wire::ok(line_ends(&text(), "\r\n")),
        S::LoneCr => Wire::ok(line_ends(&text(), "\r")),
        S::Comments => Wire::ok(commented(&text())),
        S::ByteOrderMark => {
            let wire = reply(form, &[Part::Text(&TEXT)], End::with("end_turn"));
            Wire::ok(["\u{feff}".as_bytes(), &wire.body].concat())
        }
        S::DataOverLines => Wire::ok(over_lines(&text())),
        S::NoSpaceAfterColon => Wire::ok(without_spaces(&text())),
        S::NoLastLineEnd => Wire::ok(text().trim_end()),
        S::WholeBodyInStream => Wire::ok(whole(&[Part::Text(&TEXT)], End::with("end_turn"))),
        S::GiantLine => Wire::ok(format!("{}{}", frame(&beginning(End::with(""))), giant(9 << 20))),
        S::GiantEvent => Wire::ok(format!("data: {}\n", "x".repeat(1 << 20)).repeat(17)),
        S::GiantAnswer => {
            Wire::ok(format!("{}{}", frame(&beginning(End::with(""))), giant(1 << 20).repeat(33)))
        }
        S::ContentFilter | S::PromptProhibited | S::FirstChoiceOnly | S::RateLimitWithDelay => return None,
        S::WrongKey => refused(401, "authentication_error", "invalid x-api-key"),
        S::NoPermission => refused(403, "permission_error", "Your API key may not use this resource."),
        S::NoSuchModel => refused(404, "not_found_error", "model: m"),
        S::BadRequest => refused(400, "invalid_request_error", "messages: Field required"),
        S::TooLarge => refused(413, "request_too_large", "Request exceeds the maximum size"),
        S::RateLimit => refused(429, "rate_limit_error", "This request would exceed your rate limit."),
        S::QuotaGone => {
            refused(400, "invalid_request_error", "Your credit balance is too low to access the API.")
        }
        S::ContextTooLong => {
            refused(400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum")
        }
        S::Unsupported => {
            refused(400, "invalid_request_error", "`temperature` is deprecated for this model.")
        }
        S::PromptFiltered => {
            refused(400, "invalid_request_error", "Output blocked by content filtering policy")
        }
        S::ServerFault => refused(500, "api_error", "Internal server error"),
        S::Overloaded => refused(529, "overloaded_error", "Overloaded"),
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

fn usage(end: End) -> Value {
    let Some((input, output)) = end.counts else { return Value::Null };
    let mut usage = json!({"input_tokens": input, "output_tokens": output, "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": end.cached});
    if end.hidden > 0 {
        usage["output_tokens_details"] = json!({"thinking_tokens": end.hidden});
    }
    usage
}

fn tool_use(id: &str, input: &Value) -> Value {
    let mut block = json!({"type": "tool_use", "name": "weather", "input": input});
    if !id.is_empty() {
        block["id"] = json!(id);
    }
    block
}

fn whole(parts: &[Part], end: End) -> String {
    let block = |part: &Part| match part {
        Part::Text(pieces) => json!({"type": "text", "text": pieces.concat()}),
        Part::Thought(pieces) => json!({"type": "thinking", "thinking": pieces.concat(), "signature": ""}),
        Part::Signed(pieces, signature) => {
            json!({"type": "thinking", "thinking": pieces.concat(), "signature": signature})
        }
        Part::Refusal(_) => unreachable!("a refusal is told by the stop reason"),
        Part::Call(id, []) => tool_use(id, &json!({})),
        Part::Call(id, pieces) => tool_use(id, &serde_json::from_str(&pieces.concat()).unwrap()),
    };
    let content: Vec<Value> = parts.iter().map(block).collect();
    json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m-wire", "content": content,
        "stop_reason": end.word, "stop_sequence": null, "usage": usage(end)})
    .to_string()
}

fn beginning(end: End) -> Value {
    let early = End { counts: end.counts.map(|(input, _)| (input, 1)), hidden: 0, ..end };
    json!({"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant",
        "model": "m-wire", "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage(early)}})
}

fn begin(index: usize, id: &str, input: &Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": tool_use(id, input)})
}

fn json_delta(index: usize, piece: &str) -> Value {
    delta(index, &json!({"type": "input_json_delta", "partial_json": piece}))
}

fn delta(index: usize, delta: &Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn stop(index: usize) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn told(index: usize, part: &Part) -> Vec<Value> {
    let begun = |block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
    let mut events = Vec::new();
    match part {
        Part::Text(pieces) => {
            events.push(begun(json!({"type": "text", "text": ""})));
            events.extend(
                pieces.iter().map(|piece| delta(index, &json!({"type": "text_delta", "text": piece}))),
            );
        }
        Part::Thought(pieces) | Part::Signed(pieces, _) => {
            events.push(begun(json!({"type": "thinking", "thinking": "", "signature": ""})));
            let thought = |piece: &&str| delta(index, &json!({"type": "thinking_delta", "thinking": piece}));
            events.extend(pieces.iter().map(thought));
            if let Part::Signed(_, signature) = part {
                events.push(delta(index, &json!({"type": "signature_delta", "signature": signature})));
            }
        }
        Part::Refusal(_) => unreachable!("a refusal is told by the stop reason"),
        Part::Call(id, pieces) => {
            events.push(begin(index, id, &json!({})));
            events.push(json_delta(index, ""));
            events.extend(pieces.iter().map(|piece| json_delta(index, piece)));
        }
    }
    events.push(stop(index));
    events
}

fn ending(end: End) -> Vec<Value> {
    vec![
        json!({"type": "message_delta", "delta": {"stop_reason": end.word, "stop_sequence": null}, "usage": usage(end)}),
        json!({"type": "message_stop"}),
    ]
}

fn stream(parts: &[Part], end: End) -> String {
    let mut all = vec![beginning(end)];
    all.extend(parts.iter().enumerate().flat_map(|(index, part)| told(index, part)));
    all.extend(ending(end));
    events(&all, true)
}

/// A stream of these events about calls.
fn calls(about: &[Value]) -> String {
    let end = End::with("tool_use");
    format!("{}{}{}", frame(&beginning(end)), events(about, true), events(&ending(end), true))
}

fn refusal(form: Form) -> Wire {
    let details = json!({"type": "refusal", "category": null, "explanation": DECLINED});
    let wire = reply(form, &[], End::with("refusal"));
    let text = String::from_utf8(wire.body).unwrap();
    Wire::ok(text.replace(
        r#""stop_reason":"refusal""#,
        &format!(r#""stop_reason":"refusal","stop_details":{details}"#),
    ))
}

fn null_members(form: Form) -> Wire {
    let text = SAID.concat();
    if form == Form::Whole {
        return Wire::ok(
            json!({"id": null, "type": "message", "role": null, "model": null, "container": null,
                "content": [{"type": "text", "text": text, "citations": null}, null], "stop_reason": "end_turn",
                "stop_sequence": null, "stop_details": null, "error": null, "usage": {"input_tokens": COUNTS.0,
                "output_tokens": COUNTS.1, "cache_creation": null, "cache_read_input_tokens": null}})
            .to_string(),
        );
    }
    let all = [
        json!({"type": "message_start", "message": {"id": null, "model": null, "content": null,
            "stop_reason": null, "usage": {"input_tokens": COUNTS.0, "output_tokens": null, "cache_creation": null}}}),
        json!({"type": "content_block_start", "index": 0,
            "content_block": {"type": "text", "text": null, "citations": null}}),
        delta(0, &json!({"type": "text_delta", "text": text, "citations": null})),
        json!({"type": "content_block_stop", "index": 0, "error": null}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": null,
            "stop_details": null, "container": null}, "usage": {"input_tokens": null, "output_tokens": COUNTS.1}}),
        json!({"type": "message_stop"}),
    ];
    Wire::ok(events(&all, true))
}

fn unknown_members(form: Form) -> Wire {
    let wire = reply(form, &[Part::Text(&SAID)], End::with("end_turn"));
    let text = String::from_utf8(wire.body).unwrap();
    Wire::ok(text.replace(r#""type":"#, r#""x_odd":[[],{"a":null}],"type":"#))
}

fn giant(bytes: usize) -> String {
    frame(&delta(0, &json!({"type": "text_delta", "text": "x".repeat(bytes)})))
}

fn error(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"})
}

/// The same object is a body and, with its name, an event.
fn inside(form: Form, kind: &str, message: &str) -> Wire {
    let error = error(kind, message);
    Wire::ok(if form == Form::Stream { frame(&error) } else { error.to_string() })
}

fn refused(status: u16, kind: &str, message: &str) -> Wire {
    Wire::error(status, error(kind, message).to_string())
}

fn broken_off(parts: &[Part], mark: &str) -> Wire {
    let stream = stream(parts, End::with("end_turn"));
    Wire::ok(format!(
        "{}{}",
        up_to(&stream, mark, "\n\n"),
        frame(&error("api_error", "Internal server error"))
    ))
}

fn with_word(word: &str, parts: Parts) -> Wire {
    let said = match parts {
        Parts::Text => Part::Text(&SAID),
        Parts::Call => Part::Call("call_1", &FIRST),
    };
    Wire::ok(whole(&[said], End::with(UNKNOWN_WORD)).replace(UNKNOWN_WORD, word))
}
