//! The gateway that runs: where it is, how its admin API is asked, and with which token.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use mainstay_config::Config;
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::args::Global;
use crate::exit::Exit;
use crate::{out, settings};

/// Where a gateway listens unless told otherwise.
const USUAL: &str = "http://127.0.0.1:7171";
/// The variable that holds the admin token.
const TOKEN_VARIABLE: &str = "MAINSTAY_ADMIN_TOKEN";
/// A gateway that is there answers its operator at once.
const CONNECT: Duration = Duration::from_secs(2);
const PATIENCE: Duration = Duration::from_secs(10);

/// A gateway that may be running.
pub(crate) struct Running {
    url: String,
    /// Whether somebody named it: then nothing else is meant in its place.
    named: bool,
    token: Option<SecretString>,
    http: reqwest::Client,
}

impl Running {
    /// The one that `--url` or `MAINSTAY_URL` names, else the one of this configuration.
    pub(crate) fn of(global: &Global, config: Option<&Config>) -> Result<Self, Exit> {
        let named = global.url.is_some();
        let url = match &global.url {
            Some(url) => read_url(url)?,
            None => config.map_or_else(|| USUAL.to_owned(), listening),
        };
        let builder =
            reqwest::Client::builder().connect_timeout(CONNECT).redirect(reqwest::redirect::Policy::none());
        // A proxy cannot reach this machine's own loopback.
        let builder = if is_loopback(&url) { builder.no_proxy() } else { builder };
        let http = builder.build().map_err(Exit::failed)?;
        let token = token(&url, config);
        Ok(Self { url, named, token, http })
    }

    /// Its address, without a slash at the end.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Whether somebody named it.
    pub(crate) fn is_named(&self) -> bool {
        self.named
    }

    /// The HTTP client that reaches it.
    pub(crate) fn http(&self) -> &reqwest::Client {
        &self.http
    }

    /// Asks its admin API; `None` when nobody is there.
    ///
    /// # Errors
    ///
    /// When something is there and does not answer as a gateway does, or refuses.
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<Option<T>, Exit> {
        let asked = self.ask(self.http.get(format!("{}{path}", self.url))).await?;
        asked.map(|body| serde_json::from_str(&body).map_err(|error| self.is_other(&error))).transpose()
    }

    /// Tells its admin API to do something; `None` when nobody is there.
    ///
    /// # Errors
    ///
    /// As [`Self::get`].
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Result<Option<()>, Exit> {
        let request = self.http.post(format!("{}{path}", self.url));
        let request = request.header("content-type", "application/json").body(body.to_string());
        Ok(self.ask(request).await?.map(drop))
    }

    async fn ask(&self, mut request: reqwest::RequestBuilder) -> Result<Option<String>, Exit> {
        if let Some(token) = &self.token {
            request = request.bearer_auth(token.expose_secret());
        }
        let unreachable =
            |error: reqwest::Error| Exit::failed(format!("the gateway at {}: {error}", self.url));
        let reply = match request.timeout(PATIENCE).send().await {
            Ok(reply) => reply,
            Err(error) if error.is_connect() => return Ok(None),
            Err(error) => return Err(unreachable(error)),
        };
        let status = reply.status().as_u16();
        let text = reply.text().await.map_err(unreachable)?;
        if (200..=299).contains(&status) {
            return Ok(Some(text));
        }
        match serde_json::from_str::<Value>(&text) {
            Ok(_) if status == 401 => Err(Exit::failed(self.wants_token())),
            Ok(body) => Err(self.told(status, &body)),
            Err(_) => Err(Exit::failed(format!(
                "what answers at {} is no Mainstay gateway (status {status}); --url names another",
                self.url
            ))),
        }
    }

    fn wants_token(&self) -> String {
        let tried = if self.token.is_some() { "the one at hand is not its own" } else { "none is at hand" };
        format!(
            "the gateway at {} wants its admin token, and {tried}\n\
             set {TOKEN_VARIABLE}, or run this as the user who runs the gateway",
            self.url
        )
    }

