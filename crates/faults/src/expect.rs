//! What must follow from a fault, by the contract.

/// What a caller must see, and what must be done and written down.
#[derive(Clone, Debug)]
pub struct Expect {
    /// The contract's rule.
    pub rule: &'static str,
    /// What the caller sees where a second tier is healthy.
    pub sees: Sees,
    /// How many calls reach the broken tier, and how many the healthy one.
    pub calls: [usize; 2],
    /// What the log's row says of each call to the broken tier.
    pub log: Log,
    /// How the broken tier fares afterwards.
    pub health: Health,
    /// What the caller sees where no second tier is.
    pub alone: Sees,
    /// How many calls are then made.
    pub alone_calls: usize,
    /// Whether the caller is then told when to come back.
    pub comes_back: ComesBack,
}

/// What a caller sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sees {
    /// The healthy tier's whole answer.
    Second,
    /// A whole answer of the tier that has the fault, with that quality.
    First(&'static str),
    /// An error in the caller's dialect instead of an answer.
    Error(Problem),
    /// A part of an answer, an error event, and no ordinary end.
    Cut,
    /// The refusal, as an answer that says so.
    Refusal,
    /// What a filter left, as an answer that says so.
    Filtered,
}

/// Which error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// Nobody answered, and somebody was out of reach.
    Unavailable,
    /// Everybody answered, and no answer was any use.
    Useless,
    /// Everybody is rate limited.
    RateLimited,
    /// The request itself is wrong, with that status.
    Invalid(u16),
}

/// What the log's row says of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Log {
    /// Outcome `error`, of that kind.
    Error(&'static str),
    /// Outcome `quality`, of that class.
    Quality(&'static str),
    /// Outcome `ok`, of that class.
    Ok(&'static str),
}

/// How a tier fares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// It may be asked.
    Well,
    /// It cools for so many seconds.
    Cools(u64),
    /// It is out for ten minutes: its money is gone.
    OutOfMoney,
    /// It is out until a probe succeeds.
    OutUntilProbe,
}

/// Whether a caller is told when to come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComesBack {
    /// No: waiting helps nothing.
    No,
    /// In about so many seconds.
    In(u64),
}

/// The `cooldown` of every tier here, in seconds: so long that no tier is back before it is looked at, and that no
/// request sits it out within its deadline.
pub const COOLDOWN: u64 = 1800;
/// How long a tier cools that failed at transport or server: a third of its `cooldown` (5.5).
pub const SHORT: u64 = COOLDOWN / 3;
/// How long a tier is out whose money is gone (5.5), in seconds.
pub const MONEY: u64 = 600;

impl Expect {
    /// Transport, server, unreadable body, broken stream before release: the same tier within its budget, then the
    /// next; the tier cools when it is left (5.5, 5.3b).
    pub const fn outage(kind: &'static str) -> Self {
        Self {
            rule: "5.5",
            sees: Sees::Second,
            calls: [2, 1],
            log: Log::Error(kind),
            health: Health::Cools(SHORT),
            alone: Sees::Error(Problem::Unavailable),
            alone_calls: 2,
            comes_back: ComesBack::In(SHORT),
        }
    }

    /// A limit of time has passed: the next tier at once (5.5).
    pub const fn stall(kind: &'static str) -> Self {
        Self { calls: [1, 1], alone_calls: 1, ..Self::outage(kind) }
    }

    /// Too many requests: the next tier at once; nobody calls before the hint has passed (5.2, 5.5).
    pub const fn limited(seconds: u64) -> Self {
        Self {
            rule: "5.2",
            calls: [1, 1],
            log: Log::Error("rate_limited"),
            health: Health::Cools(seconds),
            alone: Sees::Error(Problem::RateLimited),
            alone_calls: 1,
            comes_back: ComesBack::In(seconds),
            ..Self::outage("")
        }
    }

