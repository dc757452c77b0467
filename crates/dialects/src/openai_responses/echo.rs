//! What a response repeats of its request.
//!
//! The API returns the settings that an answer was made with, and clients read them there (OpenAI API reference, "The
//! response object", 2026-11). Credentials for a server of tools are not returned, as the API itself does not.

use mainstay_canon::{Extra, RawJson};
use serde_json::value::RawValue;

use super::items::TYPE;
use super::items::word;
use crate::openai_chat::json::{Members, keep};
use crate::openai_chat::lenient::{Many, read, read_object};

/// Members of a request that a response repeats as they came.
const REPEATED: [&str; 15] = [
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "parallel_tool_calls",
    "prompt_cache_key",
    "prompt_cache_retention",
    "reasoning",
    "safety_identifier",
    "temperature",
    "tool_choice",
    "top_logprobs",
    "top_p",
    "truncation",
    "user",
];

/// Members of a tool that hold credentials.
const SECRET: [&str; 2] = ["authorization", "headers"];

/// What is repeated of that request.
pub(super) fn of_request(members: &Members<'_>) -> Extra {
    let mut echo = Extra::new();
    for name in REPEATED {
        if let Some(raw) = members.look(name) {
            keep(&mut echo, name, raw);
        }
    }
    if let Some(raw) = members.look("text") {
        let text: Members<'_> = read_object(Some(raw));
        let mut whole = Extra::new();
        if text.look("format").is_none()
            && let Ok(plain) = RawJson::parse(r#"{"type":"text"}"#)
        {
            whole.insert("format", plain);
        }
        text.keep_in(&mut whole);
        insert(&mut echo, "text", &whole);
    }
    if let Some(raw) = members.look("tools") {
        let tools: Vec<Extra> = read::<Many<&RawValue>>(Some(raw)).0.into_iter().map(tool).collect();
        insert(&mut echo, "tools", &tools);
    }
    echo
}

fn tool(raw: &RawValue) -> Extra {
    let members: Members<'_> = read_object(Some(raw));
    let is_secret =
        |name: &str| word(&members, TYPE).as_deref() != Some("function") && SECRET.contains(&name);
    let mut tool = Extra::new();
    for (name, raw) in members.iter().filter(|(name, _)| !is_secret(name)) {
        keep(&mut tool, name, raw);
    }
    tool
}

fn insert<T: serde::Serialize + ?Sized>(echo: &mut Extra, name: &str, value: &T) {
    // Members of JSON objects always can be written.
    if let Ok(raw) = RawJson::of(value) {
        echo.insert(name, raw);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn echo(json: &str) -> Vec<String> {
        let raw = RawValue::from_string(json.to_owned()).unwrap();
        let members: Members<'_> = read_object(Some(&raw));
        of_request(&members).iter().map(|(name, raw)| format!("{name}={}", raw.text())).collect()
    }

    #[test]
    fn settings_come_back_as_they_were_sent_and_the_conversation_does_not() {
        assert_eq!(
            echo(
                r#"{"model":"m","input":"secret","temperature":0.50,"metadata":{"a":"b"},"top_p":null,"text":{"verbosity":"low"}}"#
            ),
            [
                r#"metadata={"a":"b"}"#,
                "temperature=0.50",
                r#"text={"format":{"type":"text"},"verbosity":"low"}"#
            ]
        );
    }

    #[test]
    fn credentials_of_a_tool_server_do_not_come_back() {
        let told = echo(
            r#"{"tools":[{"type":"mcp","server_label":"s","authorization":"key","headers":{"x-key":"k"}},{"type":"function","name":"f","headers":1}]}"#,
        );
        assert_eq!(
            told,
            [r#"tools=[{"server_label":"s","type":"mcp"},{"headers":1,"name":"f","type":"function"}]"#]
        );
    }
}
