//! Ways in which the same events may stand on the wire, and be cut.

use serde_json::Value;

/// Server-sent events, one for each value, under the name that its `type` is where `named`.
pub(super) fn events(values: &[Value], named: bool) -> String {
    values.iter().map(|value| event(value, named)).collect()
}

/// One event.
pub(super) fn event(value: &Value, named: bool) -> String {
    let name = value["type"].as_str().filter(|_| named).map(|name| format!("event: {name}\n"));
    format!("{}data: {value}\n\n", name.unwrap_or_default())
}

/// With lines that end otherwise.
pub(super) fn line_ends(stream: &str, end: &str) -> String {
    stream.replace('\n', end)
}

/// With comments before, between and after the events.
pub(super) fn commented(stream: &str) -> String {
    format!(": hello\n\n{}: bye\n\n", stream.replace("\n\n", "\n\n: still here\n\n"))
}

/// With each event's JSON written over several lines.
pub(super) fn over_lines(stream: &str) -> String {
    let split = |line: &str| match line.strip_prefix("data: ").map(serde_json::from_str::<Value>) {
        Some(Ok(value)) => {
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            pretty.lines().flat_map(|line| ["data: ", line, "\n"]).collect::<String>()
        }
        _ => format!("{line}\n"),
    };
    stream.lines().map(split).collect()
}

/// Without the space after the colon.
pub(super) fn without_spaces(stream: &str) -> String {
    stream.replace("data: ", "data:").replace("event: ", "event:")
}

/// Up to and with the last byte of that mark.
pub(super) fn cut_after<'a>(stream: &'a str, mark: &str) -> &'a str {
    let at = stream.find(mark).unwrap_or_else(|| panic!("{mark:?} is not in {stream}"));
    &stream[..at + mark.len()]
}

/// Only the first events, up to the one that holds that mark, and that one.
pub(super) fn up_to<'a>(stream: &'a str, mark: &str, separator: &str) -> &'a str {
    let at = stream.find(mark).unwrap_or_else(|| panic!("{mark:?} is not in {stream}"));
    let end = stream[at..].find(separator).unwrap();
    &stream[..at + end + separator.len()]
}

/// With one letter of that word made a byte that is no UTF-8.
pub(super) fn broken_letter(stream: &str, word: &str) -> Vec<u8> {
    let at = stream.find(word).unwrap();
    let mut bytes = stream.as_bytes().to_vec();
    bytes[at] = 0xff;
    bytes
}

/// A page such as proxies send.
pub(super) const PAGE: &str =
    "<!DOCTYPE html>\n<html>\n<head><title>Bad gateway</title></head>\n<body>Sorry.</body>\n</html>\n";
