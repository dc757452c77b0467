//! The labelled answers, for tests: found beside the workspace, or the test is skipped aloud.

use std::io::Read;
use std::path::PathBuf;

pub(crate) struct Labelled {
    pub(crate) id: String,
    pub(crate) source: String,
    pub(crate) prompt: String,
    pub(crate) response: String,
    pub(crate) finish: String,
    pub(crate) tokens: u64,
    pub(crate) tool_calls: u64,
    pub(crate) expected: String,
    pub(crate) subtype: String,
    pub(crate) method: String,
    pub(crate) lang: String,
}

/// A file of the shared test data. `None` when it is not there, which fails where
/// `MAINSTAY_REQUIRE_SHARED=1`.
pub(crate) fn shared(name: &str) -> Option<Vec<u8>> {
    let root = std::env::var_os("MAINSTAY_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let Ok(bytes) = std::fs::read(root.join(name)) else {
        assert!(std::env::var("MAINSTAY_REQUIRE_SHARED").as_deref() != Ok("1"), "{name} is missing");
        // Past the test runner's capture: a skip must not look like a pass.
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            format!("skipped: this test needs the shared data {name}\n").as_bytes(),
        );
        return None;
    };
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Some(bytes);
    }
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(bytes.as_slice()).read_to_end(&mut plain).unwrap();
    Some(plain)
}

/// All labelled answers.
pub(crate) fn labelled() -> Option<Vec<Labelled>> {
    let bytes = shared("quality/dev.jsonl.gz")?;
    let text = String::from_utf8(bytes).unwrap();
    Some(text.lines().map(read).collect())
}

fn read(line: &str) -> Labelled {
    let row: serde_json::Value = serde_json::from_str(line).unwrap();
    let word = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let number = |name: &str| row[name].as_u64().unwrap_or_default();
    Labelled {
        id: word("id"),
        source: word("source").split('/').next().unwrap_or_default().to_owned(),
        prompt: word("prompt"),
        response: word("response"),
        finish: word("finish_reason"),
        tokens: number("completion_tokens"),
        tool_calls: number("tool_calls"),
        expected: word("expected"),
        subtype: word("subtype"),
        method: word("label_method"),
        lang: word("lang"),
    }
}
