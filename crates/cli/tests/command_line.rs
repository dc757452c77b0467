//! What people type, and what they are told.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "the helpers of a test are a test"
)]

mod common;

use std::path::Path;

use common::{mainstay, mainstay_in};

const COMMANDS: [&str; 12] =
    ["demo", "init", "check", "serve", "chat", "calls", "why", "spend", "tiers", "judge", "prices", "sql"];

#[test]
fn the_demonstration_shows_every_fault_answered() {
    let folder = tempfile::tempdir().unwrap();
    let began = std::time::Instant::now();
    let (code, shown, said) = mainstay(&["demo", "--once"], folder.path());
    assert_eq!(code, 0, "{shown}\n{said}");
    assert!(began.elapsed().as_secs() < 10, "it took {:?}", began.elapsed());
    for part in [
        "simulated",
        "an empty answer",
        "choices",
        "refusal",
        "429",
        "500",
        "cut",
        "8 of 8",
        "Answered on attempt",
    ] {
        assert!(shown.contains(part), "{part} is missing in:\n{shown}");
    }
    assert!(shown.trim_end().lines().last().unwrap().contains("mainstay serve"), "no next command:\n{shown}");
    let widest = shown.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    assert!(widest <= 80, "{widest} columns:\n{shown}");
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none(), "it left something behind");
}

#[test]
fn the_demonstration_speaks_json() {
    let folder = tempfile::tempdir().unwrap();
    let (code, shown, _) = mainstay(&["demo", "--once", "--json"], folder.path());
    assert_eq!(code, 0);
    assert_eq!(shown.lines().count(), 8);
    for line in shown.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!((&row["simulated"], &row["as_promised"]), (&true.into(), &true.into()), "{line}");
    }
}

#[test]
fn serve_without_a_key_says_what_it_looked_for_and_shows_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["serve", "init", "chat"] {
        let (code, _, said) = mainstay_in(&[command], folder.path(), &[], "Hello");
        assert_eq!(code, 2, "{command}: {said}");
        for part in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "mainstay demo"] {
            assert!(said.contains(part), "{command}: {part} is missing in {said}");
        }
    }
}

#[test]
fn serve_that_needs_a_file_does_not_make_do_with_a_key() {
    let folder = tempfile::tempdir().unwrap();
    let key = [("OPENAI_API_KEY", "sk-a-key-for-tests")];
    let (code, _, said) = mainstay_in(&["serve", "--require-config"], folder.path(), &key, "");
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("mainstay.toml") && said.contains("--config"), "{said}");
}

#[test]
fn a_named_file_that_is_missing_is_an_error_for_every_command() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        &["check"][..],
        &["serve"],
        &["chat", "Hi"],
        &["calls"],
        &["why", "last"],
        &["spend"],
        &["tiers"],
        &["prices"],
        &["sql", "SELECT 1"],
    ] {
        let mut all = arguments.to_vec();
        all.extend(["--config", "nowhere.toml"]);
        let (code, shown, said) = mainstay(&all, folder.path());
        assert_eq!((code, shown.as_str()), (2, ""), "{arguments:?}: {said}");
        assert!(said.contains("nowhere.toml") && said.contains("--config"), "{arguments:?}: {said}");
    }
}

#[test]
fn every_command_has_help_with_an_example() {
    for command in COMMANDS {
        let (code, shown, _) = mainstay(&[command, "--help"], Path::new("/"));
        assert_eq!(code, 0);
        assert!(shown.contains("Example"), "{command}: {shown}");
        assert!(shown.contains(&format!("mainstay {command}")), "{command}: {shown}");
        assert!(shown.contains("--json") && shown.contains("--config"), "{command}: {shown}");
    }
    let (_, shown, _) = mainstay(&["--help"], Path::new("/"));
    for command in COMMANDS {
        assert!(shown.lines().any(|line| line.trim_start().starts_with(command)), "{command} is not listed");
    }
}

#[test]
fn what_is_typed_wrongly_is_exit_code_2_with_a_way_out() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, part) in [
        (&["cals"][..], "calls"),
        (&["calls", "--quality", "bad"], "suspiciously_short"),
        (&["calls", "--since", "soonish"], "soonish"),
        (&["spend", "--by", "colour"], "session"),
        (&["tiers", "static", "maybe"], "auto"),
        (&["tiers", "disable", "luna"], "provider/model"),
        (&["tiers", "disable", "openai/gpt-6-luna", "--for", "soon"], "30m"),
        (&["tiers", "--url", "127.0.0.1:7171"], "http://"),
        (&["chat"], "no question"),
    ] {
        let (code, _, said) = mainstay(arguments, folder.path());
        assert_eq!(code, 2, "{arguments:?}: {said}");
        assert!(said.contains(part), "{arguments:?}: {part} is missing in {said}");
    }
}

