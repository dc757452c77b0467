//! Where a provider's keys come from, and what is said when one is missing (behaviour 2.4).
//!
//! A key is named by the file or is the provider's own standard variable; it is never another
//! provider's.

use mainstay_providers::{Auth, Provider};
use secrecy::SecretString;

use crate::report::{At, Fault, Report};
use crate::resolve::providers::Asked;
use crate::secret::{Key, quoted};
use crate::surroundings::{Found, Surroundings, secret_file};
use crate::typed::provider::{TypedKeys, TypedProvider};

/// The standard variable of a built-in provider, where it has one.
pub(crate) fn standard_variable(kind: &Provider) -> Option<&'static str> {
    match kind.auth {
        Auth::Bearer { env: "" } | Auth::Header { env: "", .. } | Auth::None => None,
        Auth::Bearer { env } | Auth::Header { env, .. } => Some(env),
    }
}

/// The keys of a provider; `None` where one is missing, which has been noted.
pub(crate) fn find(
    asked: &Asked<'_>,
    typed: Option<&TypedProvider>,
    built_in: Option<&'static Provider>,
    report: &mut Report<'_>,
    around: &Surroundings<'_>,
) -> Option<Vec<Key>> {
    let no_auth = typed.and_then(|typed| typed.no_auth.as_ref()).map(|auth| auth.value);
    match typed.map_or(&TypedKeys::Unsaid, |typed| &typed.keys) {
        TypedKeys::Unusable => None,
        TypedKeys::Variables(names) => {
            let keys: Vec<Option<Key>> =
                names.iter().map(|name| variable(asked, &name.value, &name.at, report, around)).collect();
            keys.into_iter().collect()
        }
        TypedKeys::File(path) => file(asked, &path.value, &path.at, report, around),
        TypedKeys::Unsaid if no_auth == Some(true) => Some(Vec::new()),
        TypedKeys::Unsaid => {
            if let Some(name) = built_in.and_then(standard_variable) {
                return Some(vec![variable(asked, name, &asked.at, report, around)?]);
            }
            let wants_none = asked.is_local || built_in.is_some_and(|kind| kind.auth == Auth::None);
            if wants_none && no_auth != Some(false) {
                return Some(Vec::new());
            }
            unnamed(asked, report);
            None
        }
    }
}

fn variable(
    asked: &Asked<'_>,
    name: &str,
    at: &At,
    report: &mut Report<'_>,
    around: &Surroundings<'_>,
) -> Option<Key> {
    let state = match around.secret(name) {
        Found::Value(secret) => return Some(keep(report, name, secret)),
        Found::Missing => "is not set",
        Found::Blank => "is blank",
        Found::Unusable => "holds a space, a line break or a character that no header can carry",
    };
    let fix = format!(
        "set {name}, or name another variable: api_key_env in [providers.{}]{}",
        asked.name,
        if asked.is_local { "; a server that wants no key says auth = \"none\"" } else { "" }
    );
    report.push(asked.missing("missing_key_variable", at, &format!("{name} {state}")).fix(fix));
    None
}

fn file(
    asked: &Asked<'_>,
    typed: &str,
    at: &At,
    report: &mut Report<'_>,
    around: &Surroundings<'_>,
) -> Option<Vec<Key>> {
    let path = around.path(typed);
    let shown = quoted(&path.to_string_lossy());
    let state = match secret_file(&path) {
        Ok(Found::Value(secret)) => return Some(vec![keep(report, typed, secret)]),
        Ok(Found::Missing | Found::Blank) => format!("the key file {shown} is blank"),
        Ok(Found::Unusable) => format!("the key file {shown} holds more than a key"),
        Err(why) => format!("the key file {shown} cannot be read: {why}"),
    };
    report.push(
        asked
            .missing("unreadable_key_file", at, &state)
            .expected("a file with the key alone, that this user can read")
            .fix("correct the path, the rights or the content, or name a variable with api_key_env"),
    );
    None
}

/// A provider of one's own, elsewhere, about whose key nothing is said.
fn unnamed(asked: &Asked<'_>, report: &mut Report<'_>) {
    report.push(asked.missing("missing_key_name", &asked.at, "the file names no key").fix(format!(
        "name its variable in [providers.{}]: api_key_env = \"…\", or say auth = \"none\"",
        asked.name
    )));
}

fn keep(report: &mut Report<'_>, name: &str, secret: SecretString) -> Key {
    report.keep_secret(&secret);
    Key { name: name.to_owned(), secret }
}

impl Asked<'_> {
    /// Something without which this provider cannot be called: an error where a tier needs it.
    fn missing(&self, code: &'static str, at: &At, what: &str) -> Fault {
        if self.users.is_empty() {
            let what = format!("{what}; provider {} cannot be called, but no tier uses it", self.name);
            return Fault::warning(code, at, what);
        }
        let users = self.users.join(", ");
        Fault::error(code, at, format!("{what}; provider {} needs a key for {users}", self.name))
    }
}
