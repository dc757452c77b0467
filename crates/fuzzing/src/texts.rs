//! Texts that people type and files hold: money, moments, names, prices.

use jiff::tz::TimeZone;
use mainstay_calllog::{CallId, parse_when};
use mainstay_canon::{Moment, Nanodollars, PerMillion, Quality, Target};
use mainstay_cost::{Catalogue, Multiplier, Window};

use crate::cut::text;

/// Amounts, prices and factors: what is printed reads as what it was.
pub fn money(data: &[u8]) {
    let Some(text) = text(data) else { return };
    if let Ok(amount) = text.parse::<Nanodollars>() {
        assert!(amount >= Nanodollars::ZERO, "{amount} has a sign");
        assert_eq!(amount.to_string().parse(), Ok(amount), "{text:?}");
    }
    if let Ok(price) = text.parse::<PerMillion>() {
        assert_eq!(price.to_string().parse(), Ok(price), "{text:?}");
        assert!(price.times_rounded_up(1_000_000) >= Nanodollars::ZERO, "{text:?}");
    }
    if let Ok(factor) = text.parse::<Multiplier>() {
        assert_eq!(factor.to_string().parse(), Ok(factor), "{text:?}");
        let _ = factor.of(PerMillion::from_units(u64::MAX));
    }
}

/// Moments as people type them: the same in the same zone, in microseconds that read back, and short complaints.
pub fn when(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let zones = [TimeZone::UTC, TimeZone::posix("EST5EDT,M3.2.0,M11.1.0").unwrap_or(TimeZone::UTC)];
    for zone in zones {
        for now in [Moment::from_secs(1_793_500_000), Moment::EPOCH, Moment::from_micros(i64::MAX)] {
            match parse_when(text, now, &zone) {
                Ok(moment) => {
                    let micros = moment.micros().to_string();
                    if (15..=17).contains(&micros.len()) && moment > Moment::EPOCH {
                        assert_eq!(parse_when(&micros, now, &zone), Ok(moment), "{text:?}");
                    }
                }
                Err(error) => assert!(error.to_string().len() <= 1024, "{error}"),
            }
        }
    }
}

/// Names of rows, tiers, windows and classes: what is printed reads as what it was.
pub fn names(data: &[u8]) {
    let Some(text) = text(data) else { return };
    if let Ok(id) = text.parse::<CallId>() {
        assert_eq!(id.to_string(), text, "an id has one spelling");
    }
    if let Some(target) = Target::parse(text) {
        assert_eq!(target.to_string(), text);
    }
    if let Ok(window) = text.parse::<Window>() {
        assert_eq!(window.to_string().parse(), Ok(window), "{text:?}");
        let _ = window.ends(&TimeZone::UTC);
    }
    if let Some(quality) = Quality::from_word(text) {
        assert_eq!(quality.word(), text);
    }
}

/// A catalogue of prices: read or refused, and what it has can be found.
pub fn catalogue(data: &[u8]) {
    let Some(text) = text(data) else { return };
    match Catalogue::parse(text) {
        Ok(catalogue) => {
            assert!(catalogue.models().len() <= text.len(), "more models than bytes");
            for model in catalogue.models() {
                let found = catalogue.find(&model.provider, &model.model);
                assert!(found.is_some_and(|found| found.model == model.model), "{}", model.name());
            }
        }
        Err(error) => assert!(error.to_string().len() <= 16_384, "{error}"),
    }
}
