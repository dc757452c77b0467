//! Moving in: another gateway's file becomes ours.

use mainstay_canon::Moment;
use mainstay_config::load;
use mainstay_moving::{MoveError, from_litellm};

use crate::cut::text;

/// 30 November 2026.
const NOW: Moment = Moment::from_secs(1_795_996_800);

/// A file of the LiteLLM proxy: the same every time, and whatever stands in it, what is written is TOML that our own
/// loader reads or complains of by the line.
pub fn litellm(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let read = || from_litellm(text, &|_| Some("http://127.0.0.1:9000/v1".to_owned()));
    match read() {
        Ok(moved) => {
            assert_eq!(read().as_ref(), Ok(&moved), "the same file is moved the same");
            let table = toml::from_str::<toml::Table>(&moved.toml_text);
            assert!(table.is_ok(), "{table:?} of {}", moved.toml_text);
            assert!(moved.variables.iter().all(|name| !name.is_empty()), "{:?}", moved.variables);
            // What this machine has of files is nobody's business here.
            if !["/dev", "/proc", "/sys", "/run", "~"].iter().any(|place| text.contains(place)) {
                let env = |_: &str| Some("sk-test-4f9a8b7c6d5e4f3a2b1c".to_owned());
                if let Err(problems) = load(&moved.toml_text, "nowhere/mainstay.toml", &env, NOW) {
                    let told = problems.errors().all(|problem| problem.line.is_some());
                    assert!(told, "{problems} of {}", moved.toml_text);
                }
            }
        }
        Err(error) => {
            let bound = if let MoveError::NothingLeft(_) = error { 4096 + 4 * text.len() } else { 4096 };
            assert!(error.to_string().len() <= bound, "{} bytes: {error}", error.to_string().len());
        }
    }
}
