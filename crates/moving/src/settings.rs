//! The sections beside `model_list`: waits, retries, fallbacks, caps.

use serde_json::Value;

use crate::Note;
use crate::deployment::seconds;
use crate::plan::Plan;
use crate::theirs::{Section, clean};
use crate::write::quoted;

/// Which group follows which, and what else clients call them.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    /// A group's name (`*` for all) with those that follow it.
    pub(crate) fallbacks: Vec<(String, Vec<String>)>,
    /// Those that follow every group.
    pub(crate) default_fallbacks: Vec<String>,
    /// Another name with the group that it means.
    pub(crate) aliases: Vec<(String, String)>,
}

/// Reads all of them.
pub(crate) fn read(root: &mut Section, plan: &mut Plan, notes: &mut Vec<Note>) -> Settings {
    let mut settings = Settings::default();
    let mut router = root.section("router_settings");
    let mut litellm = root.section("litellm_settings");
    let mut general = root.section("general_settings");
    patience(&mut router, &mut litellm, plan);
    for section in [&mut router, &mut litellm] {
        fallbacks(section, &mut settings, notes);
    }
    if let Some(Value::Object(aliases)) = router.take("model_group_alias") {
        for (alias, target) in aliases {
            let target = match target {
                Value::String(target) => Some(target),
                Value::Object(mut members) => match members.remove("model") {
                    Some(Value::String(target)) => Some(target),
                    _ => None,
                },
                _ => None,
            };
            settings.aliases.extend(target.map(|target| (alias, target)));
        }
    }
    budget(&mut litellm, plan, notes);
    routing(&mut router, notes);
    library(&mut litellm, notes);
    server(&mut general, notes);
    environment(root, notes);
    for section in [router, litellm, general] {
        section.rest(notes, "has no counterpart here and was left out");
    }
    settings
}

/// Retries and waits; the router's own word comes first.
fn patience(router: &mut Section, litellm: &mut Section, plan: &mut Plan) {
    let retries = router.whole("num_retries").or_else(|| litellm.whole("num_retries"));
    plan.defaults.extend(retries.map(|n| format!("retry_budget = {}", n.min(9) + 1)));
    let timeout = router.number("timeout").or_else(|| litellm.number("request_timeout"));
    plan.defaults.extend(timeout.and_then(seconds).map(|wait| format!("answer_timeout = {wait}")));
    let stream = router.number("stream_timeout");
    plan.defaults.extend(stream.and_then(seconds).map(|wait| format!("first_byte_timeout = {wait}")));
    let cooldown = router.number("cooldown_time").or_else(|| litellm.number("cooldown_time"));
    plan.defaults.extend(cooldown.and_then(seconds).map(|wait| format!("cooldown = {wait}")));
    let fails = router.whole("allowed_fails").or_else(|| litellm.whole("allowed_fails"));
    plan.defaults.extend(fails.map(|n| format!("breaker_threshold = {}", n.min(99) + 1)));
    router.ignore(&["num_retries", "timeout", "cooldown_time", "allowed_fails"]);
    litellm.ignore(&["num_retries", "request_timeout", "cooldown_time", "allowed_fails"]);
}

fn fallbacks(section: &mut Section, settings: &mut Settings, notes: &mut Vec<Note>) {
    for name in ["fallbacks", "content_policy_fallbacks", "context_window_fallbacks"] {
        let Some(value) = section.take(name) else { continue };
        let read = pairs(value);
        if read.is_empty() {
            notes.push(Note { about: section.at(name), what: "names nobody and was left out".into() });
        } else if name != "fallbacks" {
            let what =
                "became tiers of the chain, asked after any failure and not after that kind alone".into();
            notes.push(Note { about: section.at(name), what });
        }
        settings.fallbacks.extend(read);
    }
    if let Some(value) = section.take("default_fallbacks") {
        settings.default_fallbacks.extend(names(value));
    }
}

