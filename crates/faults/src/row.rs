//! A row of the table: a fault, what must follow from it, and where that differs.

use std::sync::Arc;

use mainstay_testkit::{Fault, Reply, Spelling};

use crate::ask::{Face, Wish};
use crate::expect::Expect;

/// A fault of a provider.
pub struct Row {
    /// Its name in the table.
    pub name: &'static str,
    /// What happens, in plain words.
    pub what: &'static str,
    /// What is asked.
    pub wish: Wish,
    /// How the first tier goes wrong.
    pub trouble: Trouble,
    /// Limits of the broken tier, as lines of its configuration.
    pub limits: &'static str,
    /// What must follow.
    pub expect: Expect,
    /// Where something else must follow, or the fault cannot be.
    pub buts: Vec<But>,
}

/// How a tier goes wrong.
#[derive(Clone)]
pub enum Trouble {
    /// Its provider answers so, in each dialect.
    Fault(Fault),
    /// The same, made anew for each call.
    Made(Arc<dyn Fn() -> Reply + Send + Sync>),
    /// Its provider cannot be reached as it should.
    Place(Place),
}

/// Where a provider is that cannot be reached as it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A port at which nobody listens.
    Nobody,
    /// A host whose name cannot be resolved.
    NoName,
    /// `https` at a port that speaks plain HTTP.
    PlainForTls,
    /// A certificate that nobody vouches for.
    Untrusted,
    /// It takes the head of the request and no byte more.
    StopsReading,
    /// It takes the request slowly, and then answers.
    ReadsSlowly,
}

impl Place {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Nobody,
        Self::NoName,
        Self::PlainForTls,
        Self::Untrusted,
        Self::StopsReading,
        Self::ReadsSlowly,
    ];

    /// The name of the provider there.
    pub const fn provider(self) -> &'static str {
        match self {
            Self::Nobody => "nobody",
            Self::NoName => "no-name",
            Self::PlainForTls => "plain",
            Self::Untrusted => "untrusted",
            Self::StopsReading => "stops-reading",
            Self::ReadsSlowly => "reads-slowly",
        }
    }
}

/// Cells in which something else must follow, with the reason.
pub struct But {
    /// In these dialects.
    pub spellings: &'static [Spelling],
    /// Only for streams, or only for whole answers.
    pub stream: Option<bool>,
    /// Only for these callers.
    pub faces: &'static [Face],
    /// What must follow; `None` where the fault cannot be.
    pub expect: Option<Expect>,
    /// Why.
    pub why: &'static str,
}

/// Which cells.
#[derive(Clone, Copy)]
pub struct Where(&'static [Spelling], Option<bool>, &'static [Face]);

/// Every cell.
pub const EVERYWHERE: Where = Where(&Spelling::ALL, None, &Face::ALL);
/// Streams.
pub const STREAMS: Where = EVERYWHERE.streams();
/// Whole answers.
pub const WHOLE: Where = EVERYWHERE.whole();

impl Where {
    /// Cells of these dialects.
    pub const fn of(spellings: &'static [Spelling]) -> Self {
        Self(spellings, None, &Face::ALL)
    }

    /// Streams among them.
    #[must_use]
    pub const fn streams(self) -> Self {
        Self(self.0, Some(true), self.2)
    }

    /// Whole answers among them.
    #[must_use]
    pub const fn whole(self) -> Self {
        Self(self.0, Some(false), self.2)
    }
}

impl Row {
    /// A fault that each dialect spells in its way.
    pub fn new(name: &'static str, what: &'static str, fault: Fault, expect: Expect) -> Self {
        Self::of(name, what, Trouble::Fault(fault), expect)
    }

    /// A fault of any kind.
    pub fn of(name: &'static str, what: &'static str, trouble: Trouble, expect: Expect) -> Self {
        Self { name, what, wish: Wish::Words, trouble, limits: "", expect, buts: Vec::new() }
    }

    /// The fault shows only where that is asked.
    #[must_use]
    pub fn asks(mut self, wish: Wish) -> Self {
        self.wish = wish;
        self
    }

    /// The broken tier has these limits.
    #[must_use]
    pub fn limits(mut self, limits: &'static str) -> Self {
        self.limits = limits;
        self
    }

    /// Something else must follow there. What was said first holds where two apply.
    #[must_use]
    pub fn but(self, cells: Where, expect: Expect, why: &'static str) -> Self {
        self.differs(cells, Some(expect), why)
    }

    /// The fault cannot be there.
    #[must_use]
    pub fn never(self, cells: Where, why: &'static str) -> Self {
        self.differs(cells, None, why)
    }

    fn differs(mut self, cells: Where, expect: Option<Expect>, why: &'static str) -> Self {
        let Where(spellings, stream, faces) = cells;
        self.buts.push(But { spellings, stream, faces, expect, why });
        self
    }

    /// What differs in a cell, if anything does.
    pub fn but_in(&self, spelling: Spelling, stream: bool, face: Face) -> Option<&But> {
        self.buts.iter().find(|but| {
            but.spellings.contains(&spelling)
                && but.stream.is_none_or(|only| only == stream)
                && but.faces.contains(&face)
        })
    }

    /// Whether a dialect can have the fault.
    pub fn is_possible(&self, spelling: Spelling, stream: bool) -> bool {
        match &self.trouble {
            Trouble::Fault(fault) => fault.is_possible(spelling, stream),
            Trouble::Made(_) | Trouble::Place(_) => true,
        }
    }

    /// What the first tier's provider answers to one call.
    pub fn reply(&self) -> Reply {
        match &self.trouble {
            Trouble::Fault(fault) => Reply::Fault(fault.clone()),
            Trouble::Made(make) => make(),
            Trouble::Place(_) => self.wish.healthy(),
        }
    }
}
