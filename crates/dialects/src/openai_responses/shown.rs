//! What the provider's own tools made for whoever asked: pictures.
//!
//! What they found for the model alone (results of a search, the log of a program) is no answer and none of these.

use std::borrow::Cow;

use mainstay_canon::{Dialect, Media, MediaSource, Shown, Sight};
use serde::Serialize;
use serde_json::value::RawValue;

use super::items::{TYPE, word};
use super::wire::filled;
use crate::media::{from_url, image_mime};
use crate::openai_chat::json::Members;
use crate::openai_chat::lenient::{Many, read, read_object};

/// The `type` of a call that drew a picture.
const DRAWN: &str = "image_generation_call";

/// What an item shows.
pub(super) fn of_item(raw: &RawValue) -> Vec<Shown> {
    let members: Members<'_> = read_object(Some(raw));
    match word(&members, TYPE).as_deref() {
        Some(DRAWN) => drawn(&members).into_iter().collect(),
        Some("code_interpreter_call") => {
            let outputs = read::<Many<&RawValue>>(members.look("outputs")).0;
            outputs.into_iter().filter_map(plotted).collect()
        }
        Some(_) | None => Vec::new(),
    }
}

fn drawn(members: &Members<'_>) -> Option<Shown> {
    let data = filled(members.look("result"))?.into_owned();
    let format = word(members, "output_format").map(|format| format!("image/{format}"));
    let mime = format.or_else(|| image_mime(&data).map(str::to_owned));
    let media = Media { mime, name: None, source: MediaSource::Base64(data) };
    Some(Shown::media(Sight::Picture, media, Dialect::OpenaiResponses))
}

/// A picture that a program made; its log is for the model.
fn plotted(output: &RawValue) -> Option<Shown> {
    let members: Members<'_> = read_object(Some(output));
    let url = word(&members, "url").filter(|_| word(&members, TYPE).as_deref() == Some("image"))?;
    Some(Shown::media(Sight::Picture, from_url(&url), Dialect::OpenaiResponses))
}

/// A picture of another dialect, as the item of a call that drew it.
#[derive(Debug, Serialize)]
pub(super) struct WrittenPicture<'a> {
    r#type: &'static str,
    id: &'a str,
    status: &'static str,
    result: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_format: Option<Cow<'a, str>>,
}

impl<'a> WrittenPicture<'a> {
    /// The picture under that id, where it is one whose bytes are here.
    pub(super) fn of(shown: &'a Shown, id: &'a str) -> Option<Self> {
        let media = shown.media.as_ref().filter(|_| shown.sight == Sight::Picture)?;
        let MediaSource::Base64(result) = &media.source else { return None };
        let output_format = media.mime.as_deref().and_then(|mime| mime.strip_prefix("image/"));
        let output_format = output_format.map(Cow::Borrowed);
        Some(Self { r#type: DRAWN, id, status: "completed", result, output_format })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(json: &str) -> Vec<Shown> {
        of_item(&RawValue::from_string(json.to_owned()).unwrap())
    }

    #[test]
    fn pictures_are_shown_and_what_only_the_model_reads_is_not() {
        let drawn =
            shown(r#"{"type":"image_generation_call","id":"ig","result":"UklGRg==","output_format":"webp"}"#);
        assert_eq!(drawn[0].media.as_ref().unwrap().mime.as_deref(), Some("image/webp"));
        let plotted = shown(
            r#"{"type":"code_interpreter_call","outputs":[{"type":"logs","logs":"42"},{"type":"image","url":"https://x/a.png"}]}"#,
        );
        assert_eq!(plotted.len(), 1);
        for none in [
            r#"{"type":"image_generation_call","id":"ig","status":"generating","result":null}"#,
            r#"{"type":"image_generation_call","id":"ig","result":""}"#,
            r#"{"type":"code_interpreter_call","outputs":[{"type":"logs","logs":"42"}]}"#,
            r#"{"type":"code_interpreter_call","outputs":null}"#,
            r#"{"type":"web_search_call","action":{"type":"search","sources":[{"type":"url","url":"u"}]}}"#,
            r#"{"type":"mcp_call","output":"text"}"#,
        ] {
            assert!(shown(none).is_empty(), "{none}");
        }
    }
}
