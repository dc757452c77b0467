//! How long the judge takes for an ordinary answer of one kilobyte. Printed, never tested: a clock is no judge.

use std::time::Instant;

use mainstay_canon::{Answer, ChatRequest};
use mainstay_quality::{Arrival, Ask, Judge, JudgeOptions, PatternError};

use crate::answers::Labelled;

/// Bytes of the answers.
const LENGTH: usize = 1024;
/// How many answers.
const ANSWERS: usize = 200;
/// How often they are judged; the quickest time counts, since others share the machine.
const ROUNDS: usize = 200;

/// Ordinary English answers of one kilobyte, put together from shorter ones.
pub fn ordinary(answers: &[Labelled]) -> Vec<(ChatRequest, Answer)> {
    let ordinary: Vec<&Labelled> = answers
        .iter()
        .filter(|answer| {
            answer.sample.is_plain() && answer.sample.lang == "en" && answer.sample.response.len() > 300
        })
        .collect();
    let groups = ordinary.chunks_exact(4).take(ANSWERS);
    groups
        .filter_map(|four| {
            let (first, rest) = four.split_first()?;
            let mut sample = first.sample.clone();
            for more in rest {
                sample.response.push(' ');
                sample.response.push_str(&more.sample.response);
            }
            sample.response.truncate(sample.response.floor_char_boundary(LENGTH));
            Some((sample.request(), sample.answer()))
        })
        .collect()
}

/// Microseconds an answer, on the quickest of many rounds.
///
/// # Errors
///
/// Never in practice: there are no patterns.
pub fn microseconds(answers: &[Labelled]) -> Result<f64, PatternError> {
    let judge = Judge::new(JudgeOptions::default())?;
    let ordinary = ordinary(answers);
    let mut best = f64::MAX;
    for _ in 0..ROUNDS {
        let began = now();
        for (request, answer) in &ordinary {
            std::hint::black_box(judge.judge(&Ask::of(request), answer, Arrival::Complete));
        }
        best = best.min(began.elapsed().as_secs_f64());
    }
    #[allow(clippy::cast_precision_loss, reason = "a few hundred")]
    let each = best / ordinary.len().max(1) as f64;
    Ok(each * 1e6)
}

#[allow(clippy::disallowed_methods, reason = "a stopwatch outside the product")]
fn now() -> Instant {
    Instant::now()
}
