//! A story on a terminal: aligned columns, one line for each attempt.

use std::fmt;

use jiff::Timestamp;
use mainstay_canon::{Cost, Outcome};

use super::words::seconds;
use super::{Story, StoryLine};

/// Widest column of words, in characters; what is longer goes on in the next line.
const WIDEST_TEXT: usize = 60;
/// Widest column of tiers, in characters; a longer name pushes its own line to the right.
const WIDEST_TIER: usize = 48;

impl fmt::Display for Story {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.attempts.is_empty() {
            return f.write_str(&self.summary);
        }
        self.write_head(f)?;
        let columns = Columns::of(&self.attempts);
        for line in &self.attempts {
            columns.write(line, f)?;
        }
        write!(f, "{} {}", Clean(&self.summary), self.bill)?;
        if let Some(without) = &self.without {
            write!(f, "\n{}", Clean(without))?;
        }
        Ok(())
    }
}

impl Story {
    fn write_head(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}  {}  chain {}", Clean(&self.request_id), self.clock(), Clean(&self.chain))?;
        let names = [
            ("user", &self.user_id),
            ("session", &self.session_id),
            ("key", &self.key_name),
            ("label", &self.label),
            ("your id", &self.client_request_id.clone().filter(|id| *id != self.request_id)),
        ];
        for (what, name) in names {
            if let Some(name) = name {
                write!(f, "  {what} {}", Clean(name))?;
            }
        }
        f.write_str("\n")
    }

    /// When it began: the time alone for a story of the day on which it is read.
    fn clock(&self) -> String {
        let zoned = |moment: mainstay_canon::Moment| {
            let moment = Timestamp::from_microsecond(moment.micros()).ok()?;
            Some(moment.to_zoned_datetime(self.zone.clone()))
        };
        let Some(start) = zoned(self.ts) else { return "at an impossible time".to_owned() };
        let same_day = self.seen_from.and_then(zoned).is_some_and(|now| now.date() == start.date());
        let form = if same_day { "%H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" };
        start.strftime(form).to_string()
    }
}

/// How wide each column is, in characters.
struct Columns {
    number: usize,
    tier: usize,
    latency: usize,
    text: usize,
}

impl Columns {
    fn of(lines: &[StoryLine]) -> Self {
        let widest = |of: &dyn Fn(&StoryLine) -> usize| lines.iter().map(of).max().unwrap_or(0);
        Self {
            number: widest(&|line| number(line).len()),
            tier: widest(&|line| tier(line).chars().count()).min(WIDEST_TIER),
            latency: widest(&|line| if is_call(line) { seconds(line.latency_ms).len() } else { 0 }),
            text: widest(&|line| if is_call(line) { line.text.chars().count() } else { 0 }).min(WIDEST_TEXT),
        }
    }

    fn write(&self, line: &StoryLine, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let indent = self.number + 3;
        if line.wait_ms > 0 {
            writeln!(f, "{:indent$}waited {}", "", seconds(line.wait_ms))?;
        }
        write!(
            f,
            "  {:>number$} {:<tier$}  ",
            number(line),
            Clean(tier(line)),
            number = self.number,
            tier = self.tier
        )?;
        if is_call(line) {
            self.write_call(line, f)?;
        } else {
            writeln!(f, "{}", Clean(&line.text))?;
        }
        if let Some(note) = &line.note {
            writeln!(f, "{:indent$}note: {}", "", Clean(note))?;
        }
        Ok(())
    }

    fn write_call(&self, line: &StoryLine, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match line.http_status {
            Some(status) => write!(f, "{status:<3}  ")?,
            None => write!(f, "{:<3}  ", "-")?,
        }
        write!(f, "{:>latency$}  ", seconds(line.latency_ms), latency = self.latency)?;
        let (head, mut rest) = split_at_word(&line.text, WIDEST_TEXT);
        let cost = match line.cost {
            Cost::Known(amount) => format!("${amount}"),
            Cost::Unknown => "no price".to_owned(),
        };
        writeln!(f, "{:<text$}   {cost}", Clean(head), text = self.text)?;
        // Under the words: number, tier, status and time with the spaces between them.
        let indent = self.number + self.tier + self.latency + 12;
        while !rest.is_empty() {
            let (head, more) = split_at_word(rest, WIDEST_TEXT);
            writeln!(f, "{:indent$}{}", "", Clean(head))?;
            rest = more;
        }
        Ok(())
    }
}

fn is_call(line: &StoryLine) -> bool {
    line.outcome != Outcome::Skipped
}

fn number(line: &StoryLine) -> String {
    line.attempt.map_or_else(|| "-".to_owned(), |attempt| attempt.to_string())
}

fn tier(line: &StoryLine) -> &str {
    line.tier.as_deref().unwrap_or("(no tier)")
}

/// The words that fit into `width` characters, and what is left; a longer word is cut.
fn split_at_word(text: &str, width: usize) -> (&str, &str) {
    let Some((cut, _)) = text.char_indices().nth(width) else { return (text, "") };
    let (head, rest) = text.split_at(cut);
    if rest.starts_with(' ') {
        return (head, rest.trim_start());
    }
    match head.rsplit_once(' ') {
        Some((head, _)) if !head.trim().is_empty() => {
            let rest = text.get(head.len()..).unwrap_or_default();
            (head, rest.trim_start())
        }
        Some(_) | None => (head, rest),
    }
}

/// Shows control characters as a space: names and providers' words must not steer a terminal.
struct Clean<'a>(&'a str);

impl fmt::Display for Clean<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.chars().any(steers) { f.pad(&self.0.replace(steers, " ")) } else { f.pad(self.0) }
    }
}

/// Control characters, and those that reorder text.
fn steers(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
