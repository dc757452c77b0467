//! Places inside a JSON value, as Gemini spells them: `$.list[0].name`, `$['odd name']`.
//!
//! The part of RFC 9535 that names one place: member names and indices, no wildcard and no filter.

/// One step from a container to what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Name(String),
    Index(usize),
}

/// The steps of a path; nothing where it is none.
pub(super) fn steps(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let (step, after) = if let Some(name) = rest.strip_prefix('.') {
            named(name)?
        } else if let Some(inside) = rest.strip_prefix('[') {
            bracketed(inside)?
        } else {
            return None;
        };
        steps.push(step);
        rest = after;
    }
    Some(steps)
}

fn named(text: &str) -> Option<(Step, &str)> {
    let (name, after) = text.split_at_checked(text.find(['.', '[']).unwrap_or(text.len()))?;
    (!name.is_empty()).then(|| (Step::Name(name.to_owned()), after))
}

fn bracketed(text: &str) -> Option<(Step, &str)> {
    let Some(quote) = text.chars().next().filter(|mark| matches!(mark, '\'' | '"')) else {
        let (digits, after) = text.split_once(']')?;
        return Some((Step::Index(digits.parse().ok()?), after));
    };
    let mut name = String::new();
    let mut letters = text.char_indices().skip(1);
    loop {
        match letters.next()?.1 {
            '\\' => name.push(letters.next()?.1),
            mark if mark == quote => break,
            letter => name.push(letter),
        }
    }
    let (end, _) = letters.next().filter(|(_, mark)| *mark == ']')?;
    Some((Step::Name(name), text.get(end.checked_add(1)?..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(name: &str) -> Step {
        Step::Name(name.to_owned())
    }

    #[test]
    fn names_and_indices_are_told_apart() {
        assert_eq!(steps("$.a.b-c[10].d"), Some(vec![name("a"), name("b-c"), Step::Index(10), name("d")]));
        assert_eq!(steps("$[0][1]"), Some(vec![Step::Index(0), Step::Index(1)]));
        assert_eq!(
            steps(r#"$['a.b']["c'd"]['e\'f'].g"#),
            Some(["a.b", "c'd", "e'f", "g"].map(name).to_vec())
        );
        assert_eq!(steps("$['naïve']"), Some(vec![name("naïve")]));
        assert_eq!(steps("$"), Some(vec![]));
    }

    #[test]
    fn what_is_no_path_is_none() {
        for text in [
            "", "a", "$a", "$.", "$..a", "$.a.", "$[", "$[]", "$[-1]", "$[1", "$['a]", "$['a'", "$['a'x]",
            "$[*]",
        ] {
            assert_eq!(steps(text), None, "{text}");
        }
    }
}
