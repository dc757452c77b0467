//! Images, sounds and files: where their bytes are, as this dialect says it.
//!
//! Source: Gemini API reference, Blob and FileData, 2026-11. Every medium is the same to it but for its MIME type,
//! without which it takes none that stands in the request itself.

use mainstay_canon::{Failure, Kind, Media, MediaSource};
use serde::Serialize;

/// Where the bytes of a medium are, as the member of a part.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) enum Source<'a> {
    /// In the request itself.
    #[serde(rename = "inlineData")]
    Inline(Blob<'a>),
    /// At an address, or uploaded before.
    #[serde(rename = "fileData")]
    File(FileData<'a>),
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Blob<'a> {
    #[serde(rename = "mimeType")]
    mime: &'a str,
    data: &'a str,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct FileData<'a> {
    #[serde(rename = "mimeType", skip_serializing_if = "Option::is_none")]
    mime: Option<&'a str>,
    #[serde(rename = "fileUri")]
    uri: &'a str,
}

/// What this dialect or model does not take.
pub(super) fn unsupported(message: impl Into<String>) -> Failure {
    Failure::new(Kind::UnsupportedParameter, message)
}

/// The source of a medium. `knows_files` says whether a file id may be one of this provider's.
///
/// # Errors
///
/// `UnsupportedParameter` for bytes of no known type and for a file of another dialect's provider.
pub(super) fn source(media: &Media, knows_files: bool) -> Result<Source<'_>, Failure> {
    let stated = media.mime.as_deref().map(bare).filter(|mime| !mime.is_empty());
    match &media.source {
        MediaSource::Base64(data) => inline(stated, data),
        MediaSource::Url(url) => match data_url(url) {
            Some((mime, data)) => inline(Some(mime).filter(|mime| !mime.is_empty()).or(stated), data),
            None => Ok(Source::File(FileData { mime: stated.or_else(|| by_name(url)), uri: url })),
        },
        MediaSource::FileId(uri) if knows_files => {
            let mime = stated.or_else(|| media.name.as_deref().and_then(by_name));
            Ok(Source::File(FileData { mime, uri }))
        }
        MediaSource::FileId(_) => {
            Err(unsupported("a file uploaded to a provider of another dialect is not known here"))
        }
    }
}

fn inline<'a>(mime: Option<&'a str>, data: &'a str) -> Result<Source<'a>, Failure> {
    match mime.or_else(|| by_beginning(data)) {
        Some(mime) => Ok(Source::Inline(Blob { mime, data })),
        None => Err(unsupported("the type of a medium is not said")),
    }
}

/// A MIME type without its parameters.
fn bare(mime: &str) -> &str {
    mime.split(';').next().unwrap_or(mime).trim()
}

/// The type and the base64 of a `data:` address.
fn data_url(url: &str) -> Option<(&str, &str)> {
    let (head, data) = url.strip_prefix("data:")?.split_once(',')?;
    Some((bare(head.strip_suffix(";base64")?), data))
}

/// The type of a medium, by how its base64 begins.
fn by_beginning(data: &str) -> Option<&'static str> {
    const BEGINNINGS: [(&str, &str); 7] = [
        ("/9j/", "image/jpeg"),
        ("iVBORw0KGgo", "image/png"),
        ("R0lGOD", "image/gif"),
        ("JVBERi0", "application/pdf"),
        ("SUQz", "audio/mp3"),
        ("T2dnUw", "audio/ogg"),
        ("ZkxhQ", "audio/flac"),
    ];
    if data.starts_with("UklGR") {
        // Two kinds share the RIFF container; which one it is stands in its bytes 9 to 12.
        return match data.get(11..16) {
            Some("XQVZF") => Some("audio/wav"),
            Some("XRUJQ") => Some("image/webp"),
            Some(_) | None => None,
        };
    }
    BEGINNINGS.into_iter().find(|(begin, _)| data.starts_with(begin)).map(|(_, mime)| mime)
}

/// The type of a file, by how its address or name ends.
fn by_name(name: &str) -> Option<&'static str> {
    const ENDINGS: [(&str, &str); 14] = [
        ("png", "image/png"),
        ("jpg", "image/jpeg"),
        ("jpeg", "image/jpeg"),
        ("webp", "image/webp"),
        ("gif", "image/gif"),
        ("heic", "image/heic"),
        ("pdf", "application/pdf"),
        ("txt", "text/plain"),
        ("mp3", "audio/mp3"),
        ("wav", "audio/wav"),
        ("ogg", "audio/ogg"),
        ("flac", "audio/flac"),
        ("mp4", "video/mp4"),
        ("webm", "video/webm"),
    ];
    let path = name.split(['?', '#']).next().unwrap_or(name);
    let (_, ending) = path.rsplit_once('.')?;
    ENDINGS.into_iter().find(|(known, _)| ending.eq_ignore_ascii_case(known)).map(|(_, mime)| mime)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(mime: Option<&str>, source: MediaSource) -> Result<String, Kind> {
        let media = Media { mime: mime.map(str::to_owned), name: None, source };
        super::source(&media, true)
            .map(|source| serde_json::to_string(&source).unwrap())
            .map_err(|failure| failure.kind)
    }

    #[test]
    fn bytes_need_a_type_which_their_beginning_may_tell() {
        let base64 = |data: &str| MediaSource::Base64(data.to_owned());
        assert_eq!(
            of(Some("audio/wav; rate=1"), base64("QQ==")).unwrap(),
            r#"{"inlineData":{"mimeType":"audio/wav","data":"QQ=="}}"#
        );
        for (data, mime) in [
            ("iVBORw0KGgoAAAA", "image/png"),
            ("UklGRiQIAABXQVZFZm10IA==", "audio/wav"),
            ("UklGRiQIAABXRUJQVlA4IA==", "image/webp"),
            ("JVBERi0xLjc=", "application/pdf"),
        ] {
            assert!(of(None, base64(data)).unwrap().contains(mime), "{data}");
        }
        for data in ["QQ==", "UklGR", "UklGRiQIAABéXXXXXX", ""] {
            assert_eq!(of(None, base64(data)), Err(Kind::UnsupportedParameter), "{data}");
        }
    }

    #[test]
    fn an_address_is_a_file_unless_it_holds_the_bytes_itself() {
        let url = |url: &str| MediaSource::Url(url.to_owned());
        assert_eq!(
            of(None, url("data:image/png;base64,QQ==")).unwrap(),
            r#"{"inlineData":{"mimeType":"image/png","data":"QQ=="}}"#
        );
        assert_eq!(
            of(None, url("https://a.example/x.PDF?y=1.png")).unwrap(),
            r#"{"fileData":{"mimeType":"application/pdf","fileUri":"https://a.example/x.PDF?y=1.png"}}"#
        );
        assert_eq!(
            of(None, url("https://a.example/watch")).unwrap(),
            r#"{"fileData":{"fileUri":"https://a.example/watch"}}"#
        );
    }

    #[test]
    fn an_uploaded_file_is_known_only_where_it_was_uploaded() {
        let media = Media { mime: None, name: None, source: MediaSource::FileId("files/abc".to_owned()) };
        let written = serde_json::to_string(&source(&media, true).unwrap()).unwrap();
        assert_eq!(written, r#"{"fileData":{"fileUri":"files/abc"}}"#);
        assert_eq!(source(&media, false).unwrap_err().kind, Kind::UnsupportedParameter);
    }
}
