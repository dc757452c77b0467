//! The configuration file: every mistake with its place, and no secret in anything that is shown.

use mainstay_canon::Moment;
use mainstay_config::{Loaded, Problems, load};

use crate::cut::text;

/// 30 November 2026.
const NOW: Moment = Moment::from_secs(1_795_996_800);

/// What every variable holds: nothing that is shown may repeat it.
const SECRET: &str = "sk-test-4f9a8b7c6d5e4f3a2b1c";

/// A file as people type it.
pub fn config(data: &[u8]) {
    let Some(text) = text(data) else { return };
    check(text);
}

/// One quantity, wherever a file takes one: a duration, a size, a count, a share, an amount, an address.
pub fn quantity(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let Ok(typed) = serde_json::to_string(text) else { return };
    // JSON's escapes are TOML's, but for these.
    let typed = typed.replace("\\/", "/").replace('\u{7f}', "\\u007f");
    check(&format!(
        "[server]\nlisten = {typed}\nmax_body = {typed}\ndrain_timeout = {typed}\n\
         [log]\nurl = {typed}\nretention = {typed}\ndrift_false_alarms = {typed}\n\
         [budget]\ndaily = {typed}\nwarn_at = {typed}\ntimezone = {typed}\n\
         [defaults]\ncooldown = {typed}\ndeadline = {typed}\n\
         [providers.own]\ndialect = \"openai-chat\"\nbase_url = {typed}\nproxy = {typed}\n\
         [chains]\ndefault = [{typed}, \"openai/gpt-6-luna\"]\n\
         [[chains.own.tiers]]\nprovider = \"own\"\nmodel = {typed}\nlimits = {{ tpm = {typed} }}\n\
         price = {{ input = {typed}, output = {typed} }}\n"
    ));
}

fn check(text: &str) {
    // A file may name other files; what this machine has of them is nobody's business here.
    if ["/dev", "/proc", "/sys", "/run", "~"].iter().any(|place| text.contains(place)) {
        return;
    }
    let result = read(text);
    let shown = shown(&result);
    assert!(text.contains(SECRET) || !shown.contains(SECRET), "a secret is shown: {shown}");
    assert_eq!(self::shown(&read(text)), shown, "the same file is read the same");
    if let Err(problems) = &result {
        assert!(problems.errors().next().is_some(), "a file is refused for a reason");
        assert!(problems.problems.len() <= 201, "{} problems", problems.problems.len());
        let lines = text.split('\n').count();
        for problem in &problems.problems {
            assert!(problem.line.is_none_or(|line| (1..=lines.max(1)).contains(&line)), "{problem:?}");
            assert!(problem.to_string().len() <= 8192, "{problem}");
        }
    }
}

fn read(text: &str) -> Result<Loaded, Problems> {
    load(text, "nowhere/at/all/mainstay.toml", &|_| Some(SECRET.to_owned()), NOW)
}

/// Everything that anybody could print of a result.
fn shown(result: &Result<Loaded, Problems>) -> String {
    match result {
        Ok(loaded) => {
            let warnings: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
            let config = &loaded.config;
            // Not the catalogue, which holds every model there is.
            format!("{:?}{:?}{:?}{}", config.server, config.log, config.providers, warnings.concat())
        }
        Err(problems) => format!("{problems:?}{problems}{}", problems.to_json()),
    }
}
