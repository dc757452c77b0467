use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::*;

fn usd(text: &str) -> Nanodollars {
    text.parse().unwrap()
}

fn at(text: &str) -> Moment {
    Moment::from_micros(text.parse::<Timestamp>().unwrap().as_microsecond())
}

fn noon() -> Moment {
    at("2026-11-30T12:00:00Z")
}

fn who(user: &str, session: &str) -> Spender {
    Spender { user: Some(user.into()), session: Some(session.into()), request_id: "r".into() }
}

fn daily(cap: &str) -> Caps {
    Caps { daily: Some(usd(cap)), ..Caps::default() }
}

#[test]
fn two_of_eight_calls_fit_a_session_of_ten_cents_at_four_cents_each() {
    let ledger = Ledger::new(Caps { per_session: Some(usd("0.10")), ..Caps::default() });
    let admitted = (0..8).filter_map(|_| ledger.reserve(&who("u", "s"), usd("0.04"), noon()).ok()).count();
    assert_eq!(admitted, 2);
}

#[test]
fn exactly_the_cap_fits_and_a_nano_dollar_more_does_not() {
    let ledger = Ledger::new(daily("1.00"));
    assert!(ledger.reserve(&who("u", "s"), usd("1.000000001"), noon()).is_err());
    assert!(ledger.reserve(&who("u", "s"), usd("1.00"), noon()).is_ok());
    assert!(ledger.reserve(&who("u", "s"), usd("0.000000001"), noon()).is_err());
    assert!(ledger.reserve(&who("u", "s"), Nanodollars::ZERO, noon()).is_ok(), "what is free always fits");
}

#[test]
fn a_refusal_says_which_cap_and_sets_nothing_aside() {
    let caps = Caps {
        daily: Some(usd("9")),
        monthly: Some(usd("10")),
        per_user_daily: Some(usd("2")),
        per_session: Some(usd("5")),
        ..Caps::default()
    };
    let ledger = Ledger::new(caps);
    let held = ledger.reserve(&who("ann", "s"), usd("1.50"), noon()).unwrap();
    let abort = ledger.reserve(&who("ann", "t"), usd("0.75"), noon()).unwrap_err();
    assert_eq!(
        (abort.cap, abort.limit, abort.reserved, abort.needed),
        (CapKind::PerUserDaily, usd("2"), usd("1.50"), usd("0.75"))
    );
    assert_eq!(abort.resets_at, Some(at("2026-12-01T00:00:00Z")));
    assert_eq!(
        ledger.room(&who("bob", "t"), noon()),
        Some(usd("2")),
        "nothing of the refused call was booked"
    );
    ledger.release(held);
    assert_eq!(ledger.room(&who("ann", "s"), noon()), Some(usd("2")));
}

#[test]
fn of_several_caps_that_do_not_fit_the_tightest_is_named() {
    let ledger = Ledger::new(Caps { daily: Some(usd("2")), per_session: Some(usd("1")), ..Caps::default() });
    assert_eq!(ledger.reserve(&who("u", "s"), usd("3"), noon()).unwrap_err().cap, CapKind::PerSession);
}

#[test]
fn settling_charges_what_it_cost_and_gives_the_rest_back() {
    let ledger = Ledger::new(daily("1.00"));
    let held = ledger.reserve(&who("u", "s"), usd("0.80"), noon()).unwrap();
    let settled = ledger.settle(held, usd("0.30"), noon());
    assert_eq!((settled.overrun, settled.warnings.len()), (None, 0));
    let status = ledger.status(noon());
    assert_eq!((status[0].spent, status[0].reserved), (usd("0.30"), Nanodollars::ZERO));
}

#[test]
fn an_overrun_is_charged_at_once_and_closes_the_cap() {
    let ledger = Ledger::new(daily("1.00"));
    let held = ledger.reserve(&who("u", "s"), usd("0.80"), noon()).unwrap();
    assert_eq!(ledger.settle(held, usd("1.20"), noon()).overrun, Some(usd("0.40")));
    let abort = ledger.reserve(&who("u", "s"), usd("0.01"), noon()).unwrap_err();
    assert_eq!((abort.spent, abort.left()), (usd("1.20"), Nanodollars::ZERO));
    assert_eq!(ledger.room(&who("u", "s"), noon()), Some(Nanodollars::ZERO));
}

