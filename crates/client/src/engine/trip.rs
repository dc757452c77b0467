//! One request's way through the layers: which tier next, what it may cost, what is written down.
//!
//! A trip knows no bytes. `whole` and `stream` carry them; both walk this one line.

use std::sync::Arc;
use std::time::Duration;

use mainstay_calllog::{CallRecord, note};
use mainstay_canon::{
    Answer, Attempt, ChatRequest, ChatResponse, Cost, Failure, FinishReason, Kind, Moment, Nanodollars,
    Outcome, Quality, Usage, Verdict,
};
use mainstay_config::ReturnOrError;
use mainstay_cost::{HardAbort, Reservation, Spender};
use mainstay_dialects::{Call, Outbound};
use mainstay_fallback::{Continue, End, ReportedQuota, Step, Try, Walk, WalkAsk};
use mainstay_quality::Ask;

use super::money::{Bill, NoBudget};
use super::{CallOptions, Engine, Route, TierRuntime, record};
use crate::gave_up::{GaveUp, Reason};

/// How long the answer to one request is awaited at most when the caller and the config say nothing else.
pub(crate) struct Trip {
    pub(crate) engine: Arc<Engine>,
    pub(crate) route: Route,
    pub(crate) request: Arc<ChatRequest>,
    /// What is sent: the request, or the request that continues a broken answer.
    outgoing: Arc<ChatRequest>,
    pub(crate) options: CallOptions,
    pub(crate) request_id: String,
    pub(crate) started: Moment,
    prompt_bound: u64,
    spender: Spender,
    walk: Walk,
    trail: Vec<Attempt>,
    cost: Cost,
    /// The row of the last failed attempt, kept back until it is known whether its answer is handed over.
    pending: Option<CallRecord>,
    in_flight: Option<InFlight>,
    last_cap: Option<HardAbort>,
    waited: Duration,
    over: bool,
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
pub(crate) struct Prepared {
    pub(crate) tier: Arc<TierRuntime>,
    pub(crate) outbound: Outbound,
    pub(crate) time_left: Duration,
}

/// What an attempt came to, for the record.
pub(crate) struct Arrived {
    pub(crate) answer: Answer,
    pub(crate) verdict: Verdict,
    pub(crate) http_status: Option<u16>,
    pub(crate) provider_request_id: Option<String>,
    pub(crate) ttft: Option<Duration>,
    pub(crate) continued_at: Option<usize>,
}

impl Trip {
    pub(crate) fn start(
        engine: Arc<Engine>,
        route: Route,
        request: ChatRequest,
        options: CallOptions,
    ) -> Self {
        let started = engine.clock.now();
        let request_id = request.meta.request_id.clone().unwrap_or_else(|| engine.ids.next_request(started));
        let prompt_bound = mainstay_cost::prompt_bound(&request);
        let deadline = options.deadline.map_or(engine.config.deadline, |own| own.min(engine.config.deadline));
        let walk = Walk::new(
            Arc::clone(&route.chain.plan),
            engine.board.clone(),
            WalkAsk {
                start: started,
                deadline,
                prompt_tokens: prompt_bound / 4,
                can_grow_max_tokens: options.grow_max_tokens || engine.config.quality.grow_max_tokens,
                only: route.only,
                order: route.order.clone(),
            },
        );
        let spender = Spender {
            user: request.meta.user_id.clone(),
            session: request.meta.session_id.clone(),
            request_id: request_id.clone(),
        };
        let request = Arc::new(request);
        Self {
            engine,
            route,
            outgoing: Arc::clone(&request),
            request,
            options,
            request_id,
            started,
            prompt_bound,
            spender,
            walk,
            trail: Vec::new(),
            cost: Cost::ZERO,
            pending: None,
            in_flight: None,
            last_cap: None,
            waited: Duration::ZERO,
            over: false,
        }
    }

    /// What the judge is to know of the request.
    pub(crate) fn ask(&self) -> Ask<'_> {
        Ask::of(&self.request)
    }

