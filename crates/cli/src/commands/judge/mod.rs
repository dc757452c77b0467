//! `mainstay judge`: what the judge says of answers in a file, before anybody trusts it with traffic.

mod lines;
mod replies;
mod score;

use std::collections::BTreeMap;
use std::io::BufRead;

use mainstay_canon::{Quality, Verdict};
use mainstay_quality::score::Table;
use mainstay_quality::{Action, Arrival, Ask, Judge, JudgeOptions, Profile};
use owo_colors::OwoColorize;
use serde_json::json;

use self::lines::{Lines, open};
use self::replies::read;
use crate::args::{Global, JudgeArgs, JudgeProfile};
use crate::exit::Exit;
use crate::{out, settings};

/// Judges line by line, and counts.
pub(crate) fn run(args: &JudgeArgs, global: &Global) -> Result<(), Exit> {
    let judge = Judge::new(options(args, global)?).map_err(Exit::usage)?;
    let mut count = Count::default();
    let mut lines = Lines::new(open(args.file.as_deref())?);
    while let Some((number, line)) = lines.next()? {
        if let Err(why) = one(&line, number, &judge, args, global, &mut count)? {
            count.unreadable += 1;
            anstream::eprintln!("line {number}: {why}");
        }
    }
    if args.score {
        if count.labelled == 0 {
            return Err(Exit::usage("no line has a label: --score needs the field \"expected\""));
        }
        score::print(&count.table, global.json)?;
    }
    count.print(global.json || args.score)?;
    match count.unreadable {
        0 => Ok(()),
        some => Err(Exit::failed(format!("{} could not be read", out::many(some, "line")))),
    }
}

/// One line; the inner error is about that line alone.
fn one(
    line: &str,
    number: u64,
    judge: &Judge,
    args: &JudgeArgs,
    global: &Global,
    count: &mut Count,
) -> Result<Result<(), String>, Exit> {
    let subject = match read(line) {
        Ok(subject) => subject,
        Err(why) => return Ok(Err(why)),
    };
    let id = subject.id.unwrap_or_else(|| format!("line {number}"));
    let answer = match subject.answer {
        Ok(answer) => answer,
        Err(failure) => {
            *count.errors.entry(failure.kind.word()).or_default() += 1;
            return tell_failure(&id, &failure, args, global).map(Ok);
        }
    };
    let judged = judge.judge(&Ask::of(&subject.request), &answer, Arrival::Complete);
    let verdict = judged.verdict;
    *count.classes.entry(verdict.quality).or_default() += 1;
    if let Some(sample) = subject.sample.filter(|sample| !sample.expected.is_empty()) {
        count.labelled += 1;
        count.table.add(&sample, &verdict);
    }
    if args.score {
        return Ok(Ok(()));
    }
    tell(&id, &verdict, global).map(Ok)
}

fn tell(id: &str, verdict: &Verdict, global: &Global) -> Result<(), Exit> {
    if global.json {
        return out::json(&json!({
            "id": id, "quality": verdict.quality.word(), "rule": verdict.rule, "score": verdict.score,
            "at": verdict.at, "failure": verdict.is_failure, "detail": verdict.detail,
        }));
    }
    let score = verdict.score.map(|score| format!("{score:.3}"));
    let (score, at) = (out::or_dash(score), out::or_dash(verdict.at));
    let (quality, id) = (verdict.quality.word(), out::clean(id));
    if !out::to_people() {
        return out::line(format!("{id}\t{quality}\t{}\t{score}\t{at}", verdict.rule));
    }
    let name = format!("{quality:<18}");
    let name = if verdict.is_failure { name.red().to_string() } else { name };
    let detail = if verdict.quality == Quality::Ok { String::new() } else { out::clean(&verdict.detail) };
    out::line(format!("{name} {:<26} {score:>6} {at:>6}  {id}  {}", verdict.rule, detail.dimmed()))
}

/// A reply that never became an answer: that, too, is a finding.
fn tell_failure(
    id: &str,
    failure: &mainstay_canon::Failure,
    args: &JudgeArgs,
    global: &Global,
) -> Result<(), Exit> {
    let (kind, message) = (failure.kind.word(), out::clean(&failure.message));
    if args.score {
        return Ok(());
    }
    if global.json {
        return out::json(&json!({"id": id, "quality": null, "error_kind": kind, "detail": message}));
    }
    let id = out::clean(id);
    if out::to_people() {
        return out::line(format!(
            "{:<18} {kind:<26} {:>6} {:>6}  {id}  {}",
            "error".red(),
            "-",
            "-",
            message.dimmed()
        ));
    }
    out::line(format!("{id}\terror\t{kind}\t-\t-"))
}

/// The judge of the configuration where there is one, changed by what was typed. What is only observed there
/// is judged here as if it counted.
fn options(args: &JudgeArgs, global: &Global) -> Result<JudgeOptions, Exit> {
    let mut options = match settings::load_without_keys(global)? {
        None => JudgeOptions::default(),
        Some(Ok(config)) => config.quality.judge,
        Some(Err(problems)) => return Err(Exit::usage(problems)),
    };
    options.action = Action::Enforce;
    if let Some(profile) = args.profile {
        options.profile = match profile {
            JudgeProfile::Balanced => Profile::Balanced,
            JudgeProfile::Strict => Profile::Strict,
            JudgeProfile::Off => Profile::Off,
        };
    }
    options.refusal_patterns.extend(args.pattern.iter().cloned());
    Ok(options)
}

/// What came out.
#[derive(Default)]
struct Count {
    classes: BTreeMap<Quality, u64>,
    errors: BTreeMap<&'static str, u64>,
    unreadable: u64,
    labelled: u64,
    table: Table,
}

impl Count {
    /// By class, below the rows; beside them where a script reads the rows.
    fn print(&self, aside: bool) -> Result<(), Exit> {
        let classes = self.classes.iter().map(|(quality, number)| (quality.word(), number));
        let errors = self.errors.iter().map(|(kind, number)| (*kind, number));
        for (name, number) in classes.chain(errors) {
            let line = format!("{number:>8} {name}");
            if aside || !out::to_people() {
                anstream::eprintln!("{line}");
            } else {
                out::line(line)?;
            }
        }
        Ok(())
    }
}

/// The lines of whatever was given.
type Source = Box<dyn BufRead>;
