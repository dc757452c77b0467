//! Requests to a provider: the members around the conversation.

use mainstay_canon::{
    Content, ContentPart, Dialect, Extra, Kind, Media, MediaSource, RawJson, ReasoningEffort, ResponseFormat,
    Tool, ToolChoice,
};
use serde_json::json;

use super::*;
use crate::anthropic::{DEFAULT_MAX_TOKENS, Thinking};

pub(super) fn raw(value: &Value) -> RawJson {
    RawJson::of(value).unwrap()
}

pub(super) fn hello() -> ChatRequest {
    ChatRequest::user("hi").max_tokens(100)
}

fn tool() -> Tool {
    Tool::function("f", "does", raw(&json!({"type": "object"})))
}

fn header(outbound: &Outbound, name: &str) -> Option<String> {
    outbound.headers.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
}

fn version(outbound: &Outbound) -> String {
    header(outbound, "anthropic-version").unwrap()
}

#[test]
fn a_plain_question_is_a_plain_body() {
    let out = write(&hello().system("be brief"));
    assert_eq!(out.path, "/v1/messages");
    assert_eq!(
        String::from_utf8(out.body).unwrap(),
        r#"{"model":"claude-test","max_tokens":100,"system":"be brief","messages":[{"role":"user","content":"hi"}]}"#
    );
    assert!(out.notes.is_empty());
}

#[test]
fn the_limit_is_always_stated() {
    let out = write(&ChatRequest::user("hi"));
    assert_eq!(body(&out)["max_tokens"], DEFAULT_MAX_TOKENS);
    assert!(out.notes[0].contains("max_tokens"), "{:?}", out.notes);
}

#[test]
fn sampling_decides_the_version_where_the_model_takes_it() {
    assert_eq!(version(&write(&hello())), "2026-10-21");
    let warm = ChatRequest { temperature: Some(0.5), top_p: Some(0.9), ..hello() };
    let out = write(&warm);
    assert_eq!(version(&out), "2023-06-01");
    assert_eq!((&body(&out)["temperature"], body(&out).get("top_p")), (&json!(0.5), None));
    assert!(out.notes.iter().any(|note| note.starts_with("top_p is left out")), "{:?}", out.notes);
    // A caller of this dialect is taken at its word.
    let own = write(&ChatRequest { origin: Some(Dialect::Anthropic), ..warm.clone() });
    assert_eq!((&body(&own)["temperature"], &body(&own)["top_p"]), (&json!(0.5), &json!(0.9)));

    let refusing = Accepts { sampling: false, ..accepts() };
    let out = write_with(&warm, &refusing).unwrap();
    assert_eq!(version(&out), "2026-10-21");
    assert!(body(&out).get("temperature").is_none());
    assert!(out.notes[0].contains("temperature"));
}

#[test]
fn top_k_of_an_own_caller_counts_as_sampling() {
    let mut request = ChatRequest { origin: Some(Dialect::Anthropic), ..hello() };
    request.extra.insert("top_k", raw(&json!(5)));
    let out = write(&request);
    assert_eq!((version(&out).as_str(), &body(&out)["top_k"]), ("2023-06-01", &json!(5)));
    let out = write_with(&request, &Accepts { sampling: false, ..accepts() }).unwrap();
    assert_eq!((version(&out).as_str(), body(&out).get("top_k")), ("2026-10-21", None));
    assert!(out.notes[0].contains("top_k"));
}

#[test]
fn a_foreign_temperature_above_one_is_sent_as_one() {
    let out = write(&ChatRequest { temperature: Some(1.7), ..hello() });
    assert_eq!(body(&out)["temperature"], 1.0);
    assert!(out.notes[0].contains("1.7"));
}

#[test]
fn what_the_newer_version_refuses_in_texts_is_sent_with_the_older_one() {
    let mut request = ChatRequest { origin: Some(Dialect::Anthropic), ..hello() };
    request.messages[0].content[0].extra.insert("citations", raw(&json!([{"type": "char_location"}])));
    assert_eq!(version(&write(&request)), "2023-06-01");
    request.messages[0].content[0].extra.insert("citations", raw(&json!([])));
    assert_eq!(version(&write(&request)), "2026-10-21");
}

