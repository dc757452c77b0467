//! What an answer shows or lets be heard beside its text.

use serde::{Deserialize, Serialize};

use crate::{Dialect, Media};

/// A picture, a sound or a file that was made for whoever asked. What a provider's tools found for the model alone
/// (search results, the log of a program) is none: nobody was answered by it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// What it is.
    pub sight: Sight,
    /// Where it is; `None` where only its own dialect can hand it over.
    pub media: Option<Media>,
    /// The words of a sound.
    pub transcript: Option<String>,
    /// The dialect that it came in. A caller of that dialect is given it in the dialect's own form, which comes
    /// beside it: as a block to be handed back, or as an extra.
    pub dialect: Dialect,
}

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sight {
    /// Something to look at.
    Picture,
    /// Something to listen to.
    Sound,
    /// Any other file.
    File,
}

impl Sight {
    /// What a MIME type is a type of.
    pub fn of_mime(mime: &str) -> Self {
        match mime.split('/').next().unwrap_or_default() {
            "image" => Self::Picture,
            "audio" => Self::Sound,
            _ => Self::File,
        }
    }

    /// The word for people.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Picture => "picture",
            Self::Sound => "sound",
            Self::File => "file",
        }
    }
}

impl Shown {
    /// Something that can be shown to callers of any dialect.
    pub const fn media(sight: Sight, media: Media, dialect: Dialect) -> Self {
        Self { sight, media: Some(media), transcript: None, dialect }
    }

    /// Bytes of what is shown.
    pub fn weight(&self) -> usize {
        let media = self.media.as_ref().map_or(0, |media| media.source.weight());
        media.saturating_add(self.transcript.as_deref().map_or(0, str::len))
    }

    /// Takes in what follows of the same sound. Whether it was that.
    pub fn joins(&mut self, more: &Self) -> bool {
        let is_more = self.sight == Sight::Sound && more.sight == Sight::Sound;
        let is_same = is_more && self.media.is_none() && more.media.is_none() && self.dialect == more.dialect;
        if is_same && let Some(words) = &more.transcript {
            self.transcript.get_or_insert_default().push_str(words);
        }
        is_same
    }
}
