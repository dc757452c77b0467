//! Bytes of a provider that speaks Chat Completions, for the tests that want each of them just so.

use mainstay_testkit::Step;
use serde_json::{Value, json};

/// A stream's head and these events, framed; what follows is the test's.
pub fn sse(events: &[String]) -> Vec<Step> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let mut steps = vec![Step::Bytes(head.into())];
    steps.extend(events.iter().map(|event| chunk(event)));
    steps
}

/// One piece of a chunked body.
pub fn chunk(text: &str) -> Step {
    Step::Bytes(format!("{:x}\r\n{text}\r\n", text.len()).into())
}

/// The end of a chunked body.
pub fn last_chunk() -> Step {
    Step::Bytes("0\r\n\r\n".into())
}

/// A chunk of Chat Completions with this delta and finish word.
pub fn delta(delta: &Value, finish: Option<&str>) -> String {
    let chunk = json!({"id": "c1", "object": "chat.completion.chunk", "model": "m-real",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
    format!("data: {chunk}\n\n")
}

/// A chunk of text.
pub fn says(text: &str) -> String {
    delta(&json!({"content": text}), None)
}

/// The pieces of a call: its head, then its arguments in two halves.
pub fn calls(index: usize, name: &str, arguments: &str) -> Vec<String> {
    let head = json!({"index": index, "id": format!("call_{index}"), "type": "function",
        "function": {"name": name, "arguments": ""}});
    let (one, two) = arguments.split_at(arguments.len() / 2);
    let more = |half: &str| json!({"index": index, "function": {"arguments": half}});
    [head, more(one), more(two)].iter().map(|call| delta(&json!({"tool_calls": [call]}), None)).collect()
}

/// A good end: the finish word, token counts, the terminator.
pub fn ends(word: &str, prompt: u64, completion: u64) -> Vec<String> {
    let usage = json!({"id": "c1", "object": "chat.completion.chunk", "model": "m-real", "choices": [],
        "usage": {"prompt_tokens": prompt, "completion_tokens": completion}});
    vec![delta(&json!({}), Some(word)), format!("data: {usage}\n\n"), "data: [DONE]\n\n".to_owned()]
}

/// A whole stream of these events.
pub fn stream_of(events: &[String]) -> Vec<Step> {
    let mut steps = sse(events);
    steps.push(last_chunk());
    steps
}
