//! One request's way through the layers: which tier next, what it may cost, what is written down.
//!
//! A trip knows no bytes. `whole` and `stream` carry them; both walk this one line: [`Trip::next`], then one of
//! `answered`, `failed`, `broke_off` and `abort`, and `finish` when nothing is left.

mod embedding;
mod ending;
mod outcome;
mod preparing;
mod rows;

use std::sync::Arc;
use std::time::Duration;

use mainstay_canon::{Answer, Attempt, ChatRequest, Cost, Moment, Verdict};
use mainstay_cost::{HardAbort, Reservation, Spender};
use mainstay_dialects::{Outbound, Upstream};
use mainstay_fallback::{End, ReportedQuota, Step, Try, Walk, WalkAsk};
use mainstay_quality::Ask;

use self::embedding::Vectors;
pub(super) use self::embedding::embeddings_of;
pub(super) use self::outcome::Abandoned;
use self::rows::Kept;
use super::record::Came;
use super::stream::splice;
use super::{CallOptions, Engine, Route, TierRuntime, capture};

/// One request on its way.
pub(crate) struct Trip {
    pub(crate) engine: Arc<Engine>,
    pub(crate) options: CallOptions,
    route: Route,
    errand: Errand,
    request: Arc<ChatRequest>,
    /// What is sent: the request, or the request that continues a broken answer.
    outgoing: Arc<ChatRequest>,
    /// Where in the text the attempts from now on continue, if they do.
    continues_at: Option<usize>,
    /// Where it broke off first.
    first_break: Option<usize>,
    request_id: String,
    started: Moment,
    deadline: Duration,
    /// Most tokens that what is sent can have.
    prompt_bound: u64,
    /// What was asked, as it is captured, where it is.
    prompt_text: Option<String>,
    spender: Spender,
    walk: Walk,
    trail: Vec<Attempt>,
    cost: Cost,
    /// Rows of answers that may yet be handed over.
    kept: Kept,
    in_flight: Option<InFlight>,
    last_cap: Option<HardAbort>,
    unwritten: Option<String>,
    waited: Duration,
    over: bool,
}

/// What a request wants of a tier.
enum Errand {
    /// An answer.
    Chat,
    /// Vectors.
    Vectors(Vectors),
}

/// The attempt that is under way.
struct InFlight {
    tier: Arc<TierRuntime>,
    try_: Try,
    reservation: Option<Reservation>,
    started: Moment,
    waited: Duration,
    notes: Vec<String>,
    worst: Cost,
}

/// An attempt that is ready to be sent.
pub(super) struct Prepared {
    pub(super) tier: Arc<TierRuntime>,
    /// The dialect in which it is written, and read.
    pub(super) upstream: &'static dyn Upstream,
    pub(super) outbound: Outbound,
    /// The most that it may use.
    pub(super) time_left: Duration,
    /// The output tokens that were set aside, where a cap holds them.
    pub(super) set_aside: Option<u32>,
}

/// An answer, or a part of one, and what was found about it.
pub(super) struct Arrived {
    pub(super) answer: Answer,
    pub(super) verdict: Verdict,
    pub(super) came: Came,
    /// Whether the judge's repair changed what is handed over.
    pub(super) repaired: bool,
}

/// Why no attempt can be sent.
#[expect(clippy::large_enum_variant, reason = "there is one a request, and it is taken apart at once")]
pub(super) enum NoAttempt {
    /// Nothing is left to try.
    End(End),
    /// What would be spent cannot be written down, and the config says that calls are then refused.
    Unwritten,
}

impl Trip {
    pub(crate) fn start(
        engine: Arc<Engine>,
        route: Route,
        mut request: ChatRequest,
        options: CallOptions,
        stream: bool,
    ) -> Self {
        request.stream = stream;
        let prompt_bound = mainstay_cost::prompt_bound(&request);
        Self::begin(engine, route, request, options, prompt_bound, Errand::Chat)
    }

