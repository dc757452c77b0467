//! What every provider must do, beyond what its dialect does: its own tables, tried one by one.
//!
//! A provider joins by standing in a table; nothing here knows one by name.

use std::time::Duration;

use mainstay_canon::{FinishMeaning, FinishReason, Headers, HintSource, Kind};
use mainstay_providers::{Auth, Provider};
use mainstay_retry::{Next, Same, consequence};

use crate::heard::{NOW, Speaker};
use crate::outcome::UNKNOWN_WORD;
use crate::scenario::{Form, Scenario};
use crate::spelling::{Parts, Spelling, spelling};
use crate::suite::{Depth, faults};

/// One thing that is checked of a provider, with what is wrong.
pub type Check = (&'static str, Vec<String>);

/// Everything that can be checked of any provider.
pub fn checks(provider: &'static Provider) -> Vec<Check> {
    vec![
        ("scenarios", scenarios(provider)),
        ("finish words", finish_words(provider)),
        ("unknown words", unknown_words(provider)),
        ("statuses", statuses(provider)),
        ("rate limits", rate_limits(provider)),
        ("request ids", request_ids(provider)),
        ("auth", auth(provider)),
        ("accepts", crate::writer_laws::accepts_is_obeyed(provider)),
        ("nothing dropped", crate::requests::nothing_is_dropped_in_silence(provider)),
        ("replay", crate::writer_laws::reasoning_goes_back_where_it_is_wanted(provider)),
    ]
}

fn ways(provider: &'static Provider) -> impl Iterator<Item = (Speaker, &'static Spelling)> {
    Speaker::all_of(provider).into_iter().filter_map(|speaker| {
        let dialect = speaker.upstream.dialect();
        Some((speaker, spelling(dialect)?))
    })
}

/// Every scenario of its dialects, through this provider.
fn scenarios(provider: &'static Provider) -> Vec<String> {
    let mut wrong = Vec::new();
    for (speaker, spelling) in ways(provider) {
        for (scenario, form) in every_form() {
            let Some(wire) = (spelling.spell)(scenario, form) else { continue };
            let told = |fault| format!("{speaker:?} {scenario:?} {form:?}: {fault}");
            wrong.extend(faults(speaker, scenario, form, &wire, Depth::Once).into_iter().map(told));
        }
    }
    wrong
}

/// All but the giants, which are the dialect's business alone.
fn every_form() -> impl Iterator<Item = (Scenario, Form)> {
    let is_giant = |scenario: Scenario| {
        matches!(scenario, Scenario::GiantLine | Scenario::GiantEvent | Scenario::GiantAnswer)
    };
    Scenario::ALL
        .iter()
        .filter(move |(scenario, _)| !is_giant(*scenario))
        .flat_map(|(scenario, forms)| forms.iter().map(|form| (*scenario, *form)))
}

/// Every word of its table means what the table says, on an answer with text and on one with a call.
fn finish_words(provider: &'static Provider) -> Vec<String> {
    let mut wrong = Vec::new();
    for (speaker, spelling) in ways(provider) {
        for (word, meaning) in provider.finish {
            for parts in [Parts::Text, Parts::Call] {
                let wire = (spelling.with_word)(word, parts);
                let heard = speaker.read_whole(&Headers::new(), &wire.body);
                let got = heard
                    .as_ref()
                    .map(|answer| (answer.finish_reason, answer.prompt_prohibited, answer.context_full));
                let got = got.map_err(|failure| failure.kind);
                let due = due(*meaning, word, parts);
                // The dialect itself may call a word an error before any table is asked, never an answer.
                let is_known_error = got.is_err() && due.is_err();
                if got != due && !is_known_error {
                    wrong.push(format!("{speaker:?} {word:?} {parts:?}: {got:?} where {due:?} is due"));
                }
            }
        }
    }
    wrong
}

fn due(meaning: FinishMeaning, word: &str, parts: Parts) -> Result<(FinishReason, bool, bool), Kind> {
    let plain = |reason| Ok((reason, false, false));
    match (meaning, parts) {
        (FinishMeaning::Answer(FinishReason::ToolCall), Parts::Text) if word.is_empty() => {
            plain(FinishReason::Empty)
        }
        // A blocked prompt has neither text nor call.
        (FinishMeaning::Answer(FinishReason::Stop), Parts::Call) => plain(FinishReason::ToolCall),
        (FinishMeaning::Answer(reason), _) => plain(reason),
        (FinishMeaning::Prohibited, _) => Ok((FinishReason::ContentFilter, true, false)),
        (FinishMeaning::ContextFull, _) => Ok((FinishReason::Length, false, true)),
        (FinishMeaning::Broken(kind), _) => Err(kind),
    }
}

/// A word that its table does not have is a failure, whatever stands beside it, and it is kept.
fn unknown_words(provider: &'static Provider) -> Vec<String> {
    let mut wrong = Vec::new();
    for (speaker, spelling) in ways(provider) {
        let known = provider.finish.iter().map(|(word, _)| *word).filter(|word| !word.is_empty());
        let altered = known.flat_map(|word| [format!("{word}_"), format!("x{word}")]);
        for word in altered.chain([UNKNOWN_WORD.to_owned()]) {
            if provider.meaning(&word).is_some() {
                continue;
            }
            for parts in [Parts::Text, Parts::Call] {
                let wire = (spelling.with_word)(&word, parts);
                match speaker.read_whole(&Headers::new(), &wire.body) {
                    Ok(answer) => {
                        wrong.push(format!("{speaker:?} {word:?} is taken for {}", answer.finish_reason));
                    }
                    Err(failure)
                        if failure.kind == Kind::UnknownFinishReason
                            && failure.finish_reason_raw.is_some() => {}
                    Err(failure) => wrong.push(format!("{speaker:?} {word:?}: {failure}")),
                }
            }
        }
    }
    wrong
}

/// Statuses, and what must follow from each (behaviour 5.5): whether the same tier and the next one may be asked.
const STATUSES: [(u16, Same, &[Next], bool); 17] = [
    (400, Same::Never, &[Next::No], false),
    (401, Same::Never, &[Next::Yes], false),
    (402, Same::Never, &[Next::Yes], false),
    (403, Same::Never, &[Next::Yes], false),
    (404, Same::Never, &[Next::Yes], false),
    (408, Same::WithinBudget, &[Next::Yes], true),
    (409, Same::WithinBudget, &[Next::Yes], true),
    (413, Same::Never, &[Next::LargerWindow, Next::No], false),
    (422, Same::Never, &[Next::No], false),
    (429, Same::OnlyIfAlone, &[Next::AtOnce], false),
    (500, Same::WithinBudget, &[Next::Yes], true),
    (502, Same::WithinBudget, &[Next::Yes], true),
    (503, Same::WithinBudget, &[Next::Yes], true),
    (504, Same::WithinBudget, &[Next::Yes], true),
    (520, Same::WithinBudget, &[Next::Yes], true),
    (524, Same::WithinBudget, &[Next::Yes], true),
    (529, Same::WithinBudget, &[Next::Yes], true),
];

/// A status decides where the body says nothing, whichever body that is.
fn statuses(provider: &'static Provider) -> Vec<String> {
    const BODIES: [&str; 6] = ["", "<html>Sorry.</html>", "{}", "null", "[]", "{\"error\":null}"];
    let mut wrong = Vec::new();
    for (speaker, _) in ways(provider) {
        for (status, same, next, counts) in STATUSES {
            for body in BODIES {
                let failure = speaker.read_error(status, &Headers::new(), body.as_bytes());
                let follows = consequence(failure.kind);
                let fits = follows.same == same
                    && next.contains(&follows.next)
                    && follows.counts_toward_breaker == counts
                    && failure.status == Some(status);
                if !fits {
                    wrong.push(format!("{speaker:?} {status} {body:?}: {failure} leads to {follows:?}"));
                }
            }
        }
    }
    wrong
}

/// Hints are read from its own buckets and from `retry-after`, where they count.
fn rate_limits(provider: &'static Provider) -> Vec<String> {
    let mut wrong = Vec::new();
    let hint = |status: u16, fields: &[(&str, &str)]| {
        provider.hint(status, &fields.iter().copied().collect(), None, NOW)
    };
    let mut check =
        |what: &str, found: Option<(Duration, HintSource)>, due: Option<(Duration, HintSource)>| {
            if found != due {
                wrong.push(format!("{what}: {found:?} where {due:?} is due"));
            }
        };
    let seen = |hint: Option<mainstay_canon::RetryHint>| hint.map(|hint| (hint.after, hint.source));
    let seven = Duration::from_secs(7);
    for bucket in provider.buckets {
        let (none, some) = (
            [(bucket.remaining, "0"), (bucket.reset, "7s")],
            [(bucket.remaining, "3"), (bucket.reset, "7s")],
        );
        check(bucket.reset, seen(hint(429, &none)), Some((seven, HintSource::ResetHeader)));
        check("a bucket with something left", seen(hint(429, &some)), None);
        let headers: Headers = some.into_iter().collect();
        let left: Vec<u64> = provider.remaining(&headers, NOW).map(|left| left.left).collect();
        check(
            "what is left",
            Some((Duration::from_secs(left.iter().sum()), HintSource::Body)),
            Some((Duration::from_secs(3), HintSource::Body)),
        );
    }
    for status in [429, 503, 529].iter().chain(provider.hinted) {
        check(
            "retry-after",
            seen(hint(*status, &[("retry-after", "7")])),
            Some((seven, HintSource::RetryAfter)),
        );
        check(
            "retry-after-ms",
            seen(hint(*status, &[("retry-after-ms", "7000")])),
            Some((seven, HintSource::RetryAfterMs)),
        );
    }
    for status in [200, 400, 401, 404, 500] {
        check("a status without a hint", seen(hint(status, &[("retry-after", "7")])), None);
    }
    wrong
}

/// Its id of a call is found in each header that may hold it, the best one first.
fn request_ids(provider: &'static Provider) -> Vec<String> {
    let mut wrong = Vec::new();
    for (at, name) in provider.request_id.iter().enumerate() {
        // All later ones are there, too, and an earlier one is empty.
        let fields: Vec<(&str, &str)> = provider
            .request_id
            .iter()
            .enumerate()
            .filter(|(other, _)| *other >= at)
            .map(|(other, name)| (*name, if other == at { "req_7" } else { "req_8" }))
            .collect();
        let headers: Headers = fields.into_iter().collect();
        if provider.request_id(&headers) != Some("req_7") {
            wrong.push(format!("{name} is not read"));
        }
        let failure = Speaker::usual(provider).read_error(500, &headers, b"");
        if failure.provider_request_id.as_deref() != Some("req_7") {
            wrong.push(format!("{name} is lost with an error: {failure:?}"));
        }
    }
    if provider.request_id(&Headers::new()).is_some() {
        wrong.push("an id comes from nowhere".to_owned());
    }
    wrong
}

/// A provider elsewhere says how it wants its key and where that is usually kept; one on this machine asks for none.
fn auth(provider: &'static Provider) -> Vec<String> {
    let is_here = provider.base_url.starts_with("http://localhost");
    let is_elsewhere = provider.base_url.starts_with("https://");
    let fits = match provider.auth {
        Auth::None => !is_elsewhere,
        Auth::Bearer { env } => !is_here && env.is_empty() != is_elsewhere,
        Auth::Header { name, env } => {
            !is_here && env.is_empty() != is_elsewhere && name == name.to_ascii_lowercase()
        }
    };
    if fits { Vec::new() } else { vec![format!("{:?} at {:?}", provider.auth, provider.base_url)] }
}
