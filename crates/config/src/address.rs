//! Addresses: of providers, of our own listener, of the log's store. Looks nothing up on a network.
//!
//! The reading is stricter than a browser's on purpose: whether an address is loopback decides about
//! plain HTTP and about prices, so nothing that two readers could take differently gets through.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use secrecy::{ExposeSecret, SecretString};

use crate::secret::shown_address;

/// Longest address, in bytes.
const LONGEST: usize = 2048;

/// Why a text is not an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AddressError {
    #[error("does not begin with https:// or http://")]
    Scheme,
    #[error("names no host")]
    Host,
    #[error("holds a port that is not a number from 1 to 65535")]
    Port,
    #[error("holds a user name or password")]
    Userinfo,
    #[error("holds a question mark or a #")]
    Query,
    #[error("holds a character that an address cannot hold")]
    Character,
}

/// An `http` or `https` address that paths are added to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BaseUrl {
    /// Without a slash at the end.
    pub(crate) url: String,
    /// Whether the host is this machine.
    pub(crate) is_loopback: bool,
    /// Whether the connection is encrypted.
    pub(crate) is_https: bool,
}

impl BaseUrl {
    /// Reads an address without user, query or fragment.
    pub(crate) fn parse(text: &str) -> Result<Self, AddressError> {
        let text = text.trim();
        if text.len() > LONGEST || text.bytes().any(|b| !b.is_ascii_graphic() || b"\\\"<>^`{|}".contains(&b))
        {
            return Err(AddressError::Character);
        }
        let (scheme, rest) = text.split_once("://").ok_or(AddressError::Scheme)?;
        let is_https = scheme.eq_ignore_ascii_case("https");
        if !is_https && !scheme.eq_ignore_ascii_case("http") {
            return Err(AddressError::Scheme);
        }
        if rest.contains(['?', '#']) {
            return Err(AddressError::Query);
        }
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        if authority.contains('@') {
            return Err(AddressError::Userinfo);
        }
        let host = host_of(authority)?;
        let url = format!("{}://{authority}{}", scheme.to_ascii_lowercase(), path.trim_end_matches('/'));
        Ok(Self { url, is_loopback: is_loopback_host(host), is_https })
    }
}

/// The host of `host`, `host:port`, `[v6]:port`.
fn host_of(authority: &str) -> Result<&str, AddressError> {
    let (host, port) = if let Some(rest) = authority.strip_prefix('[') {
        let (host, after) = rest.split_once(']').ok_or(AddressError::Host)?;
        host.parse::<Ipv6Addr>().map_err(|_| AddressError::Host)?;
        match after.strip_prefix(':') {
            Some(port) => (host, Some(port)),
            None if after.is_empty() => (host, None),
            None => return Err(AddressError::Port),
        }
    } else {
        let (host, port) = authority.split_once(':').map_or((authority, None), |(h, p)| (h, Some(p)));
        if host.is_empty() || !host.bytes().all(|b| b.is_ascii_alphanumeric() || b".-_".contains(&b)) {
            return Err(AddressError::Host);
        }
        (host, port)
    };
    match port.map(str::parse::<u16>) {
        None => Ok(host),
        Some(Ok(port)) if port > 0 => Ok(host),
        Some(_) => Err(AddressError::Port),
    }
}

/// Whether a host is this machine: `localhost`, names under it, 127.0.0.0/8, `::1`.
pub(crate) fn is_loopback_host(host: &str) -> bool {
    let name = host.trim_end_matches('.').to_ascii_lowercase();
    match name.parse::<IpAddr>() {
        Ok(ip) => ip.to_canonical().is_loopback(),
        Err(_) => name == "localhost" || name.ends_with(".localhost"),
    }
}

/// Reads where to listen: `127.0.0.1:7171`, `[::1]:7171`, `localhost:7171`.
pub(crate) fn listen(text: &str) -> Option<SocketAddr> {
    let text = text.trim();
    let text =
        text.strip_prefix("localhost:").map_or_else(|| text.to_owned(), |port| format!("127.0.0.1:{port}"));
    text.parse().ok()
}

/// Reads the name of a host, with or without a port, as it may stand in a `Host` header.
pub(crate) fn host_name(text: &str) -> Option<String> {
    host_of(text.trim()).ok()?;
    Some(text.trim().to_ascii_lowercase())
}

/// Whether a text is a proxy's address: `http`, `https`, `socks5` or `socks5h`; a user is allowed.
pub(crate) fn is_proxy(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let authority = rest.strip_suffix('/').unwrap_or(rest);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    ["http", "https", "socks5", "socks5h"].contains(&scheme) && host_of(host).is_ok()
}

/// Where the call log lives.
#[derive(Clone)]
pub enum StoreUrl {
    /// A SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL server; the address may hold a password.
    Postgres(SecretString),
}

