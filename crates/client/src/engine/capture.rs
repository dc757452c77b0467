//! What is kept of prompts and answers where the operator turned capture on (behaviour 9.1).
//!
//! Everything is redacted before it is cut, so that no half of a key is left at the edge.

use mainstay_calllog::CallId;
use mainstay_canon::{Answer, ChatMessage, ChatRequest, Content, ContentPart, Role};
use mainstay_config::Capture;
use mainstay_store::Entry;

use super::redact::redacted;

/// How much of a text a preview shows, in characters.
const PREVIEW: usize = 500;
/// What is read beyond the part that is kept, in bytes: longer than any key or address, so that one that
/// lies on the edge is recognised whole.
const BEYOND: usize = 8 * 1024;

/// What was asked, as it is kept; `None` where nothing is.
pub(super) fn prompt_of(request: &ChatRequest, capture: Capture) -> Option<String> {
    match capture {
        Capture::Off => None,
        Capture::Preview => Some(kept(&last_question(request), PREVIEW)),
        Capture::Full => Some(kept(&conversation(request), Entry::TEXT_LIMIT)),
    }
}

/// The entry for one attempt.
pub(super) fn entry(id: CallId, prompt: &str, answer: Option<&Answer>, capture: Capture) -> Option<Entry> {
    let answer = answer.map(spoken).unwrap_or_default();
    let answer = match capture {
        Capture::Off => return None,
        Capture::Preview => kept(&answer, PREVIEW),
        Capture::Full => kept(&answer, Entry::TEXT_LIMIT),
    };
    Some(Entry::Text { id, prompt: prompt.to_owned(), answer })
}

/// The beginning of a text, redacted: at most so many characters.
fn kept(text: &str, most: usize) -> String {
    let end = text.char_indices().nth(most).map_or(text.len(), |(at, _)| at);
    let mut read = text.floor_char_boundary(end.saturating_add(BEYOND));
    if read < text.len() {
        // Half a word at the edge is not read: it might be half a key.
        let whole_words = text.get(..read).and_then(|read| read.rfind(char::is_whitespace));
        read = whole_words.unwrap_or(end);
    }
    let mut clean = redacted(text.get(..read).unwrap_or_default()).into_owned();
    if let Some((cut, _)) = clean.char_indices().nth(most) {
        clean.truncate(cut);
    }
    clean
}

/// What the user said last; of a conversation that is what the answer is about.
fn last_question(request: &ChatRequest) -> String {
    let asked = request.messages.iter().rev().find(|message| message.role == Role::User);
    asked.or(request.messages.last()).map(said).unwrap_or_default()
}

/// All that was said, a line for each speaker's turn.
fn conversation(request: &ChatRequest) -> String {
    let mut text = String::new();
    for message in &request.messages {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(role_word(message.role));
        text.push_str(": ");
        text.push_str(&said(message));
    }
    text
}

const fn role_word(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::Developer => "developer",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    }
}

fn said(message: &ChatMessage) -> String {
    let mut text = String::new();
    for part in &message.content {
        text.push_str(part_of(part));
    }
    for call in &message.tool_calls {
        push_call(&mut text, &call.name, &call.arguments);
    }
    text
}

fn part_of(part: &ContentPart) -> &str {
    match &part.content {
        Content::Text(text) => text,
        Content::Image(_) => "[image]",
        Content::Audio(_) => "[audio]",
        Content::File(_) => "[file]",
        Content::Native { kind, .. } => kind,
    }
}

/// What came back: text, else reasoning or a refusal, and the calls.
fn spoken(answer: &Answer) -> String {
    let mut text = answer.text.clone();
    if text.is_empty() {
        text.push_str(answer.refusal.as_deref().unwrap_or_default());
    }
    if text.is_empty()
        && let Some(reasoning) = answer.reasoning_content.as_deref().filter(|text| !text.is_empty())
    {
        text.push_str("[reasoning] ");
        text.push_str(reasoning);
    }
    for call in &answer.tool_calls {
        push_call(&mut text, &call.name, &call.arguments);
    }
    text
}

fn push_call(text: &mut String, name: &str, arguments: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str("[call] ");
    text.push_str(name);
    text.push(' ');
    text.push_str(arguments);
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_canon::{Extra, ToolCall};

    #[test]
    fn a_preview_is_the_first_characters_of_the_question_and_the_full_text_is_the_conversation() {
        let request = ChatRequest::user("é".repeat(700)).system("Be brief.");
        let preview = prompt_of(&request, Capture::Preview).unwrap();
        assert_eq!((preview.chars().count(), preview.starts_with('é')), (500, true));
        let full = prompt_of(&request, Capture::Full).unwrap();
        assert!(full.starts_with("system: Be brief.\nuser: é"), "{full}");
        assert_eq!(full.chars().count(), "system: Be brief.\nuser: ".len() + 700);
        assert_eq!(prompt_of(&request, Capture::Off), None);
    }

    #[test]
    fn a_key_on_the_edge_is_taken_out_whole() {
        for before in 470..505 {
            let text = format!("{} sk-proj-abcDEF0123456789abcd and more", "x".repeat(before));
            let preview = prompt_of(&ChatRequest::user(text), Capture::Preview).unwrap();
            assert!(!preview.contains("sk-"), "{before}: {preview}");
        }
    }

    #[test]
    fn calls_are_kept_with_their_arguments_redacted() {
        let call = ToolCall {
            id: "1".into(),
            name: "mail".into(),
            arguments: "{\"to\":\"ann@example.org\"}".into(),
            extra: Extra::new(),
        };
        let answer = Answer { text: "Sure.".into(), tool_calls: vec![call], ..Answer::default() };
        let id = mainstay_calllog::IdSource::new(1).next(mainstay_canon::Moment::EPOCH);
        let Some(Entry::Text { prompt, answer, .. }) = entry(id, "asked", Some(&answer), Capture::Full)
        else {
            panic!("capture is on")
        };
        assert_eq!((prompt.as_str(), answer.as_str()), ("asked", "Sure.\n[call] mail {\"to\":\"[e-mail]\"}"));
    }

    #[test]
    fn a_text_without_end_is_cut() {
        let kept = kept(&"word ".repeat(1 << 20), Entry::TEXT_LIMIT);
        assert_eq!(kept.len(), Entry::TEXT_LIMIT);
    }
}
