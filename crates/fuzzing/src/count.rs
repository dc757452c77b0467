//! Counts of a prompt's tokens.

use mainstay_dialects::anthropic::{AnthropicMessages, Face};

/// A count, as Anthropic says it: what is handed on is what was read.
pub fn token_count(data: &[u8]) {
    let upstream = AnthropicMessages::STANDARD;
    match upstream.read_token_count(data) {
        Ok(count) => {
            let told = Face.write_token_count(count);
            assert_eq!(
                upstream.read_token_count(&told).ok(),
                Some(count),
                "{}",
                String::from_utf8_lossy(&told)
            );
        }
        Err(failure) => assert!(failure.message.len() <= 4096, "{failure}"),
    }
}
