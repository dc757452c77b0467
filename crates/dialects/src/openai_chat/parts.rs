//! Content parts of a request, both ways: text, image, sound, file, and whatever else this dialect's speakers
//! invent, which travels whole.
//!
//! Members of a part that the canon has no name for are kept: those beside `type` under their own name, those
//! of the inner object under their path, such as `image_url.detail`.

use std::borrow::Cow;

use mainstay_canon::{Content, ContentPart, Dialect, Extra, Failure, Kind, Media, MediaSource, RawJson};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::json::{Members, Path, object, optional_string, required_string, string, wrong};
use crate::media::{from_url, image_mime};
use crate::paths::spelled;

/// A part that was read.
pub(super) enum Read {
    /// A part of the content.
    Part(ContentPart),
    /// A refusal, which is a field of the canonical message.
    Refusal(String),
}

/// Reads one part.
pub(super) fn read(raw: &RawValue, path: &Path<'_>) -> Result<Read, Failure> {
    let mut members = object(raw, path)?;
    let kind = required_string(members.take("type"), &path.member("type"))?;
    let mut extra = Extra::new();
    let content = match kind.as_str() {
        "text" => Content::Text(required_string(members.take("text"), &path.member("text"))?),
        "refusal" => {
            return required_string(members.take("refusal"), &path.member("refusal")).map(Read::Refusal);
        }
        "image_url" => Content::Image(image(&mut members, path, &mut extra)?),
        "input_audio" => Content::Audio(sound(&mut members, path, &mut extra)?),
        "file" => Content::File(file(&mut members, path, &mut extra)?),
        _ => {
            let raw = RawJson::of(raw).map_err(|_| wrong(path, "a content part", Some(raw)))?;
            let content = Content::Native { dialect: Dialect::OpenaiChat, kind, raw };
            return Ok(Read::Part(ContentPart { content, extra }));
        }
    };
    members.keep_beneath("", &mut extra);
    Ok(Read::Part(ContentPart { content, extra }))
}

fn image(members: &mut Members<'_>, path: &Path<'_>, extra: &mut Extra) -> Result<Media, Failure> {
    let path = path.member("image_url");
    let Some(raw) = members.take("image_url") else { return Err(wrong(&path, "an object with a url", None)) };
    if raw.get().starts_with('"') {
        // Mistral's short form.
        return Ok(from_url(&string(raw, &path)?));
    }
    let mut inner = object(raw, &path)?;
    let url = required_string(inner.take("url"), &path.member("url"))?;
    inner.keep_beneath("image_url.", extra);
    Ok(from_url(&url))
}

fn sound(members: &mut Members<'_>, path: &Path<'_>, extra: &mut Extra) -> Result<Media, Failure> {
    let path = path.member("input_audio");
    let Some(raw) = members.take("input_audio") else {
        return Err(wrong(&path, "an object with data and format", None));
    };
    let mut inner = object(raw, &path)?;
    let data = required_string(inner.take("data"), &path.member("data"))?;
    let format = required_string(inner.take("format"), &path.member("format"))?;
    inner.keep_beneath("input_audio.", extra);
    let mime = if format == "mp3" { "audio/mpeg".to_owned() } else { format!("audio/{format}") };
    Ok(Media { mime: Some(mime), name: None, source: MediaSource::Base64(data) })
}

fn file(members: &mut Members<'_>, path: &Path<'_>, extra: &mut Extra) -> Result<Media, Failure> {
    let path = path.member("file");
    let Some(raw) = members.take("file") else {
        return Err(wrong(&path, "an object with file_data or file_id", None));
    };
    let mut inner = object(raw, &path)?;
    let name = optional_string(inner.take("filename"), &path.member("filename"))?;
    let id = optional_string(inner.take("file_id"), &path.member("file_id"))?;
    let data = optional_string(inner.take("file_data"), &path.member("file_data"))?;
    inner.keep_beneath("file.", extra);
    match (id, data) {
        (Some(id), None) => Ok(Media { mime: None, name, source: MediaSource::FileId(id) }),
        (None, Some(data)) if data.contains(':') => Ok(Media { name, ..from_url(&data) }),
        (None, Some(data)) => Ok(Media { mime: None, name, source: MediaSource::Base64(data) }),
        (None, None) => Err(wrong(&path, "an object with file_data or file_id", Some(raw))),
        (Some(_), Some(_)) => {
            Err(super::json::invalid(&path, "expected one of file_data and file_id, found both"))
        }
    }
}

