//! Event streams within the rules of the standard, in all their spellings: ours and the public readers agree.

use mainstay_fuzzing::sse_differential;
use proptest::prelude::*;
use proptest::sample::select;

/// A value that a field may have: anything but a line end.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[^\r\n]{0,12}",
        2 => select(vec!["", " ", ":", "[DONE]", "{\"a\": 1}", "\u{feff}", "é世🙂", "\0", "data: x", "7"])
            .prop_map(str::to_owned),
    ]
}

fn line() -> impl Strategy<Value = String> {
    let named = (select(vec!["data", "data", "data", "event", "id", "retry", "other"]), value());
    prop_oneof![
        6 => (named, any::<bool>())
            .prop_map(|((name, value), space)| format!("{name}:{}{value}", if space { " " } else { "" })),
        1 => value().prop_map(|value| format!(":{value}")),
        1 => select(vec!["data", "event", "id", "retry", "Data", "data "]).prop_map(str::to_owned),
        3 => Just(String::new()),
    ]
}

fn line_end() -> impl Strategy<Value = &'static str> {
    select(vec!["\n", "\r", "\r\n"])
}

fn event_stream() -> impl Strategy<Value = String> {
    let mixed = prop::collection::vec((line(), line_end()), 0..24);
    // As a rule a stream keeps to one line end.
    let plain = (prop::collection::vec(line(), 0..24), line_end())
        .prop_map(|(lines, end)| lines.into_iter().map(|line| (line, end)).collect::<Vec<_>>());
    let mark = select(vec!["", "\u{feff}"]);
    (mark, prop_oneof![mixed, plain]).prop_map(|(mark, lines)| {
        let lines: String = lines.into_iter().map(|(line, end)| line + end).collect();
        format!("{mark}{lines}")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_stream_within_the_rules_gives_the_same_events_everywhere(wire in event_stream()) {
        sse_differential(wire.as_bytes());
    }

    #[test]
    fn a_stream_that_is_cut_gives_what_came_before(wire in event_stream(), at in any::<prop::sample::Index>()) {
        let wire = wire.as_bytes();
        sse_differential(&wire[..at.index(wire.len() + 1)]);
    }
}

#[test]
fn every_difference_says_why() {
    for (what, why) in mainstay_fuzzing::DIFFERENCES {
        assert!(!what.is_empty() && !why.is_empty());
    }
}
