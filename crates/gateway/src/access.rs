//! Who may ask for answers, and who may look behind the counter (behaviour 11.3, 11.3a).

use axum::http::{HeaderMap, header};
use mainstay_config::{RequireKeys, Server};
use mainstay_dialects::ProblemKind;
use secrecy::{ExposeSecret, SecretString};

use crate::problem::Told;
use crate::secret::same;

/// Whether a client key is needed to ask for answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClientDoor {
    /// Any bearer string is accepted: it is neither looked at nor kept, logged or sent on.
    Open,
    /// A virtual key is needed, and none exists.
    Locked,
}

impl ClientDoor {
    /// The door that the configuration asks for.
    pub(crate) fn of(server: &Server) -> Self {
        match server.require_keys {
            RequireKeys::Always => Self::Locked,
            RequireKeys::Auto if !server.is_loopback() => Self::Locked,
            RequireKeys::Auto | RequireKeys::Never => Self::Open,
        }
    }

    /// Lets a caller in. Virtual keys belong here: whose key it is decides about caps and chains.
    pub(crate) fn check(self) -> Result<(), Told> {
        match self {
            Self::Open => Ok(()),
            Self::Locked => Err(Told::new(
                ProblemKind::Authentication,
                401,
                "a client key is needed here and none exists; make one with `mainstay keys create`",
            )),
        }
    }
}

/// The key to everything that is the operator's.
pub(crate) struct AdminDoor {
    token: SecretString,
}

impl AdminDoor {
    pub(crate) fn new(token: SecretString) -> Self {
        Self { token }
    }

    pub(crate) fn token(&self) -> &SecretString {
        &self.token
    }

    /// Whether the request carries the admin token.
    pub(crate) fn opens_for(&self, fields: &HeaderMap) -> bool {
        bearer(fields).is_some_and(|given| same(given, self.token.expose_secret()))
    }
}

/// What follows `Bearer` in the `Authorization` header.
fn bearer(fields: &HeaderMap) -> Option<&str> {
    let (scheme, token) = fields.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn server(listen: &str, require_keys: RequireKeys) -> Server {
        let mut server = mainstay_config::Config::default().server;
        server.listen = listen.parse().unwrap();
        server.require_keys = require_keys;
        server
    }

    #[test]
    fn beyond_loopback_nobody_gets_in_without_a_key() {
        for (listen, require, expected) in [
            ("127.0.0.1:7171", RequireKeys::Auto, ClientDoor::Open),
            ("[::1]:7171", RequireKeys::Auto, ClientDoor::Open),
            ("127.0.0.1:7171", RequireKeys::Always, ClientDoor::Locked),
            ("0.0.0.0:7171", RequireKeys::Auto, ClientDoor::Locked),
            ("[::]:7171", RequireKeys::Always, ClientDoor::Locked),
        ] {
            let door = ClientDoor::of(&server(listen, require));
            assert_eq!(door, expected, "{listen} {require:?}");
            assert_eq!(door.check().is_ok(), expected == ClientDoor::Open);
        }
    }

    #[test]
    fn the_admin_door_opens_for_its_token_only() {
        let door = AdminDoor::new("madm_0123456789".into());
        let opens = |value: Option<&'static str>| {
            let mut fields = HeaderMap::new();
            if let Some(value) = value {
                fields.insert(header::AUTHORIZATION, HeaderValue::from_static(value));
            }
            door.opens_for(&fields)
        };
        assert!(opens(Some("Bearer madm_0123456789")) && opens(Some("bearer  madm_0123456789")));
        for closed in [
            None,
            Some("Bearer"),
            Some("Bearer "),
            Some("madm_0123456789"),
            Some("Basic madm_0123456789"),
            Some("Bearer madm_012345678"),
        ] {
            assert!(!opens(closed), "{closed:?}");
        }
    }
}
