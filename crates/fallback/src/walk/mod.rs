//! One request's way down a chain: fed with outcomes and moments, it says what comes next.
//!
//! Knows neither HTTP nor a provider nor money. `choose` picks the next tier, `failed` draws the
//! consequences of a failure, `ending` words the end.

mod choose;
mod ending;
mod failed;
mod run;

use std::sync::Arc;
use std::time::Duration;

use mainstay_canon::{Failure, Moment, Target};
use mainstay_retry::consequence_of;

use crate::board::HealthBoard;
use crate::health::{Admission, ReportedQuota};
use crate::plan::ChainPlan;
use crate::step::{Continue, End, Skip, SkipReason, Step, Try, WalkAsk};
use choose::Choice;
use run::{Fate, Run, RunState, fate_of};

/// Less time than this is none: no attempt is begun with it.
const LEAST_TIME: Duration = Duration::from_millis(1);

/// One request's way down a chain.
///
/// Ask [`step`](Self::step) what to do; report each attempt that it hands out with exactly one of
/// [`succeeded`](Self::succeeded), [`failed`](Self::failed), [`over_budget`](Self::over_budget),
/// [`refused_locally`](Self::refused_locally) and [`aborted`](Self::aborted). A walk that is dropped while
/// an attempt is under way reports it as aborted.
#[derive(Debug)]
pub struct Walk {
    plan: Arc<ChainPlan>,
    board: HealthBoard,
    deadline: Moment,
    prompt_tokens: u64,
    can_grow: bool,
    /// One tier was addressed: no other is asked, no switch applies.
    alone: bool,
    /// In the order in which they are asked, those that are held back last.
    runs: Vec<Run>,
    out: Option<Out>,
    again: Option<Again>,
    calls: u32,
    failures: Vec<Failure>,
    skips: Vec<Skip>,
    /// Providers that refused.
    refusers: Vec<Arc<str>>,
    /// Models that have had their say, whatever the key.
    heard: Vec<Target>,
    too_long_for: TooLong,
    released: Option<Continue>,
    /// No further tier is asked.
    stopped: bool,
    waiting_since: Option<Moment>,
    ended: Option<End>,
}

/// The attempt that is under way.
#[derive(Debug)]
struct Out {
    slot: usize,
    admission: Admission,
    time_left: Duration,
    waiting_since: Option<Moment>,
    answering: bool,
    tokens: Option<u64>,
}

/// The same tier is asked again, not before that moment.
#[derive(Clone, Copy, Debug)]
struct Again {
    slot: usize,
    at: Moment,
}

/// What is known of windows that were too small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TooLong {
    #[default]
    No,
    /// For this many tokens; `None` where the window's size is not known.
    For(Option<u64>),
}

impl Walk {
    /// The way of one request. Indices in the ask that the plan does not have are ignored.
    pub fn new(plan: Arc<ChainPlan>, board: HealthBoard, ask: WalkAsk) -> Self {
        let named = ask.only.or_else(|| ask.order.as_ref().and_then(|order| order.first().copied()));
        let wanted = match (ask.only, ask.order) {
            (Some(only), _) => vec![only],
            (None, Some(order)) if !order.is_empty() => order,
            (None, Some(_) | None) => (0..plan.tiers.len()).collect(),
        };
        let mut runs: Vec<Run> = Vec::with_capacity(wanted.len());
        for tier in wanted {
            if let Some(known) = plan.tiers.get(tier)
                && !runs.iter().any(|run| run.tier == tier)
            {
                runs.push(Run::new(tier, known, known.static_fallback && named != Some(tier)));
            }
        }
        // Stable: both parts keep their order.
        runs.sort_by_key(|run| run.is_static);
        Self {
            plan,
            board,
            deadline: ask.start.after(ask.deadline),
            prompt_tokens: ask.prompt_tokens,
            can_grow: ask.can_grow_max_tokens,
            alone: ask.only.is_some(),
            runs,
            out: None,
            again: None,
            calls: 0,
            failures: Vec::new(),
            skips: Vec::new(),
            refusers: Vec::new(),
            heard: Vec::new(),
            too_long_for: TooLong::No,
            released: None,
            stopped: false,
            waiting_since: None,
            ended: None,
        }
    }

    /// What comes next. `chance` is in `0.0..1.0`.
    pub fn step(&mut self, now: Moment, chance: f64) -> Step {
        // An attempt that nobody reported is nobody's any more.
        self.aborted(now);
        if let Some(end) = &self.ended {
            return Step::End(end.clone());
        }
        if self.stopped || self.time_left(now) < LEAST_TIME {
            return self.finish(now);
        }
        let (choice, share) = self.choose(now, chance);
        match choice {
            Choice::Ask(slot, admission) => self.hand_out(slot, admission, share, now),
            Choice::Wait(wait) => {
                self.waiting_since.get_or_insert(now);
                Step::Wait(wait)
            }
            Choice::Nothing => self.finish(now),
        }
    }

