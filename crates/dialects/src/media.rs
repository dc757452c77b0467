//! Pictures, sounds and files: as the URLs by which several dialects spell them, and as words where one cannot.

use std::borrow::Cow;

use mainstay_canon::{Media, MediaSource, Shown, Sight};

/// Longest address that stands in a note, in characters.
const SHOWN_ADDRESS: usize = 2_000;

/// A `data:` URL holds the bytes; any other URL says where they are.
pub(crate) fn from_url(url: &str) -> Media {
    let inline = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    match inline.filter(|(mime, _)| !mime.contains([';', ','])) {
        Some((mime, data)) => Media {
            mime: (!mime.is_empty()).then(|| mime.to_owned()),
            name: None,
            source: MediaSource::Base64(data.to_owned()),
        },
        None => Media { mime: None, name: None, source: MediaSource::Url(url.to_owned()) },
    }
}

/// A picture as a URL; `None` where it lies with a provider.
pub(crate) fn url_of_picture(media: &Media) -> Option<Cow<'_, str>> {
    match &media.source {
        MediaSource::Url(url) => Some(Cow::Borrowed(url)),
        MediaSource::Base64(data) => {
            let mime = media.mime.as_deref().or_else(|| image_mime(data)).unwrap_or("image/png");
            Some(Cow::Owned(format!("data:{mime};base64,{data}")))
        }
        MediaSource::FileId(_) => None,
    }
}

/// The type of an image, by how its base64 begins.
pub(crate) fn image_mime(data: &str) -> Option<&'static str> {
    const BEGINNINGS: [(&str, &str); 4] =
        [("/9j/", "image/jpeg"), ("iVBORw", "image/png"), ("R0lGOD", "image/gif"), ("UklGR", "image/webp")];
    BEGINNINGS.iter().find(|(beginning, _)| data.starts_with(beginning)).map(|(_, mime)| *mime)
}

/// What a caller is told whose dialect has no form for what is shown: the words of a sound, else what it was and
/// where it lies, so that an answer is never silently an empty one.
pub(crate) fn in_words(shown: &Shown) -> Cow<'_, str> {
    if let Some(words) = &shown.transcript {
        return Cow::Borrowed(words);
    }
    let what = shown.sight.word();
    let Some(media) = &shown.media else {
        return Cow::Owned(format!("[a {what} that cannot be given here]"));
    };
    let named = media.name.as_deref().or(media.mime.as_deref());
    let what = named.map_or_else(|| what.to_owned(), |named| format!("{what}, {named}"));
    match &media.source {
        MediaSource::Url(address) | MediaSource::FileId(address)
            if address.chars().nth(SHOWN_ADDRESS).is_none() =>
        {
            Cow::Owned(format!("[a {what}: {address}]"))
        }
        MediaSource::Url(_) | MediaSource::FileId(_) | MediaSource::Base64(_) => {
            Cow::Owned(format!("[a {what}, that cannot be given here]"))
        }
    }
}

/// What is shown by media of that type.
pub(crate) fn of_mime(media: Media, dialect: mainstay_canon::Dialect) -> Shown {
    let sight = media.mime.as_deref().map_or(Sight::File, Sight::of_mime);
    Shown::media(sight, media, dialect)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_canon::Dialect;

    #[test]
    fn a_picture_is_a_url_and_back() {
        for url in ["data:image/webp;base64,UklGRg==", "https://x.example/a.png"] {
            assert_eq!(url_of_picture(&from_url(url)).as_deref(), Some(url));
        }
        let bare = Media { mime: None, name: None, source: MediaSource::Base64("/9j/4A".into()) };
        assert_eq!(url_of_picture(&bare).as_deref(), Some("data:image/jpeg;base64,/9j/4A"));
    }

    #[test]
    fn what_cannot_be_shown_is_told_in_words() {
        let told = |media: Media| in_words(&of_mime(media, Dialect::Gemini)).into_owned();
        assert_eq!(
            told(from_url("data:image/png;base64,QUJD")),
            "[a picture, image/png, that cannot be given here]"
        );
        assert_eq!(told(from_url("https://x.example/a")), "[a file: https://x.example/a]");
        let spoken = Shown {
            sight: Sight::Sound,
            media: None,
            transcript: Some("Hello.".into()),
            dialect: Dialect::OpenaiChat,
        };
        assert_eq!(in_words(&spoken), "Hello.");
    }
}
