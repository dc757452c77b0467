//! The bundled catalogue against the facts it was made from.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "the helpers of a test are a test")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use mainstay_canon::{Nanodollars, Usage};
use mainstay_cost::{Catalogue, Purpose};
use serde_json::Value;

/// The file of facts, or a line that says why the test did nothing.
fn facts() -> Option<Value> {
    let shared = std::env::var_os("MAINSTAY_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    match std::fs::read_to_string(shared.join("facts/prices.json")) {
        Ok(text) => Some(serde_json::from_str(&text).unwrap()),
        Err(problem) => {
            assert!(std::env::var_os("MAINSTAY_REQUIRE_SHARED").is_none_or(|it| it != "1"), "{problem}");
            // Past the test runner's capture: a skip must not look like a pass.
            let _ = std::io::Write::write_all(
                &mut std::io::stderr(),
                b"skipped: this test needs the shared data (facts/prices.json)\n",
            );
            None
        }
    }
}

/// A decimal as a whole number of 10^-12.
fn units(text: &str) -> i128 {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    format!("{whole}{decimals:0<12}").parse().unwrap()
}

type Prices = BTreeMap<String, i128>;

/// The prices of an object. A zero that no second source confirms is no price.
fn prices(entry: &Value, object: &Value) -> Prices {
    let agreed =
        entry["check"].as_object().is_some_and(|check| check.values().any(|verdict| verdict == "agree"));
    let proven = agreed || entry["model"].as_str().unwrap().ends_with(":free");
    let all = object.as_object().into_iter().flatten();
    all.map(|(field, price)| (field.clone(), units(price.as_str().unwrap())))
        .filter(|(_, price)| proven || *price != 0)
        .collect()
}

/// What a use costs by the facts' own rules, in nano-dollars.
fn expected(entry: &Value, usage: &Usage) -> Nanodollars {
    let base = prices(entry, &entry["prices"]);
    let mut all = base.clone();
    let mut steps = entry["tiers"].as_array().into_iter().flatten();
    if let Some(step) = steps.rfind(|step| usage.prompt > step["above"].as_u64().unwrap()) {
        let stated = prices(entry, &step["prices"]);
        // The dearest of the prices for an hour and more; one that a step does not state is not its own.
        if stated.contains_key("cache_write_12h") {
            all.remove("cache_write_1h");
        }
        all.extend(stated);
    }
    let price = |field: &str| all.get(field).copied();
    let input = price("input").unwrap();
    let write = price("cache_write_5m").unwrap_or(input);
    let long = price("cache_write_1h").max(price("cache_write_12h")).unwrap_or(write);
    let output = price("output").unwrap_or(0);
    let plain = usage.prompt - usage.cached - usage.cache_write;
    let exact = i128::from(plain) * input
        + i128::from(usage.cached) * price("cache_read").unwrap_or(input)
        + i128::from(usage.cache_write - usage.cache_write_1h) * write
        + i128::from(usage.cache_write_1h) * long
        + i128::from(usage.completion - usage.reasoning) * output
        + i128::from(usage.reasoning) * price("reasoning").unwrap_or(output);
    Nanodollars::from_nanos(i64::try_from((exact + 500_000_000) / 1_000_000_000).unwrap())
}

#[test]
fn every_model_is_charged_as_the_facts_say_or_known_to_have_no_price() {
    let Some(facts) = facts() else { return };
    let catalogue = Catalogue::bundled();
    let uses = [
        Usage { prompt: 1_234, completion: 567, ..Usage::default() },
        Usage {
            prompt: 19_999,
            cached: 7_001,
            cache_write: 3_003,
            cache_write_1h: 1_111,
            completion: 999,
            reasoning: 333,
            estimated: false,
        },
        Usage {
            prompt: 777_777,
            cached: 77_777,
            cache_write: 50_505,
            cache_write_1h: 5_050,
            completion: 1,
            ..Usage::default()
        },
    ];
    let (mut priced, mut unpriced) = (0, 0);
    for entry in facts["models"].as_array().unwrap() {
        let (provider, name) = (entry["provider"].as_str().unwrap(), entry["model"].as_str().unwrap());
        let Some(model) = catalogue.models_of(provider).find(|model| model.model == name) else {
            assert!(catalogue.is_unpriced(provider, name), "{provider}/{name} is missing");
            let known = prices(entry, &entry["prices"]);
            let whole =
                known.contains_key("input") && (known.contains_key("output") || entry["mode"] == "embedding");
            assert!(entry["unpriced"] == true || !whole, "{provider}/{name} has a price");
            unpriced += 1;
            continue;
        };
        for usage in &uses {
            assert_eq!(model.price.charge(usage), expected(entry, usage), "{provider}/{name} {usage:?}");
        }
        priced += 1;
    }
    assert_eq!((priced, priced + unpriced), (catalogue.models().len(), 2_336));
    assert!(unpriced < 60);
}

#[test]
fn limits_abilities_and_ends_are_those_of_the_facts() {
    let Some(facts) = facts() else { return };
    for entry in facts["models"].as_array().unwrap() {
        let (provider, name) = (entry["provider"].as_str().unwrap(), entry["model"].as_str().unwrap());
        let Some(model) = Catalogue::bundled().models_of(provider).find(|model| model.model == name) else {
            continue;
        };
        let can =
            |cap: &str| entry["caps"].as_array().is_some_and(|caps| caps.iter().any(|known| known == cap));
        assert_eq!(model.context, entry["context"].as_u64(), "{name}");
        assert_eq!(model.max_output.map(u64::from), entry["max_output"].as_u64(), "{name}");
        assert_eq!(model.reasoning, can("reasoning"), "{name}");
        assert_eq!(model.tools, can("tools").then_some(true), "{name}");
        assert_eq!(model.images, can("vision").then_some(true), "{name}");
        assert_eq!(model.json_schema, can("json_schema").then_some(true), "{name}");
        assert_eq!(
            model.retires.map(|day| day.to_string()).as_deref(),
            entry["deprecates"].as_str(),
            "{name}"
        );
        assert_eq!(model.gone, matches!(entry["status"].as_str(), Some("retired" | "removed")), "{name}");
        assert_eq!(model.schedule.is_some(), entry["time_of_day"] == true, "{name}");
        assert_eq!(model.purpose == Purpose::Embedding, entry["mode"] == "embedding", "{name}");
        assert_eq!(&*model.source, entry["source"].as_str().unwrap(), "{name}");
    }
}

#[test]
fn no_service_tier_is_missing_and_none_loses_its_dear_steps() {
    let Some(facts) = facts() else { return };
    for entry in facts["models"].as_array().unwrap() {
        let (provider, name) = (entry["provider"].as_str().unwrap(), entry["model"].as_str().unwrap());
        let Some(model) = Catalogue::bundled().models_of(provider).find(|model| model.model == name) else {
            continue;
        };
        for (word, service) in entry["modes"].as_object().into_iter().flatten() {
            if matches!(word.as_str(), "batch" | "decisions") {
                continue;
            }
            let (_, price) = model.services.iter().find(|(known, _)| **known == **word).unwrap();
            let stated = prices(entry, &service["prices"]);
            if let Some(input) = stated.get("input") {
                assert_eq!(i128::from(price.input.units()), *input, "{name} {word}");
            }
            assert!(price.above.len() >= model.price.above.len().min(1), "{name} {word}");
            for (_, rates) in &price.above {
                assert!(rates.output >= price.output, "{name} {word}");
            }
        }
    }
}
