//! Images, sounds and files: what each dialect is sent, what it cannot be sent, and who is asked then.

use std::fmt::Write as _;

use mainstay::{
    ChatMessage, ChatRequest, Content, ContentPart, Dialect, Extra, Kind, Media, MediaSource, Outcome,
    RawJson, Reason, Role,
};
use mainstay_testkit::{Reply, Spelling};
use serde_json::{Value, json};

use crate::common::{Bench, NOW, TestClock};

const GOOD: &str = "It shows a river and a bridge.";
const PNG: &str = "iVBORw0KGgoAAAANSUhEUg==";
const PDF: &str = "JVBERi0xLjQKJQ==";
const WAV: &str = "UklGRiQAAABXQVZFZm10IA==";
/// `Twelve boats.`
const TEXT: &str = "VHdlbHZlIGJvYXRzLg==";

/// The kinds of content that a caller may send.
#[derive(Clone, Copy, Debug)]
enum Sent {
    Image,
    ImageUrl,
    ImageId,
    Sound,
    SoundUrl,
    Pdf,
    PdfUrl,
    FileId,
    TextFile,
    Native,
}

const ALL: [Sent; 10] = [
    Sent::Image,
    Sent::ImageUrl,
    Sent::ImageId,
    Sent::Sound,
    Sent::SoundUrl,
    Sent::Pdf,
    Sent::PdfUrl,
    Sent::FileId,
    Sent::TextFile,
    Sent::Native,
];

impl Sent {
    fn part(self) -> ContentPart {
        let media = |mime: Option<&str>, name: Option<&str>, source| Media {
            mime: mime.map(str::to_owned),
            name: name.map(str::to_owned),
            source,
        };
        let inline = |data: &str| MediaSource::Base64(data.to_owned());
        let url = |name: &str| MediaSource::Url(format!("https://example.com/{name}"));
        let id = || MediaSource::FileId("file-7".to_owned());
        let content = match self {
            Self::Image => Content::Image(media(Some("image/png"), None, inline(PNG))),
            Self::ImageUrl => Content::Image(media(None, None, url("bridge.png"))),
            Self::ImageId => Content::Image(media(None, None, id())),
            Self::Sound => Content::Audio(media(Some("audio/wav"), None, inline(WAV))),
            Self::SoundUrl => Content::Audio(media(None, None, url("bells.wav"))),
            Self::Pdf => Content::File(media(Some("application/pdf"), Some("boats.pdf"), inline(PDF))),
            Self::PdfUrl => Content::File(media(None, None, url("boats.pdf"))),
            Self::FileId => Content::File(media(None, None, id())),
            Self::TextFile => Content::File(media(Some("text/plain"), Some("boats.txt"), inline(TEXT))),
            Self::Native => Content::Native {
                dialect: Dialect::Bedrock,
                kind: "guardContent".into(),
                raw: RawJson::parse("{\"type\":\"guardContent\"}").unwrap(),
            },
        };
        ContentPart { content, extra: Extra::new() }
    }