#[test]
fn a_warning_comes_once_when_its_share_is_passed() {
    let ledger =
        Ledger::new(Caps { daily: Some(usd("1")), per_user_daily: Some(usd("0.50")), ..Caps::default() });
    let warned = |user: &str, amount: &str| {
        let held = ledger.reserve(&who(user, "s"), usd(amount), noon()).unwrap();
        let warnings = ledger.settle(held, usd(amount), noon()).warnings;
        warnings.into_iter().map(|warning| (warning.cap, warning.whose)).collect::<Vec<_>>()
    };
    assert_eq!(warned("ann", "0.39"), vec![]);
    assert_eq!(warned("ann", "0.01"), vec![(CapKind::PerUserDaily, Some("ann".to_owned()))]);
    assert_eq!(warned("ann", "0.05"), vec![], "only once");
    assert_eq!(warned("bob", "0.36"), vec![(CapKind::Daily, None)]);
}

#[test]
fn a_dropped_reservation_stays_counted() {
    let ledger = Ledger::new(daily("1.00"));
    drop(ledger.reserve(&who("u", "s"), usd("0.60"), noon()).unwrap());
    assert!(ledger.reserve(&who("u", "s"), usd("0.60"), noon()).is_err());
}

#[test]
fn a_call_without_a_user_counts_against_anonymous_and_one_without_a_session_is_its_own() {
    let ledger = Ledger::new(Caps {
        per_user_daily: Some(usd("1")),
        per_session: Some(usd("0.60")),
        ..Caps::default()
    });
    let nobody = |request: &str| Spender { request_id: request.into(), ..Spender::default() };
    let _one = ledger.reserve(&nobody("r1"), usd("0.50"), noon()).unwrap();
    assert_eq!(ledger.reserve(&nobody("r1"), usd("0.20"), noon()).unwrap_err().cap, CapKind::PerSession);
    let _two = ledger.reserve(&nobody("r2"), usd("0.40"), noon()).unwrap();
    assert_eq!(ledger.reserve(&nobody("r3"), usd("0.20"), noon()).unwrap_err().cap, CapKind::PerUserDaily);
    let anonymous = Spender { user: Some("anonymous".into()), ..nobody("r4") };
    assert_eq!(ledger.room(&anonymous, noon()), Some(usd("0.10")));
    let named_like_a_request =
        Spender { user: Some("x".into()), session: Some("r1".into()), request_id: "r5".into() };
    assert_eq!(ledger.room(&named_like_a_request, noon()), Some(usd("0.60")), "a session is not a request");
}

#[test]
fn a_key_has_its_own_caps_beside_all_the_others() {
    let ledger = Ledger::new(daily("10"));
    let key = KeyCaps { name: "team".into(), daily: Some(usd("1")), monthly: None, total: Some(usd("1.50")) };
    let spend = |amount: &str, now: Moment| {
        let held = ledger.reserve_for(&who("u", "s"), Some(&key), usd(amount), now)?;
        ledger.settle(held, usd(amount), now);
        Ok::<(), HardAbort>(())
    };
    spend("0.90", noon()).unwrap();
    assert_eq!(spend("0.20", noon()).unwrap_err().cap, CapKind::KeyDaily);
    let tomorrow = at("2026-12-01T12:00:00Z");
    spend("0.50", tomorrow).unwrap();
    assert_eq!(spend("0.20", tomorrow).unwrap_err().cap, CapKind::KeyTotal);
    assert_eq!(ledger.room_for(&who("u", "s"), Some(&key), tomorrow), Some(usd("0.10")));
    assert_eq!(ledger.room(&who("u", "s"), tomorrow), Some(usd("9.50")));
    assert_eq!(ledger.status_of(&who("u", "s"), Some(&key), tomorrow).len(), 3);
}

#[test]
fn a_new_day_and_a_new_month_start_anew_at_the_zones_midnight() {
    let caps = Caps {
        daily: Some(usd("1")),
        monthly: Some(usd("1.50")),
        timezone: TimeZone::posix("EST5EDT,M3.2.0,M11.1.0").unwrap(),
        ..Caps::default()
    };
    let ledger = Ledger::new(caps);
    let reserve = |amount: &str, now: &str| {
        let held = ledger.reserve(&who("u", "s"), usd(amount), at(now))?;
        ledger.settle(held, usd(amount), at(now));
        Ok::<(), HardAbort>(())
    };
    reserve("1", "2026-11-29T12:00:00Z").unwrap();
    assert_eq!(reserve("0.10", "2026-11-30T04:59:59Z").unwrap_err().cap, CapKind::Daily);
    reserve("0.50", "2026-11-30T05:00:00Z").unwrap();
    let abort = reserve("0.10", "2026-12-01T04:59:59Z").unwrap_err();
    assert_eq!((abort.cap, abort.resets_at), (CapKind::Monthly, Some(at("2026-12-01T05:00:00Z"))));
    reserve("1", "2026-12-01T05:00:00Z").unwrap();
}

