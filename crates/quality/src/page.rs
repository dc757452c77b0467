//! Messages of servers where an answer should be: an HTML error page, an error sentence, an error object.

use crate::demand::Demand;
use crate::plain::{Plain, clip};
use crate::words::errors::{COME_AGAIN, ERRORS, PAGE_SIGNS};

/// Bytes of a page that are read.
const PAGE: usize = 4096;
/// Plain bytes of an error sentence that are read; a longer text is no error sentence.
const SENTENCE: usize = 320;
/// Plain bytes that an error sentence without advice may have beside the error itself.
const BESIDE: usize = 24;

/// An HTML error page, where HTML was not asked for.
pub(crate) fn is_error_page(text: &str, demand: impl FnOnce() -> Demand) -> bool {
    let start = text.trim_start();
    let Some(head) = start.get(..start.floor_char_boundary(15)) else { return false };
    let opens = ["<!doctype html", "<html", "<head", "<body", "<title"];
    let is_page = opens
        .iter()
        .any(|open| head.get(..open.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(open)));
    if !is_page {
        return false;
    }
    let page = clip(start, PAGE);
    let sign = |text: &str| PAGE_SIGNS.split('|').any(|sign| contains_ignoring_case(text, sign));
    let titles = ["title", "h1", "h2"].iter().filter_map(|tag| between(page, tag));
    titles.into_iter().any(sign) && !demand().html()
}

/// What stands between `<tag…>` and its end.
fn between<'a>(page: &'a str, tag: &str) -> Option<&'a str> {
    let mut from = 0;
    while let Some(open) = page.get(from..)?.find('<') {
        let at = from + open + 1;
        let inside = page.get(at..)?;
        if inside.get(..tag.len()).is_some_and(|name| name.eq_ignore_ascii_case(tag)) {
            let (_, body) = inside.split_once('>')?;
            return body.split_once("</").map(|(title, _)| title);
        }
        from = at;
    }
    None
}

fn contains_ignoring_case(text: &str, sign: &str) -> bool {
    let (text, sign) = (text.as_bytes(), sign.as_bytes());
    text.windows(sign.len()).any(|window| window.eq_ignore_ascii_case(sign))
}

/// An error sentence or an error object that stands alone as the answer.
pub(crate) fn is_error_text(text: &str, demand: impl FnOnce() -> Demand) -> bool {
    if text.len() > SENTENCE * 3 {
        return false;
    }
    let window = Plain::<SENTENCE>::of(text);
    let plain = window.text();
    if !window.whole || plain.is_empty() {
        return false;
    }
    let error = ERRORS.split('|').filter_map(|error| plain.find(error).map(|at| (at, error.len()))).min();
    let object = plain.starts_with("{\"error\"") || plain.starts_with("{\"detail\"");
    let Some((at, len)) = error else {
        return object && plain.contains("\"message\"") && !demand().mentions("error");
    };
    let behind = plain.get(at + len..).unwrap_or_default();
    let sentence = behind.split(['.', '!', '\n', '。', '！']).next().unwrap_or_default();
    let early = at <= BESIDE;
    let alone = plain.len() <= len + BESIDE * 2 && sentence.len() <= BESIDE && !is_told(sentence);
    let advised = COME_AGAIN.split('|').any(|advice| plain.contains(advice)) && !is_told(sentence);
    if !(object || (early && (alone || advised))) {
        return false;
    }
    let demand = demand();
    let told = plain.get(at..at + len).unwrap_or_default();
    !demand.mentions(told) && !demand.mentions("error message")
}

/// The sentence tells about an error instead of being one: "… means that", "… in the third act".
fn is_told(rest: &str) -> bool {
    [
        " means",
        " is a",
        " is an",
        " in the third",
        " when ",
        " because the",
        " usually",
        " refers",
        "\" ",
        " by the",
        " of the play",
    ]
    .iter()
    .any(|word| rest.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::Ask;
    use mainstay_canon::ChatRequest;

    fn after(prompt: &str) -> impl Fn() -> Demand {
        move || Demand::of(&Ask::of(&ChatRequest::user(prompt)))
    }

    #[test]
    fn an_error_page_is_no_answer_unless_html_was_asked_for() {
        let page = "<html>\n<head><title>502 Bad Gateway</title></head>\n<body><h1>502 Bad Gateway</h1></body></html>";
        assert!(is_error_page(page, after("Tell me a story")));
        assert!(is_error_page("<!DOCTYPE html><TITLE lang=en>Just a moment...</TITLE>", after("")));
        assert!(!is_error_page(page, after("Write the HTML of an error page")));
        let page =
            "<!DOCTYPE html>\n<html><head><title>My page</title></head><body><h1>Hello</h1></body></html>";
        assert!(!is_error_page(page, after("")));
        assert!(!is_error_page("The <html> tag: 502 Bad Gateway", after("")));
    }

    #[test]
    fn an_error_sentence_alone_is_no_answer() {
        for text in [
            "An error occurred while processing your request. Please try again later.",
            "Too many requests, slow down.",
            "Oops! Something went wrong on our end.",
            "Error: The model is currently overloaded. Please try again in a few seconds.",
            "Your free quota is used up. Please upgrade your plan to continue.",
            "upstream connect error or disconnect/reset before headers. reset reason: connection failure",
            "Une erreur est survenue. Veuillez réessayer plus tard.",
            "{\"detail\":\"Not Found\"}",
            "{\"error\": {\"message\": \"The server is overloaded\", \"type\": \"overloaded\"}}",
            "Internal Server Error",
            "服务器繁忙，请稍后再试。",
        ] {
            assert!(is_error_text(text, after("Tell me a story")), "{text}");
        }
    }

    #[test]
    fn an_answer_about_errors_is_an_answer() {
        for text in [
            "Internal Server Error (500) means the server hit a condition it did not expect; look at the server log first.",
            "Something went wrong in the third act of the play, and critics noticed.",
            "A 404 page is shown when a page is missing. Use `try_files` to change that.",
        ] {
            assert!(!is_error_text(text, after("")), "{text}");
        }
        assert!(!is_error_text("An error occurred", after("Translate: Ein Fehler: an error occurred")));
        let long = "An error occurred in the parser. ".repeat(60);
        assert!(!is_error_text(&long, after("")));
    }
}
