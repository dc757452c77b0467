//! OpenAI Chat Completions. Sources: OpenAI API reference, "Chat Completions" and "Streaming"; recordings of its
//! speakers, as of 2026-11.

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
    Spelling { dialect: Dialect::OpenaiChat, spell, skips: SKIPS, with_word };

static SKIPS: &[(Scenario, Option<Form>, &str)] = &[
    (Scenario::PromptProhibited, None, "a filtered prompt is an error of its own here"),
    (Scenario::Pause, None, "no finish word asks to continue"),
];

const DONE: &str = "data: [DONE]\n\n";

fn spell(scenario: Scenario, form: Form) -> Option<Wire> {
    use Scenario as S;
    let text = || stream(&[Part::Text(&TEXT)], End::with("stop"));
    Some(match scenario {
        S::PlainText => reply(form, &[Part::Text(&TEXT)], End::with("stop")),
        S::Reasoning => reply(form, &[Part::Thought(&THOUGHT), Part::Text(&SAID)], End::with("stop")),
        S::SignedReasoning => {
            reply(form, &[Part::Signed(&THOUGHT, SIGNATURE), Part::Text(&SAID)], End::with("stop"))
        }
        S::ReasoningCount => {
            reply(form, &[Part::Text(&SAID)], End { hidden: HIDDEN, ..End::with("stop") })
        }
        S::OneCall => reply(form, &[Part::Call("call_1", &FIRST)], End::with("tool_calls")),
        S::ParallelCalls => reply(form, &TWO_CALLS, End::with("tool_calls")),
        S::TextThenCall => {
            reply(form, &[Part::Text(&SAID), Part::Call("call_1", &FIRST)], End::with("tool_calls"))
        }
        S::CallWithoutArguments => reply(form, &[Part::Call("call_1", &[])], End::with("tool_calls")),
        S::CallWithoutId => reply(form, &[Part::Call("", &FIRST)], End::with("tool_calls")),
        S::StopSequence => {
            // vLLM's member.
            let wire = reply(form, &[Part::Text(&SAID)], End::with("stop"));
            let text = String::from_utf8(wire.body).unwrap();
            Wire::ok(text.replace(r#""finish_reason":"stop""#, r#""finish_reason":"stop","stop_reason":"END""#))
        }
        S::Length => reply(form, &[Part::Text(&SAID)], End::with("length")),
        S::LengthBeforeText => reply(form, &[Part::Thought(&THOUGHT)], End::with("length")),
        S::CallCutByLength => reply(form, &[Part::Call("call_1", &[FIRST[0]])], End::with("length")),
        S::Refusal => reply(form, &[Part::Refusal(DECLINED)], End::with("stop")),
        S::ContentFilter => reply(form, &[Part::Text(&SAID)], End::with("content_filter")),
        S::ContextFull => reply(form, &[Part::Text(&SAID)], End::with("model_length")),
        S::UnknownFinish => reply(form, &[Part::Text(&SAID)], End::with(UNKNOWN_WORD)),
        S::FinishMissing => reply(form, &[Part::Text(&SAID)], End { word: None, ..End::with("") }),
        S::NullMembers => null_members(form),
        S::UnknownMembers => unknown_members(form),
        S::NoContent => reply(form, &[], End::with("stop")),
        S::UsageAbsent => reply(form, &[Part::Text(&SAID)], End { counts: None, ..End::with("stop") }),
        S::CachedPrompt => reply(form, &[Part::Text(&SAID)], cached()),
        S::LeakedThinking => reply(
            form,
            &[Part::Text(&["<thi", "nk>Let me ", "think it over.</th", "ink>\n\nIt is ", "done."])],
            End::with("stop"),
        ),
        S::FirstChoiceOnly => two_choices(form),
        S::ErrorInside => inside(form, &error("server_error", "The server had an error.")),
        S::RateLimitInside => inside(form, &error("rate_limit_exceeded", "Rate limit reached.")),
        S::OverloadInside => inside(form, &error("server_is_overloaded", "Try again later.")),
        S::Markup => Wire::ok(PAGE),
        S::NotUtf8 => {
            let wire = reply(form, &[Part::Text(&SAID)], End::with("stop"));
            Wire::ok(broken_letter(std::str::from_utf8(&wire.body).unwrap(), SAID[1]))
        }
        S::EmptyObject => Wire::ok("{}"),
        S::OtherJson => Wire::ok("[1, 2]"),
        S::CutBody => Wire::ok(cut_after(&whole(&[Part::Text(&TEXT)], End::with("stop")), "aus")),
        S::NoBody | S::EmptyStream => Wire::ok(""),
        S::InterleavedCalls => Wire::ok(calls(&[
            json!([{"index": 0, "id": "call_1", "type": "function", "function": {"name": "weather", "arguments": ""}}]),
            json!([{"index": 1, "id": "call_2", "type": "function", "function": {"name": "weather", "arguments": ""}}]),
            json!([{"index": 0, "function": {"arguments": FIRST[0]}}]),
            json!([{"index": 1, "function": {"arguments": SECOND[0]}}]),
            json!([{"index": 1, "function": {"arguments": SECOND[1]}}, {"index": 0, "function": {"arguments": FIRST[1]}}]),
        ])),
        S::WholeCallInOnePiece => Wire::ok(calls(&[json!([
            {"index": 0, "id": "call_1", "type": "function", "function": {"name": "weather", "arguments": FIRST.concat()}}
        ])])),
        S::CallIdRepeated => Wire::ok(calls(&FIRST.map(|piece| {
            json!([{"index": 0, "id": "call_1", "type": "function", "function": {"name": "weather", "arguments": piece}}])
        }))),
        S::CallsFromOne => Wire::ok(calls(&[
            json!([{"index": 1, "id": "call_1", "function": {"name": "weather", "arguments": FIRST.concat()}}]),
            json!([{"index": 2, "id": "call_2", "function": {"name": "weather", "arguments": SECOND[0]}}]),
            json!([{"index": 2, "function": {"arguments": SECOND[1]}}]),
        ])),
        S::CallsUnnumbered => Wire::ok(calls(&[
            json!([{"id": "call_1", "function": {"name": "weather", "arguments": FIRST[0]}}]),
            json!([{"function": {"arguments": FIRST[1]}}]),
            json!([{"id": "call_2", "function": {"name": "weather", "arguments": SECOND.concat()}}]),
        ])),
        // Counts come so as a rule; here the finish word is told a second time behind them.
        S::UsageAfterFinish => {
            Wire::ok(text().replace(DONE, &format!("{}{DONE}", frame(&chunk(&json!({}), Some("stop"))))))
        }
        S::TerminatorMissing => Wire::ok(text().replace(DONE, "")),
        S::DataAfterTerminator => {
            Wire::ok(format!("{}{}data: rubbish\n\n", text(), frame(&chunk(&json!({"content": "more"}), None))))
        }
        S::ErrorAfterReasoning => broken_off(&[Part::Thought(&THOUGHT)]),
        S::ErrorAfterText => broken_off(&[Part::Text(&TEXT)]),
        S::CutBeforeContent => Wire::ok(cut_after(&text(), r#""role":"assistant""#)),
        S::CutInReasoning => {
            let stream = stream(&[Part::Thought(&THOUGHT), Part::Text(&SAID)], End::with("stop"));
            Wire::ok(cut_after(&stream, "think it"))
        }
        S::CutInText => Wire::ok(cut_after(&text(), "aus ")),
        S::CutInCall => {
            Wire::ok(cut_after(&stream(&[Part::Call("call_1", &FIRST)], End::with("tool_calls")), "Köl"))
        }
        S::CutAfterFinish => Wire::ok(cut_after(&text(), r#""prompt_tokens""#)),
        S::KeepAlives => {
            let quiet = frame(&chunk(&json!({"role": "assistant", "content": ""}), None));
            Wire::ok(text().replace("\n\n", &format!("\n\n{quiet}: ping\n\n")).replace(
                &format!("{DONE}{quiet}: ping\n\n"),
                DONE,
            ))
        }
        S::UnknownEvent => {
            Wire::ok(format!("event: weather_report\ndata: sunny\n\nevent: ping\ndata: {{}}\n\n{}", text()))
        }
        S::CrLf => Wire::ok(line_ends(&text(), "\r\n")),
        S::LoneCr => Wire::ok(line_ends(&text(), "\r")),
        S::Comments => Wire::ok(commented(&text())),
        S::ByteOrderMark => {
            let wire = reply(form, &[Part::Text(&TEXT)], End::with("stop"));
            Wire::ok(["\u{feff}".as_bytes(), &wire.body].concat())
        }
        S::DataOverLines => Wire::ok(over_lines(&text())),
        S::NoSpaceAfterColon => Wire::ok(without_spaces(&text())),
        S::NoLastLineEnd => Wire::ok(text().trim_end()),
        S::WholeBodyInStream => Wire::ok(whole(&[Part::Text(&TEXT)], End::with("stop"))),
        S::GiantLine => Wire::ok(frame(&chunk(&json!({"content": "x".repeat(9 << 20)}), None))),
        S::GiantEvent => Wire::ok(format!("data: {}\n", "x".repeat(1 << 20)).repeat(17)),
        S::GiantAnswer => {
            Wire::ok(frame(&chunk(&json!({"content": "x".repeat(1 << 20)}), None)).repeat(33))
        }
        S::PromptProhibited | S::Pause => return None,
        S::WrongKey => refused(401, "invalid_api_key", "Incorrect API key provided."),
        S::NoPermission => refused(403, "insufficient_permissions", "You may not do this."),
        S::NoSuchModel => refused(404, "model_not_found", "The model `m` does not exist."),
        S::BadRequest => refused(400, "invalid_type", "Invalid type for 'messages'."),
        S::TooLarge => refused(413, "payload_too_large", "The request is too large."),
        S::RateLimit => refused(429, "rate_limit_exceeded", "Rate limit reached for m."),
        S::RateLimitWithDelay => refused(
            429,
            "rate_limit_exceeded",
            &format!("Rate limit reached. Please try again in {DELAY_SECONDS}s."),
        ),
        S::QuotaGone => refused(429, "insufficient_quota", "You exceeded your current quota."),
        S::ContextTooLong => {
            refused(400, "context_length_exceeded", "This model's maximum context length is 8 tokens.")
        }
        S::Unsupported => {
            refused(400, "unsupported_parameter", "Unsupported parameter: 'temperature'.")
        }
        S::PromptFiltered => refused(400, "content_filter", "The prompt was filtered."),
        S::ServerFault => refused(500, "server_error", "The server had an error."),
        S::Overloaded => refused(503, "server_is_overloaded", "Our servers are overloaded."),
        S::MarkupError => Wire::error(502, PAGE),
        S::EmptyError => Wire::error(500, ""),
    })
}

const TWO_CALLS: [Part; 2] = [Part::Call("call_1", &FIRST), Part::Call("call_2", &SECOND)];

fn cached() -> End {
    End { counts: Some((CACHED_PROMPT, COUNTS.1)), cached: CACHED, ..End::with("stop") }
}

fn reply(form: Form, parts: &[Part], end: End) -> Wire {
    Wire::ok(if form == Form::Stream { stream(parts, end) } else { whole(parts, end) })
}

fn frame(value: &Value) -> String {
    event(value, false)
}

fn chunk(delta: &Value, finish: Option<&str>) -> Value {
    json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m-wire",
        "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}]})
}

fn usage(end: End) -> Option<Value> {
    let (prompt, completion) = end.counts?;
    let mut usage = json!({"prompt_tokens": prompt, "completion_tokens": completion,
        "total_tokens": prompt + completion});
    if end.cached > 0 {
        usage["prompt_tokens_details"] = json!({"cached_tokens": end.cached});
    }
    if end.hidden > 0 {
        usage["completion_tokens_details"] = json!({"reasoning_tokens": end.hidden});
    }
    Some(usage)
}

fn stream(parts: &[Part], end: End) -> String {
    let mut chunks = vec![chunk(&json!({"role": "assistant", "content": ""}), None)];
    let mut calls = 0;
    for part in parts {
        let deltas: Vec<Value> = match part {
            Part::Text(pieces) => pieces.iter().map(|piece| json!({"content": piece})).collect(),
            Part::Thought(pieces) => pieces.iter().map(|piece| json!({"reasoning_content": piece})).collect(),
            // OpenRouter's list.
            Part::Signed(pieces, signature) => {
                let detail = |piece: &str| json!({"type": "reasoning.text", "index": 0, "text": piece});
                let said = pieces
                    .iter()
                    .map(|piece| json!({"reasoning": piece, "reasoning_details": [detail(piece)]}));
                let signed = json!({"type": "reasoning.text", "index": 0, "signature": signature});
                said.chain([json!({"reasoning_details": [signed]})]).collect()
            }
            Part::Refusal(text) => vec![json!({"refusal": text})],
            Part::Call(id, pieces) => {
                let index = calls;
                calls += 1;
                let mut start = json!({"index": index, "type": "function",
                    "function": {"name": "weather", "arguments": ""}});
                if !id.is_empty() {
                    start["id"] = json!(id);
                }
                let rest =
                    pieces.iter().map(|piece| json!({"index": index, "function": {"arguments": piece}}));
                std::iter::once(start).chain(rest).map(|call| json!({"tool_calls": [call]})).collect()
            }
        };
        chunks.extend(deltas.iter().map(|delta| chunk(delta, None)));
    }
    chunks.extend(end.word.map(|word| chunk(&json!({}), Some(word))));
    chunks.extend(
        usage(end).map(|usage| json!({"id": "chatcmpl-1", "model": "m-wire", "choices": [], "usage": usage})),
    );
    format!("{}{DONE}", events(&chunks, false))
}

fn whole(parts: &[Part], end: End) -> String {
    let mut message = json!({"role": "assistant", "content": null});
    for part in parts {
        match part {
            Part::Text(pieces) => message["content"] = json!(pieces.concat()),
            Part::Thought(pieces) => message["reasoning_content"] = json!(pieces.concat()),
            Part::Signed(pieces, signature) => {
                message["reasoning"] = json!(pieces.concat());
                message["reasoning_details"] = json!([{"type": "reasoning.text", "index": 0,
                    "text": pieces.concat(), "signature": signature}]);
            }
            Part::Refusal(text) => message["refusal"] = json!(text),
            Part::Call(id, pieces) => {
                let mut call = json!({"type": "function",
                    "function": {"name": "weather", "arguments": pieces.concat()}});
                if !id.is_empty() {
                    call["id"] = json!(id);
                }
                match message["tool_calls"].as_array_mut() {
                    Some(calls) => calls.push(call),
                    None => message["tool_calls"] = json!([call]),
                }
            }
        }
    }
    let mut body = json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m-wire",
        "choices": [{"index": 0, "message": message, "finish_reason": end.word}]});
    if let Some(usage) = usage(end) {
        body["usage"] = usage;
    }
    body.to_string()
}

/// A stream of these pieces of calls.
fn calls(pieces: &[Value]) -> String {
    let chunks = pieces.iter().map(|calls| chunk(&json!({"tool_calls": calls}), None));
    let stream = stream(&[], End::with("tool_calls"));
    let (head, rest) = stream.split_at(stream.find("\n\n").unwrap() + 2);
    format!("{head}{}{rest}", events(&chunks.collect::<Vec<_>>(), false))
}

fn null_members(form: Form) -> Wire {
    let text = SAID.concat();
    if form == Form::Whole {
        return Wire::ok(
            json!({"id": null, "model": null, "choices": [{"index": null, "logprobs": null, "finish_reason": "stop",
                "native_finish_reason": null, "message": {"role": null, "content": text, "refusal": null,
                "reasoning": null, "reasoning_content": null, "reasoning_details": null, "annotations": null,
                "audio": null, "tool_calls": null, "function_call": null}}], "error": null,
                "usage": {"prompt_tokens": COUNTS.0, "completion_tokens": COUNTS.1, "prompt_tokens_details": null,
                "completion_tokens_details": null}, "system_fingerprint": null})
            .to_string(),
        );
    }
    let nulls = |content: Option<&str>, finish: Option<&str>| {
        json!({"id": null, "model": null, "error": null, "usage": null, "choices": [{"index": 0,
            "finish_reason": finish, "native_finish_reason": null, "delta": {"role": null, "content": content,
            "refusal": null, "reasoning": null, "reasoning_content": null, "reasoning_details": null,
            "tool_calls": null, "function_call": null}}]})
    };
    let usage = json!({"choices": null, "error": null,
        "usage": {"prompt_tokens": COUNTS.0, "completion_tokens": COUNTS.1, "prompt_tokens_details": null}});
    let chunks = [nulls(None, None), nulls(Some(&text), None), nulls(None, Some("stop")), usage];
    Wire::ok(format!("{}{DONE}", events(&chunks, false)))
}

fn unknown_members(form: Form) -> Wire {
    let wire = reply(form, &[Part::Text(&SAID)], End::with("stop"));
    let text = String::from_utf8(wire.body).unwrap();
    let more = r#""choices":[{"x_mood":{"deep":[1,{"a":null}]},"#;
    Wire::ok(text.replace(r#""choices":[{"#, &format!(r#""x_odd":[[],{{}}],{more}"#)))
}

fn two_choices(form: Form) -> Wire {
    if form == Form::Whole {
        let wire = whole(&[Part::Text(&SAID)], End::with("stop"));
        let mut body: Value = serde_json::from_str(&wire).unwrap();
        let second = json!({"index": 1, "message": {"role": "assistant", "content": "Not this."},
            "finish_reason": "length"});
        body["choices"].as_array_mut().unwrap().insert(0, second);
        return Wire::ok(body.to_string());
    }
    let other = |delta: Value, finish: Option<&str>| {
        let mut chunk = chunk(&delta, finish);
        chunk["choices"][0]["index"] = json!(1);
        frame(&chunk)
    };
    let stream = stream(&[Part::Text(&SAID)], End::with("stop"));
    let between = format!("\n\n{}", other(json!({"content": "Not this."}), None));
    let stream = stream.replacen("\n\n", &between, 2);
    Wire::ok(stream.replace(DONE, &format!("{}{DONE}", other(json!({}), Some("length")))))
}

fn error(code: &str, message: &str) -> Value {
    json!({"error": {"message": message, "type": code, "param": null, "code": code}})
}

fn inside(form: Form, error: &Value) -> Wire {
    Wire::ok(if form == Form::Stream { frame(error) } else { error.to_string() })
}

fn refused(status: u16, code: &str, message: &str) -> Wire {
    Wire::error(status, error(code, message).to_string())
}

/// An error where more would come.
fn broken_off(parts: &[Part]) -> Wire {
    let stream = stream(parts, End::with("stop"));
    let last = match parts.last() {
        Some(Part::Thought(pieces) | Part::Text(pieces)) => *pieces.last().unwrap(),
        _ => unreachable!(),
    };
    let begun = up_to(&stream, last, "\n\n");
    Wire::ok(format!("{begun}{}", frame(&error("server_error", "The server had an error."))))
}

fn with_word(word: &str, parts: Parts) -> Wire {
    let (said, place) = match parts {
        Parts::Text => (Part::Text(&SAID), End::with(UNKNOWN_WORD)),
        Parts::Call => (Part::Call("call_1", &FIRST), End::with(UNKNOWN_WORD)),
    };
    Wire::ok(whole(&[said], place).replace(UNKNOWN_WORD, word))
}
