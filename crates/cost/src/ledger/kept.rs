//! The last few windows of one kind, by name.
//!
//! A clock that steps back finds the window it was in, with what was spent there. A moment before the
//! oldest window kept counts in that one: what lies before it may have been spent in and forgotten.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use jiff::civil::Date;

pub(crate) struct Kept<T> {
    windows: BTreeMap<Date, T>,
    /// The first that can still be entered, once an older one may have been forgotten.
    first: Option<Date>,
    most: usize,
}

impl<T> Kept<T> {
    /// Keeps at most so many windows.
    pub(crate) const fn new(most: usize) -> Self {
        Self { windows: BTreeMap::new(), first: None, most }
    }

    /// The window in which a date counts: its own, or the oldest that can still be entered.
    pub(crate) fn place(&self, date: Date) -> Date {
        let date = self.first.map_or(date, |first| date.max(first));
        match self.windows.first_key_value() {
            // A window that would be the first to be forgotten is not entered at all.
            Some((oldest, _)) if self.windows.len() >= self.most && date < *oldest => *oldest,
            Some(_) | None => date,
        }
    }

    /// Enters a window, forgetting the oldest if there are too many. `None` for one that lies too far back.
    pub(crate) fn enter(&mut self, date: Date, new: impl FnOnce() -> T) -> Option<&mut T> {
        if self.place(date) != date {
            return None;
        }
        if let Entry::Vacant(place) = self.windows.entry(date) {
            place.insert(new());
            if self.windows.len() > self.most {
                self.windows.pop_first();
                self.close_the_past();
            }
        }
        self.windows.get_mut(&date)
    }

    pub(crate) fn get(&self, date: Date) -> Option<&T> {
        self.windows.get(&date)
    }

    pub(crate) fn get_mut(&mut self, date: Date) -> Option<&mut T> {
        self.windows.get_mut(&date)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Date, &T)> {
        self.windows.iter().map(|(date, window)| (*date, window))
    }

    /// Lets nothing be entered before the oldest window that is known.
    pub(crate) fn close_the_past(&mut self) {
        self.first = self.first.max(self.windows.keys().next().copied());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn day(number: i16) -> Date {
        Date::constant(2026, 1, 1).checked_add(jiff::Span::new().days(i64::from(number))).unwrap()
    }

    #[test]
    fn the_oldest_is_forgotten_and_cannot_be_entered_again() {
        let mut kept = Kept::new(2);
        for number in 0..3 {
            *kept.enter(day(number), || 0).unwrap() += 1;
        }
        assert_eq!(kept.get(day(0)), None);
        assert_eq!(kept.place(day(0)), day(1));
        assert_eq!(kept.enter(day(0), || 0), None);
    }

    #[test]
    fn an_older_window_may_be_entered_while_there_is_room() {
        let mut kept = Kept::new(2);
        kept.enter(day(5), || 1);
        assert_eq!(kept.place(day(1)), day(1));
        kept.enter(day(1), || 1);
        assert_eq!(kept.place(day(0)), day(1), "full: an older one would be forgotten at once");
        assert_eq!(kept.place(day(9)), day(9));
    }

    proptest! {
        #[test]
        fn what_was_counted_in_a_window_is_never_counted_anew(dates in prop::collection::vec(0_i16..40, 0..200)) {
            let mut kept = Kept::new(3);
            let mut truth: BTreeMap<Date, u32> = BTreeMap::new();
            for number in dates {
                let place = kept.place(day(number));
                let count = kept.enter(place, || 0_u32);
                prop_assert!(count.is_some(), "the place of a date can always be entered");
                let count = count.unwrap();
                *count += 1;
                let counted = truth.entry(place).or_default();
                *counted += 1;
                prop_assert_eq!(*count, *counted);
            }
        }
    }
}
