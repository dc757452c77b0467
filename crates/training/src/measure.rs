//! The figures that are promised, and how near they are: the table of `docs/judging.md`.

use std::fmt::Write as _;

use mainstay_canon::Verdict;
use mainstay_quality::score::{Count, Share, Table};
use mainstay_quality::{Judge, JudgeOptions, PatternError};

use crate::answers::Labelled;
use crate::{held, outcome};

/// One figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What is measured.
    pub name: &'static str,
    /// What it came to.
    pub now: f64,
    /// What it must reach.
    pub must: f64,
    /// What is aimed at.
    pub aim: f64,
    /// How it is written, and in which direction it is good.
    pub kind: Kind,
}

/// What kind of figure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// From 0 to 1; more is better.
    Score,
    /// Percent; less is better.
    Percent,
    /// A count; less is better.
    Count,
}

impl Row {
    /// Whether it reaches what it must.
    pub fn holds(&self) -> bool {
        match self.kind {
            Kind::Score => self.now >= self.must,
            Kind::Percent | Kind::Count => self.now <= self.must,
        }
    }

    fn text(&self, figure: f64) -> String {
        match self.kind {
            Kind::Score => format!("{figure:.3}"),
            Kind::Percent => format!("{figure:.2} %"),
            Kind::Count => format!("{figure:.0}"),
        }
    }
}

/// Everything that is measured.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The promised figures.
    pub rows: Vec<Row>,
    /// The labelled answers, each judged by a model that has not seen it.
    pub table: Table,
    /// Our hard cases, likewise.
    pub hard: Table,
    /// Hard cases by family: right ones of all.
    pub families: Vec<(String, Share)>,
}

impl Measured {
    /// The promised figures as a table in Markdown.
    pub fn markdown(&self) -> String {
        let mut text = String::from("| measure | now | must reach | aim |\n| --- | --- | --- | --- |\n");
        for row in &self.rows {
            let (now, must, aim) = (row.text(row.now), row.text(row.must), row.text(row.aim));
            // Writing to a string cannot fail.
            let _ = writeln!(text, "| {} | {now} | {must} | {aim} |", row.name);
        }
        text
    }
}

/// Measures everything but time.
///
/// # Errors
///
/// Never in practice: there are no patterns.
pub fn measure(answers: &[Labelled]) -> Result<Measured, PatternError> {
    let verdicts = outcome::by_folds(answers)?;
    let (mut table, mut hard) = (Table::default(), Table::default());
    let mut families: std::collections::BTreeMap<String, Share> = std::collections::BTreeMap::new();
    for (answer, verdict) in answers.iter().zip(&verdicts) {
        if answer.hard {
            hard.add(&answer.sample, verdict);
            if let Some(accepted) = answer.sample.accepted() {
                let family = format!("{} ({})", answer.sample.subtype, answer.sample.expected);
                families.entry(family).or_default().add(accepted.contains(&verdict.quality));
            }
        } else {
            table.add(&answer.sample, verdict);
        }
    }
    let rows = rows(answers, &table, &hard)?;
    Ok(Measured { rows, table, hard, families: families.into_iter().collect() })
}

fn rows(answers: &[Labelled], table: &Table, hard: &Table) -> Result<Vec<Row>, PatternError> {
    let score = |name, now, must, aim| Row { name, now, must, aim, kind: Kind::Score };
    let percent =
        |name, rate: f64, must, aim| Row { name, now: rate * 100.0, must, aim, kind: Kind::Percent };
    let count = |name, now: usize, must, aim| Row { name, now: figure(now), must, aim, kind: Kind::Count };
    let language = |code: &str| table.languages.get(code).copied().unwrap_or_default();
    let source = |name: &str| table.sources.get(name).copied().unwrap_or_default();
    let class = |name: &str| table.classes.get(name).copied().unwrap_or_default();
    let without = |family: &str| outcome::without(answers, family).map(|table| Count::f1(table.all));
    let held = held::characters(answers, &Judge::new(JudgeOptions::default())?);
    Ok(vec![
        score("refusal F1, all languages", table.all.f1(), 0.93, 0.96),
        percent("… with false positives of", table.all.false_rate(), 1.0, 0.7),
        score("refusal F1, English", language("en").f1(), 0.94, 0.965),
        score("refusal F1, XSTest (labelled by people)", source("xstest").f1(), 0.94, 0.965),
        score("refusal F1, Korean", language("ko").f1(), 0.94, 0.97),
        score(
            "refusal F1, other languages together",
            table.pooled(|code| !["en", "ko"].contains(&code)).f1(),
            0.90,
            0.95,
        ),
        score("F1 on XSTest, left out of training", without("xstest")?, 0.91, 0.94),
        score("F1 on k-overrefusal (Korean), left out of training", without("k-overrefusal")?, 0.87, 0.90),
        score("F1 on gemma3-refusal-axis, left out of training", without("gemma3-refusal-axis")?, 0.82, 0.88),
        score("F1 on our own hard cases", hard.all.f1(), 0.85, 0.95),
        percent("look-alike good answers flagged", wrong(table.lookalikes), 7.0, 2.0),
        percent("plain good answers flagged", wrong(table.plain), 0.1, 0.05),
        count("right short or tool-only answers called bad", table.short.wrong(), 0.0, 0.0),
        score("recall: empty", class("empty").rate(), 0.98, 1.0),
        score("recall: leaked markup", class("leaked_markup").rate(), 0.98, 1.0),
        score("recall: error text", class("error_text").rate(), 0.98, 1.0),
        score("recall: degenerate", class("degenerate").rate(), 0.93, 0.97),
        count("characters held, ordinary answers, median", held::percentile(&held, 50), 16.0, 8.0),
        count("characters held, ordinary answers, p95", held::percentile(&held, 95), 48.0, 32.0),
    ])
}

fn wrong(share: Share) -> f64 {
    1.0 - share.rate()
}

#[allow(clippy::cast_precision_loss, reason = "a few characters")]
fn figure(count: usize) -> f64 {
    count as f64
}

/// A labelled answer that was judged wrongly, and the verdict.
pub fn misses<'a>(answers: &'a [Labelled], verdicts: &'a [Verdict]) -> Vec<(&'a Labelled, &'a Verdict)> {
    let wrong = |(answer, verdict): &(&Labelled, &Verdict)| {
        answer.sample.method != "string"
            && answer.sample.accepted().is_some_and(|accepted| !accepted.contains(&verdict.quality))
    };
    answers.iter().zip(verdicts).filter(wrong).collect()
}
