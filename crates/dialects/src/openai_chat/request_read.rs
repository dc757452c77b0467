//! A caller's request, read.
//!
//! Every member of Chat Completions that the canon has a name for goes there (OpenAI API reference,
//! "Create chat completion", 2026-11); all others are kept in `extra` as they came. `user` and
//! `safety_identifier` do both: they name the end user to us and still reach a provider of this dialect.
//! Of `stream_options` only `include_usage` is read: the stream to the caller is ours. The rest is kept.

use mainstay_canon::{
    ChatRequest, Dialect, Extra, Failure, Kind, Metadata, RawJson, ReasoningEffort, ResponseFormat,
};
use serde_json::value::RawValue;

use super::json::{
    Members, Path, boolean, integer, invalid, keep, list, number, object, optional_string, place,
    required_string, string, wrong,
};
use super::tools::{read_choice, read_tool, schema};
use super::{lenient, message_read};
use crate::Received;

/// Before the names of what else is said of a stream.
pub(super) const STREAM_OPTIONS: &str = "stream_options.";

/// Reads a body.
pub(super) fn read_request(body: &[u8]) -> Result<Received, Failure> {
    let text = std::str::from_utf8(body).map_err(|_| invalid(&Path::Root, "expected UTF-8"))?;
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| {
        Failure::new(Kind::InvalidRequest, format!("the body is not JSON: {}", place(&error)))
    })?;
    let mut members = object(raw, &Path::Root)?;
    refuse_what_is_gone(&mut members)?;
    let mut request = ChatRequest { origin: Some(Dialect::OpenaiChat), ..ChatRequest::default() };
    let mut extra = Extra::new();
    request.model_hint = optional_string(members.take("model"), &Path::Root.member("model"))?;
    messages(&mut request, &mut members)?;
    numbers(&mut request, &mut members)?;
    tools(&mut request, &mut members, &mut extra)?;
    format(&mut request, &mut members, &mut extra)?;
    effort(&mut request, &mut members, &mut extra)?;
    let include_usage = streaming(&mut request, &mut members, &mut extra)?;
    user(&mut request.meta, &members)?;
    members.keep_beneath("", &mut extra);
    request.extra = extra;
    Ok(Received { request, include_usage, echo: Extra::new() })
}

/// Members that we cannot honour, named plainly.
fn refuse_what_is_gone(members: &mut Members<'_>) -> Result<(), Failure> {
    for (name, now) in [("functions", "tools"), ("function_call", "tool_choice")] {
        if members.take(name).is_some_and(lenient::says_something) {
            return Err(invalid(
                &Path::Root.member(name),
                &format!("this is the form before tools; send {now}"),
            ));
        }
    }
    let path = Path::Root.member("n");
    match members.take("n").map(|raw| integer(raw, &path)).transpose()? {
        None | Some(1) => Ok(()),
        Some(_) => Err(invalid(&path, "only 1 is served: each answer is judged by itself")),
    }
}

fn messages(request: &mut ChatRequest, members: &mut Members<'_>) -> Result<(), Failure> {
    let path = Path::Root.member("messages");
    let Some(raw) = members.take("messages") else { return Err(wrong(&path, "a list", None)) };
    let raws = list(raw, &path)?;
    if raws.is_empty() {
        return Err(invalid(&path, "expected at least one message, found none"));
    }
    request.messages = raws
        .into_iter()
        .enumerate()
        .map(|(index, raw)| message_read::read(raw, &path.item(index)))
        .collect::<Result<_, _>>()?;
    Ok(())
}

fn numbers(request: &mut ChatRequest, members: &mut Members<'_>) -> Result<(), Failure> {
    let mut float =
        |name: &str| members.take(name).map(|raw| number(raw, &Path::Root.member(name))).transpose();
    request.temperature = float("temperature")?;
    request.top_p = float("top_p")?;
    let seed = Path::Root.member("seed");
    request.seed = members.take("seed").map(|raw| integer(raw, &seed)).transpose()?;
    // The newer name counts where both come.
    let older = limit(members, "max_tokens")?;
    request.max_tokens = limit(members, "max_completion_tokens")?.or(older);
    stop(request, members)
}

