//! A gateway process of its own, in front of a simulated provider.

// Each test file uses a part of it.
#![allow(dead_code, unreachable_pub, clippy::panic)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use mainstay_testkit::FakeProvider;

/// The longest that a gateway may take to say what a test waits for.
const LIMIT: Duration = Duration::from_secs(20);
/// An address where nobody listens: no test talks to a gateway that happens to run on this machine.
pub const NOBODY: &str = "http://127.0.0.1:1";

/// The command with nothing of this machine's environment but a home of its own.
fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mainstay"));
    command.current_dir(folder).env_clear().env("HOME", folder).env("NO_COLOR", "1");
    command
}

/// What a process has said on stderr so far.
#[derive(Clone, Default)]
struct Said(Arc<(Mutex<(String, bool)>, Condvar)>);

impl Said {
    fn listen(stderr: impl Read + Send + 'static) -> Self {
        let said = Self::default();
        let heard = said.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                heard.change(|(text, _)| {
                    text.push_str(&line);
                    text.push('\n');
                });
            }
            heard.change(|(_, over)| *over = true);
        });
        said
    }

    fn change(&self, change: impl FnOnce(&mut (String, bool))) {
        change(&mut self.0.0.lock().unwrap());
        self.0.1.notify_all();
    }

    /// Waits until it has said this; all it said.
    fn wait_for(&self, part: &str) -> String {
        let until = Instant::now() + LIMIT;
        let mut said = self.0.0.lock().unwrap();
        loop {
            if said.0.contains(part) {
                return said.0.clone();
            }
            let left = until.saturating_duration_since(Instant::now());
            assert!(!said.1 && !left.is_zero(), "{part:?} was not said:\n{}", said.0);
            said = self.0.1.wait_timeout(said, left).unwrap().0;
        }
    }
}

/// A running `mainstay serve`.
pub struct Gateway {
    pub child: Child,
    pub base_url: String,
    pub folder: PathBuf,
    said: Said,
}

impl Gateway {
    /// Starts one with that configuration; its home is the folder of the file.
    pub fn start(config: &Path) -> Self {
        Self::start_knowing(config, &[])
    }

    /// The same with these variables in the environment.
    pub fn start_knowing(config: &Path, variables: &[(&str, &str)]) -> Self {
        let folder = config.parent().unwrap();
        let mut command = command(folder);
        command.args(["serve", "--config"]).arg(config).envs(variables.iter().copied());
        Self::spawn(command, folder)
    }

    /// Starts one without a file, with these variables in the environment.
    pub fn start_with(folder: &Path, variables: &[(&str, &str)]) -> Self {
        let mut command = command(folder);
        command.arg("serve").envs(variables.iter().copied());
        Self::spawn(command, folder)
    }

