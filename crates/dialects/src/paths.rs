//! Names of extras where members of inner objects stand among those of the outer one.
//!
//! A member of an inner object is kept under its path, `text.verbosity`. A member of the outer object may be named
//! just so by its caller: a name that has a dot of its own is kept after a backslash, so that it begins no path and
//! ends none, and is written without it.

/// What stands before a member's own name where that could be read as a path.
const LITERAL: char = '\\';

/// The name by which a member is kept, after the path of its object, which ends with a dot or is empty.
pub(crate) fn beneath(object: &str, name: &str) -> String {
    let mut path = String::with_capacity(object.len() + 1 + name.len());
    path.push_str(object);
    if name.contains('.') || name.starts_with(LITERAL) {
        path.push(LITERAL);
    }
    path.push_str(name);
    path
}

/// A member's own name: what is kept, without the path of its object.
pub(crate) fn spelled(kept: &str) -> &str {
    kept.strip_prefix(LITERAL).unwrap_or(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_read_as_a_path_and_every_name_comes_back() {
        let names =
            ["", ".", "a", "a.b", "text.", "text.format", "text.format.x", "\\", "\\a", "\\text.a", "é.世"];
        let objects = ["", "text.", "text.format."];
        let mut seen = std::collections::BTreeSet::new();
        for (object, name) in objects.iter().flat_map(|object| names.map(|name| (object, name))) {
            let kept = beneath(object, name);
            assert_eq!(spelled(&kept[object.len()..]), name);
            let longer = objects.iter().filter(|other| other.len() > object.len());
            assert!(longer.clone().all(|other| !kept.starts_with(other)), "{kept} is not of another object");
            assert!(seen.insert(kept), "{object} {name}");
        }
    }
}
