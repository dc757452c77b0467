//! `mainstay tiers`: the health of each tier now, and the operator's hand on it.

mod row;
mod stored;

use mainstay::Target;
use mainstay_config::Config;
use mainstay_store::StaticSwitch;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::args::{Global, Hand, TiersArgs};
use crate::exit::Exit;
use crate::out::{self, Column, numbers, words};
use crate::running::Running;
use crate::settings;
use row::Row;

const COLUMNS: [Column; 6] =
    [words("tier"), words("chains"), words("state"), numbers("for"), numbers("in flight"), words("why")];

/// Shows the tiers, or does to one what the operator says.
pub(crate) async fn run(args: TiersArgs, global: &Global) -> Result<(), Exit> {
    let config = settings::load_without_keys(global)?;
    let readable = config.as_ref().and_then(|config| config.as_ref().ok());
    let running = Running::of(global, readable)?;
    match args.hand {
        None => {
            let shown = match (running.get::<Told>("/admin/tiers").await?, config) {
                (Some(told), _) => Shown::of_gateway(told, &running),
                (None, Some(Err(problems))) => return Err(Exit::usage(problems)),
                (None, config) => Shown::of_store(global, config.and_then(Result::ok).as_ref(), &running)?,
            };
            shown.print(global)
        }
        Some(hand) => lay(&hand, readable, &running, global).await,
    }
}

/// The answer of `GET /admin/tiers`.
#[derive(Deserialize)]
struct Told {
    tiers: Vec<Row>,
    static_switch: String,
}

/// One tier for scripts.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    row: &'a Row,
    static_switch: &'static str,
}

/// What is shown, and who says so.
struct Shown {
    rows: Vec<Row>,
    switch: StaticSwitch,
    from: String,
}

impl Shown {
    fn of_gateway(told: Told, running: &Running) -> Self {
        let switch = StaticSwitch::from_word(&told.static_switch).unwrap_or_default();
        Self { rows: told.tiers, switch, from: format!("as the running gateway at {} says", running.url()) }
    }

    fn of_store(global: &Global, config: Option<&Config>, running: &Running) -> Result<Self, Exit> {
        let kept = stored::read(global, config)?;
        let now = settings::now();
        let mut rows: Vec<Row> =
            kept.health.iter().map(|health| Row::of_health(health, config, now)).collect();
        rows.sort_by_key(|row| row.is_static);
        let from = format!("as the store was left; no gateway answers at {}", running.url());
        Ok(Self { rows, switch: kept.switch, from })
    }

    fn print(self, global: &Global) -> Result<(), Exit> {
        if global.json {
            let switch = self.switch.word();
            return self.rows.iter().try_for_each(|row| out::json(&Line { row, static_switch: switch }));
        }
        if self.rows.is_empty() {
            anstream::eprintln!("no tier is known: there is no configuration here, and nothing is kept");
        }
        out::table(&COLUMNS, self.rows.iter().map(Row::cells).collect())?;
        anstream::eprintln!("{}; static tier: {}", self.from, switch_words(self.switch));
        Ok(())
    }
}

fn switch_words(switch: StaticSwitch) -> &'static str {
    match switch {
        StaticSwitch::On => "on, it answers first",
        StaticSwitch::Off => "off, it never answers",
        StaticSwitch::Auto => "auto, it answers when no other can",
    }
}

/// Through the running gateway, else in the store itself (behaviour 11.3b).
async fn lay(hand: &Hand, config: Option<&Config>, running: &Running, global: &Global) -> Result<(), Exit> {
    let order = Order::read(hand)?;
    let (path, body) = order.request();
    let by = match running.post(path, &body).await? {
        Some(()) => format!("told the gateway at {}", running.url()),
        None if running.is_named() => {
            return Err(Exit::failed(format!("no gateway answers at {}", running.url())));
        }
        None => {
            order.check(config)?;
            let kept = order.clone();
            stored::change(global, move |board, now| kept.apply(board, now)).await?;
            format!("kept for the next start; no gateway answers at {}", running.url())
        }
    };
    if global.json {
        return out::json(&json!({"done": order.words(), "by": by}));
    }
    out::line(order.words())?;
    anstream::eprintln!("{by}");
    Ok(())
}

