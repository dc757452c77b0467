//! Which rows are wanted.

use mainstay_canon::{Moment, Outcome, Quality};

use crate::CallRecord;

/// Which rows are wanted; what is `None` does not matter. The default wants all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallFilter {
    /// Of this end user.
    pub user: Option<String>,
    /// Of this session.
    pub session: Option<String>,
    /// Of this request, by our id of it or by the caller's own.
    pub request: Option<String>,
    /// Through this virtual key.
    pub key: Option<String>,
    /// With this label.
    pub label: Option<String>,
    /// Through this chain.
    pub chain: Option<String>,
    /// About this tier, `provider/model`.
    pub tier: Option<String>,
    /// Judged so.
    pub quality: Option<Quality>,
    /// That ended so.
    pub outcome: Option<Outcome>,
    /// That began at this moment or later.
    pub since: Option<Moment>,
    /// That began before this moment.
    pub until: Option<Moment>,
    /// At most so many, the newest of them.
    pub limit: Option<usize>,
}

impl CallFilter {
    /// Whether this row is wanted, the limit aside.
    pub fn matches(&self, row: &CallRecord) -> bool {
        let is = |wanted: &Option<String>, has: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| has == Some(wanted))
        };
        is(&self.user, row.user_id.as_deref())
            && is(&self.session, row.session_id.as_deref())
            && (is(&self.request, Some(&row.request_id))
                || is(&self.request, row.client_request_id.as_deref()))
            && is(&self.key, row.key_name.as_deref())
            && is(&self.label, row.label.as_deref())
            && is(&self.chain, Some(&row.chain))
            && is(&self.tier, row.tier.as_deref())
            && self.quality.is_none_or(|wanted| row.quality == Some(wanted))
            && self.outcome.is_none_or(|wanted| row.outcome == wanted)
            && self.since.is_none_or(|since| row.ts >= since)
            && self.until.is_none_or(|until| row.ts < until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IdSource;

    fn row() -> CallRecord {
        let ts = Moment::from_secs(100);
        let mut row = CallRecord::new(IdSource::new(1).next(ts), ts, "req_1", "default");
        row.client_request_id = Some("theirs".to_owned());
        row.user_id = Some("ann".to_owned());
        row.quality = Some(Quality::Empty);
        row
    }

    #[test]
    fn what_is_not_asked_for_does_not_matter() {
        assert!(CallFilter::default().matches(&row()));
    }

    #[test]
    fn every_condition_must_hold() {
        let ann = CallFilter { user: Some("ann".to_owned()), ..CallFilter::default() };
        assert!(ann.matches(&row()));
        assert!(CallFilter { quality: Some(Quality::Empty), ..ann.clone() }.matches(&row()));
        assert!(!CallFilter { quality: Some(Quality::Ok), ..ann.clone() }.matches(&row()));
        assert!(!CallFilter { session: Some("s".to_owned()), ..ann }.matches(&row()));
    }

    #[test]
    fn a_request_is_found_by_either_name() {
        for (name, found) in [("req_1", true), ("theirs", true), ("req_2", false)] {
            let filter = CallFilter { request: Some(name.to_owned()), ..CallFilter::default() };
            assert_eq!(filter.matches(&row()), found, "{name}");
        }
    }

    #[test]
    fn a_span_holds_its_start_and_not_its_end() {
        let span = |since, until| CallFilter {
            since: Some(Moment::from_secs(since)),
            until: Some(Moment::from_secs(until)),
            ..CallFilter::default()
        };
        assert!(span(100, 101).matches(&row()));
        assert!(!span(99, 100).matches(&row()) && !span(101, 102).matches(&row()));
    }
}
