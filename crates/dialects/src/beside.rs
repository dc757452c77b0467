//! What stands beside the piece in every event of a stream, and mostly says nothing new.
//!
//! The lenient reading keeps such members and tells those that changed. An event that repeats them all need not
//! trouble it. Knows no member by name.

use std::mem;

/// What events say beside their piece, such as a fingerprint that stands in every chunk.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    now: String,
    last: String,
    is_known: bool,
}

impl Beside {
    /// Most bytes that are remembered; an event that says more is news.
    const LIMIT: usize = 4096;

    /// What `read` finds in an event that says the same here as the event before. With news, and with what is not
    /// plain, the lenient reading has to deal.
    pub(crate) fn unless_news<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.now.clear();
        let found = read(self);
        let is_old = self.is_known && self.now == self.last;
        mem::swap(&mut self.now, &mut self.last);
        self.is_known = found.is_some() && self.last.len() <= Self::LIMIT;
        found.filter(|_| is_old)
    }

    /// Takes what stands under a name in some object of the event.
    pub(crate) fn add(&mut self, object: &str, name: &str, value: Option<&str>) -> Option<()> {
        // A value is JSON and a name has no line feed, so no two lists of them read alike.
        for text in [value?, object, ".", name, "\n"] {
            self.now.push_str(text);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_beside_is_news_once() {
        let mut beside = Beside::default();
        let mut read = |value: &str, is_plain: bool| {
            beside.unless_news(|beside| {
                beside.add("", "a", Some(value))?;
                is_plain.then_some(())
            })
        };
        assert_eq!(
            (read("1", true), read("1", true), read("2", true), read("2", true)),
            (None, Some(()), None, Some(()))
        );
        // What another reading made of an event is not known here.
        assert_eq!((read("2", false), read("2", true), read("2", true)), (None, None, Some(())));
        let long = "1".repeat(Beside::LIMIT);
        assert_eq!((read(&long, true), read(&long, true)), (None, None));
    }
}
