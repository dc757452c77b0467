//! Whether an answer is only the beginning of one.
//!
//! Few tokens alone prove nothing: `42` and `Yes` are answers. What proves something is a beginning that
//! promises more ("Sure", "Here is", "The") where more was asked for.

use mainstay_canon::{Expect, Usage};

use crate::ask::Ask;
use crate::demand::Demand;
use crate::options::Profile;
use crate::plain::Plain;
use crate::words::openings::{ASSENT, DANGLING};

/// Characters below which an answer to `expect = "long"` is suspicious.
pub(crate) const LEAST_LONG: usize = 200;
/// Characters below which an answer to a prompt that asks for an essay is suspicious.
const LEAST_ESSAY: usize = 24;
/// Completion tokens below which the strict profile is suspicious.
const LEAST_STRICT: u64 = 4;
/// Bytes of an answer that may be an opening; longer ones are answers.
const LONGEST_OPENING: usize = 160;

/// Bytes of a line that announces something and ends.
const LONGEST_ANNOUNCEMENT: usize = 100;

/// Why an answer is suspiciously short.
pub(crate) struct Short {
    /// The rule.
    pub(crate) rule: &'static str,
    /// A sentence.
    pub(crate) detail: String,
}

/// Looks for a stray opening. `text` is what a reader would see.
pub(crate) fn find(text: &str, ask: &Ask<'_>, usage: &Usage, profile: Profile) -> Option<Short> {
    if profile == Profile::Strict {
        let tokens = visible_tokens(text, usage);
        if tokens < LEAST_STRICT {
            let detail = format!("{tokens} completion tokens, fewer than {LEAST_STRICT}");
            return Some(Short { rule: "short.tokens", detail });
        }
    }
    if ask.expect == Expect::Long && fewer_than(text, LEAST_LONG) {
        let detail = format!("fewer than {LEAST_LONG} characters where a long answer was expected");
        return Some(Short { rule: "short.expected_long", detail });
    }
    if text.len() > LONGEST_OPENING || ask.expect == Expect::Short {
        return None;
    }
    opening(text, &Demand::of(ask))
}

/// Tokens of the answer itself; a quarter of its bytes where the provider left them out.
fn visible_tokens(text: &str, usage: &Usage) -> u64 {
    let counted = usage.completion.saturating_sub(usage.reasoning);
    if counted == 0 || usage.estimated { text.len().div_ceil(4) as u64 } else { counted }
}

/// Characters are weighed by script: one of a syllabary says as much as two or three letters.
fn fewer_than(text: &str, least: usize) -> bool {
    let mut weight = 0;
    for c in text.chars() {
        weight += if c >= '\u{0e00}' { 3 } else { 1 };
        if weight >= least {
            return false;
        }
    }
    true
}

fn opening(text: &str, demand: &Demand) -> Option<Short> {
    let window = Plain::<LONGEST_OPENING>::of(text);
    let plain = window.text();
    let bare =
        plain.trim_matches([' ', '.', '!', ',', ':', ';', '-', '…', '"', '。', '，', '！', '：', '、']);
    let line = text.trim();
    let announces = line.len() <= LONGEST_ANNOUNCEMENT
        && !line.contains('\n')
        && line.ends_with([':', '：'])
        && line.contains(char::is_alphabetic);
    let stray = |detail: &str| Some(Short { rule: "short.opening", detail: detail.to_owned() });
    let dangles = DANGLING.split('|').any(|opening| opening == bare);
    let promises = announces || (dangles && bare.contains(' '));
    if promises && !demand.is_unknown() && !demand.short() && !demand.media() {
        return stray("the answer ends where it announces something");
    }
    if (dangles || ASSENT.split('|').any(|opening| opening == bare)) && demand.more() {
        return stray("only an opening, where more was asked for");
    }
    let marker = plain.trim_end_matches('.').chars().all(|c| c.is_ascii_digit()) && plain.ends_with('.');
    if marker && demand.long() {
        return stray("only the number of a first item");
    }
    if demand.long() && fewer_than(text, LEAST_ESSAY) {
        return Some(Short {
            rule: "short.for_long",
            detail: format!("fewer than {LEAST_ESSAY} characters, where a long text was asked for"),
        });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_canon::ChatRequest;

    fn rule(prompt: &str, text: &str) -> Option<&'static str> {
        find(text, &Ask::of(&ChatRequest::user(prompt)), &Usage::default(), Profile::Balanced)
            .map(|short| short.rule)
    }

    #[test]
    fn short_answers_that_are_complete_are_fine() {
        for (prompt, text) in [
            ("6*7=?", "42"),
            ("Is it true?", "Yes"),
            ("Which door?", "B"),
            ("Is the sky blue? true/false", "true"),
            ("Can you help me?", "Sure"),
            ("Ready?", "OK"),
            ("Language code?", "de"),
            ("¿8 es primo?", "No"),
            ("8は素数？", "いいえ"),
            ("React with one emoji", "👍"),
            ("Classify the tweet", "Positive"),
            ("", "The"),
            ("", "Here is the list:"),
            ("Draw me a boat", "Here is a boat on a pond:"),
            ("Write a title for this story", "Moonlit Harbour"),
            ("Give me the list", "The list:\n1. a\n2. b"),
        ] {
            assert_eq!(rule(prompt, text), None, "{prompt} {text}");
        }
    }

    #[test]
    fn a_stray_opening_is_suspicious_where_more_was_asked_for() {
        for (prompt, text) in [
            ("Write a 300 word essay on bees", "Sure"),
            ("Write a 300 word essay on bees", "Of course"),
            ("Write a 300 word essay on bees", "Here"),
            ("Write a 300 word essay on bees", "1."),
            ("Write a 300 word essay on bees", "Bees."),
            ("Explain rain", "The"),
            ("Explain rain", "Sure! Here is"),
            ("Which rivers flow through Rome?", "Here is the list:"),
            ("Erklär mir Regen", "Natürlich!"),
            ("请写一篇文章", "好的"),
            ("비가 왜 오는지 설명해줘", "물론입니다"),
        ] {
            assert!(rule(prompt, text).is_some(), "{prompt} {text}");
        }
    }

    #[test]
    fn a_request_can_state_how_long() {
        let long = ChatRequest::user("?").expect(Expect::Long);
        let short = ChatRequest::user("Write an essay").expect(Expect::Short);
        let find = |request: &ChatRequest, text: &str, profile| {
            find(text, &Ask::of(request), &Usage::default(), profile).map(|short| short.rule)
        };
        assert_eq!(find(&long, "Forty-two is the answer.", Profile::Balanced), Some("short.expected_long"));
        assert_eq!(find(&long, &"word ".repeat(60), Profile::Balanced), None);
        assert_eq!(find(&long, &"文字".repeat(60), Profile::Balanced), None);
        assert_eq!(find(&short, "Sure", Profile::Balanced), None);
    }

    #[test]
    fn the_strict_profile_counts_tokens() {
        let ask = ChatRequest::user("6*7=?");
        let strict = |text: &str, completion, reasoning| {
            let usage = Usage { completion, reasoning, ..Usage::default() };
            find(text, &Ask::of(&ask), &usage, Profile::Strict).is_some()
        };
        assert!(strict("42", 1, 0));
        assert!(strict("42", 101, 100));
        assert!(!strict("It is forty-two.", 5, 0));
        assert!(!strict("It is forty-two, I am sure.", 0, 0));
    }
}
