//! One thing that a body can say.

use serde_json::Value;

/// A body without something and with it. Texts that must be seen again somewhere begin with `probe`.
pub(crate) struct Feature {
    /// What it is, in a caller's words.
    pub(crate) name: &'static str,
    /// The heading that it stands under.
    pub(crate) group: &'static str,
    /// The body without it.
    pub(crate) without: Value,
    /// The body with it.
    pub(crate) with: Value,
}

/// A list of features of one dialect, being written.
pub(crate) struct Features {
    group: &'static str,
    all: Vec<Feature>,
}

impl Features {
    pub(crate) const fn new() -> Self {
        Self { group: "", all: Vec::new() }
    }

    /// The heading of what follows.
    pub(crate) fn group(&mut self, group: &'static str) {
        self.group = group;
    }

    /// Adds the feature that `change` brings into `without`.
    pub(crate) fn add(&mut self, name: &'static str, without: &Value, change: impl FnOnce(&mut Value)) {
        let mut with = without.clone();
        change(&mut with);
        assert_ne!(&with, without, "{name} changes nothing");
        self.all.push(Feature { name, group: self.group, without: without.clone(), with });
    }

    /// Adds one feature that is a member of the body.
    pub(crate) fn member(&mut self, name: &'static str, without: &Value, member: &str, value: Value) {
        self.add(name, without, |body| body[member] = value);
    }

    pub(crate) fn into_list(self) -> Vec<Feature> {
        self.all
    }
}

/// The list in `value`.
pub(crate) fn list(value: &mut Value) -> &mut Vec<Value> {
    value.as_array_mut().unwrap()
}
