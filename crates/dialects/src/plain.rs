//! JSON without surprises, read in one pass and lent from its text.
//!
//! Nearly all of a stream is one event again and again: a piece of text in an envelope. This reads such events and
//! nothing else. Whatever it would have to think about (a name with an escape, a member that comes twice, a fraction,
//! deep nesting) it gives up, and the dialect's lenient reading takes the event from its beginning. So it may refuse
//! anything, but must never read what that would read otherwise; a test holds the two against each other.

/// How deep values may be nested that are passed over.
const DEPTH: u8 = 4;

/// A place in a JSON text. Every reading is `None` where it gives up, and then the place means nothing.
#[derive(Debug)]
pub(crate) struct Plain<'a> {
    json: &'a str,
    at: usize,
}

/// A string as it stands between its quotes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Quoted<'a> {
    json: &'a str,
    is_escaped: bool,
}

impl<'a> Plain<'a> {
    /// Reads a text that holds one value and nothing behind it.
    pub(crate) fn read<T>(json: &'a str, value: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let mut plain = Self { json, at: 0 };
        let read = value(&mut plain)?;
        plain.peek().is_none().then_some(read)
    }

    /// Reads an object. Each member's value is read by `on_member`, which is told its name.
    pub(crate) fn object(
        &mut self,
        mut on_member: impl FnMut(&'a str, &mut Self) -> Option<()>,
    ) -> Option<()> {
        self.expect(b'{')?;
        if self.accept(b'}') {
            return Some(());
        }
        loop {
            let name = self.word()?;
            self.expect(b':')?;
            on_member(name, self)?;
            if !self.accept(b',') {
                return self.expect(b'}');
            }
        }
    }

    /// Reads a list. Each item is read by `on_item`.
    pub(crate) fn list(&mut self, mut on_item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.expect(b'[')?;
        if self.accept(b']') {
            return Some(());
        }
        loop {
            on_item(self)?;
            if !self.accept(b',') {
                return self.expect(b']');
            }
        }
    }

    /// Reads a list of one item.
    pub(crate) fn only<T>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<T> {
        let mut found = None;
        self.list(|plain| once(&mut found, item(plain)))?;
        found
    }

    /// Reads a string.
    pub(crate) fn string(&mut self) -> Option<Quoted<'a>> {
        self.expect(b'"')?;
        let begin = self.at;
        let mut is_escaped = false;
        loop {
            let rest = self.json.as_bytes().get(self.at..)?;
            let plain = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | ..0x20))?;
            let (escape, length) = match rest.get(plain..)? {
                [b'"', ..] => {
                    let end = self.at.checked_add(plain)?;
                    self.at = end.checked_add(1)?;
                    return Some(Quoted { json: self.json.get(begin..end)?, is_escaped });
                }
                [b'\\', b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => (true, 2),
                [b'\\', b'u', digits @ ..] if digits.get(..4)?.iter().all(u8::is_ascii_hexdigit) => (true, 6),
                _ => return None,
            };
            is_escaped |= escape;
            self.at = self.at.checked_add(plain)?.checked_add(length)?;
        }
    }

    /// Reads a string without escapes.
    pub(crate) fn word(&mut self) -> Option<&'a str> {
        self.string().filter(|string| !string.is_escaped).map(|string| string.json)
    }

    /// Reads a whole number from 0.
    pub(crate) fn count(&mut self) -> Option<u64> {
        self.peek()?;
        let rest = self.json.get(self.at..)?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, after) = rest.split_at_checked(digits)?;
        if (digits > 1 && number.starts_with('0')) || after.starts_with(['.', 'e', 'E']) {
            return None;
        }
        self.at = self.at.checked_add(digits)?;
        number.parse().ok()
    }

    /// Reads a word of JSON itself: `null`, `true` or `false`.
    pub(crate) fn literal(&mut self, literal: &str) -> Option<()> {
        self.peek()?;
        self.json.get(self.at..)?.strip_prefix(literal)?;
        self.at = self.at.checked_add(literal.len())?;
        Some(())
    }

    /// Passes over any value and gives its text.
    pub(crate) fn raw(&mut self) -> Option<&'a str> {
        self.peek()?;
        let begin = self.at;
        self.skip()?;
        self.json.get(begin..self.at)
    }

    /// Passes over any value.
    pub(crate) fn skip(&mut self) -> Option<()> {
        self.skip_within(DEPTH)
    }

    fn skip_within(&mut self, depth: u8) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match self.peek()? {
            b'{' => self.object(|_, plain| plain.skip_within(depth)),
            b'[' => self.list(|plain| plain.skip_within(depth)),
            b'"' => self.string().map(drop),
            b'n' => self.literal("null"),
            b't' => self.literal("true"),
            b'f' => self.literal("false"),
            _ => self.number(),
        }
    }

    fn number(&mut self) -> Option<()> {
        self.take(b"-");
        if !self.take(b"0") {
            self.digits()?;
        }
        if self.take(b".") {
            self.digits()?;
        }
        if self.take(b"eE") {
            self.take(b"+-");
            self.digits()?;
        }
        Some(())
    }

    fn digits(&mut self) -> Option<()> {
        let rest = self.json.as_bytes().get(self.at..)?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at = self.at.checked_add(digits)?;
        (digits > 0).then_some(())
    }

    /// Takes the very next byte if it is one of these.
    fn take(&mut self, bytes: &[u8]) -> bool {
        let is_next = self.json.as_bytes().get(self.at).is_some_and(|byte| bytes.contains(byte));
        self.at = self.at.saturating_add(usize::from(is_next));
        is_next
    }

    /// The next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        loop {
            match self.json.as_bytes().get(self.at)? {
                b' ' | b'\t' | b'\n' | b'\r' => self.at = self.at.checked_add(1)?,
                byte => return Some(*byte),
            }
        }
    }

    fn accept(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at = self.at.saturating_add(usize::from(is_next));
        is_next
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.accept(byte).then_some(())
    }
}

