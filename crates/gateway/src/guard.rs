//! Who may speak to us at all: a web page must not be able to spend the user's money (behaviour 11.3).
//!
//! A browser sends a page's requests with that page's `Origin`, and after a DNS trick with that page's
//! `Host`; a form cannot send `application/json`. Each of the three is checked, the last where bodies are
//! read, so that none needs to hold alone.

use axum::http::{HeaderMap, header};
use mainstay_dialects::ProblemKind;

use crate::problem::Told;

/// Names by which this machine calls itself.
const LOOPBACK_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The names under which the gateway answers.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    hosts: Vec<String>,
    /// Whether any host name is accepted: a listener beyond loopback is reached under names we cannot know,
    /// and there keys protect it.
    any_host: bool,
}

impl Guard {
    pub(crate) fn new(hosts: &[String], loopback: bool) -> Self {
        Self { hosts: hosts.to_vec(), any_host: !loopback && hosts.is_empty() }
    }

    /// Lets a request pass or says why not.
    pub(crate) fn check(&self, headers: &HeaderMap) -> Result<(), Told> {
        self.check_host(headers)?;
        check_origin(headers)
    }

    fn check_host(&self, headers: &HeaderMap) -> Result<(), Told> {
        let host = headers.get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if self.knows(host) {
            return Ok(());
        }
        let shown: String = host.chars().filter(|letter| !letter.is_control()).take(100).collect();
        Err(Told::new(
            ProblemKind::Permission,
            403,
            format!("the host name \"{shown}\" is not one of ours; add it to [server] hosts if it should be"),
        ))
    }

    fn knows(&self, host: &str) -> bool {
        if self.any_host {
            return true;
        }
        let host = host.to_ascii_lowercase();
        let name = without_port(&host);
        LOOPBACK_NAMES.contains(&name) || self.hosts.iter().any(|known| known == name || *known == host)
    }
}

fn without_port(host: &str) -> &str {
    if let Some(end) = host.rfind(']') {
        return host.get(..=end).unwrap_or(host);
    }
    host.rsplit_once(':').map_or(host, |(name, _)| name)
}

fn check_origin(headers: &HeaderMap) -> Result<(), Told> {
    let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
    let authority = origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, rest)| rest);
    // Our own pages only: the same name and port as the request itself.
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok());
    if authority.is_some() && authority == host {
        return Ok(());
    }
    Err(Told::new(
        ProblemKind::Permission,
        403,
        "requests from web pages of other origins are refused: a page must not be able to spend your money",
    ))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn check(guard: &Guard, fields: &[(&'static str, &'static str)]) -> Option<u16> {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.insert(*name, HeaderValue::from_static(value));
        }
        guard.check(&headers).err().map(|told| told.problem.status)
    }

    #[test]
    fn loopback_names_with_any_port_are_ours() {
        let guard = Guard::new(&["llm.lan".into()], true);
        for host in ["localhost:7171", "127.0.0.1", "[::1]:80", "LOCALHOST:1", "llm.lan:7171"] {
            assert_eq!(check(&guard, &[("host", host)]), None, "{host}");
        }
        for host in ["evil.example:7171", "", "127.0.0.1.evil.example", "localhost.evil.example:7171"] {
            assert_eq!(check(&guard, &[("host", host)]), Some(403), "{host}");
        }
    }

    #[test]
    fn a_foreign_origin_is_refused_and_our_own_page_is_not() {
        let guard = Guard::new(&[], true);
        let own = [("host", "127.0.0.1:7171"), ("origin", "http://127.0.0.1:7171")];
        assert_eq!(check(&guard, &own), None);
        for origin in ["https://evil.example", "null", "http://127.0.0.1:9999", "http://localhost:7171"] {
            let mut headers = HeaderMap::new();
            headers.insert("host", HeaderValue::from_static("127.0.0.1:7171"));
            headers.insert("origin", HeaderValue::from_static(origin));
            assert!(guard.check(&headers).is_err(), "{origin}");
        }
    }
}
