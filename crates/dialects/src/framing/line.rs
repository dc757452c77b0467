//! JSON on one line, as events need it.
//!
//! What a provider said is handed on as it came, and some print their JSON on many lines. A line end within an event
//! would end its field; in JSON it stands between values only, where a space says the same.

use serde::Serialize;

/// Adds JSON without a line end.
///
/// # Errors
///
/// As `value` cannot be written; then nothing was added.
pub(crate) fn json<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> Result<(), serde_json::Error> {
    let before = out.len();
    let written = serde_json::to_writer(&mut *out, value);
    if written.is_err() {
        out.truncate(before);
    }
    let added = out.get_mut(before..).unwrap_or_default();
    added.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_canon::RawJson;

    #[test]
    fn json_of_many_lines_says_the_same_on_one() {
        let text = "{\r\n  \"a\\nb\": [\n1.0,\r2]\n}";
        let mut out = b"data: \n".to_vec();
        json(&[RawJson::parse(text).unwrap()], &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "data: \n[{    \"a\\nb\": [ 1.0, 2] }]");
    }
}
