//! How far the provider's own tools are: events of items that the provider runs, passed on to a caller of this
//! dialect under its own numbers.
//!
//! Three pieces tell it, each of which belongs to its place in the stream: that an item is begun, what happens to it,
//! and that the block that follows is the item itself. An item is named by its place in the provider's output; the
//! caller's place for it may be another.

use std::collections::BTreeMap;

use mainstay_canon::{Dialect, Extra, ExtraPiece, Joins, RawJson, WireEvent};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::items::{TYPE, word};
use super::stream_speech::Spot;
use super::stream_write::Writer;
use crate::framing::line;
use crate::openai_chat::json::{Members, keep};
use crate::openai_chat::lenient::read_object;

/// The name under which it is told that an item is begun.
const BEGUN: &str = "hosted_item";
/// The name under which an event of an item is told.
const EVENT: &str = "hosted_event";
/// The name under which it is told that the next block is the item itself.
const DONE: &str = "hosted_done";
/// The name under which the item's place in the provider's output stands beside each of them.
const PLACE: &str = "hosted_place";

/// Longest `type` of an event that is passed on, in bytes.
const LONGEST_TYPE: usize = 100;
/// Most items that are begun at a time.
const MOST_BEGUN: usize = 256;

/// Tells that an item of the provider's own is begun.
pub(super) fn begun(place: u64, item: &RawValue, out: &mut Vec<WireEvent>) {
    tell(place, Some((BEGUN, item)), out);
}

/// Tells what happens to it: the event's data, whole.
pub(super) fn happened(place: u64, data: &str, out: &mut Vec<WireEvent>) {
    if let Ok(raw) = serde_json::from_str::<&RawValue>(data) {
        tell(place, Some((EVENT, raw)), out);
    }
}

/// Tells that the block that follows is the item.
pub(super) fn done(place: u64, out: &mut Vec<WireEvent>) {
    tell(place, None, out);
}

fn tell(place: u64, told: Option<(&str, &RawValue)>, out: &mut Vec<WireEvent>) {
    let mut members = Extra::new();
    let Ok(place) = RawJson::of(&place) else { return };
    match told {
        Some((name, raw)) => keep(&mut members, name, raw),
        None => members.insert(DONE, place.clone()),
    }
    members.insert(PLACE, place);
    out.push(WireEvent::Extra(ExtraPiece { dialect: Dialect::OpenaiResponses, members, joins: Joins::Pass }));
}

/// The items that are begun for a caller, by their place in the provider's output.
#[derive(Debug, Default)]
pub(super) struct Begun {
    items: BTreeMap<u64, (Spot, RawJson)>,
    /// The one whose block comes next.
    closing: Option<Spot>,
}

impl Begun {
    /// Where the block that comes now was announced.
    pub(super) fn take_closing(&mut self) -> Option<Spot> {
        self.closing.take()
    }
}

impl Writer {
    /// What a piece says of the provider's own tools. Whether it was about them.
    pub(super) fn progress(&mut self, piece: &ExtraPiece, out: &mut Vec<u8>) -> bool {
        let Some(place) = piece.members.get(PLACE).and_then(|raw| raw.read::<u64>().ok()) else {
            return false;
        };
        if let Some(item) = piece.members.get(BEGUN) {
            self.begin_hosted(place, item, out);
        } else if let Some(event) = piece.members.get(EVENT) {
            self.tell_hosted(place, event, out);
        } else if piece.members.get(DONE).is_some() {
            self.begun_items.closing = self.begun_items.items.remove(&place).map(|(at, _)| at);
        }
        true
    }

    fn begin_hosted(&mut self, place: u64, item: &RawJson, out: &mut Vec<u8>) {
        let Ok(raw) = item.read::<&RawValue>() else { return };
        if self.begun_items.items.len() >= MOST_BEGUN {
            return;
        }
        self.begin(out);
        self.hush("completed", out);
        let at = self.spot("");
        self.announce(&at, raw, out);
        self.begun_items.items.insert(place, (at, item.clone()));
    }

    fn tell_hosted(&mut self, place: u64, event: &RawJson, out: &mut Vec<u8>) {
        let Some((at, _)) = self.begun_items.items.get(&place) else { return };
        let output_index = at.place;
        let members: Members<'_> = read_object(event.read().ok());
        let Some(kind) = word(&members, TYPE).filter(|kind| is_plain(kind)) else { return };
        let told = Told { members: &members, sequence_number: self.number(), output_index };
        out.extend_from_slice(b"event: ");
        out.extend_from_slice(kind.as_bytes());
        out.extend_from_slice(b"\ndata: ");
        // JSON can always be written as JSON.
        let _ = line::json(&told, out);
        out.extend_from_slice(b"\n\n");
    }

    /// Ends what was begun and never came whole, as it was last told.
    pub(super) fn end_hosted(&mut self, out: &mut Vec<u8>) {
        for (at, item) in std::mem::take(&mut self.begun_items.items).into_values() {
            if let Ok(raw) = item.read::<&RawValue>() {
                self.settle(&at, raw, out);
            }
        }
    }
}

/// Whether a `type` can stand in a line of its own.
fn is_plain(kind: &str) -> bool {
    kind.len() <= LONGEST_TYPE
        && kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

/// An event under our numbers.
struct Told<'a> {
    members: &'a Members<'a>,
    sequence_number: u64,
    output_index: usize,
}

impl Serialize for Told<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, raw) in self.members.iter() {
            match name {
                "sequence_number" => map.serialize_entry(name, &self.sequence_number)?,
                "output_index" => map.serialize_entry(name, &self.output_index)?,
                _ => map.serialize_entry(name, raw)?,
            }
        }
        for (name, number) in [
            ("sequence_number", usize::try_from(self.sequence_number).unwrap_or(usize::MAX)),
            ("output_index", self.output_index),
        ] {
            if self.members.look(name).is_none() {
                map.serialize_entry(name, &number)?;
            }
        }
        map.end()
    }
}
