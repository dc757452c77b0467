//! How many tokens a prompt can have at most, without a tokenizer.
//!
//! Text is counted at one token a byte, which no tokenizer in use passes (behaviour 8.2b). What is not
//! text has bounds that are written down here. Nothing is copied or joined to be counted.
//!
//! Two bounds are not proofs, because nothing in the request says how large the thing is: that of a file
//! that is not text, and that of what lies with the provider already. They are generous; a bill beyond
//! them is an overrun (behaviour 8.2d).

use mainstay_canon::{
    ChatMessage, ChatRequest, Content, ContentPart, Extra, Media, MediaSource, ResponseFormat, Tool,
};

use crate::catalogue::Model;

/// The most tokens of one image where the model's own bound is not known, rounded up: gpt-4o-mini at eight
/// tiles is billed 48,169 (OpenAI, Images and vision, 2026); nobody documents more.
pub const IMAGE_TOKENS: u64 = 50_000;
/// What a file or a conversation that lies with the provider is taken to hold where the model's window is
/// not known.
pub const UNSEEN_TOKENS: u64 = 1_000_000;

/// Once a request: the opening of the conversation and of the answer.
const REQUEST_OVERHEAD: u64 = 64;
/// Every message, call and part: role marks and separators.
const PIECE_OVERHEAD: u64 = 16;
/// Once, where tools are offered: the instruction that the provider adds (Anthropic states up to 735).
const TOOLS_OVERHEAD: u64 = 1_024;
/// Every tool: how its schema is retold.
const TOOL_OVERHEAD: u64 = 64;
/// Every tool that a dialect spells itself: its description is the provider's and is not seen here.
const NATIVE_TOOL_OVERHEAD: u64 = 2_048;
/// The instruction that goes with a wanted schema.
const SCHEMA_OVERHEAD: u64 = 512;
/// Tokens a byte of a file that is not text: a compressed page unfolds to its words and its picture.
const FILE_TOKENS_A_BYTE: u64 = 3;
/// The least that a file that is not text counts for.
const LEAST_FILE_TOKENS: u64 = 10_000;
/// Members of a request that stand for text lying with the provider (OpenAI API reference, Responses, 2026-11).
const UNSEEN_MEMBERS: [&str; 3] = ["previous_response_id", "conversation", "prompt"];

/// The most tokens that the prompt of a request can have with any model: everything that is sent, tools,
/// schema, reasoning and unknown members included.
///
/// ```
/// use mainstay_canon::ChatRequest;
///
/// let bound = mainstay_cost::prompt_bound(&ChatRequest::user("What is a mainstay?"));
/// assert!(bound >= 19 && bound < 200);
/// ```
pub fn prompt_bound(request: &ChatRequest) -> u64 {
    Sizes { image: IMAGE_TOKENS, unseen: UNSEEN_TOKENS }.request(request)
}

/// The same for one model: tighter where its images or its window are known.
pub fn prompt_bound_for(request: &ChatRequest, model: &Model) -> u64 {
    let sizes = Sizes {
        image: model.image_tokens.unwrap_or(IMAGE_TOKENS),
        unseen: model.context.unwrap_or(UNSEEN_TOKENS),
    };
    sizes.request(request)
}

/// The most tokens that texts to be embedded can have.
pub fn text_bound<'a>(texts: impl IntoIterator<Item = &'a str>) -> u64 {
    sum(texts.into_iter().map(|text| bytes(text).saturating_add(PIECE_OVERHEAD)))
}

/// What is counted by the piece, in tokens.
struct Sizes {
    image: u64,
    unseen: u64,
}

impl Sizes {
    fn request(&self, request: &ChatRequest) -> u64 {
        let unseen = UNSEEN_MEMBERS.iter().filter(|name| request.extra.get(name).is_some());
        sum([
            REQUEST_OVERHEAD,
            sum(request.messages.iter().map(|message| self.message(message))),
            tools(&request.tools),
            format(&request.response_format),
            extra(&request.extra),
            sum(unseen.map(|_| self.unseen)),
        ])
    }

    fn message(&self, message: &ChatMessage) -> u64 {
        let calls = message.tool_calls.iter().map(|call| {
            sum([
                PIECE_OVERHEAD,
                bytes(&call.id),
                bytes(&call.name),
                bytes(&call.arguments),
                extra(&call.extra),
            ])
        });
        let parts = sum(message.content.iter().map(|part| self.part(part)));
        sum([
            PIECE_OVERHEAD,
            parts.max(self.verbatim(message)),
            optional(message.name.as_deref()),
            optional(message.tool_call_id.as_deref()),
            optional(message.reasoning_content.as_deref()),
            optional(message.refusal.as_deref()),
            sum(calls),
            sum(message.reasoning_blocks.iter().map(|block| bytes(block.raw.text()))),
            extra(&message.extra),
        ])
    }

