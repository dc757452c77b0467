//! What an earlier run or another instance knew of a target. It makes nothing shorter, and what is older
//! than the target's last recovery is no news.

use mainstay_canon::Moment;
use mainstay_retry::HINT_CAP;

use super::{Cause, Cooling, Disabled, DisabledEnds, Health};

impl Health {
    /// Takes over a cooldown from an earlier run or another instance; never shortens one.
    pub(crate) fn restore_cooling(&mut self, mut cooling: Cooling, in_row: u32, now: Moment) -> bool {
        let farthest = now.after(HINT_CAP);
        if cooling.cause.since <= self.proven {
            cooling.until = cooling.hinted_until.unwrap_or(now);
        }
        cooling.told_until = cooling.until;
        cooling.until = cooling.until.min(farthest);
        cooling.hinted_until = cooling.hinted_until.map(|until| until.min(farthest));
        if cooling.until <= now {
            return false;
        }
        self.cooldowns_in_row = self.cooldowns_in_row.max(in_row);
        let hinted_until = self.cooling.as_ref().and_then(|own| own.hinted_until).max(cooling.hinted_until);
        if let Some(own) = &mut self.cooling
            && own.until >= cooling.until
        {
            own.hinted_until = hinted_until;
            return false;
        }
        self.cooling = Some(Cooling { hinted_until, ..cooling });
        self.episode += 1;
        true
    }

    /// Takes over an open breaker; never shortens it.
    pub(crate) fn restore_open(&mut self, until: Moment, cause: Cause, now: Moment) -> bool {
        let until = until.min(now.after(HINT_CAP));
        let later = until > now && cause.since > self.proven && self.breaker.extend(until, cause);
        if later {
            self.probe = None;
            self.episode += 1;
        }
        later
    }

    /// Takes over a pause for an empty purse; never shortens it.
    pub(crate) fn restore_quota(&mut self, until: Moment, cause: &Cause, now: Moment) -> bool {
        let until = until.min(now.after(HINT_CAP));
        match &self.disabled {
            Some(Disabled { ends: DisabledEnds::ByProbe { .. }, .. }) => false,
            Some(Disabled { ends: DisabledEnds::At(known), .. }) if *known >= until => false,
            Some(_) | None if until <= now || cause.since <= self.proven => false,
            Some(_) | None => {
                self.disabled = Some(Disabled { ends: DisabledEnds::At(until), cause: cause.clone() });
                self.episode += 1;
                true
            }
        }
    }
}
