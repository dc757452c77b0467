//! What is sent to a provider, what cannot be, and what of its replies is not to be trusted.

use mainstay_canon::{Dialect, EmbedRequest, Failure, Kind, RawJson, Target, WireVectors};
use mainstay_dialects::gemini::GeminiContent;
use mainstay_dialects::ollama::Ollama;
use mainstay_dialects::openai_chat::{OpenAiChat, OpenAiEmbeddings};
use mainstay_dialects::{Embeddings, Upstream, Wanted};
use serde_json::{Value, json};

const MISTRAL: OpenAiEmbeddings = OpenAiEmbeddings {
    dimensions: "output_dimension",
    tokens: false,
    only_members: Some(&["metadata"]),
    ..OpenAiEmbeddings::STANDARD
};
const BASE64: OpenAiEmbeddings = OpenAiEmbeddings { base64: true, ..OpenAiEmbeddings::STANDARD };

fn sent(embeddings: &dyn Embeddings, request: &EmbedRequest) -> (String, Value, Vec<String>) {
    let outbound = embeddings.write_request(request, &Target::new("p", "m-embed")).unwrap();
    (outbound.path, serde_json::from_slice(&outbound.body).unwrap(), outbound.notes)
}

fn refused(embeddings: &dyn Embeddings, request: &EmbedRequest) -> (Kind, Option<String>) {
    let failure = embeddings.write_request(request, &Target::new("p", "m-embed")).unwrap_err();
    (failure.kind, failure.param)
}

fn read(embeddings: &dyn Embeddings, count: usize, body: &str) -> Result<WireVectors, Failure> {
    embeddings.read_reply(Wanted { count, dimensions: None }, body.as_bytes())
}

#[test]
fn each_dialect_is_asked_in_its_own_words() {
    let request = EmbedRequest::texts(["a mast", "a stay"]).dimensions(64);
    let texts = json!(["a mast", "a stay"]);
    let openai = json!({"model": "m-embed", "input": texts, "dimensions": 64});
    assert_eq!(sent(&OpenAiEmbeddings::STANDARD, &request), ("/embeddings".into(), openai, vec![]));
    let exact = json!({"model": "m-embed", "input": texts, "dimensions": 64, "encoding_format": "base64"});
    assert_eq!(sent(&BASE64, &request).1, exact);
    let mistral = json!({"model": "m-embed", "input": texts, "output_dimension": 64});
    assert_eq!(sent(&MISTRAL, &request).1, mistral);
    let one = |text: &str| json!({"model": "models/m-embed", "content": {"parts": [{"text": text}]}, "outputDimensionality": 64});
    let gemini = json!({"requests": [one("a mast"), one("a stay")]});
    let path = "/models/m-embed:batchEmbedContents".to_owned();
    assert_eq!(sent(GeminiContent::STANDARD.embeddings().unwrap(), &request), (path, gemini, vec![]));
    let ollama = json!({"model": "m-embed", "input": texts, "dimensions": 64, "truncate": false});
    assert_eq!(sent(Ollama::STANDARD.embeddings().unwrap(), &request), ("/api/embed".into(), ollama, vec![]));
}

#[test]
fn tokens_go_only_to_those_who_take_them() {
    let request = EmbedRequest::tokens([vec![1, 2], vec![3]]);
    assert_eq!(sent(&OpenAiEmbeddings::STANDARD, &request).1["input"], json!([[1, 2], [3]]));
    let cannot = (Kind::UnsupportedParameter, Some("input".to_owned()));
    assert_eq!(refused(&MISTRAL, &request), cannot);
    assert_eq!(refused(GeminiContent::STANDARD.embeddings().unwrap(), &request), cannot);
    assert_eq!(refused(Ollama::STANDARD.embeddings().unwrap(), &request), cannot);
}

#[test]
fn a_batch_that_gemini_would_refuse_is_not_sent() {
    let gemini = GeminiContent::STANDARD;
    let gemini = gemini.embeddings().unwrap();
    let cannot = (Kind::UnsupportedParameter, Some("input".to_owned()));
    assert_eq!(refused(gemini, &EmbedRequest::texts(vec!["a"; 101])), cannot);
    assert_eq!(
        sent(gemini, &EmbedRequest::texts(vec!["a"; 100])).1["requests"].as_array().unwrap().len(),
        100
    );
}

