//! Requests on simulated time: scripted upstreams that answer with values, no runtime.
//!
//! Each request walks its chain; the simulation always goes on with whichever request is due first.

// Shared by several test programs, none of which uses everything; a test that finds something odd should
// stop right there, helpers included.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::large_enum_variant,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use mainstay_canon::{Answer, Failure, HintSource, Kind, Moment, Quality, RetryHint, Target, Verdict};
use mainstay_fallback::{ChainPlan, Continue, End, HealthBoard, Skip, Step, TierPlan, Try, Walk, WalkAsk};

pub const START: i64 = 1_700_000_000;

pub fn at(secs: f64) -> Moment {
    Moment::from_secs(START).after(Duration::from_secs_f64(secs))
}

pub fn secs_of(now: Moment) -> f64 {
    now.since(Moment::from_secs(START)).as_secs_f64()
}

pub fn secs(secs: f64) -> Duration {
    Duration::from_secs_f64(secs)
}

pub fn target(name: &str) -> Target {
    Target::parse(name).unwrap()
}

/// A plan of these tiers; one whose name ends in `!` is static.
pub fn plan(names: &[&str]) -> ChainPlan {
    let tiers = names.iter().map(|name| TierPlan {
        static_fallback: name.ends_with('!'),
        ..TierPlan::new(target(name.trim_end_matches('!')))
    });
    ChainPlan::new("default", tiers.collect()).unwrap()
}

/// What an upstream does with one call.
#[derive(Clone, Debug)]
pub struct Reply {
    pub takes: Duration,
    pub what: What,
    /// Whether a part was handed over before the end.
    pub released: bool,
}

#[derive(Clone, Debug)]
pub enum What {
    Fine,
    Fails(Failure),
    /// Until the attempt's time is up.
    Hangs,
    /// The cost layer has no room for it: no call is made.
    TooDear,
    /// Cannot be written for this tier: no call is made.
    Unwritable(Kind),
}

pub fn fine() -> Reply {
    Reply { takes: secs(0.01), what: What::Fine, released: false }
}

pub fn fails(kind: Kind) -> Reply {
    Reply { takes: secs(0.01), what: What::Fails(Failure::new(kind, "scripted")), released: false }
}

pub fn bad(quality: Quality) -> Reply {
    bad_with(quality, Answer { text: "scripted".into(), ..Answer::default() })
}

pub fn bad_with(quality: Quality, answer: Answer) -> Reply {
    let failure = Failure::bad(Verdict::of(quality, "test", "scripted"), answer);
    Reply { takes: secs(0.01), what: What::Fails(failure), released: false }
}

pub fn hinted(kind: Kind, after: f64) -> Reply {
    let hint = RetryHint { after: secs(after), source: HintSource::RetryAfter, clamped: false };
    Reply { takes: secs(0.01), what: What::Fails(Failure::new(kind, "scripted").hint(hint)), released: false }
}

pub fn hangs() -> Reply {
    Reply { takes: Duration::ZERO, what: What::Hangs, released: false }
}

pub fn too_dear() -> Reply {
    Reply { takes: Duration::ZERO, what: What::TooDear, released: false }
}

pub fn unwritable(kind: Kind) -> Reply {
    Reply { takes: Duration::ZERO, what: What::Unwritable(kind), released: false }
}

impl Reply {
    pub fn takes(self, secs_: f64) -> Self {
        Self { takes: secs(secs_), ..self }
    }

    pub fn after_release(self) -> Self {
        Self { released: true, ..self }
    }
}

/// What upstreams do with the calls of one request, in order; then they answer well.
pub type Script = HashMap<String, VecDeque<Reply>>;

pub fn script<const N: usize>(parts: [(&str, Vec<Reply>); N]) -> Script {
    parts.into_iter().map(|(name, replies)| (name.to_owned(), replies.into())).collect()
}

