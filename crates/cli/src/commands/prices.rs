//! `mainstay prices`: the catalogue, with its dates, its sources and the ends of models.

use std::fmt::Write as _;

use mainstay_config::Config;
use mainstay_cost::{Catalogue, Model, Purpose, Rates, Retirement};
use owo_colors::OwoColorize;
use serde_json::{Map, Value, json};

use crate::args::{Global, PricesArgs};
use crate::exit::Exit;
use crate::out::{self, Cell, Column, Tone, numbers, or_dash, words};
use crate::settings::{self, now};

const COLUMNS: [Column; 8] = [
    words("model"),
    numbers("in"),
    numbers("cached"),
    numbers("out"),
    numbers("context"),
    numbers("answer"),
    words("end"),
    words("as of"),
];

/// Prints the models that fit.
pub(crate) fn run(args: &PricesArgs, global: &Global) -> Result<(), Exit> {
    // A newer catalogue counts where the configuration names one; a broken file must not hide the prices.
    let config: Option<Config> = settings::load_without_keys(global)?.and_then(Result::ok);
    let newer = config.as_ref().map(|config| &*config.catalogue);
    let catalogue = newer.unwrap_or(Catalogue::bundled());
    let asked = args.model.join(" ");
    let models = choose(catalogue, &asked, args.all);
    if models.is_empty() {
        return Err(nothing_fits(catalogue, &asked));
    }
    if global.json {
        return models.iter().try_for_each(|model| out::json(&to_json(model)));
    }
    if let [model] = models.as_slice() {
        return detail(model, catalogue).iter().try_for_each(|(name, value)| {
            out::line(if out::to_people() {
                format!("{:<14} {}", name.dimmed(), out::clean(value))
            } else {
                format!("{name}\t{value}")
            })
        });
    }
    out::table(&COLUMNS, models.iter().map(|model| cells(model)).collect())?;
    about(catalogue, models.len(), catalogue.matching(&asked).count());
    Ok(())
}

/// A name that is one model's own, else every model whose name holds the words. Without words, and without
/// `--all`, what can be called from here and is for sale.
fn choose<'a>(catalogue: &'a Catalogue, asked: &str, all: bool) -> Vec<&'a Model> {
    if let Some(model) = asked.split_once('/').and_then(|(provider, model)| catalogue.find(provider, model)) {
        return vec![model];
    }
    let callable = |model: &Model| mainstay_providers::by_id(&model.provider).is_some();
    let for_sale = |model: &Model| callable(model) && !model.retired(now());
    let fitting = catalogue.matching(asked);
    if all {
        fitting.collect()
    } else if asked.is_empty() {
        fitting.filter(|model| for_sale(model)).collect()
    } else {
        // Whoever names a model wants to hear of its end; the same model at strangers only hides it.
        let (known, strange): (Vec<_>, Vec<_>) = fitting.partition(|model| callable(model));
        if known.is_empty() { strange } else { known }
    }
}

fn nothing_fits(catalogue: &Catalogue, asked: &str) -> Exit {
    let (provider, model) = asked.split_once('/').unwrap_or(("", asked));
    if catalogue.is_unpriced(provider, model) {
        return Exit::failed(format!(
            "{asked} is known, but nobody publishes its price; give its tier a price = {{ … }} or unpriced = true"
        ));
    }
    let near = catalogue.suggestions(provider, model);
    let near: Vec<String> = near.into_iter().map(Model::name).collect();
    Exit::failed(if near.is_empty() {
        format!("the catalogue knows no model {asked:?}; `mainstay prices` lists what it knows")
    } else {
        format!("the catalogue knows no model {asked:?}; did you mean {}?", near.join(" or "))
    })
}

fn cells(model: &Model) -> Vec<Cell> {
    let rates = model.price_at(now()).base();
    vec![
        model.name().into(),
        format!("${}", rates.input).into(),
        rates.cached_input.map_or_else(|| "-".to_owned(), |rate| format!("${rate}")).into(),
        format!("${}", rates.output).into(),
        or_dash(model.context).into(),
        or_dash(model.max_output).into(),
        end(model),
        model.as_of.to_string().into(),
    ]
}

fn end(model: &Model) -> Cell {
    match model.retirement(now()) {
        Retirement::Retired { since: Some(day) } => Cell::toned(format!("retired {day}"), Tone::Bad),
        Retirement::Retired { since: None } => Cell::toned("retired", Tone::Bad),
        Retirement::Soon { on, days } => Cell::toned(format!("{on}, in {days} days"), Tone::Warn),
        Retirement::Serving => match model.retires {
            Some(day) => day.to_string().into(),
            None if model.deprecated => Cell::toned("deprecated", Tone::Warn),
            None => "-".into(),
        },
    }
}

