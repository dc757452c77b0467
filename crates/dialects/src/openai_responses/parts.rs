//! Content parts of items, both ways: text, image, file, sound, and whatever else this dialect has, which travels
//! whole. What is said to a model has other names here than what a model said.

use std::borrow::Cow;

use mainstay_canon::{
    Content, ContentPart, Dialect, Extra, Failure, Kind, Media, MediaSource, RawJson, Role,
};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use crate::media::{from_url, image_mime};
use crate::openai_chat::json::{
    Members, Path, invalid, list, object, optional_string, required_string, string, wrong,
};
use crate::openai_chat::lenient::says_something;
use crate::paths::spelled;

/// Who says a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// It is said to the model.
    Input,
    /// The model said it.
    Output,
}

/// A part that was read.
#[derive(Debug)]
pub(super) enum Read {
    /// A part of the content.
    Part(ContentPart),
    /// A refusal, which is a field of the canonical message, and whether its text is all that the part says.
    Refusal(String, bool),
}

/// Reads the content of a message or a result: a string or a list of parts.
pub(super) fn read_content(
    raw: Option<&RawValue>,
    path: &Path<'_>,
    side: Side,
    mut on_part: impl FnMut(Read),
) -> Result<(), Failure> {
    const EXPECTED: &str = "a string or a list of parts";
    let Some(raw) = raw else { return Err(wrong(path, EXPECTED, None)) };
    if raw.get().starts_with('"') {
        on_part(Read::Part(ContentPart::text(string(raw, path)?)));
        return Ok(());
    }
    if !raw.get().starts_with('[') {
        return Err(wrong(path, EXPECTED, Some(raw)));
    }
    for (index, part) in list(raw, path)?.into_iter().enumerate() {
        on_part(read(part, &path.item(index), side)?);
    }
    Ok(())
}

/// Reads one part.
pub(super) fn read(raw: &RawValue, path: &Path<'_>, side: Side) -> Result<Read, Failure> {
    let mut members = object(raw, path)?;
    let mut extra = Extra::new();
    let kind = required_string(members.take("type"), &path.member("type"))?;
    let content = match (kind.as_str(), side) {
        ("input_text" | "text", _) | ("output_text", Side::Output) => {
            Content::Text(required_string(members.take("text"), &path.member("text"))?)
        }
        ("refusal", Side::Output) => {
            let text = required_string(members.take("refusal"), &path.member("refusal"))?;
            return Ok(Read::Refusal(text, members.is_empty()));
        }
        ("input_image", Side::Input) => Content::Image(image(&mut members, path)?),
        ("input_file", Side::Input) => Content::File(file(&mut members, path)?),
        ("input_audio", Side::Input) => Content::Audio(sound(&mut members, path, &mut extra)?),
        _ => {
            let raw = RawJson::of(raw).map_err(|_| wrong(path, "a content part", Some(raw)))?;
            let content = Content::Native { dialect: Dialect::OpenaiResponses, kind, raw };
            return Ok(Read::Part(ContentPart { content, extra }));
        }
    };
    if side == Side::Output {
        // SDKs hand these back with every text, and mostly empty.
        for name in ["annotations", "logprobs"] {
            if !members.look(name).is_some_and(says_something) {
                members.take(name);
            }
        }
    }
    members.keep_beneath("", &mut extra);
    Ok(Read::Part(ContentPart { content, extra }))
}

fn image(members: &mut Members<'_>, path: &Path<'_>) -> Result<Media, Failure> {
    let url = optional_string(members.take("image_url"), &path.member("image_url"))?;
    let id = optional_string(members.take("file_id"), &path.member("file_id"))?;
    match (url, id) {
        (Some(url), None) => Ok(from_url(&url)),
        (None, Some(id)) => Ok(Media { mime: None, name: None, source: MediaSource::FileId(id) }),
        (None, None) => Err(invalid(path, "expected image_url or file_id, found neither")),
        (Some(_), Some(_)) => Err(invalid(path, "expected one of image_url and file_id, found both")),
    }
}