/// An output limit. Clients of local servers say "none" with -1.
fn limit(members: &mut Members<'_>, name: &str) -> Result<Option<u32>, Failure> {
    let path = Path::Root.member(name);
    let Some(raw) = members.take(name) else { return Ok(None) };
    match integer(raw, &path)? {
        -1 => Ok(None),
        tokens => match u32::try_from(tokens) {
            Ok(tokens) if tokens > 0 => Ok(Some(tokens)),
            Ok(_) | Err(_) => {
                Err(invalid(&path, &format!("expected a whole number of at least 1, found {tokens}")))
            }
        },
    }
}

fn stop(request: &mut ChatRequest, members: &mut Members<'_>) -> Result<(), Failure> {
    let path = Path::Root.member("stop");
    let Some(raw) = members.take("stop") else { return Ok(()) };
    if raw.get().starts_with('"') {
        request.stop.push(string(raw, &path)?.into_owned());
        return Ok(());
    }
    let raws = list(raw, &path).map_err(|_| wrong(&path, "a string or a list of strings", Some(raw)))?;
    for (index, raw) in raws.into_iter().enumerate() {
        request.stop.push(string(raw, &path.item(index))?.into_owned());
    }
    Ok(())
}

fn tools(request: &mut ChatRequest, members: &mut Members<'_>, extra: &mut Extra) -> Result<(), Failure> {
    let path = Path::Root.member("tools");
    if let Some(raw) = members.take("tools") {
        for (index, tool) in list(raw, &path)?.into_iter().enumerate() {
            request.tools.push(read_tool(tool, &path.item(index))?);
        }
    }
    if let Some(raw) = members.take("tool_choice") {
        let (choice, is_all) = read_choice(raw, &Path::Root.member("tool_choice"))?;
        request.tool_choice = choice;
        if !is_all {
            keep(extra, "tool_choice", raw);
        }
    }
    let path = Path::Root.member("parallel_tool_calls");
    request.parallel_tool_calls =
        members.take("parallel_tool_calls").map(|raw| boolean(raw, &path)).transpose()?;
    Ok(())
}

/// The form of the answer. A form that holds more than the canon says is kept whole beside it.
fn format(request: &mut ChatRequest, members: &mut Members<'_>, extra: &mut Extra) -> Result<(), Failure> {
    let path = Path::Root.member("response_format");
    let Some(raw) = members.take("response_format") else { return Ok(()) };
    let mut form = object(raw, &path)?;
    let plain = match required_string(form.take("type"), &path.member("type"))?.as_str() {
        "text" => form.is_empty(),
        "json_object" => {
            request.response_format = ResponseFormat::Json;
            form.is_empty()
        }
        "json_schema" => {
            let path = path.member("json_schema");
            let Some(inner) = form.take("json_schema") else {
                return Err(wrong(&path, "an object with a schema", None));
            };
            let mut inner = object(inner, &path)?;
            request.response_format = json_schema(&mut inner, &path)?;
            form.is_empty() && inner.is_empty()
        }
        // A grammar or the like, of a host that knows it.
        _ => false,
    };
    if !plain {
        keep(extra, "response_format", raw);
    }
    Ok(())
}

fn json_schema(inner: &mut Members<'_>, path: &Path<'_>) -> Result<ResponseFormat, Failure> {
    let name =
        optional_string(inner.take("name"), &path.member("name"))?.unwrap_or_else(|| "answer".to_owned());
    let strict = inner.take("strict").map(|raw| boolean(raw, &path.member("strict"))).transpose()?;
    let schema = match inner.take("schema") {
        Some(raw) => schema(raw, &path.member("schema"))?,
        None => RawJson::parse("{}").map_err(|_| wrong(path, "an object with a schema", None))?,
    };
    Ok(ResponseFormat::JsonSchema { name, schema, strict })
}

/// How much to think. A level that only one host knows is kept for that host.
fn effort(request: &mut ChatRequest, members: &mut Members<'_>, extra: &mut Extra) -> Result<(), Failure> {
    let path = Path::Root.member("reasoning_effort");
    let Some(raw) = members.take("reasoning_effort") else { return Ok(()) };
    request.reasoning_effort = ReasoningEffort::from_word(&string(raw, &path)?);
    if request.reasoning_effort.is_none() {
        keep(extra, "reasoning_effort", raw);
    }
    Ok(())
}