/// Checks that a part can be written, before anything is.
///
/// `file_urls` says whether the host takes files by URL, `ours` whether file ids may be this dialect's.
pub(super) fn check(part: &ContentPart, path: &Path<'_>, file_urls: bool, ours: bool) -> Result<(), Failure> {
    let cannot = |what: &str| {
        let path = path.to_string();
        Err(Failure::new(Kind::UnsupportedParameter, format!("{path}: {what}")).param(path))
    };
    match &part.content {
        Content::Text(_) | Content::Native { dialect: Dialect::OpenaiChat, .. } => Ok(()),
        Content::Image(media) => match media.source {
            MediaSource::FileId(_) => cannot("Chat Completions takes no image by file id"),
            MediaSource::Base64(_) | MediaSource::Url(_) => Ok(()),
        },
        Content::Audio(media) => match media.source {
            MediaSource::Url(_) | MediaSource::FileId(_) => {
                cannot("Chat Completions takes sound only in base64")
            }
            MediaSource::Base64(_) => Ok(()),
        },
        Content::File(media) => match media.source {
            MediaSource::Url(_) if !file_urls => cannot("Chat Completions takes no file by URL"),
            MediaSource::FileId(_) if !ours => cannot("the file was uploaded to a host of another dialect"),
            MediaSource::Url(_) | MediaSource::Base64(_) | MediaSource::FileId(_) => Ok(()),
        },
        Content::Native { dialect, kind, .. } => cannot(&format!("a `{kind}` part of the {dialect} dialect")),
    }
}

/// A part as it is written. `with_extra` says whether its extras are this dialect's.
pub(super) struct Written<'a> {
    pub(super) part: &'a ContentPart,
    pub(super) with_extra: bool,
}

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = match &self.part.content {
            Content::Native { raw, .. } => return raw.serialize(serializer),
            Content::Text(_) | Content::Image(_) | Content::Audio(_) | Content::File(_) => {
                serializer.serialize_map(None)?
            }
        };
        let inner = |name: &'static str| Inner { extra: self.with_extra.then_some(&self.part.extra), name };
        let name = match &self.part.content {
            Content::Text(text) => {
                map.serialize_entry("type", "text")?;
                map.serialize_entry("text", text)?;
                ""
            }
            Content::Image(media) => {
                map.serialize_entry("type", "image_url")?;
                map.serialize_entry(
                    "image_url",
                    &inner("image_url").with([("url", Some(url(media, "image/png")))]),
                )?;
                "image_url."
            }
            Content::Audio(media) => {
                map.serialize_entry("type", "input_audio")?;
                let fields =
                    [("data", Some(bytes(media))), ("format", Some(Cow::Borrowed(sound_format(media))))];
                map.serialize_entry("input_audio", &inner("input_audio").with(fields))?;
                "input_audio."
            }
            Content::File(media) => {
                map.serialize_entry("type", "file")?;
                map.serialize_entry("file", &inner("file").with(file_fields(media)))?;
                "file."
            }
            Content::Native { .. } => "",
        };
        if self.with_extra {
            for (member, raw) in
                self.part.extra.iter().filter(|(member, _)| name.is_empty() || !member.starts_with(name))
            {
                map.serialize_entry(spelled(member), raw)?;
            }
        }
        map.end()
    }
}

/// An inner object: its own fields, then the extras under its path.
struct Inner<'a> {
    extra: Option<&'a Extra>,
    name: &'static str,
}

struct Filled<'a, const N: usize> {
    inner: Inner<'a>,
    fields: [(&'static str, Option<Cow<'a, str>>); N],
}

impl<'a> Inner<'a> {
    fn with<const N: usize>(self, fields: [(&'static str, Option<Cow<'a, str>>); N]) -> Filled<'a, N> {
        Filled { inner: self, fields }
    }
}

impl<const N: usize> Serialize for Filled<'_, N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, text) in &self.fields {
            if let Some(text) = text {
                map.serialize_entry(name, text)?;
            }
        }
        for (path, raw) in self.inner.extra.into_iter().flat_map(Extra::iter) {
            if let Some(name) = path.strip_prefix(self.inner.name).and_then(|rest| rest.strip_prefix('.')) {
                map.serialize_entry(spelled(name), raw)?;
            }
        }
        map.end()
    }
}

fn file_fields(media: &Media) -> [(&'static str, Option<Cow<'_, str>>); 3] {
    let name = media.name.as_deref().map(Cow::Borrowed);
    match &media.source {
        MediaSource::FileId(id) => {
            [("filename", name), ("file_data", None), ("file_id", Some(Cow::Borrowed(id)))]
        }
        MediaSource::Url(url) => {
            [("filename", name), ("file_data", Some(Cow::Borrowed(url))), ("file_id", None)]
        }
        MediaSource::Base64(data) => {
            // OpenAI wants a name beside the bytes.
            let name = name.or_else(|| Some(Cow::Borrowed(default_name(media.mime.as_deref()))));
            let data = if media.mime.is_some() { url(media, "") } else { Cow::Borrowed(data.as_str()) };
            [("filename", name), ("file_data", Some(data)), ("file_id", None)]
        }
    }
}

