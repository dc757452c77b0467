//! How one target (with one key) fares: whether it may be asked now, and what an outcome does to it.
//!
//! Knows neither locks nor requests; moments and chance are passed in.

mod breaker;
mod demand;
mod load;
mod parts;
mod restore;

use std::time::Duration;

use mainstay_canon::Moment;
use mainstay_retry::{HealthEffect, cooldown_for};

pub(crate) use breaker::{Breaker, Opened, Phase};
use demand::Demand;
pub(crate) use load::Load;
pub use load::{Bucket, ReportedQuota};
pub(crate) use parts::{Admission, Blow, Cause, Cooling, Disabled, DisabledEnds, Ends, Knock, Unready};

use crate::board::{BoardOptions, Change, DisabledBy};
use crate::step::SkipReason;

#[derive(Clone, Copy, Debug)]
struct Probe {
    token: u64,
    /// From here on a probe that hangs has lost its place.
    until: Moment,
}

/// The last answers of a target, good or bad, newest in the lowest bit.
#[derive(Clone, Copy, Debug, Default)]
struct Answers {
    bad: u32,
    known: u32,
}

impl Answers {
    const KEPT: u32 = 20;
    /// "Nearly all": 18 of the last 20.
    const TOO_MANY: u32 = 18;

    fn add(&mut self, bad: bool) {
        self.bad = ((self.bad << 1) | u32::from(bad)) & ((1 << Self::KEPT) - 1);
        self.known = (self.known + 1).min(Self::KEPT);
    }

    fn nearly_all_bad(self) -> bool {
        self.known >= Self::KEPT && self.bad.count_ones() >= Self::TOO_MANY
    }
}

/// How one target fares.
#[derive(Debug, Default)]
pub(crate) struct Health {
    disabled: Option<Disabled>,
    cooling: Option<Cooling>,
    breaker: Breaker,
    probe: Option<Probe>,
    /// Since when its traffic comes back, while it does.
    returning: Option<(Moment, Duration)>,
    cooldowns_in_row: u32,
    episode: u64,
    load: Load,
    demand: Demand,
    answers: Answers,
    seen: Moment,
    /// When trouble was last over; older news from elsewhere is no news.
    proven: Moment,
}

impl Health {
    pub(crate) fn disabled(&self) -> Option<&Disabled> {
        self.disabled.as_ref()
    }

    pub(crate) fn cooling(&self) -> Option<&Cooling> {
        self.cooling.as_ref()
    }

    pub(crate) fn breaker(&self) -> &Breaker {
        &self.breaker
    }

    pub(crate) fn load(&mut self) -> &mut Load {
        &mut self.load
    }

    pub(crate) fn in_flight(&self) -> u64 {
        self.load.in_flight()
    }

    pub(crate) fn cooldowns_in_row(&self) -> u32 {
        self.cooldowns_in_row
    }

    pub(crate) fn seen(&self) -> Moment {
        self.seen
    }

    /// How many percent of its requests it gets, while it comes back.
    pub(crate) fn percent(&self, now: Moment) -> Option<u8> {
        self.returning.and_then(|(since, over)| demand::percent(since, over, now))
    }

    /// Whether a probe is under way.
    pub(crate) fn probing(&self, now: Moment) -> bool {
        self.probe.is_some_and(|probe| now < probe.until)
    }

    /// Whether it can be forgotten without loss.
    pub(crate) fn is_plain(&self) -> bool {
        self.disabled.is_none()
            && self.cooling.is_none()
            && self.breaker.opened().is_none()
            && self.in_flight() == 0
    }

    /// Whether it may be asked now, its load aside; and if so whether only as a probe.
    pub(crate) fn standing(&self, now: Moment) -> Result<bool, Unready> {
        let mut probe = false;
        if let Some(Disabled { ends, cause }) = &self.disabled {
            match *ends {
                DisabledEnds::At(until) if now < until => {
                    return Err(Unready::new(SkipReason::Disabled, Ends::At(until), cause));
                }
                DisabledEnds::ByProbe { next } if now < next || self.probing(now) => {
                    return Err(Unready::new(SkipReason::Disabled, Ends::Never, cause));
                }
                DisabledEnds::At(_) => {}
                DisabledEnds::ByProbe { .. } => probe = true,
            }
        }
        if let Some(Cooling { until, cause, .. }) = &self.cooling
            && now < *until
        {
            return Err(Unready::new(SkipReason::Cooling, Ends::At(*until), cause));
        }
        if let Some(Opened { until, cause }) = self.breaker.opened() {
            if now < *until {
                return Err(Unready::new(SkipReason::Open, Ends::At(*until), cause));
            }
            if self.probing(now) {
                return Err(Unready::new(SkipReason::HalfOpen, Ends::Soon, cause));
            }
            probe = true;
        }
        Ok(probe)
    }