    /// Where the part stands in the body for that dialect, and as what; nothing where it cannot be sent. The
    /// caller speaks Anthropic, so that uploaded files are Anthropic's.
    fn expected(self, spelling: Spelling) -> Option<(&'static str, Value)> {
        let data = |mime: &str, data: &str| format!("data:{mime};base64,{data}");
        let place = match spelling {
            Spelling::OpenaiChat | Spelling::Anthropic => "/messages/0/content/1",
            Spelling::OpenaiResponses => "/input/0/content/1",
            Spelling::Gemini => "/contents/0/parts/1",
            Spelling::Ollama => "/messages/0/images/0",
        };
        let found = match (spelling, self) {
            (Spelling::OpenaiChat, Self::Image) => {
                json!({"type": "image_url", "image_url": {"url": data("image/png", PNG)}})
            }
            (Spelling::OpenaiChat, Self::ImageUrl) => {
                json!({"type": "image_url", "image_url": {"url": "https://example.com/bridge.png"}})
            }
            (Spelling::OpenaiChat | Spelling::OpenaiResponses, Self::Sound) => {
                json!({"type": "input_audio", "input_audio": {"data": WAV, "format": "wav"}})
            }
            (Spelling::OpenaiChat, Self::Pdf) => json!({"type": "file",
                "file": {"filename": "boats.pdf", "file_data": data("application/pdf", PDF)}}),
            (Spelling::OpenaiChat, Self::TextFile) => json!({"type": "file",
                "file": {"filename": "boats.txt", "file_data": data("text/plain", TEXT)}}),
            (Spelling::OpenaiResponses, Self::Image) => {
                json!({"type": "input_image", "image_url": data("image/png", PNG)})
            }
            (Spelling::OpenaiResponses, Self::ImageUrl) => {
                json!({"type": "input_image", "image_url": "https://example.com/bridge.png"})
            }
            (Spelling::OpenaiResponses, Self::Pdf) => json!({"type": "input_file", "filename": "boats.pdf",
                "file_data": data("application/pdf", PDF)}),
            (Spelling::OpenaiResponses, Self::PdfUrl) => {
                json!({"type": "input_file", "file_url": "https://example.com/boats.pdf"})
            }
            (Spelling::OpenaiResponses, Self::TextFile) => json!({"type": "input_file",
                "filename": "boats.txt", "file_data": data("text/plain", TEXT)}),
            (Spelling::Anthropic, Self::Image) => json!({"type": "image",
                "source": {"type": "base64", "media_type": "image/png", "data": PNG}}),
            (Spelling::Anthropic, Self::ImageUrl) => json!({"type": "image",
                "source": {"type": "url", "url": "https://example.com/bridge.png"}}),
            (Spelling::Anthropic, Self::ImageId) => {
                json!({"type": "image", "source": {"type": "file", "file_id": "file-7"}})
            }
            (Spelling::Anthropic, Self::Pdf) => json!({"type": "document", "title": "boats.pdf",
                "source": {"type": "base64", "media_type": "application/pdf", "data": PDF}}),
            (Spelling::Anthropic, Self::PdfUrl) => json!({"type": "document",
                "source": {"type": "url", "url": "https://example.com/boats.pdf"}}),
            (Spelling::Anthropic, Self::FileId) => {
                json!({"type": "document", "source": {"type": "file", "file_id": "file-7"}})
            }
            // The request came in this dialect, and what it said stays as it was.
            (Spelling::Anthropic, Self::TextFile) => json!({"type": "document", "title": "boats.txt",
                "source": {"type": "base64", "media_type": "text/plain", "data": TEXT}}),
            (Spelling::Gemini, Self::Image) => json!({"inlineData": {"mimeType": "image/png", "data": PNG}}),
            (Spelling::Gemini, Self::ImageUrl) => json!({"fileData": {"mimeType": "image/png",
                "fileUri": "https://example.com/bridge.png"}}),
            (Spelling::Gemini, Self::Sound) => json!({"inlineData": {"mimeType": "audio/wav", "data": WAV}}),
            (Spelling::Gemini, Self::SoundUrl) => json!({"fileData": {"mimeType": "audio/wav",
                "fileUri": "https://example.com/bells.wav"}}),
            (Spelling::Gemini, Self::Pdf) => {
                json!({"inlineData": {"mimeType": "application/pdf", "data": PDF}})
            }
            (Spelling::Gemini, Self::PdfUrl) => json!({"fileData": {"mimeType": "application/pdf",
                "fileUri": "https://example.com/boats.pdf"}}),
            (Spelling::Gemini, Self::TextFile) => {
                json!({"inlineData": {"mimeType": "text/plain", "data": TEXT}})
            }
            (Spelling::Ollama, Self::Image) => json!(PNG),
            (_, Self::Native)
            | (Spelling::OpenaiChat, Self::ImageId | Self::SoundUrl | Self::PdfUrl | Self::FileId)
            | (Spelling::OpenaiResponses, Self::ImageId | Self::SoundUrl | Self::FileId)
            | (Spelling::Anthropic, Self::Sound | Self::SoundUrl)
            | (Spelling::Gemini, Self::ImageId | Self::FileId)
            | (Spelling::Ollama, _) => return None,
        };
        Some((place, found))
    }

    fn request(self) -> ChatRequest {
        let mut message = ChatMessage::new(Role::User, "What is this?");
        message.content.push(self.part());
        ChatRequest { origin: Some(Dialect::Anthropic), ..ChatRequest::default() }.message(message)
    }
}

/// A chain of tiers that speak these dialects, each named after its own.
async fn bench(spellings: &[Spelling], settings: &str) -> Bench {
    let mut text = String::new();
    for spelling in spellings {
        let name = spelling.dialect();
        let _ = writeln!(
            text,
            "[providers.a-{name}]\ndialect = \"{name}\"\nbase_url = \"BASE_URL\"\nauth = \"none\"\n\
             [[chains.default.tiers]]\nprovider = \"a-{name}\"\nmodel = \"m\"\nretry_budget = 1\n{settings}"
        );
    }
    let bench = Bench::with_text(&text, &|_| None, TestClock::at(NOW)).await;
    bench.provider.otherwise(Reply::text(GOOD));
    bench
}

