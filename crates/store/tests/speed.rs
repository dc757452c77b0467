//! How quick it is: printed, never asserted, for a machine has its moods.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail")]

mod support;

use std::time::Instant;

use mainstay_calllog::{CallFilter, SpendBy};
use support::{PATIENCE, Place, append_all};

#[test]
fn a_hundred_thousand_rows() {
    let place = Place::new();
    let (store, _) = place.open();
    let rows: Vec<_> = (0..100_000).map(|number| place.ok(&format!("req_{number}"), number / 10)).collect();
    let start = Instant::now();
    append_all(&store, &rows);
    let appended = start.elapsed();
    assert!(store.flush(20 * PATIENCE));
    let taken = start.elapsed();
    let reader = store.reader().unwrap();
    let timed = |what: &str, ask: &dyn Fn()| {
        let start = Instant::now();
        ask();
        eprintln!("{what}: {:?}", start.elapsed());
    };
    eprintln!("100,000 rows: appended in {appended:?}, in the database after {taken:?}");
    timed("one request", &|| drop(reader.request("req_77777").unwrap()));
    let user = CallFilter { user: Some("ann".to_owned()), limit: Some(50), ..CallFilter::default() };
    timed("a user's newest 50", &|| drop(reader.calls(&user).unwrap()));
    timed("the last with a story", &|| drop(reader.last_interesting().unwrap()));
    timed("spend by user", &|| drop(reader.spend(SpendBy::User, None, &jiff::tz::TimeZone::UTC).unwrap()));
    timed("spend by session", &|| {
        drop(reader.spend(SpendBy::Session, None, &jiff::tz::TimeZone::UTC).unwrap());
    });
    let size = place.database().metadata().unwrap().len();
    store.close().unwrap();
    let size = size.max(place.database().metadata().unwrap().len());
    eprintln!("{} bytes a row on disk", size / 100_000);
}
