//! Streamed replies made up in the manner of each provider: every piece of text in its full envelope.
//!
//! Shapes are those of streams recorded in 2025 and 2026; the ids and the words are nobody's.

use mainstay_dialects::Upstream;
use mainstay_dialects::anthropic::AnthropicMessages;
use mainstay_dialects::gemini::GeminiContent;
use mainstay_dialects::ollama::Ollama;
use mainstay_dialects::openai_chat::OpenAiChat;
use mainstay_dialects::openai_responses::OpenAiResponses;

/// Pieces of an answer as tokenisers cut them: some four characters, a few wide or escaped in JSON.
const PIECES: [&str; 24] = [
    "The", " wind", " had", " gone", " down", ",", " and", " the", " boat", " lay", " still", ".", "\n\n",
    "Nobody", " spoke", " for", " a", " while", ";", " \"Gr", "üß", "e", "\" ", "said",
];

/// One streamed reply.
pub(crate) struct Stream {
    /// The dialect's name.
    pub(crate) dialect: &'static str,
    /// Who reads it.
    pub(crate) upstream: &'static dyn Upstream,
    /// Its events, each with its end.
    pub(crate) events: Vec<String>,
    /// The text that it says.
    pub(crate) text: String,
}

impl Stream {
    /// A stream of so many pieces of text, each put into its envelope by `piece`, which is told its number and
    /// its JSON.
    fn new(
        dialect: &'static str,
        upstream: &'static dyn Upstream,
        pieces: usize,
        [beginning, end]: [&str; 2],
        piece: impl Fn(usize, &str) -> String,
    ) -> Self {
        let said: Vec<&str> = PIECES.iter().copied().cycle().take(pieces).collect();
        let told = said.iter().enumerate().map(|(nth, text)| piece(nth, &format!("{text:?}")));
        let whole = |event: &str| event.to_owned();
        let events = [whole(beginning)].into_iter().chain(told).chain([whole(end)]);
        Self { dialect, upstream, events: events.collect(), text: said.concat() }
    }
}

/// A stream of every dialect with so many pieces of text.
pub(crate) fn all(pieces: usize) -> [Stream; 5] {
    [
        Stream::new("openai_chat", &OpenAiChat::STANDARD, pieces, CHAT, |_, text| {
            format!(
                r#"data: {{"id":"chatcmpl-CkT2b9vQmWzX4sR7yLhN0pEaUdJf","object":"chat.completion.chunk","created":1795000000,"model":"gpt-5.2-2025-12-11","service_tier":"default","system_fingerprint":"fp_3c1b7e90aa","choices":[{{"index":0,"delta":{{"content":{text}}},"logprobs":null,"finish_reason":null}}],"usage":null,"obfuscation":"hQ4xw"}}"#
            ) + "\n\n"
        }),
        Stream::new("openai_responses", &OpenAiResponses::STANDARD, pieces, RESPONSES, |nth, text| {
            let number = nth + 4;
            format!(
                "event: response.output_text.delta\ndata: {{\"type\":\"response.output_text.delta\",\"sequence_number\":{number},\"item_id\":\"msg_0c4d1f7be2a96385006a9e41d70c2881a3b5f0672d8e94c1ba\",\"output_index\":0,\"content_index\":0,\"delta\":{text},\"logprobs\":[],\"obfuscation\":\"Zk3tRw9\"}}\n\n"
            )
        }),
        Stream::new("anthropic", &AnthropicMessages::STANDARD, pieces, ANTHROPIC, |nth, text| {
            let padding = " ".repeat(nth * 7 % 16);
            format!(
                "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":{text}}}{padding}}}\n\n"
            )
        }),
        Stream::new("gemini", &GeminiContent::STANDARD, pieces, GEMINI, |nth, text| {
            let (count, total) = (nth + 1, nth + 33);
            format!(
                r#"data: {{"candidates": [{{"content": {{"parts": [{{"text": {text}}}],"role": "model"}},"index": 0}}],"usageMetadata": {{"promptTokenCount": 32,"candidatesTokenCount": {count},"totalTokenCount": {total},"promptTokensDetails": [{{"modality": "TEXT","tokenCount": 32}}],"thoughtsTokenCount": 240,"serviceTier": "standard"}},"modelVersion": "gemini-2.5-flash","responseId": "kT9bXqL2mWzA4sR7yLhN0pE"}}"#
            ) + "\r\n\r\n"
        }),
        Stream::new("ollama", &Ollama::STANDARD, pieces, OLLAMA, |nth, text| {
            let micros = nth * 31_415 % 1_000_000;
            format!(
                r#"{{"model":"llama3.2","created_at":"2026-11-07T09:41:07.{micros:06}Z","message":{{"role":"assistant","content":{text}}},"done":false}}"#
            ) + "\n"
        }),
    ]
}

