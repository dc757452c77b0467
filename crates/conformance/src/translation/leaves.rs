//! A JSON value as a bag of its leaves, to say what one value has that another has not.

use std::collections::BTreeMap;

use serde_json::Value;

/// Each leaf with its path, places in lists left out, and how often it stands there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Leaves(BTreeMap<(String, String), usize>);

impl Leaves {
    /// The leaves of `value`.
    pub(crate) fn of(value: &Value) -> Self {
        let mut leaves = Self::default();
        leaves.add(String::new(), value);
        leaves
    }

    /// What stands here and not in `other`.
    pub(crate) fn without(&self, other: &Self) -> Self {
        let left = self.0.iter().filter_map(|(leaf, times)| {
            let left = times.saturating_sub(other.0.get(leaf).copied().unwrap_or(0));
            (left > 0).then(|| (leaf.clone(), left))
        });
        Self(left.collect())
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Paths and values in their order, each once.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.keys().map(|(path, value)| (path.as_str(), value.as_str()))
    }

    fn add(&mut self, path: String, value: &Value) {
        match value {
            Value::Object(members) if !members.is_empty() => {
                for (name, value) in members {
                    let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    self.add(path, value);
                }
            }
            Value::Array(items) if !items.is_empty() => {
                for item in items {
                    self.add(format!("{path}[]"), item);
                }
            }
            leaf => *self.0.entry((path, leaf.to_string())).or_default() += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_difference_names_what_was_added_and_where() {
        let (before, after) =
            (json!({"m": [{"a": 1}]}), json!({"m": [{"b": "x"}, {"a": 1}, {"a": 1}], "e": {}}));
        let added = Leaves::of(&after).without(&Leaves::of(&before));
        let added: Vec<_> = added.iter().collect();
        assert_eq!(added, [("e", "{}"), ("m[].a", "1"), ("m[].b", "\"x\"")]);
    }
}
