//! The thread that brings the database up to the journal. When the database does not take a batch, the
//! journal carries it and the thread tries again: nothing is dropped here.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mainstay_canon::Moment;
use parking_lot::{Condvar, Mutex};

use crate::journal::{Journal, Position};
use crate::options::StoreOptions;
use crate::sink::{Sink, SinkError, Sweep, Swept};
use crate::tail::{Batch, Tail};

/// How long entries gather before they are taken, unless somebody waits for them.
const GATHER: Duration = Duration::from_millis(20);
/// First wait after the database failed; doubles up to [`LONGEST_WAIT`].
const FIRST_WAIT: Duration = Duration::from_millis(100);
/// Longest wait after the database failed.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// How long the ledger remembers what a user or session spent in a window after the last addition:
/// longer than any day, and the only end of a session.
const LEDGER_MEMORY: Duration = Duration::from_hours(90 * 24);
/// How often old rows are looked for.
const SWEEP_EVERY: Duration = Duration::from_mins(10);

/// What the store's users and its thread share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) journal: Journal,
    pub(crate) options: StoreOptions,
    pub(crate) progress: Mutex<Progress>,
    /// Something was appended or asked for.
    pub(crate) wake: Condvar,
    /// Something was taken or swept.
    pub(crate) done: Condvar,
    opened: (Moment, Instant),
}

/// How far each side is.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    pub(crate) written: Position,
    pub(crate) taken: Position,
    pub(crate) lines_written: u64,
    pub(crate) lines_taken: u64,
    /// Whether the thread waits for something to do; otherwise it looks again by itself.
    idle: bool,
    /// How many wait for all to be taken.
    pub(crate) waiters: u32,
    pub(crate) stop: bool,
    /// The thread has ended.
    pub(crate) ended: bool,
    pub(crate) counts: Counts,
    /// What the database said last, while it does not take entries.
    pub(crate) trouble: Option<String>,
    /// A sweep that was asked for, by number.
    sweep: Option<(u64, Sweep)>,
    sweeps_asked: u64,
    sweeps_done: u64,
    swept: Swept,
}

/// What has happened since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) torn: u64,
    pub(crate) unreadable: u64,
    pub(crate) rejected: u64,
    pub(crate) dropped: u64,
    pub(crate) swept: Swept,
}

impl Shared {
    pub(crate) fn new(
        journal: Journal,
        options: StoreOptions,
        taken: Position,
        counts: Counts,
        now: Moment,
    ) -> Self {
        let progress = Progress { written: journal.end(), taken, counts, ..Progress::default() };
        Self {
            journal,
            options,
            progress: Mutex::new(progress),
            wake: Condvar::new(),
            done: Condvar::new(),
            opened: (now, Instant::now()),
        }
    }

    /// The moment of the opening, and the time since: never a step backwards.
    pub(crate) fn now(&self) -> Moment {
        self.opened.0.after(self.opened.1.elapsed())
    }

    /// Says that an entry was written.
    pub(crate) fn written(&self, end: Position) {
        let mut progress = self.progress.lock();
        progress.written = progress.written.max(end);
        progress.lines_written = progress.lines_written.saturating_add(1);
        if progress.idle {
            self.wake.notify_one();
        }
    }

    /// Asks for a sweep as of `now` and returns its number.
    pub(crate) fn ask_to_sweep(&self, now: Moment) -> u64 {
        let ago = |age: Duration| {
            let age = i64::try_from(age.as_micros()).unwrap_or(i64::MAX);
            Moment::from_micros(now.micros().saturating_sub(age))
        };
        let sweep = Sweep {
            ok_before: ago(self.options.retention_ok.min(self.options.retention)),
            all_before: ago(self.options.retention.max(self.options.retention_ok)),
            ledger_before: ago(LEDGER_MEMORY),
            max_size: self.options.max_size,
        };
        let mut progress = self.progress.lock();
        progress.sweeps_asked = progress.sweeps_asked.saturating_add(1);
        let number = progress.sweeps_asked;
        progress.sweep = Some((number, sweep));
        self.wake.notify_one();
        number
    }

    /// Waits until everything that is written now is taken; whether it was in time.
    pub(crate) fn wait_until_taken(&self, timeout: Duration) -> bool {
        let until = Instant::now() + timeout;
        let mut progress = self.progress.lock();
        let goal = progress.written;
        progress.waiters += 1;
        self.wake.notify_one();
        while progress.taken < goal && !progress.ended {
            if self.done.wait_until(&mut progress, until).timed_out() {
                break;
            }
        }
        progress.waiters -= 1;
        progress.taken >= goal
    }

    /// Waits until the sweep of that number is done; what it removed.
    pub(crate) fn wait_until_swept(&self, number: u64, timeout: Duration) -> Option<Swept> {
        let until = Instant::now() + timeout;
        let mut progress = self.progress.lock();
        while progress.sweeps_done < number && !progress.ended {
            if self.done.wait_until(&mut progress, until).timed_out() {
                break;
            }
        }
        (progress.sweeps_done >= number).then_some(progress.swept)
    }

    /// Tells the thread to take what is there and end.
    pub(crate) fn stop(&self) {
        self.progress.lock().stop = true;
        self.wake.notify_one();
    }
}

/// What is next for the thread.
enum Task {
    /// Take what was written up to here.
    Take(Position),
    /// Remove some of what is to go.
    Sweep(u64, Sweep),
    /// Take what is left, once, and end.
    End(Position),
}