#[test]
fn a_call_over_midnight_is_charged_where_it_was_reserved() {
    let ledger = Ledger::new(daily("1"));
    let held = ledger.reserve(&who("u", "s"), usd("1"), at("2026-11-30T23:59:59Z")).unwrap();
    let after = at("2026-12-01T00:00:05Z");
    ledger.settle(held, usd("1"), after);
    assert_eq!(ledger.room(&who("u", "s"), after), Some(usd("1")));
    assert_eq!(ledger.room(&who("u", "s"), noon()), Some(Nanodollars::ZERO));
}

#[test]
fn a_clock_that_steps_back_frees_no_money() {
    let ledger = Ledger::new(daily("1"));
    let spend = |now: Moment| {
        let held = ledger.reserve(&who("u", "s"), usd("1"), now).ok()?;
        Some(ledger.settle(held, usd("1"), now))
    };
    let day = |number: i64| Moment::from_secs(noon().micros() / 1_000_000 + number * 86_400);
    assert!(spend(day(0)).is_some() && spend(day(1)).is_some());
    assert!(spend(day(0)).is_none(), "yesterday is as full as it was");
    assert!(spend(day(2)).is_some() && spend(day(3)).is_some() && spend(day(4)).is_some());
    for back in -400..=4 {
        assert!(spend(day(back)).is_none(), "{back} days");
    }
    assert!(spend(day(5)).is_some(), "and tomorrow is a new day");
}

#[test]
fn a_clock_that_was_far_ahead_for_a_moment_does_not_lock_the_ledger() {
    let ledger = Ledger::new(daily("1"));
    let far = at("2099-01-01T00:00:00Z");
    let held = ledger.reserve(&who("u", "s"), usd("1"), noon()).unwrap();
    ledger.settle(held, usd("0.50"), noon());
    let held = ledger.reserve(&who("u", "s"), usd("1"), far).unwrap();
    ledger.settle(held, usd("1"), far);
    assert_eq!(ledger.room(&who("u", "s"), noon()), Some(usd("0.50")));
    assert_eq!(ledger.room(&who("u", "s"), at("2026-12-01T12:00:00Z")), Some(usd("1")));
}

#[test]
fn new_caps_apply_to_what_was_spent_before_them() {
    let ledger = Ledger::new(Caps::default());
    assert_eq!(ledger.room(&who("u", "s"), noon()), None);
    let held = ledger.reserve(&who("u", "s"), usd("3"), noon()).unwrap();
    ledger.settle(held, usd("3"), noon());
    ledger.set_caps(Caps { per_user_daily: Some(usd("4")), ..Caps::default() });
    assert_eq!(ledger.room(&who("u", "s"), noon()), Some(usd("1")));
    assert!(ledger.reserve(&who("u", "s"), usd("2"), noon()).is_err());
}

#[test]
fn what_is_restored_counts_in_full() {
    let before = Ledger::new(daily("1"));
    let settled = before.reserve(&who("ann", "s"), usd("0.20"), noon()).unwrap();
    before.settle(settled, usd("0.20"), noon());
    let held = before.reserve(&who("ann", "s"), usd("0.70"), noon()).unwrap();
    let Snapshot { spent, open } = before.snapshot();
    assert_eq!(open, vec![held.entry().clone()]);

    let after = Ledger::new(daily("1"));
    let mut reservations = after.restore(spent, open, noon());
    assert_eq!(after.room(&who("ann", "s"), noon()), Some(usd("0.10")));
    let next = after.reserve(&who("ann", "s"), usd("0.10"), noon()).unwrap();
    assert!(next.id > held.id, "ids go on rising");
    after.settle(reservations.remove(0), usd("0.05"), noon());
    assert_eq!(after.room(&who("ann", "s"), noon()), Some(usd("0.65")));
}

#[test]
fn after_a_restart_an_earlier_clock_counts_in_the_oldest_window_known() {
    let ledger = Ledger::new(daily("1"));
    let full = Spent { scope: Scope::Everyone, window: "2026-11-30".parse().unwrap(), nanos: usd("1") };
    ledger.restore(vec![full], Vec::new(), noon());
    assert!(ledger.reserve(&who("u", "s"), usd("0.01"), at("2026-11-29T12:00:00Z")).is_err());
    assert!(ledger.reserve(&who("u", "s"), usd("0.01"), at("2026-12-01T12:00:00Z")).is_ok());
}

