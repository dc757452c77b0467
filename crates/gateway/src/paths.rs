//! Paths as clients spell them: with and without `/v1`, with it twice, with a slash too many.
//!
//! OpenAI's clients take a base URL that ends in `/v1`, Anthropic's one that does not, and people mix them
//! up. Every spelling of a path that we serve leads to it.

use axum::http::Uri;
use axum::http::uri::PathAndQuery;

/// What is served below `/v1`, by its first segment.
const BELOW_V1: [&str; 4] = ["chat", "messages", "models", "responses"];

/// The address with its path as our routes spell it.
pub(crate) fn normalized(uri: Uri) -> Uri {
    let Some(path) = spelled(uri.path()) else { return uri };
    let target = match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path,
    };
    let Ok(target) = PathAndQuery::try_from(target) else { return uri };
    let mut parts = uri.into_parts();
    parts.path_and_query = Some(target);
    Uri::from_parts(parts).unwrap_or_default()
}

/// Another spelling of this path, where it has one.
fn spelled(path: &str) -> Option<String> {
    let mut segments = path.split('/').filter(|segment| !segment.is_empty()).peekable();
    let mut has_v1 = false;
    while segments.next_if_eq(&"v1").is_some() {
        has_v1 = true;
    }
    let first = segments.peek().copied()?;
    if !has_v1 && !BELOW_V1.contains(&first) {
        return None;
    }
    let rest: Vec<&str> = segments.collect();
    let spelled = format!("/v1/{}", rest.join("/"));
    (spelled != path).then_some(spelled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_leads_to_the_route() {
        for (typed, meant) in [
            ("/v1/chat/completions", "/v1/chat/completions"),
            ("/chat/completions", "/v1/chat/completions"),
            ("/responses", "/v1/responses"),
            ("/v1/v1/messages?beta=true", "/v1/messages?beta=true"),
            ("//v1//messages/", "/v1/messages"),
            ("/messages/count_tokens", "/v1/messages/count_tokens"),
            ("/v1/models/fake%2Fone", "/v1/models/fake%2Fone"),
            ("/models", "/v1/models"),
        ] {
            assert_eq!(normalized(typed.parse().unwrap()), meant, "{typed}");
        }
    }

    #[test]
    fn other_paths_stay_as_they_are() {
        for path in ["/", "/v1", "/healthz", "/admin/tiers", "/admin//tiers", "/?token=x", "/chatter", "*"] {
            assert_eq!(normalized(path.parse().unwrap()), path);
        }
    }
}
