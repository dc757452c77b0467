//! Lines of answers that are judged from a file.

use mainstay_quality::score::{Sample, Table};
use mainstay_quality::{Arrival, Ask};

use crate::cut::text;
use crate::judge::{judges, sound};

/// An answer a line, with its label where it has one: any line is refused in a few words or judged, and a table of what
/// was judged counts each line once at most.
pub fn sample(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let mut table = Table::default();
    let mut labelled = 0;
    for line in text.lines() {
        let sample = match Sample::read(line) {
            Ok(sample) => sample,
            Err(error) => {
                assert!(error.to_string().len() <= 1024 + 4 * line.len(), "{error}");
                continue;
            }
        };
        let (request, answer) = (sample.request(), sample.answer());
        labelled += usize::from(sample.accepted().is_some());
        for judge in judges() {
            let ask = Ask::of(&request);
            let judged = judge.judge(&ask, &answer, Arrival::Complete);
            assert_eq!(judge.judge(&ask, &answer, Arrival::Complete), judged, "a verdict is the same twice");
            sound(&judged, &answer, &request);
        }
        if let Some(judge) = judges().next() {
            table.add(&sample, &judge.judge(&Ask::of(&request), &answer, Arrival::Complete).verdict);
        }
    }
    let counted: usize = table.classes.values().map(|share| share.of).sum();
    assert!(counted <= labelled, "{counted} of {labelled}");
}
