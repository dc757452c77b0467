//! Says on a terminal that something is under way, and for how long.

use std::future::Future;
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

/// What is over sooner needs no word.
const PATIENCE: Duration = Duration::from_millis(400);
/// How often the line is written anew.
const TICK: Duration = Duration::from_millis(500);

/// Runs to the end, with a line on stderr meanwhile that is gone afterwards. In a pipe there is none.
pub(crate) async fn during<T>(what: &str, work: impl Future<Output = T>) -> T {
    if !std::io::stderr().is_terminal() {
        return work.await;
    }
    let began = Instant::now();
    tokio::pin!(work);
    let mut next = PATIENCE;
    loop {
        if let Ok(done) = tokio::time::timeout(next, &mut work).await {
            if next == TICK {
                anstream::eprint!("\r\u{1b}[2K");
            }
            return done;
        }
        next = TICK;
        anstream::eprint!("\r\u{1b}[2K{what} … {} s", began.elapsed().as_secs());
    }
}
