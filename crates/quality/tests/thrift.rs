//! What an ordinary answer costs: no allocation, and a bounded amount of reading.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use mainstay_canon::{Answer, ChatRequest, FinishReason, Quality, Usage};
use mainstay_quality::{Arrival, Ask, Judge, JudgeOptions, model};

/// Good answers of about a kilobyte.
fn ordinary() -> Vec<String> {
    let paragraphs = [
        "Rainbows form when sunlight enters a drop of water, bends, bounces off the far side and leaves again. \
         Each colour bends by its own angle, so the eye sees an arc, red outside and violet inside. ",
        "Start with the flour and the butter, then add cold water by the spoon. Let the dough rest for an hour; it \
         can't be rushed. Roll it thin, prick it with a fork, and bake it at 190 degrees until it is golden. ",
        "The treaty ended thirty years of war. It gave the princes their rights, moved a few borders, and left the \
         emperor weaker than before: historians still argue about how much of the modern state began there. ",
        "Der Regenbogen entsteht, wenn Licht in einen Tropfen fällt, gebrochen und zurückgeworfen wird. Jede Farbe \
         hat ihren eigenen Winkel, deshalb sieht man einen Bogen, außen rot und innen violett. ",
    ];
    let turn = |at: usize| paragraphs.iter().cycle().skip(at).take(5).copied().collect::<String>();
    (0..paragraphs.len()).map(turn).collect()
}

#[test]
fn an_ordinary_answer_is_judged_without_an_allocation() {
    let judge = Judge::new(JudgeOptions::default()).unwrap();
    let request = ChatRequest::user("Tell me something about the world in a few paragraphs.");
    for text in ordinary() {
        let usage = Usage { completion: 250, ..Usage::default() };
        let answer = Answer { text, finish_reason: FinishReason::Stop, usage, ..Answer::default() };
        let mut quality = Quality::Empty;
        let counted = allocation_counter::measure(|| {
            quality = judge.judge(&Ask::of(&request), &answer, Arrival::Complete).verdict.quality;
        });
        assert_eq!((quality, counted.count_total), (Quality::Ok, 0), "{}", answer.text);
    }
}

#[test]
fn what_is_read_of_an_answer_does_not_grow_with_it() {
    for text in ordinary() {
        let one = model::effort(&text);
        assert!(one <= 1_600, "{one} steps for a kilobyte");
        assert!(model::effort(&text.repeat(1_000)) <= one + 600, "{one} steps");
    }
}