fn file(members: &mut Members<'_>, path: &Path<'_>) -> Result<Media, Failure> {
    let mut text = |name: &str| optional_string(members.take(name), &path.member(name));
    let (name, data, id, url) = (text("filename")?, text("file_data")?, text("file_id")?, text("file_url")?);
    match (data, id, url) {
        (Some(data), None, None) if data.starts_with("data:") => Ok(Media { name, ..from_url(&data) }),
        (Some(data), None, None) => Ok(Media { mime: None, name, source: MediaSource::Base64(data) }),
        (None, Some(id), None) => Ok(Media { mime: None, name, source: MediaSource::FileId(id) }),
        (None, None, Some(url)) => Ok(Media { mime: None, name, source: MediaSource::Url(url) }),
        (None, None, None) => {
            Err(invalid(path, "expected file_data, file_id or file_url, found none of them"))
        }
        _ => Err(invalid(path, "expected one of file_data, file_id and file_url, found several")),
    }
}

/// Before the names of members of the inner object of a sound.
const SOUND: &str = "input_audio.";

fn sound(members: &mut Members<'_>, path: &Path<'_>, extra: &mut Extra) -> Result<Media, Failure> {
    let path = path.member("input_audio");
    let Some(raw) = members.take("input_audio") else {
        return Err(wrong(&path, "an object with data and format", None));
    };
    let mut inner = object(raw, &path)?;
    let data = required_string(inner.take("data"), &path.member("data"))?;
    let format = required_string(inner.take("format"), &path.member("format"))?;
    inner.keep_beneath(SOUND, extra);
    let mime = if format == "mp3" { "audio/mpeg".to_owned() } else { format!("audio/{format}") };
    Ok(Media { mime: Some(mime), name: None, source: MediaSource::Base64(data) })
}

/// What a model and a request allow of parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowed {
    /// Whether the model takes images.
    pub(super) images: bool,
    /// Whether file ids may be the host's.
    pub(super) files: bool,
}

/// Checks that a part can be said by that role, before anything is written.
pub(super) fn check(
    part: &ContentPart,
    role: Role,
    path: &Path<'_>,
    allowed: Allowed,
) -> Result<(), Failure> {
    let media = |media: &Media| match (role, &media.source) {
        (Role::Assistant, _) => Some("an assistant message can only be text"),
        (_, MediaSource::FileId(_)) if !allowed.files => {
            Some("the file was uploaded to a host of another dialect")
        }
        (
            Role::System | Role::Developer | Role::User | Role::Tool,
            MediaSource::Base64(_) | MediaSource::Url(_) | MediaSource::FileId(_),
        ) => None,
    };
    let problem = match &part.content {
        Content::Text(_) | Content::Native { dialect: Dialect::OpenaiResponses, .. } => None,
        Content::Image(_) if !allowed.images => Some(Cow::Borrowed("the model takes no images")),
        Content::Image(picture) => media(picture).map(Cow::Borrowed),
        Content::File(file) => media(file).map(Cow::Borrowed),
        Content::Audio(sound) => match (&sound.source, role) {
            (MediaSource::Url(_) | MediaSource::FileId(_), _) => {
                Some(Cow::Borrowed("the Responses API takes sound only in base64"))
            }
            (MediaSource::Base64(_), Role::Tool) => Some(Cow::Borrowed("a tool's result can hold no sound")),
            (MediaSource::Base64(_), Role::System | Role::Developer | Role::User | Role::Assistant) => {
                media(sound).map(Cow::Borrowed)
            }
        },
        Content::Native { dialect, kind, .. } => {
            Some(Cow::Owned(format!("a `{kind}` part of the {dialect} dialect")))
        }
    };
    let Some(what) = problem else { return Ok(()) };
    let path = path.to_string();
    Err(Failure::new(Kind::UnsupportedParameter, format!("{path}: {what}")).param(path))
}

/// A part as it is written. `with_extra` says whether its extras are this dialect's.
#[derive(Debug)]
pub(super) struct WrittenPart<'a> {
    pub(super) part: &'a ContentPart,
    pub(super) side: Side,
    pub(super) with_extra: bool,
}

impl Serialize for WrittenPart<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let extra = self.with_extra.then_some(&self.part.extra);
        let (kind, fields) = match &self.part.content {
            Content::Native { raw, .. } => return raw.serialize(serializer),
            Content::Text(text) => {
                return WrittenText { text, side: self.side, extra }.serialize(serializer);
            }
            Content::Audio(media) => return write_sound(media, extra, serializer),
            Content::Image(media) => ("input_image", vec![image_field(media)]),
            Content::File(media) => ("input_file", file_fields(media)),
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", kind)?;
        for (name, text) in fields {
            map.serialize_entry(name, &text)?;
        }
        write_extra(&mut map, extra)?;
        map.end()
    }
}