    /// Walks to the next attempt that can be sent, sitting out waits; or to the end.
    pub(crate) async fn next(&mut self, stream: bool) -> Result<Prepared, End> {
        loop {
            let now = self.engine.clock.now();
            let step = self.walk.step(now, self.engine.clock.chance());
            self.write_skips(now);
            match step {
                Step::Wait(wait) => {
                    self.waited = self.waited.saturating_add(wait);
                    self.engine.clock.sleep(wait).await;
                }
                Step::End(end) => return Err(end),
                Step::Try(try_) => {
                    if let Some(prepared) = self.prepare(try_, stream, now) {
                        return Ok(prepared);
                    }
                }
            }
        }
    }

    /// Reserves and writes the request. `None` when the tier had to be passed over; the walk then knows why.
    fn prepare(&mut self, try_: Try, stream: bool, now: Moment) -> Option<Prepared> {
        let tier = self.route.chain.tiers.get(try_.tier).cloned()?;
        let asked = match (self.request.max_tokens, try_.grow_max_tokens) {
            (Some(tokens), true) => Some(tokens.saturating_mul(2)),
            (asked, _) => asked,
        };
        let bill = Bill { request: &self.outgoing, spender: &self.spender, tier: &tier, now };
        let budget = match self.engine.budget_for(&bill, asked) {
            Ok(budget) => budget,
            Err(NoBudget::Cap(abort)) => {
                let failure = Failure::new(Kind::BudgetExceeded, abort.to_string()).at(&tier.target);
                self.walk.over_budget(failure, now);
                self.last_cap = Some(*abort);
                return None;
            }
            Err(NoBudget::Unbounded(failure)) => {
                self.walk.refused_locally(failure.at(&tier.target), now);
                return None;
            }
        };
        let call =
            Call { target: &tier.target, accepts: &tier.accepts, stream, max_tokens: budget.limit.tokens };
        let written = tier.upstream().write_request(&self.outgoing, &call);
        let outbound = match written {
            Ok(outbound) => outbound,
            Err(failure) => {
                self.engine.give_back(budget.reservation);
                self.walk.refused_locally(failure.at(&tier.target), now);
                return None;
            }
        };
        let mut notes = outbound.notes.clone();
        notes.extend(budget.limit.note);
        let time_left = try_.time_left;
        self.in_flight = Some(InFlight {
            tier: Arc::clone(&tier),
            try_,
            reservation: budget.reservation,
            started: now,
            waited: std::mem::take(&mut self.waited),
            notes,
            worst: budget.worst,
        });
        self.flush_pending(false);
        Some(Prepared { tier, outbound, time_left })
    }

    /// The attempt failed, or its answer is useless and nothing of it was handed over.
    pub(crate) fn failed(
        &mut self,
        failure: Failure,
        http_status: Option<u16>,
        provider_request_id: Option<String>,
    ) {
        let Some(mut flight) = self.in_flight.take() else { return };
        let now = self.engine.clock.now();
        let failure = failure.at(&flight.tier.target);
        let usage = failure.answer.as_deref().map(|answer| (answer.usage, answer.reported_cost));
        let cost = self.settle(&mut flight, failure.kind, usage, now);
        let answer = failure.answer.as_deref();
        let outcome = if failure.is_about_quality() { Outcome::Quality } else { Outcome::Error };
        let status = failure.status.or(http_status);
        let mut attempt = self.entry(&flight, outcome, cost, now);
        attempt.http_status = status;
        attempt.error = (!failure.is_about_quality()).then_some(failure.kind);
        attempt.quality = failure.verdict.as_ref().map(|verdict| verdict.quality);
        attempt.finish_reason = answer.map(|answer| answer.finish_reason);
        attempt.why.clone_from(&failure.message);
        let mut row = self.row(&flight, &attempt);
        row.provider_request_id = failure.provider_request_id.clone().or(provider_request_id);
        if let Some(answer) = answer {
            record::fill_answer(&mut row, answer);
        }
        if row.finish_reason_raw.is_none() {
            row.finish_reason_raw.clone_from(&failure.finish_reason_raw);
        }
        self.trail.push(attempt);
        self.flush_pending(false);
        self.pending = Some(row);
        self.walk.failed(failure, now, self.engine.clock.chance());
        self.engine.publish_health(now);
    }

