//! Half a surrogate pair costs one character, in every dialect, whole and streamed, and never the text around it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "this is a test")]

use mainstay_canon::WireEvent;
use mainstay_dialects::Upstream;
use mainstay_dialects::anthropic::AnthropicMessages;
use mainstay_dialects::gemini::GeminiContent;
use mainstay_dialects::ollama::Ollama;
use mainstay_dialects::openai_chat::OpenAiChat;
use mainstay_dialects::openai_responses::OpenAiResponses;

/// What is said; the halves stand at the end of one piece and at the beginning of the next.
const SAID: [&str; 2] = [r"Olá \ud83d", r"\ude00 Porto \ud83d\ude00"];

/// Each dialect with a whole reply and a piece of a stream; the text stands where `@` is.
const SPELLINGS: [(&dyn Upstream, &str, &str); 5] = [
    (
        &OpenAiChat::STANDARD,
        r#"{"choices":[{"index":0,"message":{"content":"@"},"finish_reason":"stop"}]}"#,
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"@\"}}]}\n\n",
    ),
    (
        &OpenAiResponses::STANDARD,
        r#"{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"@"}]}]}"#,
        "data: {\"type\":\"response.output_text.delta\",\"item_id\":\"m\",\"output_index\":0,\"content_index\":0,\"delta\":\"@\"}\n\n",
    ),
    (
        &AnthropicMessages::STANDARD,
        r#"{"type":"message","content":[{"type":"text","text":"@"}],"stop_reason":"end_turn"}"#,
        "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"@\"}}\n\n",
    ),
    (
        &GeminiContent::STANDARD,
        r#"{"candidates":[{"content":{"parts":[{"text":"@"}]},"finishReason":"STOP"}]}"#,
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"@\"}]}}]}\n\n",
    ),
    (
        &Ollama::STANDARD,
        r#"{"model":"m","message":{"role":"assistant","content":"@"},"done":true,"done_reason":"stop"}"#,
        "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"@\"},\"done\":false}\n",
    ),
];

/// The text with what stands for a lost character counted once a run: some dialects need three for one half.
fn told(text: &str) -> String {
    let mut text = text.to_owned();
    while text.contains("\u{fffd}\u{fffd}") {
        text = text.replace("\u{fffd}\u{fffd}", "\u{fffd}");
    }
    text
}

#[test]
fn a_whole_text_loses_one_character() {
    for (upstream, whole, _) in SPELLINGS {
        let reply = upstream.read_reply(whole.replace('@', &SAID.concat()).as_bytes()).unwrap();
        // Both halves stand side by side here, so together they are a character.
        assert_eq!(reply.text, "Olá 😀 Porto 😀", "{}", upstream.dialect());
        let reply = upstream.read_reply(whole.replace('@', SAID[0]).as_bytes()).unwrap();
        assert_eq!(told(&reply.text), "Olá \u{fffd}", "{}", upstream.dialect());
    }
}

#[test]
fn a_streamed_text_loses_one_character_a_piece() {
    for (upstream, _, piece) in SPELLINGS {
        let mut reader = upstream.read_stream();
        let mut events = Vec::new();
        for said in SAID {
            reader.push(piece.replace('@', said).as_bytes(), &mut events).unwrap();
        }
        let text =
            |event: &WireEvent| if let WireEvent::Text(text) = event { Some(text.clone()) } else { None };
        let text: String = events.iter().filter_map(text).collect();
        assert_eq!(told(&text), "Olá \u{fffd} Porto 😀", "{}", upstream.dialect());
    }
}