/// On stderr, so that a pipe gets rows alone.
fn about(catalogue: &Catalogue, shown: usize, fitting: usize) {
    let hidden = match fitting.saturating_sub(shown) {
        0 => String::new(),
        hidden => format!(", {hidden} more with --all"),
    };
    anstream::eprintln!(
        "{}{hidden}; US dollars per million tokens; as of {}",
        out::many(shown as u64, "model"),
        or_dash(catalogue.as_of())
    );
    let sources: Vec<&str> = catalogue.sources().filter_map(|source| source.split(':').next()).collect();
    anstream::eprintln!(
        "sources: {}; one model's full name shows all that is known of it",
        sources.join(", ")
    );
}

/// Everything that is known of one model, a line each.
fn detail(model: &Model, catalogue: &Catalogue) -> Vec<(String, String)> {
    let mut lines = vec![("model".to_owned(), model.name())];
    let mut line = |name: &str, value: String| lines.push((name.to_owned(), value));
    let price = model.price_at(now());
    line("price", rates_words(&price.base()));
    for (mark, rates) in &price.above {
        line("price", format!("above {mark} prompt tokens: {}", rates_words(rates)));
    }
    for (service, price) in &model.services {
        line("price", format!("service {service}: {}", rates_words(&price.base())));
    }
    if let Some(schedule) = &model.schedule {
        let hours: Vec<String> = schedule.hours.iter().map(|span| hours_words(*span)).collect();
        let days = if schedule.weekdays_only { " on weekdays" } else { "" };
        line("hours", format!("times {} from {} UTC{days}", schedule.times, hours.join(" and ")));
    }
    line("context", or_dash(model.context));
    line("longest answer", or_dash(model.max_output));
    line("reasons", if model.reasoning { "yes" } else { "no" }.to_owned());
    match model.purpose {
        Purpose::Chat => {}
        Purpose::ResponsesOnly => line("purpose", "chat, through the Responses API alone".to_owned()),
        Purpose::Embedding => line("purpose", "embeddings".to_owned()),
    }
    match model.retirement(now()) {
        Retirement::Serving => line("retires", or_dash(model.retires)),
        Retirement::Soon { on, days } => line("retires", format!("{on}, in {days} days")),
        Retirement::Retired { since } => {
            line("retired", since.map_or("yes".to_owned(), |day| day.to_string()));
        }
    }
    if let Some(successor) = &model.successor {
        line("successor", successor.clone());
    }
    line("as of", model.as_of.to_string());
    let own = |source: &&str| source.split(':').next() == Some(&*model.source);
    line("source", catalogue.sources().find(own).unwrap_or(&model.source).to_owned());
    lines
}

fn rates_words(rates: &Rates) -> String {
    let mut words = format!("${} in, ${} out", rates.input, rates.output);
    for (name, rate) in [
        ("cached", rates.cached_input),
        ("cache write", rates.cache_write),
        ("cache write 1 h", rates.cache_write_1h),
        ("reasoning", rates.reasoning),
    ] {
        if let Some(rate) = rate {
            // Writing to a string cannot fail.
            let _ = write!(words, ", ${rate} {name}");
        }
    }
    words
}

fn hours_words((from, until): (u16, u16)) -> String {
    let clock = |minutes: u16| format!("{:02}:{:02}", minutes / 60, minutes % 60);
    format!("{} to {}", clock(from), clock(until))
}

fn to_json(model: &Model) -> Value {
    let price = model.price_at(now());
    let above: Vec<Value> = price.above.iter().map(|(mark, rates)| with_mark(*mark, rates)).collect();
    let services: Map<String, Value> =
        model.services.iter().map(|(name, price)| (name.to_string(), rates_json(&price.base()))).collect();
    let (state, retires) = match model.retirement(now()) {
        Retirement::Serving => ("serving", model.retires),
        Retirement::Soon { on, .. } => ("soon", Some(on)),
        Retirement::Retired { since } => ("retired", since),
    };
    json!({
        "model": model.name(),
        "usd_per_million": rates_json(&price.base()),
        "above": above,
        "services": services,
        "changes_by_hour": model.schedule.is_some(),
        "context": model.context,
        "max_output": model.max_output,
        "reasoning": model.reasoning,
        "state": state,
        "retires": retires.map(|day| day.to_string()),
        "deprecated": model.deprecated,
        "successor": model.successor,
        "as_of": &*model.as_of,
        "source": &*model.source,
    })
}

fn with_mark(mark: u64, rates: &Rates) -> Value {
    json!({"prompt_tokens": mark, "usd_per_million": rates_json(rates)})
}

/// Exact decimals as strings, as in the configuration.
fn rates_json(rates: &Rates) -> Value {
    let text = |rate: Option<mainstay_canon::PerMillion>| rate.map(|rate| rate.to_string());
    json!({
        "input": rates.input.to_string(), "output": rates.output.to_string(),
        "cached_input": text(rates.cached_input), "cache_write": text(rates.cache_write),
        "cache_write_1h": text(rates.cache_write_1h), "reasoning": text(rates.reasoning),
    })
}
