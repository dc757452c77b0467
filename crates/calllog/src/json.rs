//! Rows as JSON for people's scripts: every column by its name, in the table's order.

use mainstay_canon::{Cost, Nanodollars};
use serde::ser::{Error as _, SerializeMap};
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::{COLUMNS, CallRecord};

/// Writes one row with all its columns: absent ones as null, `cost_usd` beside the nano-dollars.
#[derive(Clone, Copy, Debug)]
pub struct CallRow<'a>(pub &'a CallRecord);

impl Serialize for CallRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let known = serde_json::to_value(self.0).map_err(S::Error::custom)?;
        let mut row = serializer.serialize_map(Some(COLUMNS.len()))?;
        for column in COLUMNS {
            match (column, known.get(column)) {
                ("cost_usd", _) => row.serialize_entry(column, &dollars_if_known(self.0.cost)?)?,
                (_, Some(value)) => row.serialize_entry(column, value)?,
                // Left out of the journal's line because it is the ordinary value.
                ("stream" | "tokens_estimated" | "released" | "rescued", None) => {
                    row.serialize_entry(column, &false)?;
                }
                ("wait_ms", None) => row.serialize_entry(column, &0)?,
                ("detail", None) => row.serialize_entry(column, "")?,
                (_, None) => row.serialize_entry(column, &Value::Null)?,
            }
        }
        row.end()
    }
}

/// An amount as a JSON number with its exact decimals; a float would print `8.1e-5`.
pub(crate) fn dollars<E: serde::ser::Error>(amount: Nanodollars) -> Result<Box<RawValue>, E> {
    RawValue::from_string(amount.to_string()).map_err(E::custom)
}

fn dollars_if_known<E: serde::ser::Error>(cost: Cost) -> Result<Option<Box<RawValue>>, E> {
    cost.known().map(dollars).transpose()
}

#[cfg(test)]
mod tests {
    use mainstay_canon::Moment;
    use proptest::prelude::*;

    use super::*;
    use crate::IdSource;
    use crate::record::tests::any_record;

    #[test]
    fn money_is_printed_to_the_last_decimal() {
        let now = Moment::EPOCH;
        let mut row = CallRecord::new(IdSource::new(1).next(now), now, "r", "c");
        row.cost = Cost::Known(Nanodollars::from_nanos(81_000));
        let text = serde_json::to_string(&CallRow(&row)).unwrap();
        assert!(text.contains(r#""cost_nanousd":81000,"cost_usd":0.000081,"latency_ms":0"#), "{text}");
        row.cost = Cost::Unknown;
        let text = serde_json::to_string(&CallRow(&row)).unwrap();
        assert!(text.contains(r#""cost_nanousd":null,"cost_usd":null"#), "{text}");
    }

    proptest! {
        #[test]
        fn every_column_is_there_in_order(record in any_record()) {
            let text = serde_json::to_string(&CallRow(&record)).unwrap();
            let mut from = 0;
            for column in COLUMNS {
                let name = format!("\"{column}\":");
                let at = text[from..].find(&name).map(|at| from + at);
                prop_assert!(at.is_some(), "{} is missing or out of order in {}", column, text);
                from = at.unwrap() + name.len();
            }
            let back: CallRecord = serde_json::from_str(&text).map_err(|error| {
                TestCaseError::fail(format!("{error}: {text}"))
            })?;
            prop_assert_eq!(back, record);
        }
    }
}