#[tokio::test]
async fn what_a_dialect_has_a_word_for_is_sent_and_what_it_has_none_for_is_refused_by_name() {
    for spelling in Spelling::ALL {
        let bench = bench(&[spelling], "").await;
        for sent in ALL {
            let shown = format!("{spelling:?} {sent:?}");
            let calls = bench.provider.calls("m");
            let answer = bench.ask(sent.request()).await;
            let Some((place, wanted)) = sent.expected(spelling) else {
                let gave_up = answer.expect_err(&shown);
                let failure = gave_up.failures.last().unwrap();
                assert_eq!(failure.kind, Kind::UnsupportedParameter, "{shown}: {failure}");
                let field = failure.param.as_deref().unwrap_or_default();
                assert!(field.starts_with("messages") && field.contains('1'), "{shown}: {field:?}");
                assert_eq!(bench.provider.calls("m"), calls, "{shown}: nothing is sent");
                assert!(!matches!(gave_up.reason, Reason::Interrupted(_)), "{shown}");
                continue;
            };
            answer.unwrap_or_else(|gave_up| panic!("{shown}: {gave_up}"));
            let seen = bench.provider.seen().pop().unwrap();
            assert_eq!(seen.body.pointer(place), Some(&wanted), "{shown}: {}", seen.body);
        }
    }
}

#[tokio::test]
async fn what_one_tier_cannot_be_told_goes_to_the_next_that_can() {
    for stream in [false, true] {
        for sent in ALL {
            let bench =
                bench(&[Spelling::Ollama, Spelling::OpenaiChat, Spelling::Anthropic, Spelling::Gemini], "")
                    .await;
            let shown = format!("{sent:?} stream={stream}");
            let order = [Spelling::Ollama, Spelling::OpenaiChat, Spelling::Anthropic, Spelling::Gemini];
            let able = order.into_iter().position(|spelling| sent.expected(spelling).is_some());
            let told = if stream {
                bench.stream(sent.request()).await.end.map(|response| *response)
            } else {
                bench.ask(sent.request()).await
            };
            let Some(able) = able else {
                let gave_up = told.expect_err(&shown);
                assert_eq!((gave_up.failures.len(), bench.provider.calls("m")), (4, 0), "{shown}: {gave_up}");
                continue;
            };
            let response = told.unwrap_or_else(|gave_up| panic!("{shown}: {gave_up}"));
            let provider = format!("a-{}", order[able].dialect());
            assert_eq!((response.text.as_str(), &*response.target.provider), (GOOD, &*provider), "{shown}");
            assert_eq!(bench.provider.calls("m"), 1, "{shown}: only one was asked");
            let rows = bench.rows();
            assert_eq!(rows.len(), able + 1, "{shown}: {rows:?}");
            for row in &rows[..able] {
                assert_eq!(row.outcome, Outcome::Skipped, "{shown}: {row:?}");
                assert!(
                    row.has_note("unsupported") && row.detail.starts_with("messages"),
                    "{shown}: {row:?}"
                );
            }
            assert_eq!(rows.last().unwrap().outcome, Outcome::Ok);
            // It is the caller's wish that did not fit, no fault of theirs.
            assert!(bench.client.tier_health().iter().all(|tier| tier.faults_in_row == 0), "{shown}");
        }
    }
}

#[tokio::test]
async fn a_provider_that_says_so_itself_is_passed_over_likewise() {
    let table = [
        (
            Spelling::OpenaiChat,
            json!({"error": {"message": "Invalid content type. image_url is only supported by certain models.",
            "type": "invalid_request_error", "param": "messages.[0].content.[1].type", "code": "unsupported_parameter"}}),
        ),
        (Spelling::Ollama, json!({"error": "this model is missing data required for image input"})),
    ];
    for (spelling, body) in table {
        let bench = bench(&[spelling, Spelling::Gemini], "").await;
        bench.provider.now_on("m", [Reply::http(400, &[], &body.to_string()), Reply::text(GOOD)]);
        let response = bench
            .ask(Sent::Image.request())
            .await
            .unwrap_or_else(|gave_up| panic!("{spelling:?}: {gave_up}"));
        assert_eq!(&*response.target.provider, "a-gemini", "{spelling:?}");
        assert_eq!(bench.attempts()[0].error_kind.as_deref(), Some("unsupported_parameter"), "{spelling:?}");
    }
}
