//! Every provider of the table, by everything that can be asked of any of them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use std::fmt::Write as _;

use mainstay_canon::Dialect;
use mainstay_conformance::heard::Speaker;
use mainstay_conformance::provider_rows::checks;
use mainstay_conformance::requests::worthless_marks;
use mainstay_providers::{ALL, Provider, for_dialect};

/// The table, and what stands behind servers that are known by their dialect alone.
fn everybody() -> Vec<&'static Provider> {
    let mut all = ALL.to_vec();
    for template in Dialect::ALL.into_iter().filter_map(for_dialect) {
        if all.iter().all(|known| known.id != template.id) {
            all.push(template);
        }
    }
    all
}

#[test]
fn every_provider_does_what_every_provider_must() {
    let found: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = everybody()
            .into_iter()
            .map(|provider| scope.spawn(move || (provider.id, checks(provider))))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut table = format!("{:28}", "provider");
    for (what, _) in &found[0].1 {
        write!(table, " {what:>15}").unwrap();
    }
    let mut wrong = Vec::new();
    for (id, checks) in found {
        write!(table, "\n{id:28}").unwrap();
        for (what, faults) in checks {
            write!(table, " {:>15}", if faults.is_empty() { "ok" } else { "WRONG" }).unwrap();
            wrong.extend(faults.into_iter().map(|fault| format!("{id}, {what}: {fault}")));
        }
    }
    println!("{table}");
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_mark_of_a_request_proves_something() {
    let worthless: Vec<String> =
        everybody().into_iter().flat_map(Speaker::all_of).flat_map(worthless_marks).collect();
    assert!(worthless.is_empty(), "{}", worthless.join("\n"));
}
