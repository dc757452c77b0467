//! Reads a plain window sentence by sentence: who says what, and what undoes it.
//!
//! A refusal is an inability and a deed in one sentence ("I can't … help"), unless a figure of speech
//! takes it back ("I can't stress enough"); an apology is none when it is sympathy ("sorry to hear").
//! What the evidence adds up to is decided elsewhere.

use crate::lexicon::{Hit, LEXICON};
use crate::plain::COVER;
use crate::words::Sense;

/// Sentences that are told apart; what follows belongs to the last.
pub(crate) const SENTENCES: usize = 24;

/// How far, in plain bytes, the refusing word may stand from its subject: "I simply cannot".
const SUBJECT_REACH: usize = 24;
/// The same where a modal announces it: "kann ich dir dabei leider nicht".
const MODAL_REACH: usize = 64;
/// How far the deed may stand from the inability.
const DEED_REACH: usize = 64;
/// How far the deed may stand before the inability, where word order is free: "помочь … не смогу".
const DEED_BEFORE_REACH: usize = 40;
/// How far the request may stand from the inability: "I can't do that".
const OBJECT_REACH: usize = 24;
/// How far a figure of speech reaches back: "can't recommend it … enough".
const IDIOM_REACH: usize = 40;

/// What one sentence holds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sentence {
    /// Its first plain byte.
    pub(crate) start: usize,
    /// Behind its last plain byte.
    pub(crate) end: usize,
    senses: u32,
    /// The speaker cannot or will not.
    pub(crate) unable: bool,
    /// … what an assistant does.
    pub(crate) deed: bool,
    /// … this request.
    pub(crate) pointed: bool,
    /// It apologizes, and not out of sympathy.
    pub(crate) apology: bool,
    /// Words of a sermon.
    pub(crate) values: u8,
    /// Where the evidence begins.
    pub(crate) at: usize,
    /// Characters before it.
    pub(crate) chars_before: usize,
}

impl Sentence {
    /// Whether a phrase of that sense stands in it.
    pub(crate) const fn has(&self, sense: Sense) -> bool {
        self.senses & (1 << sense as u32) != 0
    }

    /// How strongly it speaks for a refusal by itself; only good for finding the strongest.
    pub(crate) fn strength(&self) -> f32 {
        let mut strength = 0.0;
        let mut add = |present: bool, by: f32| {
            if present {
                strength += by;
            }
        };
        add(self.has(Sense::Decline), 3.0);
        add(self.unable && self.deed, 3.0);
        add(self.has(Sense::Deflect), 2.2);
        add(self.has(Sense::Lack), 1.6);
        add(self.has(Sense::Moral), 1.6);
        add(self.has(Sense::Denial), 0.5);
        add(self.has(Sense::Crime), 0.5);
        add(self.unable, 0.8);
        add(self.pointed, 0.8);
        add(self.apology, 0.8);
        add(self.apology && self.unable, 0.8);
        add(self.has(Sense::Identity), 0.6);
        add(self.has(Sense::Policy), 0.4);
        add(self.values > 0, 0.2);
        add(self.has(Sense::Narration), -2.0);
        strength
    }

    /// Politeness before the matter, nothing else.
    pub(crate) fn is_preface(&self) -> bool {
        self.has(Sense::Preface) && self.strength() < 0.5
    }
}

/// A window, read.
pub(crate) struct Reading {
    sentences: [Sentence; SENTENCES],
    count: usize,
    /// It is a letter or is signed like one.
    pub(crate) letter: bool,
}

impl Reading {
    /// Reads a plain window.
    pub(crate) fn of(plain: &[u8]) -> Self {
        let mut reading = Self { sentences: [Sentence::default(); SENTENCES], count: 0, letter: false };
        reading.split(plain);
        let mut pending = Pending::default();
        let mut index = 0;
        for hit in LEXICON.hits(plain).iter() {
            while reading.sentences.get(index).is_some_and(|sentence| sentence.end <= hit.start)
                && index + 1 < reading.count
            {
                pending.commit(reading.sentences.get_mut(index));
                index += 1;
            }
            reading.letter |= hit.sense == Sense::Letter;
            if let Some(sentence) = reading.sentences.get_mut(index) {
                pending.take(hit, sentence);
            }
        }
        pending.commit(reading.sentences.get_mut(index));
        reading
    }

    /// The sentences in order.
    pub(crate) fn sentences(&self) -> &[Sentence] {
        self.sentences.get(..self.count).unwrap_or_default()
    }

