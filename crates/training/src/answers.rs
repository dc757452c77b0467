//! The labelled answers: where they are, and in which of five folds each belongs.

use std::io::Read;
use std::path::{Path, PathBuf};

use mainstay_quality::model;
use mainstay_quality::score::{Sample, SampleError};
use thiserror::Error;

/// How many folds there are.
pub const FOLDS: u64 = 5;

/// The labelled answers cannot be read.
#[derive(Debug, Error)]
pub enum AnswersError {
    /// A file cannot be read.
    #[error("{path}: {source}")]
    File {
        /// Which.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// A line is no labelled answer.
    #[error("{path}: line {line}: {source}")]
    Line {
        /// Which file.
        path: String,
        /// Which line, from 1.
        line: usize,
        /// Why.
        source: SampleError,
    },
}

/// A labelled answer with its signals.
#[derive(Clone, Debug)]
pub struct Labelled {
    /// The answer.
    pub sample: Sample,
    /// Which fold it belongs to: by its prompt, so that answers to one prompt stay together.
    pub fold: u64,
    /// Its signals; empty where it shows nothing.
    pub signals: Vec<u32>,
    /// One of our own hard cases.
    pub hard: bool,
}

impl Labelled {
    fn of(sample: Sample, hard: bool) -> Self {
        let key = if sample.prompt.is_empty() { &sample.id } else { &sample.prompt };
        let signals = if sample.tool_calls == 0 {
            model::signals(&sample.response, &sample.prompt)
        } else {
            Vec::new()
        };
        Self { fold: hash(key) % FOLDS, signals, sample, hard }
    }

    /// Whether a model can learn from it: it shows text, and it is clearly a refusal or clearly none.
    pub fn teaches(&self) -> bool {
        !self.signals.is_empty() && matches!(self.sample.expected.as_str(), "ok" | "refusal")
    }

    /// Whether it is a refusal.
    pub fn is_refusal(&self) -> bool {
        self.sample.expected == "refusal"
    }
}

/// A well-spread number of a text, the same everywhere.
pub fn hash(text: &str) -> u64 {
    let fnv = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    (fnv ^ fnv >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
}

/// Where the labelled answers lie: beside the workspace, or where `MAINSTAY_SHARED` says.
pub fn shared() -> PathBuf {
    std::env::var_os("MAINSTAY_SHARED").map_or_else(|| workspace().join("../shared"), PathBuf::from)
}

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The labelled answers and our hard cases, in the order of their names.
///
/// # Errors
///
/// [`AnswersError`] where a file is missing or a line is none.
pub fn load() -> Result<Vec<Labelled>, AnswersError> {
    let dev = read(&shared().join("quality/dev.jsonl.gz"))?;
    let hard = read(&workspace().join("crates/quality/tests/data/hard_cases.jsonl"))?;
    let mut all: Vec<Labelled> = dev.into_iter().map(|sample| Labelled::of(sample, false)).collect();
    all.extend(hard.into_iter().map(|sample| Labelled::of(sample, true)));
    all.sort_by(|a, b| a.sample.id.cmp(&b.sample.id));
    Ok(all)
}

/// The labelled answers of one file, packed or not.
///
/// # Errors
///
/// [`AnswersError`] where the file is missing or a line is none.
pub fn read(path: &Path) -> Result<Vec<Sample>, AnswersError> {
    let name = path.display().to_string();
    let text = text(path).map_err(|source| AnswersError::File { path: name.clone(), source })?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            Sample::read(line).map_err(|source| AnswersError::Line {
                path: name.clone(),
                line: index + 1,
                source,
            })
        })
        .collect()
}

fn text(path: &Path) -> std::io::Result<String> {
    let bytes = std::fs::read(path)?;
    let mut text = String::new();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text)?;
    } else {
        bytes.as_slice().read_to_string(&mut text)?;
    }
    Ok(text)
}
