//! What every writer of requests must do: say what was asked, or refuse it, or note that it could not be said.
//!
//! A thing that is asked for holds a mark that stands nowhere else, so that whether it arrived can be seen in any
//! dialect: nothing here knows where a dialect puts it.

use mainstay_canon::{
    Accepts, ChatMessage, ChatRequest, Content, ContentPart, Dialect, Extra, Failure, Kind, Media,
    MediaSource, RawJson, ReasoningEffort, ResponseFormat, Role, Target, Tool, ToolChoice,
};
use mainstay_dialects::{Call, Outbound};
use mainstay_providers::Provider;

use crate::heard::{MODEL, Speaker};

/// Names of models of every family that some provider's tables tell apart.
pub const MODELS: [&str; 22] = [
    MODEL,
    "gpt-3.5-turbo",
    "gpt-4o",
    "gpt-4o-search-preview",
    "gpt-6-luna",
    "o3",
    "claude-3-5-haiku-latest",
    "claude-haiku-4-5",
    "claude-sonnet-5",
    "gemini-2.0-flash",
    "gemini-2.5-flash",
    "gemini-3-pro-preview",
    "gemma-3-27b-it",
    "deepseek-chat",
    "deepseek-reasoner",
    "mistral-small-2603",
    "magistral-medium-2509",
    "codestral-latest",
    "MiniMax-M3",
    "grok-4",
    "qwen3:4b",
    "gpt-oss:20b",
];

/// One thing that may be asked for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// In words.
    pub what: &'static str,
    /// The request.
    pub request: ChatRequest,
    /// Any of these in the body shows that it arrived.
    pub marks: Vec<String>,
}

pub(crate) fn json(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}

fn asked(what: &'static str, marks: &[&str], change: impl FnOnce(&mut ChatRequest)) -> Asked {
    let mut request = ChatRequest::user("Hello.");
    change(&mut request);
    Asked { what, request, marks: marks.iter().map(|mark| (*mark).to_owned()).collect() }
}

fn part(content: Content) -> ContentPart {
    ContentPart { content, extra: Extra::new() }
}

fn media(mime: &str, source: MediaSource) -> Media {
    Media { mime: Some(mime.to_owned()), name: Some("marked.bin".to_owned()), source }
}

