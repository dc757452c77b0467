//! What can be typed.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand};

/// An LLM gateway that notices the useless 200 OK, and does something about it.
#[derive(Debug, Parser)]
#[command(name = "mainstay", version, max_term_width = 100)]
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
    /// The running gateway that commands about health ask
    #[arg(long, global = true, env = "MAINSTAY_URL", value_name = "URL", default_value = "http://127.0.0.1:7171")]
    pub(crate) url: String,
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
    /// Validate the configuration: every mistake at once, with its line
    #[command(after_help = "Example:\n  mainstay check --config mainstay.toml")]
    Check(CheckArgs),
    /// Run the gateway
    #[command(after_help = "Example:\n  OPENAI_API_KEY=... mainstay serve")]
    Serve(ServeArgs),
    /// Ask one question through a chain; the trail goes to stderr
    #[command(after_help = "Examples:\n  mainstay chat \"What is a mainstay?\"\n  git diff | mainstay chat --stream")]
    Chat(ChatArgs),
    /// Rows of the call log
    #[command(after_help = "Example:\n  mainstay calls --user ann --since \"yesterday 16:00\"")]
    Calls(CallsArgs),
    /// The story of one request in plain words
    #[command(after_help = "Examples:\n  mainstay why last\n  mainstay why req_7f3a")]
    Why(WhyArgs),
}

/// `mainstay demo`
#[derive(Debug, ClapArgs)]
pub(crate) struct DemoArgs {
    /// Stop after the table instead of keeping the gateway up
    #[arg(long)]
    pub(crate) once: bool,
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
    #[arg(long, default_value_t = 50)]
    pub(crate) limit: usize,
}

/// `mainstay why`
#[derive(Debug, ClapArgs)]
pub(crate) struct WhyArgs {
    /// The id of the request, or `last`: the newest that was not a first-try ok
    #[arg(value_name = "REQUEST_ID|last")]
    pub(crate) request: String,
}