/// Whether the caller wants a stream, and token counts in it. What else is said of the stream is for a provider
/// of this dialect.
fn streaming(
    request: &mut ChatRequest,
    members: &mut Members<'_>,
    extra: &mut Extra,
) -> Result<bool, Failure> {
    let path = Path::Root.member("stream");
    request.stream = members.take("stream").map(|raw| boolean(raw, &path)).transpose()?.unwrap_or(false);
    let path = Path::Root.member("stream_options");
    let Some(raw) = members.take("stream_options") else { return Ok(false) };
    let mut options = object(raw, &path)?;
    let include = options.take("include_usage");
    options.keep_beneath(STREAM_OPTIONS, extra);
    include.map_or(Ok(false), |raw| boolean(raw, &path.member("include_usage")))
}

/// The end user, without taking the member away.
pub(super) fn user(meta: &mut Metadata, members: &Members<'_>) -> Result<(), Failure> {
    for name in ["user", "safety_identifier"] {
        let path = Path::Root.member(name);
        let Some(raw) = members.look(name) else { continue };
        let user = string(raw, &path)?;
        if user.len() > USER_LIMIT {
            return Err(invalid(&path, "expected at most 512 bytes"));
        }
        if meta.user_id.is_none() && !user.trim().is_empty() {
            meta.user_id = Some(user.into_owned());
        }
    }
    Ok(())
}

