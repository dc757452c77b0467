//! What can be typed.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Parser, Subcommand};
use mainstay_calllog::SpendBy;
use mainstay_store::StaticSwitch;

/// An LLM gateway that notices the useless 200 OK, and does something about it.
#[derive(Debug, Parser)]
#[command(name = "mainstay", version, max_term_width = 100)]
#[command(after_help = "Start with `mainstay demo`: no key, no configuration.\n\
    Exit codes: 0 done, 1 failed, 2 what was typed or configured is wrong.\n\
    Tables on a terminal, tab-separated rows in a pipe; NO_COLOR is honoured.")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command takes.
#[derive(Clone, Debug, ClapArgs)]
pub(crate) struct Global {
    /// The configuration file [default: $MAINSTAY_CONFIG, else ./mainstay.toml]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The running gateway to ask [default: where the configuration listens, else http://127.0.0.1:7171]
    #[arg(long, global = true, env = "MAINSTAY_URL", value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Write JSON: one object a line for rows, one object for a single thing
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show everything at once: simulated providers misbehave, Mainstay answers. No key, no config
    #[command(after_help = "Example:\n  mainstay demo --once")]
    Demo(DemoArgs),
    /// Write a mainstay.toml from the API keys in the environment (their names, never their values)
    #[command(
        after_help = "Examples:\n  OPENAI_API_KEY=... mainstay init\n  mainstay init --stdout\n  mainstay init --from litellm.yaml"
    )]
    Init(InitArgs),
    /// Validate the configuration: every mistake at once, with its line
    #[command(after_help = "Examples:\n  mainstay check --config mainstay.toml\n  mainstay check --live")]
    Check(CheckArgs),
    /// Run the gateway
    #[command(
        after_help = "Examples:\n  OPENAI_API_KEY=... mainstay serve\n  mainstay serve --config mainstay.toml\n\n\
        SIGTERM and Ctrl-C drain; SIGHUP and a changed file reload the configuration."
    )]
    Serve(ServeArgs),
    /// Ask one question through a chain; the trail goes to stderr
    #[command(
        after_help = "Examples:\n  mainstay chat \"What is a mainstay?\"\n  git diff | mainstay chat --stream \"Review this\""
    )]
    Chat(ChatArgs),
    /// Rows of the call log
    #[command(
        after_help = "Examples:\n  mainstay calls --user ann --since \"yesterday 16:00\"\n  mainstay calls --quality empty --json"
    )]
    Calls(CallsArgs),
    /// The story of one request in plain words
    #[command(after_help = "Examples:\n  mainstay why last\n  mainstay why req_7f3a")]
    Why(WhyArgs),
    /// What was spent, with the caps beside it
    #[command(
        after_help = "Examples:\n  mainstay spend\n  mainstay spend --by user --since \"7 days ago\"\n\n\
        With --json the last line holds `total`, `caps` and `caps_from`; the lines before it are the rows."
    )]
    Spend(SpendArgs),
    /// The health of each tier now, with reason and countdown; the operator's hand on it
    #[command(
        after_help = "Examples:\n  mainstay tiers\n  mainstay tiers disable openai/gpt-6-luna --for 30m\n  \
        mainstay tiers static auto"
    )]
    Tiers(TiersArgs),
    /// Judge answers or raw provider replies from a file: one verdict a line, and how many of each class
    #[command(
        after_help = "Examples:\n  mainstay judge answers.jsonl\n  zcat replies.jsonl.gz | mainstay judge --json\n  \
        mainstay judge labelled.jsonl.gz --score --profile strict\n\n\
        A line is an answer {\"prompt\", \"response\", \"finish_reason\", \"completion_tokens\", \"tool_calls\", \"expected\"}\n\
        with all but `response` optional, or a provider's reply as it came, or {\"request\": ..., \"reply\": ...}.\n\
        The judge is the one of the configuration's [quality], else the built-in one."
    )]
    Judge(JudgeArgs),
    /// The catalogue of models: prices, limits, retirements, with dates and sources
    #[command(
        after_help = "Examples:\n  mainstay prices gpt-6-luna\n  mainstay prices anthropic sonnet\n  mainstay prices --json --all"
    )]
    Prices(PricesArgs),
    /// Run one SELECT over the call log; nothing can be changed
    #[command(after_help = "Examples:\n  \
        mainstay sql \"SELECT tier, count(*) FROM llm_calls GROUP BY tier\"\n  \
        mainstay sql \"SELECT * FROM llm_calls ORDER BY ts DESC\" --limit 5 --json\n\n\
        Tables: llm_calls (a row an attempt), llm_hours (totals for good), llm_texts (where capture is on),\n\
        tier_health, ledger_spent. `ts` is in microseconds, UTC.")]
    Sql(SqlArgs),
}

/// `mainstay demo`
#[derive(Debug, ClapArgs)]
pub(crate) struct DemoArgs {
    /// Stop after the table instead of keeping the gateway up
    #[arg(long)]
    pub(crate) once: bool,
}

/// `mainstay init`
#[derive(Debug, ClapArgs)]
pub(crate) struct InitArgs {
    /// Print the file instead of writing it
    #[arg(long, conflicts_with = "force")]
    pub(crate) stdout: bool,
    /// Overwrite a file that exists
    #[arg(long)]
    pub(crate) force: bool,
    /// Move in: read another gateway's configuration (the YAML of a LiteLLM proxy) instead of the environment
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
}

/// `mainstay check`
#[derive(Debug, ClapArgs)]
pub(crate) struct CheckArgs {
    /// Call each tier once; says before what it costs at most
    #[arg(long)]
    pub(crate) live: bool,
}

