//! Recorded replies, cases from the field and labelled answers, where they are at hand.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use flate2::read::GzDecoder;
use serde::Deserialize;
use serde_json::Value;

/// Where the shared data is: `$MAINSTAY_SHARED`, else beside the workspace. `None` when it is absent;
/// with `MAINSTAY_REQUIRE_SHARED=1` the absence is an error instead.
///
/// # Errors
///
/// When the data is required and not there.
pub fn shared_dir() -> Result<Option<PathBuf>, String> {
    let named = std::env::var_os("MAINSTAY_SHARED").map(PathBuf::from);
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let found = named.into_iter().chain([beside]).find(|path| path.join("cases").is_dir());
    match found {
        Some(path) => Ok(Some(path)),
        None if std::env::var("MAINSTAY_REQUIRE_SHARED").is_ok_and(|value| value == "1") => {
            Err("the shared data is required (MAINSTAY_REQUIRE_SHARED=1) and was not found".into())
        }
        None => Ok(None),
    }
}

/// One recorded exchange. Fields as in the recordings' own description.
#[derive(Clone, Debug, Deserialize)]
pub struct Recording {
    /// Stable id.
    pub id: String,
    /// Who answered.
    pub provider: String,
    /// Whether the body is a stream.
    pub stream: bool,
    /// HTTP status.
    pub status: u16,
    /// The body as text.
    pub body: Option<String>,
    /// What the body says.
    pub expected: Option<Value>,
    /// The whole entry.
    #[serde(skip)]
    pub whole: Value,
}

/// All recordings of one dialect file, such as `openai-chat`. Empty, and said aloud, where the data is absent.
///
/// # Errors
///
/// When the data is required and not there, or cannot be read.
pub fn corpus(dialect: &str) -> Result<Vec<Recording>, String> {
    read_lines(&format!("corpus/{dialect}.jsonl.gz"))?
        .into_iter()
        .map(|whole| {
            let mut recording: Recording =
                serde_json::from_value(whole.clone()).map_err(|error| error.to_string())?;
            recording.whole = whole;
            Ok(recording)
        })
        .collect()
}

/// All cases from the field. Empty, and said aloud, where the data is absent.
///
/// # Errors
///
/// As [`corpus`].
pub fn bug_cases() -> Result<Vec<Value>, String> {
    read_lines("cases/bug-cases.jsonl")
}

/// The labelled answers. Empty, and said aloud, where the data is absent.
///
/// # Errors
///
/// As [`corpus`].
pub fn quality_samples() -> Result<Vec<Value>, String> {
    read_lines("quality/dev.jsonl.gz")
}

fn read_lines(name: &str) -> Result<Vec<Value>, String> {
    let Some(dir) = shared_dir()? else {
        // Past the test runner's capture: a skip must not look like a pass.
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            format!("skipped: {name} needs the shared data, which was not found\n").as_bytes(),
        );
        return Ok(Vec::new());
    };
    let path = dir.join(name);
    let file = std::fs::File::open(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let reader: Box<dyn BufRead> = if path.extension().is_some_and(|ending| ending == "gz") {
        Box::new(BufReader::new(GzDecoder::new(file)))
    } else {
        Box::new(BufReader::new(file))
    };
    reader
        .lines()
        .map(|line| {
            let line = line.map_err(|error| error.to_string())?;
            serde_json::from_str(&line).map_err(|error| error.to_string())
        })
        .collect()
}