impl StoreUrl {
    /// Reads `sqlite:FILE` or `postgres://…`. A relative file is looked for beside the configuration.
    pub(crate) fn parse(text: &str, beside: &Path) -> Option<Self> {
        let text = text.trim();
        if let Some(rest) = text.strip_prefix("sqlite:") {
            let file = rest.strip_prefix("//").unwrap_or(rest);
            let is_file = !file.is_empty() && !file.starts_with(':') && !file.contains(['?', '#', '\0']);
            return is_file.then(|| Self::Sqlite(beside.join(file)));
        }
        let rest = text.strip_prefix("postgres://").or_else(|| text.strip_prefix("postgresql://"))?;
        let is_server =
            !rest.is_empty() && text.len() <= LONGEST && text.bytes().all(|b| b.is_ascii_graphic());
        is_server.then(|| Self::Postgres(text.into()))
    }

    /// The password in the address, if there is one.
    pub(crate) fn password(&self) -> Option<&str> {
        let Self::Postgres(url) = self else { return None };
        let (_, rest) = url.expose_secret().split_once("://")?;
        let authority = rest.split(['/', '?']).next()?;
        let (user, _) = authority.rsplit_once('@')?;
        user.split_once(':').map(|(_, password)| password).filter(|password| !password.is_empty())
    }
}

/// Writes the address without its password.
impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(file) => write!(f, "sqlite:{}", file.display()),
            Self::Postgres(url) => {
                let shown = shown_address(url.expose_secret());
                // Options after the question mark may hold a password as well.
                f.write_str(shown.split('?').next().unwrap_or_default())
            }
        }
    }
}

impl fmt::Debug for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn base_addresses_lose_their_last_slash_and_say_where_they_are() {
        for (text, url, is_loopback, is_https) in [
            ("https://api.openai.com/v1/", "https://api.openai.com/v1", false, true),
            ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1", true, false),
            ("HTTP://localhost", "http://localhost", true, false),
            ("http://[::1]:11434", "http://[::1]:11434", true, false),
            ("http://[::ffff:127.0.0.1]:1", "http://[::ffff:127.0.0.1]:1", true, false),
            ("http://10.0.0.7:8000", "http://10.0.0.7:8000", false, false),
            ("http://localhost.example.com", "http://localhost.example.com", false, false),
            // Some readers take this for 127.0.0.1; we do not trust it to be.
            ("http://127.1", "http://127.1", false, false),
        ] {
            let wanted = BaseUrl { url: url.to_owned(), is_loopback, is_https };
            assert_eq!(BaseUrl::parse(text), Ok(wanted), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_base_address_says_why() {
        for (text, why) in [
            ("api.openai.com/v1", AddressError::Scheme),
            ("ftp://host", AddressError::Scheme),
            ("http://", AddressError::Host),
            ("http://[::1", AddressError::Host),
            ("http://host:0", AddressError::Port),
            ("http://host:99999", AddressError::Port),
            ("http://host:", AddressError::Port),
            ("http://127.0.0.1:80@evil.example", AddressError::Userinfo),
            ("http://localhost\\@evil.example", AddressError::Character),
            ("https://host/v1?key=1", AddressError::Query),
            ("https://hö.st", AddressError::Character),
        ] {
            assert_eq!(BaseUrl::parse(text), Err(why), "{text}");
        }
    }

    #[test]
    fn a_store_shows_no_password() {
        let here = Path::new("/etc/mainstay");
        let url = StoreUrl::parse("postgres://ann:hunter2@host/db?sslpassword=x", here).unwrap();
        assert_eq!(url.password(), Some("hunter2"));
        assert_eq!(format!("{url} {url:?}"), "postgres://ann:*******@host/db postgres://ann:*******@host/db");
        let url = StoreUrl::parse("sqlite:mainstay.db", here).unwrap();
        assert_eq!(url.to_string(), "sqlite:/etc/mainstay/mainstay.db");
        assert_eq!(StoreUrl::parse("sqlite:///var/a.db", here).unwrap().to_string(), "sqlite:/var/a.db");
        for bad in ["", "sqlite:", "sqlite::memory:", "mysql://x", "postgres://", "mainstay.db"] {
            assert!(StoreUrl::parse(bad, here).is_none(), "{bad}");
        }
    }

    #[test]
    fn listeners_and_proxies_are_read() {
        assert_eq!(listen("localhost:7171"), listen("127.0.0.1:7171"));
        assert!(listen("[::]:80").is_some());
        assert!(listen("7171").is_none() && listen("example.com:80").is_none());
        assert!(is_proxy("socks5h://ann:pw@proxy:1080") && is_proxy("http://proxy:3128/"));
        assert!(!is_proxy("proxy:3128") && !is_proxy("ftp://proxy"));
        assert_eq!(host_name("Gate.example.com:443").as_deref(), Some("gate.example.com:443"));
        assert_eq!(host_name("https://gate"), None);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".*") {
            let _ = (BaseUrl::parse(&text), listen(&text), host_name(&text), is_proxy(&text));
            let _ = StoreUrl::parse(&text, Path::new("."));
        }

        #[test]
        fn only_loopback_is_loopback(a in any::<u32>()) {
            let ip = std::net::Ipv4Addr::from(a);
            let read = BaseUrl::parse(&format!("http://{ip}:1/")).unwrap();
            prop_assert_eq!(read.is_loopback, ip.is_loopback());
        }
    }
}
