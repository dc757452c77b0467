//! Finds the shared data, and reads a recorded reply the way the client does: dialect, provider, normalizer.

#![allow(dead_code, clippy::result_large_err, clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use mainstay_canon::{Answer, Failure, Headers, Moment, ReplyEvent, Target};
use mainstay_normalize::{Assembler, Context, whole};
use mainstay_providers::{Provider, Told};
use serde_json::Value;

/// A file of the shared data, as text; `None` where the data are not at hand, which a line says.
pub(crate) fn text(path: &str) -> Option<String> {
    let root = std::env::var_os("MAINSTAY_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let Ok(bytes) = std::fs::read(root.join(path)) else {
        assert!(std::env::var("MAINSTAY_REQUIRE_SHARED").as_deref() != Ok("1"), "{path} is missing");
        // Past the test runner's capture: a skip must not look like a pass.
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            format!("skipped: this test needs the shared data ({path})\n").as_bytes(),
        );
        return None;
    };
    let mut text = String::new();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
    } else {
        text = String::from_utf8(bytes).unwrap();
    }
    Some(text)
}

/// The lines of a shared file, each read as JSON.
pub(crate) fn lines(path: &str) -> Vec<Value> {
    text(path).iter().flat_map(|text| text.lines()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// One reply of a provider.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Headers,
    pub(crate) chunks: Vec<Vec<u8>>,
    pub(crate) stream: bool,
    pub(crate) now: Moment,
}

impl Reply {
    /// From a line of the cases or of the recordings.
    pub(crate) fn of(line: &Value, now: Moment) -> Self {
        let chunks = match (&line["chunks_b64"], &line["body_b64"]) {
            (Value::Array(chunks), _) => chunks.iter().map(|chunk| base64(chunk.as_str().unwrap())).collect(),
            (_, Value::String(body)) => vec![base64(body)],
            _ => vec![line["body"].as_str().unwrap_or("").as_bytes().to_vec()],
        };
        let fields = line["headers"].as_object().into_iter().flatten();
        let headers: Headers =
            fields.filter_map(|(name, value)| Some((name.as_str(), value.as_str()?))).collect();
        let is_json = headers.get("content-type").is_some_and(|kind| kind.starts_with("application/json"));
        let body = chunks.concat();
        let looks_json = body.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
        Self {
            status: u16::try_from(line["status"].as_u64().unwrap()).unwrap(),
            stream: line["stream"].as_bool().unwrap_or(false) && !(is_json && looks_json),
            headers,
            chunks,
            now,
        }
    }

    /// What a caller of `provider` gets, and the events of a stream.
    pub(crate) fn read(&self, provider: &'static Provider) -> (Result<Answer, Failure>, Vec<ReplyEvent>) {
        let target = Target::new(provider.id, "m-test");
        if !(200..300).contains(&self.status) {
            let failure = provider.read_error(self.status, &self.headers, &self.chunks.concat(), self.now);
            return (Err(failure), Vec::new());
        }
        if self.stream {
            return self.read_stream(provider, target);
        }
        let body = self.chunks.concat();
        let finish = |word: &str| provider.meaning(word);
        let context = Context {
            target: &target,
            finish: &finish,
            prompt_estimate: 0,
            dialect: provider.upstream.dialect(),
        };
        let answer = provider
            .upstream
            .read_reply(&body)
            .map_err(|failure| self.complete(provider, failure, &body))
            .and_then(|wire| whole(&context, wire));
        (answer, Vec::new())
    }

    fn read_stream(
        &self,
        provider: &'static Provider,
        target: Target,
    ) -> (Result<Answer, Failure>, Vec<ReplyEvent>) {
        let mut reader = provider.upstream.read_stream();
        let finish = Arc::new(|word: &str| provider.meaning(word));
        let mut assembler = Assembler::new(target, finish, 0, provider.upstream.dialect());
        let (mut wire, mut out) = (Vec::new(), Vec::new());
        let mut broken = self.chunks.iter().find_map(|chunk| reader.push(chunk, &mut wire).err());
        broken = broken.or_else(|| reader.close(&mut wire).err());
        for event in wire {
            assembler.event(event, &mut out).unwrap();
        }
        let answer = match broken {
            Some(failure) => Err(self.complete(provider, failure, &[]).with_answer(assembler.partial())),
            None => assembler.finish(&mut out),
        };
        (answer, out)
    }

    fn complete(&self, provider: &Provider, failure: Failure, body: &[u8]) -> Failure {
        provider.refined(failure, &Told { headers: &self.headers, body, now: self.now })
    }
}

/// Base64 without a library: the data use nothing but the standard alphabet.
fn base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = Vec::new();
    let (mut bits, mut count) = (0_u32, 0_u32);
    for byte in text.bytes().filter(|byte| *byte != b'=') {
        let value = ALPHABET.iter().position(|letter| *letter == byte).unwrap();
        bits = (bits << 6) | u32::try_from(value).unwrap();
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push(u8::try_from((bits >> count) & 0xff).unwrap());
        }
    }
    out
}
