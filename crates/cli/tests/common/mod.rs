//! A gateway process of its own, in front of a simulated provider.

// Each test file uses a part of it.
#![allow(dead_code, unreachable_pub)]

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use mainstay_testkit::FakeProvider;

/// The longest that a gateway may take to say where it listens.
const START_LIMIT: Duration = Duration::from_secs(20);

/// A running `mainstay serve`.
pub struct Gateway {
    pub child: Child,
    pub base_url: String,
}

impl Gateway {
    /// Starts one on a free port with that configuration.
    pub fn start(config: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_mainstay"))
            .args(["serve", "--config"])
            .arg(config)
            .env_remove("MAINSTAY_CONFIG")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let mut said = String::new();
            for line in stderr.lines().map_while(Result::ok) {
                if let Some(address) = line.strip_prefix("listening on ") {
                    let _ = sender.send(Ok(address.trim_end_matches("; in a client:").to_owned()));
                }
                said.push_str(&line);
                said.push('\n');
            }
            let _ = sender.send(Err(said));
        });
        let address = receiver.recv_timeout(START_LIMIT).unwrap().unwrap_or_else(|said| panic!("{said}"));
        Self { child, base_url: address }
    }

    /// `kill -9`.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
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

/// Writes a configuration with these tiers.
pub fn write_config_with(folder: &Path, provider: &FakeProvider, tiers: &str) -> PathBuf {
    let path = folder.join("mainstay.toml");
    let text = format!(
        "[server]\nlisten = \"127.0.0.1:0\"\n[log]\nurl = \"sqlite:{}\"\n[budget]\ndaily = \"5.00\"\n\
         [providers.fake]\ndialect = \"openai-chat\"\nbase_url = \"{}\"\nauth = \"none\"\n{tiers}",
        folder.join("log.db").display(),
        provider.base_url(),
    );
    std::fs::write(&path, text).unwrap();
    path
}

/// Runs `mainstay` with these arguments: exit code, stdout, stderr.
pub fn mainstay(arguments: &[&str], folder: &Path) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_mainstay"))
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (
        output.status.code().unwrap_or(-1),
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

/// The Python of a virtual environment with these packages, made once and kept in the target folder.
/// `None`, said aloud, where packages cannot be had; with `MAINSTAY_REQUIRE_SDKS=1` that is a failure.
pub fn python_with(name: &str, packages: &[&str]) -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let python = folder.join("bin/python");
    let ready = folder.join("ready");
    if ready.exists() {
        return Some(python);
    }
    let run = |program: &Path, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output();
        match output {
            Ok(output) if output.status.success() => Ok(()),
            Ok(output) => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
            Err(error) => Err(error.to_string()),
        }
    };
    let made = run(Path::new("python3"), &["-m", "venv", &folder.to_string_lossy()]).and_then(|()| {
        let mut arguments = vec!["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        arguments.extend(packages);
        run(&python, &arguments)
    });
    match made {
        Ok(()) => {
            std::fs::write(&ready, packages.join("\n")).unwrap();
            Some(python)
        }
        Err(why) if std::env::var("MAINSTAY_REQUIRE_SDKS").is_ok_and(|value| value == "1") => {
            panic!("{packages:?} are required and cannot be installed: {why}")
        }
        Err(why) => {
            let first = why.lines().next().unwrap_or_default();
            eprintln!("skipped: {packages:?} cannot be installed here ({first})");
            None
        }
    }
}

/// Runs a Python script against a gateway.
pub fn run_script(python: &Path, script: &str, arguments: &[&str]) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/sdk").join(script);
    let mut child = Command::new(python)
        .arg(path)
        .args(arguments)
        .env_remove("http_proxy")
        .env_remove("https_proxy")
        .env_remove("all_proxy")
        .env("NO_PROXY", "*")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = String::new();
    let mut stdout = String::new();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert!(child.wait().unwrap().success(), "{script} failed:\n{stdout}\n{stderr}");
}
