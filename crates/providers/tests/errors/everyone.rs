//! What holds for every provider: hints, `x-should-retry`, errors inside a 200, and any body at all.

use std::time::Duration;

use mainstay_canon::{Headers, Kind};
use mainstay_providers::{ALL, Told, by_id};

use crate::{NOW, openai, read};

#[test]
fn x_should_retry_is_obeyed() {
    let plain = r#"{"error":{"message":"x"}}"#;
    let coded = openai("x", "invalid_request_error", "context_length_exceeded");
    for (status, body, word, kind, is_final) in [
        (500, plain, "false", Kind::ServerError, true),
        (503, plain, "false", Kind::Overloaded, true),
        (409, plain, "false", Kind::ServerError, true),
        (429, plain, "false", Kind::QuotaExhausted, true),
        (500, plain, "true", Kind::ServerError, false),
        // A bare status says less than the server's own word.
        (400, plain, "true", Kind::ServerError, false),
        (401, plain, "true", Kind::ServerError, false),
        (403, plain, "true", Kind::ServerError, false),
        (404, plain, "true", Kind::ServerError, false),
        // A code says more.
        (400, &coded, "true", Kind::ContextLength, false),
        (402, plain, "true", Kind::QuotaExhausted, false),
        (500, plain, "perhaps", Kind::ServerError, false),
    ] {
        for provider in ["openai", "groq", "compatible"] {
            let failure = read(provider, status, &[("X-Should-Retry", word)], body);
            assert_eq!((failure.kind, failure.says_final), (kind, is_final), "{provider} {status} {word}");
        }
    }
    assert!(!read("openai", 500, &[], plain).says_final);
}

#[test]
fn a_hint_counts_only_where_a_server_asks_to_be_left_alone() {
    let fields = [("retry-after", "30")];
    for (status, counts) in
        [(429, true), (503, true), (529, true), (400, false), (402, false), (500, false), (200, false)]
    {
        let failure = read("openai", status, &fields, "{}");
        assert_eq!(failure.hint.is_some(), counts, "{status}");
    }
    assert!(read("openrouter", 402, &fields, "{}").hint.is_some());
}

#[test]
fn every_form_of_a_hint_counts_with_every_provider() {
    let said = r#"{"error":{"message":"Rate limit reached. Please try again in 5m50s."}}"#;
    let reset = [("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "5m50s")];
    for provider in ALL {
        let of = |fields: &[(&str, &str)], body: &str| {
            let headers: Headers = fields.iter().copied().collect();
            provider.read_error(429, &headers, body.as_bytes(), NOW).hint.map(|hint| hint.after)
        };
        let wait = Some(Duration::from_secs(350));
        let id = provider.id;
        assert_eq!(of(&[("retry-after", "350")], "{}"), wait, "{id}");
        assert_eq!(of(&[("retry-after-ms", "350000")], "{}"), wait, "{id}");
        assert_eq!(of(&reset, "{}"), wait, "{id}");
        assert_eq!(of(&[], said), wait, "{id}");
    }
}

#[test]
fn an_error_inside_a_200_is_completed_by_its_effective_status() {
    let provider = by_id("openrouter").unwrap();
    let headers: Headers = [("retry-after", "9"), ("X-Generation-Id", "gen-1")].into_iter().collect();
    let body = br#"{"error":{"code":429,"message":"slow down"}}"#;
    let failure = provider.upstream.read_reply(body).unwrap_err();
    let failure = provider.refined(failure, &Told { headers: &headers, body, now: NOW });
    assert_eq!((failure.kind, failure.status), (Kind::RateLimited, Some(429)));
    assert_eq!(failure.hint.unwrap().after, Duration::from_secs(9));
    assert_eq!(failure.provider_request_id.as_deref(), Some("gen-1"));
}

#[test]
fn any_body_of_any_status_is_some_failure() {
    for provider in mainstay_providers::ALL {
        for status in [100, 200, 304, 400, 418, 429, 599, 999] {
            for body in [
                "",
                "null",
                "[]",
                "{}",
                "\u{0}",
                "{\"error\":[]}",
                "{\"error\":{\"metadata\":7,\"code\":{}}}",
                "[[[[",
            ] {
                let failure = provider.read_error(status, &Headers::new(), body.as_bytes(), NOW);
                assert_eq!(failure.status, Some(status), "{} {status} {body}", provider.id);
            }
        }
    }
}
