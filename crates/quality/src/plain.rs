//! A window of an answer in one plain spelling, so that a phrase needs to be listed once.
//!
//! Lower case, straight quotes, no accents, no markdown, no emoji, one space between words, nothing
//! invisible. Code blocks are left out and quoted speech is covered up. The window is an array on the
//! stack: reading an answer allocates nothing. It knows no phrase and no language.

/// What stands where quoted speech was: no phrase contains it.
pub(crate) const COVER: u8 = 1;

/// How many bytes of the answer are read for one window, at most.
const READ: usize = 16 * 1024;

/// How many characters of the answer are read for one window, at most.
const CHARS: usize = 360;

/// How a byte is spelled: itself or its small letter, or 0 where more has to be known.
static SPELLED: [u8; 256] = spelled();

#[allow(clippy::indexing_slicing, reason = "a byte has 256 places, and this runs when compiling")]
const fn spelled() -> [u8; 256] {
    let mut table = [0; 256];
    let mut at = 0x21_u8;
    while at < 0x7f {
        let plain = !matches!(at, b'*' | b'_' | b'~' | b'`' | b'<' | b'>' | b'#' | b'-' | b'+');
        table[at as usize] = if plain { at.to_ascii_lowercase() } else { 0 };
        at += 1;
    }
    table
}

/// A quotation longer than this many bytes is not taken for one; a lone quote mark must not hide the rest.
const LONGEST_QUOTE: usize = 240;

/// At most `N` bytes of an answer, spelled plainly.
pub(crate) struct Plain<const N: usize> {
    bytes: [u8; N],
    len: usize,
    /// Whether the whole answer fitted in.
    pub(crate) whole: bool,
}

impl<const N: usize> Plain<N> {
    /// Spells the beginning of `text` plainly.
    pub(crate) fn of(text: &str) -> Self {
        let mut plain = Self { bytes: [0; N], len: 0, whole: true };
        let read = clip(text, READ);
        plain.whole = read.len() == text.len();
        let mut writer = Writer { bytes: &mut plain.bytes, len: 0, full: false };
        plain.whole &= spell(read, &mut writer, CHARS);
        plain.whole &= !writer.full;
        plain.len = writer.len;
        while plain.len > 0 && matches!(plain.bytes.get(plain.len - 1), Some(b' ' | b'\n')) {
            plain.len -= 1;
        }
        plain
    }

    /// The same, with quoted speech covered.
    pub(crate) fn without_quotes(text: &str) -> Self {
        let mut plain = Self::of(text);
        plain.cover_quotes();
        plain
    }

    /// The plain bytes: UTF-8, apart from covered quotes.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// The plain text; empty should quotes have been covered in the middle of a character, which they are not.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(self.bytes()).unwrap_or_default()
    }

    /// Where the plain byte `at` stood in `text`, as a byte offset.
    pub(crate) fn origin(text: &str, at: usize) -> usize {
        let mut scratch = [0; N];
        let mut writer = Writer { bytes: &mut scratch, len: 0, full: false };
        let mut origin = 0;
        spell_until(clip(text, READ), &mut writer, CHARS, false, |written, read| {
            if written <= at {
                origin = read;
            }
            written <= at
        });
        origin
    }

    /// Covers what stands between two quote marks of one line. An answer that is JSON, or wholly in
    /// quotes, keeps its words: then they are the answer.
    fn cover_quotes(&mut self) {
        let len = self.len;
        let first = self.bytes.first().copied();
        if matches!(first, Some(b'{' | b'[')) {
            return;
        }
        let mut open: Option<usize> = None;
        for at in 0..len {
            match self.bytes.get(at) {
                Some(b'"') => match open {
                    Some(start) if at - start <= LONGEST_QUOTE => {
                        let whole = start == 0 && at + 2 >= len;
                        if !whole && let Some(quote) = self.bytes.get_mut(start..=at) {
                            quote.fill(COVER);
                        }
                        open = None;
                    }
                    Some(_) | None => open = Some(at),
                },
                Some(b'\n') => open = None,
                Some(_) | None => {}
            }
        }
    }
}

/// The longest beginning of `text` of at most `most` bytes that ends between two characters.
pub(crate) fn clip(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}

/// The shortest end of `text` of about `most` bytes that begins between two characters.
pub(crate) fn tail(text: &str, most: usize) -> &str {
    text.get(text.ceil_char_boundary(text.len().saturating_sub(most))..).unwrap_or(text)
}

struct Writer<'a> {
    bytes: &'a mut [u8],
    len: usize,
    full: bool,
}

