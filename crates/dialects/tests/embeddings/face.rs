//! The caller's side: what is read of a request, and what is written back.

use mainstay_canon::{
    Cost, Dialect, EmbedInputs, EmbedRequest, EmbedResponse, Kind, Target, Usage, VectorEncoding,
};
use mainstay_dialects::openai_chat::{OpenAiEmbeddings, read_embeddings, write_embeddings};
use mainstay_dialects::{Embeddings, Wanted};
use proptest::prelude::*;
use serde_json::{Value, json};

fn request(body: &Value) -> EmbedRequest {
    read_embeddings(body.to_string().as_bytes()).unwrap()
}

fn inputs(input: &Value) -> EmbedInputs {
    request(&json!({"model": "m", "input": input})).inputs
}

fn response(vectors: Vec<Vec<f32>>) -> EmbedResponse {
    EmbedResponse {
        vectors,
        model: None,
        usage: Usage { prompt: 7, ..Usage::default() },
        request_id: "req_1".into(),
        target: Target::new("openai", "text-embedding-3-small"),
        cost: Cost::ZERO,
        latency_ms: 1,
        attempts: Vec::new(),
    }
}

#[test]
fn every_form_of_input_is_read() {
    assert_eq!(inputs(&json!("a")), EmbedInputs::Texts(vec!["a".into()]));
    assert_eq!(inputs(&json!(["a", "é\n"])), EmbedInputs::Texts(vec!["a".into(), "é\n".into()]));
    assert_eq!(inputs(&json!([1, 2, 100_257])), EmbedInputs::Tokens(vec![vec![1, 2, 100_257]]));
    assert_eq!(inputs(&json!([[1, 2], [3]])), EmbedInputs::Tokens(vec![vec![1, 2], vec![3]]));
}

#[test]
fn the_rest_of_a_request_is_read_and_what_has_no_name_is_kept() {
    let read = request(&json!({"model": "m", "input": "a", "dimensions": 64, "encoding_format": "base64",
        "user": "ann", "service_tier": "flex"}));
    assert_eq!((read.model_hint.as_deref(), read.dimensions), (Some("m"), Some(64)));
    assert_eq!((read.encoding, read.origin), (VectorEncoding::Base64, Some(Dialect::OpenaiChat)));
    assert_eq!(read.meta.user_id.as_deref(), Some("ann"));
    assert_eq!(read.extra.names().collect::<Vec<_>>(), ["service_tier", "user"]);
    assert_eq!(request(&json!({"model": "m", "input": "a", "dimensions": null})).dimensions, None);
}

#[test]
fn a_field_that_is_wrong_is_named_without_its_value() {
    for (body, param) in [
        (json!({"model": "m"}), "input"),
        (json!({"model": "m", "input": null}), "input"),
        (json!({"model": "m", "input": []}), "input"),
        (json!({"model": "m", "input": {"text": "secret"}}), "input"),
        (json!({"model": "m", "input": 7}), "input"),
        (json!({"model": "m", "input": ["a", 7]}), "input[1]"),
        (json!({"model": "m", "input": ["a", null]}), "input[1]"),
        (json!({"model": "m", "input": [1, "secret"]}), "input[1]"),
        (json!({"model": "m", "input": [1, -2]}), "input[1]"),
        (json!({"model": "m", "input": [1.5]}), "input[0]"),
        (json!({"model": "m", "input": [[1], ["secret"]]}), "input[1][0]"),
        (json!({"model": "m", "input": [[1], 2]}), "input[1]"),
        (json!({"model": 7, "input": "a"}), "model"),
        (json!({"model": "m", "input": "a", "dimensions": 0}), "dimensions"),
        (json!({"model": "m", "input": "a", "dimensions": "64"}), "dimensions"),
        (json!({"model": "m", "input": "a", "encoding_format": "int8"}), "encoding_format"),
        (json!({"model": "m", "input": "a", "user": 7}), "user"),
    ] {
        let failure = read_embeddings(body.to_string().as_bytes()).expect_err(&body.to_string());
        assert_eq!(
            (failure.kind, failure.param.as_deref()),
            (Kind::InvalidRequest, Some(param)),
            "{failure}"
        );
        assert!(!failure.message.contains("secret"), "{failure}");
    }
    for body in ["", "{", "[]", "\"a\""] {
        assert_eq!(read_embeddings(body.as_bytes()).unwrap_err().kind, Kind::InvalidRequest, "{body}");
    }
}

#[test]
fn vectors_are_written_in_the_encoding_that_was_asked_for() {
    let read = |encoding| -> Value {
        serde_json::from_slice(&write_embeddings(&response(vec![vec![1.0, -2.5], vec![0.1, 0.0]]), encoding))
            .unwrap()
    };
    assert_eq!(
        read(VectorEncoding::Float),
        json!({"object": "list", "model": "text-embedding-3-small",
            "data": [{"object": "embedding", "index": 0, "embedding": [1.0, -2.5]},
                     {"object": "embedding", "index": 1, "embedding": [0.1, 0.0]}],
            "usage": {"prompt_tokens": 7, "total_tokens": 7}})
    );
    assert_eq!(read(VectorEncoding::Base64)["data"][0]["embedding"], "AACAPwAAIMA=");
    let named = EmbedResponse { model: Some("m-real".into()), ..response(vec![vec![1.0]]) };
    let body: Value = serde_json::from_slice(&write_embeddings(&named, VectorEncoding::Float)).unwrap();
    assert_eq!(body["model"], "m-real", "the model that answered");
}

proptest! {
    #[test]
    fn what_a_caller_is_written_is_what_a_provider_sent_to_the_bit(
        vectors in (1_usize..5).prop_flat_map(|length| {
            prop::collection::vec(prop::collection::vec(prop::num::f32::NORMAL | prop::num::f32::ZERO | prop::num::f32::SUBNORMAL, length), 1..5)
        }),
        exact in any::<bool>(),
    ) {
        let encoding = if exact { VectorEncoding::Base64 } else { VectorEncoding::Float };
        let body = write_embeddings(&response(vectors.clone()), encoding);
        let reader = OpenAiEmbeddings { base64: exact, ..OpenAiEmbeddings::STANDARD };
        let wanted = Wanted { count: vectors.len(), dimensions: None };
        let read = reader.read_reply(wanted, &body).unwrap();
        let bits = |vectors: &[Vec<f32>]| -> Vec<u32> { vectors.iter().flatten().map(|number| number.to_bits()).collect() };
        prop_assert_eq!(bits(&read.vectors), bits(&vectors));
    }

    #[test]
    fn no_body_makes_a_reader_panic(body in ".{0,200}") {
        let _ = read_embeddings(body.as_bytes());
        let _ = OpenAiEmbeddings::STANDARD.read_reply(Wanted { count: 1, dimensions: None }, body.as_bytes());
    }
}