/// `[{a: [b, c]}, …]`, or one map.
fn pairs(value: Value) -> Vec<(String, Vec<String>)> {
    match value {
        Value::Array(items) => items.into_iter().flat_map(pairs).collect(),
        Value::Object(members) => members.into_iter().map(|(name, next)| (name, names(next))).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

fn names(value: Value) -> Vec<String> {
    match value {
        Value::String(name) => vec![name],
        Value::Array(items) => items.into_iter().flat_map(names).collect(),
        // A fallback with parameters of its own: `{model: …}`.
        Value::Object(mut members) => members.remove("model").map(names).unwrap_or_default(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

fn budget(litellm: &mut Section, plan: &mut Plan, notes: &mut Vec<Note>) {
    let every = litellm.text("budget_duration");
    let Some(most) = litellm.number("max_budget") else { return };
    let dollars = quoted(format!("{most:.6}").trim_end_matches('0').trim_end_matches('.'));
    match every.as_deref() {
        Some("1d" | "24h" | "86400s") => plan.budget.push(format!("daily = {dollars}")),
        Some("30d" | "1mo") => {
            plan.budget.push(format!("monthly = {dollars}"));
            let what = "became a cap for the calendar month, in [budget] timezone".into();
            notes.push(Note { about: litellm.at("budget_duration"), what });
        }
        other => {
            plan.budget.push(format!("monthly = {dollars}"));
            let said = other.map_or_else(|| "for good".to_owned(), |text| format!("every {}", clean(text)));
            let what =
                format!("is a cap {said} there; here it became a cap a month, for want of such a window");
            notes.push(Note { about: litellm.at("max_budget"), what });
        }
    }
}

/// How deployments are chosen.
fn routing(router: &mut Section, notes: &mut Vec<Note>) {
    let strategy = router.text("routing_strategy");
    if let Some(strategy) = strategy {
        let what = format!(
            "{} spreads calls over deployments; here the first tier that can answer does, in the order of the file",
            clean(&strategy)
        );
        notes.push(Note { about: router.at("routing_strategy"), what });
    }
    router.remark(
        &["redis_host", "redis_port", "redis_password", "redis_url"],
        "is not needed: health is kept by each instance, caps in the log's store",
        notes,
    );
    router.remark(
        &["retry_policy", "model_group_retry_policy", "allowed_fails_policy"],
        "is decided by the kind of failure here; see docs/configuration.md",
        notes,
    );
    router.ignore(&[
        "routing_strategy_args",
        "enable_pre_call_checks",
        "set_verbose",
        "debug_level",
        "retry_after",
        "disable_cooldowns",
    ]);
}

fn library(litellm: &mut Section, notes: &mut Vec<Note>) {
    litellm.remark(
        &["callbacks", "success_callback", "failure_callback", "service_callbacks"],
        "has no counterpart: every call is in the log, see `mainstay calls` and GET /metrics",
        notes,
    );
    litellm.remark(&["cache", "cache_params"], "has no counterpart: answers are not cached", notes);
    litellm.remark(
        &["drop_params"],
        "is not needed: what a model cannot take is left out with a note in the log, or refused",
        notes,
    );
    litellm.ignore(&[
        "set_verbose",
        "json_logs",
        "telemetry",
        "modify_params",
        "turn_off_message_logging",
        "suppress_debug_info",
    ]);
}

fn server(general: &mut Section, notes: &mut Vec<Note>) {
    general.remark(
        &["master_key"],
        "was not copied; it is the admin token here: put a new one into MAINSTAY_ADMIN_TOKEN",
        notes,
    );
    general.remark(&["database_url"], "was not copied; the log is [log] url, a file by default", notes);
    general.remark(
        &["alerting", "alerting_threshold", "alert_types", "alert_to_webhook_url"],
        "became nothing; see [alerts] webhook_env",
        notes,
    );
    general.remark(
        &["max_parallel_requests", "global_max_parallel_requests"],
        "is a limit of a tier here: limits = { in_flight = … }",
        notes,
    );
    general.ignore(&[
        "store_model_in_db",
        "background_health_checks",
        "health_check_interval",
        "disable_spend_logs",
        "proxy_batch_write_at",
    ]);
}

fn environment(root: &mut Section, notes: &mut Vec<Note>) {
    let Some(Value::Object(members)) = root.take("environment_variables") else { return };
    let names: Vec<String> = members.keys().map(|name| clean(name)).collect();
    if !names.is_empty() {
        let what = format!("was not copied: set {} where the gateway starts", names.join(", "));
        notes.push(Note { about: "environment_variables".into(), what });
    }
}
