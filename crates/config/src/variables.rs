//! Variables as they are named in the file, and values that the file leaves to one.

use secrecy::ExposeSecret;

use crate::report::{Fault, Report, Typed};
use crate::secret::looks_like_a_key;
use crate::surroundings::{Found, Surroundings, is_variable_name};

/// Checks that a text is the name of a variable, and not the secret itself.
pub(crate) fn named(report: &mut Report<'_>, typed: Typed<String>) -> Option<Typed<String>> {
    let name = typed.value.trim();
    if is_variable_name(name) && !looks_like_a_key(name) {
        return Some(Typed { value: name.to_owned(), at: typed.at });
    }
    // What stands here may well be the key, so the message does not repeat it.
    report.push(
        Fault::error(
            "not_a_variable",
            &typed.at,
            format!("{} takes the name of a variable, and this is none", typed.at.path),
        )
        .expected("letters, digits and _, such as \"OPENAI_API_KEY\"")
        .fix("if this is the key itself: take it out of the file, replace it, and name the variable that holds it"),
    );
    None
}

/// A value, and the variable that it came from, if it did.
pub(crate) struct Expanded {
    pub(crate) text: String,
    pub(crate) from: Option<String>,
}

/// A value as typed, or what the variable holds that `env:NAME` names; `None` where that is nothing.
pub(crate) fn expand(
    report: &mut Report<'_>,
    around: &Surroundings<'_>,
    typed: &Typed<String>,
) -> Option<Expanded> {
    let text = typed.value.trim();
    let Some(name) = text.strip_prefix("env:") else {
        return Some(Expanded { text: text.to_owned(), from: None });
    };
    let name = named(report, Typed { value: name.to_owned(), at: typed.at.clone() })?.value;
    if let Found::Value(value) = around.secret(&name) {
        report.keep_secret(&value);
        return Some(Expanded { text: value.expose_secret().to_owned(), from: Some(name) });
    }
    let what = format!("{name} is not set; {} needs it", typed.at.path);
    report.push(
        Fault::error("missing_variable", &typed.at, what)
            .fix(format!("set {name}, or write the value in its place")),
    );
    None
}
