//! Requests as the server reads them from a socket.

use serde_json::Value;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

use crate::spell::Spelling;

/// Largest request head, in bytes.
const HEAD_LIMIT: usize = 64 * 1024;
/// Largest request body, in bytes.
const BODY_LIMIT: usize = 64 * 1024 * 1024;

/// A request as the server saw it.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The path with its query.
    pub path: String,
    /// Header fields, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body; null when it was not JSON.
    pub body: Value,
    /// The body's `model`, or the one in the path.
    pub model: String,
    /// Whether a stream was asked for.
    pub stream: bool,
}

impl Seen {
    /// A request for an answer of that model, of which nothing else is known.
    pub(crate) fn of(model: &str, stream: bool) -> Self {
        let (path, headers) = (String::new(), Vec::new());
        Self { path, headers, body: Value::Null, model: model.to_owned(), stream }
    }

    /// The value of a header field.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Reads one request; `None` when the peer hung up between two.
pub(crate) async fn read_request(
    socket: &mut TcpStream,
    buffer: &mut Vec<u8>,
) -> std::io::Result<Option<Seen>> {
    let head_end = loop {
        if let Some(at) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if buffer.len() > HEAD_LIMIT || socket.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    };
    let head = String::from_utf8_lossy(buffer.get(..head_end).unwrap_or_default()).into_owned();
    let mut lines = head.split("\r\n");
    let path = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap_or("/").to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers
        .iter()
        .find(|(name, _)| name == "content-length")
        .and_then(|(_, value)| value.parse::<usize>().ok())
        .unwrap_or(0)
        .min(BODY_LIMIT);
    while buffer.len() < head_end + length {
        if socket.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    }
    let body: Value = serde_json::from_slice(buffer.get(head_end..head_end + length).unwrap_or_default())
        .unwrap_or(Value::Null);
    buffer.drain(..head_end + length);
    let (model, stream) = asked(&path, &body);
    Ok(Some(Seen { path, headers, body, model, stream }))
}

/// The model that is asked, and whether for a stream. Gemini has both in the path; Ollama streams unless it is
/// told not to.
fn asked(path: &str, body: &Value) -> (String, bool) {
    let named = body.get("model").and_then(Value::as_str).unwrap_or_default();
    let wish = body.get("stream").and_then(Value::as_bool);
    match Spelling::of_path(path) {
        Spelling::Gemini => {
            let (_, rest) = path.rsplit_once("/models/").unwrap_or(("", path));
            let (model, method) = rest.split_once(':').unwrap_or((rest, ""));
            (model.to_owned(), method.starts_with("streamGenerateContent"))
        }
        Spelling::Ollama => (named.to_owned(), wish.unwrap_or(true)),
        Spelling::OpenaiChat | Spelling::OpenaiResponses | Spelling::Anthropic => {
            (named.to_owned(), wish.unwrap_or(false))
        }
    }
}
