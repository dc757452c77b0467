//! Time and chance, passed in: the one place that reads a clock or throws dice.

use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mainstay_canon::Moment;
use tokio::time::Instant;

/// Where the engine takes time and chance from.
pub trait Clock: Send + Sync + 'static {
    /// Now. Never runs backwards within a process.
    fn now(&self) -> Moment;

    /// Waits.
    fn sleep(&self, wait: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;

    /// A number in `0.0..1.0`.
    fn chance(&self) -> f64;
}

/// The machine's clock, read once at start and carried on by the monotonic one: a step of the wall clock
/// neither ends a cooldown early nor frees money.
#[derive(Debug)]
pub struct SystemClock {
    started: Instant,
    started_at: Moment,
}

impl SystemClock {
    /// Starts at the machine's present time.
    pub fn new() -> Self {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { started: Instant::now(), started_at: Moment::EPOCH.after(since_epoch) }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Moment {
        self.started_at.after(self.started.elapsed())
    }

    fn sleep(&self, wait: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(tokio::time::sleep(wait))
    }

    fn chance(&self) -> f64 {
        fastrand::f64()
    }
}
