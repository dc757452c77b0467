//! Token counts: what the provider said, put right where it contradicts itself, estimated where it is
//! missing (behaviour 3.2). Knows no prices.

use mainstay_canon::{Answer, Usage, WireUsage};

/// Whether the answer is all there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// It ended; its counts are final.
    Ended,
    /// It broke off: counts so far are running totals that lag behind the text.
    BrokenOff,
}

/// The counts of `answer`, of which everything but the counts is in place.
pub(crate) fn tally(said: &WireUsage, answer: &Answer, prompt_estimate: u64, reach: Reach) -> Usage {
    let cached = said.cached.unwrap_or(0);
    let cache_write_1h = said.cache_write_1h.unwrap_or(0);
    let cache_write = said.cache_write.unwrap_or(0).max(cache_write_1h);
    let reasoning = said.reasoning.unwrap_or(0);
    let prompt = prompt(said.prompt, cached.saturating_add(cache_write), prompt_estimate);
    let completion = completion(said.completion, answer, reach);
    Usage {
        prompt: prompt.0,
        // Some hosts count a few more hidden tokens than tokens (Doubleword, MiniMax; 2026-08).
        completion: completion.0.max(reasoning),
        cached,
        cache_write,
        cache_write_1h,
        reasoning,
        estimated: prompt.1 || completion.1,
    }
}

/// All input tokens, and whether that is our estimate.
fn prompt(said: Option<u64>, through_cache: u64, estimate: u64) -> (u64, bool) {
    match said {
        // A prompt smaller than its own cached part leaves that part out (Grok on Azure says 161 cached of
        // a prompt of 7; 2026-08).
        Some(prompt) if prompt < through_cache => (prompt.saturating_add(through_cache), false),
        // No prompt is empty: a zero is a count that was left out.
        Some(0) | None => (estimate.max(through_cache), true),
        Some(prompt) => (prompt, false),
    }
}

/// All output tokens, and whether that is our estimate.
fn completion(said: Option<u64>, answer: &Answer, reach: Reach) -> (u64, bool) {
    match (said, reach) {
        (Some(said), Reach::Ended) if said > 0 => (said, false),
        (Some(said), Reach::Ended) => {
            let estimate = estimate_answer(answer);
            (said.max(estimate), estimate > 0)
        }
        (said, Reach::BrokenOff) => (said.unwrap_or(0).max(estimate_answer(answer)), true),
        (None, Reach::Ended) => (estimate_answer(answer), true),
    }
}

/// An estimate of an answer's output, in tokens.
fn estimate_answer(answer: &Answer) -> u64 {
    let calls = answer.tool_calls.iter().flat_map(|call| [call.name.as_str(), call.arguments.as_str()]);
    [Some(answer.text.as_str()), answer.reasoning_content.as_deref(), answer.refusal.as_deref()]
        .into_iter()
        .flatten()
        .chain(calls)
        .map(estimate_tokens)
        .fold(0, u64::saturating_add)
}

/// An estimate of a text's length, in tokens, for figures that are shown or that a provider left out.
///
/// Four ASCII characters make a token, two letters of another alphabet, and one Chinese, Japanese or
/// Korean character or emoji makes one of its own; rounded up. It is no upper bound, so it must not
/// guard a cap.
///
/// ```
/// assert_eq!(mainstay_normalize::estimate_tokens("four score"), 3);
/// assert_eq!(mainstay_normalize::estimate_tokens("杭州"), 2);
/// assert_eq!(mainstay_normalize::estimate_tokens(""), 0);
/// ```
pub fn estimate_tokens(text: &str) -> u64 {
    let (mut ascii, mut alphabetic, mut wide) = (0_u64, 0_u64, 0_u64);
    for character in text.chars() {
        match u32::from(character) {
            0..0x80 => ascii += 1,
            0x80..0x1100 | 0x1200..0x2e80 => alphabetic += 1,
            // Hangul, then everything from the CJK radicals on, emoji included.
            _ => wide += 1,
        }
    }
    ascii.div_ceil(4) + alphabetic.div_ceil(2) + wide
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str) -> Answer {
        Answer { text: text.to_owned(), ..Answer::default() }
    }

    #[test]
    fn what_the_provider_counted_is_kept() {
        let said =
            WireUsage { prompt: Some(20), completion: Some(6), cached: Some(8), ..WireUsage::default() };
        let usage = tally(&said, &answer("Hello"), 999, Reach::Ended);
        assert_eq!(usage, Usage { prompt: 20, completion: 6, cached: 8, ..Usage::default() });
    }

    #[test]
    fn what_it_left_out_is_estimated_and_flagged() {
        let usage = tally(&WireUsage::default(), &answer("Hello, world"), 40, Reach::Ended);
        assert_eq!(usage, Usage { prompt: 40, completion: 3, estimated: true, ..Usage::default() });
    }

    #[test]
    fn a_zero_is_believed_only_where_nothing_came() {
        let said = WireUsage { prompt: Some(31), completion: Some(0), ..WireUsage::default() };
        let nothing = tally(&said, &answer(""), 40, Reach::Ended);
        assert_eq!((nothing.completion, nothing.estimated), (0, false));
        let something = tally(&said, &answer("Hello, world"), 40, Reach::Ended);
        assert_eq!((something.completion, something.estimated), (3, true));
    }

    #[test]
    fn a_prompt_smaller_than_its_cached_part_is_raised() {
        let said =
            WireUsage { prompt: Some(7), completion: Some(8), cached: Some(161), ..WireUsage::default() };
        assert_eq!(tally(&said, &answer("x"), 0, Reach::Ended).prompt, 168);
    }

    #[test]
    fn the_hidden_part_is_never_more_than_the_whole() {
        let said = WireUsage {
            prompt: Some(1),
            completion: Some(128),
            reasoning: Some(130),
            ..WireUsage::default()
        };
        assert_eq!(tally(&said, &answer("x"), 0, Reach::Ended).completion, 130);
    }

    #[test]
    fn a_broken_answer_counts_what_came_not_what_was_said_early() {
        let said = WireUsage { prompt: Some(25), completion: Some(1), ..WireUsage::default() };
        let usage = tally(&said, &answer(&"word ".repeat(40)), 0, Reach::BrokenOff);
        assert_eq!((usage.prompt, usage.completion, usage.estimated), (25, 50, true));
    }

    #[test]
    fn absurd_counts_do_not_overflow() {
        let said = WireUsage {
            prompt: Some(3),
            completion: Some(u64::MAX),
            cached: Some(u64::MAX),
            cache_write: Some(u64::MAX),
            reasoning: Some(u64::MAX),
            ..WireUsage::default()
        };
        assert_eq!(tally(&said, &answer("x"), u64::MAX, Reach::Ended).prompt, u64::MAX);
    }
}