/// A text as it is written.
#[derive(Debug)]
pub(super) struct WrittenText<'a> {
    pub(super) text: &'a str,
    pub(super) side: Side,
    pub(super) extra: Option<&'a Extra>,
}

impl Serialize for WrittenText<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self.side {
            Side::Input => map.serialize_entry("type", "input_text")?,
            Side::Output => map.serialize_entry("type", "output_text")?,
        }
        map.serialize_entry("text", self.text)?;
        // The API wants this member in what a model said.
        if self.side == Side::Output && self.extra.is_none_or(|extra| extra.get("annotations").is_none()) {
            map.serialize_entry("annotations", &[(); 0])?;
        }
        write_extra(&mut map, self.extra)?;
        map.end()
    }
}

fn write_extra<M: SerializeMap>(map: &mut M, extra: Option<&Extra>) -> Result<(), M::Error> {
    for (name, raw) in extra.into_iter().flat_map(Extra::iter).filter(|(name, _)| !name.starts_with(SOUND)) {
        map.serialize_entry(spelled(name), raw)?;
    }
    Ok(())
}

/// The inner object of a sound.
struct Sound<'a> {
    data: &'a str,
    format: &'a str,
    extra: Option<&'a Extra>,
}

impl Serialize for Sound<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("data", self.data)?;
        map.serialize_entry("format", self.format)?;
        for (name, raw) in self.extra.into_iter().flat_map(Extra::iter) {
            if let Some(name) = name.strip_prefix(SOUND) {
                map.serialize_entry(spelled(name), raw)?;
            }
        }
        map.end()
    }
}

fn write_sound<S: Serializer>(
    media: &Media,
    extra: Option<&Extra>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let (MediaSource::Base64(data) | MediaSource::Url(data) | MediaSource::FileId(data)) = &media.source;
    let format = match media.mime.as_deref() {
        Some("audio/mpeg" | "audio/mp3") => "mp3",
        Some("audio/wav" | "audio/x-wav" | "audio/wave") | None => "wav",
        Some(other) => other.strip_prefix("audio/").unwrap_or(other),
    };
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("type", "input_audio")?;
    map.serialize_entry("input_audio", &Sound { data, format, extra })?;
    write_extra(&mut map, extra)?;
    map.end()
}

fn image_field(media: &Media) -> (&'static str, Cow<'_, str>) {
    match &media.source {
        MediaSource::FileId(id) => ("file_id", Cow::Borrowed(id)),
        MediaSource::Url(url) => ("image_url", Cow::Borrowed(url)),
        MediaSource::Base64(data) => {
            let mime = media.mime.as_deref().or_else(|| image_mime(data)).unwrap_or("image/png");
            ("image_url", Cow::Owned(format!("data:{mime};base64,{data}")))
        }
    }
}

fn file_fields(media: &Media) -> Vec<(&'static str, Cow<'_, str>)> {
    let name = media.name.as_deref();
    let mut fields = Vec::with_capacity(2);
    let (member, value) = match &media.source {
        MediaSource::FileId(id) => ("file_id", Cow::Borrowed(id.as_str())),
        MediaSource::Url(url) => ("file_url", Cow::Borrowed(url.as_str())),
        MediaSource::Base64(data) => {
            // OpenAI wants a name beside the bytes.
            fields.push((
                "filename",
                Cow::Borrowed(name.unwrap_or_else(|| default_name(media.mime.as_deref()))),
            ));
            let data = match &media.mime {
                Some(mime) => Cow::Owned(format!("data:{mime};base64,{data}")),
                None => Cow::Borrowed(data.as_str()),
            };
            ("file_data", data)
        }
    };
    if let Some(name) = name.filter(|_| fields.is_empty()) {
        fields.push(("filename", Cow::Borrowed(name)));
    }
    fields.push((member, value));
    fields
}