#[test]
fn without_a_log_the_commands_that_read_it_say_how_to_begin_one() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["calls"][..], &["why", "last"], &["spend"], &["sql", "SELECT 1"]] {
        let (code, _, said) = mainstay(arguments, folder.path());
        assert_eq!(code, 1, "{arguments:?}: {said}");
        assert!(said.contains("mainstay.db") && said.contains("mainstay serve"), "{arguments:?}: {said}");
    }
}

#[test]
fn prices_show_rates_dates_sources_and_ends() {
    let folder = tempfile::tempdir().unwrap();
    let (code, shown, said) = mainstay(&["prices", "openai/gpt-6-luna"], folder.path());
    assert_eq!(code, 0, "{said}");
    for part in ["model\topenai/gpt-6-luna", "$0.10 in, $0.50 out", "as of\t2026-11", "source\t"] {
        assert!(shown.contains(part), "{part} is missing in:\n{shown}");
    }
    let (code, shown, said) = mainstay(&["prices", "anthropic", "sonnet"], folder.path());
    assert_eq!(code, 0);
    assert!(shown.lines().all(|line| line.split('\t').count() == 8), "{shown}");
    assert!(shown.contains("retired"), "{shown}");
    assert!(said.contains("2026-11-30") && said.contains("sources"), "{said}");
    let (_, shown, _) = mainstay(&["prices", "--json", "openai/gpt-6-luna"], folder.path());
    let row: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(
        (&row["model"], &row["usd_per_million"]["input"]),
        (&"openai/gpt-6-luna".into(), &"0.10".into())
    );
}

#[test]
fn the_whole_list_of_prices_leaves_out_what_cannot_be_bought() {
    let folder = tempfile::tempdir().unwrap();
    let (code, shown, _) = mainstay(&["prices"], folder.path());
    assert_eq!(code, 0);
    assert!(shown.lines().count() > 100 && !shown.contains("retired"), "{} lines", shown.lines().count());
    let (_, all, _) = mainstay(&["prices", "--all"], folder.path());
    assert!(all.lines().count() > 2_000 && all.contains("retired"));
}

#[test]
fn a_model_that_nobody_knows_brings_near_names() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, said) = mainstay(&["prices", "openai/gpt-6-lunar"], folder.path());
    assert_eq!(code, 1);
    assert!(said.contains("openai/gpt-6-luna"), "{said}");
    let (code, _, said) = mainstay(&["prices", "no-such-thing-anywhere"], folder.path());
    assert_eq!(code, 1);
    assert!(said.contains("no-such-thing-anywhere"), "{said}");
}

#[test]
fn init_writes_names_only_and_never_over_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let keys = [("OPENAI_API_KEY", "sk-4f9a8b7c6d5e4f3a"), ("DEEPSEEK_API_KEY", "sk-0123456789abcdef")];
    let init = |arguments: &[&str]| mainstay_in(arguments, folder.path(), &keys, "");
    let (code, printed, _) = init(&["init", "--stdout"]);
    assert_eq!(code, 0);
    assert!(!folder.path().join("mainstay.toml").exists());
    let (code, shown, said) = init(&["init"]);
    assert_eq!(code, 0, "{said}");
    for part in [
        "mainstay.toml",
        "OPENAI_API_KEY",
        "DEEPSEEK_API_KEY",
        "chain default",
        "per million",
        "mainstay serve",
    ] {
        assert!(shown.contains(part), "{part} is missing in:\n{shown}");
    }
    let written = std::fs::read_to_string(folder.path().join("mainstay.toml")).unwrap();
    assert_eq!(written, printed);
    assert!(
        !written.contains("4f9a8b7c6d5e4f3a") && !shown.contains("4f9a8b7c6d5e4f3a"),
        "a key was written"
    );
    let (code, _, said) = init(&["check"]);
    assert_eq!(code, 0, "what init writes is not valid: {said}");
    std::fs::write(folder.path().join("mainstay.toml"), "# mine\n").unwrap();
    let (code, _, said) = init(&["init"]);
    assert_eq!(code, 2);
    assert!(said.contains("exists") && said.contains("--force"), "{said}");
    assert_eq!(std::fs::read_to_string(folder.path().join("mainstay.toml")).unwrap(), "# mine\n");
    assert_eq!(init(&["init", "--force"]).0, 0);
    assert_eq!(std::fs::read_to_string(folder.path().join("mainstay.toml")).unwrap(), printed);
    let (code, shown, _) = init(&["init", "--json", "--config", "other.toml"]);
    assert_eq!(code, 0);
    let told: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!((&told["file"], &told["chains"][0]["chain"]), (&"other.toml".into(), &"default".into()));
}

const LITELLM: &str = "model_list:
  - {model_name: fast, litellm_params: {model: openai/gpt-6-luna, api_key: os.environ/OPENAI_API_KEY}}
  - {model_name: smart, litellm_params: {model: anthropic/claude-sonnet-5-5, api_key: sk-ant-planted-0123456789}}
router_settings: {routing_strategy: least-busy, fallbacks: [{fast: [smart]}]}
";

