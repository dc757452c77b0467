//! The command `mainstay`: parse, run, exit with 0 (done), 1 (failed) or 2 (usage or config).

mod args;
mod ask;
mod chains;
mod commands;
mod demo;
mod exit;
mod ollama;
mod out;
mod progress;
mod running;
mod settings;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::exit::Exit;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args = Args::parse();
    start_logging(&args);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            anstream::eprintln!("mainstay: the runtime cannot be started: {error}");
            return ExitCode::from(1);
        }
    };
    match runtime.block_on(run(args)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(exit) => exit.report(),
    }
}

async fn run(args: Args) -> Result<(), Exit> {
    let global = args.global;
    match args.command {
        Command::Demo(demo) => demo::run(&demo, &global).await,
        Command::Init(init) => commands::init::run(&init, &global).await,
        Command::Check(check) => commands::check::run(&check, &global).await,
        Command::Serve(serve) => commands::serve::run(&serve, &global).await,
        Command::Chat(chat) => commands::chat::run(&chat, &global).await,
        Command::Calls(calls) => commands::calls::run(&calls, &global),
        Command::Why(why) => commands::why::run(&why, &global),
        Command::Spend(spend) => commands::spend::run(&spend, &global).await,
        Command::Tiers(tiers) => commands::tiers::run(tiers, &global).await,
        Command::Judge(judge) => commands::judge::run(&judge, &global),
        Command::Prices(prices) => commands::prices::run(&prices, &global),
        Command::Sql(sql) => commands::sql::run(&sql, &global),
    }
}

/// Warnings and alerts go to stderr; `MAINSTAY_LOG` (such as `info` or `mainstay=debug`) says how much.
fn start_logging(args: &Args) {
    let usual = match args.command {
        // The demonstration breaks things on purpose; its table tells the story.
        Command::Demo(_) => "off",
        Command::Serve(_) => "info",
        Command::Init(_)
        | Command::Check(_)
        | Command::Chat(_)
        | Command::Calls(_)
        | Command::Why(_)
        | Command::Spend(_)
        | Command::Tiers(_)
        | Command::Judge(_)
        | Command::Prices(_)
        | Command::Sql(_) => "warn",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_env("MAINSTAY_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(usual));
    let colour =
        std::env::var_os("NO_COLOR").is_none() && std::io::IsTerminal::is_terminal(&std::io::stderr());
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(colour).init();
}
