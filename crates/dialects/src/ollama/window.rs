//! How large a context window a request needs.
//!
//! Counts bytes; knows no tokenizer and no model. Why half a token a byte: current vocabularies spend a token on
//! three to four bytes of prose, on some three of code and on two to three of Chinese, Japanese or Korean. What
//! takes more, such as digits without order, is refused by the server and not cut, since it is told not to.

use super::Ollama;

/// Bytes of text for each token that is set aside.
const BYTES_PER_TOKEN: u64 = 2;
/// Role marks and separators of one message or tool, in tokens.
const PIECE_TOKENS: u64 = 16;

/// What a prompt is made of, as far as its size goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Size {
    /// Bytes of text: messages, calls, tools, schema.
    pub(super) bytes: usize,
    /// Images.
    pub(super) images: usize,
    /// Messages and tools.
    pub(super) pieces: usize,
}

impl Size {
    /// Adds a text.
    pub(super) fn text(&mut self, text: &str) {
        self.bytes = self.bytes.saturating_add(text.len());
    }
}

/// The window to ask for, in tokens.
pub(super) fn window(style: &Ollama, size: Size, max_tokens: Option<u32>) -> u32 {
    let answer = max_tokens.unwrap_or(style.answer_room).min(style.most_answer_room);
    let needed = [
        wide(size.bytes).div_ceil(BYTES_PER_TOKEN),
        wide(size.images).saturating_mul(u64::from(style.image_tokens)),
        wide(size.pieces).saturating_mul(PIECE_TOKENS),
        u64::from(answer),
    ]
    .into_iter()
    .fold(0, u64::saturating_add);
    let rounded = needed.checked_next_power_of_two().unwrap_or(u64::MAX);
    u32::try_from(rounded).unwrap_or(u32::MAX).max(style.least_window).min(style.largest_window)
}

fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: usize, images: usize, max_tokens: Option<u32>) -> u32 {
        window(&Ollama::STANDARD, Size { bytes, images, pieces: 1 }, max_tokens)
    }

    #[test]
    fn an_ordinary_question_gets_the_least_window() {
        assert_eq!(of(200, 0, None), 8192);
        assert_eq!(of(0, 0, Some(1)), 8192);
    }

    #[test]
    fn the_window_holds_the_prompt_and_the_answer_and_grows_in_steps() {
        assert_eq!(of(20_000, 0, Some(4000)), 16_384);
        assert_eq!(of(24_000, 0, Some(4000)), 16_384, "the next turn loads nothing anew");
        assert_eq!(of(60_000, 0, Some(1000)), 32_768);
        assert_eq!(of(100, 3, Some(100)), 16_384);
    }

    #[test]
    fn a_generous_limit_does_not_fill_the_memory() {
        assert_eq!(of(200, 0, Some(128_000)), 32_768);
    }

    #[test]
    fn no_prompt_is_too_large_to_be_counted() {
        assert_eq!(of(usize::MAX, usize::MAX, Some(u32::MAX)), 1 << 20);
    }
}
