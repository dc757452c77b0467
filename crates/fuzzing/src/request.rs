//! Callers' requests: read, written to a provider of the same dialect, and read again they are the same.

use std::collections::{BTreeMap, BTreeSet};

use mainstay_canon::{
    ChatMessage, ChatRequest, Content, Dialect, Failure, Media, MediaSource, RawJson, Role, Target,
};
use mainstay_cost::prompt_bound;
use mainstay_dialects::{Call, Outbound, Upstream, openai_chat, openai_responses};
use mainstay_providers::{ALL, Provider, for_dialect};
use serde_json::Value;

use crate::cut::Dice;
use crate::dialect::{face, takes_all};

/// A Chat Completions request.
pub fn request_chat(data: &[u8]) {
    request(Dialect::OpenaiChat, data);
}

/// A Responses request.
pub fn request_responses(data: &[u8]) {
    request(Dialect::OpenaiResponses, data);
}

/// A Messages request.
pub fn request_anthropic(data: &[u8]) {
    request(Dialect::Anthropic, data);
}

/// The schema of a tool that has none.
const ANY_OBJECT: &str = "{\"type\":\"object\"}";

fn request(dialect: Dialect, data: &[u8]) {
    let Some(face) = face(dialect) else { return };
    let Ok(received) = face.read_request(data) else { return };
    let mut request = received.request;
    // Who is asked is always named, also where the caller did not say.
    request.model_hint.get_or_insert_with(|| "m".to_owned());
    assert!(prompt_bound(&request) > 0, "a prompt has a bound");
    if let Some(provider) = for_dialect(dialect) {
        again(dialect, same_dialect(dialect, provider.upstream), &request);
    }
    let mut dice = Dice::of(data);
    if let Some(provider) = dice.pick(ALL) {
        written(provider, &request, data.len());
    }
}

/// The provider's side of a dialect that takes everything its caller's side can say.
fn same_dialect(dialect: Dialect, usual: &'static dyn Upstream) -> &'static dyn Upstream {
    match dialect {
        Dialect::OpenaiChat => &openai_chat::OpenAiChat {
            reasoning: openai_chat::ReasoningStyle::Details,
            ..openai_chat::OpenAiChat::STANDARD
        },
        Dialect::OpenaiResponses => &openai_responses::OpenAiResponses {
            encrypted_reasoning: false,
            ..openai_responses::OpenAiResponses::STANDARD
        },
        Dialect::Anthropic | Dialect::Gemini | Dialect::Ollama | Dialect::Bedrock => usual,
    }
}

fn write(upstream: &dyn Upstream, request: &ChatRequest) -> Result<Outbound, Failure> {
    let target = Target::new("acme", request.model_hint.as_deref().unwrap_or("m"));
    let accepts = takes_all();
    let call =
        Call { target: &target, accepts: &accepts, stream: request.stream, max_tokens: request.max_tokens };
    upstream.write_request(request, &call)
}

/// What is written reads as what it was, unless a note says what was changed; and written once more it is the same to
/// the byte but for the order of its members, whatever else was noted.
fn again(dialect: Dialect, upstream: &dyn Upstream, request: &ChatRequest) {
    let Ok(outbound) = write(upstream, request) else { return };
    // A result that became the user's words may hold blocks that are no words, such as another result.
    if outbound.notes.iter().any(|note| note.starts_with("a tool result without its call")) {
        return;
    }
    let shown = String::from_utf8_lossy(&outbound.body);
    let received = face(dialect).map(|face| face.read_request(&outbound.body));
    let read = match received {
        Some(Ok(received)) => received.request,
        refused => {
            assert!(refused.is_none(), "{dialect}: {refused:?} of {shown}");
            return;
        }
    };
    let once_more = write(upstream, &read).map(|outbound| outbound.body);
    let once_more = once_more.as_deref().ok().map(members);
    assert_eq!(once_more, Some(members(&outbound.body)), "{dialect}: sent once more it is another");
    if outbound.notes.is_empty() {
        let (mut read, mut request) = (read, request.clone());
        if has_odd_ids(&request) {
            number(&mut request);
            number(&mut read);
        }
        let (read, request) = (plain(dialect, read), plain(dialect, request));
        assert!(read == request, "{dialect}: {shown}\n{}", difference(&request, &read));
    }
}

/// The members of a body, each as it stands. Their order says nothing.
fn members(body: &[u8]) -> BTreeMap<String, String> {
    let members = serde_json::from_slice::<BTreeMap<String, RawJson>>(body).unwrap_or_default();
    members.into_iter().map(|(name, raw)| (name, raw.text().to_owned())).collect()
}

/// Whether an id of a call may be written as another one: a host has no room for it, or it came before.
fn has_odd_ids(request: &ChatRequest) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let does_not_fit = |id: &str| id.is_empty() || id.len() > 64 || !id.bytes().all(is_letter);
    let mut known = BTreeSet::new();
    request.messages.iter().any(|message| {
        message.tool_call_id.as_deref().is_some_and(does_not_fit)
            || message.tool_calls.iter().any(|call| does_not_fit(&call.id) || !known.insert(&call.id))
    })
}

/// Leaves of the ids only which result is of which call: the first of its id that has none yet.
fn number(request: &mut ChatRequest) {
    let mut open: Vec<(String, String)> = Vec::new();
    let mut calls = 0;
    for message in &mut request.messages {
        for call in &mut message.tool_calls {
            let number = format!("call {calls}");
            calls += 1;
            open.push((std::mem::replace(&mut call.id, number.clone()), number));
        }
        if let Some(id) = &mut message.tool_call_id {
            let place = open.iter().position(|(known, _)| known == id);
            *id = place.map_or_else(|| "no call".to_owned(), |place| open.remove(place).1);
        }
    }
}