/// What an operator wants, read and understood.
#[derive(Clone, Debug)]
enum Order {
    Disable { tier: Target, time: Option<std::time::Duration>, why: String },
    Enable { tier: Target },
    Static(StaticSwitch),
}

impl Order {
    fn read(hand: &Hand) -> Result<Self, Exit> {
        let target = |name: &str| {
            Target::parse(name)
                .ok_or_else(|| Exit::usage(format!("{name:?} is no tier; a tier is called provider/model")))
        };
        Ok(match hand {
            Hand::Disable { tier, time, why } => Self::Disable {
                tier: target(tier)?,
                time: time.as_deref().map(read_time).transpose()?,
                why: why.clone(),
            },
            Hand::Enable { tier } => Self::Enable { tier: target(tier)? },
            Hand::Static { switch } => Self::Static(*switch),
        })
    }

    /// How the gateway is told.
    fn request(&self) -> (&'static str, serde_json::Value) {
        match self {
            Self::Disable { tier, time, why } => {
                let time = time.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
                ("/admin/tiers/disable", json!({"tier": tier.to_string(), "for_ms": time, "why": why}))
            }
            Self::Enable { tier } => ("/admin/tiers/enable", json!({"tier": tier.to_string()})),
            Self::Static(switch) => ("/admin/tiers/static", json!({"switch": switch.word()})),
        }
    }

    /// Whether it is about a tier that there is.
    fn check(&self, config: Option<&Config>) -> Result<(), Exit> {
        let Some(config) = config else {
            return Err(Exit::usage(
                "no gateway answers and no configuration can be read: --config names one",
            ));
        };
        match self {
            Self::Disable { tier, .. } | Self::Enable { tier } => {
                let known = stored::targets(config);
                if known.contains(tier) {
                    return Ok(());
                }
                let known: Vec<String> = known.iter().map(ToString::to_string).collect();
                Err(Exit::usage(format!("no chain has a tier {tier}; there are {}", known.join(", "))))
            }
            Self::Static(switch) => {
                let mut tiers = config.chains.iter().flat_map(|chain| &chain.tiers);
                if *switch == StaticSwitch::On && !tiers.any(|tier| tier.static_fallback) {
                    return Err(Exit::usage(
                        "no tier says static_fallback = true, so there is none to switch on",
                    ));
                }
                Ok(())
            }
        }
    }

    /// Does it to what the store keeps.
    fn apply(self, board: &mainstay_fallback::HealthBoard, now: mainstay::Moment) -> Option<StaticSwitch> {
        match self {
            Self::Disable { tier, time, why } => board.disable(&tier, time, &why, now),
            Self::Enable { tier } => drop(board.enable(&tier, now)),
            Self::Static(switch) => return Some(switch),
        }
        None
    }

    fn words(&self) -> String {
        match self {
            Self::Disable { tier, time: Some(time), .. } => {
                format!("{tier} is disabled for {}", out::wait(*time))
            }
            Self::Disable { tier, time: None, .. } => format!("{tier} is disabled until it is enabled"),
            Self::Enable { tier } => format!("{tier} is enabled"),
            Self::Static(switch) => format!("static tier: {}", switch_words(*switch)),
        }
    }
}

/// A time such as `30m`, `2h` or `1h 30m`.
fn read_time(typed: &str) -> Result<std::time::Duration, Exit> {
    let read = typed.trim().parse::<jiff::SignedDuration>().ok();
    let time = read.and_then(|time| std::time::Duration::try_from(time).ok()).filter(|time| !time.is_zero());
    time.ok_or_else(|| Exit::usage(format!("--for {typed:?} is no length of time; write 30m or 2h")))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn lengths_of_time_are_read_as_people_write_them() {
        for (typed, seconds) in [("30m", 1800), ("2h", 7200), ("90 s", 90), ("1h 30m", 5400)] {
            assert_eq!(read_time(typed).unwrap(), Duration::from_secs(seconds), "{typed}");
        }
        for typed in ["", "soon", "-5m", "0s", "5"] {
            assert!(read_time(typed).is_err(), "{typed}");
        }
    }
}