    fn split(&mut self, plain: &[u8]) {
        let mut start = 0;
        let mut at = 0;
        let mut before = 0;
        while at < plain.len() && self.count + 1 < SENTENCES {
            if !plain.get(at).is_some_and(|byte| may_end(*byte)) {
                at += 1;
                continue;
            }
            let width = sentence_end(plain, at);
            at += width.max(1);
            if width > 0 {
                before = self.push(plain, start, at, before);
                start = at;
            }
        }
        self.push(plain, start, plain.len(), before);
    }

    /// Notes a sentence with `before` characters before it; how many there are behind it.
    fn push(&mut self, plain: &[u8], start: usize, end: usize, before: usize) -> usize {
        let words = plain.get(start..end).unwrap_or_default();
        let behind = before + words.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        let says_something =
            words.iter().any(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80 || *byte == COVER);
        if !says_something {
            return behind;
        }
        if let Some(sentence) = self.sentences.get_mut(self.count) {
            *sentence = Sentence { start, end, at: start, chars_before: before, ..Sentence::default() };
            self.count += 1;
        }
        behind
    }
}

/// First bytes of what ends a sentence.
const fn may_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'!' | b'?' | b'.' | 0xe3 | 0xe0 | 0xd8)
}

/// How many bytes end a sentence at `at`; none where it goes on.
fn sentence_end(plain: &[u8], at: usize) -> usize {
    let next = plain.get(at + 1).copied();
    match plain.get(at) {
        Some(b'\n' | b'!' | b'?') => 1,
        Some(b'.') if matches!(next, None | Some(b' ' | b'\n' | b'"' | COVER)) => 1,
        Some(_) if plain.get(at..at + 3) == Some("。".as_bytes()) => 3,
        Some(_) if plain.get(at..at + 3) == Some("।".as_bytes()) => 3,
        Some(_) if plain.get(at..at + 2) == Some("؟".as_bytes()) => 2,
        Some(_) | None => 0,
    }
}

/// An inability that may still be taken back.
#[derive(Clone, Copy)]
struct Inability {
    start: usize,
    end: usize,
    deed: bool,
    pointed: bool,
}

/// What is known within the sentence that is being read.
#[derive(Default)]
struct Pending {
    subject: Option<(usize, usize)>,
    modal: Option<(usize, usize)>,
    inability: Option<Inability>,
    apology: Option<(usize, usize)>,
    deed_end: Option<usize>,
    sympathy_end: usize,
    idiom_end: usize,
}

impl Pending {
    fn take(&mut self, hit: Hit, sentence: &mut Sentence) {
        sentence.senses |= 1 << hit.sense as u32;
        match hit.sense {
            Sense::Self_ => self.subject = Some((hit.start, hit.end)),
            Sense::Other => self.subject = None,
            Sense::ICan => self.modal = Some((hit.start, hit.end)),
            Sense::Not => self.negation(hit, sentence),
            Sense::Cannot => {
                let deed_before = self.deed_end.is_some_and(|end| within(end, hit.start, DEED_BEFORE_REACH));
                self.unable(hit, deed_before, sentence);
            }
            Sense::CannotAct => self.unable(hit, true, sentence),
            Sense::Act => self.deed(hit),
            Sense::Object => {
                if let Some(inability) = &mut self.inability {
                    inability.pointed |= within(inability.end, hit.start, OBJECT_REACH);
                }
            }
            Sense::Idiom => self.idiom(hit),
            Sense::Apology => {
                if hit.start >= self.sympathy_end && self.apology.is_none() {
                    self.apology = Some((hit.start, hit.end));
                }
            }
            Sense::Sympathy => self.sympathy(hit),
            Sense::Value => sentence.values = sentence.values.saturating_add(1),
            Sense::Decline
            | Sense::Deflect
            | Sense::Policy
            | Sense::Identity
            | Sense::Lack
            | Sense::Moral
            | Sense::Crime
            | Sense::Denial
            | Sense::Redirect
            | Sense::Explains
            | Sense::Asks
            | Sense::Letter
            | Sense::Narration
            | Sense::Preface
            | Sense::Giving
            | Sense::Turn
            | Sense::Offer => {}
        }
    }