    /// Lets a call in, or says why not.
    pub(crate) fn admit(&mut self, knock: &Knock<'_>, rules: &BoardOptions) -> Result<Admission, Unready> {
        let now = knock.now;
        self.seen = now;
        if knock.counts {
            self.demand.want(now);
        }
        let mut probe = self.standing(now)?;
        if !probe && self.demand.exceeds(rules.busy_above, now) {
            probe = self.ration(knock)?;
        }
        self.load.room(now, knock.limits, knock.tokens).map_err(|(ends, why)| Unready {
            reason: SkipReason::Full,
            ends,
            kind: None,
            why: why.into(),
        })?;
        self.load.take(now, knock.limits, knock.tokens);
        if probe {
            self.probe = Some(Probe { token: knock.token, until: now.after(rules.probe_lease) });
            if let Some(Disabled { ends: DisabledEnds::ByProbe { next }, .. }) = &mut self.disabled {
                *next = now.after(rules.probe_every);
            }
        }
        let probe = probe.then_some(knock.token);
        Ok(Admission { at: now, tokens: knock.tokens, probe, episode: self.episode })
    }

    /// A busy target comes back in steps: one probe, then a growing part (6.3b). Whether this is the probe.
    fn ration(&mut self, knock: &Knock<'_>) -> Result<bool, Unready> {
        let unproven = match (&self.cooling, &self.disabled) {
            (Some(cooling), _) => Some(&cooling.cause),
            (None, Some(disabled)) => Some(&disabled.cause),
            (None, None) => None,
        };
        if let Some(cause) = unproven {
            if self.probing(knock.now) {
                return Err(Unready::new(SkipReason::HalfOpen, Ends::Soon, cause));
            }
            return Ok(true);
        }
        let Some((since, _)) = self.returning else { return Ok(false) };
        let Some(percent) = self.percent(knock.now) else {
            self.returning = None;
            return Ok(false);
        };
        if knock.chance * 100.0 < f64::from(percent) {
            return Ok(false);
        }
        let why = format!("it gets {percent} % of its traffic on its way back");
        Err(Unready::new(SkipReason::Returning, Ends::Soon, &Cause::new(None, &why, since)))
    }

    /// The call succeeded: trouble is over, unless it came after the call had begun. Whether there was any.
    pub(crate) fn succeeded(
        &mut self,
        admission: &Admission,
        now: Moment,
        return_over: Duration,
        rules: &BoardOptions,
    ) -> bool {
        self.answers.add(false);
        self.end(admission);
        self.proven(admission, now, return_over, rules)
    }

    /// The target has shown that it is up.
    pub(crate) fn proven(
        &mut self,
        admission: &Admission,
        now: Moment,
        return_over: Duration,
        rules: &BoardOptions,
    ) -> bool {
        self.breaker.good(now);
        if admission.episode != self.episode {
            return false;
        }
        let troubled = !self.is_untroubled();
        self.disabled = None;
        self.cooling = None;
        self.breaker.close();
        self.cooldowns_in_row = 0;
        self.probe = None;
        if troubled {
            self.proven = now;
            self.returning = self.demand.exceeds(rules.busy_above, now).then_some((now, return_over));
        }
        troubled
    }

    fn is_untroubled(&self) -> bool {
        self.disabled.is_none() && self.cooling.is_none() && self.breaker.opened().is_none()
    }

    /// The call ended without saying anything about the target. A probe gives its place back at once.
    pub(crate) fn aborted(&mut self, admission: &Admission) {
        let held = self.end(admission);
        if held && let Some(Disabled { ends: DisabledEnds::ByProbe { next }, .. }) = &mut self.disabled {
            *next = admission.at;
        }
    }

    /// The call was let in but not made.
    pub(crate) fn undo(&mut self, admission: &Admission) {
        self.aborted(admission);
        // `aborted` has ended it; here only its traces in the counts are to be removed.
        self.load.forget(admission.at, admission.tokens);
    }

    /// Ends a call. Whether it held the probe's place.
    fn end(&mut self, admission: &Admission) -> bool {
        self.load.end();
        let held = admission.probe.is_some() && self.probe.map(|probe| probe.token) == admission.probe;
        if held {
            self.probe = None;
        }
        held
    }

    /// The call failed. Whether its tier is left (it was to be, or it cannot be asked again when it would),
    /// and what changed.
    pub(crate) fn failed(
        &mut self,
        admission: &Admission,
        blow: &Blow<'_>,
        now: Moment,
        return_over: Duration,
        rules: &BoardOptions,
    ) -> (bool, Vec<Change>) {
        let mut changes = Vec::new();
        let fresh = admission.episode == self.episode;
        let consequence = &blow.consequence;
        self.end(admission);
        if consequence.proves_health && self.proven(admission, now, return_over, rules) {
            changes.push(Change::Recovered);
        }
        if consequence.counts_toward_breaker && self.breaker.fault(now, blow.breaker, fresh) {
            changes.push(self.open(now.after(blow.breaker.open), &blow.cause));
        }
        if blow.useless {
            self.answers.add(true);
            if blow.quality_breaker && self.answers.nearly_all_bad() {
                self.answers = Answers::default();
                let why = "nearly all of its recent answers were useless";
                let cause = Cause::new(blow.cause.kind, why, now);
                changes.push(self.open(now.after(blow.breaker.open), &cause));
            }
        }
        if let Some(hint) = blow.hint {
            changes.extend(self.cool(now.after(hint), true, fresh, now, &blow.cause));
        }
        let left = blow.again.is_none_or(|wait| self.standing(now.after(wait)).is_err());
        changes.extend(self.suffer(blow, left, fresh, now, rules));
        (left, changes)
    }

