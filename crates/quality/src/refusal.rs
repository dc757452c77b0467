//! Whether an answer declines what was asked for.
//!
//! Evidence from the first part of the answer is added up with the weights of a trained model; at the end of a
//! long answer only clear words count. Works on the answer alone: the prompt is not looked at.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::model::Model;
use crate::plain::{self, COVER, Plain};
use crate::question::Question;
use crate::reading::{Reading, Sentence};
use crate::words::Sense;

/// Plain bytes at the beginning of an answer that are read.
pub(crate) const HEAD: usize = 1280;
/// Plain bytes at the end of a longer answer that are read.
pub(crate) const TAIL: usize = 240;

/// Characters from the beginning within which a sermon may begin. Long texts about crime and dignity are
/// answers; a refusal preaches at once.
const SERMON_REACH: usize = 140;
/// Characters from the beginning within which turns, offers and lists are noticed.
const SOFT_REACH: usize = 360;

/// Plain bytes of a short answer; below the length at which labelled answers were cut, which must not count.
const SHORT: usize = 150;
/// Plain bytes of a sentence or two.
const TINY: usize = 80;

/// The score of a refusal at the end: clear, but never as clear as one at the beginning.
const LATE: f32 = 0.6;

/// Where the evidence stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the first part.
    Head,
    /// Late in a long answer.
    Tail,
}

/// How far the evidence goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Degree {
    /// An answer.
    None,
    /// Worth a note.
    Possible,
    /// A refusal.
    Refusal,
}

impl Degree {
    fn of(sum: i32, model: &Model) -> Self {
        if sum >= model.refusal {
            Self::Refusal
        } else if sum >= model.possible {
            Self::Possible
        } else {
            Self::None
        }
    }
}

/// What the evidence adds up to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finding {
    /// How far it goes.
    pub(crate) degree: Degree,
    /// From 0, an answer, to 1, a refusal; one half is the limit.
    pub(crate) score: f32,
    /// Which part decided.
    pub(crate) place: Place,
    /// Where the strongest evidence begins, as a byte of the answer; `None` for answers.
    pub(crate) at: Option<usize>,
}

/// Examines an answer. Allocates nothing.
pub(crate) fn examine(text: &str, prompt: &str, model: &Model) -> Finding {
    let head = Plain::<HEAD>::without_quotes(text);
    let evidence = Evidence::of_window(&head, text, prompt);
    let sum = model.sum_of_pieces(evidence.pieces) + model.sum_of_grams(head.bytes());
    let degree = Degree::of(sum, model);
    let at = (degree != Degree::None).then(|| Plain::<HEAD>::origin(text, evidence.at));
    let first = Finding { degree, score: model.score(sum), place: Place::Head, at };
    if head.whole || degree == Degree::Refusal {
        return first;
    }
    let end = plain::tail(text, TAIL);
    if !may_break_off(end) {
        return first;
    }
    let Some(at) = late(end) else { return first };
    let at = text.len() - end.len() + Plain::<TAIL>::origin(end, at);
    Finding { degree: Degree::Refusal, score: LATE, place: Place::Tail, at: Some(at) }
}

/// Words without which no answer in plain Latin letters breaks off; others are read in any case.
static BREAKS: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(crate::words::openings::BREAKS.split('|')).ok());

/// Compiles the list now.
pub(crate) fn prepare() {
    LazyLock::force(&BREAKS);
}

/// Whether the end of an answer is worth reading.
fn may_break_off(end: &str) -> bool {
    !end.is_ascii() || BREAKS.as_ref().is_none_or(|breaks| breaks.is_match(end))
}

/// A long answer that ends by breaking off with a refusal: only clear words in its last sentences count.
fn late(end: &str) -> Option<usize> {
    let window = Plain::<TAIL>::without_quotes(end);
    let reading = Reading::of(window.bytes());
    let sentences = reading.sentences();
    let last = sentences.len().saturating_sub(3);
    let clear = |sentence: &&Sentence| {
        let declines =
            sentence.has(Sense::Decline) && (sentence.unable || sentence.apology || sentence.pointed);
        let refuses = sentence.unable && sentence.deed && (sentence.apology || sentence.has(Sense::Decline));
        (declines || refuses) && !sentence.has(Sense::Narration)
    };
    let found = sentences.get(last..)?.iter().find(clear)?;
    (!reading.letter).then_some(found.at)
}