#[test]
fn effort_is_adaptive_thinking_and_leaves_no_room_for_sampling() {
    let request =
        ChatRequest { reasoning_effort: Some(ReasoningEffort::High), temperature: Some(0.2), ..hello() };
    let out = write(&request);
    assert_eq!(body(&out)["thinking"], json!({"type": "adaptive"}));
    assert_eq!(body(&out)["output_config"], json!({"effort": "high"}));
    assert!(body(&out).get("temperature").is_none() && out.notes[0].contains("temperature"));

    let none = ChatRequest { reasoning_effort: Some(ReasoningEffort::None), ..hello() };
    assert_eq!(body(&write(&none))["thinking"], json!({"type": "disabled"}));

    let out = write_with(&request, &Accepts { effort: false, ..accepts() }).unwrap();
    assert!(body(&out).get("thinking").is_none() && out.notes[0].contains("reasoning_effort"));
}

#[test]
fn an_older_model_is_given_a_budget_below_its_limit() {
    let older = AnthropicMessages { thinking: |_| Thinking::Budget, ..UPSTREAM };
    let target = Target::new("anthropic", "claude-old");
    let accepts = accepts();
    for (limit, budget) in [(20_000, Some(8192)), (5000, Some(4000)), (1100, None)] {
        let call = Call { target: &target, accepts: &accepts, stream: false, max_tokens: Some(limit) };
        let request = ChatRequest { reasoning_effort: Some(ReasoningEffort::Medium), ..hello() };
        let out = older.write_request(&request, &call).unwrap();
        assert_eq!(body(&out)["thinking"]["budget_tokens"].as_u64(), budget, "{limit}");
        assert_eq!(out.notes.is_empty(), budget.is_some());
    }
}

#[test]
fn a_forced_call_goes_before_thinking() {
    let request = ChatRequest {
        reasoning_effort: Some(ReasoningEffort::Low),
        tool_choice: Some(ToolChoice::Required),
        ..hello().tool(tool())
    };
    let out = write(&request);
    assert!(body(&out).get("thinking").is_none() && !out.notes.is_empty());
    assert_eq!(body(&out)["tool_choice"], json!({"type": "any"}));
    assert_eq!(body(&out)["output_config"], json!({"effort": "low"}));
}

#[test]
fn an_own_callers_thinking_is_its_own_but_fits_a_lowered_limit() {
    let mut request = ChatRequest {
        origin: Some(Dialect::Anthropic),
        reasoning_effort: Some(ReasoningEffort::High),
        ..hello()
    };
    request
        .extra
        .insert("thinking", raw(&json!({"type": "enabled", "budget_tokens": 8000, "display": "omitted"})));
    request.max_tokens = Some(9000);
    let out = write(&request);
    assert_eq!(
        body(&out)["thinking"],
        json!({"type": "enabled", "budget_tokens": 8000, "display": "omitted"})
    );
    assert!(body(&out).get("output_config").is_none());
    request.max_tokens = Some(4000);
    let out = write(&request);
    assert_eq!(
        body(&out)["thinking"],
        json!({"type": "enabled", "budget_tokens": 3999, "display": "omitted"})
    );
    assert_eq!(out.notes.len(), 1);
    request.max_tokens = Some(500);
    assert!(body(&write(&request)).get("thinking").is_none());
}