fn default_name(mime: Option<&str>) -> &'static str {
    match mime {
        Some("text/plain") => "document.txt",
        Some("text/markdown") => "document.md",
        Some("text/csv") => "document.csv",
        Some(_) | None => "document.pdf",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Allowed = Allowed { images: true, files: true };

    fn round_trip(json: &str, side: Side) {
        let raw = RawValue::from_string(json.to_owned()).unwrap();
        let Read::Part(part) = read(&raw, &Path::Root, side).unwrap() else { panic!("{json}") };
        let role = if side == Side::Output { Role::Assistant } else { Role::User };
        assert!(check(&part, role, &Path::Root, ALL).is_ok());
        assert_eq!(
            serde_json::to_string(&WrittenPart { part: &part, side, with_extra: true }).unwrap(),
            json
        );
    }

    #[test]
    fn parts_come_back_byte_for_byte() {
        for json in [
            r#"{"type":"input_text","text":"hi","prompt_cache_breakpoint":{"mode":"explicit", "n":1.0}}"#,
            r#"{"type":"input_image","image_url":"https://x/y.png","detail":"low"}"#,
            r#"{"type":"input_image","image_url":"data:image/jpeg;base64,/9j/AAAA"}"#,
            r#"{"type":"input_image","image_url":"data:image/svg+xml;utf8,<svg/>"}"#,
            r#"{"type":"input_image","file_id":"file-1"}"#,
            r#"{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,QUJD"}"#,
            r#"{"type":"input_file","filename":"a.pdf","file_data":"QUJD"}"#,
            r#"{"type":"input_file","file_id":"file-1"}"#,
            r#"{"type":"input_file","file_url":"https://x/a.pdf","detail":"low"}"#,
            r#"{"type":"input_audio","input_audio":{"data":"QUJD","format":"mp3","more":1.0}}"#,
            r#"{"type":"input_video", "video_url":"https://x"}"#,
        ] {
            round_trip(json, Side::Input);
        }
        round_trip(r#"{"type":"output_text","text":"a","annotations":[{"type":"x","n":1.0}]}"#, Side::Output);
        round_trip(r#"{"type":"output_text","text":"a","annotations":[]}"#, Side::Output);
    }

    #[test]
    fn an_error_names_the_path() {
        let at = |json: &str, side| {
            let raw = RawValue::from_string(json.to_owned()).unwrap();
            read(&raw, &Path::Root.member("p"), side).err().unwrap().message
        };
        assert_eq!(at("7", Side::Input), "p: expected an object, found a number");
        assert_eq!(at("{}", Side::Input), "p.type: expected a string, found nothing");
        assert_eq!(at(r#"{"type":"input_text"}"#, Side::Input), "p.text: expected a string, found nothing");
        assert_eq!(
            at(r#"{"type":"input_image"}"#, Side::Input),
            "p: expected image_url or file_id, found neither"
        );
        assert_eq!(
            at(r#"{"type":"input_image","image_url":{"url":"u"}}"#, Side::Input),
            "p.image_url: expected a string, found an object"
        );
        assert_eq!(
            at(r#"{"type":"input_file","file_id":"a","file_data":"b"}"#, Side::Input),
            "p: expected one of file_data, file_id and file_url, found several"
        );
        assert_eq!(
            at(r#"{"type":"refusal","refusal":7}"#, Side::Output),
            "p.refusal: expected a string, found a number"
        );
    }

    #[test]
    fn what_cannot_be_said_is_refused_by_name() {
        let refused = |content, role, allowed| {
            let part = ContentPart { content, extra: Extra::new() };
            check(&part, role, &Path::Root.member("p"), allowed).unwrap_err()
        };
        let media = |source| Media { mime: None, name: None, source };
        let picture = || Content::Image(media(MediaSource::Url("u".into())));
        let uploaded = Content::File(media(MediaSource::FileId("f".into())));
        refused(picture(), Role::User, Allowed { images: false, ..ALL });
        refused(picture(), Role::Assistant, ALL);
        refused(uploaded, Role::User, Allowed { files: false, ..ALL });
        refused(Content::Audio(media(MediaSource::Url("u".into()))), Role::User, ALL);
        refused(Content::Audio(media(MediaSource::Base64("b".into()))), Role::Tool, ALL);
        let raw = RawJson::parse("{}").unwrap();
        let native = Content::Native { dialect: Dialect::Anthropic, kind: "search_result".into(), raw };
        let failure = refused(native, Role::User, ALL);
        assert_eq!(failure.message, "p: a `search_result` part of the anthropic dialect");
        assert_eq!((failure.kind, failure.param.as_deref()), (Kind::UnsupportedParameter, Some("p")));
    }
}