impl Writer<'_> {
    fn put(&mut self, c: char) {
        let mut buffer = [0; 4];
        let encoded = c.encode_utf8(&mut buffer).as_bytes();
        match self.bytes.get_mut(self.len..self.len + encoded.len()) {
            Some(place) => {
                place.copy_from_slice(encoded);
                self.len += encoded.len();
            }
            None => self.full = true,
        }
    }

    /// Takes the first bytes as far as each is spelled by itself, at most `most`; how many those were.
    fn put_run(&mut self, bytes: &[u8], most: usize) -> usize {
        let mut before = self.last().unwrap_or(b' ');
        let room = self.bytes.get_mut(self.len..).unwrap_or_default();
        let mut taken = 0;
        for (place, byte) in room.iter_mut().zip(bytes.iter().take(most)) {
            let mut spelled = SPELLED.get(usize::from(*byte)).copied().unwrap_or(0);
            if *byte == b' ' && !matches!(before, b' ' | b'\n') {
                spelled = b' ';
            }
            if spelled == 0 {
                break;
            }
            *place = spelled;
            before = spelled;
            taken += 1;
        }
        self.len += taken;
        taken
    }

    fn last(&self) -> Option<u8> {
        self.len.checked_sub(1).and_then(|at| self.bytes.get(at)).copied()
    }

    /// One space, and none after a space or at the beginning.
    fn space(&mut self) {
        if !matches!(self.last(), None | Some(b' ' | b'\n')) {
            self.put(' ');
        }
    }

    /// One line break instead of whatever space stood there.
    fn line(&mut self) {
        if self.last() == Some(b' ') {
            self.len -= 1;
        }
        if !matches!(self.last(), None | Some(b'\n')) {
            self.put('\n');
        }
    }
}

/// Spells at most `most` characters of `text`; whether that was all of it.
fn spell(text: &str, writer: &mut Writer<'_>, most: usize) -> bool {
    spell_until(text, writer, most, true, |_, _| true)
}

/// Spells `text` until the writer is full, `most` characters are read or `go_on(written, read)` says no; it is
/// asked for every character unless they may be taken `in_runs`.
fn spell_until(
    text: &str,
    writer: &mut Writer<'_>,
    most: usize,
    in_runs: bool,
    mut go_on: impl FnMut(usize, usize) -> bool,
) -> bool {
    let bytes = text.as_bytes();
    let (mut at, mut read) = (0, 0);
    let mut line_start = true;
    while !writer.full && go_on(writer.len, at) {
        let Some(first) = bytes.get(at).copied() else { return true };
        if read >= most {
            return false;
        }
        read += 1;
        // Nearly all of most answers goes this way.
        let run =
            writer.put_run(bytes.get(at..).unwrap_or_default(), if in_runs { most - read + 1 } else { 1 });
        if run > 0 {
            line_start = false;
            at += run;
            read += run - 1;
            continue;
        }
        if SPELLED.get(usize::from(first)).is_some_and(|spelled| *spelled != 0) {
            writer.full = true;
            return false;
        }
        if first == b' ' {
            writer.space();
            at += 1;
            continue;
        }
        let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { return true };
        if line_start && c == '`' && bytes.get(at..at + 3) == Some(b"```") {
            writer.line();
            at = after_fence(text, at);
            continue;
        }
        if c == '<'
            && let Some(end) = tag_end(bytes, at)
        {
            writer.space();
            at = end;
            continue;
        }
        match c {
            '\n' | '\r' | '\u{2028}' | '\u{2029}' => {
                writer.line();
                line_start = true;
            }
            '>' | '#' | '-' | '+' if line_start => {}
            c if c.is_whitespace() => writer.space(),
            c => {
                line_start = false;
                put_folded(c, writer);
            }
        }
        at += c.len_utf8();
    }
    at >= bytes.len()
}

/// Behind the code block that opens at `at`, or the end where it never closes.
fn after_fence(text: &str, at: usize) -> usize {
    let inside = at + 3;
    text.get(inside..)
        .and_then(|rest| memchr::memmem::find(rest.as_bytes(), b"```"))
        .map_or(text.len(), |found| inside + found + 3)
}

/// Behind a short tag such as `<answer>` that opens at `at`.
fn tag_end(bytes: &[u8], at: usize) -> Option<usize> {
    let inside = bytes.get(at + 1..)?;
    if !matches!(inside.first(), Some(b'/' | b'a'..=b'z' | b'A'..=b'Z')) {
        return None;
    }
    let window = inside.get(..40).unwrap_or(inside);
    let end = window.iter().position(|byte| matches!(byte, b'>' | b'\n'))?;
    (window.get(end) == Some(&b'>')).then_some(at + 1 + end + 1)
}