#[test]
fn a_schema_is_sent_and_json_mode_is_noted() {
    let schema = RawJson::parse(r#"{"type":"object", "minimum": 1.50}"#).unwrap();
    let format = ResponseFormat::JsonSchema { name: "x".into(), schema, strict: Some(true) };
    let request = ChatRequest { response_format: format, ..hello() };
    let out = write(&request);
    let text = String::from_utf8(out.body).unwrap();
    let sent =
        r#""output_config":{"format":{"type":"json_schema","schema":{"type":"object", "minimum": 1.50}}}"#;
    assert!(text.contains(sent), "{text}");
    let out = write_with(&request, &Accepts { json_schema: false, ..accepts() }).unwrap();
    assert!(body(&out).get("output_config").is_none() && out.notes[0].contains("json_schema"));
    let out = write(&ChatRequest { response_format: ResponseFormat::Json, ..hello() });
    assert!(out.notes[0].contains("json"));
}

#[test]
fn tools_and_their_choice_are_spelled_here() {
    for (choice, parallel, expected) in [
        (None, None, None),
        (None, Some(true), None),
        (None, Some(false), Some(json!({"type": "auto", "disable_parallel_tool_use": true}))),
        (Some(ToolChoice::Auto), None, Some(json!({"type": "auto"}))),
        (Some(ToolChoice::None), Some(false), Some(json!({"type": "none"}))),
        (
            Some(ToolChoice::Required),
            Some(true),
            Some(json!({"type": "any", "disable_parallel_tool_use": false})),
        ),
        (Some(ToolChoice::Named("f".into())), None, Some(json!({"type": "tool", "name": "f"}))),
    ] {
        let request =
            ChatRequest { tool_choice: choice, parallel_tool_calls: parallel, ..hello().tool(tool()) };
        assert_eq!(body(&write(&request)).get("tool_choice"), expected.as_ref());
    }
    let bare = Tool { parameters: None, description: None, strict: Some(true), ..tool() };
    assert_eq!(
        body(&write(&hello().tool(bare)))["tools"],
        json!([{"name": "f", "input_schema": {"type": "object"}, "strict": true}])
    );
}

#[test]
fn a_choice_without_tools_is_noted() {
    let out = write(&ChatRequest { tool_choice: Some(ToolChoice::Required), ..hello() });
    assert!(body(&out).get("tool_choice").is_none() && out.notes[0].contains("tool_choice"));
}

#[test]
fn what_the_dialect_lacks_is_noted() {
    let mut request = ChatRequest { seed: Some(7), stop: vec![" ".into(), "END".into()], ..hello() };
    request.messages[0].name = Some("ann".into());
    request.origin = Some(Dialect::OpenaiChat);
    request.extra.insert("logit_bias", raw(&json!({})));
    request.messages[0].content[0].extra.insert("detail", raw(&json!("low")));
    let out = write(&request);
    assert_eq!(body(&out)["stop_sequences"], json!(["END"]));
    for word in ["seed", "stop", "names", "logit_bias", "detail"] {
        assert!(out.notes.iter().any(|note| note.contains(word)), "{word}: {:?}", out.notes);
    }
    assert!(!String::from_utf8(out.body).unwrap().contains("logit_bias"));
}

#[test]
fn extras_without_a_dialect_are_noted_not_sent() {
    let mut request = hello();
    request.extra.insert("top_k", raw(&json!(3)));
    let out = write(&request);
    assert!(body(&out).get("top_k").is_none() && out.notes[0].contains("top_k"));
}

#[test]
fn own_extras_are_sent_byte_for_byte() {
    let odd = RawJson::parse(r#"{ "ttl" : "1h","n":1.0 }"#).unwrap();
    let mut request =
        ChatRequest { origin: Some(Dialect::Anthropic), ..hello().tool(tool()).for_user("u-1") };
    request.extra.insert("cache_control", odd.clone());
    request.extra.insert("metadata", raw(&json!({"team": "x"})));
    request.extra.insert(super::super::BETA_HEADER, raw(&json!("a-1,b-2")));
    request.tools[0].extra.insert("cache_control", odd.clone());
    request.messages[0].content[0].extra.insert("cache_control", odd.clone());
    let out = write(&request);
    let text = String::from_utf8(out.body.clone()).unwrap();
    assert_eq!(text.matches(r#""cache_control":{ "ttl" : "1h","n":1.0 }"#).count(), 3, "{text}");
    assert_eq!(body(&out)["metadata"], json!({"user_id": "u-1", "team": "x"}));
    assert_eq!(header(&out, "anthropic-beta").as_deref(), Some("a-1,b-2"));
    assert!(!text.contains("anthropic-beta"));
    assert!(out.notes.is_empty(), "{:?}", out.notes);
}

#[test]
fn native_tools_go_to_their_own_dialect_only() {
    let native =
        Tool { native: Some(raw(&json!({"type": "web_search_20250305", "name": "web_search"}))), ..tool() };
    let mut request = hello().tool(native);
    assert_eq!(write_with(&request, &accepts()).unwrap_err().kind, Kind::UnsupportedParameter);
    request.origin = Some(Dialect::Anthropic);
    assert_eq!(body(&write(&request))["tools"][0]["type"], "web_search_20250305");
    let failure = write_with(&request, &Accepts { tools: false, ..accepts() }).unwrap_err();
    assert_eq!(failure.param.as_deref(), Some("tools"));
}

#[test]
fn media_are_spelled_by_where_they_are() {
    let media =
        |mime: Option<&str>, source| Media { mime: mime.map(str::to_owned), name: Some("n".into()), source };
    for (content, expected) in [
        (
            Content::Image(media(Some("image/png"), MediaSource::Base64("AAAA".into()))),
            json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}),
        ),
        (
            Content::Image(media(None, MediaSource::Base64("/9j/4AAQ".into()))),
            json!({"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": "/9j/4AAQ"}}),
        ),
        (
            Content::Image(media(None, MediaSource::Url("https://x.test/a.png".into()))),
            json!({"type": "image", "source": {"type": "url", "url": "https://x.test/a.png"}}),
        ),
        (
            Content::Image(media(None, MediaSource::Url("data:image/gif;base64,R0lG".into()))),
            json!({"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": "R0lG"}}),
        ),
        (
            Content::File(media(None, MediaSource::Base64("JVBE".into()))),
            json!({"type": "document", "title": "n",
                "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBE"}}),
        ),
        (
            Content::File(media(Some("text/plain"), MediaSource::Base64("aGVsbG8=".into()))),
            json!({"type": "document", "title": "n",
                "source": {"type": "text", "media_type": "text/plain", "data": "hello"}}),
        ),
        (
            Content::File(media(None, MediaSource::FileId("file_1".into()))),
            json!({"type": "document", "title": "n", "source": {"type": "file", "file_id": "file_1"}}),
        ),
    ] {
        let mut request = hello();
        request.messages[0].content = vec![ContentPart { content, extra: Extra::new() }];
        assert_eq!(body(&write(&request))["messages"][0]["content"][0], expected);
    }
}

