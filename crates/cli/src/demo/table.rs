//! The demonstration's table, 80 columns wide.

use std::fmt::Write as _;

use owo_colors::OwoColorize;

use super::plain::Handed;
use super::scenes::Shown;

/// Width of everything that is shown.
const WIDTH: usize = 80;
/// Widths of the three columns; with two gaps of two they make [`WIDTH`].
const WIDTHS: (usize, usize, usize) = (22, 20, 34);

/// What stands above the rows.
pub(crate) fn heading() -> String {
    let (one, two, three) = WIDTHS;
    let mut text = String::new();
    let _ = writeln!(text, "{}", "Mainstay: what a caller is handed, without it and with it".bold());
    let _ = writeln!(text, "The providers are simulated on local sockets. Gateway, judge and log are real.");
    let _ = writeln!(text);
    let _ = writeln!(
        text,
        "{:<one$}  {:<two$}  {:<three$}",
        "the provider sends".dimmed(),
        "a plain client gets".dimmed(),
        "Mainstay hands over".dimmed()
    );
    let _ = write!(text, "{}", "─".repeat(WIDTH).dimmed());
    text
}

/// One scene, on as many lines as its longest cell needs.
pub(crate) fn row(shown: &Shown) -> String {
    let (one, two, three) = WIDTHS;
    let title = wrap(shown.scene.title, one);
    let plain = wrap(&plain_words(&shown.plain), two);
    let ours = wrap(&our_words(shown), three);
    let lines = title.len().max(plain.len()).max(ours.len());
    let cell = |cells: &[String], at: usize| cells.get(at).cloned().unwrap_or_default();
    let mut text = String::new();
    for at in 0..lines {
        let left = format!("{:<one$}", cell(&title, at));
        let middle = format!("{:<two$}", cell(&plain, at));
        let right = cell(&ours, at);
        if shown.as_promised {
            let _ = writeln!(text, "{left}  {}  {}", middle.red(), right.green());
        } else {
            let _ = writeln!(text, "{left}  {}  {}", middle.red(), right.yellow());
        }
    }
    text
}

fn plain_words(handed: &Handed) -> String {
    match (&handed.broken, handed.status) {
        (Some(broken), Some(200)) => format!("200 OK, then {broken}"),
        (Some(broken), Some(status)) => format!("{status}: {broken}"),
        (Some(broken), None) => broken.clone(),
        (None, _) => format!("200 OK, \"{}\"", handed.text),
    }
}

fn our_words(shown: &Shown) -> String {
    let handed = &shown.ours;
    if let Some(broken) = &handed.broken {
        return format!("{} {broken}", handed.status.unwrap_or_default());
    }
    let attempts = handed.attempts.as_deref().unwrap_or("?");
    format!("\"{}\"  call {attempts}, {}", handed.text, took(handed.took_ms))
}

fn took(ms: u128) -> String {
    if ms < 1000 { format!("{ms} ms") } else { format!("{}.{} s", ms / 1000, ms % 1000 / 100) }
}

/// What stands below the rows: the sum, one story, what to type next.
pub(crate) fn closing(shown: &[Shown], story: &str, stays: Option<&Stays>) -> String {
    let answered = shown.iter().filter(|one| one.as_promised).count();
    let taken = shown.iter().filter(|one| one.plain.broken.is_none()).count();
    let mut text = String::new();
    let _ = writeln!(
        text,
        "\nThe plain client took {taken} useless answers for good and failed {} times.",
        shown.len() - taken
    );
    let _ = writeln!(text, "Through Mainstay {answered} of {} requests got a real answer.\n", shown.len());
    let _ = writeln!(text, "{}", "The story of the first one, as `mainstay why` tells it:".dimmed());
    for line in story.trim_end().lines() {
        // The lines of the attempts are columns, and short enough.
        let lines = if line.starts_with(' ') { vec![line.to_owned()] } else { wrap(line, WIDTH) };
        for line in lines {
            let _ = writeln!(text, "{line}");
        }
    }
    let _ = writeln!(text);
    let next = "OPENAI_API_KEY=... mainstay serve";
    let Some(stays) = stays else {
        let _ = write!(text, "Next, with a key of your own:  {}", next.bold());
        return text;
    };
    let Stays { base_url, dashboard } = stays;
    if let Some(link) = dashboard {
        let _ = writeln!(text, "The dashboard, a link for one use:\n  {link}");
    }
    let _ = writeln!(text, "The gateway stays up at {}. Try it:", base_url.bold());
    let _ = writeln!(
        text,
        "  curl -s {base_url}/chat/completions -H 'content-type: application/json' \\\n    -d '{{\"model\": \"empty\", \"messages\": [{{\"role\": \"user\", \"content\": \"Hi\"}}]}}'"
    );
    let _ = write!(text, "Ctrl-C ends it. Next, with a key of your own:\n  {}", next.bold());
    text
}

/// What stays up after the table.
pub(crate) struct Stays {
    pub(crate) base_url: String,
    pub(crate) dashboard: Option<String>,
}

/// Breaks a text at spaces into lines of at most `width` characters.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let length = line.chars().count() + usize::from(!line.is_empty()) + word.chars().count();
        if length > width && !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::{took, wrap};

    #[test]
    fn a_time_is_told_in_its_own_unit() {
        for (ms, words) in
            [(7, "7 ms"), (999, "999 ms"), (1000, "1.0 s"), (2050, "2.0 s"), (12_345, "12.3 s")]
        {
            assert_eq!(took(ms), words);
        }
    }

    #[test]
    fn lines_break_at_spaces() {
        assert_eq!(wrap("a plain client gets this", 10), ["a plain", "client", "gets this"]);
        assert_eq!(wrap("", 10), [""]);
    }
}
