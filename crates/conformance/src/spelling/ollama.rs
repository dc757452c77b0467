//! Ollama's own `/api/chat`. Sources: Ollama API reference and the server's source, as of 2026-08; recordings.

use mainstay_canon::Dialect;
use serde_json::{Value, json};

use super::framing::{PAGE, broken_letter, cut_after, line_ends, up_to};
use super::{End, Part, Parts, Spelling};
use crate::outcome::{COUNTS, FIRST, SAID, SECOND, TEXT, THOUGHT, UNKNOWN_WORD};
use crate::scenario::{Form, Scenario, Wire};

pub(super) static SPELLING: Spelling = Spelling { dialect: Dialect::Ollama, spell, skips: SKIPS, with_word };

static SKIPS: &[(Scenario, Option<Form>, &str)] = &[
    (Scenario::SignedReasoning, None, "thinking is plain text here"),
    (Scenario::ReasoningCount, None, "thinking is not counted by itself"),
    (Scenario::StopSequence, None, "it does not say which stop text was hit"),
    (Scenario::CallCutByLength, None, "calls come whole: the server reads them before it tells them"),
    (Scenario::Refusal, None, "it has no refusal field and no such finish word"),
    (Scenario::ContentFilter, None, "it has no filter"),
    (Scenario::PromptProhibited, None, "it has no filter"),
    (Scenario::Pause, None, "no finish word asks to continue"),
    (Scenario::ContextFull, None, "no word tells a full window from a token limit"),
    (Scenario::CachedPrompt, None, "what lay in the cache is not told"),
    (Scenario::FirstChoiceOnly, None, "there is one answer"),
    (Scenario::InterleavedCalls, None, "calls come whole"),
    (Scenario::CallIdRepeated, None, "calls come whole"),
    (Scenario::UsageAfterFinish, None, "the last object has both"),
    (Scenario::TerminatorMissing, None, "the last object is the only proof of an end"),
    (Scenario::CutAfterFinish, None, "nothing follows the last object"),
    (Scenario::CutInCall, None, "calls come whole"),
    (Scenario::LoneCr, None, "lines of JSON end in LF"),
    (Scenario::Comments, None, "lines of JSON have no comments"),
    (Scenario::DataOverLines, None, "an object stands on one line"),
    (Scenario::NoSpaceAfterColon, None, "lines of JSON have no field names"),
    (Scenario::GiantEvent, None, "a line is an event"),
    (Scenario::RateLimitInside, None, "errors inside a stream are words without a code"),
    (Scenario::RateLimitWithDelay, None, "a delay stands in headers alone"),
    (Scenario::PromptFiltered, None, "it has no filter"),
];

