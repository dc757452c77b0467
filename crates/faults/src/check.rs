//! Whether what was seen of a cell is what must follow.

use mainstay::Moment;
use mainstay_calllog::CallRecord;
use mainstay_fallback::{DisabledBy, TierState};
use serde_json::Value;

use crate::ask::{ARGUMENTS, Face, JSON, TOOL, WORDS, Wish};
use crate::cell::{Cell, Found};
use crate::expect::{ComesBack, Expect, Health, Log, Problem, Sees};
use crate::lab::first_provider;
use crate::read::Heard;
use crate::row::{Place, Row, Trouble};

/// How much of a cooldown may be over when it is looked at, in seconds.
const LATE: u64 = 20;

/// What is not as expected, in words.
pub fn faults(cell: Cell, row: &Row, expect: &Expect, found: &Found) -> Vec<String> {
    let mut wrong = Wrong(Vec::new());
    let (sees, calls) =
        if cell.alone { (expect.alone, [expect.alone_calls, 0]) } else { (expect.sees, expect.calls) };
    wrong.seen(cell, row, sees, &found.heard);
    wrong.counts(row, calls, found);
    wrong.rows(row, expect.log, calls, &found.log);
    wrong.health(expect.health, found.health.state, found.log.last());
    if cell.alone && matches!(sees, Sees::Error(_)) {
        wrong.comes_back(expect.comes_back, &found.heard);
    }
    wrong.0
}

struct Wrong(Vec<String>);

impl Wrong {
    fn is(&mut self, what: &str, found: impl std::fmt::Debug, expected: impl std::fmt::Debug) {
        let (found, expected) = (format!("{found:?}"), format!("{expected:?}"));
        if found != expected {
            self.0.push(format!("{what}: {found} instead of {expected}"));
        }
    }

    fn seen(&mut self, cell: Cell, row: &Row, sees: Sees, heard: &Heard) {
        let tier = |provider: &str| Some(format!("{provider}/{}", cell.chain()));
        let found_tier = heard.header("x-mainstay-tier").map(str::to_owned);
        match sees {
            Sees::Second => {
                self.whole(heard);
                self.is("the tier that is told", found_tier, tier("good"));
                self.is("how it was served", heard.header("x-mainstay-served"), Some("fallback"));
                self.is("the quality that is told", heard.quality(), Some("ok"));
                self.healthy(row.wish, heard);
            }
            Sees::First(quality) => {
                self.whole(heard);
                self.is("the tier that is told", found_tier, tier(first_provider(row)));
                self.is("the quality that is told", heard.quality(), Some(quality));
            }
            Sees::Error(problem) => {
                let (status, word) = told(problem, cell.face);
                self.is("the status", heard.status, status);
                self.is("the error's type", heard.read.error.as_deref(), Some(word));
                self.is("x-should-retry", heard.header("x-should-retry"), Some("false"));
            }
            Sees::Cut => {
                let (_, word) = told(Problem::Unavailable, cell.face);
                self.is("the status", heard.status, 200);
                self.is("an ordinary end", heard.read.ended, false);
                self.is("the error event's type", heard.read.error.as_deref(), Some(word));
                self.is("a part of an answer", heard.read.text.is_empty(), false);
            }
            Sees::Filtered => {
                self.is("the status", heard.status, 200);
                self.is("an end in good order", heard.read.ended, true);
                self.is("the finish word", heard.read.finish.as_deref(), Some(filter_word(cell.face)));
                self.is("the quality that is told", heard.quality(), Some("filtered"));
            }
            Sees::Refusal => {
                self.is("the status", heard.status, 200);
                self.is("an end in good order", heard.read.ended, true);
                self.is("that it is said to be a refusal", heard.read.refused, true);
                self.is("the quality that is told", heard.quality(), Some("refusal"));
            }
        }
        if !self.0.is_empty() {
            self.0.push(format!("the caller was told {}: {}", heard.status, shortened(&heard.body)));
        }
    }

    /// An answer that has come whole.
    fn whole(&mut self, heard: &Heard) {
        self.is("the status", heard.status, 200);
        self.is("an end in good order", heard.read.ended, true);
        self.is("an error", heard.read.error.as_deref(), None::<&str>);
    }

    /// What the healthy tier said, and not a word of the other's.
    fn healthy(&mut self, wish: Wish, heard: &Heard) {
        let json = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
        match wish {
            Wish::Words | Wish::WordsOnMuch => self.is("the text", &*heard.read.text, WORDS),
            Wish::Json => self.is("the JSON", json(&heard.read.text), json(JSON)),
            Wish::Call => {
                let call = heard.read.call.clone().unwrap_or_default();
                self.is("the call", (&*call.0, json(&call.1)), (TOOL, json(ARGUMENTS)));
            }
        }
    }

