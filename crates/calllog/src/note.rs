//! The remarks that a row's `note` holds: fixed openings that code looks for, free words after them.
//!
//! A note is a list of remarks divided by `"; "`. A remark with a meaning starts with one of the
//! constants here, so that a query can say `note LIKE '%static tier%'`.

/// The static tier answered.
pub const STATIC_TIER: &str = "static tier";
/// Vectors were asked for, not an answer: such a row has no finish reason.
pub const EMBEDDINGS: &str = "embeddings";
/// This attempt continued an answer that had broken off after its release (behaviour 7.4).
pub const CONTINUED: &str = "continued";
/// The bill was above its reservation (behaviour 8.2d).
pub const OVERRUN: &str = "overrun";
/// The verdict was recorded and nothing else was done, as `[quality] action = "observe"` wants.
pub const OBSERVED: &str = "observed";
/// A probe of a tier, made for its health.
pub const PROBE: &str = "probe";
/// What the judge repaired without loss.
pub const REPAIRED: &str = "repaired";
/// Members of the request that the provider's dialect cannot spell.
pub const DROPPED: &str = "dropped";
/// The limit on output that Mainstay set because the caller had set none (behaviour 8.2b).
pub const LIMIT_SET: &str = "max_tokens";

/// What stands between two remarks.
const BETWEEN: &str = "; ";

/// Adds a remark to a note.
pub fn add(note: &mut Option<String>, remark: &str) {
    match note {
        Some(note) if !note.is_empty() => {
            note.push_str(BETWEEN);
            note.push_str(remark);
        }
        Some(_) | None => *note = Some(remark.to_owned()),
    }
}

/// Whether one of the note's remarks starts with this opening.
pub fn has(note: Option<&str>, opening: &str) -> bool {
    note.is_some_and(|note| note.split(BETWEEN).any(|remark| remark.starts_with(opening)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_add_up_and_are_found_by_their_opening() {
        let mut note = None;
        add(&mut note, "max_tokens 4096, the model's maximum");
        add(&mut note, STATIC_TIER);
        assert_eq!(note.as_deref(), Some("max_tokens 4096, the model's maximum; static tier"));
        assert!(has(note.as_deref(), STATIC_TIER) && has(note.as_deref(), LIMIT_SET));
        assert!(!has(note.as_deref(), "maximum") && !has(None, STATIC_TIER));
    }
}