/// One call that reached an upstream.
#[derive(Clone, Debug)]
pub struct Call {
    pub request: String,
    pub target: String,
    pub at: Moment,
    pub attempt: Try,
    /// When and how it failed, once it has.
    pub failed: Option<(Moment, Failure)>,
}

/// How a request ended.
#[derive(Clone, Debug)]
pub struct Finished {
    pub at: Moment,
    /// Who answered.
    pub served_by: Option<String>,
    pub end: Option<End>,
    pub aborted: bool,
    pub released: bool,
    pub skips: Vec<Skip>,
    pub failures: Vec<Failure>,
}

struct Request {
    name: String,
    plan: Arc<ChainPlan>,
    walk: Walk,
    script: Script,
    leaves_at: Option<Moment>,
    then: Continue,
    due: Moment,
    out: Option<(Try, Reply)>,
    released: bool,
    skips: Vec<Skip>,
}

pub struct Sim {
    pub board: HealthBoard,
    pub calls: Vec<Call>,
    pub finished: HashMap<String, Finished>,
    requests: Vec<Request>,
    chance: Box<dyn FnMut() -> f64>,
}

impl Default for Sim {
    fn default() -> Self {
        Self::with_chance(|| 0.5)
    }
}

impl Sim {
    pub fn with_chance(chance: impl FnMut() -> f64 + 'static) -> Self {
        Self {
            board: HealthBoard::default(),
            calls: Vec::new(),
            finished: HashMap::new(),
            requests: Vec::new(),
            chance: Box::new(chance),
        }
    }

    /// Lets a request come at that second.
    pub fn request(&mut self, name: &str, plan: &ChainPlan, ask: WalkAsk, script: Script) {
        self.request_that(name, plan, ask, script, None, Continue::No);
    }

    /// Lets a request come whose caller may leave, and which may go on after a release.
    pub fn request_that(
        &mut self,
        name: &str,
        plan: &ChainPlan,
        ask: WalkAsk,
        script: Script,
        leaves_at: Option<Moment>,
        then: Continue,
    ) {
        let plan = Arc::new(plan.clone());
        let due = ask.start;
        let walk = Walk::new(Arc::clone(&plan), self.board.clone(), ask);
        let name = name.to_owned();
        let request = Request {
            name,
            plan,
            walk,
            script,
            leaves_at,
            then,
            due,
            out: None,
            released: false,
            skips: Vec::new(),
        };
        self.requests.push(request);
    }

    /// Runs all requests to their ends.
    pub fn run(&mut self) {
        let mut turns = 0;
        while let Some(next) = (0..self.requests.len()).min_by_key(|place| self.requests[*place].due()) {
            let mut request = self.requests.swap_remove(next);
            let now = request.due();
            if !self.turn(&mut request, now) {
                self.requests.push(request);
            }
            turns += 1;
            assert!(turns < 1_000_000, "the walks do not end");
        }
    }

    /// One request does what it is due for. Whether it has ended.
    fn turn(&mut self, request: &mut Request, now: Moment) -> bool {
        if request.leaves_at.is_some_and(|leaves| leaves <= now) {
            request.walk.aborted(now);
            self.finish(request, now, None, None, true);
            return true;
        }
        if let Some((attempt, reply)) = request.out.take() {
            let tier = request.plan.tiers[attempt.tier].target.to_string();
            if reply.released {
                request.released = true;
                request.walk.released(request.then);
            }
            match reply.what {
                What::Fine => {
                    request.walk.succeeded(now);
                    self.finish(request, now, Some(tier), None, false);
                    return true;
                }
                What::Fails(failure) => self.fail(request, failure, now),
                What::Hangs => self.fail(request, Failure::new(Kind::TimeoutTotal, "scripted"), now),
                What::TooDear | What::Unwritable(_) => panic!("such a call is never made"),
            }
        }
        self.step(request, now)
    }

