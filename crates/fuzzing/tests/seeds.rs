//! Every target over its seeds, over what a few changes make of them, and over the recordings where these are at
//! hand. What a fuzzer once found stands among the seeds, so that it is tried here with every `cargo test`.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of tests")]

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use fastrand::Rng;
use mainstay_fuzzing::{TARGETS, Target};
use mainstay_testkit::{Recording, bug_cases, corpus, quality_samples};

/// How many changed seeds each target is given.
const CHANGED: usize = 1000;

/// The same for the targets that read a whole configuration each time.
const CHANGED_CONFIG: usize = 150;

/// Longest changed seed, in bytes.
const LONGEST: usize = 8192;

fn fuzz_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

/// The seeds of a target, by file name.
fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = fuzz_folder().join("seeds").join(target);
    let mut seeds: Vec<(String, Vec<u8>)> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap()))
        .collect();
    seeds.sort();
    seeds
}

/// Runs a target; a broken law names the input, ready to become a seed.
fn run(name: &str, target: Target, from: &str, data: &[u8]) {
    let outcome = catch_unwind(AssertUnwindSafe(|| target(data)));
    assert!(outcome.is_ok(), "{name} breaks on {from}:\n{}", data.escape_ascii());
}

fn check(name: &str) {
    let (_, target) = TARGETS.into_iter().find(|(known, _)| *known == name).unwrap();
    let seeds = seeds(name);
    assert!(!seeds.is_empty(), "{name} has no seed");
    run(name, target, "nothing", b"");
    for (from, data) in &seeds {
        run(name, target, from, data);
    }
    let mut rng = Rng::with_seed(1);
    let changed = if ["config", "quantity"].contains(&name) { CHANGED_CONFIG } else { CHANGED };
    let changed = changed * factor();
    for _ in 0..changed {
        let (from, data) = &seeds[rng.usize(..seeds.len())];
        let (_, other) = &seeds[rng.usize(..seeds.len())];
        let mut data = data.clone();
        for _ in 0..=rng.usize(..3) {
            change(&mut data, other, &mut rng);
        }
        data.truncate(LONGEST);
        run(name, target, &format!("{from}, changed"), &data);
    }
}

/// How many times as many, for an afternoon's search without a fuzzer.
fn factor() -> usize {
    std::env::var("MAINSTAY_FUZZ_FACTOR").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// Words that readers stumble over.
const ODD: [&str; 20] = [
    "",
    "\n",
    "\r",
    "\n\n",
    "\u{feff}",
    "\0",
    "null",
    "{}",
    "[]",
    "\"\"",
    "-1",
    "1e999",
    "0.5",
    "\\ud800",
    "é",
    "🙂",
    "18446744073709551616",
    "<think>",
    ":",
    "data: ",
];

/// One change: a cut, a flipped byte, a doubled or moved piece, a piece of another seed, an odd word.
fn change(data: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    let (a, b) = (rng.usize(..=data.len()), rng.usize(..=data.len()));
    let (from, to) = (a.min(b), a.max(b).min(a.min(b) + 64));
    match rng.u8(..8) {
        0 => data.truncate(a),
        1 => drop(data.drain(from..to)),
        2 | 3 if !data.is_empty() => {
            let at = a.min(data.len() - 1);
            data[at] ^= 1 << rng.u8(..8);
        }
        4 => {
            let piece = data[from..to].repeat(1 + rng.usize(..8));
            data.splice(b..b, piece);
        }
        5 => {
            let piece = &other[rng.usize(..=other.len())..];
            let piece = &piece[..piece.len().min(1 + rng.usize(..200))];
            data.splice(from..to, piece.iter().copied());
        }
        6 => {
            data.splice(from..from + (to - from).min(8), ODD[rng.usize(..ODD.len())].bytes());
        }
        _ => {
            data.splice(a..a, ODD[rng.usize(..ODD.len())].bytes());
        }
    }
}

macro_rules! targets {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            check(stringify!($name));
        })*

        const TESTED: &[&str] = &[$(stringify!($name)),*];
    };
}

targets! {
    sse sse_differential ndjson
    stream_openai_chat stream_openai_responses stream_anthropic stream_gemini stream_ollama
    reply_openai_chat reply_openai_responses reply_anthropic reply_gemini reply_ollama
    error_openai_chat error_openai_responses error_anthropic error_gemini error_ollama hint
    request_chat request_responses request_anthropic
    embed_request embed_reply_openai embed_reply_gemini embed_reply_ollama token_count litellm
    thinking judge sample schema config quantity catalogue when money names journal
}

#[test]
fn every_target_has_a_test_a_binary_and_seeds() {
    let table: BTreeSet<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
    assert_eq!(TESTED.iter().copied().collect::<BTreeSet<_>>(), table);
    let manifest = std::fs::read_to_string(fuzz_folder().join("Cargo.toml")).unwrap();
    for name in &table {
        let file = format!("fuzz_targets/{name}.rs");
        assert!(manifest.contains(&format!("name = \"{name}\"\npath = \"{file}\"")), "{name}");
        let text = std::fs::read_to_string(fuzz_folder().join(&file)).unwrap();
        assert!(text.contains(&format!("mainstay_fuzzing::{name}(data)")), "{file}");
    }
    assert_eq!(manifest.matches("[[bin]]").count(), table.len());
    let folders = std::fs::read_dir(fuzz_folder().join("seeds")).unwrap();
    let folders: BTreeSet<String> =
        folders.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    assert_eq!(folders, table.iter().map(ToString::to_string).collect());
}

/// The recordings of a dialect, each given to the target of its kind.
fn recorded(file: &str, dialect: &str) {
    let target = |kind: &str| {
        let name = format!("{kind}_{dialect}");
        TARGETS.into_iter().find(|(known, _)| *known == name).unwrap()
    };
    for Recording { id, stream, status, body, .. } in corpus(file).unwrap() {
        let Some(body) = body else { continue };
        if status >= 300 {
            let (name, target) = target("error");
            run(name, target, &id, format!("{status}\n\n{body}").as_bytes());
        } else {
            let (name, target) = target(if stream { "stream" } else { "reply" });
            run(name, target, &id, body.as_bytes());
        }
    }
}

#[test]
fn recordings_of_chat_completions() {
    recorded("openai-chat", "openai_chat");
    recorded("mistral", "openai_chat");
}

#[test]
fn recordings_of_responses() {
    recorded("openai-responses", "openai_responses");
}

#[test]
fn recordings_of_messages() {
    recorded("anthropic-messages", "anthropic");
}

#[test]
fn recordings_of_gemini() {
    recorded("gemini", "gemini");
}

#[test]
fn recordings_of_ollama() {
    recorded("ollama", "ollama");
}

#[test]
fn cases_from_the_field_whatever_their_dialect() {
    for case in bug_cases().unwrap() {
        let body = case["body"].as_str().unwrap_or_default();
        let id = case["id"].as_str().unwrap_or_default();
        for (name, target) in TARGETS.into_iter().filter(|(name, _)| {
            ["sse", "ndjson", "stream", "reply"].iter().any(|kind| name.starts_with(kind))
        }) {
            run(name, target, id, body.as_bytes());
        }
    }
}

#[test]
fn labelled_answers() {
    // A sample: all of them are judged where the judge lives.
    for sample in quality_samples().unwrap().into_iter().step_by(16) {
        let word = |name: &str| sample[name].as_str().unwrap_or_default().to_owned();
        let data = format!("{}\n---\n{}", word("prompt"), word("response"));
        run("judge", mainstay_fuzzing::judge, &word("id"), data.as_bytes());
    }
}