#[test]
fn a_callers_own_members_reach_its_dialect_and_are_named_where_they_do_not() {
    let mut request = EmbedRequest { origin: Some(Dialect::OpenaiChat), ..EmbedRequest::texts(["a"]) };
    request.extra.insert("user", RawJson::parse("\"ann\"").unwrap());
    request.extra.insert("metadata", RawJson::parse("{\"n\":1.0}").unwrap());
    let (_, body, notes) = sent(&OpenAiEmbeddings::STANDARD, &request);
    assert_eq!((&body["user"], &body["metadata"], notes), (&json!("ann"), &json!({"n": 1.0}), vec![]));
    let (_, body, notes) = sent(&MISTRAL, &request);
    assert_eq!((&body["user"], &body["metadata"]), (&Value::Null, &json!({"n": 1.0})));
    assert_eq!(notes, ["not passed on (openai-chat): user"]);
    for embeddings in [&GeminiContent::STANDARD as &dyn Upstream, &Ollama::STANDARD] {
        let (_, body, notes) = sent(embeddings.embeddings().unwrap(), &request);
        assert!(!body.to_string().contains("ann"), "{body}");
        assert_eq!(notes, ["not passed on (openai-chat): metadata, user"]);
    }
}

#[test]
fn a_caller_in_code_may_use_whoevers_members_it_asks() {
    let mut request = EmbedRequest::texts(["a"]);
    request.extra.insert("taskType", RawJson::parse("\"RETRIEVAL_QUERY\"").unwrap());
    request.extra.insert("truncate", RawJson::parse("true").unwrap());
    let (_, body, _) = sent(GeminiContent::STANDARD.embeddings().unwrap(), &request);
    assert_eq!(body["requests"][0]["taskType"], "RETRIEVAL_QUERY");
    let (_, body, _) = sent(Ollama::STANDARD.embeddings().unwrap(), &request);
    assert_eq!(body["truncate"], json!(true));
    // What a canonical field says is not said twice.
    request.extra.insert("input", RawJson::parse("\"b\"").unwrap());
    assert_eq!(sent(&OpenAiEmbeddings::STANDARD, &request).1["input"], json!(["a"]));
}

#[test]
fn vectors_and_counts_are_read_from_each_dialect() {
    let openai = r#"{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5,-1]},
        {"object":"embedding","index":1,"embedding":[0.25,2e-3]}],"model":"m-1","usage":{"prompt_tokens":7,"total_tokens":7}}"#;
    let expected = [[0.5, -1.0], [0.25, 0.002]];
    let found = read(&OpenAiEmbeddings::STANDARD, 2, openai).unwrap();
    assert_eq!(found.vectors, expected);
    assert_eq!((found.model.as_deref(), found.usage.prompt), (Some("m-1"), Some(7)));
    let exact = r#"{"data":[{"index":0,"embedding":"AACAPwAAIMA="}],"model":"m-1"}"#;
    assert_eq!(read(&BASE64, 1, exact).unwrap().vectors, [[1.0, -2.5]]);
    // A host that does not know base64 answers with numbers.
    assert_eq!(read(&BASE64, 2, openai).unwrap().vectors, expected);
    let gemini = r#"{"embeddings":[{"values":[0.5,-1]},{"values":[0.25,0.002]}],"usageMetadata":{"promptTokenCount":9}}"#;
    let found = read(GeminiContent::STANDARD.embeddings().unwrap(), 2, gemini).unwrap();
    assert_eq!((found.vectors, found.usage.prompt), (expected.map(Vec::from).to_vec(), Some(9)));
    let one = r#"{"embedding":{"values":[0.5,-1]}}"#;
    assert_eq!(read(GeminiContent::STANDARD.embeddings().unwrap(), 1, one).unwrap().vectors, [[0.5, -1.0]]);
    let ollama = r#"{"model":"m-1","embeddings":[[0.5,-1],[0.25,0.002]],"prompt_eval_count":8}"#;
    let found = read(Ollama::STANDARD.embeddings().unwrap(), 2, ollama).unwrap();
    assert_eq!((found.vectors, found.usage.prompt), (expected.map(Vec::from).to_vec(), Some(8)));
}

