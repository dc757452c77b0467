//! The suite.

use mainstay_canon::Dialect;
use mainstay_providers::for_dialect;

#[test]
fn a_dialect_that_is_spoken_is_spoken_by_that_name() {
    for dialect in Dialect::ALL {
        if let Some(provider) = for_dialect(dialect) {
            assert_eq!(provider.upstream.dialect(), dialect);
        }
    }
}
