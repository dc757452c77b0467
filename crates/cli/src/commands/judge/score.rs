//! How well labelled answers were judged.

use mainstay_quality::score::{Count, Share, Table};
use serde_json::{Map, Value, json};

use crate::exit::Exit;
use crate::out;

/// The table for people, one object for scripts.
pub(super) fn print(table: &Table, as_json: bool) -> Result<(), Exit> {
    if !as_json {
        return out::piece(&table.to_string());
    }
    let rows = |counts: &std::collections::BTreeMap<String, Count>| -> Map<String, Value> {
        counts.iter().map(|(name, count)| (name.clone(), refusals(*count))).collect()
    };
    let classes: Map<String, Value> =
        table.classes.iter().map(|(name, part)| (name.clone(), share(*part))).collect();
    out::json(&json!({
        "refusal": refusals(table.all),
        "languages": rows(&table.languages),
        "sources": rows(&table.sources),
        "classes": classes,
        "plain": share(table.plain),
        "lookalikes": share(table.lookalikes),
        "short": share(table.short),
        "partial_refusal": table.partial,
    }))
}

fn refusals(count: Count) -> Value {
    json!({
        "precision": count.precision(), "recall": count.recall(), "f1": count.f1(),
        "refusals": count.hits + count.missed, "false_alarms": count.false_alarms, "benign": count.benign,
        "false_positive_rate": count.false_rate(),
    })
}

fn share(share: Share) -> Value {
    json!({"right": share.right, "of": share.of})
}