    /// The answer is good enough to hand over: settles, writes the row, closes the walk.
    ///
    /// # Errors
    ///
    /// When the call log cannot be written and the config says to refuse then.
    pub(crate) fn answered(&mut self, arrived: Arrived) -> Result<ChatResponse, GaveUp> {
        let Some(mut flight) = self.in_flight.take() else {
            return Err(self.nobody());
        };
        let now = self.engine.clock.now();
        let usage = Some((arrived.answer.usage, arrived.answer.reported_cost));
        let cost = self.settle(&mut flight, Kind::Bad(Quality::Ok), usage, now);
        self.walk.succeeded(now);
        self.engine.publish_health(now);
        let outcome = if arrived.verdict.quality == Quality::Ok { Outcome::Ok } else { Outcome::Quality };
        let mut attempt = self.entry(&flight, outcome, cost, now);
        attempt.http_status = arrived.http_status;
        attempt.quality = Some(arrived.verdict.quality);
        attempt.finish_reason = Some(arrived.answer.finish_reason);
        attempt.why = arrived.verdict.detail.to_string();
        let mut row = self.row(&flight, &attempt);
        record::fill_answer(&mut row, &arrived.answer);
        row.provider_request_id = arrived.provider_request_id;
        row.ttft_ms = arrived.ttft.map(record::millis);
        row.released = true;
        if flight.tier.static_fallback {
            row.add_note(note::STATIC_TIER);
        }
        row.rescued =
            self.trail.iter().any(|entry| entry.outcome != Outcome::Skipped || entry.number.is_some());
        let from_static_tier = flight.tier.static_fallback;
        let target = flight.tier.target.clone();
        self.trail.push(attempt);
        self.flush_pending(false);
        let written = self.engine.write_row(row);
        self.over = true;
        written.map_err(|why| self.gave_up(Reason::LogUnavailable(why), None))?;
        Ok(ChatResponse {
            answer: arrived.answer,
            request_id: self.request_id.clone(),
            target,
            quality: arrived.verdict,
            cost: self.cost,
            latency_ms: record::millis(now.since(self.started)),
            time_to_first_token_ms: arrived.ttft.map(record::millis),
            attempts: self.trail.clone(),
            from_static_tier,
            continued_at: arrived.continued_at,
        })
    }

    /// An answer broke off after a part of it had been handed over; `then` says what may follow.
    pub(crate) fn broke_off(&mut self, failure: &Failure, arrived: Arrived, then: Continue) {
        let Some(mut flight) = self.in_flight.take() else { return };
        let now = self.engine.clock.now();
        let failure = failure.clone().at(&flight.tier.target);
        let usage = Some((arrived.answer.usage, arrived.answer.reported_cost));
        let cost = self.settle(&mut flight, failure.kind, usage, now);
        let mut attempt = self.entry(&flight, Outcome::Error, cost, now);
        attempt.http_status = arrived.http_status;
        attempt.error = Some(failure.kind);
        attempt.quality = Some(arrived.verdict.quality);
        attempt.why.clone_from(&failure.message);
        let mut row = self.row(&flight, &attempt);
        record::fill_answer(&mut row, &arrived.answer);
        row.finish_reason = None;
        row.provider_request_id = arrived.provider_request_id;
        row.ttft_ms = arrived.ttft.map(record::millis);
        row.released = true;
        self.trail.push(attempt);
        self.flush_pending(false);
        // The part is with the caller already; a log that cannot be written has raised its own alert.
        let _ = self.engine.write_row(row);
        self.walk.released(then);
        self.walk.failed(failure, now, self.engine.clock.chance());
        self.engine.publish_health(now);
    }

    /// Nothing more follows what was handed over.
    pub(crate) fn interrupted(&mut self, failure: Failure) -> GaveUp {
        self.over = true;
        self.flush_pending(false);
        self.gave_up(Reason::Interrupted(failure), None)
    }

    /// Nobody is left to be told; the stream's last item goes nowhere.
    pub(crate) fn gave_up_on_caller(&self) -> GaveUp {
        self.gave_up(Reason::Interrupted(Failure::new(Kind::Cancelled, "the caller went away")), None)
    }

    /// From now on the request is sent so that the model goes on from `partial`.
    pub(crate) fn continue_from(&mut self, partial: &str) {
        self.outgoing = Arc::new(super::splice::request_to_continue(&self.request, partial));
    }