    fn fail(&mut self, request: &mut Request, failure: Failure, now: Moment) {
        let call = self.calls.iter_mut().rev().find(|call| call.request == request.name).unwrap();
        call.failed = Some((now, failure.clone()));
        request.walk.failed(failure, now, (self.chance)());
    }

    fn step(&mut self, request: &mut Request, now: Moment) -> bool {
        loop {
            let step = request.walk.step(now, (self.chance)());
            request.skips.extend(request.walk.take_skips());
            match step {
                Step::Wait(wait) => {
                    assert!(!wait.is_zero(), "a wait must pass time");
                    request.due = now.after(wait);
                    return false;
                }
                Step::End(end) => {
                    self.finish(request, now, None, Some(end), false);
                    return true;
                }
                Step::Try(attempt) => {
                    let tier = request.plan.tiers[attempt.tier].target.to_string();
                    let reply =
                        request.script.get_mut(&tier).and_then(VecDeque::pop_front).unwrap_or_else(fine);
                    match reply.what {
                        What::TooDear => {
                            request.walk.over_budget(Failure::new(Kind::BudgetExceeded, "no room"), now);
                        }
                        What::Unwritable(kind) => {
                            request.walk.refused_locally(Failure::new(kind, "cannot say it"), now);
                        }
                        What::Fine | What::Fails(_) | What::Hangs => {
                            self.depart(request, tier, attempt, reply, now);
                            return false;
                        }
                    }
                }
            }
        }
    }

    fn depart(&mut self, request: &mut Request, tier: String, attempt: Try, reply: Reply, now: Moment) {
        let takes = match reply.what {
            What::Hangs => attempt.time_left,
            What::Fine | What::Fails(_) | What::TooDear | What::Unwritable(_) => reply.takes,
        };
        // What takes longer than the attempt may use is cut off there.
        let reply = if takes > attempt.time_left { Reply { what: What::Hangs, ..reply } } else { reply };
        request.due = now.after(takes.min(attempt.time_left));
        let call = Call {
            request: request.name.clone(),
            target: tier,
            at: now,
            attempt: attempt.clone(),
            failed: None,
        };
        self.calls.push(call);
        request.out = Some((attempt, reply));
    }

    fn finish(
        &mut self,
        request: &mut Request,
        now: Moment,
        served_by: Option<String>,
        end: Option<End>,
        aborted: bool,
    ) {
        request.skips.extend(request.walk.take_skips());
        let finished = Finished {
            at: now,
            served_by,
            end,
            aborted,
            released: request.released,
            skips: std::mem::take(&mut request.skips),
            failures: request.walk.failures().to_vec(),
        };
        self.finished.insert(request.name.clone(), finished);
    }

    /// Calls of one request to one upstream.
    pub fn count(&self, request: &str, target: &str) -> usize {
        self.calls.iter().filter(|call| call.request == request && call.target == target).count()
    }

    /// Whom a request asked, in order.
    pub fn asked(&self, request: &str) -> Vec<&str> {
        self.calls.iter().filter(|call| call.request == request).map(|call| call.target.as_str()).collect()
    }

    /// Who answered a request.
    pub fn served(&self, request: &str) -> Option<&str> {
        self.finished[request].served_by.as_deref()
    }
}

impl Request {
    fn due(&self) -> Moment {
        self.leaves_at.map_or(self.due, |leaves| leaves.min(self.due))
    }
}

/// One request at second zero, all alone.
pub fn one(plan: &ChainPlan, script: Script) -> (Sim, Finished) {
    one_within(plan, 590.0, script)
}

/// One request at second zero with that deadline, all alone.
pub fn one_within(plan: &ChainPlan, deadline: f64, script: Script) -> (Sim, Finished) {
    let mut sim = Sim::default();
    sim.request("r", plan, WalkAsk::new(at(0.0), secs(deadline)), script);
    sim.run();
    let finished = sim.finished["r"].clone();
    (sim, finished)
}