/// What may be said in two ways that mean the same.
fn plain(dialect: Dialect, mut request: ChatRequest) -> ChatRequest {
    for message in &mut request.messages {
        // No content, an empty text and a list without parts.
        message.content.retain(|part| part.as_text() != Some("") || !part.extra.is_empty());
        // A file that has no name is given one where it must have one.
        for part in &mut message.content {
            if let Content::File(Media { name, .. }) = &mut part.content {
                *name = name.take().filter(|name| !name.starts_with("document."));
            }
        }
        for call in &mut message.tool_calls {
            if call.arguments.trim().is_empty() {
                "{}".clone_into(&mut call.arguments);
            }
        }
    }
    if dialect == Dialect::Anthropic {
        request.messages = turns(request.messages);
        for part in request.messages.iter_mut().flat_map(|message| &mut message.content) {
            without_usual_type(&mut part.content);
        }
        // A tool must have a schema: without one it is given that of any object.
        for tool in request.tools.iter_mut().filter(|tool| tool.native.is_none()) {
            tool.parameters = tool.parameters.take().or_else(|| RawJson::parse(ANY_OBJECT).ok());
        }
    }
    // Written anew, with the user's id in it (Anthropic) or the reasoning (Responses): white space does not stay.
    for name in ["metadata", "include"] {
        let stated = request.extra.remove(name);
        if let Some(value) = stated.and_then(|raw| RawJson::of(&raw.read::<Value>().ok()?).ok()) {
            request.extra.insert(name, value);
        }
    }
    if request.tools.is_empty() {
        // Without tools there is nothing to choose.
        request.tool_choice = None;
        request.parallel_tool_calls = None;
    }
    request
}

/// Anthropic takes no blank text and no message without content; it is told the user's neighbouring messages as one
/// unless one of them has members, and the results of tools in the order of their calls, before all words behind
/// them.
fn turns(messages: Vec<ChatMessage>) -> Vec<ChatMessage> {
    let calls = messages.iter().flat_map(|message| &message.tool_calls).map(|call| call.id.clone());
    let calls: Vec<String> = calls.collect();
    let mut turns: Vec<ChatMessage> = Vec::new();
    for mut message in messages {
        message.content.retain(|part| part.as_text().is_none_or(|text| !text.trim().is_empty()));
        let empty = ChatMessage::empty(message.role);
        if message == empty {
            continue;
        }
        let alone = ChatMessage { content: Vec::new(), ..message.clone() } == empty;
        match turns.last_mut() {
            Some(last) if alone && message.role == Role::User && is_words(last) => {
                last.content.append(&mut message.content);
            }
            Some(_) if message.role == Role::Tool => {
                let behind = turns.iter().rposition(|turn| turn.role == Role::Assistant).unwrap_or(0);
                let words = turns.iter().skip(behind).position(|turn| turn.role == Role::User);
                turns.insert(words.map_or(turns.len(), |at| behind + at), message);
            }
            Some(_) | None => turns.push(message),
        }
    }
    let place = |result: &ChatMessage| calls.iter().position(|id| Some(id) == result.tool_call_id.as_ref());
    for results in turns.chunk_by_mut(|one, next| one.role == Role::Tool && next.role == Role::Tool) {
        results.sort_by_key(place);
    }
    turns
}

/// Takes off a type that goes without saying: that of a PDF, or that by which the bytes of an image begin.
fn without_usual_type(content: &mut Content) {
    const BEGINNINGS: [(&str, &str); 4] = [
        ("/9j/", "image/jpeg"),
        ("iVBORw0KGgo", "image/png"),
        ("R0lGOD", "image/gif"),
        ("UklGR", "image/webp"),
    ];
    let (media, usual) = match content {
        Content::File(media) => (media, Some("application/pdf")),
        Content::Image(media) => {
            let MediaSource::Base64(data) = &media.source else { return };
            let known = BEGINNINGS.iter().find(|(beginning, _)| data.starts_with(beginning));
            (media, known.map(|(_, mime)| *mime))
        }
        Content::Text(_) | Content::Audio(_) | Content::Native { .. } => return,
    };
    media.mime = media.mime.take().filter(|mime| Some(mime.as_str()) != usual);
}

/// Whether a message is nothing but what a user said.
fn is_words(message: &ChatMessage) -> bool {
    message.role == Role::User && message.extra.is_empty()
}

/// The lines in which two requests differ.
fn difference(sent: &ChatRequest, read: &ChatRequest) -> String {
    let (sent, read) = (format!("{sent:#?}"), format!("{read:#?}"));
    let pairs = sent.lines().zip(read.lines()).filter(|(sent, read)| sent != read);
    let lines: Vec<String> =
        pairs.take(6).map(|(sent, read)| format!("sent {} read {}", sent.trim(), read.trim())).collect();
    lines.join("\n")
}

/// Whatever a caller sends, a provider gets JSON of bounded size or the caller an error.
fn written(provider: &'static Provider, request: &ChatRequest, length: usize) {
    let upstream = provider.upstream_for(request, "m");
    let target = Target::new(provider.id, "m");
    let accepts = (provider.accepts)("m");
    let call =
        Call { target: &target, accepts: &accepts, stream: request.stream, max_tokens: request.max_tokens };
    let Ok(outbound) = upstream.write_request(request, &call) else { return };
    let id = provider.id;
    let json = serde_json::from_slice::<&serde_json::value::RawValue>(&outbound.body);
    assert!(json.is_ok(), "{id}: {}", String::from_utf8_lossy(&outbound.body));
    assert!(outbound.body.len() <= length.saturating_mul(16) + 16_384, "{id}: {}", outbound.body.len());
}
