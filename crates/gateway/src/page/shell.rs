//! What every page has around its content.

use std::sync::LazyLock;

use maud::{DOCTYPE, Markup, html};

/// The style sheet.
pub(super) const STYLE: &str = include_str!("style.css");

/// Its name, which changes with its content: browsers may keep it for good.
pub(super) fn style_name() -> &'static str {
    static NAME: LazyLock<String> =
        LazyLock::new(|| format!("style-{:016x}.css", fingerprint(STYLE.as_bytes())));
    &NAME
}

/// FNV-1a: tells contents apart, and guards nothing.
fn fingerprint(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// A page of that title.
pub(super) fn page(title: &str, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                link rel="stylesheet" href={ "/assets/" (style_name()) };
            }
            body {
                a class="skip" href="#main" { "Skip to content" }
                main id="main" tabindex="-1" { (content) }
            }
        }
    }
}
