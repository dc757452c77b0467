//! Ids for tool calls that came without one.
//!
//! Made from what is known when the call begins, never from chance: the same answer read twice gets the
//! same ids. The prompt's size goes in as well, which grows with each turn, so that the calls of one
//! conversation do not share an id.

use mainstay_canon::ToolCall;

/// What a made-up id rests on.
#[derive(Clone, Copy)]
pub(crate) struct Ground<'a> {
    /// The provider's id of the answer.
    pub(crate) answer: Option<&'a str>,
    /// Our estimate of the prompt, in tokens.
    pub(crate) prompt: u64,
    /// The call's place in the answer.
    pub(crate) index: usize,
    /// The tool's name.
    pub(crate) name: &'a str,
}

/// An id that none of `taken` has.
pub(crate) fn made_up(ground: &Ground<'_>, taken: &[ToolCall]) -> String {
    let mut hash = Fnv::new();
    hash.eat(ground.answer.unwrap_or("").as_bytes());
    hash.eat(&ground.prompt.to_le_bytes());
    hash.eat(ground.name.as_bytes());
    loop {
        hash.eat(&ground.index.to_le_bytes());
        let id = format!("call_{}{:012x}", ground.index, hash.0 & 0xffff_ffff_ffff);
        if taken.iter().all(|call| call.id != id) {
            return id;
        }
    }
}

/// FNV-1a, 64 bits: stable over releases, which the standard library's hasher is not.
struct Fnv(u64);

impl Fnv {
    const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn eat(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_canon::Extra;

    fn call(id: &str) -> ToolCall {
        ToolCall { id: id.to_owned(), name: "run".to_owned(), arguments: String::new(), extra: Extra::new() }
    }

    const GROUND: Ground<'_> = Ground { answer: Some("chatcmpl-1"), prompt: 40, index: 0, name: "run" };

    #[test]
    fn the_same_answer_gets_the_same_id() {
        assert_eq!(made_up(&GROUND, &[]), made_up(&GROUND, &[]));
        assert!(made_up(&GROUND, &[]).starts_with("call_0"));
    }

    #[test]
    fn another_turn_call_or_answer_gets_another_id() {
        let first = made_up(&GROUND, &[]);
        assert_ne!(first, made_up(&Ground { prompt: 60, ..GROUND }, &[]));
        assert_ne!(first, made_up(&Ground { index: 1, ..GROUND }, &[]));
        assert_ne!(first, made_up(&Ground { answer: None, ..GROUND }, &[]));
        assert_ne!(first, made_up(&Ground { name: "stop", ..GROUND }, &[]));
    }

    #[test]
    fn an_id_that_is_taken_is_not_given_again() {
        let first = made_up(&GROUND, &[]);
        let second = made_up(&GROUND, &[call(&first)]);
        assert_ne!(second, first);
        assert_ne!(made_up(&GROUND, &[call(&first), call(&second)]), second);
    }
}
