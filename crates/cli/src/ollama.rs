//! Asks a local Ollama which models it has. None is the answer where none runs.

use std::time::Duration;

use serde::Deserialize;

/// Where Ollama listens unless told otherwise (Ollama API reference, 2026-11).
pub(crate) const ADDRESS: &str = "127.0.0.1:11434";
/// A server of this machine answers at once or not at all.
const PATIENCE: Duration = Duration::from_millis(500);
/// Longest answer that is read, in bytes.
const LONGEST: usize = 1 << 20;

/// The answer of `GET /api/tags`, as far as it matters here.
#[derive(Debug, Deserialize)]
struct Tags {
    #[serde(default)]
    models: Vec<Tag>,
}

#[derive(Debug, Deserialize)]
struct Tag {
    name: String,
}

/// The names of its models, as it orders them: the one used last first.
pub(crate) async fn models() -> Vec<String> {
    tokio::time::timeout(PATIENCE, ask()).await.ok().flatten().unwrap_or_default()
}

async fn ask() -> Option<Vec<String>> {
    let http =
        reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().ok()?;
    let mut reply =
        http.get(format!("http://{ADDRESS}/api/tags")).send().await.ok()?.error_for_status().ok()?;
    let mut body = Vec::new();
    while let Some(chunk) = reply.chunk().await.ok()? {
        body.extend_from_slice(&chunk);
        if body.len() > LONGEST {
            return None;
        }
    }
    read(&body)
}

fn read(body: &[u8]) -> Option<Vec<String>> {
    let tags: Tags = serde_json::from_slice(body).ok()?;
    Some(tags.models.into_iter().map(|tag| tag.name).collect())
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn names_are_read_and_anything_else_is_passed_over() {
        let body = br#"{"models":[{"name":"llama3.2:latest","size":1},{"name":"qwen3:8b"}]}"#;
        assert_eq!(read(body).unwrap(), ["llama3.2:latest", "qwen3:8b"]);
        assert_eq!(read(b"{}").unwrap(), Vec::<String>::new());
        assert_eq!(read(b"<html>"), None);
    }
}