    fn is_other(&self, error: &serde_json::Error) -> Exit {
        Exit::failed(format!("what answers at {} is no gateway of this version: {error}", self.url))
    }

    /// Its own words. A request that it could not make sense of was typed wrongly.
    fn told(&self, status: u16, body: &Value) -> Exit {
        let words =
            body.pointer("/error/message").and_then(Value::as_str).unwrap_or("an error without words");
        let said = format!("the gateway at {}: {}", self.url, out::clean(words));
        if matches!(status, 400 | 404 | 422) { Exit::usage(said) } else { Exit::failed(said) }
    }
}

/// An address as people type it, with or without a slash or `/v1` at its end.
fn read_url(typed: &str) -> Result<String, Exit> {
    let url = typed.trim().trim_end_matches('/');
    let url = url.strip_suffix("/v1").unwrap_or(url);
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    if rest.is_some_and(|rest| !rest.is_empty()) && reqwest::Url::parse(url).is_ok() {
        Ok(url.to_owned())
    } else {
        Err(Exit::usage(format!("--url {typed:?} is no address of a gateway; write http://HOST:PORT")))
    }
}

/// Where the gateway of a configuration is reached from this machine.
fn listening(config: &Config) -> String {
    let mut address = config.server.listen;
    if address.port() == 0 {
        return USUAL.to_owned();
    }
    if address.ip().is_unspecified() {
        let loopback = match address.ip() {
            IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        };
        address = SocketAddr::new(loopback, address.port());
    }
    let scheme = if config.server.tls.is_some() { "https" } else { "http" };
    format!("{scheme}://{address}")
}

fn is_loopback(url: &str) -> bool {
    let host = reqwest::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    host.is_some_and(|host| {
        let ip = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        host == "localhost" || ip.is_ok_and(|ip| ip.to_canonical().is_loopback())
    })
}

/// The variable's token, else the configuration's, else the one that a gateway of this user keeps in a
/// file. The last is for this machine alone: another host has no business with it.
fn token(url: &str, config: Option<&Config>) -> Option<SecretString> {
    let from_variable = settings::variable(TOKEN_VARIABLE).filter(|token| !token.trim().is_empty());
    if let Some(token) = from_variable {
        return Some(token.trim().into());
    }
    if let Some(token) = config.and_then(|config| config.server.admin_token.clone()) {
        return Some(token);
    }
    if !is_loopback(url) {
        return None;
    }
    // One that cannot be read is one that we do not have; the gateway then says that it wants it.
    mainstay_gateway::read_admin_token(&settings::admin_token_file()).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_as_people_type_it() {
        for typed in ["http://127.0.0.1:7171", "http://127.0.0.1:7171/", " http://127.0.0.1:7171/v1/ "] {
            assert_eq!(read_url(typed).unwrap(), "http://127.0.0.1:7171", "{typed}");
        }
        for typed in ["", "127.0.0.1:7171", "ftp://x", "http://", "http://a b"] {
            assert!(read_url(typed).is_err(), "{typed}");
        }
    }

    #[test]
    fn the_kept_token_is_for_this_machine_alone() {
        for (url, own) in [
            ("http://127.0.0.1:7171", true),
            ("http://localhost:1", true),
            ("http://[::1]:7171", true),
            ("http://10.0.0.1:7171", false),
            ("https://gateway.example.com", false),
            ("http://127.0.0.1.example.com", false),
        ] {
            assert_eq!(is_loopback(url), own, "{url}");
        }
    }

    #[test]
    fn a_gateway_that_listens_everywhere_is_reached_on_loopback() {
        let at = |listen: &str| {
            let mut config = Config::default();
            config.server.listen = listen.parse().unwrap();
            listening(&config)
        };
        assert_eq!(at("0.0.0.0:9000"), "http://127.0.0.1:9000");
        assert_eq!(at("[::]:9000"), "http://[::1]:9000");
        assert_eq!(at("127.0.0.1:0"), USUAL);
    }
}
