//! What the journal carries: everything that must outlive the process.

use std::borrow::Cow;

use mainstay_calllog::{CallId, CallRecord};
use mainstay_canon::Target;
use mainstay_cost::{Margin, Released, Reserved, SettledEntry};
use mainstay_fallback::{HealthRecord, StaticSwitch};
use serde::{Deserialize, Serialize};

use crate::journal::{decode, encode};

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "nearly all entries are calls, and none is kept")]
pub enum Entry {
    /// An attempt, for `llm_calls`.
    Call(CallRecord),
    /// Money set aside before a call.
    Reserved(Reserved),
    /// What the call cost for which it was set aside.
    Settled(SettledEntry),
    /// Money given back because no provider was called.
    Released(Released),
    /// By how much a model's worst case is raised from now on.
    Margin {
        /// The model.
        target: Target,
        /// By how much.
        margin: Margin,
    },
    /// Captured text of an attempt, where the operator turned capture on.
    Text {
        /// The attempt's row.
        id: CallId,
        /// What was asked.
        prompt: String,
        /// What came back.
        answer: String,
    },
    /// The health of all tiers that are not simply available; replaces what was told before.
    Health(Vec<HealthRecord>),
    /// The static tier's switch.
    StaticSwitch(StaticSwitch),
}

impl Entry {
    /// Longest captured prompt or answer, in bytes; what is longer is cut.
    pub const TEXT_LIMIT: usize = 1 << 20;

    /// What one line of a journal carries, given without its break; `None` when the line is not whole or not
    /// understood.
    pub fn of_line(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(decode(line)?).ok()
    }

    /// The line of a journal that carries this, its break included.
    ///
    /// # Errors
    ///
    /// When it cannot be told as JSON.
    pub fn to_line(&self) -> serde_json::Result<Vec<u8>> {
        encode(self)
    }

    /// The entry with every text within its limit; itself, as a rule.
    pub(crate) fn bounded(&self) -> Cow<'_, Self> {
        match self {
            Self::Call(row) if !row.is_bounded() => Cow::Owned(Self::Call(row.clone().bounded())),
            Self::Text { id, prompt, answer } if prompt.len().max(answer.len()) > Self::TEXT_LIMIT => {
                Cow::Owned(Self::Text { id: *id, prompt: cut(prompt), answer: cut(answer) })
            }
            Self::Call(_)
            | Self::Text { .. }
            | Self::Reserved(_)
            | Self::Settled(_)
            | Self::Released(_)
            | Self::Margin { .. }
            | Self::Health(_)
            | Self::StaticSwitch(_) => Cow::Borrowed(self),
        }
    }
}

fn cut(text: &str) -> String {
    text.get(..text.floor_char_boundary(Entry::TEXT_LIMIT)).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use mainstay_calllog::IdSource;
    use mainstay_canon::Moment;

    use super::*;

    #[test]
    fn what_a_line_carries_reads_as_what_it_was_and_a_part_of_it_as_nothing() {
        let entry = Entry::StaticSwitch(StaticSwitch::On);
        let line = entry.to_line().unwrap();
        let whole = line.strip_suffix(b"\n").unwrap();
        assert_eq!(Entry::of_line(whole), Some(entry));
        assert_eq!(Entry::of_line(&whole[1..]), None);
        let other = encode(&"a text").unwrap();
        assert_eq!(Entry::of_line(other.strip_suffix(b"\n").unwrap()), None);
    }

    #[test]
    fn a_text_without_end_is_cut_and_an_ordinary_one_is_not_copied() {
        let id = IdSource::new(1).next(Moment::EPOCH);
        let long = Entry::Text { id, prompt: "é".repeat(Entry::TEXT_LIMIT), answer: "yes".to_owned() };
        let Entry::Text { prompt, answer, .. } = long.bounded().into_owned() else { panic!("still a text") };
        assert_eq!((prompt.len(), answer.as_str()), (Entry::TEXT_LIMIT, "yes"));
        let short = Entry::Text { id, prompt: String::new(), answer: String::new() };
        assert!(matches!(short.bounded(), Cow::Borrowed(_)));
    }
}