/// How many pieces of evidence have a name.
pub(crate) const PIECES: usize = NAMES.len();

/// Evidence of one answer.
pub(crate) struct Evidence {
    /// One bit a piece, in the order of [`NAMES`].
    pub(crate) pieces: u64,
    /// Where the strongest sentence's evidence begins, as a plain byte.
    at: usize,
}

impl Evidence {
    /// Of the first window of `text`.
    pub(crate) fn of_window(head: &Plain<HEAD>, text: &str, prompt: &str) -> Self {
        let reading = Reading::of(head.bytes());
        Self::of(&reading, head.bytes(), head.whole, text, prompt)
    }

    /// Weighs nothing yet: collects.
    fn of(reading: &Reading, plain: &[u8], whole: bool, text: &str, prompt: &str) -> Self {
        let plain_len = plain.len();
        let near = plain.get(..160).unwrap_or(plain);
        let tiny = whole && plain_len < TINY;
        let sentences = reading.sentences();
        let (index, best) = strongest(sentences);
        let first = sentences.iter().position(|sentence| !sentence.is_preface()).unwrap_or(0);
        let soft = upto(sentences, SOFT_REACH);
        let before = sentences.get(..index).unwrap_or_default();
        let after = soft.get(index + 1..).unwrap_or_default();
        let next = after.get(..2).unwrap_or(after);
        let sermon = upto(sentences, SERMON_REACH);
        let opening = sermon.get(..first + 2).unwrap_or(sermon);
        let any = |part: &[Sentence], sense: Sense| part.iter().any(|sentence| sentence.has(sense));
        let values: u32 = sermon.iter().map(|sentence| u32::from(sentence.values)).sum();
        let clear = |sentence: &&Sentence| (sentence.unable && sentence.deed) || sentence.has(Sense::Decline);
        let turn = best.has(Sense::Turn) || any(next, Sense::Turn);
        let short = whole && plain_len < SHORT;
        let lacking = best.has(Sense::Lack) || best.has(Sense::Identity);
        let written = plain::clip(text, 160).as_bytes();
        let structured = is_structured(written);
        let refuses = best.unable && best.deed;
        let declines = best.has(Sense::Decline);
        let moral = any(opening, Sense::Moral);
        let crime = any(opening, Sense::Crime);
        let judges = best.has(Sense::Moral);
        let explains = best.has(Sense::Explains) || any(next, Sense::Explains);
        let asks = best.has(Sense::Asks) || any(next, Sense::Asks);
        let lack = best.has(Sense::Lack);
        let first_best = index == first;
        let ethical = best.has(Sense::Policy) || moral || values >= 2;
        let denies = any(opening, Sense::Denial);
        let redirects = any(soft, Sense::Redirect);
        let verdict_on_matter = denies || moral || crime || judges;
        let question = if verdict_on_matter { Question::of(prompt) } else { Question::default() };
        let flags = [
            refuses,
            best.unable && !best.deed,
            best.unable && best.pointed,
            best.apology && best.unable,
            best.apology && !best.unable,
            declines,
            best.has(Sense::Deflect),
            best.has(Sense::Deflect) && short && !refuses,
            best.has(Sense::Identity),
            best.has(Sense::Identity) && refuses,
            lack,
            lack && best.apology,
            lack && short,
            best.has(Sense::Policy) && best.unable,
            best.has(Sense::Policy) && !best.unable,
            judges && first_best,
            moral,
            moral && values >= 2,
            crime,
            crime && values >= 2,
            crime && values >= 4,
            values >= 1,
            values >= 3,
            values >= 6,
            any(sermon, Sense::Policy),
            any(soft, Sense::Offer),
            turn,
            turn && (lacking || !ethical),
            turn && lacking && refuses,
            any(before, Sense::Giving),
            best.has(Sense::Giving) || any(after, Sense::Giving),
            reading.letter,
            best.has(Sense::Narration),
            first_best && (refuses || declines),
            !first_best && (refuses || declines),
            best.start > 160,
            best.start > 400,
            short,
            short && (refuses || declines),
            soft.iter().filter(clear).count() >= 2,
            structured,
            any(soft, Sense::Sympathy),
            explains,
            explains && (refuses || declines),
            asks && !ethical,
            any(soft, Sense::Narration),
            looks_like_code(written),
            near.iter().filter(|byte| byte.is_ascii_digit()).count() >= 2,
            near.contains(&COVER),
            near.contains(&b'?'),
            first_best && declines,
            first_best && lack,
            tiny,
            tiny && (declines || lack || best.unable),
            assents(near),
            turn && (refuses || declines),
            any(after, Sense::Giving) && (refuses || declines || lack),
            denies,
            denies && (values >= 1 || moral || crime),
            denies && question.why,
            question.whether && !question.how,
            verdict_on_matter && question.how,
            redirects,
            redirects && (lack || lacking),
        ];
        let pieces = flags.iter().rev().fold(0, |bits, flag| bits << 1 | u64::from(*flag));
        Self { pieces, at: best.at }
    }
}