    /// Content comes from the attempt under way: its provider is up.
    pub(crate) fn answering(&mut self) {
        self.walk.answering(self.engine.clock.now());
    }

    /// Takes what the provider says is left of its rate limits.
    pub(crate) fn quota_reported(&mut self, report: ReportedQuota) {
        self.walk.quota_reported(report, self.engine.clock.now());
    }

    /// The caller went away: what was spent is recorded (behaviour 7.5).
    pub(crate) fn abort(&mut self, partial: Option<&Answer>) {
        if self.over {
            return;
        }
        self.over = true;
        let now = self.engine.clock.now();
        if let Some(mut flight) = self.in_flight.take() {
            let usage = partial.map(|answer| (answer.usage, answer.reported_cost));
            let cost = self.settle(&mut flight, Kind::Cancelled, usage, now);
            let mut attempt = self.entry(&flight, Outcome::Aborted, cost, now);
            attempt.error = Some(Kind::Cancelled);
            attempt.why = "the caller went away".into();
            let mut row = self.row(&flight, &attempt);
            if let Some(answer) = partial {
                record::fill_answer(&mut row, answer);
                row.finish_reason = None;
            }
            self.trail.push(attempt);
            self.flush_pending(false);
            let _ = self.engine.write_row(row);
        } else {
            self.flush_pending(false);
        }
        self.walk.aborted(now);
        self.engine.publish_health(now);
    }

    /// Nothing is left to try: a refusal that is returned as an answer, or the error.
    pub(crate) fn finish(&mut self, end: End) -> Result<ChatResponse, GaveUp> {
        self.over = true;
        let given = match end {
            End::Refusal(failure) if self.engine.config.quality.on_refusal == ReturnOrError::Error => {
                Err(self.gave_up(Reason::Refused(failure), None))
            }
            End::Refusal(failure) | End::Filtered(failure) => return self.hand_over_last(failure),
            End::CallerError(failure) => Err(self.gave_up(Reason::InvalidRequest(failure), None)),
            End::BudgetExceeded(failure) => Err(match self.last_cap.take() {
                Some(abort) => self.gave_up(Reason::BudgetExceeded(abort), None),
                None => self.gave_up(Reason::InvalidRequest(failure), None),
            }),
            End::AllFailed { retry_after, only_rate_limits, about_availability, timed_out } => {
                let reason = if timed_out {
                    Reason::Timeout
                } else {
                    Reason::AllProvidersFailed { only_rate_limits, about_availability }
                };
                Err(self.gave_up(reason, retry_after))
            }
        };
        self.flush_pending(false);
        if !self.trail.iter().any(|attempt| attempt.number.is_some()) {
            self.write_unanswered(given.as_ref().err());
        }
        given
    }

    /// The last refusal or filtered answer is what the caller gets (behaviour 6.5a).
    fn hand_over_last(&mut self, failure: Failure) -> Result<ChatResponse, GaveUp> {
        let now = self.engine.clock.now();
        self.flush_pending(true);
        let target =
            failure.target.clone().or_else(|| self.trail.last().map(|attempt| attempt.target.clone()));
        let Some(target) = target else {
            return Err(self.nobody());
        };
        let mut answer = failure.answer.map(|answer| *answer).unwrap_or_default();
        let quality = failure.verdict.unwrap_or(Verdict::of(Quality::Filtered, "provider", ""));
        // A refusal in plain words is one for the caller's dialect, too.
        if quality.quality == Quality::Refusal && answer.finish_reason == FinishReason::Stop {
            answer.finish_reason = FinishReason::Refusal;
        }
        // A filter that spoke through an error status left no finish reason.
        if quality.quality == Quality::Filtered {
            answer.finish_reason = FinishReason::ContentFilter;
        }
        Ok(ChatResponse {
            answer,
            request_id: self.request_id.clone(),
            target,
            quality,
            cost: self.cost,
            latency_ms: record::millis(now.since(self.started)),
            time_to_first_token_ms: None,
            attempts: self.trail.clone(),
            from_static_tier: false,
            continued_at: None,
        })
    }

    /// Nobody answered, and nobody could have.
    fn nobody(&self) -> GaveUp {
        self.gave_up(Reason::AllProvidersFailed { only_rate_limits: false, about_availability: false }, None)
    }