    /// A refusing word counts where the speaker is its subject.
    fn negation(&mut self, hit: Hit, sentence: &mut Sentence) {
        let subject = self.subject.filter(|(_, end)| within(*end, hit.start, SUBJECT_REACH));
        let modal = self.modal.filter(|(_, end)| within(*end, hit.start, MODAL_REACH));
        if let Some((start, _)) = subject.or(modal) {
            self.unable(Hit { start, ..hit }, false, sentence);
        }
    }

    fn deed(&mut self, hit: Hit) {
        self.deed_end = Some(hit.end);
        if let Some(inability) = &mut self.inability {
            inability.deed |= within(inability.end, hit.start, DEED_REACH);
        }
    }

    fn idiom(&mut self, hit: Hit) {
        self.idiom_end = hit.end;
        if self.inability.is_some_and(|inability| hit.start <= inability.end + IDIOM_REACH) {
            self.inability = None;
        }
    }

    fn sympathy(&mut self, hit: Hit) {
        self.sympathy_end = hit.end;
        if self.apology.is_some_and(|(_, end)| hit.start <= end + IDIOM_REACH) {
            self.apology = None;
        }
    }

    fn unable(&mut self, hit: Hit, deed: bool, sentence: &mut Sentence) {
        if hit.start < self.idiom_end {
            return;
        }
        let overlaps = self.inability.filter(|earlier| hit.start < earlier.end);
        let same =
            overlaps.unwrap_or(Inability { start: hit.start, end: hit.end, deed: false, pointed: false });
        if overlaps.is_none() {
            self.settle(sentence);
        }
        self.inability = Some(Inability {
            start: same.start.min(hit.start),
            end: same.end.max(hit.end),
            deed: same.deed || deed,
            ..same
        });
    }

    /// Writes the inability down: nothing took it back.
    fn settle(&mut self, sentence: &mut Sentence) {
        let Some(inability) = self.inability.take() else { return };
        if !sentence.unable || (inability.deed && !sentence.deed) {
            sentence.at = inability.start;
        }
        sentence.unable = true;
        sentence.deed |= inability.deed;
        sentence.pointed |= inability.pointed;
    }

    fn commit(&mut self, sentence: Option<&mut Sentence>) {
        if let Some(sentence) = sentence {
            self.settle(sentence);
            sentence.apology = self.apology.is_some();
        }
        *self = Self::default();
    }
}

const fn within(end: usize, start: usize, reach: usize) -> bool {
    start >= end && start - end <= reach
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plain::Plain;

    fn read(text: &str) -> Vec<Sentence> {
        Reading::of(Plain::<1024>::without_quotes(text).bytes()).sentences().to_vec()
    }

    #[test]
    fn an_inability_needs_the_speaker_and_a_deed() {
        assert!(read("I simply cannot help with that.")[0].deed);
        assert!(read("Dabei kann ich dir leider nicht helfen.")[0].deed);
        assert!(read("No puedo ayudarte con eso.")[0].deed);
        assert!(read("그 요청은 도와드릴 수 없습니다.")[0].deed);
        assert!(!read("You cannot help with that.")[0].unable);
        assert!(!read("I think you cannot help it.")[0].unable);
        let swim = read("I cannot swim.")[0];
        assert!(swim.unable && !swim.deed);
    }

    #[test]
    fn a_figure_of_speech_takes_an_inability_back() {
        for text in [
            "I can't stress enough how important it is.",
            "I cannot help but admire it.",
            "I can't help you enough with words alone.",
            "No puedo dejar de recomendar la ruta.",
            "Не могу не согласиться.",
            "我不能不推荐这家餐厅",
            "Ich kann nicht genug betonen, wie wichtig das ist.",
        ] {
            assert!(!read(text)[0].unable, "{text}");
        }
    }

    #[test]
    fn sympathy_and_corrections_are_no_apology_for_a_refusal() {
        for text in [
            "I'm sorry to hear that.",
            "답장이 늦어 죄송합니다.",
            "抱歉回复晚了",
            "Désolé pour l'erreur précédente",
        ] {
            assert!(!read(text)[0].apology, "{text}");
        }
        assert!(read("I'm sorry to hear that, but I can't help with it.")[0].deed);
        assert!(read("抱歉，我不能")[0].apology);
    }

    #[test]
    fn sentences_are_told_apart_in_many_scripts() {
        assert_eq!(read("One. Two! Three?\nFour 3.5 five").len(), 4);
        assert_eq!(read("这是个好问题。我无法回答。").len(), 2);
        assert_eq!(read("मैं समझता हूँ। मैं नहीं दे सकता।").len(), 2);
    }
}