/// How a stream of Chat Completions begins and ends.
const CHAT: [&str; 2] = [
    "data: {\"id\":\"chatcmpl-CkT2b9vQmWzX4sR7yLhN0pEaUdJf\",\"object\":\"chat.completion.chunk\",\"created\":1795000000,\"model\":\"gpt-5.2-2025-12-11\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\",\"refusal\":null},\"finish_reason\":null}],\"usage\":null}\n\n",
    "data: {\"id\":\"chatcmpl-CkT2b9vQmWzX4sR7yLhN0pEaUdJf\",\"object\":\"chat.completion.chunk\",\"created\":1795000000,\"model\":\"gpt-5.2-2025-12-11\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":null}\n\ndata: [DONE]\n\n",
];

/// How a stream of Responses begins and ends.
const RESPONSES: [&str; 2] = [
    "event: response.created\ndata: {\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"id\":\"resp_0c4d1f7be2a96385\",\"object\":\"response\",\"status\":\"in_progress\",\"model\":\"gpt-5.2-2025-12-11\",\"output\":[]}}\n\nevent: response.output_item.added\ndata: {\"type\":\"response.output_item.added\",\"sequence_number\":1,\"output_index\":0,\"item\":{\"id\":\"msg_0c4d1f7be2a96385006a9e41d70c2881a3b5f0672d8e94c1ba\",\"type\":\"message\",\"status\":\"in_progress\",\"content\":[],\"role\":\"assistant\"}}\n\n",
    "event: response.completed\ndata: {\"type\":\"response.completed\",\"sequence_number\":2,\"response\":{\"id\":\"resp_0c4d1f7be2a96385\",\"object\":\"response\",\"status\":\"completed\",\"model\":\"gpt-5.2-2025-12-11\",\"output\":[],\"usage\":{\"input_tokens\":32,\"output_tokens\":9,\"total_tokens\":41}}}\n\n",
];

/// How a stream of Messages begins and ends.
const ANTHROPIC: [&str; 2] = [
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"claude-sonnet-4-6\",\"id\":\"msg_01kT9bXqL2mWzA4sR7yLhN0pE\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":32,\"output_tokens\":1}}}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\nevent: ping\ndata: {\"type\": \"ping\"}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":9}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
];

/// How a stream of Gemini begins and ends.
const GEMINI: [&str; 2] = [
    "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"\"}],\"role\": \"model\"},\"index\": 0}],\"modelVersion\": \"gemini-2.5-flash\",\"responseId\": \"kT9bXqL2mWzA4sR7yLhN0pE\"}\r\n\r\n",
    "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"\"}],\"role\": \"model\"},\"finishReason\": \"STOP\",\"index\": 0}],\"modelVersion\": \"gemini-2.5-flash\",\"responseId\": \"kT9bXqL2mWzA4sR7yLhN0pE\"}\r\n\r\n",
];

/// How a stream of Ollama begins and ends.
const OLLAMA: [&str; 2] = [
    "{\"model\":\"llama3.2\",\"created_at\":\"2026-11-07T09:41:07.031415Z\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":false}\n",
    "{\"model\":\"llama3.2\",\"created_at\":\"2026-11-07T09:41:08.031415Z\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":32,\"eval_count\":9}\n",
];