    /// A message that is sent as it came: its text, with its media at their own bounds.
    fn verbatim(&self, message: &ChatMessage) -> u64 {
        let Some(verbatim) = &message.verbatim else { return 0 };
        let media = || message.content.iter().filter_map(|part| Some((part, payload(part)?)));
        let text = bytes(verbatim.content.text()).saturating_sub(sum(media().map(|(_, bytes)| bytes)));
        text.saturating_add(sum(media().map(|(part, _)| self.part(part))))
    }

    fn part(&self, part: &ContentPart) -> u64 {
        let content = match &part.content {
            Content::Text(text) => bytes(text),
            Content::Image(_) => self.image,
            Content::Audio(media) => self.sound(media),
            Content::File(media) => self.file(media),
            Content::Native { raw, .. } => bytes(raw.text()).saturating_add(self.image),
        };
        sum([PIECE_OVERHEAD, content, extra(&part.extra)])
    }

    /// Sound has at most a hundred tokens a second and, in any encoding, more bytes than that.
    fn sound(&self, media: &Media) -> u64 {
        match &media.source {
            MediaSource::Base64(data) => bytes(data),
            MediaSource::Url(_) | MediaSource::FileId(_) => self.unseen,
        }
    }

    fn file(&self, media: &Media) -> u64 {
        let data = match &media.source {
            MediaSource::Base64(data) => bytes(data),
            MediaSource::Url(_) | MediaSource::FileId(_) => return self.unseen,
        };
        if media.mime.as_deref().is_some_and(|mime| mime.starts_with("text/") || mime == "application/json") {
            return data;
        }
        data.saturating_mul(FILE_TOKENS_A_BYTE).max(LEAST_FILE_TOKENS)
    }
}

/// Bytes of a part that are not read as text.
fn payload(part: &ContentPart) -> Option<u64> {
    match &part.content {
        Content::Image(media) | Content::Audio(media) | Content::File(media) => Some(match &media.source {
            MediaSource::Base64(data) => bytes(data),
            MediaSource::Url(_) | MediaSource::FileId(_) => 0,
        }),
        Content::Text(_) | Content::Native { .. } => None,
    }
}

fn tools(tools: &[Tool]) -> u64 {
    if tools.is_empty() {
        return 0;
    }
    let each = tools.iter().map(|tool| {
        sum([
            TOOL_OVERHEAD,
            bytes(&tool.name),
            optional(tool.description.as_deref()),
            tool.parameters.as_ref().map_or(0, |schema| bytes(schema.text())),
            tool.native.as_ref().map_or(0, |raw| bytes(raw.text()).saturating_add(NATIVE_TOOL_OVERHEAD)),
            extra(&tool.extra),
        ])
    });
    TOOLS_OVERHEAD.saturating_add(sum(each))
}

/// A schema is counted twice: a model that cannot hold to one is told it in words as well.
fn format(format: &ResponseFormat) -> u64 {
    match format {
        ResponseFormat::Text => 0,
        ResponseFormat::Json => SCHEMA_OVERHEAD,
        ResponseFormat::JsonSchema { name, schema, .. } => {
            sum([SCHEMA_OVERHEAD, bytes(name), bytes(schema.text()), bytes(schema.text())])
        }
    }
}

fn extra(extra: &Extra) -> u64 {
    sum(extra.iter().map(|(name, value)| bytes(name).saturating_add(bytes(value.text()))))
}

fn optional(text: Option<&str>) -> u64 {
    text.map_or(0, bytes)
}

fn bytes(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}

