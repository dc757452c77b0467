//! The lists of words that the rules read: data, one file a concern, and what a list may hold.
//!
//! A phrase is written as people write it and is brought to the plain spelling of
//! [`Plain`](crate::plain::Plain) when the lists are loaded. `*` at its end makes it a stem; `^` at its
//! beginning ties it to the beginning of a sentence; `_` at its end is a space. Nothing here decides anything.

pub(crate) mod acts;
pub(crate) mod apologies;
pub(crate) mod company;
pub(crate) mod declines;
pub(crate) mod demands;
pub(crate) mod errors;
pub(crate) mod first;
pub(crate) mod grounds;
pub(crate) mod idioms;
pub(crate) mod inability;
pub(crate) mod markup;
pub(crate) mod openings;
pub(crate) mod stances;

/// What a phrase says in an answer that may be a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Sense {
    /// "I'm sorry", "unfortunately".
    Apology,
    /// The speaker as subject, where the refusing word follows close: "I", "we".
    Self_,
    /// Another subject, which ends the speaker's reach: "you", "they".
    Other,
    /// The speaker with a modal, where the refusing word may follow late: "kann ich".
    ICan,
    /// The refusing word that needs a subject: "cannot", "nicht".
    Not,
    /// Subject and refusal in one: "no puedo", "我无法".
    Cannot,
    /// What an assistant does for people: "help", "provide". Follows a [`Sense::Cannot`].
    Act,
    /// The request, pointed at: "this request", "with that". Follows a [`Sense::Cannot`].
    Object,
    /// Inability and deed in one, where a language joins them: "제공할 수 없".
    CannotAct,
    /// A refusal by itself: "I must decline", "request denied".
    Decline,
    /// Another topic instead: "let's talk about something else".
    Deflect,
    /// A rule as the ground: "guidelines", "against my programming".
    Policy,
    /// The speaker as a machine: "as an AI".
    Identity,
    /// A means that the speaker lacks: "I don't have access".
    Lack,
    /// A judgement on the request: "it is not appropriate".
    Moral,
    /// The matter named a crime or a danger: "is a serious crime". Answers say that as well.
    Crime,
    /// A word of the sermon that follows: "respect", "dignity".
    Value,
    /// Contradicts what the question takes for granted, or calls it a prejudice: "was not justified". Answers to
    /// honest questions do that as well.
    Denial,
    /// Sends people elsewhere: "please check a website".
    Redirect,
    /// Turns an inability into a figure of speech: "can't wait", "can't … enough".
    Idiom,
    /// Turns an apology into sympathy or a correction: "sorry to hear", "sorry for the late".
    Sympathy,
    /// Why there is no such thing, which is an answer: "is a fictional character".
    Explains,
    /// Asks for what is missing: "could you clarify".
    Asks,
    /// The first words of a letter or its subject line, in which somebody else may decline.
    Letter,
    /// Somebody speaks in a story: "said the".
    Narration,
    /// Politeness before the matter: "thank you for your message".
    Preface,
    /// The answer is being given: "here is", "below is".
    Giving,
    /// A turn to what is possible after all: "however, I can".
    Turn,
    /// An offer at the end: "anything else".
    Offer,
}

/// Phrases of one sense in one language.
pub(crate) struct Words {
    /// What they say.
    pub(crate) sense: Sense,
    /// ISO 639-1 code; read by tests and people.
    #[cfg_attr(not(test), allow(dead_code, reason = "the lists' tests go by language"))]
    pub(crate) language: &'static str,
    /// The phrases, with `|` between them.
    phrases: &'static str,
}

impl Words {
    /// The phrases.
    pub(crate) fn phrases(&self) -> impl Iterator<Item = &'static str> {
        self.phrases.split('|').map(str::trim)
    }
}

/// A row of a list.
pub(crate) const fn words(sense: Sense, language: &'static str, phrases: &'static str) -> Words {
    Words { sense, language, phrases }
}

/// All lists about refusals.
pub(crate) fn refusal_lists() -> impl Iterator<Item = &'static Words> {
    [
        apologies::LIST,
        inability::LIST,
        acts::LIST,
        declines::LIST,
        grounds::LIST,
        idioms::LIST,
        company::LIST,
        stances::LIST,
    ]
    .into_iter()
    .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_language_that_the_contract_names_can_apologize_be_unable_and_decline() {
        let named = [
            "en", "ko", "ja", "zh", "de", "fr", "es", "pt", "it", "ru", "nl", "pl", "tr", "ar", "hi", "vi",
            "sv", "cs", "uk", "id", "th", "he",
        ];
        for language in named {
            let senses: HashSet<Sense> =
                refusal_lists().filter(|list| list.language == language).map(|list| list.sense).collect();
            assert!(senses.contains(&Sense::Apology), "{language} has no apology");
            let unable = [Sense::Cannot, Sense::ICan, Sense::CannotAct, Sense::Not];
            assert!(unable.iter().any(|sense| senses.contains(sense)), "{language} has no inability");
            assert!(senses.contains(&Sense::Decline), "{language} cannot decline");
            assert!(
                senses.contains(&Sense::Idiom) || senses.contains(&Sense::Sympathy),
                "{language} has no figure"
            );
        }
    }

    #[test]
    fn no_phrase_stands_twice_in_one_sense() {
        let mut seen = HashSet::new();
        for list in refusal_lists() {
            for phrase in list.phrases() {
                assert!(seen.insert((list.sense, list.language, phrase)), "{:?} {phrase} twice", list.sense);
            }
        }
    }
}
