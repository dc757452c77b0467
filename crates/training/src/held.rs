//! How many characters of an ordinary answer a stream holds back before it is shown.

use mainstay_canon::ReplyEvent;
use mainstay_quality::{Ask, Hold, HoldOptions, Judge};

use crate::answers::Labelled;

/// Characters that arrive at a time.
const PIECE: usize = 3;
/// Shorter answers say nothing about waiting.
const SHORTEST: usize = 100;

/// Characters held of each ordinary answer, in ascending order; all of them where it was never let go.
pub fn characters(answers: &[Labelled], judge: &Judge) -> Vec<usize> {
    let ordinary = answers.iter().filter(|answer| {
        !answer.hard && answer.sample.is_plain() && answer.sample.response.chars().count() > SHORTEST
    });
    let mut held: Vec<usize> = ordinary.map(|answer| of(answer, judge)).collect();
    held.sort_unstable();
    held
}

fn of(answer: &Labelled, judge: &Judge) -> usize {
    let request = answer.sample.request();
    let mut watch = judge.watch(&Ask::of(&request), HoldOptions::default());
    let characters: Vec<char> = answer.sample.response.chars().collect();
    let mut seen = 0;
    for piece in characters.chunks(PIECE) {
        seen += piece.len();
        if watch.event(&ReplyEvent::Text(piece.iter().collect())) == Hold::Release {
            return seen;
        }
    }
    characters.len()
}

/// The value below which `percent` of the sorted values lie.
pub fn percentile(sorted: &[usize], percent: usize) -> usize {
    sorted.get((sorted.len().saturating_sub(1)) * percent / 100).copied().unwrap_or(0)
}