fn sum(counts: impl IntoIterator<Item = u64>) -> u64 {
    counts.into_iter().fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use mainstay_canon::{Dialect, RawJson, ReasoningBlock, Role, ToolCall, Verbatim};
    use proptest::prelude::*;

    use super::*;
    use crate::Catalogue;

    fn raw(text: &str) -> RawJson {
        RawJson::parse(text).unwrap()
    }

    fn with_part(content: Content) -> ChatRequest {
        let part = ContentPart { content, extra: Extra::new() };
        ChatRequest::default().message(ChatMessage { content: vec![part], ..ChatMessage::empty(Role::User) })
    }

    fn media(mime: &str, source: MediaSource) -> Media {
        Media { mime: Some(mime.into()), name: None, source }
    }

    #[test]
    fn every_place_that_holds_text_is_counted() {
        let long = "x".repeat(10_000);
        let json = raw(&format!("\"{long}\""));
        let base = prompt_bound(&ChatRequest::user("hi"));
        let assistant = ChatMessage::empty(Role::Assistant);
        let call =
            ToolCall { id: "1".into(), name: "f".into(), arguments: long.clone(), extra: Extra::new() };
        let block = ReasoningBlock { dialect: Dialect::Anthropic, origin: None, raw: json.clone() };
        let mut member = ChatRequest::user("hi");
        member.extra.insert("metadata", json.clone());
        let schema = ResponseFormat::JsonSchema { name: "s".into(), schema: json.clone(), strict: None };
        let native = Content::Native { dialect: Dialect::Anthropic, kind: "k".into(), raw: json.clone() };
        for (place, request) in [
            ("text", ChatRequest::user(long.clone())),
            ("system", ChatRequest::user("hi").system(long.clone())),
            (
                "call",
                ChatRequest::default().message(ChatMessage { tool_calls: vec![call], ..assistant.clone() }),
            ),
            (
                "reasoning",
                ChatRequest::default()
                    .message(ChatMessage { reasoning_content: Some(long.clone()), ..assistant.clone() }),
            ),
            (
                "block",
                ChatRequest::default().message(ChatMessage { reasoning_blocks: vec![block], ..assistant }),
            ),
            ("tool", ChatRequest::user("hi").tool(Tool::function("f", "d", json.clone()))),
            ("description", ChatRequest::user("hi").tool(Tool::function("f", long.clone(), raw("{}")))),
            ("schema", ChatRequest { response_format: schema, ..ChatRequest::user("hi") }),
            ("member", member),
            ("native", with_part(native)),
        ] {
            assert!(prompt_bound(&request) >= base.min(64) + 10_000, "{place}");
        }
    }

    #[test]
    fn an_image_counts_by_the_piece_and_not_by_its_bytes() {
        let image =
            |data: &str| with_part(Content::Image(media("image/png", MediaSource::Base64(data.into()))));
        let small = prompt_bound(&image("AAAA"));
        assert_eq!(small, prompt_bound(&image(&"A".repeat(1 << 20))));
        assert!(small >= IMAGE_TOKENS);
        let claude = Catalogue::bundled().find("anthropic", "claude-sonnet-5-5").unwrap();
        assert!(prompt_bound_for(&image("AAAA"), claude) < 6_000);
    }

    #[test]
    fn what_cannot_be_seen_counts_as_a_full_window() {
        let by_url =
            with_part(Content::File(media("application/pdf", MediaSource::Url("https://x/y.pdf".into()))));
        assert!(prompt_bound(&by_url) >= UNSEEN_TOKENS);
        let mut goes_on = ChatRequest::user("and then?");
        goes_on.extra.insert("previous_response_id", raw("\"resp_1\""));
        assert!(prompt_bound(&goes_on) >= UNSEEN_TOKENS);
        let claude = Catalogue::bundled().find("anthropic", "claude-sonnet-5-5").unwrap();
        assert!(prompt_bound_for(&goes_on, claude) >= claude.context.unwrap());
    }

    #[test]
    fn a_text_file_counts_as_text_and_a_page_for_more() {
        let file = |mime| with_part(Content::File(media(mime, MediaSource::Base64("A".repeat(30_000)))));
        let (text, pdf) = (prompt_bound(&file("text/plain")), prompt_bound(&file("application/pdf")));
        assert!((30_000..31_000).contains(&text) && pdf >= 90_000);
    }

    #[test]
    fn a_message_sent_as_it_came_is_counted_as_it_came() {
        let image = ContentPart {
            content: Content::Image(media("image/png", MediaSource::Base64("A".repeat(50_000)))),
            extra: Extra::new(),
        };
        let whole = format!("[{{\"data\":\"{}\"}},\"{}\"]", "A".repeat(50_000), "x".repeat(9_000));
        let message = ChatMessage {
            content: vec![image],
            verbatim: Some(Verbatim { dialect: Dialect::Anthropic, content: raw(&whole) }),
            ..ChatMessage::empty(Role::User)
        };
        let bound = prompt_bound(&ChatRequest::default().message(message));
        assert!((59_000..60_000).contains(&bound), "{bound}");
    }

    proptest! {
        #[test]
        fn no_text_has_more_tokens_than_the_bound(texts in prop::collection::vec(".*", 0..8)) {
            let mut request = ChatRequest::default();
            for text in &texts {
                request = request.message(ChatMessage::new(Role::User, text.clone()));
            }
            let total: usize = texts.iter().map(String::len).sum();
            prop_assert!(prompt_bound(&request) >= total as u64);
            prop_assert!(text_bound(texts.iter().map(String::as_str)) >= total as u64);
        }

        #[test]
        fn more_is_never_counted_as_less(one in ".{0,40}", two in ".{0,40}") {
            let short = ChatRequest::user(one.clone());
            let longer = short.clone().message(ChatMessage::new(Role::User, two));
            prop_assert!(prompt_bound(&longer) > prompt_bound(&short));
        }
    }
}
