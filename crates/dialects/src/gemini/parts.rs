//! Content parts as the parts of a request.
//!
//! Source: Gemini API reference, Content and Part, 2026-11. Knows one part at a time; what order parts must stand in
//! is the conversation's business.

use std::borrow::Cow;

use mainstay_canon::{Accepts, Content, ContentPart, Dialect, Extra, Failure, Media};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::json::raw;
use super::marks::SIGNATURE;
use super::media::{Source, source, unsupported};
use super::notes::Notes;

/// What goes into the place of a signature that is another model's or lost: the stand-in that the API documents,
/// `skip_thought_signature_validator`, in base64 as every signature (Gemini API, Thought signatures, 2026-11).
const STAND_IN: &str = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=";

/// Members beside what a part is, by name.
pub(super) type Members<'a> = Vec<(Cow<'a, str>, &'a RawValue)>;

/// One part of a request.
#[derive(Debug)]
pub(super) enum OutPart<'a> {
    /// A part that is sent as it came.
    Raw(&'a RawValue),
    Text {
        text: Cow<'a, str>,
        members: Members<'a>,
    },
    Media {
        source: Source<'a>,
        members: Members<'a>,
    },
    Call(OutCall<'a>),
    Result(OutResult<'a>),
}

/// A call that the model made.
#[derive(Debug)]
pub(super) struct OutCall<'a> {
    pub(super) id: &'a str,
    pub(super) name: &'a str,
    /// An object; nothing for one without members.
    pub(super) args: Option<&'a RawValue>,
    pub(super) members: Members<'a>,
    /// Whether the stand-in is sent for a signature.
    pub(super) stands_in: bool,
}

/// What a tool gave back.
#[derive(Debug)]
pub(super) struct OutResult<'a> {
    pub(super) id: &'a str,
    pub(super) name: &'a str,
    pub(super) response: Response<'a>,
    pub(super) media: Vec<Source<'a>>,
    pub(super) members: Members<'a>,
}

/// A tool's result as the object that it must be here.
#[derive(Debug)]
pub(super) enum Response<'a> {
    /// A result that is an object already.
    Object(&'a RawValue),
    Output(Cow<'a, str>),
    Error(Cow<'a, str>),
}

impl OutCall<'_> {
    /// Whether a signature goes with it.
    pub(super) fn is_signed(&self) -> bool {
        self.members.iter().any(|(name, _)| name == SIGNATURE)
    }
}

/// Where a part stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    System,
    User,
    Model,
    Result,
}

/// Turns content parts into parts of a request for one call.
#[derive(Debug)]
pub(super) struct PartWriter<'c> {
    accepts: &'c Accepts,
    /// Whose dialect the request's extras are.
    origin: Option<Dialect>,
    pub(super) notes: Notes,
}

impl<'c> PartWriter<'c> {
    pub(super) fn new(accepts: &'c Accepts, origin: Option<Dialect>) -> Self {
        Self { accepts, origin, notes: Notes::default() }
    }

    /// Whether the request's extras are this dialect's.
    pub(super) fn is_own(&self) -> bool {
        self.origin == Some(Dialect::Gemini)
    }

    /// Whether they may be: a caller in code need not say whose they are.
    pub(super) fn may_be_own(&self) -> bool {
        self.origin.is_none() || self.is_own()
    }

