//! `[server]`: where the gateway listens and whom it lets in (behaviour 11.3, 11.3a).

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};

use crate::address;
use crate::report::{At, Fault, Report, Typed};
use crate::secret::quoted;
use crate::surroundings::{Found, Surroundings};
use crate::table::Section;
use crate::variables;

/// Shortest admin token that is not worth a warning, in bytes.
const SHORT_TOKEN: usize = 16;

/// The gateway's own side.
#[derive(Clone, Debug)]
pub struct Server {
    /// Where it listens.
    pub listen: SocketAddr,
    /// Further `Host` names that are accepted, in lower case.
    pub hosts: Vec<String>,
    /// The admin token, where one is configured; without one, a token is made at start.
    pub admin_token: Option<SecretString>,
    /// The variable that holds it.
    pub admin_token_env: String,
    /// Largest request body, in bytes.
    pub max_body: u64,
    /// How long running streams may take to end when the gateway stops.
    pub drain_timeout: Duration,
    /// When a client key is needed.
    pub require_keys: RequireKeys,
    /// Whether `/metrics` is open to everybody who can reach it.
    pub metrics_public: bool,
    /// Certificate and key, for HTTPS.
    pub tls: Option<Tls>,
    /// Most connections at a time.
    pub max_connections: usize,
    /// Most requests that wait when full.
    pub queue: usize,
    /// How long each of them waits at most.
    pub queue_timeout: Duration,
    /// What a bare model name means.
    pub bare_models: BareModels,
}

impl Server {
    /// Whether only this machine can reach it.
    pub fn is_loopback(&self) -> bool {
        self.listen.ip().to_canonical().is_loopback()
    }
}

/// When a client key is needed (behaviour 11.3a).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequireKeys {
    /// When the listener is not loopback or at least one virtual key exists.
    Auto,
    /// Always.
    Always,
    /// Never; on loopback only.
    Never,
}

/// What a bare model name that a provider serves means (behaviour 11.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BareModels {
    /// That model first, then the tiers of `default`.
    ThenDefault,
    /// That model alone.
    Alone,
    /// Nothing: a 404.
    Refuse,
}

/// Files for HTTPS, reloaded when they change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tls {
    /// The certificate chain, PEM.
    pub cert: PathBuf,
    /// The private key, PEM.
    pub key: PathBuf,
}

const REQUIRE_KEYS: [(&str, RequireKeys); 3] =
    [("auto", RequireKeys::Auto), ("always", RequireKeys::Always), ("never", RequireKeys::Never)];
const BARE_MODELS: [(&str, BareModels); 3] =
    [("then_default", BareModels::ThenDefault), ("alone", BareModels::Alone), ("refuse", BareModels::Refuse)];

/// Reads the section.
pub(crate) fn read(
    mut section: Section<'_, '_>,
    report: &mut Report<'_>,
    around: &Surroundings<'_>,
) -> Server {
    let s = &mut section;
    let listen = read_listen(s, report);
    let address = listen.as_ref().map_or(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7171), |l| l.value);
    let require_keys = s.choice(report, "require_keys", &REQUIRE_KEYS);
    let (admin_token, admin_token_env) = read_admin_token(s, report, around, listen.as_ref());
    refuse_open_door(report, listen.as_ref(), require_keys.as_ref());
    let server = Server {
        listen: address,
        hosts: read_hosts(s, report),
        admin_token,
        admin_token_env,
        max_body: s.size(report, "max_body").map_or(32_000_000, |size| size.value),
        drain_timeout: s.duration(report, "drain_timeout").map_or(Duration::from_secs(30), |d| d.value),
        require_keys: require_keys.map_or(RequireKeys::Auto, |word| word.value),
        metrics_public: s.flag(report, "metrics_public").is_some_and(|flag| flag.value),
        tls: read_tls(s, report, around),
        max_connections: number(s.number(report, "max_connections", 1..=1_000_000), 10_000),
        queue: number(s.number(report, "queue", 0..=1_000_000), 1_000),
        queue_timeout: s.time_limit(report, "queue_timeout").map_or(Duration::from_secs(5), |d| d.value),
        bare_models: s
            .choice(report, "bare_models", &BARE_MODELS)
            .map_or(BareModels::ThenDefault, |word| word.value),
    };
    section.close(report);
    server
}

fn number(typed: Option<Typed<u64>>, default: usize) -> usize {
    typed.and_then(|n| usize::try_from(n.value).ok()).unwrap_or(default)
}

fn read_listen(section: &mut Section<'_, '_>, report: &mut Report<'_>) -> Option<Typed<SocketAddr>> {
    let typed = section.text(report, "listen")?;
    if let Some(value) = address::listen(&typed.value) {
        return Some(Typed { value, at: typed.at });
    }
    report.push(
        Fault::error(
            "bad_address",
            &typed.at,
            format!("server.listen = {} is not an address to listen on", quoted(&typed.value)),
        )
        .expected("an IP address and a port, such as \"127.0.0.1:7171\" or \"[::1]:7171\""),
    );
    None
}