    fn begin(
        engine: Arc<Engine>,
        route: Route,
        request: ChatRequest,
        options: CallOptions,
        prompt_bound: u64,
        errand: Errand,
    ) -> Self {
        let started = engine.clock.now();
        let request_id = request.meta.request_id.clone().unwrap_or_else(|| engine.ids.next_request(started));
        let deadline = options.deadline.map_or(engine.config.deadline, |own| own.min(engine.config.deadline));
        let grows = options.grow_max_tokens || engine.config.quality.grow_max_tokens;
        let ask = WalkAsk {
            prompt_tokens: prompt_bound / 4,
            // Without a limit of the caller's there is none to be raised.
            can_grow_max_tokens: grows && request.max_tokens.is_some(),
            only: route.only,
            order: route.order.clone(),
            ..WalkAsk::new(started, deadline)
        };
        let walk = Walk::new(Arc::clone(&route.chain.plan), engine.board.clone(), ask);
        let prompt_text = match errand {
            Errand::Chat => capture::prompt_of(&request, engine.config.log.capture),
            // What vectors are wanted of is whole libraries, and the vectors say it again.
            Errand::Vectors(_) => None,
        };
        let (user, session) = (request.meta.user_id.clone(), request.meta.session_id.clone());
        let request = Arc::new(request);
        Self {
            engine,
            options,
            route,
            errand,
            outgoing: Arc::clone(&request),
            request,
            continues_at: None,
            first_break: None,
            request_id: request_id.clone(),
            started,
            deadline,
            prompt_bound,
            prompt_text,
            spender: Spender { user, session, request_id },
            walk,
            trail: Vec::new(),
            cost: Cost::ZERO,
            kept: Kept::default(),
            in_flight: None,
            last_cap: None,
            unwritten: None,
            waited: Duration::ZERO,
            over: false,
        }
    }

    /// What the judge is to know of the request.
    pub(super) fn ask(&self) -> Ask<'_> {
        Ask::of(&self.request)
    }

    /// Walks to the next attempt that can be sent, sitting out waits; or to the end.
    pub(super) async fn next(&mut self) -> Result<Prepared, NoAttempt> {
        loop {
            let now = self.engine.clock.now();
            let step = self.walk.step(now, self.engine.clock.chance());
            self.write_skips(now);
            match step {
                Step::Wait(wait) => {
                    self.waited = self.waited.saturating_add(wait);
                    self.engine.clock.sleep(wait).await;
                }
                Step::End(end) => return Err(NoAttempt::End(end)),
                Step::Try(try_) => {
                    if let Some(prepared) = self.prepare(try_, now) {
                        return Ok(prepared);
                    }
                    if self.unwritten.is_some() {
                        return Err(NoAttempt::Unwritten);
                    }
                }
            }
        }
    }

    /// From now on the request is sent so that the model goes on from `partial`.
    pub(super) fn continue_from(&mut self, partial: &str) {
        let going_on = splice::request_to_continue(&self.request, partial);
        self.prompt_bound = mainstay_cost::prompt_bound(&going_on);
        self.outgoing = Arc::new(going_on);
        self.continues_at = Some(partial.len());
        self.first_break.get_or_insert(partial.len());
    }

    /// Content comes from the attempt under way: its provider is up.
    pub(super) fn answering(&mut self) {
        self.walk.answering(self.engine.clock.now());
        self.engine.publish_health();
    }

    /// Takes what the provider says is left of its rate limits.
    pub(super) fn quota_reported(&mut self, report: ReportedQuota) {
        self.walk.quota_reported(report, self.engine.clock.now());
    }

    /// How many calls reached a provider so far.
    pub(super) fn upstream_calls(&self) -> usize {
        self.trail.iter().filter(|attempt| attempt.number.is_some()).count()
            + usize::from(self.in_flight.is_some())
    }

    /// Which attempt on its tier is under way, counted from 1.
    pub(super) fn current_tier_attempt(&self) -> u32 {
        self.in_flight.as_ref().map_or(0, |flight| flight.try_.tier_attempt)
    }

    /// Whether another tier was asked or passed over before the present one.
    pub(super) fn fell_back(&self) -> bool {
        let current = self.in_flight.as_ref().map(|flight| &flight.tier.target);
        self.trail.iter().any(|attempt| Some(&attempt.target) != current)
    }

    /// Tokens of the prompt, as we estimate them for what the provider leaves out.
    pub(super) fn prompt_estimate(&self) -> u64 {
        self.prompt_bound.div_ceil(4)
    }

    /// What is left of the request's whole time.
    pub(super) fn time_left(&self) -> Duration {
        self.engine.clock.now().until(self.started.after(self.deadline))
    }
}

impl Drop for Trip {
    /// A trip that is dropped before its end was cancelled by its caller.
    fn drop(&mut self) {
        self.abort(None);
        self.engine.ledger.close_request(&self.spender);
    }
}