/// `mainstay serve`
#[derive(Debug, ClapArgs)]
pub(crate) struct ServeArgs {
    /// Fail when there is no configuration file instead of using the keys in the environment
    #[arg(long)]
    pub(crate) require_config: bool,
}

/// `mainstay chat`
#[derive(Debug, ClapArgs)]
pub(crate) struct ChatArgs {
    /// The question; what is piped in is added below it
    pub(crate) prompt: Option<String>,
    /// The chain, tier or model to ask
    #[arg(long, value_name = "NAME")]
    pub(crate) chain: Option<String>,
    /// Print the answer as it comes
    #[arg(long)]
    pub(crate) stream: bool,
}

/// `mainstay calls`
#[derive(Debug, Default, ClapArgs)]
pub(crate) struct CallsArgs {
    /// Only this user's
    #[arg(long)]
    pub(crate) user: Option<String>,
    /// Only this session's
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// Only this request's (our id or the caller's)
    #[arg(long)]
    pub(crate) request: Option<String>,
    /// Only answers of this class, such as empty or refusal
    #[arg(long)]
    pub(crate) quality: Option<String>,
    /// Only this tier's, such as openai/gpt-6-luna
    #[arg(long)]
    pub(crate) tier: Option<String>,
    /// Only with this label
    #[arg(long)]
    pub(crate) label: Option<String>,
    /// From this moment on: "yesterday 16:00", "2h", RFC 3339
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Before this moment
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
    /// At most so many rows, the newest
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub(crate) limit: usize,
}

/// `mainstay why`
#[derive(Debug, ClapArgs)]
pub(crate) struct WhyArgs {
    /// The id of the request, or `last`: the newest that was not a first-try ok
    #[arg(value_name = "REQUEST_ID|last")]
    pub(crate) request: String,
}

/// `mainstay spend`
#[derive(Debug, ClapArgs)]
pub(crate) struct SpendArgs {
    /// What is added up
    #[arg(long, value_parser = spend_by(), default_value = "day", value_name = "WHAT")]
    pub(crate) by: SpendBy,
    /// From this moment on: "7 days ago", "2026-11-01", RFC 3339 [default: all that is kept]
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
}

/// The words for what money is added up by.
fn spend_by() -> impl TypedValueParser<Value = SpendBy> {
    let words = SpendBy::ALL.map(SpendBy::word);
    PossibleValuesParser::new(words).map(|word| SpendBy::from_word(&word).unwrap_or(SpendBy::Day))
}

/// `mainstay tiers`
#[derive(Debug, ClapArgs)]
pub(crate) struct TiersArgs {
    #[command(subcommand)]
    pub(crate) hand: Option<Hand>,
}

/// What an operator can do to a tier.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum Hand {
    /// Keep a tier out of every chain
    #[command(
        after_help = "Example:\n  mainstay tiers disable openai/gpt-6-luna --for 30m --why \"bad answers\""
    )]
    Disable {
        /// The tier, provider/model
        #[arg(value_name = "TIER")]
        tier: String,
        /// For how long, such as 30m or 2h [default: until it is enabled]
        #[arg(long = "for", value_name = "TIME")]
        time: Option<String>,
        /// The reason, for whoever looks at it later
        #[arg(long, default_value = "disabled by an operator", value_name = "TEXT")]
        why: String,
    },
    /// Let a tier in again, whatever had closed it; only the provider's own Retry-After stands
    #[command(after_help = "Example:\n  mainstay tiers enable openai/gpt-6-luna")]
    Enable {
        /// The tier, provider/model
        #[arg(value_name = "TIER")]
        tier: String,
    },
    /// Set whether the static tier answers: first (on), never (off), or when no other can (auto)
    #[command(after_help = "Example:\n  mainstay tiers static on")]
    Static {
        /// Its new position
        #[arg(value_parser = static_switch(), value_name = "POSITION")]
        switch: StaticSwitch,
    },
}

/// The words for the static tier's switch.
fn static_switch() -> impl TypedValueParser<Value = StaticSwitch> {
    let words = [StaticSwitch::On, StaticSwitch::Off, StaticSwitch::Auto].map(StaticSwitch::word);
    PossibleValuesParser::new(words).map(|word| StaticSwitch::from_word(&word).unwrap_or_default())
}

/// `mainstay judge`
#[derive(Debug, ClapArgs)]
pub(crate) struct JudgeArgs {
    /// JSON lines, packed with gzip or not [default: stdin]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Print how well labelled answers are judged: precision, recall, F1 and false alarms by language and source
    #[arg(long)]
    pub(crate) score: bool,
    /// How strictly [default: as the configuration says, else balanced]
    #[arg(long, value_enum, value_name = "PROFILE")]
    pub(crate) profile: Option<JudgeProfile>,
    /// A regular expression that makes an answer a refusal, added to the others; may be repeated
    #[arg(long, value_name = "REGEX")]
    pub(crate) pattern: Vec<String>,
}

/// How strictly answers are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum JudgeProfile {
    /// Short answers that are complete in themselves are fine
    Balanced,
    /// Fewer than four completion tokens are suspicious
    Strict,
    /// Only what the provider itself says
    Off,
}

/// `mainstay prices`
#[derive(Debug, ClapArgs)]
pub(crate) struct PricesArgs {
    /// Words that the model's name, provider/model, must hold [default: what Mainstay can call and is for sale]
    #[arg(value_name = "MODEL")]
    pub(crate) model: Vec<String>,
    /// Also models that are retired, and those of providers that Mainstay does not speak with
    #[arg(long)]
    pub(crate) all: bool,
}

/// `mainstay sql`
#[derive(Debug, ClapArgs)]
pub(crate) struct SqlArgs {
    /// One SELECT statement
    #[arg(value_name = "SELECT")]
    pub(crate) statement: String,
    /// At most so many rows
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pub(crate) limit: usize,
}