    /// The extras of something if they are ours; else they are left out and noted.
    pub(super) fn members<'a>(&mut self, extra: &'a Extra, what: &str) -> Members<'a> {
        if self.is_own() {
            return members_of(extra);
        }
        self.notes.leave_behind(what, extra);
        Members::new()
    }

    /// Says that a medium has no name here.
    pub(super) fn note_name(&mut self, media: &Media) {
        if media.name.is_some() {
            self.notes.add("the names of files are left out: this dialect has none");
        }
    }

    /// The parts of a message's content. Blank texts are left out: the API refuses empty ones.
    ///
    /// # Errors
    ///
    /// `UnsupportedParameter` for a part that cannot be sent here.
    pub(super) fn parts<'a>(
        &mut self,
        parts: &'a [ContentPart],
        place: Place,
        message: usize,
    ) -> Result<Vec<OutPart<'a>>, Failure> {
        let mut written = Vec::with_capacity(parts.len());
        for (nth, part) in parts.iter().enumerate() {
            let part = self.part(part, place);
            written.extend(part.map_err(|f| f.param(format!("messages.{message}.content.{nth}")))?);
        }
        Ok(written)
    }

    fn part<'a>(&mut self, part: &'a ContentPart, place: Place) -> Result<Option<OutPart<'a>>, Failure> {
        let (what, media) = match &part.content {
            Content::Text(text) if text.trim().is_empty() => return Ok(None),
            Content::Text(text) => {
                let members = self.members(&part.extra, "a text");
                return Ok(Some(OutPart::Text { text: text.into(), members }));
            }
            Content::Native { dialect: Dialect::Gemini, raw: part, .. } => {
                return Ok(raw(part).map(OutPart::Raw));
            }
            Content::Native { dialect, kind, .. } => {
                return Err(unsupported(format!("a part of type {kind:?} is known to {dialect} only")));
            }
            Content::Image(media) => ("an image", media),
            Content::Audio(media) => ("a sound", media),
            Content::File(media) => ("a file", media),
        };
        if place == Place::System {
            return Err(unsupported(format!("an instruction cannot hold {what} here")));
        }
        if matches!(part.content, Content::Image(_)) && !self.accepts.images {
            return Err(unsupported("the model takes no images"));
        }
        self.note_name(media);
        let source = source(media, self.may_be_own())?;
        Ok(Some(OutPart::Media { source, members: self.members(&part.extra, what) }))
    }
}

/// Members kept by name, as they are written.
pub(super) fn members_of(extra: &Extra) -> Members<'_> {
    extra.iter().filter_map(|(name, value)| Some((Cow::Borrowed(name), raw(value)?))).collect()
}

impl Serialize for OutPart<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Self::Raw(raw) = self {
            return raw.serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        let members = match self {
            Self::Raw(_) => return map.end(),
            Self::Text { text, members } => {
                map.serialize_entry("text", text)?;
                members
            }
            Self::Media { source, members } => {
                match source {
                    Source::Inline(blob) => map.serialize_entry("inlineData", blob)?,
                    Source::File(file) => map.serialize_entry("fileData", file)?,
                }
                members
            }
            Self::Call(call) => {
                map.serialize_entry("functionCall", &CallMember(call))?;
                if call.stands_in {
                    map.serialize_entry(SIGNATURE, STAND_IN)?;
                }
                &call.members
            }
            Self::Result(result) => {
                map.serialize_entry("functionResponse", &ResultMember(result))?;
                &result.members
            }
        };
        for (name, value) in members {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

struct CallMember<'c, 'a>(&'c OutCall<'a>);

impl Serialize for CallMember<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let OutCall { id, name, args, .. } = self.0;
        let mut map = serializer.serialize_map(None)?;
        if !id.is_empty() {
            map.serialize_entry("id", id)?;
        }
        map.serialize_entry("name", name)?;
        match args {
            Some(args) => map.serialize_entry("args", args)?,
            None => map.serialize_entry("args", &Nothing {})?,
        }
        map.end()
    }
}

struct ResultMember<'r, 'a>(&'r OutResult<'a>);

impl Serialize for ResultMember<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let OutResult { id, name, response, media, .. } = self.0;
        let mut map = serializer.serialize_map(None)?;
        if !id.is_empty() {
            map.serialize_entry("id", id)?;
        }
        map.serialize_entry("name", name)?;
        map.serialize_entry("response", response)?;
        if !media.is_empty() {
            map.serialize_entry("parts", media)?;
        }
        map.end()
    }
}

impl Serialize for Response<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (name, text) = match self {
            Self::Object(object) => return object.serialize(serializer),
            Self::Output(text) => ("output", text),
            Self::Error(text) => ("error", text),
        };
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(name, text)?;
        map.end()
    }
}

/// `{}`.
#[derive(Serialize)]
struct Nothing {}
