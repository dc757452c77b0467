//! The page's sections, from values. Every text is escaped by the template.

use std::time::Duration;

use jiff::tz::TimeZone;
use mainstay::{Moment, Target};
use mainstay_calllog::{CallRecord, HourSum};
use mainstay_cost::CapStatus;
use mainstay_fallback::StaticSwitch;
use maud::{Markup, html};

use super::{parts, shell};
use crate::admin::tiers::TierRow;
use crate::alerts::Active;
use crate::when::{day_and_time, span, time_of_day};

/// What the page shows.
pub(super) struct Shown {
    pub(super) now: Moment,
    pub(super) zone: TimeZone,
    pub(super) uptime: Duration,
    pub(super) host: String,
    pub(super) source: &'static str,
    pub(super) tiers: Vec<TierRow>,
    pub(super) switch: StaticSwitch,
    pub(super) caps: Vec<CapStatus>,
    pub(super) alerts: Vec<Active>,
    pub(super) dark: Vec<DarkChain>,
    /// What the log says; `None` where none is kept, else why it cannot be read.
    pub(super) logged: Result<Option<Logged>, String>,
}

/// A chain without a tier that could be asked, the static one aside.
pub(super) struct DarkChain {
    pub(super) name: String,
    /// The static tier, where it answers.
    pub(super) answers: Option<Target>,
}

/// What the page takes from the log.
pub(super) struct Logged {
    pub(super) calls: Vec<CallRecord>,
    pub(super) today: HourSum,
}

/// The dashboard.
pub(super) fn page(shown: &Shown) -> Markup {
    let content = html! {
        header {
            h1 { "Mainstay" }
            p {
                "Version " (env!("CARGO_PKG_VERSION")) ", up " (span(shown.uptime)) ", configured by "
                (shown.source) ". As of " (time_of_day(shown.now, &shown.zone)) ". "
                a href="/" { "Refresh" }
            }
        }
        (alerts(shown))
        (tiers(shown))
        (money(shown))
        (calls(shown))
    };
    shell::page("Mainstay", &content)
}

/// What somebody sees who was not let in.
pub(super) fn denied(key: Option<&str>, host: &str, had_link: bool) -> Markup {
    let content = html! {
        h1 { "This page opens by a link" }
        @if had_link {
            p { strong { "This link was used before, or is older than a day." } " Each opens the page once, in one browser." }
        }
        p {
            "The dashboard shows who called what and at what price. Other users of a machine, and web pages with a "
            "trick, could ask for it as well, so it is shown only to a browser that followed a link of the operator's."
        }
        p { code { "mainstay serve" } " prints a link when it starts." }
        @if let Some(key) = key {
            p { "This prints another one:" }
            pre tabindex="0" {
                // Through a pipe: what is typed as an argument can be seen by every user of the machine.
                code {
                    "printf 'header = \"Authorization: Bearer %s\"' \"" (key) "\" |\n  \
                     curl --config - --request POST http://" (host) "/admin/link"
                }
            }
        }
    };
    shell::page("Mainstay: a link is needed", &content)
}

fn alerts(shown: &Shown) -> Markup {
    html! {
        section aria-labelledby="alerts" {
            h2 id="alerts" { "Alerts" }
            @if shown.alerts.is_empty() && shown.dark.is_empty() {
                p { "Nothing needs your attention." }
            } @else {
                ul class="alerts" {
                    @for chain in &shown.dark {
                        li {
                            strong { "No tier of chain " code { (chain.name) } " is available" }
                            @match &chain.answers {
                                Some(tier) => { ": the static tier " code { (tier) } " answers." }
                                None => { ": nobody answers." }
                            }
                        }
                    }
                    @for alert in &shown.alerts {
                        li {
                            strong { (alert.kind.replace('_', " ")) }
                            @if let Some(tier) = &alert.tier { " " code { (tier) } }
                            ": " (alert.message)
                            span class="aside" { " since " (day_and_time(alert.since, &shown.zone)) }
                        }
                    }
                }
            }
        }
    }
}

fn tiers(shown: &Shown) -> Markup {
    html! {
        section aria-labelledby="tiers" {
            h2 id="tiers" { "Tiers" }
            @match shown.switch {
                StaticSwitch::Auto => {}
                StaticSwitch::On => { p { "The static tier is switched " strong { "on" } ": it is asked first." } }
                StaticSwitch::Off => { p { "The static tier is switched " strong { "off" } ": it is never asked." } }
            }
            div class="wide" role="region" aria-labelledby="tiers" tabindex="0" {
                table {
                    thead { tr {
                        th scope="col" { "Tier" }
                        th scope="col" { "Chains" }
                        th scope="col" { "State" }
                        th scope="col" { "Back in" }
                        th scope="col" class="number" { "Under way" }
                        th scope="col" { "Why" }
                    } }
                    tbody { @for tier in &shown.tiers { (parts::tier(tier)) } }
                }
            }
        }
    }
}

fn money(shown: &Shown) -> Markup {
    html! {
        section aria-labelledby="money" {
            h2 id="money" { "Money" }
            @if let Ok(Some(Logged { today, .. })) = &shown.logged {
                p {
                    "Today: " strong { "$" (today.cost) } " for " (today.attempts) " calls"
                    @if today.wasted.nanos() > 0 { ", of which $" (today.wasted) " bought nothing" }
                    @if today.rescued > 0 { "; " (today.rescued) " answers rescued" }
                    @if today.unpriced > 0 { "; " (today.unpriced) " calls without a price" }
                    "."
                }
            }
            @if shown.caps.is_empty() {
                p { "No cap is set: " code { "[budget] daily = \"5.00\"" } " sets one." }
            } @else {
                ul class="caps" { @for cap in &shown.caps { (parts::cap(cap, shown.now)) } }
            }
        }
    }
}

fn calls(shown: &Shown) -> Markup {
    html! {
        section aria-labelledby="calls" {
            h2 id="calls" { "Last calls" }
            @match &shown.logged {
                Err(why) => { p role="alert" { "The call log cannot be read: " (why) } }
                Ok(None) => { p { "No call log is kept." } }
                Ok(Some(Logged { calls, .. })) if calls.is_empty() => {
                    p { "None yet. Point a client here:" }
                    pre tabindex="0" {
                        code { "OpenAI     base_url=\"http://" (shown.host) "/v1\"\nAnthropic  base_url=\"http://" (shown.host) "\"" }
                    }
                }
                Ok(Some(Logged { calls, .. })) => { (call_table(calls, shown)) }
            }
        }
    }
}

fn call_table(calls: &[CallRecord], shown: &Shown) -> Markup {
    html! {
        p { "One row an attempt, the newest first. " code { "mainstay why REQUEST" } " tells a request's story." }
        div class="wide" role="region" aria-labelledby="calls" tabindex="0" {
            table {
                thead { tr {
                    th scope="col" { "Time" }
                    th scope="col" { "Request" }
                    th scope="col" { "Tier" }
                    th scope="col" { "Came to" }
                    th scope="col" class="number" { "Tokens in" }
                    th scope="col" class="number" { "out" }
                    th scope="col" class="number" { "Seconds" }
                    th scope="col" class="number" { "Cost" }
                    th scope="col" { "Why" }
                } }
                tbody { @for call in calls { (parts::call(call, &shown.zone)) } }
            }
        }
    }
}
