//! `POST /v1/messages/count_tokens`: how long a prompt is, estimated without a tokenizer.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Response, header};
use mainstay::{ChatMessage, ChatRequest, Content, MediaSource, ResponseFormat, Tool};
use mainstay_dialects::anthropic;
use mainstay_normalize::estimate_tokens;

use crate::app::App;
use crate::body;
use crate::caller::Caller;
use crate::converse::received;
use crate::headers::nobody_asked;
use crate::problem::Told;

/// Marks of role and end that a message costs beside its words.
const A_MESSAGE: u64 = 4;
/// What a tool's definition costs beside its words.
const A_TOOL: u64 = 12;
/// The instruction that comes with the first tool (Anthropic, Tool use, 2026-11: 313 to 735 by model).
const TOOLS: u64 = 346;
/// An image of ordinary size (Anthropic, Vision, 2026-11: width x height / 750, about 1,600 at most).
const AN_IMAGE: u64 = 1_600;
/// A page of a document costs as much as its words and its picture; a page has about so many bytes.
const A_PAGE: u64 = 2_500;
const BYTES_A_PAGE: u64 = 75_000;
/// What cannot be looked into because it lies elsewhere.
const UNSEEN: u64 = 2_500;

/// Answers with an estimate and says that it is one.
pub(crate) async fn count_tokens(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let mut caller = Caller::new(&app, &anthropic::Face, &parts.headers);
    let read = async {
        let body = body::read(&parts.headers, body, app.rules().max_body).await?;
        let request = received(caller.face, body).await?.request;
        let name = request.model_hint.as_deref();
        app.client.resolve(name).map_err(|unknown| Told::unknown_model(&unknown))?;
        Ok(request)
    };
    let request: ChatRequest = match read.await {
        Ok(request) => request,
        Err(told) => return caller.refuse(told),
    };
    nobody_asked(&mut caller.headers);
    caller.headers.insert("x-mainstay-estimated", HeaderValue::from_static("true"));
    caller.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let mut response = Response::new(Body::from(anthropic::Face.write_token_count(estimate(&request))));
    *response.headers_mut() = caller.headers;
    response
}

/// About how many tokens the prompt has.
fn estimate(request: &ChatRequest) -> u64 {
    let messages = request.messages.iter().map(of_message);
    let tools = request.tools.iter().map(of_tool);
    let schema = match &request.response_format {
        ResponseFormat::JsonSchema { schema, .. } => estimate_tokens(schema.text()),
        ResponseFormat::Text | ResponseFormat::Json => 0,
    };
    let instruction = if request.tools.is_empty() { 0 } else { TOOLS };
    sum(messages.chain(tools).chain([schema, instruction]))
}

fn of_message(message: &ChatMessage) -> u64 {
    let parts = message.content.iter().map(|part| of_content(&part.content));
    let calls = message.tool_calls.iter().map(|call| {
        A_TOOL.saturating_add(estimate_tokens(&call.name)).saturating_add(estimate_tokens(&call.arguments))
    });
    let reasoning = message.reasoning_content.as_deref().map_or(0, estimate_tokens);
    sum(parts.chain(calls).chain([reasoning, A_MESSAGE]))
}

fn of_content(content: &Content) -> u64 {
    match content {
        Content::Text(text) => estimate_tokens(text),
        Content::Image(_) => AN_IMAGE,
        Content::Native { raw, .. } => estimate_tokens(raw.text()),
        Content::Audio(media) | Content::File(media) => match &media.source {
            // Three bytes of a file are four characters here.
            MediaSource::Base64(data) => {
                let bytes = u64::try_from(data.len()).unwrap_or(u64::MAX) / 4 * 3;
                bytes.div_ceil(BYTES_A_PAGE).saturating_mul(A_PAGE)
            }
            MediaSource::Url(_) | MediaSource::FileId(_) => UNSEEN,
        },
    }
}

fn of_tool(tool: &Tool) -> u64 {
    let texts = [
        Some(tool.name.as_str()),
        tool.description.as_deref(),
        tool.parameters.as_ref().map(mainstay::RawJson::text),
        tool.native.as_ref().map(mainstay::RawJson::text),
    ];
    sum(texts.into_iter().flatten().map(estimate_tokens).chain([A_TOOL]))
}

fn sum(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use mainstay_dialects::Inbound as _;

    use super::*;

    fn count(body: &str) -> u64 {
        estimate(&anthropic::Face.read_request(body.as_bytes()).unwrap().request)
    }

    #[test]
    fn a_greeting_is_a_few_tokens_and_a_long_text_about_a_quarter_of_its_letters() {
        assert_eq!(count(r#"{"model":"m","messages":[{"role":"user","content":"Hello, world"}]}"#), 7);
        let long = "word ".repeat(4_000);
        let tokens = count(&format!(r#"{{"model":"m","messages":[{{"role":"user","content":"{long}"}}]}}"#));
        assert!((4_000..6_000).contains(&tokens), "{tokens}");
    }

    #[test]
    fn tools_system_and_images_count() {
        let plain = count(r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#);
        let more = count(
            r#"{"model":"m","system":"Be brief and kind to everybody.","tools":[{"name":"weather","description":
               "Looks up the weather","input_schema":{"type":"object","properties":{"city":{"type":"string"}}}}],
               "messages":[{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image","source":
               {"type":"base64","media_type":"image/png","data":"AAAA"}}]}]}"#,
        );
        assert!(more > plain + TOOLS + AN_IMAGE + 30 && more < plain + TOOLS + AN_IMAGE + 80, "{more}");
    }
}
