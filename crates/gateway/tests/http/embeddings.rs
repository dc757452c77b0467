//! `POST /v1/embeddings` as OpenAI's SDKs use it: every form of input, both encodings, honest errors.

use mainstay_testkit::{Fault, Reply, Spoilt, Vectors};
use serde_json::{Value, json};

use crate::common::Front;

struct Told {
    status: u16,
    headers: reqwest::header::HeaderMap,
    body: Value,
}

impl Told {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    fn error(&self) -> (u16, &str, Option<&str>) {
        let error = &self.body["error"];
        (self.status, error["type"].as_str().unwrap_or_default(), error["param"].as_str())
    }
}

async fn ask(front: &Front, body: &Value) -> Told {
    let reply = front.http.post(front.url("/v1/embeddings")).json(body).send().await.unwrap();
    let (status, headers) = (reply.status().as_u16(), reply.headers().clone());
    let text = reply.text().await.unwrap();
    let body = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    Told { status, headers, body }
}

async fn front() -> Front {
    let front = Front::start(&["bge", "other"]).await;
    front.provider.otherwise(Reply::Vectors(Vectors::of(4)));
    front
}

fn vector(text: &str) -> Value {
    json!(Vectors::vector(text, 4))
}

#[tokio::test]
async fn every_form_of_input_has_its_vectors_in_order_with_the_story_beside() {
    let front = front().await;
    for (input, texts) in [
        (json!("a mast"), vec!["a mast"]),
        (json!(["a mast", "a stay"]), vec!["a mast", "a stay"]),
        (json!([1, 2, 3]), vec!["[1,2,3]"]),
        (json!([[1, 2], [3]]), vec!["[1,2]", "[3]"]),
    ] {
        let told =
            ask(&front, &json!({"model": "default", "input": input, "encoding_format": "float"})).await;
        assert_eq!(told.status, 200, "{}", told.body);
        let data = told.body["data"].as_array().unwrap();
        let found: Vec<Value> = data
            .iter()
            .map(|entry| {
                serde_json::from_value::<Vec<f32>>(entry["embedding"].clone()).map(|v| json!(v)).unwrap()
            })
            .collect();
        let vectors: Vec<Value> = if input[0].is_array() || input[0].is_number() {
            tokens(&input)
        } else {
            texts.iter().map(|text| vector(text)).collect()
        };
        assert_eq!(found, vectors, "{input}");
        assert_eq!(data.last().unwrap()["index"], texts.len() - 1);
        assert_eq!(told.body["usage"], json!({"prompt_tokens": 12, "total_tokens": 12}));
        assert_eq!((&told.body["object"], &told.body["model"]), (&json!("list"), &json!("bge")));
        assert_eq!(told.header("x-mainstay-tier"), Some("fake/bge"));
        assert_eq!(told.header("x-mainstay-served"), Some("first"));
        assert_eq!(told.header("x-mainstay-attempts"), Some("1"));
        assert_eq!(told.header("x-mainstay-quality"), Some("ok"));
        assert_eq!(told.header("x-mainstay-cost-usd"), Some("0.000012"));
        assert_eq!(told.header("x-request-id"), told.header("x-mainstay-request-id"));
    }
}

/// The simulated provider embeds a list of tokens as its text; a single list is wrapped on the way.
fn tokens(input: &Value) -> Vec<Value> {
    let lists = if input[0].is_number() { vec![input.clone()] } else { input.as_array().unwrap().clone() };
    lists.iter().map(|list| vector(&list.to_string())).collect()
}

#[tokio::test]
async fn base64_is_the_little_endian_bytes_of_the_same_numbers() {
    let front = front().await;
    let one = json!({"object": "list", "data": [{"index": 0, "embedding": [1.0, -2.5]}]}).to_string();
    front.provider.on("bge", [Reply::http(200, &[], &one)]);
    let told = ask(&front, &json!({"model": "default", "input": "a", "encoding_format": "base64"})).await;
    assert_eq!(told.body["data"][0]["embedding"], "AACAPwAAIMA=");
    let told = ask(&front, &json!({"model": "default", "input": "a"})).await;
    assert_eq!(told.body["data"][0]["embedding"], json!([1.0, -2.5]), "numbers where nothing is said");
}

#[tokio::test]
async fn dimensions_user_and_session_go_where_they_belong() {
    let front = front().await;
    let body = json!({"model": "fake/bge", "input": "a", "dimensions": 2, "user": "ann", "odd": {"n": 1.50}});
    let told = ask(&front, &body).await;
    assert_eq!(told.body["data"][0]["embedding"].as_array().unwrap().len(), 2);
    let seen = &front.provider.seen()[0].body;
    assert_eq!(
        (&seen["dimensions"], &seen["user"], &seen["odd"]),
        (&json!(2), &json!("ann"), &json!({"n": 1.5}))
    );
    let rows = front.rows().await;
    assert_eq!((rows[0].user_id.as_deref(), rows[0].has_note("embeddings")), (Some("ann"), true));
}

