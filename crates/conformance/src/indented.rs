//! JSON laid out for readers, every token as it stands: numbers keep their digits, objects their order.

use std::fmt;

use serde::Deserializer;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

/// Up to this width a value stands on one line.
const WIDTH: usize = 110;

/// Lays out `json`.
///
/// # Panics
///
/// When it is not JSON.
pub fn indented(json: &str) -> String {
    let raw: &RawValue = serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"));
    let mut out = String::new();
    write(raw.get(), 0, 0, &mut out);
    out.push('\n');
    out
}

/// Writes a value at a depth, after a name of some width.
fn write(json: &str, depth: usize, named: usize, out: &mut String) {
    let is_short = 2 * depth + named + json.len() <= WIDTH;
    match json.as_bytes().first() {
        Some(b'{') if !is_short => {
            let members = serde_json::Deserializer::from_str(json).deserialize_map(Members).unwrap();
            let lines =
                members.iter().map(|(name, value)| (serde_json::to_string(name).unwrap() + ": ", *value));
            block('{', '}', lines, depth, out);
        }
        Some(b'[') if !is_short => {
            let items: Vec<&RawValue> = serde_json::from_str(json).unwrap();
            block('[', ']', items.into_iter().map(|value| (String::new(), value)), depth, out);
        }
        _ => out.push_str(json),
    }
}

fn block<'a>(
    open: char,
    close: char,
    lines: impl Iterator<Item = (String, &'a RawValue)>,
    depth: usize,
    out: &mut String,
) {
    out.push(open);
    let mut separator = "\n";
    for (name, value) in lines {
        out.push_str(separator);
        out.push_str(&"  ".repeat(depth + 1));
        out.push_str(&name);
        write(value.get(), depth + 1, name.len(), out);
        separator = ",\n";
    }
    out.push('\n');
    out.push_str(&"  ".repeat(depth));
    out.push(close);
}

/// The members of an object in their order.
struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_digits_stay() {
        let long = "x".repeat(WIDTH);
        let json = format!(r#"{{"b":1.50,"a":["{long}",{{"z":[],"y":1e3}}]}}"#);
        let expected =
            format!("{{\n  \"b\": 1.50,\n  \"a\": [\n    \"{long}\",\n    {{\"z\":[],\"y\":1e3}}\n  ]\n}}\n");
        assert_eq!(indented(&json), expected);
    }
}
