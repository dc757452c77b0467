//! Recorded replies of nine hosts read as what their bytes say, computed here in another way.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use mainstay_canon::{Failure, Kind, WireVectors};
use mainstay_dialects::gemini::GeminiContent;
use mainstay_dialects::openai_chat::{OpenAiChat, OpenAiEmbeddings};
use mainstay_dialects::{Embeddings, Upstream, Wanted};
use serde_json::Value;

/// Replies of a 200 that are not what was asked for: bytes of whole numbers in a text that nobody asked for
/// (Perplexity), and another service's shape under this dialect's name (Vertex).
const NOT_ASKED_FOR: [&str; 2] = ["8a6a2d67775d", "725a6bc507a6"];

/// What the recorded errors are by their dialect alone; a provider's own tables refine it.
const KINDS: [(&str, Kind); 9] = [
    ("d973bf72bf8f", Kind::Auth),
    ("e5b31fc59519", Kind::NotFound),
    ("c7f8a31e3c01", Kind::ServerError),
    ("d8dc29f191a1", Kind::InvalidRequest),
    ("40b8eee585c1", Kind::NotFound),
    ("ce117e12a36f", Kind::NotFound),
    ("abc648b6ce8a", Kind::NotFound),
    ("750db510140d", Kind::InvalidRequest),
    ("b8d1d234ffe7", Kind::NotFound),
];

fn lines(dialect: &str) -> Vec<Value> {
    let file = format!("corpus/{dialect}.jsonl.gz");
    let named = std::env::var_os("MAINSTAY_SHARED").map(PathBuf::from);
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let found = named.into_iter().chain([beside]).map(|dir| dir.join(&file)).find(|path| path.is_file());
    let Some(path) = found else {
        let required = std::env::var("MAINSTAY_REQUIRE_SHARED").is_ok_and(|value| value == "1");
        assert!(!required, "{file} is required and was not found");
        // Past the test runner's capture: a skip must not look like a pass.
        let said = format!("skipped: this test needs the shared data ({file})\n");
        let _ = std::io::Write::write_all(&mut std::io::stderr(), said.as_bytes());
        return Vec::new();
    };
    let raw = flate2::read::GzDecoder::new(std::fs::File::open(&path).unwrap());
    BufReader::new(raw).lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect()
}

/// The vectors of a body, read with nothing of the reader's.
fn plainly(body: &Value) -> Vec<Vec<f32>> {
    let entries = body.get("data").or(body.get("embeddings")).unwrap().as_array().unwrap();
    let vector = |entry: &Value| match entry.get("embedding").or(entry.get("values")).unwrap() {
        Value::String(text) => plain_floats(text),
        list => serde_json::from_value(list.clone()).unwrap(),
    };
    entries.iter().map(vector).collect()
}

fn plain_floats(text: &str) -> Vec<f32> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let value = |byte| ALPHABET.iter().position(|letter| *letter == byte).unwrap();
    let bits = text.bytes().filter(|byte| *byte != b'=').flat_map(|byte| {
        let value = value(byte);
        (0..6).rev().map(move |bit| (value >> bit) & 1)
    });
    let bits: Vec<usize> = bits.collect();
    let bytes: Vec<u8> = bits
        .chunks_exact(8)
        .map(|bits| u8::try_from(bits.iter().fold(0, |sum, bit| sum * 2 + bit)).unwrap())
        .collect();
    bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
}

fn wanted(request: &Value) -> Wanted {
    let input = request.get("input").or(request.get("requests")).unwrap_or(&Value::Null);
    let asked = ["dimensions", "output_dimension"].into_iter().find_map(|name| request[name].as_u64());
    let asked = asked.or_else(|| request["requests"][0]["outputDimensionality"].as_u64());
    Wanted {
        count: input.as_array().map_or(1, Vec::len),
        dimensions: asked.map(|count| u32::try_from(count).unwrap()),
    }
}

fn check(
    dialect: &str,
    upstream: &dyn Upstream,
    read: impl Fn(&Value, Wanted, &[u8]) -> Result<WireVectors, Failure>,
) -> usize {
    let recordings = lines(dialect);
    for recording in &recordings {
        let id = recording["id"].as_str().unwrap();
        let about = format!("{dialect} {id} {}", recording["provider"]);
        let body = recording["body"].as_str().unwrap();
        let status = u16::try_from(recording["status"].as_u64().unwrap()).unwrap();
        if status != 200 {
            let failure = upstream.read_error(status, body.as_bytes());
            let kind = KINDS.iter().find(|(known, _)| *known == id).unwrap_or_else(|| panic!("{about}")).1;
            assert_eq!(failure.kind, kind, "{about}: {failure}");
            continue;
        }
        let read = read(recording, wanted(&recording["request"]), body.as_bytes());
        if NOT_ASKED_FOR.contains(&id) {
            assert_eq!(read.unwrap_err().kind, Kind::InvalidResponse, "{about}");
            continue;
        }
        let read = read.unwrap_or_else(|failure| panic!("{about}: {failure}"));
        let whole: Value = serde_json::from_str(body).unwrap();
        assert_eq!(read.vectors, plainly(&whole), "{about}");
        let counted =
            whole.pointer("/usage/prompt_tokens").or(whole.pointer("/usageMetadata/promptTokenCount"));
        assert_eq!(read.usage.prompt, counted.and_then(Value::as_u64), "{about}");
        assert_eq!(read.model.as_deref(), whole["model"].as_str(), "{about}");
    }
    recordings.len()
}

#[test]
fn every_recording_of_openais_embeddings_reads_as_what_it_says() {
    let count = check("openai-embeddings", &OpenAiChat::STANDARD, |recording, wanted, body| {
        let base64 = recording["request"]["encoding_format"] == "base64";
        OpenAiEmbeddings { base64, ..OpenAiEmbeddings::STANDARD }.read_reply(wanted, body)
    });
    assert!(count == 0 || count == 19, "{count}");
}

#[test]
fn every_recording_of_geminis_embeddings_reads_as_what_it_says() {
    let gemini = GeminiContent::STANDARD;
    let count = check("gemini-embeddings", &gemini, |_, wanted, body| {
        gemini.embeddings().unwrap().read_reply(wanted, body)
    });
    assert!(count == 0 || count == 3, "{count}");
}
