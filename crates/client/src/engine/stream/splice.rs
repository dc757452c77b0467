//! Going on where an answer broke off, without a repeated word (behaviour 7.4).

use mainstay_canon::{ChatMessage, ChatRequest, Role};

/// Longest repetition that is looked for where the two parts meet, in bytes.
const LONGEST: usize = 16 * 1024;

/// What a model is told that is to go on. A few words that it repeats show exactly where it goes on, within a
/// word or behind it; they are taken out again.
const GO_ON: &str = "Your answer above broke off in the middle. Write the rest of it: begin with its last few \
                     words exactly as they stand there, then go on to the end. Say nothing else and nothing \
                     about the interruption.";

/// The request whose answer goes on from `partial`.
pub(in crate::engine) fn request_to_continue(request: &ChatRequest, partial: &str) -> ChatRequest {
    let mut going_on = request.clone();
    going_on.messages.push(ChatMessage::new(Role::Assistant, partial));
    going_on.messages.push(ChatMessage::new(Role::User, GO_ON));
    going_on
}

/// Where a continuation meets what the caller has already.
pub(super) struct Seam {
    /// The end of what the caller has.
    tail: String,
    /// What the continuation says, as long as it is not known how much of that repeats the tail.
    next: String,
}

impl Seam {
    /// The seam behind a text.
    pub(super) fn behind(so_far: &str) -> Self {
        let from = so_far.ceil_char_boundary(so_far.len().saturating_sub(LONGEST));
        Self { tail: so_far.get(from..).unwrap_or_default().to_owned(), next: String::new() }
    }

    /// Takes the next piece of the continuation.
    pub(super) fn push(&mut self, text: &str) {
        self.next.push_str(text);
    }

    /// Whether it is known how much is repeated: what has come no longer runs along anything in the tail.
    pub(super) fn is_known(&self) -> bool {
        let next = self.next.as_str();
        match self.tail.find(next) {
            Some(at) => at + next.len() >= self.tail.len() && !next.is_empty(),
            None => true,
        }
    }

    /// What the continuation says behind the part that repeats.
    pub(super) fn into_rest(self, repeated: usize) -> String {
        self.next.get(repeated..).unwrap_or_default().to_owned()
    }

    /// How many bytes of the continuation repeat the end of the tail.
    ///
    /// The longest repetition counts; a shorter one could be a word that is rightly said twice. Found in one
    /// pass (Knuth, Morris and Pratt's): both texts are what a model says, and may be anything.
    pub(super) fn repeated(&self) -> usize {
        let (tail, next) = (self.tail.as_bytes(), self.next.as_bytes());
        let shorter = borders(next);
        let shorten = |length: usize| shorter.get(length.wrapping_sub(1)).copied().unwrap_or(0);
        let mut length = 0;
        for byte in tail {
            while length > 0 && next.get(length) != Some(byte) {
                length = shorten(length);
            }
            length += usize::from(next.get(length) == Some(byte));
        }
        while length > 0 && !self.is_evidence(length) {
            length = shorten(length);
        }
        length
    }

    /// Whether a repetition of that length is one. A single letter or space says nothing, and half a word only
    /// if it is the very word that was cut.
    fn is_evidence(&self, length: usize) -> bool {
        let Some(start) = self.next.get(..length) else { return false };
        let Some(before) = self.tail.strip_suffix(start) else { return false };
        let begins_a_word =
            !before.ends_with(char::is_alphanumeric) || !start.starts_with(char::is_alphanumeric);
        start.trim().chars().count() >= 2 && begins_a_word
    }
}

/// For each beginning of a text, the length of the longest shorter beginning that it ends with.
fn borders(text: &[u8]) -> Vec<usize> {
    let mut borders = Vec::with_capacity(text.len());
    let mut length = 0_usize;
    for (at, byte) in text.iter().enumerate() {
        while length > 0 && text.get(length) != Some(byte) {
            length = borders.get(length - 1).copied().unwrap_or(0);
        }
        length += usize::from(at > 0 && text.get(length) == Some(byte));
        borders.push(length);
    }
    borders
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seam(so_far: &str, next: &str) -> Seam {
        let mut seam = Seam::behind(so_far);
        seam.push(next);
        seam
    }

    #[test]
    fn what_is_said_again_is_found() {
        for (so_far, next, again) in [
            ("The committee met on Tues", "Tuesday and agreed.", "Tues"),
            ("The committee met on Tues", "met on Tuesday and agreed.", "met on Tues"),
            ("The committee met", "The committee met on Tuesday.", "The committee met"),
            ("one two three", " four", ""),
            ("they sat, and then", " and then the chair", " and then"),
            ("He said that", "that it was late", "that"),
            ("a banana", "nation of fruit", ""),
            ("", "Hello", ""),
            ("Grüße aus Köln", "Köln am Rhein", "Köln"),
        ] {
            let found = seam(so_far, next).repeated();
            assert_eq!(next.get(..found), Some(again), "{so_far:?} + {next:?}");
        }
    }

    #[test]
    fn a_whole_answer_that_is_told_again_is_taken_out_however_long() {
        let so_far = "All members came to the hall and took their seats. ".repeat(100);
        let again = format!("{so_far}Then they left.");
        assert_eq!(again.get(seam(&so_far, &again).repeated()..), Some("Then they left."));
    }

    #[test]
    fn a_repetition_is_waited_for_as_long_as_it_may_go_on_and_no_longer() {
        let so_far = "The committee met on Tuesday";
        let mut seam = Seam::behind(so_far);
        for (piece, known) in [("", false), ("The com", false), ("mittee met on Tue", false), ("sday", true)]
        {
            seam.push(piece);
            assert_eq!(seam.is_known(), known, "{}", seam.next);
        }
        assert_eq!(seam.repeated(), so_far.len());

        let mut seam = Seam::behind(so_far);
        seam.push("The co");
        assert!(!seam.is_known());
        seam.push("ats were wet");
        assert!(seam.is_known(), "it says something else");
        assert_eq!(seam.repeated(), 0);
    }

    #[test]
    fn any_text_may_meet_any_other() {
        let long = "é".repeat(LONGEST);
        assert!(Seam::behind(&long).tail.len() <= LONGEST);
        assert_eq!(seam(&long, "ééx").repeated(), 0, "a part of a word is no repetition");
        assert_eq!(seam(&"é ".repeat(LONGEST), "é é x").repeated(), "é é ".len());
    }

    proptest::proptest! {
        #[test]
        fn the_longest_repetition_that_is_one_is_found(tail in "[ab ]{0,30}", next in "[ab ]{0,30}") {
            let seam = seam(&tail, &next);
            let longest = (0..=next.len()).rev().find(|length| *length == 0 || seam.is_evidence(*length));
            proptest::prop_assert_eq!(Some(seam.repeated()), longest);
        }
    }

    #[test]
    fn a_request_to_go_on_ends_with_the_part_and_the_wish() {
        let request = request_to_continue(&ChatRequest::user("Tell me."), "Once upon");
        let roles: Vec<Role> = request.messages.iter().map(|message| message.role).collect();
        assert_eq!(roles, [Role::User, Role::Assistant, Role::User]);
        assert_eq!(request.messages.get(1).map(ChatMessage::text).as_deref(), Some("Once upon"));
    }
}
