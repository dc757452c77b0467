//! The text of a file, and where things stand in it. Knows no TOML.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use crate::problem::Excerpt;
use crate::secret::{mask_line, printable};

/// A file's name and text, with the start of every line.
pub(crate) struct Source<'t> {
    /// As it was named on the command line.
    pub(crate) file: &'t str,
    /// The whole text.
    pub(crate) text: &'t str,
    starts: Vec<usize>,
    /// The line that was shown last: many mistakes may stand on one long line.
    shown: RefCell<(usize, Rc<[char]>)>,
}

impl<'t> Source<'t> {
    pub(crate) fn new(file: &'t str, text: &'t str) -> Self {
        let starts = std::iter::once(0).chain(line_starts(text)).collect();
        Self { file, text, starts, shown: RefCell::default() }
    }

    /// The line of a byte, from 1.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).max(1)
    }

    /// Line and column of a byte, both from 1, the column in characters.
    pub(crate) fn position(&self, offset: usize) -> (usize, usize) {
        let line = self.line_of(offset);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let before = self.text.get(start..offset).unwrap_or("");
        (line, before.trim_start_matches('\u{feff}').chars().count() + 1)
    }

    /// The text of a line, from 1, without its end.
    pub(crate) fn line(&self, line: usize) -> &'t str {
        let start = line.checked_sub(1).and_then(|index| self.starts.get(index)).copied();
        let end = self.starts.get(line).copied().unwrap_or(self.text.len());
        let text = start.and_then(|start| self.text.get(start..end)).unwrap_or("");
        text.trim_end_matches(['\n', '\r']).trim_start_matches('\u{feff}')
    }

    /// The characters of a line as they may be shown.
    fn shown(&self, line: usize) -> Rc<[char]> {
        let mut shown = self.shown.borrow_mut();
        if shown.0 != line {
            *shown = (line, mask_line(self.line(line)).chars().map(printable).collect());
        }
        Rc::clone(&shown.1)
    }

    /// The piece of text at a place.
    pub(crate) fn slice(&self, span: &Range<usize>) -> &'t str {
        self.text.get(span.clone()).unwrap_or("")
    }

    /// The line on which a place begins, with the place marked.
    pub(crate) fn excerpt(&self, span: &Range<usize>) -> Excerpt {
        let (line, column) = self.position(span.start);
        let text = self.shown(line);
        let caret = (column - 1).min(text.len());
        let marked = self.slice(span).lines().next().unwrap_or("").chars().count();
        let width = marked.min(text.len() - caret).max(1);
        // A long line is shown from a little before the place.
        let from = if caret + width.min(40) > Excerpt::WIDTH { caret.saturating_sub(20) } else { 0 };
        let shown: String = text.iter().skip(from).take(Excerpt::WIDTH).collect();
        let room = (Excerpt::WIDTH + 1).saturating_sub(caret - from).max(1);
        Excerpt { text: shown, caret: caret - from, width: width.min(room) }
    }
}

/// Where each line after the first begins.
fn line_starts(text: &str) -> impl Iterator<Item = usize> {
    text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let source = Source::new("f", "a = 1\r\nüb = 2\n");
        assert_eq!(source.position(0), (1, 1));
        assert_eq!(source.position(7), (2, 1));
        assert_eq!(source.position(9), (2, 2));
        assert_eq!(source.line(1), "a = 1");
        assert_eq!(source.line(2), "üb = 2");
        assert_eq!(source.line(9), "");
        assert_eq!(source.excerpt(&(7..10)), Excerpt { text: "üb = 2".to_owned(), caret: 0, width: 2 });
    }

    #[test]
    fn a_byte_order_mark_takes_no_column() {
        let source = Source::new("f", "\u{feff}a = 1");
        assert_eq!(source.position(3), (1, 1));
        assert_eq!(source.excerpt(&(3..4)).text, "a = 1");
    }

    #[test]
    fn a_long_line_is_shown_around_the_place() {
        let text = format!("{}here{}", " ".repeat(500), "x".repeat(500));
        let excerpt = Source::new("f", &text).excerpt(&(500..504));
        assert_eq!((excerpt.caret, excerpt.width), (20, 4));
        assert!(excerpt.text.trim_start().starts_with("here"));
        assert_eq!(excerpt.text.chars().count(), Excerpt::WIDTH);
    }

    proptest! {
        #[test]
        fn no_place_panics(text in ".{0,200}", start in 0_usize..400, len in 0_usize..400) {
            let source = Source::new("f", &text);
            let excerpt = source.excerpt(&(start..start + len));
            prop_assert!(excerpt.width >= 1);
            prop_assert!(excerpt.caret <= excerpt.text.chars().count());
        }
    }
}