/// Every kind of reply that is not what was asked, with `[0.5]` for a good vector.
#[test]
fn what_is_not_what_was_asked_is_never_passed_on() {
    let openai = |entries: &str| format!(r#"{{"object":"list","data":[{entries}],"model":"m"}}"#);
    let entry = |index: &str, vector: &str| format!(r#"{{"index":{index},"embedding":{vector}}}"#);
    let two = |first: &str, second: &str| openai(&format!("{},{}", entry("0", first), entry("1", second)));
    let placed =
        |first: &str, second: &str| openai(&format!("{},{}", entry(first, "[0.5]"), entry(second, "[0.5]")));
    let bad_for_openai = [
        two("[0.5]", "null"),
        two("[0.5]", "[]"),
        two("[0.5]", "[0.5,0.5]"),
        two("[0.5]", "[NaN]"),
        two("[0.5]", "[null]"),
        two("[0.5]", "[1e999]"),
        two("[0.5]", "\"AACAPw==\""),
        openai(&entry("0", "[0.5]")),
        openai(""),
        openai(&format!("{},{},{}", entry("0", "[0.5]"), entry("1", "[0.5]"), entry("2", "[0.5]"))),
        openai(&format!("{},{{}}", entry("0", "[0.5]"))),
        openai(&format!("{},null", entry("0", "[0.5]"))),
        placed("1", "0"),
        placed("0", "0"),
        placed("0", "-1"),
        placed("0", "\"1\""),
        placed("1", "2"),
        r#"{"object":"list","data":null}"#.to_owned(),
        r#"{"object":"list"}"#.to_owned(),
        "[]".to_owned(),
        "<html></html>".to_owned(),
    ];
    for body in &bad_for_openai {
        let failure = read(&OpenAiEmbeddings::STANDARD, 2, body).expect_err(body);
        assert_eq!(failure.kind, Kind::InvalidResponse, "{body}: {failure}");
        assert!(!failure.message.contains("0.5"), "a vector is no message: {failure}");
    }
    assert!(read(&OpenAiEmbeddings::STANDARD, 2, &two("[0.5]", "[0.5]")).is_ok());
    for text in ["\"AAA\"", "\"AAAA\"", "\"****\"", "\"AADAfw==\"", "\"\""] {
        let body = openai(&entry("0", text));
        let kind = read(&BASE64, 1, &body).expect_err(&body).kind;
        assert_eq!(kind, Kind::InvalidResponse, "{body}");
    }
    for vectors in
        ["", "{}", "{\"values\":[]}", "{\"values\":[0.5]},{\"values\":[0.5]}", "{\"values\":null}", "null"]
    {
        let body = format!(r#"{{"embeddings":[{vectors}]}}"#);
        let kind = read(GeminiContent::STANDARD.embeddings().unwrap(), 1, &body).expect_err(&body).kind;
        assert_eq!(kind, Kind::InvalidResponse, "{body}");
    }
    for vectors in ["", "[]", "[0.5],[0.5]", "null", "{\"0\":0.5}", "0.5"] {
        let body = format!(r#"{{"embeddings":[{vectors}]}}"#);
        let kind = read(Ollama::STANDARD.embeddings().unwrap(), 1, &body).expect_err(&body).kind;
        assert_eq!(kind, Kind::InvalidResponse, "{body}");
    }
}

#[test]
fn another_number_of_dimensions_than_asked_for_is_a_failure() {
    let body = br#"{"data":[{"index":0,"embedding":[0.5,0.5]}]}"#;
    let with = |dimensions| {
        OpenAiEmbeddings::STANDARD
            .read_reply(Wanted { count: 1, dimensions }, body)
            .map_err(|failure| failure.kind)
    };
    assert!(with(Some(2)).is_ok() && with(None).is_ok());
    assert_eq!(with(Some(3)).unwrap_err(), Kind::InvalidResponse);
}

#[test]
fn a_reply_that_is_cut_anywhere_is_a_failure() {
    let bodies = [
        (&OpenAiChat::STANDARD as &dyn Upstream, r#"{"data":[{"index":0,"embedding":[0.5]}],"model":"m"}"#),
        (&GeminiContent::STANDARD, r#"{"embeddings":[{"values":[0.5]}]}"#),
        (&Ollama::STANDARD, r#"{"model":"m","embeddings":[[0.5]]}"#),
    ];
    for (upstream, body) in bodies {
        let embeddings = upstream.embeddings().unwrap();
        assert!(read(embeddings, 1, body).is_ok(), "{body}");
        for cut in 0..body.len() {
            let kind = read(embeddings, 1, &body[..cut]).expect_err(body).kind;
            // Inside a number it cannot be told from nonsense; both are asked for again.
            assert!(matches!(kind, Kind::StreamInterrupted | Kind::InvalidResponse), "{cut} of {body}");
        }
    }
}

#[test]
fn an_error_inside_a_200_is_that_error() {
    let limited =
        r#"{"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}}"#;
    assert_eq!(read(&OpenAiEmbeddings::STANDARD, 1, limited).unwrap_err().kind, Kind::RateLimited);
    let flat = r#"{"object":"error","message":"Invalid model: x","type":"invalid_model","code":"1500"}"#;
    assert_ne!(read(&OpenAiEmbeddings::STANDARD, 1, flat).unwrap_err().kind, Kind::InvalidResponse);
    let gemini = r#"{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED"}}"#;
    let kind = read(GeminiContent::STANDARD.embeddings().unwrap(), 1, gemini).unwrap_err().kind;
    assert_eq!(kind, Kind::RateLimited);
    let ollama = r#"{"error":"model \"m\" not found, try pulling it first"}"#;
    let kind = read(Ollama::STANDARD.embeddings().unwrap(), 1, ollama).unwrap_err().kind;
    assert_eq!(kind, Kind::NotFound);
}
