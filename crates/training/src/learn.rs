//! Learns what each signal is worth: a regularized logistic regression, step by step in a fixed order.

use std::borrow::Cow;

use mainstay_quality::model::{GRAMS, Model, NAMED, SIGNALS, UNIT};

use crate::answers::{Labelled, hash};

/// How often every answer is looked at for the named pieces …
const PIECE_ROUNDS: u32 = 40;
/// … and then for the grams, which are learnt on top of them.
const GRAM_ROUNDS: u32 = 12;
/// First length of a step for a piece …
const PIECE_STEP: f64 = 0.2;
/// … and for a gram.
const GRAM_STEP: f64 = 0.05;
/// How strongly the weights are drawn to zero.
const DECAY: f64 = 1e-3;
/// What a gram counts beside a named piece.
const GRAM: f64 = 0.35;
/// Answers in which a gram has to stand to be learnt.
const FEWEST: u32 = 3;
/// What the squares of the slopes begin with, so that first steps are not too long.
const FIRST_SQUARE: f64 = 1e-2;
/// Folds inside the answers that are learnt from, by which the limits are set.
const INNER: u64 = 4;
/// Of the good answers, in ten thousandths, at most so many may be called refusals …
const FALSE_ALARMS: usize = 65;
/// … and so many noted as possible ones.
const NOTED: usize = 250;

/// Weights before they are rounded.
struct Weights {
    bias: f64,
    signals: Vec<f64>,
}

/// A model of these answers, with its limits.
pub fn learn(answers: &[&Labelled]) -> Model {
    let answers: Vec<&Labelled> = answers.iter().copied().filter(|answer| answer.teaches()).collect();
    let mut sums: Vec<(i32, bool)> = Vec::new();
    for fold in 0..INNER {
        let inner = |answer: &&&Labelled| hash(&format!("inner {}", key(answer))) % INNER == fold;
        let rest: Vec<&Labelled> = answers.iter().filter(|answer| !inner(answer)).copied().collect();
        let model = round(&weigh(&rest));
        let apart = answers.iter().filter(inner).filter(|answer| answer.sample.method != "string");
        sums.extend(apart.map(|answer| (sum(&model, &answer.signals), answer.is_refusal())));
    }
    let mut model = round(&weigh(&answers));
    (model.refusal, model.possible) = limits(sums);
    model
}

fn key(answer: &Labelled) -> &str {
    if answer.sample.prompt.is_empty() { &answer.sample.id } else { &answer.sample.prompt }
}

/// An answer as it is learnt from: its pieces, and those of its grams that stand in enough answers.
struct Lesson {
    pieces: Vec<usize>,
    grams: Vec<usize>,
    truth: f64,
}

fn lessons(answers: &[&Labelled]) -> Vec<Lesson> {
    let mut seen = vec![0_u32; SIGNALS];
    for answer in answers {
        let mut own = answer.signals.clone();
        own.sort_unstable();
        own.dedup();
        for signal in own {
            if let Some(count) = seen.get_mut(signal as usize) {
                *count += 1;
            }
        }
    }
    let known = |signal: &usize| seen.get(*signal).is_some_and(|count| *count >= FEWEST);
    let lesson = |answer: &&Labelled| {
        let signals = answer.signals.iter().map(|signal| *signal as usize);
        let (pieces, grams): (Vec<usize>, Vec<usize>) = signals.partition(|signal| *signal < NAMED);
        Lesson {
            pieces,
            grams: grams.into_iter().filter(known).collect(),
            truth: if answer.is_refusal() { 1.0 } else { 0.0 },
        }
    };
    answers.iter().map(lesson).collect()
}

fn weigh(answers: &[&Labelled]) -> Weights {
    let lessons = lessons(answers);
    let mut weights = Weights { bias: 0.0, signals: vec![0.0; SIGNALS] };
    let mut squares = vec![FIRST_SQUARE; SIGNALS];
    let mut bias_square = FIRST_SQUARE;
    for round in 0..PIECE_ROUNDS + GRAM_ROUNDS {
        // The pieces carry to wordings that were never seen, so they are settled first, and then kept.
        let early = round < PIECE_ROUNDS;
        for index in order(lessons.len(), round) {
            let Some(lesson) = lessons.get(index) else { continue };
            let pieces: f64 = lesson.pieces.iter().map(|piece| at(&weights.signals, *piece)).sum();
            let grams: f64 = if early {
                0.0
            } else {
                lesson.grams.iter().map(|gram| GRAM * at(&weights.signals, *gram)).sum()
            };
            let error = sigmoid(weights.bias + pieces + grams) - lesson.truth;
            bias_square += error * error;
            weights.bias -= PIECE_STEP * error / bias_square.sqrt();
            let (signals, value, step) =
                if early { (&lesson.pieces, 1.0, PIECE_STEP) } else { (&lesson.grams, GRAM, GRAM_STEP) };
            for signal in signals {
                let places = weights.signals.get_mut(*signal).zip(squares.get_mut(*signal));
                let Some((weight, square)) = places else { continue };
                let slope = error * value + DECAY * *weight;
                *square += slope * slope;
                *weight -= step * slope / square.sqrt();
            }
        }
    }
    weights
}

