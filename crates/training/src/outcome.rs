//! Judges answers by models that have not seen them.

use mainstay_canon::{Quality, Verdict};
use mainstay_quality::model::Model;
use mainstay_quality::score::Table;
use mainstay_quality::{Arrival, Ask, Judge, JudgeOptions, PatternError};

use crate::answers::{FOLDS, Labelled};
use crate::learn::learn;

/// What a judge with `model` makes of an answer.
fn verdict(judge: &Judge, answer: &Labelled) -> Verdict {
    let request = answer.sample.request();
    judge.judge(&Ask::of(&request), &answer.sample.answer(), Arrival::Complete).verdict
}

/// The verdicts on all answers, each by a model trained on the four folds it is not in.
///
/// # Errors
///
/// Never in practice: there are no patterns.
pub fn by_folds(answers: &[Labelled]) -> Result<Vec<Verdict>, PatternError> {
    let mut verdicts = vec![Verdict::ok(); answers.len()];
    for fold in 0..FOLDS {
        let rest: Vec<&Labelled> = answers.iter().filter(|answer| answer.fold != fold).collect();
        let judge = Judge::with_model(JudgeOptions::default(), learn(&rest))?;
        for (answer, place) in answers.iter().zip(&mut verdicts) {
            if answer.fold == fold {
                *place = verdict(&judge, answer);
            }
        }
    }
    Ok(verdicts)
}

/// A table of the answers of one data set, judged by a model trained on all others.
///
/// # Errors
///
/// Never in practice: there are no patterns.
pub fn without(answers: &[Labelled], family: &str) -> Result<Table, PatternError> {
    let rest: Vec<&Labelled> = answers.iter().filter(|answer| answer.sample.family() != family).collect();
    let judge = Judge::with_model(JudgeOptions::default(), learn(&rest))?;
    let mut table = Table::default();
    for answer in answers.iter().filter(|answer| answer.sample.family() == family) {
        table.add(&answer.sample, &verdict(&judge, answer));
    }
    Ok(table)
}

/// A model of all answers: the one that is built in.
pub fn shipped(answers: &[Labelled]) -> Model {
    learn(&answers.iter().collect::<Vec<_>>())
}

/// Whether a verdict calls the answer a refusal.
pub fn refused(verdict: &Verdict) -> bool {
    verdict.quality == Quality::Refusal
}