#[test]
fn who_moves_in_gets_a_file_that_loads_and_is_told_what_differs() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("litellm.yaml"), LITELLM).unwrap();
    let (code, shown, said) = mainstay(&["init", "--from", "litellm.yaml"], folder.path());
    assert_eq!(code, 0, "{shown}\n{said}");
    for part in [
        "wrote",
        "least-busy",
        "ANTHROPIC_API_KEY is not set yet",
        "anthropic/claude-sonnet-5-5",
        "next: mainstay check",
    ] {
        assert!(shown.contains(part), "{part} is missing in:\n{shown}");
    }
    let written = std::fs::read_to_string(folder.path().join("mainstay.toml")).unwrap();
    assert!(!written.contains("planted") && !shown.contains("planted") && !said.contains("planted"));
    let (code, _, said) = mainstay(&["init", "--from", "litellm.yaml"], folder.path());
    assert_eq!(code, 2, "a file that is there is left as it is");
    assert!(said.contains("--force"), "{said}");
    let (code, shown, _) = mainstay(&["init", "--from", "litellm.yaml", "--force", "--json"], folder.path());
    assert_eq!(code, 0);
    let told: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(told["variables"][0], "OPENAI_API_KEY");
    let (code, _, said) = mainstay(&["init", "--from", "absent.yaml", "--stdout"], folder.path());
    assert_eq!(code, 2);
    assert!(said.contains("absent.yaml"), "{said}");
}

const ANSWERS: &str = r#"{"id":"a","prompt":"Hi","response":".","expected":"empty"}
{"id":"b","prompt":"Write a poem","response":"I'm sorry, but I can't help with that.","finish_reason":"stop","expected":"refusal","lang":"en","source":"own/x"}
{"id":"c","prompt":"2+2?","response":"4","expected":"ok","lang":"en","source":"own/x"}
{"id":"r","choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"stop"}]}
{"id":"e","error":{"message":"too many","type":"rate_limit_error","code":"rate_limit_exceeded"}}
"#;

#[test]
fn answers_and_raw_replies_are_judged_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("answers.jsonl"), ANSWERS).unwrap();
    let (code, shown, said) = mainstay(&["judge", "answers.jsonl"], folder.path());
    assert_eq!(code, 0, "{shown}\n{said}");
    let quality: Vec<&str> = shown.lines().map(|line| line.split('\t').nth(1).unwrap()).collect();
    assert_eq!(quality, ["empty", "refusal", "ok", "empty", "error"], "{shown}");
    assert!(said.contains("2 empty") && said.contains("1 refusal"), "{said}");
    let (code, shown, _) = mainstay(&["judge", "answers.jsonl", "--json"], folder.path());
    assert_eq!(code, 0);
    let row: serde_json::Value = serde_json::from_str(shown.lines().nth(1).unwrap()).unwrap();
    assert_eq!(
        (&row["id"], &row["quality"], &row["failure"]),
        (&"b".into(), &"refusal".into(), &true.into())
    );
    assert!(row["score"].is_number() && row["rule"].is_string(), "{row}");
}

#[test]
fn labelled_answers_are_scored_and_bad_lines_are_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("answers.jsonl"), format!("{ANSWERS}nonsense\n")).unwrap();
    let (code, shown, said) = mainstay(&["judge", "answers.jsonl", "--score", "--json"], folder.path());
    assert_eq!(code, 1, "a line that cannot be read is a failure in the end");
    assert!(said.contains("line 6: not JSON"), "{said}");
    let table: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!((&table["refusal"]["f1"], &table["classes"]["empty"]["right"]), (&1.0.into(), &1.into()));
    std::fs::write(folder.path().join("plain.jsonl"), "{\"response\":\"Yes.\"}\n").unwrap();
    assert_eq!(mainstay(&["judge", "plain.jsonl", "--score"], folder.path()).0, 2, "nothing is labelled");
    assert_eq!(mainstay(&["judge", "absent.jsonl"], folder.path()).0, 2);
}

#[test]
fn a_pattern_can_be_tried_before_it_is_configured() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.jsonl"), "{\"response\":\"Ask the office in Porto about it.\"}\n")
        .unwrap();
    let quality = |arguments: &[&str]| mainstay(&[&["judge", "a.jsonl"], arguments].concat(), folder.path());
    assert!(quality(&[]).1.contains("\tok\t"));
    assert!(quality(&["--pattern", "(?i)ask the office"]).1.contains("\trefusal\t"));
    assert_eq!(quality(&["--pattern", "("]).0, 2);
    std::fs::write(
        folder.path().join("mainstay.toml"),
        "[chains]\ndefault = [\"openai/gpt-6-luna\"]\n[quality]\naction = \"observe\"\nrefusal_patterns = [\"(?i)the office\"]\n",
    )
    .unwrap();
    assert!(quality(&[]).1.contains("\trefusal\t"), "the configuration's own patterns count");
}
