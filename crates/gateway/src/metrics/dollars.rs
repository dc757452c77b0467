//! A counter of money: whole nano-dollars inside, dollars where it is read.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mainstay::Nanodollars;
use prometheus_client::encoding::{EncodeMetric, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::{MetricType, TypedMetric};

/// Money paid since the start. Adding up floats would lose the small amounts.
#[derive(Clone, Debug, Default)]
pub(super) struct Dollars(Arc<AtomicU64>);

impl Dollars {
    pub(super) fn add(&self, amount: Nanodollars) {
        self.0.fetch_add(u64::try_from(amount.nanos()).unwrap_or_default(), Ordering::Relaxed);
    }
}

/// Dollars as metrics have them. Exact below nine million dollars; beyond, the last nano-dollars are lost.
#[expect(clippy::cast_precision_loss, reason = "metrics are floats")]
pub(super) fn as_float(nanos: i64) -> f64 {
    nanos as f64 / 1e9
}

impl EncodeMetric for Dollars {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> Result<(), fmt::Error> {
        let nanos = i64::try_from(self.0.load(Ordering::Relaxed)).unwrap_or(i64::MAX);
        encoder.encode_counter::<NoLabelSet, f64, u64>(&as_float(nanos), None)
    }

    fn metric_type(&self) -> MetricType {
        Self::TYPE
    }
}

impl TypedMetric for Dollars {
    const TYPE: MetricType = MetricType::Counter;
}
