//! Which file is read, and reading it.

use std::io::Read;
use std::path::{Path, PathBuf};

use mainstay_canon::Moment;

use crate::address::StoreUrl;
use crate::config::Loaded;
use crate::problem::{Problem, Problems};
use crate::read::{LARGEST, load, too_large};

/// The file that is read when none is named.
const USUAL: &str = "mainstay.toml";
/// The variable that names one.
const VARIABLE: &str = "MAINSTAY_CONFIG";
/// Where the log lies when the file does not say.
const DEFAULT_LOG: &str = "sqlite:mainstay.db";

/// The file to read: the one that `--config` names, else the one that `MAINSTAY_CONFIG` names, else
/// `./mainstay.toml` where it exists.
///
/// # Errors
///
/// When a file was named and does not exist: nothing else is read in its place.
pub fn find_file(
    flag: Option<&Path>,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<PathBuf>, Problems> {
    let from_env = || env(VARIABLE).filter(|path| !path.trim().is_empty()).map(PathBuf::from);
    let (path, who) = match flag {
        Some(path) => (path.to_path_buf(), "--config"),
        None => match from_env() {
            Some(path) => (path, VARIABLE),
            None => return Ok(Some(PathBuf::from(USUAL)).filter(|path| path.is_file())),
        },
    };
    if path.is_file() {
        return Ok(Some(path));
    }
    let state = if path.is_dir() { "is a folder" } else { "does not exist" };
    let what = format!("the file that {who} names {state}");
    let fix = format!("correct {who}, or make the file with `mainstay init`");
    Err(Problems::one(Problem::of_file("missing_file", &path.display().to_string(), what, fix)))
}

/// Reads a configuration file.
///
/// # Errors
///
/// Everything that is wrong with it, at once; or why it cannot be read.
pub fn read_file(path: &Path, env: &dyn Fn(&str) -> Option<String>, now: Moment) -> Result<Loaded, Problems> {
    load(&read_text(path)?, &path.display().to_string(), env, now)
}

/// Where the call log of a configuration file lies, without asking for the keys that its tiers need: a log
/// can be read where no call could be made.
///
/// # Errors
///
/// When the file cannot be read or is no TOML, or `[log] url` is no address of a log.
pub fn log_url(path: &Path) -> Result<StoreUrl, Problems> {
    let name = path.display().to_string();
    let text = read_text(path)?;
    let wrong =
        |what: String| Problems::one(Problem::of_file("log_url", &name, what, "`mainstay check` says more"));
    let table: toml::Table =
        toml::from_str(&text).map_err(|why| wrong(format!("no TOML: {}", why.message())))?;
    let url = table.get("log").and_then(|log| log.get("url")).and_then(toml::Value::as_str);
    let beside = path.parent().unwrap_or(Path::new(""));
    StoreUrl::parse(url.unwrap_or(DEFAULT_LOG), beside)
        .ok_or_else(|| wrong("[log] url is no address of a log, such as \"sqlite:mainstay.db\"".into()))
}

fn read_text(path: &Path) -> Result<String, Problems> {
    let name = path.display().to_string();
    let unreadable =
        |what: String, fix: &str| Problems::one(Problem::of_file("unreadable_file", &name, what, fix));
    let mut bytes = Vec::new();
    let limit = u64::try_from(LARGEST).unwrap_or(u64::MAX).saturating_add(1);
    std::fs::File::open(path)
        .and_then(|file| file.take(limit).read_to_end(&mut bytes))
        .map_err(|why| unreadable(format!("cannot be read: {why}"), "correct the path or the rights"))?;
    if bytes.len() > LARGEST {
        return Err(Problems::one(too_large(&name)));
    }
    String::from_utf8(bytes).map_err(|why| {
        let valid = why.utf8_error().valid_up_to();
        let line = why.as_bytes().iter().take(valid).filter(|byte| **byte == b'\n').count() + 1;
        unreadable(format!("line {line} is not UTF-8"), "save it as UTF-8, or take the odd characters out")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_file_that_is_missing_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("m.toml");
        let shown = file.display().to_string();
        let problems = find_file(Some(&file), &|_| None).unwrap_err();
        assert_eq!(
            problems.to_string(),
            format!(
                "{shown}: the file that --config names does not exist\n    = correct --config, or make the file with `mainstay init`"
            )
        );
        let env = |name: &str| (name == "MAINSTAY_CONFIG").then(|| shown.clone());
        assert!(
            find_file(None, &env).unwrap_err().to_string().contains("the file that MAINSTAY_CONFIG names")
        );
        assert!(find_file(Some(folder.path()), &|_| None).unwrap_err().to_string().contains("is a folder"));
    }

    #[test]
    fn the_flag_comes_before_the_variable() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one.toml"), folder.path().join("two.toml"));
        std::fs::write(&one, "").unwrap();
        std::fs::write(&two, "").unwrap();
        let env = |_: &str| Some(two.display().to_string());
        assert_eq!(find_file(Some(&one), &env), Ok(Some(one.clone())));
        assert_eq!(find_file(None, &env), Ok(Some(two.clone())));
        // A blank variable names nothing; the tests' own folder has no such file.
        assert_eq!(find_file(None, &|_| Some("  ".to_owned())), Ok(None));
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("m.toml");
        assert!(
            read_file(&file, &|_| None, Moment::EPOCH).unwrap_err().to_string().contains("cannot be read")
        );
        std::fs::write(&file, b"a = 1\nb = \"\xff\"\n").unwrap();
        assert!(
            read_file(&file, &|_| None, Moment::EPOCH)
                .unwrap_err()
                .to_string()
                .contains("line 2 is not UTF-8")
        );
        std::fs::write(&file, vec![b'\n'; LARGEST + 1]).unwrap();
        assert!(
            read_file(&file, &|_| None, Moment::EPOCH).unwrap_err().to_string().contains("larger than 1 MB")
        );
    }
}
