//! A client from tiers given in code.
//!
//! The builder writes what it is told into the same form as the file and lets the file's own checks judge
//! it, so that a mistake reads alike wherever it was made.

use std::fmt::Write as _;
use std::time::Duration;

use crate::client::Client;
use crate::error::BuildError;

/// Collects tiers, caps and the log; [`Builder::build`] reports every mistake at once.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    tiers: Vec<Tier>,
    caps: Vec<Cap>,
    log: Option<String>,
}

/// One tier of a chain, given in code.
///
/// ```
/// use mainstay::Tier;
/// use std::time::Duration;
///
/// let tier = Tier::new("deepseek/deepseek-flash").retry_budget(2).answer_timeout(Duration::from_secs(20));
/// ```
#[derive(Clone, Debug)]
pub struct Tier {
    name: String,
    base_url: Option<String>,
    api_key_env: Option<String>,
    is_static: bool,
    settings: Vec<(&'static str, String)>,
}

impl Tier {
    /// A tier by its name, `provider/model`.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), base_url: None, api_key_env: None, is_static: false, settings: Vec::new() }
    }

    /// Another address for its provider. A provider that is not built in is then taken for an
    /// OpenAI-compatible server.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// The environment variable that holds its provider's key.
    pub fn api_key_env(mut self, variable: impl Into<String>) -> Self {
        self.api_key_env = Some(variable.into());
        self
    }

    /// Attempts allowed on it per request, the first included.
    pub fn retry_budget(self, attempts: u32) -> Self {
        self.set("retry_budget", attempts.to_string())
    }

    /// How long it cools after a fault of its own.
    pub fn cooldown(self, wait: Duration) -> Self {
        self.set("cooldown", quoted_duration(wait))
    }

    /// How long a whole answer may take.
    pub fn answer_timeout(self, wait: Duration) -> Self {
        self.set("answer_timeout", quoted_duration(wait))
    }

    /// Its price in US dollars per million input and output tokens, as exact decimals.
    pub fn price(self, input: &str, output: &str) -> Self {
        self.set("price", format!("{{ input = {}, output = {} }}", quoted(input), quoted(output)))
    }

    /// Says that its cost is unknown.
    pub fn unpriced(self) -> Self {
        self.set("unpriced", "true".into())
    }

    fn set(mut self, key: &'static str, value: String) -> Self {
        self.settings.retain(|(known, _)| *known != key);
        self.settings.push((key, value));
        self
    }
}

impl From<&str> for Tier {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

impl From<String> for Tier {
    fn from(name: String) -> Self {
        Self::new(name)
    }
}

/// A limit on spending, in US dollars as an exact decimal.
#[derive(Clone, Debug)]
pub struct Cap {
    key: &'static str,
    dollars: String,
}

impl Cap {
    /// Per day.
    pub fn daily(dollars: impl Into<String>) -> Self {
        Self { key: "daily", dollars: dollars.into() }
    }

    /// Per month.
    pub fn monthly(dollars: impl Into<String>) -> Self {
        Self { key: "monthly", dollars: dollars.into() }
    }

    /// Per user and day.
    pub fn per_user_daily(dollars: impl Into<String>) -> Self {
        Self { key: "per_user_daily", dollars: dollars.into() }
    }

    /// Per session.
    pub fn per_session(dollars: impl Into<String>) -> Self {
        Self { key: "per_session", dollars: dollars.into() }
    }
}

impl Builder {
    /// Adds a tier at the end: cheap first, capable last.
    pub fn tier(mut self, tier: impl Into<Tier>) -> Self {
        self.tiers.push(tier.into());
        self
    }

    /// Adds the tier that answers when nobody else can.
    pub fn static_tier(mut self, tier: impl Into<Tier>) -> Self {
        let mut tier = tier.into();
        tier.is_static = true;
        self.tiers.push(tier);
        self
    }

    /// Sets a limit on spending.
    pub fn cap(mut self, cap: Cap) -> Self {
        self.caps.push(cap);
        self
    }

    /// Keeps the call log there, such as `sqlite:mainstay.db`. Without it nothing is logged and caps do not
    /// outlive the process.
    pub fn log(mut self, url: impl Into<String>) -> Self {
        self.log = Some(url.into());
        self
    }