impl Quoted<'_> {
    /// Whether it holds nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.json.is_empty()
    }

    /// The text, in one allocation. Half a surrogate pair is given up.
    pub(crate) fn text(&self) -> Option<String> {
        if !self.is_escaped {
            return Some(self.json.to_owned());
        }
        let mut text = String::with_capacity(self.json.len());
        let mut rest = self.json;
        while let Some((before, escape)) = rest.split_once('\\') {
            text.push_str(before);
            let mut after = escape.chars();
            text.push(match after.next()? {
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => wide(&mut after)?,
                itself => itself,
            });
            rest = after.as_str();
        }
        text.push_str(rest);
        Some(text)
    }
}

/// The character whose code stands behind `\u`, or that two of them make up.
fn wide(after: &mut std::str::Chars<'_>) -> Option<char> {
    let first = unit(after)?;
    if !matches!(first, 0xD800..=0xDBFF) {
        return char::from_u32(first.into());
    }
    *after = after.as_str().strip_prefix("\\u")?.chars();
    char::decode_utf16([first, unit(after)?]).next()?.ok()
}

fn unit(after: &mut std::str::Chars<'_>) -> Option<u16> {
    let (digits, rest) = after.as_str().split_at_checked(4)?;
    *after = rest.chars();
    u16::from_str_radix(digits, 16).ok()
}

/// Keeps what was read, unless there was something already.
pub(crate) fn once<T>(known: &mut Option<T>, read: Option<T>) -> Option<()> {
    if known.is_some() {
        return None;
    }
    *known = read;
    known.as_ref().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::value::RawValue;

    /// Whether a value is passed over, which it must not be where the parser finds no value.
    fn skipped(json: &str) -> bool {
        let passed = Plain::read(json, Plain::skip).is_some();
        assert!(!passed || serde_json::from_str::<&RawValue>(json.trim()).is_ok(), "{json}");
        passed
    }

    #[test]
    fn plain_values_are_passed_over() {
        for json in [
            r#" {"a" : [1, {"b":null}, "x"], "c":{},"d":[],"e":true,"f":false,"g":0} "#,
            r#""a\\\"\/\b\f\n\r\t\u00e9\ud83d""#,
            "18446744073709551616",
            "[-1, 0.25, -0, 1e3, 12.50E-7]",
        ] {
            assert!(skipped(json), "{json}");
        }
    }

    #[test]
    fn whatever_is_odd_is_given_up() {
        for json in [
            "",
            " ",
            "{",
            "[",
            "[1",
            "[1,]",
            "[,1]",
            "{,}",
            r#"{"a"}"#,
            r#"{"a":}"#,
            r#"{"a":1,}"#,
            r#"{"a":1 "b":2}"#,
            "1 2",
            "[1]]",
            "01",
            "-",
            "+1",
            ".5",
            "1.",
            "1e",
            "nul",
            "nulls",
            "True",
            "x",
            "\"",
            "\"a",
            "\"a\u{1}\"",
            r#""\x""#,
            r#""\u12""#,
            r#""\u12g4""#,
            r#"{"\u0061":1}"#,
            "[[[[[]]]]]",
        ] {
            assert!(!skipped(json), "{json}");
        }
    }

    #[test]
    fn a_count_is_whole() {
        let count = |json| Plain::read(json, Plain::count);
        assert_eq!((count("0"), count(" 18446744073709551615 ")), (Some(0), Some(u64::MAX)));
        for odd in ["", "01", "-1", "1.0", "1e3", "18446744073709551616", "\"1\"", "null"] {
            assert_eq!(count(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_text_is_what_the_parser_says() {
        for json in [
            r#""""#,
            r#""plain""#,
            r#""Gr\u00fc\u00DFe, \"x\"\n\t\\ \/ \b\f\r""#,
            r#""\ud83d\ude42 \u4e16 世界 🙂""#,
        ] {
            let text = Plain::read(json, Plain::string).unwrap().text();
            assert_eq!(text, serde_json::from_str(json).ok(), "{json}");
        }
        for half in
            [r#""\ud83d""#, r#""\ud83d x""#, r#""\ude42\ud83d""#, r#""\ud83d\n""#, r#""\ud83d\u0041""#]
        {
            assert_eq!(Plain::read(half, Plain::string).unwrap().text(), None, "{half}");
        }
    }

    #[test]
    fn a_member_that_comes_twice_is_given_up() {
        let read = |json| {
            let mut found = None;
            Plain::read(json, |plain| plain.object(|_, plain| once(&mut found, plain.count())))?;
            found
        };
        assert_eq!(read(r#"{"a":1}"#), Some(1));
        assert_eq!(read(r#"{"a":1,"a":2}"#), None);
    }
}
