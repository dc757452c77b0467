//! Questions to the log: whatever the database has not taken yet is part of the answer.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail")]

mod support;

use jiff::tz::TimeZone;
use mainstay_calllog::{CallFilter, CallRecord, HourSum, SpendBy, story};
use mainstay_canon::{Cost, FinishReason, Moment, Nanodollars, Outcome, Quality};
use mainstay_store::{Entry, LogReader, ReadError, SqlValue, Store, StoreError};
use proptest::prelude::*;
use support::{NOW, PATIENCE, Place, append, append_all};

/// A store whose database takes nothing until the returned connection lets go.
fn held_back(place: &Place) -> (Store, rusqlite::Connection) {
    let (store, _) = place.open();
    (store, hold(place))
}

fn hold(place: &Place) -> rusqlite::Connection {
    let foreign = rusqlite::Connection::open(place.database()).unwrap();
    foreign.busy_timeout(PATIENCE).unwrap();
    foreign.execute_batch("BEGIN IMMEDIATE").unwrap();
    foreign
}

#[test]
fn the_newest_rows_are_seen_before_the_database_has_them() {
    let place = Place::new();
    let (store, _foreign) = held_back(&place);
    let rows = [place.empty("req_1", 0), place.ok("req_1", 1)];
    append_all(&store, &rows);
    for reader in [store.reader().unwrap(), LogReader::open(place.database()).unwrap()] {
        assert_eq!(reader.request("req_1").unwrap(), rows);
        assert_eq!(reader.calls(&CallFilter::default()).unwrap().first(), rows.last());
        let table = reader.sql("SELECT request_id, cost_usd FROM llm_calls ORDER BY ts", 10).unwrap();
        assert_eq!(table.rows[0], [SqlValue::Text("req_1".into()), SqlValue::Real(0.000_081)]);
    }
}

#[test]
fn why_last_is_the_newest_request_that_was_not_simply_fine() {
    let place = Place::new();
    let (store, _) = place.open();
    let reader = store.reader().unwrap();
    assert!(reader.last_interesting().unwrap().is_empty());
    let mut rescued = place.ok("req_2", 3);
    rescued.attempt = Some(2);
    rescued.rescued = true;
    let rows = [place.empty("req_1", 0), place.empty("req_2", 2), rescued, place.ok("req_3", 4)];
    append_all(&store, &rows);
    assert_eq!(reader.last_interesting().unwrap(), rows[1..3]);
    assert!(store.flush(PATIENCE));
    let told = story(&reader.last_interesting().unwrap(), &TimeZone::UTC).seen_from(NOW);
    assert_eq!(
        told.without.as_deref(),
        Some("Without Mainstay your agent would have been given an empty answer.")
    );
}

#[test]
fn a_request_is_found_by_the_callers_own_id_and_then_it_is_the_newest() {
    let place = Place::new();
    let (store, _) = place.open();
    for (request, seconds) in [("req_1", 0), ("req_2", 5)] {
        let mut row = place.ok(request, seconds);
        row.client_request_id = Some("theirs".to_owned());
        append(&store, &row);
    }
    let found = store.reader().unwrap().request("theirs").unwrap();
    assert_eq!(found.iter().map(|row| row.request_id.as_str()).collect::<Vec<_>>(), ["req_2"]);
}

#[test]
fn money_adds_up_by_every_name_and_from_the_very_second() {
    let place = Place::new();
    let (store, _foreign) = held_back(&place);
    for (user, seconds) in [("ann", 0), ("bob", 1800), ("bob", 3600), ("ann", 90_000)] {
        let mut row = place.ok("req", seconds);
        row.user_id = Some(user.to_owned());
        row.session_id = (user == "bob").then(|| "s-1".to_owned());
        append(&store, &row);
    }
    append(&store, &place.empty("req", 90_001));
    let reader = store.reader().unwrap();
    let spend = |by, since: Option<i64>| {
        let since = since.map(|seconds| Moment::from_secs(NOW.micros() / 1_000_000 + seconds));
        let rows = reader.spend(by, since, &TimeZone::UTC).unwrap();
        rows.into_iter().map(|row| (row.name, row.attempts, row.cost.nanos() / 81_000)).collect::<Vec<_>>()
    };
    let row = |name: &str, attempts, cost| (name.to_owned(), attempts, cost);
    assert_eq!(spend(SpendBy::User, None), [row("ann", 3, 3), row("bob", 2, 2)]);
    assert_eq!(spend(SpendBy::User, Some(1801)), [row("ann", 2, 2), row("bob", 1, 1)]);
    assert_eq!(spend(SpendBy::Day, None), [row("2026-11-30", 3, 3), row("2026-12-01", 2, 2)]);
    assert_eq!(spend(SpendBy::Session, None), [row("", 3, 3), row("s-1", 2, 2)]);
    assert_eq!(spend(SpendBy::Tier, Some(1800)), [row("openai/gpt-6-luna", 4, 4)]);
    assert_eq!(spend(SpendBy::Label, None), [row("", 5, 5)]);
    assert_eq!(reader.totals(None).unwrap().wasted.nanos(), 81_000);
    assert_eq!(reader.totals(Some(NOW.after(PATIENCE))).unwrap().attempts, 4);
    let hours = reader.hours(None).unwrap();
    assert_eq!(hours.iter().map(|(_, sum)| sum.attempts).collect::<Vec<_>>(), [2, 1, 2]);
}

