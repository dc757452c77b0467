//! A provider that does not exist joins the suite with one file and one line.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use std::path::Path;

use mainstay_canon::{ChatRequest, Headers, Kind, RawJson, Tool, ToolChoice};
use mainstay_conformance::heard::{MODEL, Speaker};
use mainstay_conformance::provider_rows::checks;
use mainstay_conformance::requests::write;
use mainstay_providers::{ALL, Provider};

#[path = "imaginary/moonbeam.rs"]
mod moonbeam;

/// The table: the line is the last one.
fn table() -> Vec<&'static Provider> {
    let mut table = ALL.to_vec();
    table.push(&moonbeam::PROVIDER);
    table
}

#[test]
fn an_imaginary_provider_does_what_every_provider_must() {
    let provider = *table().last().unwrap();
    assert_eq!(provider.id, "moonbeam");
    for (what, faults) in checks(provider) {
        assert!(faults.is_empty(), "{what}:\n{}", faults.join("\n"));
    }
}

#[test]
fn its_own_ways_are_followed() {
    let moonbeam = Speaker::usual(&moonbeam::PROVIDER);
    let schema = RawJson::parse("{}").unwrap();
    let mut request = ChatRequest::user("Shine.").tool(Tool::function("tide", "", schema));
    request.seed = Some(7);
    request.tool_choice = Some(ToolChoice::Required);
    request.max_tokens = Some(70);
    let out = write(moonbeam, MODEL, &(moonbeam.provider.accepts)(MODEL), &request).unwrap();
    let body = String::from_utf8(out.body).unwrap();
    assert_eq!(out.path, "/shine");
    for said in [r#""moon_seed":7"#, r#""tool_choice":"must""#, r#""max_completion_tokens":70"#] {
        assert!(body.contains(said), "{said} in {body}");
    }
    let failure = moonbeam.read_error(400, &Headers::new(), br#"{"error":{"message":"the tide is high"}}"#);
    assert_eq!(failure.kind, Kind::Overloaded);
}

#[test]
fn it_needs_nothing_but_its_file_and_its_line() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut mentions = Vec::new();
    search(&crates, &mut mentions);
    let known = ["conformance/tests/imaginary.rs", "conformance/tests/imaginary/moonbeam.rs"];
    let mut found: Vec<String> = mentions
        .iter()
        .map(|path| path.strip_prefix(&crates).unwrap().to_str().unwrap().replace('\\', "/"))
        .collect();
    found.sort();
    assert_eq!(found, known);
    let files = std::fs::read_dir(crates.join("conformance/tests/imaginary")).unwrap().count();
    assert_eq!(files, 1, "one file");
    let lines = include_str!("imaginary.rs").lines().filter(|line| line.contains("table.push("));
    // The test's own line that counts them is the second.
    assert_eq!(lines.count(), 2, "one line");
}

/// The Rust files below a folder that know of the provider.
fn search(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            search(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs")
            && std::fs::read_to_string(&path).is_ok_and(|text| text.to_lowercase().contains("moonbeam"))
        {
            found.push(path);
        }
    }
}