fn at(weights: &[f64], signal: usize) -> f64 {
    weights.get(signal).copied().unwrap_or(0.0)
}

/// The answers in an order of their own for each round.
fn order(count: usize, round: u32) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut state = u64::from(round) + 1;
    for index in (1..count).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let other = usize::try_from(state >> 33).unwrap_or(0) % (index + 1);
        order.swap(index, other);
    }
    order
}

/// Of basic operations alone: the exponential of a library differs from machine to machine.
fn sigmoid(odds: f64) -> f64 {
    let small = -odds.clamp(-30.0, 30.0) / 1024.0;
    let mut power = 1.0 + small + small * small / 2.0;
    for _ in 0..10 {
        power *= power;
    }
    1.0 / (1.0 + power)
}

/// The weights as the small whole numbers of a model.
fn round(weights: &Weights) -> Model {
    let unit = f64::from(UNIT);
    let (named, grams) = weights.signals.split_at(NAMED);
    let most = grams.iter().fold(1e-6_f64, |most, weight| most.max(weight.abs())) * GRAM * unit;
    // In 256ths of a unit for one step of a byte.
    let gram_step = whole((most / 127.0 * 256.0).ceil()).max(1);
    let byte = |weight: &f64| {
        let steps = whole((weight * GRAM * unit * 256.0 / f64::from(gram_step)).round()).clamp(-127, 127);
        i8::try_from(steps).unwrap_or(0).cast_unsigned()
    };
    let piece = |weight: &f64| i16::try_from(whole((weight * unit).round())).unwrap_or(0);
    debug_assert_eq!(grams.len(), GRAMS);
    Model {
        refusal: i32::MAX,
        possible: i32::MAX,
        bias: whole((weights.bias * unit).round()),
        gram_step,
        pieces: named.iter().map(piece).collect(),
        grams: Cow::Owned(grams.iter().map(byte).collect()),
    }
}

#[allow(clippy::cast_possible_truncation, reason = "rounded and small")]
fn whole(number: f64) -> i32 {
    number as i32
}

/// What the model makes of these signals.
pub fn sum(model: &Model, signals: &[u32]) -> i32 {
    let (mut pieces, mut grams) = (model.bias, 0_i32);
    for signal in signals {
        let signal = *signal as usize;
        match signal.checked_sub(NAMED) {
            None => pieces += model.pieces.get(signal).copied().map_or(0, i32::from),
            Some(gram) => grams += model.grams.get(gram).map_or(0, |byte| i32::from(byte.cast_signed())),
        }
    }
    pieces + grams.saturating_mul(model.gram_step) / 256
}

/// The sum that finds refusals best while few good answers are called so, and the sum from which on a refusal
/// is possible.
fn limits(mut sums: Vec<(i32, bool)>) -> (i32, i32) {
    sums.sort_unstable_by(|a, b| b.cmp(a));
    let refusals = sums.iter().filter(|(_, refusal)| *refusal).count();
    let good = sums.len() - refusals;
    let (mut found, mut false_alarms) = (0, 0);
    let mut best = (0, 0, i32::MAX);
    let mut possible = i32::MAX;
    for (index, (sum, refusal)) in sums.iter().enumerate() {
        found += usize::from(*refusal);
        false_alarms += usize::from(!refusal);
        let next = sums.get(index + 1).map_or(i32::MIN, |(next, _)| *next);
        if next == *sum {
            continue;
        }
        // Half-way to the next sum, so that neither side is cut close.
        let limit = sum.midpoint(next.max(sum.saturating_sub(UNIT)));
        if false_alarms * 10_000 <= good * FALSE_ALARMS {
            // Twice the hits over all that was called or is a refusal, as a fraction.
            let (over, under) = (2 * found, found + false_alarms + refusals);
            if over * best.1 >= best.0 * under || best.1 == 0 {
                best = (over, under, limit);
            }
        }
        if false_alarms * 10_000 <= good * NOTED {
            possible = limit;
        }
    }
    (best.2, possible.min(best.2))
}