#[tokio::test]
async fn what_is_wrong_is_told_in_openais_shape_with_its_field() {
    let front = front().await;
    for (body, status, param) in [
        (json!({"model": "default"}), 400, "input"),
        (json!({"model": "default", "input": []}), 400, "input"),
        (json!({"model": "default", "input": ["a", ""]}), 400, "input"),
        (json!({"model": "default", "input": ["a", 1]}), 400, "input[1]"),
        (json!({"model": "default", "input": vec!["a"; 2049]}), 400, "input"),
        (json!({"model": "default", "input": "a", "encoding_format": "int8"}), 400, "encoding_format"),
        (json!({"model": "default", "input": "a", "dimensions": 0}), 400, "dimensions"),
        (json!({"model": "nobody", "input": "a"}), 404, "model"),
        (json!({"model": "claude/some", "input": "a"}), 400, "model"),
    ] {
        let told = ask(&front, &body).await;
        let word = if status == 404 { "not_found_error" } else { "invalid_request_error" };
        assert_eq!(told.error(), (status, word, Some(param)), "{}", told.body);
        assert_eq!(
            (told.header("x-mainstay-attempts"), told.header("x-should-retry")),
            (Some("0"), Some("false"))
        );
    }
    assert!(front.provider.seen().is_empty());
    let reply =
        front.http.post(front.url("/v1/embeddings")).header("content-type", "text/plain").body("{}").send();
    assert_eq!(reply.await.unwrap().status(), 415);
    let reply = front.http.get(front.url("/v1/embeddings")).send().await.unwrap();
    assert_eq!(reply.status(), 405);
}

#[tokio::test]
async fn a_failing_tier_is_told_as_such_and_no_other_is_asked() {
    for (reply, status, attempts) in [
        (Reply::Fault(Fault::Status(500)), 503, "2"),
        (Reply::Vectors(Vectors::of(4).spoilt(Spoilt::NotANumber)), 503, "2"),
        (Reply::Vectors(Vectors::of(4).spoilt(Spoilt::Missing)), 503, "2"),
        (Reply::Fault(Fault::RateLimited(3_600)), 429, "1"),
    ] {
        let front = front().await;
        front.provider.on("bge", [reply]);
        let told = ask(&front, &json!({"model": "default", "input": ["a", "b"]})).await;
        assert_eq!(
            (told.status, told.header("x-mainstay-attempts")),
            (status, Some(attempts)),
            "{}",
            told.body
        );
        assert_eq!(told.header("x-should-retry"), Some("false"));
        assert_eq!(told.header("x-mainstay-quality"), None);
        assert_eq!(front.provider.calls("other"), 0);
    }
}

#[tokio::test]
async fn large_batches_come_back_whole_in_either_encoding() {
    let front = front().await;
    let texts: Vec<String> = (0..512).map(|number| format!("text {number}")).collect();
    for encoding in ["float", "base64"] {
        let body =
            json!({"model": "default", "input": texts, "dimensions": 512, "encoding_format": encoding});
        let told = ask(&front, &body).await;
        assert_eq!(told.status, 200);
        assert_eq!(told.body["data"].as_array().unwrap().len(), 512);
        let last = &told.body["data"][511]["embedding"];
        if encoding == "float" {
            let last: Vec<f32> = serde_json::from_value(last.clone()).unwrap();
            assert_eq!(last, Vectors::vector("text 511", 512));
        } else {
            assert_eq!(last.as_str().map(str::len), Some(2732));
        }
    }
}

#[tokio::test]
async fn chains_for_embeddings_are_listed_but_not_to_those_who_cannot_ask_for_them() {
    let further = "[chains]\nvectors = [{ provider = \"openai\", model = \"text-embedding-3-small\" }]\n\
                   [providers.openai]\nbase_url = \"http://127.0.0.1:1/v1\"\nauth = \"none\"\n";
    let front = Front::start_with(&["m"], further).await;
    let ids = async |fields: &[(&'static str, &str)]| -> Vec<String> {
        let mut request = front.http.get(front.url("/v1/models"));
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        let body: Value = request.send().await.unwrap().json().await.unwrap();
        body["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|model| model["id"].as_str().unwrap().to_owned())
            .collect()
    };
    let all = ids(&[]).await;
    for name in ["default", "fake/m", "vectors", "openai/text-embedding-3-small"] {
        assert!(all.contains(&name.to_owned()), "{all:?}");
    }
    assert_eq!(ids(&[("anthropic-version", "2023-06-01")]).await, ["default", "fake/m"]);
}
