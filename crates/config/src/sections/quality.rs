//! `[quality]`: how answers are judged, and what follows from a bad one (behaviour 4.5, 4.6, 6.1a).

use std::collections::BTreeMap;

use mainstay_canon::Quality;
use mainstay_quality::{Action, ClassAction, Judge, JudgeOptions, Profile};

use crate::report::{Fault, Report};
use crate::secret::quoted;
use crate::suggest::nearest;
use crate::table::{Section, either};

/// Most refusal patterns that a judge takes.
const MOST_PATTERNS: usize = 200;

/// The judge's settings, and what follows from its findings.
#[derive(Clone, Debug)]
pub struct QualityPolicy {
    /// How answers are judged.
    pub judge: JudgeOptions,
    /// Whether a refusal sends the request to the next tier.
    pub fallback_on_refusal: bool,
    /// Whether a filtered answer sends the request to the next tier.
    pub fallback_on_filter: bool,
    /// How many different providers may refuse before the refusal is the answer.
    pub max_refusals: u32,
    /// What a refusal by everybody is.
    pub on_refusal: ReturnOrError,
    /// Whether an answer that was cut before it was whole is asked for again with twice the tokens.
    pub grow_max_tokens: bool,
    /// What follows when a stream that was released begins to loop.
    pub on_loop: OnLoop,
    /// Whether a breaker opens when nearly all of a tier's recent answers are bad.
    pub quality_breaker: bool,
}

/// What a refusal by everybody is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReturnOrError {
    /// An answer, marked.
    Return,
    /// An error.
    Error,
}

/// What follows when a stream that was released begins to loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnLoop {
    /// It is recorded.
    Record,
    /// It is stopped.
    Stop,
}

/// Reads the section.
pub(crate) fn read(mut section: Section<'_, '_>, report: &mut Report<'_>) -> QualityPolicy {
    let s = &mut section;
    let policy = QualityPolicy {
        judge: read_judge(s, report),
        fallback_on_refusal: s.flag(report, "fallback_on_refusal").is_none_or(|flag| flag.value),
        fallback_on_filter: s.flag(report, "fallback_on_filter").is_none_or(|flag| flag.value),
        max_refusals: s
            .number(report, "max_refusals", 1..=100)
            .and_then(|number| u32::try_from(number.value).ok())
            .unwrap_or(2),
        on_refusal: s
            .choice(
                report,
                "on_refusal",
                &[("return", ReturnOrError::Return), ("error", ReturnOrError::Error)],
            )
            .map_or(ReturnOrError::Return, |word| word.value),
        grow_max_tokens: s
            .choice(report, "grow_max_tokens", &[("off", false), ("2x", true)])
            .is_some_and(|word| word.value),
        on_loop: s
            .choice(report, "on_loop", &[("record", OnLoop::Record), ("stop", OnLoop::Stop)])
            .map_or(OnLoop::Record, |word| word.value),
        quality_breaker: s.flag(report, "quality_breaker").is_some_and(|flag| flag.value),
    };
    section.close(report);
    policy
}

fn read_judge(section: &mut Section<'_, '_>, report: &mut Report<'_>) -> JudgeOptions {
    let patterns = read_patterns(section, report);
    JudgeOptions {
        action: section
            .choice(report, "action", &[("enforce", Action::Enforce), ("observe", Action::Observe)])
            .map_or(Action::Enforce, |word| word.value),
        profile: section
            .choice(
                report,
                "profile",
                &[("balanced", Profile::Balanced), ("strict", Profile::Strict), ("off", Profile::Off)],
            )
            .map_or(Profile::Balanced, |word| word.value),
        classes: read_classes(section, report),
        refusal_patterns: patterns,
        repair_tool_calls: section.flag(report, "repair_tool_calls").is_some_and(|flag| flag.value),
    }
}

/// The operator's own patterns. Each is tried alone, so that all that cannot be used are told at once.
fn read_patterns(section: &mut Section<'_, '_>, report: &mut Report<'_>) -> Vec<String> {
    let typed = section.texts(report, "refusal_patterns").unwrap_or_default();
    if let Some(beyond) = typed.get(MOST_PATTERNS) {
        report.push(
            Fault::error(
                "too_many",
                &beyond.at,
                format!("quality.refusal_patterns has {} patterns", typed.len()),
            )
            .expected(format!("at most {MOST_PATTERNS}"))
            .fix("join some with |"),
        );
    }
    for pattern in typed.iter().take(MOST_PATTERNS) {
        let alone = JudgeOptions { refusal_patterns: vec![pattern.value.clone()], ..JudgeOptions::default() };
        if let Err(error) = Judge::new(alone) {
            let what = format!("{} = {}: {}", pattern.at.path, quoted(&pattern.value), error.problem);
            report.push(
                Fault::error("bad_pattern", &pattern.at, what)
                    .expected("a regular expression without look-around and back-references"),
            );
        }
    }
    typed.into_iter().map(|pattern| pattern.value).collect()
}

/// Which classes count as failures, where that differs from the rule.
fn read_classes(section: &mut Section<'_, '_>, report: &mut Report<'_>) -> BTreeMap<Quality, ClassAction> {
    let table = section.section(report, "classes", "quality.classes");
    let mut classes = BTreeMap::new();
    for (name, entry) in table.names() {
        let Some(class) = Quality::from_word(&name.value) else {
            let what = format!("unknown quality class {}", quoted(&name.value));
            let meant = nearest(&name.value, Quality::ALL.map(Quality::word));
            let what = meant.map_or(what.clone(), |meant| format!("{what}; did you mean {}?", quoted(meant)));
            let all = either(Quality::ALL.map(|class| class.word().to_owned()));
            report.push(Fault::error("unknown_class", &name.at, what).expected(all));
            continue;
        };
        if let Some(action) =
            entry.choice(report, &[("accept", ClassAction::Accept), ("fail", ClassAction::Fail)])
        {
            classes.insert(class, action);
        }
    }
    classes
}