fn put_folded(c: char, writer: &mut Writer<'_>) {
    if c.is_ascii() {
        match c {
            '*' | '_' | '~' => {}
            '`' => writer.put('"'),
            c if c.is_ascii_control() => {}
            c => writer.put(c.to_ascii_lowercase()),
        }
        return;
    }
    if is_invisible(c) || is_mark(c) || is_pictogram(c) {
        return;
    }
    for lower in c.to_lowercase() {
        match lower {
            '\u{ff01}'..='\u{ff5e}' => {
                // Fullwidth forms stand 0xFEE0 above their ASCII twins.
                let twin = char::from_u32(lower as u32 - 0xfee0).unwrap_or(lower);
                writer.put(twin.to_ascii_lowercase());
            }
            '’' | '‘' | '‛' | '´' | 'ʼ' => writer.put('\''),
            '“' | '”' | '„' | '‟' | '«' | '»' | '「' | '」' | '『' | '』' | '《' | '》' => {
                writer.put('"');
            }
            '…' => writer.put('.'),
            '–' | '—' | '―' | '‐' | '‑' => writer.put('-'),
            'ß' => "ss".chars().for_each(|c| writer.put(c)),
            'æ' => "ae".chars().for_each(|c| writer.put(c)),
            'œ' => "oe".chars().for_each(|c| writer.put(c)),
            lower if is_mark(lower) => {}
            lower => writer.put(base(lower)),
        }
    }
}

/// Characters that show nothing: zero-width ones, joiners, direction marks, byte order marks, tags.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Marks that sit on a letter and change no meaning that matters here.
fn is_mark(c: char) -> bool {
    matches!(c,
        '\u{0300}'..='\u{036f}' | '\u{0591}'..='\u{05c7}' | '\u{0610}'..='\u{061a}' | '\u{0640}'
        | '\u{064b}'..='\u{065f}' | '\u{0670}' | '\u{093c}')
}

fn is_pictogram(c: char) -> bool {
    matches!(c, '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

/// The letter without its accent; other characters as they are.
fn base(c: char) -> char {
    match c {
        'à'..='å' | 'ā' | 'ă' | 'ą' | 'ǎ' | 'ạ'..='ặ' => 'a',
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => 'c',
        'ď' | 'đ' | 'ð' => 'd',
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' | 'ẹ'..='ệ' => 'e',
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => 'g',
        'ĥ' | 'ħ' => 'h',
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' | 'ỉ' | 'ị' => 'i',
        'ķ' => 'k',
        'ĺ' | 'ļ' | 'ľ' | 'ł' => 'l',
        'ñ' | 'ń' | 'ņ' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' | 'ơ' | 'ọ'..='ợ' => 'o',
        'ŕ' | 'ŗ' | 'ř' => 'r',
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => 's',
        'ţ' | 'ť' | 'ț' => 't',
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' | 'ư' | 'ụ'..='ự' => 'u',
        'ý' | 'ÿ' | 'ỳ'..='ỹ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        'أ' | 'إ' | 'آ' | 'ٱ' => 'ا',
        'ى' => 'ي',
        'ё' => 'е',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        String::from_utf8_lossy(Plain::<512>::without_quotes(text).bytes()).into_owned()
    }

    #[test]
    fn one_spelling_for_case_quotes_accents_and_markdown() {
        assert_eq!(plain("**I’m  SORRY**, but I can’t."), "i'm sorry, but i can't.");
        assert_eq!(plain("Désolé, je ne peux pas"), "desole, je ne peux pas");
        assert_eq!(plain("De\u{301}sole\u{301}"), "desole");
        assert_eq!(plain("> \u{200b}Ich möchte   nicht\n\n\nNein"), "ich mochte nicht\nnein");
        assert_eq!(plain("🚫 İnternete ＡＩ"), "internete ai");
        assert_eq!(plain("Tôi không thể giúp"), "toi khong the giup");
    }

    #[test]
    fn quoted_speech_is_covered_and_a_lone_quote_mark_hides_nothing() {
        assert!(!plain("He said \"I cannot help\" and left").contains("cannot"));
        assert!(!plain("«Non posso aiutarti», disse").contains("posso"));
        assert!(plain("5\" pipe. I cannot help").contains("i cannot help"));
        assert!(plain("\"I cannot help with that.\"").contains("cannot"));
        assert!(plain("{\"answer\":\"I cannot help\"}").contains("cannot"));
    }

    #[test]
    fn code_blocks_and_tags_are_left_out() {
        assert_eq!(plain("See:\n```\nI cannot help\n```\ndone"), "see:\ndone");
        assert_eq!(plain("<answer>No.</answer>"), "no.");
        assert_eq!(plain("a < b > c"), "a < b > c");
    }

    #[test]
    fn a_place_in_the_plain_text_leads_back_to_the_answer() {
        let text = "**Désolé**, je ne peux pas";
        let window = Plain::<512>::of(text);
        let at = window.text().find("je").unwrap();
        assert_eq!(&text[Plain::<512>::origin(text, at)..], "je ne peux pas");
    }

    #[test]
    fn a_long_answer_fills_the_window_and_says_so() {
        let window = Plain::<64>::of(&"word ".repeat(100_000));
        assert!(!window.whole);
        assert!(window.bytes().len() <= 64);
        assert!(Plain::<64>::of("word").whole);
    }
}
