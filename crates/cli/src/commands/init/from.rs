//! `mainstay init --from litellm.yaml`: what another gateway did, and what differs.

use std::io::Read as _;
use std::path::Path;

use mainstay_config::Loaded;
use mainstay_moving::{LARGEST_FILE, Moved, from_litellm};
use owo_colors::OwoColorize;
use serde_json::json;

use super::write;
use crate::args::{Global, InitArgs};
use crate::exit::Exit;
use crate::{chains, out, settings};

/// Reads their file, writes ours, and says what differs and what is still to be done.
pub(super) fn run(theirs: &Path, path: &Path, args: &InitArgs, global: &Global) -> Result<(), Exit> {
    let moved = from_litellm(&read(theirs)?, &settings::variable)
        .map_err(|error| Exit::usage(format!("{}: {error}", theirs.display())))?;
    if args.stdout {
        out::piece(&moved.toml_text)?;
        return Ok(());
    }
    write(path, &moved.toml_text, args.force)?;
    // What it wrote must load: a mistake is shown with its line, like any other.
    let loaded = settings::load_with_stand_ins(&moved.toml_text, path);
    if global.json {
        return tell_scripts(path, &moved, loaded.as_ref().ok());
    }
    out::line(format!("wrote {}", path.display().bold()))?;
    for note in &moved.notes {
        out::line(format!("{} {}: {}", "differs".yellow(), note.about, note.what))?;
    }
    for name in &moved.variables {
        let state = if settings::variable(name).is_some() { "is set" } else { "is not set yet" };
        out::line(format!("key: {name} {state}"))?;
    }
    match loaded {
        Ok(loaded) => chains::lines(&loaded.config).into_iter().try_for_each(out::line)?,
        Err(problems) => {
            anstream::eprintln!("{}", problems.to_string().trim_end());
            return out::line("next: correct that, then mainstay check");
        }
    }
    out::line("next: mainstay check, then mainstay serve")
}

fn tell_scripts(path: &Path, moved: &Moved, loaded: Option<&Loaded>) -> Result<(), Exit> {
    let notes: Vec<_> =
        moved.notes.iter().map(|note| json!({"about": note.about, "what": note.what})).collect();
    out::json(&json!({
        "file": path.display().to_string(),
        "variables": moved.variables,
        "notes": notes,
        "chains": loaded.map(|loaded| chains::to_json(&loaded.config)),
    }))
}

/// Their file, never more of it than is read anyway.
fn read(path: &Path) -> Result<String, Exit> {
    let unreadable =
        |error: std::io::Error| Exit::usage(format!("{} cannot be read: {error}", path.display()));
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut text = String::new();
    file.take(LARGEST_FILE as u64 + 1).read_to_string(&mut text).map_err(unreadable)?;
    Ok(text)
}
