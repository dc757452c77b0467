//! The committed page says what the code does, and nothing gets lost.
//!
//! `UPDATE_DOCS=1` writes the page anew.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use mainstay_conformance::translation::{lost, page};

#[test]
fn what_a_caller_asks_is_sent_or_noted_or_refused_and_never_lost() {
    let lost = lost();
    assert!(lost.is_empty(), "{} lost:\n{}", lost.len(), lost.join("\n"));
}

#[test]
fn the_committed_page_says_what_the_code_does() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/translation.md");
    let page = page();
    if std::env::var("UPDATE_DOCS").is_ok_and(|value| value == "1") {
        std::fs::write(&path, &page).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = page.lines().zip(committed.lines()).find(|(now, then)| now != then);
    assert!(
        page == committed,
        "docs/translation.md is not what the code does; `just translation` writes it anew. First difference: {differs:?}"
    );
}