#[test]
fn a_day_is_that_of_the_zone() {
    let place = Place::new();
    let (store, _) = place.open();
    append(&store, &place.ok("req", 0));
    let tokyo = TimeZone::get("Asia/Tokyo").unwrap();
    let days = store.reader().unwrap().spend(SpendBy::Day, None, &tokyo).unwrap();
    assert_eq!(days[0].name, "2026-12-01");
}

#[test]
fn sql_can_read_and_nothing_else() {
    let place = Place::new();
    let (store, foreign) = held_back(&place);
    append(&store, &place.ok("req_1", 0));
    let reader = store.reader().unwrap();
    for held in [true, false] {
        if !held {
            foreign.execute_batch("ROLLBACK").unwrap();
            assert!(store.flush(PATIENCE));
        }
        for bad in [
            "DELETE FROM llm_calls",
            "INSERT INTO llm_texts VALUES ('a', 'b', 'c')",
            "UPDATE llm_calls SET user_id = 'eve'",
            "DROP TABLE llm_calls",
            "CREATE TABLE x (y)",
            "CREATE TEMP TABLE x (y)",
            "ATTACH 'other.db' AS other",
            "PRAGMA journal_mode = DELETE",
            "PRAGMA table_info(llm_calls)",
            "SELECT * FROM pragma_table_info('llm_calls')",
            "VACUUM INTO 'copy.db'",
            "BEGIN",
            "COMMIT",
            "ROLLBACK",
            "SELECT load_extension('x')",
            "SELECT 1; SELECT 2",
            "SELECT 1; DELETE FROM llm_calls",
            "WITH x AS (SELECT 1) DELETE FROM llm_calls",
            "DELETE FROM llm_calls RETURNING id",
        ] {
            let error = reader.sql(bad, 10).unwrap_err();
            assert!(matches!(error, ReadError::NotReadOnly(_)), "{bad}: {error:?}");
        }
        let table = reader.sql("SELECT count(*) AS n, 'x' || 1, x'0aff', NULL FROM llm_calls;", 10).unwrap();
        assert_eq!(table.columns[0], "n");
        let text = |text: &str| SqlValue::Text(text.to_owned());
        assert_eq!(table.rows, [vec![SqlValue::Integer(1), text("x1"), text("0aff"), SqlValue::Null]]);
        assert_eq!(serde_json::to_string(&table.rows).unwrap(), r#"[[1,"x1","0aff",null]]"#);
    }
    let wrong = reader.sql("SELECT nothing FROM llm_calls", 10).unwrap_err();
    assert!(matches!(wrong, ReadError::Sqlite(_)) && wrong.to_string().contains("nothing"), "{wrong}");
}

#[test]
fn sql_has_limits() {
    let place = Place::new();
    let (store, _) = place.open();
    let reader = store.reader().unwrap();
    let count =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i FROM n";
    let table = reader.sql(count, 7).unwrap();
    assert_eq!((table.rows.len(), table.truncated), (7, true));
    assert!(!reader.sql(count, 1000).unwrap().truncated);
    let large = reader.sql("SELECT zeroblob(1000000000)", 1).unwrap_err();
    assert!(matches!(large, ReadError::Sqlite(_)), "{large}");
    let long = reader.sql(&format!("SELECT '{}'", "x".repeat(200_000)), 1).unwrap_err();
    assert!(matches!(long, ReadError::Sqlite(_)), "{long}");
}

#[test]
fn a_log_that_is_not_there_or_newer_is_refused_by_name() {
    let place = Place::new();
    let error = LogReader::open(place.database()).unwrap_err();
    assert!(matches!(error, StoreError::Missing { .. }) && error.to_string().contains("calls.db"), "{error}");
    drop(place.open());
    let db = rusqlite::Connection::open(place.database()).unwrap();
    db.execute("INSERT INTO mainstay_migrations VALUES (99, 'later', 'x', 0)", []).unwrap();
    for error in [LogReader::open(place.database()).unwrap_err(), place.try_open().unwrap_err()] {
        assert!(matches!(error, StoreError::Newer { found: 99, .. }), "{error}");
        assert!(error.to_string().contains("calls.db has schema 99"), "{error}");
    }
}

#[test]
fn captured_text_is_read_from_the_journal_too() {
    let place = Place::new();
    let (store, foreign) = held_back(&place);
    let row = place.ok("req_1", 0);
    append(&store, &row);
    let (prompt, answer) = ("asked".to_owned(), "answered".to_owned());
    store.append(&Entry::Text { id: row.id, prompt: prompt.clone(), answer: answer.clone() }).unwrap();
    let reader = store.reader().unwrap();
    assert_eq!(reader.text(row.id).unwrap(), Some((prompt.clone(), answer.clone())));
    foreign.execute_batch("ROLLBACK").unwrap();
    assert!(store.flush(PATIENCE));
    assert_eq!(reader.text(row.id).unwrap(), Some((prompt, answer)));
    assert_eq!(reader.text(place.ids.next(NOW)).unwrap(), None);
}

#[test]
fn questions_while_rows_pour_in_see_each_row_once() {
    let place = Place::new();
    let (store, _) = place.open();
    let reader = store.reader().unwrap();
    std::thread::scope(|threads| {
        let writing = threads.spawn(|| (0..5000).for_each(|number| append(&store, &place.ok("req", number))));
        let mut seen = 0;
        while !writing.is_finished() {
            let rows = reader.calls(&CallFilter::default()).unwrap();
            let mut ids: Vec<_> = rows.iter().map(|row| row.id).collect();
            ids.dedup();
            assert_eq!(ids.len(), rows.len(), "none came twice");
            assert!(rows.len() >= seen, "none was lost: {} after {seen}", rows.len());
            seen = rows.len();
        }
    });
    assert_eq!(reader.calls(&CallFilter::default()).unwrap().len(), 5000);
}

/// Rows with few different names, so that filters find some.
fn any_row() -> impl Strategy<Value = CallRecord> {
    let name = || proptest::option::of("[ab]");
    let outcome = proptest::sample::select(vec![
        Outcome::Ok,
        Outcome::Quality,
        Outcome::Error,
        Outcome::Aborted,
        Outcome::Skipped,
    ]);
    let quality = proptest::option::of(proptest::sample::select(Quality::ALL.to_vec()));
    let cost = proptest::option::of(0_i64..1_000_000_000);
    let flags = any::<[bool; 3]>();
    (name(), name(), name(), outcome, quality, cost, flags, 0_i64..20_000, proptest::option::of(1_u32..3))
        .prop_map(|(user, session, tier, outcome, quality, cost, flags, seconds, attempt)| {
            let place = IDS.get_or_init(Place::new);
            let mut row = place.ok("req", seconds);
            (row.user_id, row.session_id, row.tier) = (user, session, tier);
            row.client_request_id.clone_from(&row.session_id);
            (row.outcome, row.quality, row.attempt) = (outcome, quality, attempt);
            row.cost = cost.map_or(Cost::Unknown, |nanos| Cost::Known(Nanodollars::from_nanos(nanos)));
            [row.released, row.rescued, row.stream] = flags;
            row.finish_reason = quality.map(|_| FinishReason::Pause);
            row
        })
}

static IDS: std::sync::OnceLock<Place> = std::sync::OnceLock::new();

fn any_filter() -> impl Strategy<Value = CallFilter> {
    let name = || proptest::option::of("[ab]");
    let seconds = || proptest::option::of(0_i64..20_000);
    let quality = proptest::option::of(proptest::sample::select(Quality::ALL[..3].to_vec()));
    let outcome = proptest::option::of(Just(Outcome::Ok));
    (name(), name(), name(), name(), quality, outcome, seconds(), seconds()).prop_map(
        |(user, session, tier, request, quality, outcome, since, until)| {
            let moment = |seconds| Moment::from_secs(NOW.micros() / 1_000_000 + seconds);
            let (since, until) = (since.map(moment), until.map(moment));
            CallFilter {
                user,
                session,
                tier,
                request,
                quality,
                outcome,
                since,
                until,
                ..CallFilter::default()
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Half of the rows in the database, half in the journal alone: the answers are those of one log.
    #[test]
    fn a_question_means_the_same_wherever_the_rows_are(
        taken in proptest::collection::vec(any_row(), 0..15),
        waiting in proptest::collection::vec(any_row(), 0..15),
        filter in any_filter(),
    ) {
        let place = Place::new();
        let (store, _) = place.open();
        append_all(&store, &taken);
        prop_assert!(store.flush(PATIENCE));
        let foreign = hold(&place);
        append_all(&store, &waiting);
        let reader = store.reader().unwrap();

        let mut expected: Vec<&CallRecord> = taken.iter().chain(&waiting).filter(|row| filter.matches(row)).collect();
        expected.sort_by_key(|row| std::cmp::Reverse((row.ts, row.id)));
        let found = reader.calls(&filter).unwrap();
        prop_assert_eq!(found.iter().collect::<Vec<_>>(), expected);

        let mut sum = HourSum::default();
        let since = filter.since;
        let later = taken.iter().chain(&waiting).filter(|row| since.is_none_or(|since| row.ts >= since));
        later.for_each(|row| sum.add(row));
        let ask = |reader: &LogReader| {
            let spends = SpendBy::ALL.map(|by| reader.spend(by, since, &TimeZone::UTC).unwrap());
            (reader.totals(since).unwrap(), spends, reader.hours(since).unwrap())
        };
        let before = ask(&reader);
        prop_assert_eq!(before.0, sum);
        foreign.execute_batch("ROLLBACK").unwrap();
        prop_assert!(store.flush(PATIENCE));
        prop_assert_eq!(ask(&reader), before);
    }
}