/// Longest name of an end user, in bytes: it goes into every record.
const USER_LIMIT: usize = 512;

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_canon::{Content, MediaSource, Role, ToolChoice};

    fn read(body: &str) -> Received {
        read_request(body.as_bytes()).unwrap()
    }

    fn refused(body: &str) -> Failure {
        let failure = read_request(body.as_bytes()).unwrap_err();
        assert_eq!(failure.kind, Kind::InvalidRequest);
        failure
    }

    #[test]
    fn every_member_finds_its_place() {
        let received = read(
            r#"{"model":"m","messages":[{"role":"developer","content":"be brief"},{"role":"user","content":"hi","name":"ann"}],
            "temperature":0.5,"top_p":1,"max_tokens":5,"max_completion_tokens":7,"stop":"END","seed":-3,"n":1,"stream":true,
            "stream_options":{"include_usage":true,"include_obfuscation":false},"tool_choice":"required","parallel_tool_calls":false,
            "tools":[{"type":"function","function":{"name":"f","parameters":{}}}],"reasoning_effort":"low","response_format":{"type":"json_object"},
            "user":"u-1","safety_identifier":"s-1","logit_bias":{"5":-1.0},"metadata":null}"#,
        );
        let request = received.request;
        assert!(received.include_usage && request.stream);
        assert_eq!((request.model_hint.as_deref(), request.messages[0].role), (Some("m"), Role::Developer));
        assert_eq!((request.temperature, request.top_p, request.max_tokens), (Some(0.5), Some(1.0), Some(7)));
        assert_eq!((request.stop.as_slice(), request.seed), (&["END".to_owned()][..], Some(-3)));
        assert_eq!(
            (request.tool_choice, request.parallel_tool_calls),
            (Some(ToolChoice::Required), Some(false))
        );
        assert_eq!(
            (request.reasoning_effort, request.response_format),
            (Some(ReasoningEffort::Low), ResponseFormat::Json)
        );
        assert_eq!(request.meta.user_id.as_deref(), Some("u-1"));
        assert_eq!(
            request.extra.names().collect::<Vec<_>>(),
            ["logit_bias", "metadata", "safety_identifier", "stream_options.include_obfuscation", "user"]
        );
        assert_eq!(request.extra.get("logit_bias").unwrap().text(), r#"{"5":-1.0}"#);
    }

    #[test]
    fn an_error_names_the_field_and_what_was_found() {
        for (body, message) in [
            ("[]", "the body: expected an object, found a list"),
            ("{", "the body is not JSON: it ends early at line 1, column 1"),
            ("{}", "messages: expected a list, found nothing"),
            (r#"{"messages":[]}"#, "messages: expected at least one message, found none"),
            (r#"{"messages":[7]}"#, "messages[0]: expected an object, found a number"),
            (
                r#"{"messages":[{"role":"user"}]}"#,
                "messages[0].content: expected a string or a list of parts, found nothing",
            ),
            (
                r#"{"messages":[{"role":"user","content":[{"text":"x"}]}]}"#,
                "messages[0].content[0].type: expected a string, found nothing",
            ),
            (
                r#"{"messages":[{"role":"robot","content":""}]}"#,
                "messages[0].role: expected \"system\", \"developer\", \"user\", \"assistant\" or \"tool\", found \"robot\"",
            ),
            (
                r#"{"messages":[{"role":"tool","content":""}]}"#,
                "messages[0].tool_call_id: expected a string, found nothing",
            ),
            (
                r#"{"messages":[{"role":"assistant","tool_calls":[{"id":"a"}]}]}"#,
                "messages[0].tool_calls[0].function: expected an object with a name, found nothing",
            ),
        ] {
            assert_eq!(refused(body).message, message);
        }
        let user =
            |member: &str| refused(&format!(r#"{{"messages":[{{"role":"user","content":"x"}}],{member}}}"#));
        assert_eq!(user(r#""temperature":"hot""#).message, "temperature: expected a number, found a string");
        assert_eq!(
            user(r#""max_tokens":0"#).message,
            "max_tokens: expected a whole number of at least 1, found 0"
        );
        assert_eq!(user(r#""stop":[1]"#).param.as_deref(), Some("stop[0]"));
        assert_eq!(user(r#""n":2"#).param.as_deref(), Some("n"));
        assert_eq!(
            user(r#""functions":[{"name":"f"}]"#).message,
            "functions: this is the form before tools; send tools"
        );
    }

    #[test]
    fn nulls_count_as_absent() {
        let received = read(
            r#"{"messages":[{"role":"assistant","content":null,"refusal":null,"tool_calls":null,"function_call":null,"audio":null},
            {"role":"user","content":"x"}],"temperature":null,"max_tokens":-1,"stop":null,"tools":null,"tool_choice":null,"n":null,
            "functions":[],"response_format":null,"stream":null,"stream_options":null,"reasoning_effort":null,"user":null}"#,
        );
        assert_eq!(received.request.messages[0].content, []);
        assert_eq!((received.request.max_tokens, received.request.temperature), (None, None));
        assert!(!received.include_usage);
    }

    #[test]
    fn an_assistant_message_brings_its_reasoning_back() {
        let received = read(
            r#"{"messages":[{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"refusal","refusal":"no"}],
            "reasoning_content":"","reasoning_details":[{"type":"reasoning.encrypted","data":"QQ==","x":1.0}],"annotations":[]}]}"#,
        );
        let message = &received.request.messages[0];
        assert_eq!(
            (message.reasoning_content.as_deref(), message.refusal.as_deref()),
            (Some(""), Some("no"))
        );
        assert_eq!(
            message.reasoning_blocks[0].raw.text(),
            r#"{"type":"reasoning.encrypted","data":"QQ==","x":1.0}"#
        );
        assert_eq!(message.extra.names().collect::<Vec<_>>(), ["annotations"]);
    }

    #[test]
    fn what_only_this_dialect_can_say_is_kept_whole() {
        let received = read(
            r#"{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,QUJD","detail":"low"}}]}],
            "tool_choice":{"type":"allowed_tools","x":1},"reasoning_effort":"default",
            "response_format":{"type":"json_schema","json_schema":{"name":"n","description":"d","schema":{"type":"object"}}}}"#,
        );
        let request = &received.request;
        assert_eq!(
            request.extra.names().collect::<Vec<_>>(),
            ["reasoning_effort", "response_format", "tool_choice"]
        );
        assert!(matches!(&request.response_format, ResponseFormat::JsonSchema { name, .. } if name == "n"));
        let part = &request.messages[0].content[0];
        assert_eq!(part.extra.get("image_url.detail").unwrap().text(), "\"low\"");
        assert!(
            matches!(&part.content, Content::Image(media) if media.source == MediaSource::Base64("QUJD".into()))
        );
    }
}
