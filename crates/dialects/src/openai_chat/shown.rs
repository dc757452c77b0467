//! What a message shows or lets be heard beside its text.
//!
//! Sound is OpenAI's `audio` (API reference, Chat Completions, 2026-11): its words and its bytes come in pieces.
//! Pictures are OpenRouter's `images` (documentation, Image generation, 2026-11), which other hosts took over.

use mainstay_canon::{Dialect, Extra, RawJson, Shown, Sight};
use serde::Serialize;
use serde_json::value::RawValue;

use super::json::Members;
use super::lenient::{Many, Text, read, read_object};
use crate::media::{from_url, of_mime, url_of_picture};

/// The member that holds a sound.
pub(super) const AUDIO: &str = "audio";
/// The member that holds pictures.
pub(super) const IMAGES: &str = "images";
/// Members of a sound that come in pieces.
const PIECES: [&str; 2] = ["data", "transcript"];

/// What a member of a message shows.
pub(super) fn of_member(name: &str, raw: &RawValue) -> Vec<Shown> {
    match name {
        AUDIO => sound(raw).into_iter().collect(),
        IMAGES => read::<Many<&RawValue>>(Some(raw)).0.into_iter().filter_map(picture).collect(),
        _ => Vec::new(),
    }
}

fn sound(raw: &RawValue) -> Option<Shown> {
    let members: Members<'_> = read_object(Some(raw));
    let [data, transcript] = PIECES.map(|name| read::<Text<'_>>(members.look(name)).owned());
    (data.is_some() || transcript.is_some()).then_some(Shown {
        sight: Sight::Sound,
        media: None,
        // A piece without words has none; what else there is to hear only this dialect can hand over.
        transcript: Some(transcript.unwrap_or_default()),
        dialect: Dialect::OpenaiChat,
    })
}

fn picture(raw: &RawValue) -> Option<Shown> {
    let members: Members<'_> = read_object(Some(raw));
    let image = members.look("image_url");
    let inner: Members<'_> = read_object(image);
    let url = read::<Text<'_>>(inner.look("url")).owned().or_else(|| read::<Text<'_>>(image).owned())?;
    let mut shown = of_mime(from_url(&url), Dialect::OpenaiChat);
    shown.sight = Sight::Picture;
    Some(shown)
}

/// A piece of a sound, told apart: what replaces what was said before, and what grows.
pub(super) fn pieces_of_sound(raw: &RawValue) -> [Option<RawJson>; 2] {
    let members: Members<'_> = read_object(Some(raw));
    let (mut standing, mut growing) = (Extra::new(), Extra::new());
    for (name, value) in members.iter().filter(|(_, value)| value.get() != "null") {
        let to = if PIECES.contains(&name) { &mut growing } else { &mut standing };
        super::json::keep(to, name, value);
    }
    [standing, growing].map(|members| (!members.is_empty()).then(|| RawJson::of(&members).ok()).flatten())
}

/// A picture of another dialect, as an element of `images`.
#[derive(Debug, Serialize)]
pub(super) struct WrittenPicture<'a> {
    r#type: &'static str,
    index: usize,
    image_url: Url<'a>,
}

#[derive(Debug, Serialize)]
struct Url<'a> {
    url: std::borrow::Cow<'a, str>,
}

impl<'a> WrittenPicture<'a> {
    /// The picture, where it is one that has a URL.
    pub(super) fn of(shown: &'a Shown, index: usize) -> Option<Self> {
        let media = shown.media.as_ref().filter(|_| shown.sight == Sight::Picture)?;
        Some(Self { r#type: "image_url", index, image_url: Url { url: url_of_picture(media)? } })
    }
}