#[test]
fn a_long_history_restores_with_today_in_it() {
    let ledger = Ledger::new(daily("1"));
    let rows = (1..=30).rev().map(|day| Spent {
        scope: Scope::Everyone,
        window: format!("2026-11-{day:02}").parse().unwrap(),
        nanos: usd("0.75"),
    });
    ledger.restore(rows, Vec::new(), noon());
    assert_eq!(ledger.room(&who("u", "s"), noon()), Some(usd("0.25")));
}

#[test]
fn restoring_the_same_reservation_twice_counts_it_once() {
    let before = Ledger::new(daily("1"));
    let held = before.reserve(&who("u", "s"), usd("0.40"), noon()).unwrap();
    let after = Ledger::new(daily("1"));
    let restored = after.restore(Vec::new(), vec![held.entry().clone(), held.entry().clone()], noon());
    assert_eq!((restored.len(), after.room(&who("u", "s"), noon())), (1, Some(usd("0.60"))));
}

#[test]
fn spending_without_a_reservation_counts() {
    let ledger = Ledger::new(daily("1"));
    ledger.add_spent(&who("u", "s"), usd("0.30"), noon());
    ledger.add_spent(&who("u", "s"), Nanodollars::from_nanos(-5), noon());
    assert_eq!(ledger.room(&who("u", "s"), noon()), Some(usd("0.70")));
}

#[test]
fn a_request_that_is_over_is_forgotten_and_one_under_way_is_not() {
    let ledger = Ledger::new(Caps { per_session: Some(usd("1")), ..Caps::default() });
    let one = Spender { request_id: "r1".into(), ..Spender::default() };
    let held = ledger.reserve(&one, usd("0.90"), noon()).unwrap();
    ledger.close_request(&one);
    assert_eq!(ledger.room(&one, noon()), Some(usd("0.10")));
    ledger.settle(held, usd("0.90"), noon());
    ledger.close_request(&one);
    assert_eq!(ledger.room(&one, noon()), Some(usd("1")));
}

#[test]
fn past_the_limit_of_open_calls_the_oldest_is_counted_as_spent() {
    let mut book = Book::new();
    let who = Spender { request_id: "r".into(), ..Spender::default() };
    let mut first = None;
    for _ in 0..=book::MAX_OPEN {
        let entry = Arc::new(book.draft(&who, None, Nanodollars::from_nanos(2), noon(), &TimeZone::UTC));
        book.keep(&entry);
        book.visit(&entry, |_, account| account.set_aside(entry.worst));
        first.get_or_insert(entry);
    }
    let (account, _) = book.peek(CapKind::Daily, &who, None, noon(), &TimeZone::UTC);
    let held = i64::try_from(book::MAX_OPEN).unwrap() * 2;
    assert_eq!((account.spent.nanos(), account.reserved.nanos()), (2, held));
    assert!(!book.end(&first.unwrap()));
}

#[test]
fn the_ledger_may_be_shared_by_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Ledger>();
    shared::<Reservation>();
}

#[test]
fn what_is_planned_within_the_room_that_is_left_is_never_refused_however_many_plan_at_once() {
    let ledger = Ledger::new(daily("1.00"));
    let reserved: Vec<Nanodollars> = std::thread::scope(|scope| {
        let callers: Vec<_> = (0..8)
            .map(|caller| {
                let ledger = &ledger;
                scope.spawn(move || {
                    let me = who(&format!("u{caller}"), "s");
                    let plan = |room: Option<Nanodollars>| {
                        let third = Nanodollars::from_nanos(room.unwrap().nanos() / 3);
                        (third, third)
                    };
                    (0..50)
                        .map(|_| ledger.reserve_planned(&me, None, noon(), plan).unwrap().1)
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        callers.into_iter().flat_map(|caller| caller.join().unwrap()).collect()
    });
    let sum: Nanodollars = reserved.into_iter().sum();
    let left = ledger.room(&who("u", "t"), noon()).unwrap();
    assert_eq!(sum.checked_add(left), Some(usd("1.00")));
}

#[test]
fn a_plan_beyond_the_room_is_refused_and_sets_nothing_aside() {
    let ledger = Ledger::new(daily("1.00"));
    let refused = ledger.reserve_planned(&who("u", "s"), None, noon(), |room| (usd("1.50"), room));
    assert_eq!(refused.unwrap_err().needed, usd("1.50"));
    assert_eq!(ledger.room(&who("u", "s"), noon()), Some(usd("1.00")));
    let (_, room) = Ledger::new(Caps::default())
        .reserve_planned(&who("u", "s"), None, noon(), |room| (Nanodollars::ZERO, room))
        .unwrap();
    assert_eq!(room, None, "without a cap there is no room to speak of");
}