/// Runs until the store is stopped.
pub(crate) fn run(shared: &Arc<Shared>, mut sink: Box<dyn Sink>, tail: Tail) {
    let mut follower =
        Follower { shared, tail, pending: None, swept: Swept::default(), next_sweep: Instant::now() };
    let mut wait = FIRST_WAIT;
    loop {
        match follower.next_task() {
            Task::Take(end) => match follower.take(sink.as_mut(), end) {
                Ok(()) => wait = FIRST_WAIT,
                Err(error) => {
                    follower.troubled(&error);
                    follower.pause(wait);
                    wait = (wait * 2).min(LONGEST_WAIT);
                }
            },
            Task::Sweep(number, sweep) => follower.sweep(sink.as_mut(), number, &sweep),
            Task::End(end) => {
                if let Err(error) = follower.take(sink.as_mut(), end) {
                    follower.troubled(&error);
                }
                break;
            }
        }
    }
    sink.finish();
    shared.progress.lock().ended = true;
    shared.done.notify_all();
}

struct Follower<'a> {
    shared: &'a Shared,
    tail: Tail,
    /// Read, and not yet taken by the database.
    pending: Option<Batch>,
    swept: Swept,
    next_sweep: Instant,
}

impl Follower<'_> {
    /// Waits for something to do.
    fn next_task(&mut self) -> Task {
        if self.next_sweep <= Instant::now() {
            self.next_sweep = Instant::now() + SWEEP_EVERY;
            self.shared.ask_to_sweep(self.shared.now());
        }
        let mut progress = self.shared.progress.lock();
        loop {
            if progress.stop {
                return Task::End(progress.written);
            }
            if progress.taken < progress.written {
                if progress.waiters == 0 {
                    // A few more may come: one transaction for all of them.
                    self.shared.wake.wait_for(&mut progress, GATHER);
                }
                return if progress.stop {
                    Task::End(progress.written)
                } else {
                    Task::Take(progress.written)
                };
            }
            if let Some((number, sweep)) = progress.sweep {
                return Task::Sweep(number, sweep);
            }
            if self.shared.wake.wait_until(&mut progress, self.next_sweep).timed_out() {
                drop(progress);
                return self.next_task();
            }
        }
    }

    /// Takes all batches up to `end`.
    fn take(&mut self, sink: &mut dyn Sink, end: Position) -> Result<(), SinkError> {
        loop {
            let batch = match self.pending.take() {
                Some(batch) => batch,
                None => self
                    .tail
                    .read(end)
                    .map_err(|error| SinkError(format!("the journal cannot be read: {error}")))?,
            };
            if batch.upto <= self.shared.progress.lock().taken {
                return Ok(());
            }
            match sink.take(&batch.entries, batch.upto) {
                Ok(taken) => self.taken(&batch, taken.rejected),
                Err(error) => {
                    self.pending = Some(batch);
                    return Err(error);
                }
            }
        }
    }

    fn taken(&mut self, batch: &Batch, rejected: u64) {
        // Before anybody is told, so that a reader who was told finds no half-removed segment.
        self.shared.journal.taken(batch.bytes, batch.upto, self.tail.odd(0));
        self.tail.odd(batch.upto.segment);
        let mut progress = self.shared.progress.lock();
        progress.taken = batch.upto;
        progress.lines_taken = progress.lines_taken.saturating_add(batch.lines);
        let counts = &mut progress.counts;
        counts.torn = counts.torn.saturating_add(batch.torn);
        counts.unreadable = counts.unreadable.saturating_add(batch.unreadable);
        counts.rejected = counts.rejected.saturating_add(rejected);
        if progress.trouble.take().is_some() {
            tracing::info!("the database takes entries again");
        }
        self.shared.done.notify_all();
    }

    /// Once per trouble, not once per try.
    fn troubled(&self, error: &SinkError) {
        let mut progress = self.shared.progress.lock();
        if progress.trouble.is_none() {
            tracing::warn!(error = error.0, "the database does not take entries; the journal carries them");
        }
        progress.trouble = Some(error.0.clone());
    }

    /// Waits before the next try, unless the store is stopped.
    fn pause(&self, wait: Duration) {
        let until = Instant::now() + wait;
        let mut progress = self.shared.progress.lock();
        while !progress.stop {
            if self.shared.wake.wait_until(&mut progress, until).timed_out() {
                return;
            }
        }
    }

    /// One batch of a sweep; entries come first.
    fn sweep(&mut self, sink: &mut dyn Sink, number: u64, sweep: &Sweep) {
        let step = sink.sweep(sweep).unwrap_or_else(|error| {
            tracing::warn!(error = error.0, "old rows could not be removed; it is tried again later");
            Swept::default()
        });
        self.swept = self.swept.plus(step);
        let mut progress = self.shared.progress.lock();
        progress.counts.swept = progress.counts.swept.plus(step);
        if !step.is_nothing() {
            return;
        }
        let swept = std::mem::take(&mut self.swept);
        if swept.by_size > 0 {
            tracing::warn!(
                rows = swept.by_size,
                "the log was larger than `max_size`; its oldest rows were removed"
            );
        }
        progress.swept = swept;
        progress.sweeps_done = number;
        if progress.sweep.is_some_and(|(asked, _)| asked == number) {
            progress.sweep = None;
        }
        self.shared.done.notify_all();
    }
}