/// Sentences that begin within the first `chars` characters.
fn upto(sentences: &[Sentence], chars: usize) -> &[Sentence] {
    let count = sentences.iter().take_while(|sentence| sentence.chars_before < chars).count();
    sentences.get(..count).unwrap_or(sentences)
}

fn strongest(sentences: &[Sentence]) -> (usize, Sentence) {
    let mut best = (0, sentences.first().copied().unwrap_or_default());
    let mut most = best.1.strength();
    for (index, sentence) in sentences.iter().enumerate().skip(1) {
        // Equal evidence counts where it comes first.
        let strength = sentence.strength();
        if strength > most + 0.01 {
            best = (index, *sentence);
            most = strength;
        }
    }
    best
}

/// What the pieces of evidence say.
pub(crate) const NAMES: [&str; 64] = [
    "unable to do what an assistant does",
    "unable to do something else",
    "unable to do this",
    "apology and unable",
    "apology without inability",
    "declines",
    "changes the subject",
    "changes the subject and nothing else",
    "speaks as a machine",
    "unable as a machine",
    "lacks a means",
    "apologizes for lacking a means",
    "lacks a means and nothing else",
    "unable by a rule",
    "names a rule",
    "opens with a judgement",
    "a judgement near the beginning",
    "judgement and sermon",
    "a crime near the beginning",
    "crime and sermon",
    "crime and a long sermon",
    "a word of a sermon",
    "a sermon",
    "a long sermon",
    "a rule somewhere",
    "offers something else",
    "turns to what is possible",
    "turns, and no ethics",
    "turns after lacking a means",
    "gives before",
    "gives after",
    "a letter",
    "a story",
    "first and clear",
    "later and clear",
    "after 160 bytes",
    "after 400 bytes",
    "short",
    "short and clear",
    "twice",
    "structured",
    "sympathy",
    "explains why not",
    "clear but explains why not",
    "asks for what is missing",
    "a story nearby",
    "code",
    "numbers",
    "a quotation",
    "a question",
    "declines first",
    "lacks a means first",
    "a sentence",
    "a sentence that says no",
    "opens with a yes",
    "clear and then turns",
    "says no and then gives",
    "contradicts the question",
    "contradicts and preaches",
    "contradicts a why",
    "judges where yes or no was asked",
    "judges where a way was asked",
    "sends elsewhere",
    "sends elsewhere for lack of a means",
];

/// Whether the answer opens with a yes.
fn assents(near: &[u8]) -> bool {
    let yes = |word: &str| {
        near.strip_prefix(word.as_bytes())
            .is_some_and(|rest| !rest.first().is_some_and(u8::is_ascii_alphanumeric))
    };
    crate::words::openings::YES.split('|').any(yes)
}

/// Whether the beginning reads like a program: two of the signs that programs are full of.
fn looks_like_code(near: &[u8]) -> bool {
    let sign = |two: &[u8; 2]| {
        matches!(two, b"()" | b");" | b"){" | b"::" | b"//" | b"=>" | b"=\"" | b"\":" | b"==" | b"};")
    };
    let (pairs, _) = near.as_chunks::<2>();
    let (others, _) = near.get(1..).unwrap_or_default().as_chunks::<2>();
    pairs.iter().chain(others).filter(|two| sign(two)).count() >= 2 || near.starts_with(b"//")
}

/// Whether the beginning has a code block or the items of a list.
fn is_structured(near: &[u8]) -> bool {
    near.starts_with(b"```")
        || memchr::memchr_iter(b'\n', near).any(|at| {
            let line = near.get(at + 1..).unwrap_or_default();
            [&b"```"[..], b"1.", b"- ", b"* "].iter().any(|mark| line.starts_with(mark))
        })
}