fn default_name(mime: Option<&str>) -> &'static str {
    match mime {
        Some("text/plain") => "document.txt",
        Some("text/markdown") => "document.md",
        Some("text/csv") => "document.csv",
        Some(_) | None => "document.pdf",
    }
}

fn bytes(media: &Media) -> Cow<'_, str> {
    match &media.source {
        MediaSource::Base64(data) | MediaSource::Url(data) | MediaSource::FileId(data) => Cow::Borrowed(data),
    }
}

/// The URL of a media part. Without a MIME type the bytes tell, as far as images go.
fn url<'a>(media: &'a Media, otherwise: &'a str) -> Cow<'a, str> {
    match &media.source {
        MediaSource::Url(url) => Cow::Borrowed(url),
        MediaSource::Base64(data) => {
            let mime = media.mime.as_deref().or_else(|| image_mime(data)).unwrap_or(otherwise);
            Cow::Owned(format!("data:{mime};base64,{data}"))
        }
        MediaSource::FileId(id) => Cow::Borrowed(id),
    }
}

/// OpenAI's word for a sound's format.
fn sound_format(media: &Media) -> &str {
    match media.mime.as_deref() {
        Some("audio/mpeg" | "audio/mp3") => "mp3",
        Some("audio/wav" | "audio/x-wav" | "audio/wave") | None => "wav",
        Some(other) => other.strip_prefix("audio/").unwrap_or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(json: &str) {
        let raw = RawValue::from_string(json.to_owned()).unwrap();
        let Read::Part(part) = read(&raw, &Path::Root).unwrap() else { panic!("{json}") };
        assert!(check(&part, &Path::Root, false, true).is_ok());
        assert_eq!(serde_json::to_string(&Written { part: &part, with_extra: true }).unwrap(), json);
    }

    #[test]
    fn parts_come_back_byte_for_byte() {
        round_trip(r#"{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}"#);
        round_trip(r#"{"type":"image_url","image_url":{"url":"https://x/y.png","detail":"low"},"z":1.0}"#);
        round_trip(r#"{"type":"image_url","image_url":{"url":"data:image/jpeg;base64,/9j/AAAA"}}"#);
        round_trip(r#"{"type":"image_url","image_url":{"url":"data:image/svg+xml;utf8,<svg/>"}}"#);
        round_trip(r#"{"type":"input_audio","input_audio":{"data":"QUJD","format":"mp3"}}"#);
        round_trip(r#"{"type":"input_audio","input_audio":{"data":"QUJD","format":"wav"}}"#);
        round_trip(
            r#"{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,QUJD"}}"#,
        );
        round_trip(r#"{"type":"file","file":{"filename":"a.pdf","file_data":"QUJD"}}"#);
        round_trip(r#"{"type":"file","file":{"file_id":"file-1"}}"#);
        round_trip(r#"{"type":"video_url", "video_url":{"url":"https://x"}, "n":1.0}"#);
    }

    #[test]
    fn an_error_names_the_path() {
        let at = |json: &str| {
            let raw = RawValue::from_string(json.to_owned()).unwrap();
            read(&raw, &Path::Root.member("p")).err().unwrap().message
        };
        assert_eq!(at("7"), "p: expected an object, found a number");
        assert_eq!(at("{}"), "p.type: expected a string, found nothing");
        assert_eq!(at(r#"{"type":"text","text":7}"#), "p.text: expected a string, found a number");
        assert_eq!(
            at(r#"{"type":"image_url","image_url":{}}"#),
            "p.image_url.url: expected a string, found nothing"
        );
        assert_eq!(
            at(r#"{"type":"file","file":{"file_id":"a","file_data":"b"}}"#),
            "p.file: expected one of file_data and file_id, found both"
        );
    }

    #[test]
    fn what_this_dialect_cannot_say_is_refused_by_name() {
        let refused = |content| {
            let part = ContentPart { content, extra: Extra::new() };
            check(&part, &Path::Root.member("p"), false, false).unwrap_err()
        };
        let media = |source| Media { mime: None, name: None, source };
        refused(Content::Image(media(MediaSource::FileId("f".into()))));
        refused(Content::Audio(media(MediaSource::Url("u".into()))));
        refused(Content::File(media(MediaSource::Url("u".into()))));
        refused(Content::File(media(MediaSource::FileId("f".into()))));
        let raw = RawJson::parse("{}").unwrap();
        let native =
            refused(Content::Native { dialect: Dialect::Anthropic, kind: "search_result".into(), raw });
        assert_eq!(native.message, "p: a `search_result` part of the anthropic dialect");
        assert_eq!((native.kind, native.param.as_deref()), (Kind::UnsupportedParameter, Some("p")));
    }
}