    fn hand_out(&mut self, slot: usize, admission: Admission, time_left: Duration, now: Moment) -> Step {
        let Some(run) = self.runs.get_mut(slot) else { return self.finish(now) };
        run.state = RunState::Trying;
        run.attempts = run.attempts.saturating_add(1);
        run.unready = None;
        run.skipped = None;
        self.calls = self.calls.saturating_add(1);
        let attempt = Try {
            tier: run.tier,
            number: self.calls,
            tier_attempt: run.attempts,
            time_left,
            grow_max_tokens: run.grown,
            probe: admission.probe.is_some(),
            waited: self.waiting_since.map_or(Duration::ZERO, |since| now.since(since)),
        };
        let waiting_since = self.waiting_since.take();
        self.out = Some(Out { slot, admission, time_left, waiting_since, answering: false, tokens: None });
        Step::Try(attempt)
    }

    fn finish(&mut self, now: Moment) -> Step {
        let end = self.end(now);
        self.ended = Some(end.clone());
        Step::End(end)
    }

    fn time_left(&self, now: Moment) -> Duration {
        now.until(self.deadline)
    }

    /// The answer of the attempt handed out last was accepted.
    pub fn succeeded(&mut self, now: Moment) {
        let Some(out) = self.out.take() else { return };
        if let Some(run) = self.runs.get_mut(out.slot) {
            run.state = RunState::Spent(Fate::Answered);
            let mut state = self.board.lock();
            correct(&mut state, run, &out, now);
            let return_over = self.plan.return_over_of(run.tier);
            state.succeeded(&run.key, &out.admission, now, return_over);
        }
        self.stopped = true;
    }

    /// Content comes from the attempt under way: whatever becomes of it, its provider is up. Optional; it
    /// lets a tier whose return depends on a probe come back before a long answer has ended.
    pub fn answering(&mut self, now: Moment) {
        let Some(out) = self.out.as_mut().filter(|out| !out.answering) else { return };
        out.answering = true;
        if let Some(run) = self.runs.get(out.slot) {
            let return_over = self.plan.return_over_of(run.tier);
            self.board.lock().answering(&run.key, &out.admission, now, return_over);
        }
    }

    /// A part of the answer under way has been handed over. What follows if it breaks off is the caller's
    /// choice (behaviour 7.4); a refusal or a verdict from before is then no ending any more.
    pub fn released(&mut self, then: Continue) {
        self.released = Some(then);
    }

    /// How many tokens the attempt under way used, for the tier's limit of tokens a minute.
    pub fn used_tokens(&mut self, tokens: u64) {
        if let Some(out) = &mut self.out {
            out.tokens = Some(tokens);
        }
    }

    /// What the provider of the attempt under way says is left of its rate limits.
    pub fn quota_reported(&mut self, report: ReportedQuota, now: Moment) {
        if let Some(run) = self.out.as_ref().and_then(|out| self.runs.get(out.slot)) {
            self.board.lock().entry(&run.key, now).load().report(report, now);
        }
    }

    /// The tier handed out last does not fit what is left of a cap: no call was made (behaviour 8.2a).
    pub fn over_budget(&mut self, failure: Failure, now: Moment) {
        self.not_made(failure, SkipReason::OverBudget, Fate::OverBudget, now);
    }

    /// The request could not be written for the tier handed out last: no call was made.
    pub fn refused_locally(&mut self, failure: Failure, now: Moment) {
        let fate = fate_of(failure.kind);
        self.not_made(failure, SkipReason::Unsupported, fate, now);
    }

    fn not_made(&mut self, failure: Failure, reason: SkipReason, fate: Fate, _now: Moment) {
        let Some(out) = self.out.take() else { return };
        let Some(run) = self.runs.get_mut(out.slot) else { return };
        self.board.lock().undo(&run.key, &out.admission);
        self.calls = self.calls.saturating_sub(1);
        self.waiting_since = out.waiting_since;
        run.attempts = run.attempts.saturating_sub(1);
        run.last = Some(failure.kind);
        run.state = RunState::Spent(fate);
        run.skipped = Some(reason);
        let target = run.key.target.clone();
        self.skips.push(Skip {
            tier: run.tier,
            target: target.clone(),
            reason,
            why: failure.message.clone(),
        });
        let failure = if failure.target.is_none() { failure.at(&target) } else { failure };
        self.go_on_or_stop(&failure, &consequence_of(&failure), out.slot);
        self.heard.push(target);
        self.failures.push(failure);
    }

    /// The caller went away. A probe gives its place back.
    pub fn aborted(&mut self, _now: Moment) {
        self.give_back();
    }

    fn give_back(&mut self) {
        let Some(out) = self.out.take() else { return };
        if let Some(run) = self.runs.get_mut(out.slot) {
            run.state = RunState::Spent(run.last.map_or(Fate::Unfit, fate_of));
            self.board.lock().aborted(&run.key, &out.admission);
        }
    }

    /// The tiers that were passed over since this was last asked: rows for the log (6.1).
    pub fn take_skips(&mut self) -> Vec<Skip> {
        std::mem::take(&mut self.skips)
    }

    /// Everything that failed so far, in order; attempts that were not made for want of money or words are
    /// among them.
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// How many calls were handed out and made so far.
    pub fn calls(&self) -> u32 {
        self.calls
    }
}

impl Drop for Walk {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// Books the tokens that an attempt used, where they were told.
fn correct(state: &mut crate::board::State, run: &Run, out: &Out, now: Moment) {
    if let Some(tokens) = out.tokens {
        state.entry(&run.key, now).load().correct(out.admission.at, out.admission.tokens, tokens);
    }
}
