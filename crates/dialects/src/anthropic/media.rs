//! Images and documents: where their bytes are, as this dialect says it.
//!
//! Source: Anthropic API reference, Vision and PDF support, 2026-11.

use mainstay_canon::{Extra, Failure, Kind, Media, MediaSource};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::base64;
use super::message_read::SOURCE;
use crate::paths::spelled;

/// Where the bytes of a medium are.
#[derive(Debug)]
pub(super) enum Source<'a> {
    Base64 { media_type: &'a str, data: &'a str },
    Text(String),
    Url(&'a str),
    File(&'a str),
}

/// What this dialect or model does not take.
pub(super) fn unsupported(message: impl Into<String>) -> Failure {
    Failure::new(Kind::UnsupportedParameter, message)
}

/// The source of an image or a document. What a caller of this dialect said stays as it is, parameters of the type
/// included: whether a host takes it, the host says.
pub(super) fn source<'a>(media: &'a Media, kind: &'static str, is_own: bool) -> Result<Source<'a>, Failure> {
    match (&media.source, media.mime.as_deref()) {
        (MediaSource::FileId(id), _) => Ok(Source::File(id)),
        (MediaSource::Url(url), _) => match data_url(url).filter(|_| !is_own) {
            Some((media_type, data)) => inline(Some(media_type), data, kind),
            None => Ok(Source::Url(url)),
        },
        (MediaSource::Base64(data), Some(media_type)) if is_own => Ok(Source::Base64 { media_type, data }),
        (MediaSource::Base64(data), mime) => inline(mime, data, kind),
    }
}

/// The type and the base64 of a `data:` address.
fn data_url(url: &str) -> Option<(&str, &str)> {
    let (head, data) = url.strip_prefix("data:")?.split_once(',')?;
    Some((head.strip_suffix(";base64")?, data))
}

/// Bytes that stand in the request itself, as another dialect said them: this one knows types without parameters,
/// such as a character set. Documents in base64 are PDFs; a text is sent as one.
fn inline<'a>(mime: Option<&'a str>, data: &'a str, kind: &'static str) -> Result<Source<'a>, Failure> {
    let mime = mime.map(|mime| mime.split(';').next().unwrap_or(mime).trim()).filter(|mime| !mime.is_empty());
    if kind == "image" {
        let Some(media_type) = mime.or_else(|| image_type(data)) else {
            return Err(unsupported("the type of an image is not said"));
        };
        return Ok(Source::Base64 { media_type, data });
    }
    match mime {
        Some(mime) if mime.starts_with("text/") || mime == "application/json" => {
            let text = base64::decode(data).and_then(|bytes| String::from_utf8(bytes).ok());
            text.map(Source::Text).ok_or_else(|| unsupported("a text document is not UTF-8 in base64"))
        }
        None => Ok(Source::Base64 { media_type: "application/pdf", data }),
        Some(media_type) => Ok(Source::Base64 { media_type, data }),
    }
}

/// The type of an image, by how its base64 begins.
fn image_type(data: &str) -> Option<&'static str> {
    const BEGINNINGS: [(&str, &str); 4] = [
        ("/9j/", "image/jpeg"),
        ("iVBORw0KGgo", "image/png"),
        ("R0lGOD", "image/gif"),
        ("UklGR", "image/webp"),
    ];
    BEGINNINGS.into_iter().find(|(begin, _)| data.starts_with(begin)).map(|(_, mime)| mime)
}

/// A source with the members of it that a caller of this dialect added.
pub(super) struct Sourced<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) extra: Option<&'a Extra>,
}

impl Serialize for Sourced<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self.source {
            Source::Base64 { media_type, data } => {
                map.serialize_entry("type", "base64")?;
                map.serialize_entry("media_type", media_type)?;
                map.serialize_entry("data", data)?;
            }
            Source::Text(data) => {
                map.serialize_entry("type", "text")?;
                map.serialize_entry("media_type", "text/plain")?;
                map.serialize_entry("data", data)?;
            }
            Source::Url(url) => {
                map.serialize_entry("type", "url")?;
                map.serialize_entry("url", url)?;
            }
            Source::File(id) => {
                map.serialize_entry("type", "file")?;
                map.serialize_entry("file_id", id)?;
            }
        }
        for (name, value) in self.extra.into_iter().flat_map(Extra::iter) {
            if let Some(name) = name.strip_prefix(SOURCE) {
                map.serialize_entry(spelled(name), value)?;
            }
        }
        map.end()
    }
}