fn read_hosts(section: &mut Section<'_, '_>, report: &mut Report<'_>) -> Vec<String> {
    let mut hosts = Vec::new();
    for typed in section.texts(report, "hosts").unwrap_or_default() {
        match address::host_name(&typed.value) {
            Some(host) => hosts.push(host),
            None => report.push(
                Fault::error(
                    "bad_host",
                    &typed.at,
                    format!("{} = {} is not the name of a host", typed.at.path, quoted(&typed.value)),
                )
                .expected("a name without scheme or path, such as \"gateway.example.com\""),
            ),
        }
    }
    hosts
}

/// The admin token: on loopback one is made at start, elsewhere it must be there.
fn read_admin_token(
    section: &mut Section<'_, '_>,
    report: &mut Report<'_>,
    around: &Surroundings<'_>,
    listen: Option<&Typed<SocketAddr>>,
) -> (Option<SecretString>, String) {
    let typed = section.text(report, "admin_token_env").and_then(|typed| variables::named(report, typed));
    let name = typed.as_ref().map_or("MAINSTAY_ADMIN_TOKEN", |typed| typed.value.as_str()).to_owned();
    let open = listen.filter(|listen| !listen.value.ip().to_canonical().is_loopback());
    let found = around.secret(&name);
    if let Found::Value(token) = found {
        report.keep_secret(&token);
        if let Some(listen) = open.filter(|_| token.expose_secret().len() < SHORT_TOKEN) {
            report.push(
                Fault::warning("short_token", &listen.at, format!("the admin token in {name} is short"))
                    .fix("take a random one of 32 characters: whoever has it can spend your money"),
            );
        }
        return (Some(token), name);
    }
    let at = typed.map_or_else(|| section.at.clone(), |typed| typed.at);
    no_admin_token(report, &name, &found, open, &at);
    (None, name)
}

/// Says that there is no admin token, where that matters.
fn no_admin_token(
    report: &mut Report<'_>,
    name: &str,
    found: &Found,
    open: Option<&Typed<SocketAddr>>,
    at: &At,
) {
    let state = match found {
        Found::Value(_) => return,
        Found::Missing => "is not set",
        Found::Blank => "is blank",
        Found::Unusable => "holds a space or a character that a header cannot carry",
    };
    if let Some(listen) = open {
        let what = format!("server.listen = \"{}\" is not loopback and {name} {state}", listen.value);
        report.push(
            Fault::error("missing_admin_token", &listen.at, what)
                .expected(format!("the admin token in the variable {name}"))
                .fix(format!("set {name} to a long random string, or listen on 127.0.0.1")),
        );
    } else if matches!(found, Found::Unusable) {
        let what = format!("the admin token in {name} {state}; a new one is made");
        report.push(
            Fault::warning("unusable_variable", at, what)
                .fix(format!("set {name} to letters and digits only")),
        );
    }
}

/// Beyond loopback nobody gets in without a key (behaviour 11.3).
fn refuse_open_door(
    report: &mut Report<'_>,
    listen: Option<&Typed<SocketAddr>>,
    require: Option<&Typed<RequireKeys>>,
) {
    let open = listen.is_some_and(|listen| !listen.value.ip().to_canonical().is_loopback());
    if let Some(require) = require.filter(|require| open && require.value == RequireKeys::Never) {
        report.push(
            Fault::error("open_door", &require.at, "require_keys = \"never\" is for loopback only")
                .fix("take the line out and make keys with `mainstay keys create`, or listen on 127.0.0.1"),
        );
    }
}

/// Both files or none, and both readable.
fn read_tls(
    section: &mut Section<'_, '_>,
    report: &mut Report<'_>,
    around: &Surroundings<'_>,
) -> Option<Tls> {
    let cert = section.optional_text(report, "tls_cert");
    let key = section.optional_text(report, "tls_key");
    let (cert, key) = match (cert, key) {
        (Some(cert), Some(key)) => (cert, key),
        (None, None) => return None,
        (Some(one), None) | (None, Some(one)) => {
            report.push(
                Fault::error("half_tls", &one.at, format!("{} stands alone", one.at.path))
                    .expected("tls_cert and tls_key together")
                    .fix("add the other one, or take this line out"),
            );
            return None;
        }
    };
    let mut file = |typed: &Typed<String>| {
        let path = around.path(&typed.value);
        if let Err(why) = std::fs::File::open(&path) {
            let what =
                format!("{}: {} cannot be read: {why}", typed.at.path, quoted(&path.to_string_lossy()));
            report
                .push(Fault::error("unreadable_file", &typed.at, what).fix("correct the path or the rights"));
        }
        path
    };
    Some(Tls { cert: file(&cert), key: file(&key) })
}
