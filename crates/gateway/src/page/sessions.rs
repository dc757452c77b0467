//! Who may see the page: one-time links, and the browsers that followed one (behaviour 11.3a).
//!
//! A session lets look and nothing else. It is no admin token: a browser sends a cookie to every port of a
//! host, so another program on this machine may come to see it.

use std::collections::VecDeque;
use std::sync::OnceLock;
use std::time::Duration;

use axum::http::{HeaderMap, header};
use mainstay::Moment;
use parking_lot::Mutex;
use secrecy::{ExposeSecret, SecretString};

use crate::secret::{NoRandomness, same, token};

/// How long a link waits to be followed.
const LINK_LASTS: Duration = Duration::from_hours(24);
/// How long a browser stays let in; a restart ends it, too.
const SESSION_LASTS: Duration = Duration::from_hours(24 * 7);
/// Links and sessions kept, each; beyond, the oldest ends.
const LIMIT: usize = 64;

/// Links that wait, and browsers that are let in.
#[derive(Default)]
pub(crate) struct Sessions {
    links: Mutex<Kept>,
    browsers: Mutex<Kept>,
    /// The cookie's name; by port, because browsers keep cookies by host alone.
    cookie: OnceLock<String>,
}

/// Secrets with an end.
#[derive(Default)]
struct Kept(VecDeque<(SecretString, Moment)>);

impl Kept {
    fn keep(&mut self, secret: SecretString, until: Moment) {
        if self.0.len() >= LIMIT {
            self.0.pop_front();
        }
        self.0.push_back((secret, until));
    }

    fn place_of(&mut self, given: &str, now: Moment) -> Option<usize> {
        self.0.retain(|(_, until)| now < *until);
        // Every one is compared, so that the time tells nothing.
        let places = self.0.iter().enumerate().filter(|(_, (secret, _))| same(secret.expose_secret(), given));
        places.fold(None, |_, (place, _)| Some(place))
    }
}

impl Sessions {
    /// Names the cookie after the port that is listened on.
    pub(crate) fn name_after(&self, port: u16) {
        self.cookie.get_or_init(|| format!("mainstay_{port}"));
    }

    /// The token of a new one-time link.
    ///
    /// # Errors
    ///
    /// [`NoRandomness`] when the system gives no random numbers.
    pub(crate) fn new_link(&self, now: Moment) -> Result<String, NoRandomness> {
        let link = token("")?;
        let text = link.expose_secret().to_owned();
        self.links.lock().keep(link, now.after(LINK_LASTS));
        Ok(text)
    }

    /// Uses up a link. A new session where it was one.
    ///
    /// # Errors
    ///
    /// [`NoRandomness`] when the system gives no random numbers.
    pub(crate) fn follow(&self, link: &str, now: Moment) -> Result<Option<SecretString>, NoRandomness> {
        let session = token("")?;
        let mut links = self.links.lock();
        let Some(place) = links.place_of(link, now) else { return Ok(None) };
        links.0.remove(place);
        self.browsers.lock().keep(session.clone(), now.after(SESSION_LASTS));
        Ok(Some(session))
    }

    /// Whether the request comes from a browser that was let in.
    pub(crate) fn knows(&self, fields: &HeaderMap, now: Moment) -> bool {
        let cookies = fields.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs =
            cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(name, value)| name == self.name() && self.browsers.lock().place_of(value, now).is_some())
    }

    /// The `Set-Cookie` that lets a browser in.
    pub(crate) fn cookie(&self, session: &SecretString) -> SecretString {
        let (name, value, age) = (self.name(), session.expose_secret(), SESSION_LASTS.as_secs());
        format!("{name}={value}; HttpOnly; SameSite=Strict; Path=/; Max-Age={age}").into()
    }

    fn name(&self) -> &str {
        self.cookie.get().map_or("mainstay", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn at(hours: i64) -> Moment {
        Moment::from_secs(1_796_000_000 + hours * 3600)
    }

    fn knows(sessions: &Sessions, cookie: &str, now: Moment) -> bool {
        let mut fields = HeaderMap::new();
        fields.insert(header::COOKIE, HeaderValue::from_str(cookie).unwrap());
        sessions.knows(&fields, now)
    }

    #[test]
    fn a_link_lets_in_once_and_its_cookie_for_a_week() {
        let sessions = Sessions::default();
        sessions.name_after(7171);
        let link = sessions.new_link(at(0)).unwrap();
        assert!(sessions.follow("something else", at(0)).unwrap().is_none());
        let session = sessions.follow(&link, at(1)).unwrap().unwrap();
        assert!(sessions.follow(&link, at(1)).unwrap().is_none(), "used up");
        let cookie = sessions.cookie(&session);
        let (pair, rules) = cookie.expose_secret().split_once("; ").unwrap();
        assert!(pair.starts_with("mainstay_7171="));
        assert_eq!(rules, "HttpOnly; SameSite=Strict; Path=/; Max-Age=604800");
        assert!(knows(&sessions, &format!("theme=dark; {pair}"), at(2)));
        assert!(!knows(&sessions, &pair.replace("7171", "7172"), at(2)));
        assert!(!knows(&sessions, "mainstay_7171=", at(2)) && !knows(&sessions, "mainstay_7171", at(2)));
        assert!(!knows(&sessions, pair, at(24 * 7 + 2)));
        let odd =
            ["", ";", "=", ";;=;", "mainstay_7171==", "=mainstay_7171", "mainstay_7171=\u{e9}; \u{e9}=1"];
        assert!(odd.iter().all(|cookie| !knows(&sessions, cookie, at(2))), "an odd cookie lets nobody in");
    }

    #[test]
    fn a_link_grows_old_and_there_are_not_ever_more_of_them() {
        let sessions = Sessions::default();
        let link = sessions.new_link(at(0)).unwrap();
        assert!(sessions.follow(&link, at(25)).unwrap().is_none());
        let first = sessions.new_link(at(0)).unwrap();
        for _ in 0..LIMIT {
            sessions.new_link(at(0)).unwrap();
        }
        assert!(sessions.follow(&first, at(0)).unwrap().is_none());
        assert_eq!(sessions.links.lock().0.len(), LIMIT);
    }
}