#[test]
fn a_file_uploaded_elsewhere_is_not_sent() {
    let source = MediaSource::FileId("file-1".into());
    let content = Content::File(Media { mime: None, name: None, source });
    let mut request = hello();
    request.messages[0].content = vec![ContentPart { content, extra: Extra::new() }];
    request.origin = Some(Dialect::OpenaiChat);
    assert_eq!(write_with(&request, &accepts()).unwrap_err().kind, Kind::UnsupportedParameter);
    request.origin = Some(Dialect::Anthropic);
    assert!(write_with(&request, &accepts()).is_ok());
}

#[test]
fn extras_never_overrule_a_canonical_field() {
    let mut request = ChatRequest { origin: Some(Dialect::Anthropic), ..hello() };
    for name in ["stream", "model", "messages", "system", "temperature"] {
        request.extra.insert(name, raw(&json!(true)));
    }
    let expected =
        json!({"model": "claude-test", "max_tokens": 100, "messages": [{"role": "user", "content": "hi"}]});
    assert_eq!(body(&write(&request)), expected);
}

#[test]
fn parts_that_cannot_be_said_name_their_place() {
    let audio = Content::Audio(Media { mime: None, name: None, source: MediaSource::Base64(String::new()) });
    let foreign = Content::Native {
        dialect: Dialect::Gemini,
        kind: "video".into(),
        raw: raw(&json!({"type": "video"})),
    };
    let image =
        Content::Image(Media { mime: None, name: None, source: MediaSource::Url("https://x.test".into()) });
    let blind = Accepts { images: false, ..accepts() };
    for content in [audio, foreign, image] {
        let mut request = hello().system("s");
        request.messages[1].content.push(ContentPart { content, extra: Extra::new() });
        let failure = write_with(&request, &blind).unwrap_err();
        assert_eq!(failure.kind, Kind::UnsupportedParameter);
        assert_eq!(failure.param.as_deref(), Some("messages.1.content.1"));
    }
}

#[test]
fn parameters_of_a_type_stay_with_a_caller_of_this_dialect_and_go_for_all_others() {
    // An image in PNG and a text, as a data URL and as what stands beside the bytes.
    let plain = |origin| {
        let media = |mime: &str, source| Media { mime: Some(mime.to_owned()), name: None, source };
        let part = |content| ContentPart { content, extra: Extra::new() };
        let bytes = MediaSource::Base64("aGVsbG8=".into());
        let mut request = ChatRequest { origin, ..hello() };
        request.messages[0].content = vec![
            part(Content::Image(media("image/png; q=1", bytes.clone()))),
            part(Content::File(media("text/plain;charset=utf-8", bytes))),
            part(Content::Image(media("", MediaSource::Url("data:image/png;q=1;base64,AAAA".into())))),
        ];
        let written = body(&write(&request))["messages"][0]["content"].clone();
        (0..3).map(|nth| written[nth]["source"].clone()).collect::<Vec<_>>()
    };
    let base64 =
        |media_type: &str, data: &str| json!({"type": "base64", "media_type": media_type, "data": data});
    for foreign in [None, Some(Dialect::OpenaiChat)] {
        let text = json!({"type": "text", "media_type": "text/plain", "data": "hello"});
        let expected = [base64("image/png", "aGVsbG8="), text, base64("image/png", "AAAA")];
        assert_eq!(plain(foreign), expected);
    }
    let expected = [
        base64("image/png; q=1", "aGVsbG8="),
        base64("text/plain;charset=utf-8", "aGVsbG8="),
        json!({"type": "url", "url": "data:image/png;q=1;base64,AAAA"}),
    ];
    assert_eq!(plain(Some(Dialect::Anthropic)), expected);
}
