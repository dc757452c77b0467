//! What is expected, in a few words for the table and in plain ones for the page.

use crate::expect::{COOLDOWN, ComesBack, Expect, Health, Log, Problem, SHORT, Sees};

/// What is done about a fault, in a few words.
pub fn done(expect: &Expect) -> String {
    let [first, second] = expect.calls;
    let (outcome, word) = log(expect.log);
    format!("{first}+{second}  {outcome} {word}, {}", health(expect.health))
}

/// A row's outcome and its kind or class.
pub const fn log(log: Log) -> (&'static str, &'static str) {
    match log {
        Log::Error(kind) => ("error", kind),
        Log::Quality(class) => ("quality", class),
        Log::Ok(class) => ("ok", class),
    }
}

/// How a tier fares, in a few words.
pub fn health(health: Health) -> String {
    match health {
        Health::Well => "well".into(),
        Health::Cools(seconds) => format!("cools {seconds} s"),
        Health::OutOfMoney => "out 10 min".into(),
        Health::OutUntilProbe => "out until a probe".into(),
    }
}

/// What a caller is told where nobody else is.
pub fn told(expect: &Expect) -> String {
    let when = match expect.comes_back {
        ComesBack::No => String::new(),
        ComesBack::In(seconds) => format!(", retry-after {seconds}"),
    };
    match expect.alone {
        Sees::Second | Sees::First(_) => "the answer".into(),
        Sees::Error(Problem::Unavailable) => format!("503 all_providers_failed{when}"),
        Sees::Error(Problem::Useless) => format!("502 all_providers_failed{when}"),
        Sees::Error(Problem::RateLimited) => format!("429 rate_limit_error{when}"),
        Sees::Error(Problem::Invalid(status)) => format!("{status} invalid_request_error"),
        Sees::Cut => "a part and an error event".into(),
        Sees::Refusal => "200, the refusal".into(),
        Sees::Filtered => "200, finish content_filter".into(),
    }
}

/// What a caller sees, in plain words.
pub fn seen(sees: Sees) -> String {
    match sees {
        Sees::Second => "the second tier's answer, whole".into(),
        Sees::First("ok") => "the first tier's answer, whole".into(),
        Sees::First(class) => format!("the first tier's answer, marked `{class}`"),
        Sees::Error(Problem::Invalid(status)) => format!("{status}, the provider's words"),
        Sees::Error(Problem::Unavailable) => "503 `all_providers_failed`".into(),
        Sees::Error(Problem::Useless) => "502 `all_providers_failed`".into(),
        Sees::Error(Problem::RateLimited) => "429 `rate_limit_error`".into(),
        Sees::Cut => "a part, then an error event".into(),
        Sees::Refusal => "200, the refusal".into(),
        Sees::Filtered => "200, finish `content_filter`".into(),
    }
}

/// The same where nobody else is, with when to come back.
pub fn seen_alone(expect: &Expect) -> String {
    let seen = seen(expect.alone);
    match expect.comes_back {
        ComesBack::No => seen,
        ComesBack::In(_) => format!("{seen}, `Retry-After`"),
    }
}

/// The log's rows of the first tier, in plain words.
pub fn logged(expect: &Expect) -> String {
    let (outcome, word) = log(expect.log);
    match expect.calls[0] {
        1 => format!("`{outcome}` `{word}`"),
        calls => format!("{calls} × `{outcome}` `{word}`"),
    }
}

/// How the first tier fares, in plain words.
pub fn fares(health: Health) -> &'static str {
    match health {
        Health::Well => "as before",
        Health::Cools(SHORT) => "cools for a third of its `cooldown`",
        Health::Cools(COOLDOWN) => "cools for its `cooldown`",
        Health::Cools(_) => "cools as long as was asked",
        Health::OutOfMoney => "out for 10 minutes, alert",
        Health::OutUntilProbe => "out until a probe succeeds, alert",
    }
}
