//! Error bodies, as far as a provider's own tables look into them: after the dialect has read them, for
//! what its codes alone do not tell. Knows no provider.

use mainstay_canon::{Failure, Kind};
use serde_json::Value;

/// Longest body that is looked into, in bytes; longer ones keep the dialect's reading.
const BODY_LIMIT: usize = 1 << 20;

/// One line of a provider's table of errors. Every condition that is given must hold.
pub(crate) struct Rule {
    /// The statuses it is about; any where empty.
    pub(crate) status: &'static [u16],
    /// The provider's code or type, exactly; any where empty.
    pub(crate) code: &'static str,
    /// A part of the message, in lower case; any where empty.
    pub(crate) says: &'static str,
    /// What it is.
    pub(crate) kind: Kind,
    /// The request's field at fault; empty where it is none.
    pub(crate) param: &'static str,
}

/// A rule about a code or type.
pub(crate) const fn code(code: &'static str, kind: Kind) -> Rule {
    Rule { status: &[], code, says: "", kind, param: "" }
}

/// A rule about a part of the message.
pub(crate) const fn says(status: &'static [u16], says: &'static str, kind: Kind) -> Rule {
    Rule { status, code: "", says, kind, param: "" }
}

/// A rule about a parameter that another model may take.
pub(crate) const fn unsupported(says: &'static str, param: &'static str) -> Rule {
    Rule { status: &[400, 404, 422], code: "", says, kind: Kind::UnsupportedParameter, param }
}

/// What chat templates of open models say of a conversation that the next tier's model may take.
pub(crate) static TEMPLATES: &[Rule] = &[
    says(&[400, 500], "roles must alternate", Kind::UnsupportedParameter),
    says(&[400, 500], "system role not supported", Kind::UnsupportedParameter),
];

/// Applies the first rule that fits. What a body says only counts while the dialect read it as an error
/// of its own status: a rule never turns a good answer bad.
pub(crate) fn apply<'r>(rules: impl IntoIterator<Item = &'r Rule>, failure: &mut Failure, error: &ErrorBody) {
    let message = failure.message.to_lowercase();
    let fits = |rule: &&Rule| {
        let status =
            rule.status.is_empty() || failure.status.is_some_and(|status| rule.status.contains(&status));
        let code = rule.code.is_empty()
            || failure.code.as_deref() == Some(rule.code)
            || [error.text("code"), error.text("type")].contains(&Some(rule.code));
        status && code && (rule.says.is_empty() || message.contains(rule.says))
    };
    if let Some(rule) = rules.into_iter().find(fits) {
        failure.kind = rule.kind;
        if !rule.param.is_empty() {
            failure.param = Some(rule.param.to_owned());
        }
    }
}

/// A body that may be an error body; what is missing reads as absent.
pub(crate) struct ErrorBody(Value);

impl ErrorBody {
    /// The `error` member of a JSON object, or the object itself where it is flat.
    pub(crate) fn of(body: &[u8]) -> Self {
        if body.len() > BODY_LIMIT {
            return Self(Value::Null);
        }
        let mut whole: Value = serde_json::from_slice(body).unwrap_or_default();
        match whole.get_mut("error").map(Value::take) {
            Some(error @ Value::Object(_)) => Self(error),
            Some(_) | None => Self(whole),
        }
    }

    /// A text member.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// The member at a JSON pointer.
    pub(crate) fn at(&self, pointer: &str) -> Option<&Value> {
        self.0.pointer(pointer)
    }
}