fn tool() -> Tool {
    Tool::function(
        "marked_tool",
        "Does it.",
        json(r#"{"type":"object","properties":{"marked_member":{"type":"string"}}}"#),
    )
}

fn with_part(what: &'static str, mark: &str, content: Content) -> Asked {
    asked(what, &[mark], |request| request.messages[0].content.push(part(content)))
}

fn with_tool(what: &'static str, marks: &[&str], change: impl FnOnce(&mut ChatRequest)) -> Asked {
    asked(what, marks, |request| {
        request.tools.push(tool());
        change(request);
    })
}

/// Where a dialect says which tool must be called.
const CHOICE: [&str; 2] = ["\"tool_choice\"", "functionCallingConfig"];

/// Everything that may be asked for.
pub fn everything() -> Vec<Asked> {
    let base64 = || MediaSource::Base64("bWFya2Vk".to_owned());
    let url = || MediaSource::Url("https://marked.example/a".to_owned());
    let file = || MediaSource::FileId("file-marked".to_owned());
    let mut all = vec![
        asked("user text", &["Hello."], |_| {}),
        asked("system", &["marked system"], |request| {
            request.messages.insert(0, ChatMessage::new(Role::System, "marked system"));
        }),
        asked("developer", &["marked developer"], |request| {
            request.messages.insert(0, ChatMessage::new(Role::Developer, "marked developer"));
        }),
        asked("system in the middle", &["marked system"], |request| {
            request.messages.push(ChatMessage::new(Role::Assistant, "Yes?"));
            request.messages.push(ChatMessage::new(Role::System, "marked system"));
            request.messages.push(ChatMessage::new(Role::User, "Go on."));
        }),
        asked("temperature", &["0.317"], |request| request.temperature = Some(0.317)),
        asked("top_p", &["0.713"], |request| request.top_p = Some(0.713)),
        asked("max_tokens", &["4243"], |request| request.max_tokens = Some(4243)),
        asked("stop", &["marked stop"], |request| request.stop = vec!["marked stop".to_owned()]),
        asked("seed", &["424242"], |request| request.seed = Some(424_242)),
        asked("JSON", &["json"], |request| request.response_format = ResponseFormat::Json),
        asked("JSON schema", &["marked_schema_member"], |request| {
            let schema = json(
                r#"{"type":"object","properties":{"marked_schema_member":{"type":"string"}},"required":["marked_schema_member"],"additionalProperties":false}"#,
            );
            request.response_format =
                ResponseFormat::JsonSchema { name: "marked".to_owned(), schema, strict: Some(true) };
        }),
        with_tool("tools", &["marked_tool"], |_| {}),
        with_tool("tool choice auto", &["marked_tool"], |request| {
            request.tool_choice = Some(ToolChoice::None);
        }),
        with_tool("tool choice none", &CHOICE, |request| request.tool_choice = Some(ToolChoice::None)),
        with_tool("tool choice required", &CHOICE, |request| {
            request.tool_choice = Some(ToolChoice::Required);
        }),
        with_tool("tool choice by name", &CHOICE, |request| {
            request.tool_choice = Some(ToolChoice::Named("marked_tool".to_owned()));
        }),
        with_tool("one call at a time", &["parallel"], |request| request.parallel_tool_calls = Some(false)),
        with_part("image", "bWFya2Vk", Content::Image(media("image/png", base64()))),
        with_part("image by URL", "marked.example", Content::Image(media("image/png", url()))),
        with_part("image by id", "file-marked", Content::Image(media("image/png", file()))),
        with_part("audio", "bWFya2Vk", Content::Audio(media("audio/wav", base64()))),
        with_part("audio by URL", "marked.example", Content::Audio(media("audio/wav", url()))),
        with_part("document", "bWFya2Vk", Content::File(media("application/pdf", base64()))),
        with_part("document by URL", "marked.example", Content::File(media("application/pdf", url()))),
        with_part("document by id", "file-marked", Content::File(media("application/pdf", file()))),
        asked("the speaker's name", &["marked_name"], |request| {
            request.messages[0].name = Some("marked_name".to_owned());
        }),
        asked("an earlier refusal", &["marked refusal"], |request| {
            let refusal = Some("marked refusal".to_owned());
            let declined = ChatMessage { refusal, ..ChatMessage::empty(Role::Assistant) };
            request.messages.push(declined);
            request.messages.push(ChatMessage::new(Role::User, "Why?"));
        }),
        tool_loop("a tool's result", false),
        tool_loop("a tool's error", true),
    ];
    for effort in ReasoningEffort::ALL {
        // How much is said in words, levels or budgets.
        let marks = ["effort", "thinking", "think\""];
        all.push(asked("effort", &marks, |request| request.reasoning_effort = Some(effort)));
    }
    for dialect in Dialect::ALL {
        let raw = json(r#"{"type":"marked_kind","marked_member":1}"#);
        let native = Content::Native { dialect, kind: "marked_kind".to_owned(), raw: raw.clone() };
        let mut own = with_part("a part of one dialect", "marked_kind", native);
        own.request.origin = Some(dialect);
        all.push(own);
        all.push(asked("a tool of one dialect", &["marked_kind"], |request| {
            request.origin = Some(dialect);
            request.tools.push(Tool {
                native: Some(raw.clone()),
                parameters: None,
                description: None,
                ..tool()
            });
        }));
        all.push(asked("a member of one dialect", &["marked_extra"], |request| {
            request.origin = Some(dialect);
            request.extra.insert("marked_extra", json("17"));
        }));
    }
    all
}

/// The marks that also stand in a body without what they are to prove.
pub fn worthless_marks(speaker: Speaker) -> Vec<String> {
    let accepts = (speaker.provider.accepts)(MODEL);
    let mut found = Vec::new();
    for asked in everything().iter().filter(|asked| !asked.marks.iter().any(|mark| mark == "marked_tool")) {
        let mut bare = ChatRequest::user("Hi.");
        if !asked.request.tools.iter().any(|tool| tool.native.is_some()) {
            bare.tools.clone_from(&asked.request.tools);
        }
        let body = String::from_utf8(write(speaker, MODEL, &accepts, &bare).unwrap().body).unwrap();
        let worthless = asked.marks.iter().filter(|mark| body.contains(*mark));
        found.extend(worthless.map(|mark| format!("{speaker:?}: {mark:?} proves no {}", asked.what)));
    }
    found
}

/// A call, its result, and the next words of the user.
fn tool_loop(what: &'static str, is_error: bool) -> Asked {
    asked(what, &["marked result"], |request| {
        request.tools.push(tool());
        let arguments = r#"{"marked_member":"marked argument"}"#.to_owned();
        let (id, name) = ("call_marked".to_owned(), "marked_tool".to_owned());
        let call =
            mainstay_canon::ToolCall { id: id.clone(), name: name.clone(), arguments, extra: Extra::new() };
        request.messages.push(ChatMessage { tool_calls: vec![call], ..ChatMessage::empty(Role::Assistant) });
        request.messages.push(ChatMessage {
            tool_call_id: Some(id),
            name: Some(name),
            tool_error: is_error,
            ..ChatMessage::new(Role::Tool, "marked result")
        });
    })
}

/// What became of something that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It stands in the body.
    Said,
    /// It was refused by name.
    Refused,
    /// It does not stand there, and a note says so.
    Noted,
    /// Nobody would know.
    Lost,
}

/// What becomes of something that is asked of a model.
pub fn fate(speaker: Speaker, model: &str, accepts: &Accepts, asked: &Asked) -> Fate {
    match write(speaker, model, accepts, &asked.request) {
        Err(failure) if is_refusal(&failure) => Fate::Refused,
        Err(_) => Fate::Lost,
        Ok(out) => {
            let body = String::from_utf8(out.body.clone()).unwrap();
            // Where no tool is on offer, none can be called.
            let is_moot =
                asked.request.tool_choice == Some(ToolChoice::None) && !body.contains("marked_tool");
            let is_there = asked.marks.iter().any(|mark| body.contains(mark));
            if is_moot || (is_there && !is_left_to_the_model(speaker, model, accepts, asked, &out)) {
                Fate::Said
            } else if out.notes.is_empty() {
                Fate::Lost
            } else {
                Fate::Noted
            }
        }
    }
}

/// Whether a choice of tools is written as if the model might choose.
fn is_left_to_the_model(
    speaker: Speaker,
    model: &str,
    accepts: &Accepts,
    asked: &Asked,
    out: &Outbound,
) -> bool {
    if asked.request.tool_choice.as_ref().is_none_or(|choice| *choice == ToolChoice::Auto) {
        return false;
    }
    let free = ChatRequest { tool_choice: Some(ToolChoice::Auto), ..asked.request.clone() };
    write(speaker, model, accepts, &free).is_ok_and(|free| free.body == out.body)
}

/// Whether a failure names what another model may take, or what nobody could.
fn is_refusal(failure: &Failure) -> bool {
    matches!(failure.kind, Kind::UnsupportedParameter | Kind::InvalidRequest) && failure.param.is_some()
}

/// Writes a request as the client would.
///
/// # Errors
///
/// The writer's own.
pub fn write(
    speaker: Speaker,
    model: &str,
    accepts: &Accepts,
    request: &ChatRequest,
) -> Result<Outbound, Failure> {
    let target = Target::new(speaker.provider.id, model);
    let call = Call { target: &target, accepts, stream: request.stream, max_tokens: request.max_tokens };
    speaker.upstream.write_request(request, &call)
}

/// Whatever is asked of whichever model of a provider is said, refused by name, or noted.
pub(crate) fn nothing_is_dropped_in_silence(provider: &'static Provider) -> Vec<String> {
    let everything = everything();
    let mut wrong = Vec::new();
    for speaker in Speaker::all_of(provider) {
        for model in MODELS {
            let accepts = (provider.accepts)(model);
            for asked in &everything {
                if fate(speaker, model, &accepts, asked) == Fate::Lost && !says_nothing(asked, &accepts) {
                    let origin = asked.request.origin;
                    let effort = asked.request.reasoning_effort;
                    wrong.push(format!("{speaker:?} {model}: {} {origin:?} {effort:?} is lost", asked.what));
                }
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    wrong
}

/// What needs no word: no effort of a model that has none.
pub(crate) fn says_nothing(asked: &Asked, accepts: &Accepts) -> bool {
    asked.request.reasoning_effort == Some(ReasoningEffort::None) && !accepts.effort
}