fn spell(scenario: Scenario, form: Form) -> Option<Wire> {
    use Scenario as S;
    let text = || stream(&[Part::Text(&TEXT)], End::with("stop"));
    Some(match scenario {
        S::PlainText => reply(form, &[Part::Text(&TEXT)], End::with("stop")),
        S::Reasoning => reply(form, &[Part::Thought(&THOUGHT), Part::Text(&SAID)], End::with("stop")),
        S::OneCall => reply(form, &[Part::Call("call_1", &FIRST)], End::with("stop")),
        S::ParallelCalls => {
            reply(form, &[Part::Call("call_1", &FIRST), Part::Call("call_2", &SECOND)], End::with("stop"))
        }
        S::TextThenCall => reply(form, &[Part::Text(&SAID), Part::Call("call_1", &FIRST)], End::with("stop")),
        S::CallWithoutArguments => reply(form, &[Part::Call("call_1", &[])], End::with("stop")),
        S::CallWithoutId => reply(form, &[Part::Call("", &FIRST)], End::with("stop")),
        S::Length => reply(form, &[Part::Text(&SAID)], End::with("length")),
        S::LengthBeforeText => reply(form, &[Part::Thought(&THOUGHT)], End::with("length")),
        S::UnknownFinish => reply(form, &[Part::Text(&SAID)], End::with(UNKNOWN_WORD)),
        S::FinishMissing => reply(form, &[Part::Text(&SAID)], End { word: None, ..End::with("") }),
        S::NullMembers => {
            let message = json!({"role": null, "content": SAID.concat(), "thinking": null, "tool_calls": null,
                "images": null});
            let last = json!({"model": null, "created_at": null, "message": message, "done": true,
                "done_reason": "stop", "error": null, "prompt_eval_count": COUNTS.0, "eval_count": COUNTS.1,
                "total_duration": null});
            let nulls =
                json!({"model": null, "message": null, "done": null, "done_reason": null, "error": null});
            match form {
                Form::Stream => Wire::ok(format!("{nulls}\n{last}\n")),
                Form::Whole | Form::Error => Wire::ok(last.to_string()),
            }
        }
        S::UnknownMembers => {
            let wire = reply(form, &[Part::Text(&SAID)], End::with("stop"));
            let text = String::from_utf8(wire.body).unwrap();
            Wire::ok(text.replace(r#""message":{"#, r#""x_odd":[[],{"a":null}],"message":{"x_mood":1.0,"#))
        }
        S::NoContent => reply(form, &[], End::with("stop")),
        S::UsageAbsent => reply(form, &[Part::Text(&SAID)], End { counts: None, ..End::with("stop") }),
        S::LeakedThinking => reply(
            form,
            &[Part::Text(&["<thi", "nk>Let me ", "think it over.</th", "ink>\n\nIt is ", "done."])],
            End::with("stop"),
        ),
        S::ErrorInside => {
            Wire::ok(line(&json!({"error": "llama runner process has terminated: exit status 2"})))
        }
        S::OverloadInside => Wire::ok(line(
            &json!({"error": "server busy, please try again. maximum pending requests exceeded"}),
        )),
        S::Markup => Wire::ok(PAGE),
        S::NotUtf8 => {
            let wire = reply(form, &[Part::Text(&SAID)], End::with("stop"));
            Wire::ok(broken_letter(std::str::from_utf8(&wire.body).unwrap(), SAID[1]))
        }
        S::EmptyObject => Wire::ok("{}"),
        S::OtherJson => Wire::ok("[1, 2]"),
        S::CutBody => Wire::ok(cut_after(&whole(&[Part::Text(&TEXT)], End::with("stop")), "aus")),
        S::NoBody | S::EmptyStream => Wire::ok(""),
        S::WholeCallInOnePiece => {
            let call = call("call_1", &FIRST);
            Wire::ok(
                said(&json!({"role": "assistant", "content": "", "tool_calls": [call]}))
                    + &last(End::with("stop")),
            )
        }
        S::CallsFromOne => {
            let numbered = |index: u64, id: &str, pieces: &[&str]| {
                let mut call = call(id, pieces);
                call["function"]["index"] = json!(index);
                call
            };
            let (first, second) = (numbered(1, "call_1", &FIRST), numbered(2, "call_2", &SECOND));
            Wire::ok(
                said(&json!({"role": "assistant", "content": "", "tool_calls": [first]}))
                    + &said(&json!({"role": "assistant", "content": "", "tool_calls": [second]}))
                    + &last(End::with("stop")),
            )
        }
        S::CallsUnnumbered => {
            let both = [call("call_1", &FIRST), call("call_2", &SECOND)];
            Wire::ok(
                said(&json!({"role": "assistant", "content": "", "tool_calls": both}))
                    + &last(End::with("stop")),
            )
        }
        S::DataAfterTerminator => {
            Wire::ok(text() + &said(&json!({"role": "assistant", "content": "more"})) + "rubbish\n")
        }
        S::ErrorAfterReasoning => broken_off(&[Part::Thought(&THOUGHT), Part::Text(&SAID)], THOUGHT[1]),
        S::ErrorAfterText => broken_off(&[Part::Text(&TEXT)], TEXT[2]),
        S::CutBeforeContent => Wire::ok(cut_after(&text(), r#""message":{"#)),
        S::CutInReasoning => {
            let stream = stream(&[Part::Thought(&THOUGHT), Part::Text(&SAID)], End::with("stop"));
            Wire::ok(cut_after(&stream, "think it"))
        }
        S::CutInText => Wire::ok(cut_after(&text(), "aus ")),
        S::KeepAlives => {
            let quiet = said(&json!({"role": "assistant", "content": ""}));
            let stream = text();
            Wire::ok(format!("{quiet}\n{}", stream.replacen('\n', &format!("\n\n{quiet}"), 2)))
        }
        S::UnknownEvent => Wire::ok(format!("{{\"horoscope\":\"Lion\"}}\n{}", text())),
        S::CrLf => Wire::ok(line_ends(&text(), "\r\n")),
        S::ByteOrderMark => {
            let wire = reply(form, &[Part::Text(&TEXT)], End::with("stop"));
            Wire::ok(["\u{feff}".as_bytes(), &wire.body].concat())
        }
        S::NoLastLineEnd => Wire::ok(text().trim_end()),
        S::WholeBodyInStream => Wire::ok(whole(&[Part::Text(&TEXT)], End::with("stop"))),
        S::GiantLine => Wire::ok(said(&json!({"role": "assistant", "content": "x".repeat(9 << 20)}))),
        S::GiantAnswer => {
            Wire::ok(said(&json!({"role": "assistant", "content": "x".repeat(1 << 20)})).repeat(33))
        }
        S::SignedReasoning
        | S::ReasoningCount
        | S::StopSequence
        | S::CallCutByLength
        | S::Refusal
        | S::ContentFilter
        | S::PromptProhibited
        | S::Pause
        | S::ContextFull
        | S::CachedPrompt
        | S::FirstChoiceOnly
        | S::InterleavedCalls
        | S::CallIdRepeated
        | S::UsageAfterFinish
        | S::TerminatorMissing
        | S::CutAfterFinish
        | S::CutInCall
        | S::LoneCr
        | S::Comments
        | S::DataOverLines
        | S::NoSpaceAfterColon
        | S::GiantEvent
        | S::RateLimitInside
        | S::RateLimitWithDelay
        | S::PromptFiltered => return None,
        S::WrongKey => refused(401, "unauthorized"),
        S::NoPermission => refused(403, "this model requires a subscription"),
        S::NoSuchModel => refused(404, "model 'm' not found"),
        S::BadRequest => refused(400, "invalid character 'x' looking for beginning of value"),
        S::TooLarge => refused(413, "request body too large"),
        S::RateLimit => refused(429, "too many concurrent requests"),
        S::QuotaGone => refused(429, "you have reached your weekly usage limit"),
        S::ContextTooLong => refused(400, "the input length exceeds the context length"),
        S::Unsupported => refused(400, "registry.ollama.ai/library/m does not support tools"),
        S::ServerFault => refused(500, "llama runner process has terminated: exit status 2"),
        S::Overloaded => refused(503, "server busy, please try again. maximum pending requests exceeded"),
        S::MarkupError => Wire::error(502, PAGE),
        S::EmptyError => Wire::error(500, ""),
    })
}

fn reply(form: Form, parts: &[Part], end: End) -> Wire {
    Wire::ok(if form == Form::Stream { stream(parts, end) } else { whole(parts, end) })
}

fn line(value: &Value) -> String {
    format!("{value}\n")
}

fn said(message: &Value) -> String {
    line(&json!({"model": "m-wire", "created_at": "2026-08-01T00:00:00Z", "message": message, "done": false}))
}

fn call(id: &str, pieces: &[&str]) -> Value {
    let arguments: Value =
        if pieces.is_empty() { json!({}) } else { serde_json::from_str(&pieces.concat()).unwrap() };
    let mut call = json!({"function": {"name": "weather", "arguments": arguments}});
    if !id.is_empty() {
        call["id"] = json!(id);
    }
    call
}

fn ended(message: &Value, end: End) -> Value {
    let mut last = json!({"model": "m-wire", "created_at": "2026-08-01T00:00:01Z", "message": message, "done": true,
        "total_duration": 5});
    if let Some(word) = end.word {
        last["done_reason"] = json!(word);
    }
    if let Some((prompt, completion)) = end.counts {
        last["prompt_eval_count"] = json!(prompt);
        last["eval_count"] = json!(completion);
    }
    last
}

fn last(end: End) -> String {
    line(&ended(&json!({"role": "assistant", "content": ""}), end))
}

fn whole(parts: &[Part], end: End) -> String {
    let mut message = json!({"role": "assistant", "content": ""});
    for part in parts {
        match part {
            Part::Text(pieces) => message["content"] = json!(pieces.concat()),
            Part::Thought(pieces) => message["thinking"] = json!(pieces.concat()),
            Part::Signed(..) | Part::Refusal(_) => unreachable!("this dialect has neither"),
            Part::Call(id, pieces) => match message["tool_calls"].as_array_mut() {
                Some(calls) => calls.push(call(id, pieces)),
                None => message["tool_calls"] = json!([call(id, pieces)]),
            },
        }
    }
    ended(&message, end).to_string()
}

fn stream(parts: &[Part], end: End) -> String {
    let told = |part: &Part| -> Vec<String> {
        match part {
            Part::Text(pieces) => {
                pieces.iter().map(|piece| said(&json!({"role": "assistant", "content": piece}))).collect()
            }
            Part::Thought(pieces) => pieces
                .iter()
                .map(|piece| said(&json!({"role": "assistant", "content": "", "thinking": piece})))
                .collect(),
            Part::Signed(..) | Part::Refusal(_) => unreachable!("this dialect has neither"),
            Part::Call(id, pieces) => {
                vec![said(&json!({"role": "assistant", "content": "", "tool_calls": [call(id, pieces)]}))]
            }
        }
    };
    let lines: String = parts.iter().flat_map(told).collect();
    lines + &last(end)
}

fn refused(status: u16, message: &str) -> Wire {
    Wire::error(status, json!({"error": message}).to_string())
}

fn broken_off(parts: &[Part], mark: &str) -> Wire {
    let stream = stream(parts, End::with("stop"));
    let error = line(&json!({"error": "an error was encountered while running the model"}));
    Wire::ok(format!("{}{error}", up_to(&stream, mark, "\n")))
}

fn with_word(word: &str, parts: Parts) -> Wire {
    let said = match parts {
        Parts::Text => Part::Text(&SAID),
        Parts::Call => Part::Call("call_1", &FIRST),
    };
    Wire::ok(whole(&[said], End::with(UNKNOWN_WORD)).replace(UNKNOWN_WORD, word))
}
