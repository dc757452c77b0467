//! Ids of tool calls, made to fit.

use std::borrow::Cow;
use std::collections::HashMap;

/// Ids of tool calls as the API takes them: `[A-Za-z0-9_-]+`, each once in a conversation. Other providers'
/// ids hold other characters (`functions.get_weather:0`) or begin again with every turn (`call_0`).
#[derive(Debug, Default)]
pub(super) struct WireIds(HashMap<String, u32>);

impl WireIds {
    /// Notes an id that is sent as it is.
    pub(super) fn take(&mut self, id: &str) {
        self.0.entry(id.to_owned()).or_insert(1);
    }

    /// The id that stands for `id` from here on.
    pub(super) fn wire_id<'a>(&mut self, id: &'a str) -> Cow<'a, str> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let base = if id.is_empty() {
            Cow::Borrowed("call")
        } else if id.bytes().all(fits) {
            Cow::Borrowed(id)
        } else {
            let kept: String =
                id.chars().map(|c| if u8::try_from(c).is_ok_and(fits) { c } else { '_' }).collect();
            Cow::Owned(format!("{kept}_{:08x}", fingerprint(id)))
        };
        let uses = self.0.entry(base.clone().into_owned()).or_insert(0);
        *uses += 1;
        if *uses == 1 {
            return base;
        }
        let mut nth = *uses;
        loop {
            let again = format!("{base}_{nth}");
            if !self.0.contains_key(&again) {
                self.0.insert(again.clone(), 1);
                self.0.insert(base.into_owned(), nth);
                return Cow::Owned(again);
            }
            nth += 1;
        }
    }
}

/// FNV-1a: tells apart ids that differ only in characters that are replaced.
fn fingerprint(id: &str) -> u32 {
    id.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_fit_stay_and_each_comes_once() {
        let mut ids = WireIds::default();
        for (id, wire) in [
            ("toolu_1", "toolu_1"),
            ("toolu_1", "toolu_1_2"),
            ("toolu_1", "toolu_1_3"),
            ("toolu_1_2", "toolu_1_2_2"),
            ("", "call"),
            ("", "call_2"),
        ] {
            assert_eq!(ids.wire_id(id), wire);
        }
        ids.take("kept");
        assert_eq!(ids.wire_id("kept"), "kept_2");
    }

    #[test]
    fn ids_that_differ_only_in_what_is_replaced_stay_apart() {
        let mut ids = WireIds::default();
        let (a, b) = (ids.wire_id("f:0").into_owned(), ids.wire_id("f.0").into_owned());
        assert!(a.starts_with("f_0_") && b.starts_with("f_0_") && a != b, "{a} {b}");
    }
}
