//! Runs a client's script and reads what the client showed.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::{Client, Face, Runtime};
use crate::common::{node_with, python_with};
use crate::setting::{Setting, Way};

/// The last thing that every script tries.
pub const CANCELLED: &str = "cancelled";
/// What a script says when it has tried everything; it waits to be let go.
const END: &str = "end";
/// How soon a provider must notice that nobody listens any more (behaviour 7.5), with room for a busy machine.
const SOON: Duration = Duration::from_secs(3);
/// The longest that a script may take.
const LIMIT: Duration = Duration::from_mins(3);

/// What a client showed its user, cell by cell.
pub type Shown = BTreeMap<String, String>;

/// The program that runs a client's scripts and the folder they lie in; `None` where it cannot be installed.
pub fn installed(client: &Client) -> Option<(PathBuf, PathBuf)> {
    let scripts = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/sdk/clients");
    match client.runtime {
        Runtime::Python => Some((python_with(client.folder, client.packages)?, scripts)),
        Runtime::Node => {
            let folder = node_with(client.folder, client.packages)?;
            copy(&scripts, &folder);
            Some((PathBuf::from("node"), folder))
        }
    }
}

/// Puts the scripts for Node where their packages are: it looks for them beside the script.
fn copy(scripts: &Path, folder: &Path) {
    // Another one may be reading them.
    static COPYING: Mutex<()> = Mutex::new(());
    let _copying = COPYING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for entry in std::fs::read_dir(scripts).unwrap().map(Result::unwrap) {
        let to = folder.join(entry.file_name());
        let text = std::fs::read(entry.path()).unwrap();
        let is_there = std::fs::read(&to).is_ok_and(|there| there == text);
        if to.extension().is_some_and(|extension| extension == "mjs") && !is_there {
            std::fs::write(to, text).unwrap();
        }
    }
}

/// A script of a client, not yet started.
pub fn command(program: &Path, folder: &Path, script: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.arg(folder.join(script)).args(arguments);
    for proxy in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        command.env_remove(proxy);
    }
    command
        .env("NO_PROXY", "*")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PYTHONWARNINGS", "ignore")
        .env("NODE_NO_WARNINGS", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Kills what runs too long.
struct Bounded(Child);

impl Drop for Bounded {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs a client that way; what it showed, and what the provider saw of the stream that it left.
pub fn run(client: &Client, face: Face, way: Way, setting: &Setting) -> Option<Shown> {
    shown(client, client.script, &[&setting.origin(), face.word()], |cell, shown| {
        if cell == CANCELLED && way != Way::Directly {
            notice_that_nobody_listens(setting, shown);
        }
    })
}

/// Runs a script of a client; what it showed. It lives until `seen` has been told of its last cell.
pub fn shown(
    client: &Client,
    script: &str,
    arguments: &[&str],
    seen: impl Fn(&str, &mut Shown),
) -> Option<Shown> {
    let (program, folder) = installed(client)?;
    let mut child = Bounded(command(&program, &folder, script, arguments).spawn().unwrap());
    let stdout = child.0.stdout.take().unwrap();
    let mut stderr = child.0.stderr.take().unwrap();
    let errors = std::thread::spawn(move || {
        let mut text = String::new();
        let _ = stderr.read_to_string(&mut text);
        text
    });
    let watch = Watch::on(child.0.id());
    let mut shown = Shown::new();
    for line in BufReader::new(stdout).lines().map_while(Result::ok) {
        let Ok(cell) = serde_json::from_str::<Value>(&line) else { continue };
        let (Some(name), Some(what)) = (cell["cell"].as_str(), cell["shown"].as_str()) else { continue };
        if name == END {
            drop(child.0.stdin.take());
            continue;
        }
        shown.insert(name.to_owned(), what.to_owned());
        seen(name, &mut shown);
    }
    let status = child.0.wait().unwrap();
    watch.over();
    let errors = errors.join().unwrap();
    assert!(status.success(), "{script} {arguments:?} failed: {errors}");
    Some(shown)
}

fn notice_that_nobody_listens(setting: &Setting, shown: &mut Shown) {
    if setting.endless.calls("endless") == 0 {
        return;
    }
    let until = Instant::now() + SOON;
    while setting.endless.open_connections() > 0 {
        if Instant::now() > until {
            shown.insert(CANCELLED.into(), "the provider goes on talking to nobody".into());
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Ends a process that does not end by itself.
struct Watch(std::sync::mpsc::Sender<()>);

impl Watch {
    fn on(id: u32) -> Self {
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        std::thread::spawn(move || {
            if receiver.recv_timeout(LIMIT) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                let _ = Command::new("kill").arg(id.to_string()).status();
            }
        });
        Self(sender)
    }

    fn over(self) {
        let _ = self.0.send(());
    }
}