    /// How many calls reached a provider so far.
    pub(crate) fn upstream_calls(&self) -> usize {
        self.trail.iter().filter(|attempt| attempt.number.is_some()).count()
            + usize::from(self.in_flight.is_some())
    }

    /// Which attempt on its tier is under way, counted from 1.
    pub(crate) fn current_tier_attempt(&self) -> u32 {
        self.in_flight.as_ref().map_or(0, |flight| flight.try_.tier_attempt)
    }

    /// Whether another tier was asked or passed over before the present one.
    pub(crate) fn fell_back(&self) -> bool {
        let current = self.in_flight.as_ref().map(|flight| &flight.tier.target);
        self.trail.iter().any(|attempt| Some(&attempt.target) != current)
    }

    /// Tokens of the prompt, as we estimate them for what the provider leaves out.
    pub(crate) fn prompt_estimate(&self) -> u64 {
        self.prompt_bound.div_ceil(4)
    }

    fn settle(
        &mut self,
        flight: &mut InFlight,
        kind: Kind,
        usage: Option<(Usage, Option<Nanodollars>)>,
        now: Moment,
    ) -> Cost {
        if let Some((usage, _)) = usage {
            self.walk.used_tokens(usage.prompt.saturating_add(usage.completion));
        }
        let bill = Bill { request: &self.outgoing, spender: &self.spender, tier: &flight.tier, now };
        let cost = Engine::charge(&bill, kind, usage, flight.worst);
        self.engine.settle(flight.reservation.take(), cost, &bill);
        self.cost = self.cost.plus(cost);
        cost
    }

    fn entry(&self, flight: &InFlight, outcome: Outcome, cost: Cost, now: Moment) -> Attempt {
        Attempt {
            target: flight.tier.target.clone(),
            number: Some(flight.try_.number),
            tier_attempt: Some(flight.try_.tier_attempt),
            outcome,
            quality: None,
            finish_reason: None,
            error: None,
            http_status: None,
            latency_ms: record::millis(now.since(flight.started)),
            wait_ms: record::millis(flight.waited),
            cost,
            why: String::new(),
        }
    }

    fn row(&self, flight: &InFlight, attempt: &Attempt) -> CallRecord {
        let mut row = record::of_attempt(self, attempt, flight.started);
        for remark in &flight.notes {
            row.add_note(remark);
        }
        row
    }

    fn write_skips(&mut self, now: Moment) {
        for skip in self.walk.take_skips() {
            let attempt = Attempt {
                target: skip.target,
                number: None,
                tier_attempt: None,
                outcome: Outcome::Skipped,
                quality: None,
                finish_reason: None,
                error: None,
                http_status: None,
                latency_ms: 0,
                wait_ms: 0,
                cost: Cost::ZERO,
                why: skip.why,
            };
            self.flush_pending(false);
            let mut row = record::of_attempt(self, &attempt, now);
            row.add_note(skip.reason.word());
            self.trail.push(attempt);
            let _ = self.engine.write_row(row);
        }
    }

    fn flush_pending(&mut self, released: bool) {
        if let Some(mut row) = self.pending.take() {
            row.released = released;
            let _ = self.engine.write_row(row);
        }
    }

    /// A request that reached no provider is a row, too, with no tier.
    fn write_unanswered(&self, error: Option<&GaveUp>) {
        let mut row = record::of_request(self, self.engine.clock.now());
        row.outcome = Outcome::Skipped;
        row.error_kind = error.map(|gave_up| record::reason_word(&gave_up.reason).to_owned());
        row.note = error.map(ToString::to_string);
        let _ = self.engine.write_row(row);
    }

    pub(crate) fn gave_up(&self, reason: Reason, retry_after: Option<Duration>) -> GaveUp {
        GaveUp {
            reason,
            request_id: self.request_id.clone(),
            attempts: self.trail.clone(),
            failures: self.walk.failures().to_vec(),
            cost: self.cost,
            retry_after,
        }
    }
}

impl Drop for Trip {
    /// A trip that is dropped before its end was cancelled by its caller.
    fn drop(&mut self) {
        self.abort(None);
        self.engine.ledger.close_request(&self.spender);
    }
}