    /// Builds the client.
    ///
    /// # Errors
    ///
    /// [`BuildError`] with every mistake at once, missing keys too.
    pub async fn build(self) -> Result<Client, BuildError> {
        let now = crate::clock::Clock::now(&crate::clock::SystemClock::new());
        let text = self.to_toml();
        let loaded =
            mainstay_config::load(&text, "the client's builder", &|name| std::env::var(name).ok(), now)?;
        match self.log {
            Some(_) => Client::new(loaded.config, Vec::new()).await,
            None => Client::without_log(loaded.config, Vec::new()).await,
        }
    }

    fn to_toml(&self) -> String {
        let mut text = String::new();
        if let Some(log) = &self.log {
            let _ = writeln!(text, "[log]\nurl = {}", quoted(log));
        }
        if !self.caps.is_empty() {
            text.push_str("[budget]\n");
            for cap in &self.caps {
                let _ = writeln!(text, "{} = {}", cap.key, quoted(&cap.dollars));
            }
        }
        self.describe_providers(&mut text);
        self.describe_tiers(&mut text);
        text
    }

    /// The providers that differ from what is built in. One that two tiers describe differently is written
    /// twice, so that the file's own checks find the contradiction.
    fn describe_providers(&self, text: &mut String) {
        let mut described = Vec::new();
        for tier in &self.tiers {
            let provider = tier.name.split('/').next().unwrap_or_default();
            let description = (provider, &tier.base_url, &tier.api_key_env);
            if (tier.base_url.is_none() && tier.api_key_env.is_none()) || described.contains(&description) {
                continue;
            }
            described.push(description);
            let _ = writeln!(text, "[providers.{}]", quoted(provider));
            if let Some(url) = &tier.base_url {
                let _ = writeln!(text, "base_url = {}", quoted(url));
                if mainstay_providers::by_id(provider).is_none() {
                    text.push_str("dialect = \"openai-chat\"\n");
                    if tier.api_key_env.is_none() {
                        text.push_str("auth = \"none\"\n");
                    }
                }
            }
            if let Some(variable) = &tier.api_key_env {
                let _ = writeln!(text, "api_key_env = {}", quoted(variable));
            }
        }
    }

    fn describe_tiers(&self, text: &mut String) {
        text.push_str("[chains.default]\n");
        for tier in &self.tiers {
            let (provider, model) = tier.name.split_once('/').unwrap_or((&tier.name, ""));
            let _ = writeln!(
                text,
                "[[chains.default.tiers]]\nprovider = {}\nmodel = {}",
                quoted(provider),
                quoted(model)
            );
            if tier.is_static {
                text.push_str("static_fallback = true\n");
            }
            for (key, value) in &tier.settings {
                let _ = writeln!(text, "{key} = {value}");
            }
        }
    }
}

/// A TOML string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            letter if letter.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(letter));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

fn quoted_duration(wait: Duration) -> String {
    format!("\"{}ms\"", wait.as_millis())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn every_mistake_is_told_at_once() {
        let error = Client::builder()
            .tier(Tier::new("openai/gpt-4o").api_key_env("NO_SUCH_VARIABLE_A"))
            .tier(Tier::new("anthropic/claude-sonnet-5-5").api_key_env("NO_SUCH_VARIABLE_B"))
            .cap(Cap::daily("a dollar"))
            .build()
            .await
            .unwrap_err()
            .to_string();
        for part in ["NO_SUCH_VARIABLE_A", "NO_SUCH_VARIABLE_B", "a dollar"] {
            assert!(error.contains(part), "{error}");
        }
    }

    #[tokio::test]
    async fn two_tiers_that_contradict_each_other_about_their_provider_are_a_mistake() {
        let at = |port| Tier::new(format!("local/m{port}")).base_url(format!("http://127.0.0.1:{port}/v1"));
        assert!(Client::builder().tier(at(1)).tier(at(2)).build().await.is_err());
        let same = || Tier::new("local/m").base_url("http://127.0.0.1:1/v1");
        let twice = Client::builder().tier(same()).tier(Tier { name: "local/n".into(), ..same() });
        assert_eq!(twice.build().await.map(|client| client.active_tiers().len()).ok(), Some(2));
    }

    #[test]
    fn what_is_quoted_reads_back() {
        let odd = "a \"quoted\" back\\slash,\ttab, \u{7f} and é";
        let table: toml::Table = toml::from_str(&format!("x = {}", quoted(odd))).unwrap();
        assert_eq!(table.get("x").and_then(toml::Value::as_str), Some(odd));
    }
}