    /// The money is gone (5.5).
    pub const fn out_of_money() -> Self {
        Self {
            health: Health::OutOfMoney,
            comes_back: ComesBack::In(MONEY),
            ..Self::stall("quota_exhausted")
        }
    }

    /// The key, the account or the model's name is wrong (5.5). No wait mends that.
    pub const fn misconfigured(kind: &'static str) -> Self {
        Self { health: Health::OutUntilProbe, comes_back: ComesBack::No, ..Self::stall(kind) }
    }

    /// An answer that is no use: the same tier within its budget, then the next; its health is untouched (4.1, 4.6).
    pub const fn bad_answer(class: &'static str) -> Self {
        Self {
            rule: "4.1",
            log: Log::Quality(class),
            health: Health::Well,
            alone: Sees::Error(Problem::Useless),
            comes_back: ComesBack::No,
            ..Self::outage("")
        }
    }

    /// A refusal: never the same tier again; alone it is the answer (4.1, 5.1, 6.5a).
    pub const fn refusal() -> Self {
        Self { calls: [1, 1], alone: Sees::Refusal, alone_calls: 1, ..Self::bad_answer("refusal") }
    }

    /// A provider's filter stopped the answer: never the same tier again; alone it is the answer, which says so (4.1,
    /// 6.5a).
    pub const fn filtered() -> Self {
        Self { calls: [1, 1], alone: Sees::Filtered, alone_calls: 1, ..Self::bad_answer("filtered") }
    }

    /// A finish word that no table knows (3.1, 5.5).
    pub const fn unknown_word() -> Self {
        Self {
            rule: "3.1",
            log: Log::Error("unknown_finish_reason"),
            calls: [1, 1],
            alone_calls: 1,
            ..Self::bad_answer("")
        }
    }

    /// The request itself is wrong: the caller's error comes back at once (5.5).
    pub const fn invalid(status: u16, kind: &'static str) -> Self {
        Self {
            sees: Sees::Error(Problem::Invalid(status)),
            calls: [1, 0],
            health: Health::Well,
            alone: Sees::Error(Problem::Invalid(status)),
            alone_calls: 1,
            comes_back: ComesBack::No,
            ..Self::outage(kind)
        }
    }

    /// The request is larger than this provider takes, whatever it says: another may take it, and if none does, that
    /// is the caller's error.
    pub const fn too_large() -> Self {
        Self { sees: Sees::Second, calls: [1, 1], ..Self::invalid(413, "too_large") }
    }

    /// An answer that comes, is whole, and goes out: nothing is tried again.
    pub const fn answers(quality: &'static str) -> Self {
        Self {
            rule: "6.1",
            sees: Sees::First(quality),
            calls: [1, 0],
            log: Log::Ok(quality),
            health: Health::Well,
            alone: Sees::First(quality),
            alone_calls: 1,
            comes_back: ComesBack::No,
        }
    }

    /// A useless answer that was released before that showed: it is out, and the log says what it was (7.1, 7.3).
    pub const fn too_late(class: &'static str) -> Self {
        Self { rule: "7.3", log: Log::Quality(class), ..Self::answers(class) }
    }

    /// An answer that breaks off after its release: continued on the same tier within its budget, then an error
    /// event and never an ordinary end (7.4).
    pub const fn breaks_off(kind: &'static str) -> Self {
        Self {
            rule: "7.4",
            sees: Sees::Cut,
            calls: [2, 0],
            alone: Sees::Cut,
            comes_back: ComesBack::No,
            ..Self::outage(kind)
        }
    }

    /// The same with another count of calls to the broken tier.
    #[must_use]
    pub const fn calls(mut self, calls: usize) -> Self {
        self.calls[0] = calls;
        self.alone_calls = calls;
        self
    }

    /// The same with another rule.
    #[must_use]
    pub const fn rule(mut self, rule: &'static str) -> Self {
        self.rule = rule;
        self
    }

    /// The same with other health afterwards.
    #[must_use]
    pub const fn health(mut self, health: Health) -> Self {
        self.health = health;
        self
    }
}