    fn spawn(mut command: Command, folder: &Path) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let said = Said::listen(child.stderr.take().unwrap());
        let text = said.wait_for("Anthropic(base_url");
        let address = text.lines().find_map(|line| line.strip_prefix("listening on ")).unwrap();
        Self { child, base_url: address.to_owned(), folder: folder.to_owned(), said }
    }

    /// Waits until it has said this on stderr; all it said.
    pub fn wait_for(&self, part: &str) -> String {
        self.said.wait_for(part)
    }

    /// Runs a command against it: exit code, stdout, stderr.
    pub fn tell(&self, arguments: &[&str]) -> (i32, String, String) {
        let mut all = arguments.to_vec();
        all.extend(["--url", &self.base_url]);
        mainstay(&all, &self.folder)
    }

    /// Sends it a signal by its name.
    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    /// `kill -9`.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// SIGTERM, and the exit code.
    pub fn stop(&mut self) -> i32 {
        self.signal("TERM");
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A port that is free now.
pub fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

/// The dialects that a provider behind the gateway may speak, as the configuration spells them.
#[derive(Clone, Copy, Debug)]
pub enum Behind {
    OpenAi,
    Anthropic,
}

impl Behind {
    fn section(self, provider: &FakeProvider) -> String {
        let (dialect, base_url) = match self {
            Self::OpenAi => ("openai-chat", provider.base_url()),
            Self::Anthropic => ("anthropic", format!("http://{}", provider.address())),
        };
        format!("[providers.fake]\ndialect = \"{dialect}\"\nbase_url = \"{base_url}\"\nauth = \"none\"\n")
    }
}

/// Writes a configuration with one chain `default` over models of the simulated provider.
pub fn write_config(folder: &Path, provider: &FakeProvider, tiers: &[&str]) -> PathBuf {
    let tiers: String = tiers.iter().map(|model| tier("default", model)).collect();
    write_config_with(folder, provider, &tiers)
}

/// One tier of a chain.
pub fn tier(chain: &str, model: &str) -> String {
    format!(
        "[[chains.{chain}.tiers]]\nprovider = \"fake\"\nmodel = \"{model}\"\nbackoff = \"10ms\"\n\
         price = {{ input = \"1.00\", output = \"2.00\" }}\n"
    )
}

/// Writes a configuration with these tiers, whose provider speaks OpenAI's dialect.
pub fn write_config_with(folder: &Path, provider: &FakeProvider, tiers: &str) -> PathBuf {
    write_config_behind(folder, provider, Behind::OpenAi, tiers)
}

/// Writes a configuration with these tiers, whose provider speaks that dialect.
pub fn write_config_behind(folder: &Path, provider: &FakeProvider, behind: Behind, tiers: &str) -> PathBuf {
    let path = folder.join("mainstay.toml");
    let text = format!(
        "[server]\nlisten = \"127.0.0.1:0\"\n[log]\nurl = \"sqlite:{}\"\n[budget]\ndaily = \"5.00\"\n{}{tiers}",
        folder.join("log.db").display(),
        behind.section(provider),
    );
    std::fs::write(&path, text).unwrap();
    path
}

/// Runs `mainstay` with these arguments where no gateway runs: exit code, stdout, stderr.
pub fn mainstay(arguments: &[&str], folder: &Path) -> (i32, String, String) {
    mainstay_in(arguments, folder, &[("MAINSTAY_URL", NOBODY)], "")
}

/// The same with these variables and this standard input.
pub fn mainstay_in(
    arguments: &[&str],
    folder: &Path,
    variables: &[(&str, &str)],
    input: &str,
) -> (i32, String, String) {
    let mut command = command(folder);
    command.args(arguments).envs(variables.iter().copied());
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Whoever does not read it hangs up early.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    (
        output.status.code().unwrap_or(-1),
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

/// The Python of a virtual environment with these packages, made once and kept in the target folder.
/// `None`, said aloud, where packages cannot be had; with `MAINSTAY_REQUIRE_SDKS=1` that is a failure.
pub fn python_with(name: &str, packages: &[&str]) -> Option<PathBuf> {
    let folder = made_once(name, packages, |folder| {
        let python = folder.join("bin/python");
        run_quietly(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
        run_quietly(
            Command::new(python)
                .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
                .args(packages),
        )
    })?;
    Some(folder.join("bin/python"))
}

/// The folder of a Node project with these packages, made once and kept in the target folder; `None` as above.
pub fn node_with(name: &str, packages: &[&str]) -> Option<PathBuf> {
    made_once(name, packages, |folder| {
        std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        // Without a project of its own npm would look for one above.
        std::fs::write(folder.join("package.json"), "{\"private\": true}")
            .map_err(|error| error.to_string())?;
        run_quietly(
            Command::new("npm")
                .args(["install", "--no-audit", "--no-fund", "--silent"])
                .args(packages)
                .current_dir(folder),
        )
    })
}

/// A folder of that name, made with these packages unless it was before.
fn made_once(
    name: &str,
    packages: &[&str],
    make: impl FnOnce(&Path) -> Result<(), String>,
) -> Option<PathBuf> {
    // Tests of one file run at the same time, and the first one makes it for all.
    static MAKING: Mutex<()> = Mutex::new(());
    let _making = MAKING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let ready = folder.join("ready");
    if std::fs::read_to_string(&ready).is_ok_and(|made| made == packages.join("\n")) {
        return Some(folder);
    }
    match make(&folder) {
        Ok(()) => {
            std::fs::write(&ready, packages.join("\n")).unwrap();
            Some(folder)
        }
        Err(why) if std::env::var("MAINSTAY_REQUIRE_SDKS").is_ok_and(|value| value == "1") => {
            panic!("{packages:?} are required and cannot be installed: {why}")
        }
        Err(why) => {
            let first = why.lines().next().unwrap_or_default();
            // Past the test runner's capture: a skip must not look like a pass.
            let _ = std::io::Write::write_all(
                &mut std::io::stderr(),
                format!("skipped: {packages:?} cannot be installed here ({first})\n").as_bytes(),
            );
            None
        }
    }
}

fn run_quietly(command: &mut Command) -> Result<(), String> {
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Runs a Python script against a gateway.
pub fn run_script(python: &Path, script: &str, arguments: &[&str]) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/sdk").join(script);
    let output = Command::new(python)
        .arg(path)
        .args(arguments)
        .env_remove("http_proxy")
        .env_remove("https_proxy")
        .env_remove("all_proxy")
        .env("NO_PROXY", "*")
        .output()
        .unwrap();
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{script} failed:\n{}\n{}", said(&output.stdout), said(&output.stderr));
}

/// Models of the simulated provider for the SDKs: one that answers, and one for each way to fail.
pub const SDK_MODELS: [&str; 5] = ["good", "tool", "broken", "limited", "refusing"];
/// What the good one answers.
pub const RIVERS: &str = "The Douro, the Tagus and the Guadiana.";

/// A gateway for the SDKs: a chain for each of [`SDK_MODELS`], and `rescued`, whose first tier says nothing.
pub async fn for_sdks(folder: &Path, behind: Behind) -> (FakeProvider, Gateway) {
    use mainstay_testkit::{Fault, Reply, Said};

    let provider = FakeProvider::start().await.unwrap();
    provider
        .on("good", [Reply::text(RIVERS)])
        .on("empty", [Reply::Fault(Fault::Empty)])
        .on("tool", [Reply::Say(Said::call("get_weather", "{\"city\": \"Porto\"}"))])
        .on("broken", [Reply::Fault(Fault::Status(500))])
        // Longer than any request may take, so that nobody sits it out.
        .on("limited", [Reply::Fault(Fault::RateLimited(3600))])
        .on("refusing", [Reply::Fault(Fault::Refusal)]);
    let mut tiers = tier("rescued", "empty") + &tier("rescued", "good");
    for model in SDK_MODELS {
        tiers += &tier(model, model);
    }
    let gateway = Gateway::start(&write_config_behind(folder, &provider, behind, &tiers));
    (provider, gateway)
}

/// What an SDK would have retried by itself, had the gateway not told it that it need not (behaviour 11.1).
pub fn nothing_was_multiplied(provider: &FakeProvider) {
    assert_eq!(provider.calls("broken"), 2, "one request, the tier's own budget of two attempts");
    assert_eq!(provider.calls("limited"), 1);
    assert_eq!(provider.calls("refusing"), 1, "a refusal is never asked for twice");
}
