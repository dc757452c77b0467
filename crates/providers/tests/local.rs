//! Servers on this machine: what their words, fields and errors come to. Bodies in the shapes of their
//! documentation and sources as of 2026-10.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod shared;

use mainstay_canon::{Answer, Dialect, Failure, FinishReason, Headers, Kind, Moment, Quality};
use mainstay_providers::{Auth, Provider, by_id, for_dialect};
use shared::Reply;

const OPENAI_LIKE: [&str; 5] = ["vllm", "llamacpp", "lmstudio", "local", "compatible"];

fn read(provider: &'static Provider, stream: bool, body: &str) -> Result<Answer, Failure> {
    let reply = Reply {
        status: 200,
        headers: Headers::new(),
        chunks: vec![body.as_bytes().to_vec()],
        stream,
        now: Moment::from_secs(1_772_366_400),
    };
    reply.read(provider).0
}

fn whole(id: &str, message: &str, finish: &str) -> Result<Answer, Failure> {
    let body =
        format!(r#"{{"id":"c","choices":[{{"index":0,"message":{message},"finish_reason":{finish}}}]}}"#);
    read(by_id(id).unwrap(), false, &body)
}

fn chunks(id: &str, chunks: &[&str]) -> Result<Answer, Failure> {
    let body: Vec<String> = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    read(by_id(id).unwrap(), true, &body.concat())
}

/// An error of that status, as the server's own tables read it.
fn error(id: &str, status: u16, body: &str) -> Failure {
    by_id(id).unwrap().read_error(status, &Headers::new(), body.as_bytes(), Moment::EPOCH)
}

fn check(id: &str, status: u16, body: &str, kind: Kind) {
    let failure = error(id, status, body);
    assert_eq!((failure.kind, failure.status), (kind, Some(status)), "{id} {status} {body}");
    // Under another name the same server says the same.
    for other in ["local", "compatible"] {
        assert_eq!(error(other, status, body).kind, kind, "{other} {status} {body}");
    }
}

const SAID: &str = r#"{"role":"assistant","content":"Yes."}"#;

#[test]
fn each_listens_where_it_does_by_default_and_wants_no_key() {
    for (id, address) in [
        ("ollama", "http://localhost:11434"),
        ("vllm", "http://localhost:8000/v1"),
        ("llamacpp", "http://localhost:8080/v1"),
        ("lmstudio", "http://localhost:1234/v1"),
    ] {
        let provider = by_id(id).unwrap();
        assert_eq!((provider.base_url, provider.auth), (address, Auth::None), "{id}");
    }
    assert_eq!(for_dialect(Dialect::Ollama).unwrap().auth, Auth::Bearer { env: "" });
}

#[test]
fn usual_endings_are_known_to_all() {
    for id in OPENAI_LIKE {
        assert_eq!(whole(id, SAID, "\"stop\"").unwrap().finish_reason, FinishReason::Stop, "{id}");
        assert_eq!(whole(id, SAID, "\"length\"").unwrap().finish_reason, FinishReason::Length, "{id}");
        let call = r#"{"content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}"#;
        for word in ["\"tool_calls\"", "\"stop\""] {
            assert_eq!(whole(id, call, word).unwrap().finish_reason, FinishReason::ToolCall, "{id} {word}");
        }
        let unknown = whole(id, SAID, "\"quota_of_the_moon\"").unwrap_err();
        assert_eq!(unknown.kind, Kind::UnknownFinishReason, "{id}");
    }
}

#[test]
fn words_of_the_engine_are_no_endings() {
    for id in ["vllm", "local", "compatible"] {
        for (word, kind) in [
            ("abort", Kind::ServerError),
            ("error", Kind::ServerError),
            ("repetition", Kind::Bad(Quality::Degenerate)),
        ] {
            let failure = whole(id, SAID, &format!("\"{word}\"")).unwrap_err();
            assert_eq!((failure.kind, failure.finish_reason_raw.as_deref()), (kind, Some(word)), "{id}");
            assert_eq!(failure.answer.unwrap().text, "Yes.", "{id} {word}: what came is kept");
            let last = format!(r#"{{"choices":[{{"index":0,"delta":{{}},"finish_reason":"{word}"}}]}}"#);
            let failure =
                chunks(id, &[r#"{"choices":[{"index":0,"delta":{"content":"Yes"}}]}"#, &last, "[DONE]"])
                    .unwrap_err();
            assert_eq!(failure.kind, kind, "{id} {word}: a good end of stream changes nothing");
        }
    }
    // They are nobody else's words.
    assert_eq!(whole("llamacpp", SAID, "\"abort\"").unwrap_err().kind, Kind::UnknownFinishReason);
}

#[test]
fn lm_studios_own_words_mean_what_its_own_api_says() {
    for (word, reason) in [
        ("eosFound", FinishReason::Stop),
        ("stopStringFound", FinishReason::Stop),
        ("maxPredictedTokensReached", FinishReason::Length),
        ("contextLengthReached", FinishReason::Length),
        ("toolCalls", FinishReason::ToolCall),
    ] {
        let answer = whole("lmstudio", SAID, &format!("\"{word}\"")).unwrap();
        assert_eq!(answer.finish_reason, reason, "{word}");
        assert_eq!(answer.context_full, word == "contextLengthReached", "{word}");
    }
    for word in ["userStopped", "modelUnloaded", "failed"] {
        assert_eq!(
            whole("lmstudio", SAID, &format!("\"{word}\"")).unwrap_err().kind,
            Kind::ServerError,
            "{word}"
        );
    }
}

#[test]
fn reasoning_is_read_under_both_of_its_names() {
    for id in OPENAI_LIKE {
        for name in ["reasoning", "reasoning_content"] {
            let message = format!(r#"{{"content":"Yes.","{name}":"Hm."}}"#);
            let answer = whole(id, &message, "\"stop\"").unwrap();
            assert_eq!(answer.reasoning_content.as_deref(), Some("Hm."), "{id} {name}");
            assert_eq!(answer.text, "Yes.", "{id} {name}");
            let thought = format!(r#"{{"choices":[{{"index":0,"delta":{{"{name}":"Hm."}}}}]}}"#);
            let end = r#"{"choices":[{"index":0,"delta":{"content":"Yes."},"finish_reason":"stop"}]}"#;
            let answer = chunks(id, &[&thought, end, "[DONE]"]).unwrap();
            assert_eq!(
                (answer.reasoning_content.as_deref(), answer.text.as_str()),
                (Some("Hm."), "Yes."),
                "{id} {name}"
            );
        }
        let both = r#"{"content":"Yes.","reasoning":"Hm.","reasoning_content":"Hm."}"#;
        assert_eq!(whole(id, both, "\"stop\"").unwrap().reasoning_content.as_deref(), Some("Hm."), "{id}");
    }
}

#[test]
fn thinking_that_a_template_leaks_into_the_text_is_moved() {
    for id in OPENAI_LIKE {
        for text in ["<think>\\nHm.\\n</think>\\n\\nYes.", "Hm.\\n</think>\\n\\nYes."] {
            let answer = whole(id, &format!(r#"{{"content":"{text}"}}"#), "\"stop\"").unwrap();
            assert_eq!(answer.text, "Yes.", "{id} {text}");
            assert_eq!(answer.reasoning_content.as_deref().map(str::trim), Some("Hm."), "{id} {text}");
        }
    }
}

#[test]
fn vllm_says_which_stop_text_was_hit_and_what_it_had_cached() {
    let body = r#"{"id":"c","choices":[{"index":0,"message":{"content":"Yes."},"finish_reason":"stop","stop_reason":"END"}],
        "usage":{"prompt_tokens":50,"completion_tokens":3,"total_tokens":53,"prompt_tokens_details":{"cached_tokens":32}}}"#;
    let answer = read(by_id("vllm").unwrap(), false, body).unwrap();
    assert_eq!(answer.stop_sequence.as_deref(), Some("END"));
    assert_eq!((answer.usage.prompt, answer.usage.cached, answer.usage.completion), (50, 32, 3));
    let token = body.replace("\"END\"", "128009");
    assert_eq!(read(by_id("vllm").unwrap(), false, &token).unwrap().stop_sequence, None);
}

#[test]
fn vllms_error_inside_a_stream_is_an_error_although_the_stream_ends_well() {
    for id in ["vllm", "local", "compatible"] {
        let failure = chunks(
            id,
            &[
                r#"{"choices":[{"index":0,"delta":{"content":"Yes"}}]}"#,
                r#"{"error":{"message":"EngineCore encountered an issue.","type":"InternalServerError","param":null,"code":500}}"#,
                "[DONE]",
            ],
        )
        .unwrap_err();
        assert_eq!((failure.kind, failure.status), (Kind::ServerError, Some(500)), "{id}");
        assert_eq!(failure.answer.unwrap().text, "Yes", "{id}");
    }
}

#[test]
fn vllms_errors_are_told_apart_in_both_shapes() {
    let newer = |message: &str, word: &str, code: u16| {
        format!(r#"{{"error":{{"message":"{message}","type":"{word}","param":null,"code":{code}}}}}"#)
    };
    let older = |message: &str, word: &str, code: u16| {
        format!(r#"{{"object":"error","message":"{message}","type":"{word}","param":null,"code":{code}}}"#)
    };
    for (status, word, message, kind) in [
        (
            400,
            "BadRequestError",
            "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
            Kind::ContextLength,
        ),
        (
            400,
            "BadRequestError",
            "Input length (11680) exceeds model's maximum context length (4096).",
            Kind::ContextLength,
        ),
        (
            400,
            "BadRequestError",
            "The decoder prompt (length 9000) is longer than the maximum model length of 4096.",
            Kind::ContextLength,
        ),
        (400, "BadRequestError", "max_tokens must be at least 1, got -186.", Kind::ContextLength),
        (400, "BadRequestError", "max_completion_tokens must be at least 1, got -186.", Kind::ContextLength),
        (400, "BadRequestError", "max_tokens must be at least 1, got 0.", Kind::InvalidRequest),
        (
            400,
            "BadRequestError",
            "\\\"auto\\\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
            Kind::UnsupportedParameter,
        ),
        (400, "BadRequestError", "m-test is not a multimodal model", Kind::UnsupportedParameter),
        (
            400,
            "Bad Request",
            "[{'type': 'literal_error', 'loc': ('body', 'reasoning_effort'), 'msg': 'Input should be low'}]",
            Kind::UnsupportedParameter,
        ),
        (
            400,
            "BadRequestError",
            "Conversation roles must alternate user/assistant/user/assistant",
            Kind::UnsupportedParameter,
        ),
        (404, "NotFoundError", "The model `x` does not exist.", Kind::NotFound),
        (401, "Unauthorized", "Unauthorized", Kind::Auth),
        (500, "InternalServerError", "EngineCore encountered an issue.", Kind::ServerError),
        (503, "ServiceUnavailable", "EngineCore encountered an issue.", Kind::Overloaded),
    ] {
        check("vllm", status, &newer(message, word, status), kind);
        check("vllm", status, &older(message, word, status), kind);
    }
}

#[test]
fn the_llama_cpp_servers_errors_are_told_apart() {
    let body = |code: u16, word: &str, message: &str| {
        format!(r#"{{"error":{{"code":{code},"message":"{message}","type":"{word}"}}}}"#)
    };
    for (status, word, message, kind) in [
        (503, "unavailable_error", "Loading model", Kind::Overloaded),
        (400, "invalid_request_error", "Field 'temperature': type must be number", Kind::InvalidRequest),
        (401, "authentication_error", "Invalid API Key", Kind::Auth),
        (404, "not_found_error", "File Not Found", Kind::NotFound),
        (404, "not_found_error", "model 'x' not found", Kind::NotFound),
        (500, "server_error", "vector::_M_range_check", Kind::ServerError),
        (501, "not_supported_error", "This server does not support embeddings", Kind::UnsupportedParameter),
        (
            500,
            "server_error",
            "input (9000 tokens) is too large to process. increase the physical batch size",
            Kind::ContextLength,
        ),
        (500, "server_error", "tools param requires --jinja flag", Kind::UnsupportedParameter),
        (500, "server_error", "image input is not supported - hint: mmproj", Kind::UnsupportedParameter),
        (500, "server_error", "error: cannot make GET request", Kind::RequestDeclined),
        (500, "server_error", "Failed to parse input at pos 12", Kind::MalformedToolCall),
        (500, "server_error", "System role not supported", Kind::UnsupportedParameter),
    ] {
        check("llamacpp", status, &body(status, word, message), kind);
    }
    let full = r#"{"error":{"code":400,"message":"request (9000 tokens) exceeds the available context size (4096 tokens)","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}"#;
    check("llamacpp", 400, full, Kind::ContextLength);
}

#[test]
fn a_llama_cpp_stream_with_pings_and_timings_is_read() {
    let body = concat!(
        ":\n\n",
        "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":null}}]}\n\n",
        ": ping\n\n",
        "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Yes.\"}}]}\n\n",
        "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],",
        "\"timings\":{\"cache_n\":20,\"prompt_n\":30,\"predicted_n\":3}}\n\n",
        "data: {\"id\":\"c\",\"choices\":[],\"usage\":{\"prompt_tokens\":50,\"completion_tokens\":3,",
        "\"total_tokens\":53,\"prompt_tokens_details\":{\"cached_tokens\":20}}}\n\n",
        "data: [DONE]\n\n"
    );
    let answer = read(by_id("llamacpp").unwrap(), true, body).unwrap();
    assert_eq!((answer.text.as_str(), answer.finish_reason), ("Yes.", FinishReason::Stop));
    assert_eq!((answer.usage.prompt, answer.usage.cached, answer.usage.estimated), (50, 20, false));
}

#[test]
fn lm_studios_errors_are_told_apart_as_text_and_as_an_object() {
    for (status, message, kind) in [
        (404, "No models loaded. Please load a model in the developer page", Kind::NotFound),
        (400, "No models loaded. Please load a model in the developer page", Kind::NotFound),
        (
            400,
            "Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough",
            Kind::ContextLength,
        ),
        (
            400,
            "The number of tokens to keep from the initial prompt is greater than the context length",
            Kind::ContextLength,
        ),
        (400, "The model has crashed without additional information. (Exit code: 6)", Kind::ServerError),
        (400, "Model is unloaded.", Kind::ServerError),
        (400, "Model unloaded.", Kind::ServerError),
        (400, "Failed to load model \\\"x\\\". Error: Operation canceled.", Kind::ServerError),
        (400, "'messages' field is required", Kind::InvalidRequest),
        (401, "An LM Studio API token is required", Kind::Auth),
    ] {
        check("lmstudio", status, &format!(r#"{{"error":"{message}"}}"#), kind);
        check("lmstudio", status, &format!(r#"{{"error":{{"message":"{message}"}}}}"#), kind);
    }
    let said = "The number of tokens to keep from the initial prompt is greater than the context length";
    let event = format!("event: error\ndata: {{\"error\":{{\"message\":\"{said}\"}}}}\n\n");
    let failure = read(by_id("lmstudio").unwrap(), true, &event).unwrap_err();
    assert_eq!(failure.kind, Kind::ContextLength, "a full window is known inside a stream, too");
}

fn ollama(stream: bool, body: &str) -> Result<Answer, Failure> {
    read(by_id("ollama").unwrap(), stream, body)
}

#[test]
fn ollamas_answers_to_no_question_are_no_answers() {
    for word in ["load", "unload"] {
        let line = format!(
            r#"{{"model":"q","message":{{"role":"assistant","content":""}},"done":true,"done_reason":"{word}"}}"#
        );
        for stream in [false, true] {
            let failure = ollama(stream, &line).unwrap_err();
            assert_eq!(
                (failure.kind, failure.finish_reason_raw.as_deref()),
                (Kind::InvalidResponse, Some(word))
            );
        }
    }
    for stream in [false, true] {
        let line = r#"{"message":{"content":"Yes"},"done":true,"done_reason":"content_filter"}"#;
        assert_eq!(ollama(stream, line).unwrap_err().kind, Kind::UnknownFinishReason);
    }
}

#[test]
fn ollama_losing_its_model_is_no_good_end() {
    for stream in [false, true] {
        for line in [
            r#"{"message":{"content":"Yes"},"done":true,"done_reason":""}"#,
            r#"{"message":{"content":"Yes"},"done":true}"#,
            r#"{"message":{"content":"Yes"},"done":false}"#,
        ] {
            assert_eq!(ollama(stream, line).unwrap_err().kind, Kind::StreamInterrupted, "{stream} {line}");
        }
    }
    let cut = ollama(true, "{\"message\":{\"content\":\"Yes\"},\"done\":false}\n").unwrap_err();
    assert_eq!(cut.answer.unwrap().text, "Yes");
}

#[test]
fn ollamas_calls_make_a_plain_stop_a_tool_call_and_get_ids_where_they_have_none() {
    let line = r#"{"model":"q","message":{"content":"","thinking":"Hm.","tool_calls":[
        {"function":{"name":"f","arguments":{"x": 1}}},{"function":{"name":"f","arguments":{"x": 2}}}]},
        "done":true,"done_reason":"stop"}"#
        .replace('\n', " ");
    for stream in [false, true] {
        let answer = ollama(stream, &line).unwrap();
        assert_eq!(answer.finish_reason, FinishReason::ToolCall);
        assert_eq!(answer.finish_reason_raw.as_deref(), Some("stop"));
        let [one, two] = &answer.tool_calls[..] else { panic!("{answer:?}") };
        assert!(!one.id.is_empty() && !two.id.is_empty() && one.id != two.id);
        assert_eq!((one.arguments.as_str(), two.arguments.as_str()), (r#"{"x": 1}"#, r#"{"x": 2}"#));
        assert_eq!(answer.reasoning_content.as_deref(), Some("Hm."));
        assert!(answer.usage.estimated, "counts that are left out are estimated and say so");
    }
}

#[test]
fn ollamas_errors_are_told_apart() {
    for (status, message, kind) in [
        (400, "the input length exceeds the context length", Kind::ContextLength),
        (404, "model 'x' not found", Kind::NotFound),
        (429, "you have reached your weekly usage limit, upgrade for higher limits", Kind::QuotaExhausted),
        (500, "llama runner process has terminated: exit status 2", Kind::ServerError),
        (503, "server busy, please try again.  maximum pending requests exceeded", Kind::Overloaded),
    ] {
        let body = format!(r#"{{"error":"{message}"}}"#);
        let elsewhere = for_dialect(Dialect::Ollama).unwrap();
        for provider in [by_id("ollama").unwrap(), elsewhere] {
            let failure = provider.read_error(status, &Headers::new(), body.as_bytes(), Moment::EPOCH);
            assert_eq!((failure.kind, failure.status), (kind, Some(status)), "{} {message}", provider.id);
        }
    }
}
