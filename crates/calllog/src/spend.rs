//! Money, added up by what people ask about.

use mainstay_canon::Nanodollars;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::{HourSum, json};

/// What money is added up by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpendBy {
    /// Calendar day, in a time zone.
    Day,
    /// End user.
    User,
    /// Conversation or agent run; only as far back as rows are kept.
    Session,
    /// Tier.
    Tier,
    /// Virtual key.
    Key,
    /// Team or feature.
    Label,
}

impl SpendBy {
    /// All of them, in the order of the command's help.
    pub const ALL: [Self; 6] = [Self::Day, Self::User, Self::Session, Self::Tier, Self::Key, Self::Label];

    /// The word on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::User => "user",
            Self::Session => "session",
            Self::Tier => "tier",
            Self::Key => "key",
            Self::Label => "label",
        }
    }

    /// What is meant by that word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|by| by.word() == word)
    }
}

/// What was spent on one day, by one user, through one tier, and so on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpendRow {
    /// The day as `2026-11-30`, or the name; empty for what had none.
    pub name: String,
    /// Calls that reached a provider.
    pub attempts: u64,
    /// Accepted answers.
    pub ok: u64,
    /// Accepted answers that came after a failure or a passed-over tier.
    pub rescued: u64,
    /// Calls whose cost is unknown and not part of `cost`.
    pub unpriced: u64,
    /// Input tokens.
    pub prompt_tokens: u64,
    /// Output tokens.
    pub completion_tokens: u64,
    /// What was paid.
    pub cost: Nanodollars,
    /// The part of it for which callers got nothing.
    pub wasted: Nanodollars,
}

impl SpendRow {
    /// A row of nothing, by name.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Adds these sums.
    pub fn add(&mut self, sum: &HourSum) {
        self.attempts = self.attempts.saturating_add(sum.attempts);
        self.ok = self.ok.saturating_add(sum.ok);
        self.rescued = self.rescued.saturating_add(sum.rescued);
        self.unpriced = self.unpriced.saturating_add(sum.unpriced);
        self.prompt_tokens = self.prompt_tokens.saturating_add(sum.prompt_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(sum.completion_tokens);
        self.cost = self.cost.saturating_add(sum.cost);
        self.wasted = self.wasted.saturating_add(sum.wasted);
    }
}

/// Money both as `_nanousd`, a whole number, and as `_usd`, a number with its exact decimals.
impl Serialize for SpendRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Line<'a> {
            name: &'a str,
            attempts: u64,
            ok: u64,
            rescued: u64,
            unpriced: u64,
            prompt_tokens: u64,
            completion_tokens: u64,
            cost_nanousd: Nanodollars,
            cost_usd: Box<RawValue>,
            wasted_nanousd: Nanodollars,
            wasted_usd: Box<RawValue>,
        }
        Line {
            name: &self.name,
            attempts: self.attempts,
            ok: self.ok,
            rescued: self.rescued,
            unpriced: self.unpriced,
            prompt_tokens: self.prompt_tokens,
            completion_tokens: self.completion_tokens,
            cost_nanousd: self.cost,
            cost_usd: json::dollars(self.cost)?,
            wasted_nanousd: self.wasted,
            wasted_usd: json::dollars(self.wasted)?,
        }
        .serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_back() {
        for by in SpendBy::ALL {
            assert_eq!(SpendBy::from_word(by.word()), Some(by));
        }
        assert_eq!(SpendBy::from_word("month"), None);
    }

    #[test]
    fn money_is_printed_exactly_in_both_units() {
        let mut row = SpendRow::named("ann");
        row.add(&HourSum { cost: Nanodollars::from_nanos(471_000), ..HourSum::default() });
        let text = serde_json::to_string(&row).unwrap();
        assert!(text.contains(r#""cost_nanousd":471000,"cost_usd":0.000471"#), "{text}");
    }
}