    /// The failure's effect on health, beyond breaker and hint.
    fn suffer(
        &mut self,
        blow: &Blow<'_>,
        left: bool,
        fresh: bool,
        now: Moment,
        rules: &BoardOptions,
    ) -> Option<Change> {
        match blow.consequence.health {
            HealthEffect::None => None,
            HealthEffect::CoolShort if !left => None,
            effect @ (HealthEffect::Cool | HealthEffect::CoolShort) => {
                if blow.hint.is_some() {
                    // The hint is taken as it is, and has been.
                    return None;
                }
                // Not one more cooldown in a row, but once more the last.
                let in_row =
                    if fresh { self.cooldowns_in_row } else { self.cooldowns_in_row.saturating_sub(1) };
                let cooldown = cooldown_for(effect, None, in_row, blow.options)?;
                self.cool(now.after(cooldown), false, fresh, now, &blow.cause)
            }
            HealthEffect::Disable { for_ } => {
                let until = now.after(for_.max(blow.hint.unwrap_or_default()));
                self.disable(DisabledEnds::At(until), &blow.cause)
            }
            HealthEffect::DisableUntilProbe => {
                self.disable(DisabledEnds::ByProbe { next: now.after(rules.probe_every) }, &blow.cause)
            }
        }
    }

    /// Leaves it alone until then, or longer if it is left alone for longer already.
    fn cool(
        &mut self,
        until: Moment,
        hinted: bool,
        fresh: bool,
        now: Moment,
        cause: &Cause,
    ) -> Option<Change> {
        let hinted_until = hinted.then_some(until);
        if let Some(cooling) = self.cooling.as_mut().filter(|cooling| now < cooling.until) {
            return cooling.extend(until, hinted_until, cause);
        }
        // Calls that had begun before the last cooldown belong to the same trouble.
        if fresh || self.cooldowns_in_row == 0 {
            self.cooldowns_in_row = self.cooldowns_in_row.saturating_add(1);
        }
        self.episode += 1;
        self.returning = None;
        self.cooling = Some(Cooling { until, hinted_until, told_until: until, cause: cause.clone() });
        Some(Change::Cooling { until })
    }

    fn open(&mut self, until: Moment, cause: &Cause) -> Change {
        self.breaker.open(until, cause.clone());
        self.probe = None;
        self.returning = None;
        self.episode += 1;
        Change::Opened { until }
    }

    fn disable(&mut self, ends: DisabledEnds, cause: &Cause) -> Option<Change> {
        let (by, until) = match ends {
            DisabledEnds::At(until) => (DisabledBy::Quota, Some(until)),
            DisabledEnds::ByProbe { .. } => (DisabledBy::Credential, None),
        };
        match (&mut self.disabled, ends) {
            // What only a probe can end is not made shorter by a bill, nor new by the same failure again.
            (Some(Disabled { ends: DisabledEnds::ByProbe { .. }, .. }), _) => return None,
            (Some(Disabled { ends: DisabledEnds::At(known), .. }), DisabledEnds::At(until)) => {
                if cause.since < *known {
                    *known = (*known).max(until);
                    return None;
                }
            }
            (Some(_) | None, _) => {}
        }
        self.disabled = Some(Disabled { ends, cause: cause.clone() });
        self.episode += 1;
        self.returning = None;
        Some(Change::Disabled { until, by })
    }

    /// An operator says that it is well: everything ends but the provider's own wish to be left alone.
    pub(crate) fn pardon(&mut self, now: Moment) -> bool {
        let troubled = !self.is_untroubled();
        self.proven = now;
        self.disabled = None;
        self.breaker.close();
        self.probe = None;
        self.returning = None;
        self.cooldowns_in_row = 0;
        self.cooling = self.cooling.take().and_then(|cooling| {
            let until = cooling.hinted_until?;
            Some(Cooling { until, ..cooling })
        });
        troubled
    }

    /// Forgets what belongs to one process and one key only (6.3).
    pub(crate) fn forget_credentials(&mut self) -> bool {
        let held = matches!(self.disabled, Some(Disabled { ends: DisabledEnds::ByProbe { .. }, .. }));
        if held {
            self.disabled = None;
        }
        held
    }
}
