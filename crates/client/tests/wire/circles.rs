//! Streams that go round in circles: recorded, or stopped where the operator wants that (`on_loop`).

use mainstay::{ChatRequest, Kind, Outcome, Quality};
use mainstay_testkit::Reply;

use crate::common::Bench;
use crate::common::bytes::{ends, says, stream_of};

const STOP: &str = "[quality]\non_loop = \"stop\"\n";

fn ask() -> ChatRequest {
    ChatRequest::user("Tell me how the river runs.")
}

/// A sound beginning, then one sentence for ever.
fn going_round() -> Reply {
    let mut events =
        vec![says("The river rises in the mountains near Soria and runs west to the sea at Porto. ")];
    events.extend((0..2_000).map(|_| says("It runs on and on and on. ")));
    events.extend(ends("stop", 12, 14_000));
    Reply::Raw(stream_of(&events))
}

#[tokio::test]
async fn a_loop_in_the_middle_of_a_stream_stops_it_where_that_is_wanted() {
    let bench = Bench::start(&["m"], STOP).await;
    bench.provider.on("m", [going_round()]);
    let streamed = bench.stream(ask()).await;
    let failure = streamed.error().failures.last().unwrap();
    assert_eq!(failure.kind, Kind::Bad(Quality::Degenerate));
    let given = streamed.text().len();
    assert!((1_000..20_000).contains(&given), "{given} bytes went out");
    let rows = bench.rows();
    assert_eq!((rows[0].outcome, rows[0].quality), (Outcome::Quality, Some(Quality::Degenerate)));
    let why = &streamed.error().attempts.last().unwrap().why;
    assert!(why.contains("circles"), "{why}");
}

#[tokio::test]
async fn by_default_a_loop_is_handed_over_and_recorded() {
    let bench = Bench::start(&["m"], "").await;
    bench.provider.on("m", [going_round()]);
    let streamed = bench.stream(ask()).await;
    assert_eq!(streamed.done().quality.quality, Quality::Degenerate);
    assert!(streamed.text().len() > 50_000);
}

#[tokio::test]
async fn who_only_observes_or_accepts_loops_is_given_them_whole() {
    for quality in ["action = \"observe\"", "classes = { degenerate = \"accept\" }"] {
        let bench = Bench::start(&["m"], &format!("{STOP}{quality}\n")).await;
        bench.provider.on("m", [going_round()]);
        let streamed = bench.stream(ask()).await;
        assert!(streamed.text().len() > 50_000, "{quality}");
        streamed.done();
    }
}