    fn counts(&mut self, row: &Row, calls: [usize; 2], found: &Found) {
        // Only who can be reached can count.
        let counts = match &row.trouble {
            Trouble::Fault(_) | Trouble::Made(_) | Trouble::Place(Place::ReadsSlowly) => true,
            Trouble::Place(_) => false,
        };
        if counts {
            self.is("calls to the first tier", found.bad_calls, calls[0]);
        }
        self.is("calls to the second tier", found.good_calls, calls[1]);
        self.is("attempts that are told", found.heard.attempts(), told_calls(&found.heard, calls));
    }

    fn rows(&mut self, row: &Row, log: Log, calls: [usize; 2], rows: &[CallRecord]) {
        let first = |record: &&CallRecord| record.provider.as_deref() == Some(first_provider(row));
        let said: Vec<String> = rows.iter().filter(first).map(said).collect();
        let expected = match log {
            Log::Error(kind) => format!("error {kind}"),
            Log::Quality(class) => format!("quality {class}"),
            Log::Ok(class) => format!("ok {class}"),
        };
        self.is("the log's rows of the first tier", said, vec![expected; calls[0]]);
        let second: Vec<String> = rows.iter().filter(|record| !first(record)).map(said_of_second).collect();
        self.is("the log's rows of the second tier", second, vec!["ok ok rescued released"; calls[1]]);
    }

    fn health(&mut self, health: Health, state: TierState, last: Option<&CallRecord>) {
        let now = last.map_or(Moment::from_secs(0), |row| row.ts);
        let within = |until: Moment, seconds: u64| {
            let left = now.until(until).as_secs();
            (seconds.saturating_sub(2)..seconds + LATE).contains(&left)
        };
        let is_so = match (health, state) {
            (Health::Well, TierState::Available) => true,
            (Health::Cools(seconds), TierState::Cooling { until }) => within(until, seconds),
            (Health::OutOfMoney, TierState::Disabled { by, .. }) => by == DisabledBy::Quota,
            (Health::OutUntilProbe, TierState::Disabled { by, .. }) => by == DisabledBy::Credential,
            (Health::Well | Health::Cools(_) | Health::OutOfMoney | Health::OutUntilProbe, _) => false,
        };
        if !is_so {
            self.0.push(format!("the first tier is {state:?} at {now:?} instead of {health:?}"));
        }
    }

    fn comes_back(&mut self, comes_back: ComesBack, heard: &Heard) {
        let told = heard.header("retry-after").and_then(|wait| wait.parse::<u64>().ok());
        let is_so = match (comes_back, told) {
            (ComesBack::No, None) => true,
            (ComesBack::In(seconds), Some(told)) => {
                (seconds.saturating_sub(LATE)..=seconds + 1).contains(&told)
            }
            (ComesBack::No, Some(_)) | (ComesBack::In(_), None) => false,
        };
        if !is_so {
            self.0.push(format!("retry-after: {told:?} instead of {comes_back:?}"));
        }
    }
}

/// How many attempts a caller is told of: a stream that broke off says no more.
fn told_calls(heard: &Heard, calls: [usize; 2]) -> Option<usize> {
    let broke_off = heard.status == 200 && heard.read.error.is_some();
    if broke_off { heard.attempts() } else { Some(calls[0] + calls[1]) }
}

/// The status and the error's type in the caller's dialect (interface, "The gateway").
pub const fn told(problem: Problem, face: Face) -> (u16, &'static str) {
    match (problem, face) {
        (Problem::Unavailable, Face::Anthropic) => (529, "overloaded_error"),
        (Problem::Unavailable, Face::Chat | Face::Responses) => (503, "all_providers_failed"),
        (Problem::Useless, Face::Anthropic) => (502, "overloaded_error"),
        (Problem::Useless, Face::Chat | Face::Responses) => (502, "all_providers_failed"),
        (Problem::RateLimited, Face::Chat | Face::Responses | Face::Anthropic) => (429, "rate_limit_error"),
        (Problem::Invalid(413), Face::Anthropic) => (413, "request_too_large"),
        (Problem::Invalid(status), Face::Chat | Face::Responses | Face::Anthropic) => {
            (status, "invalid_request_error")
        }
    }
}

/// How a caller is told that a filter stopped the answer.
const fn filter_word(face: Face) -> &'static str {
    match face {
        Face::Chat | Face::Responses => "content_filter",
        // It has no other word.
        Face::Anthropic => "refusal",
    }
}

fn said(row: &CallRecord) -> String {
    let quality = row.quality.map(mainstay::Quality::word);
    let word = row.error_kind.as_deref().or(quality).unwrap_or("nothing");
    format!("{} {word}", row.outcome.word())
}

fn said_of_second(row: &CallRecord) -> String {
    let rescued = if row.rescued { " rescued" } else { "" };
    let released = if row.released { " released" } else { "" };
    format!("{}{rescued}{released}", said(row))
}

fn shortened(body: &str) -> String {
    let letters = body.chars().count();
    if letters <= 1200 {
        body.to_owned()
    } else {
        format!("{}…", body.chars().take(1200).collect::<String>())
    }
}
