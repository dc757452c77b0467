//! JSON Schemas, compiled once and kept.
//!
//! A schema comes from the caller, so its size, its patterns and the number that is kept are limited, and no
//! reference leaves it. A schema that does not compile is not the answer's fault: it is skipped, and the
//! verdict says so.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

use crate::plain::clip;

/// Bytes of the longest schema that is compiled.
const LARGEST: usize = 256 * 1024;
/// Levels of the deepest schema that is compiled.
const DEEPEST: usize = 64;
/// Schemas kept; the oldest makes room.
const KEPT: usize = 256;
/// Bytes that a compiled pattern of a schema may take.
const PATTERN_SIZE: usize = 256 * 1024;
/// Steps back that a pattern with look-around may take on one value.
const BACKTRACKS: usize = 50_000;
/// Steps by references and combinations that one place of a schema may take on one value.
const STEPS: usize = 1000;
/// Bytes of a fault's description that reach a detail.
const FAULT: usize = 160;

/// A schema, ready or not.
pub(crate) enum Schema {
    /// It can be checked against.
    Ready(Box<Validator>),
    /// It cannot, and why.
    Skipped(&'static str),
}

impl Schema {
    /// The first fault of `value`, described without its contents. A skipped schema finds none.
    pub(crate) fn fault(&self, value: &Value) -> Option<String> {
        match self {
            Self::Ready(validator) => {
                let error = validator.iter_errors(value).next()?;
                let place = error.instance_path().to_string();
                let words = error.masked().to_string();
                let words = clip(&words, FAULT);
                Some(if place.is_empty() {
                    words.to_owned()
                } else {
                    format!("{}: {words}", clip(&place, FAULT))
                })
            }
            Self::Skipped(_) => None,
        }
    }

    /// Why nothing can be checked, if so.
    pub(crate) fn skipped(&self) -> Option<&'static str> {
        match self {
            Self::Ready(_) => None,
            Self::Skipped(why) => Some(why),
        }
    }

    fn compile(text: &str) -> Self {
        if text.len() > LARGEST {
            return Self::Skipped("the schema is longer than 256 KB");
        }
        let Ok(schema) = serde_json::from_str::<Value>(text) else {
            return Self::Skipped("the schema is not JSON");
        };
        if depth_exceeds(&schema, DEEPEST) {
            return Self::Skipped("the schema is deeper than 64 levels");
        }
        if refers_in_circles(&schema) {
            return Self::Skipped("the schema refers to itself without end or measure");
        }
        let options = || jsonschema::options().offline().should_validate_formats(false);
        let linear = PatternOptions::regex().size_limit(PATTERN_SIZE).dfa_size_limit(PATTERN_SIZE);
        let looking = PatternOptions::fancy_regex()
            .backtrack_limit(BACKTRACKS)
            .size_limit(PATTERN_SIZE)
            .dfa_size_limit(PATTERN_SIZE);
        // Patterns run in linear time where they can; look-around needs the other engine.
        let built = options()
            .with_pattern_options(linear)
            .build(&schema)
            .or_else(|_| options().with_pattern_options(looking).build(&schema));
        match built {
            Ok(validator) => Self::Ready(Box::new(validator)),
            Err(_) => Self::Skipped("the schema does not compile"),
        }
    }
}

/// Whether `value` has more than `left` levels.
fn depth_exceeds(value: &Value, left: usize) -> bool {
    let Some(left) = left.checked_sub(1) else { return true };
    match value {
        Value::Array(items) => items.iter().any(|item| depth_exceeds(item, left)),
        Value::Object(members) => members.values().any(|member| depth_exceeds(member, left)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Whether following references alone, without going into the value that is checked, comes back to where
/// it was, or branches without measure. Checking against such a schema would never end, or not in time.
fn refers_in_circles(schema: &Value) -> bool {
    let mut starts = vec![schema];
    while let Some(at) = starts.pop() {
        if reaches(schema, at, at, &mut { STEPS }) {
            return true;
        }
        match at {
            Value::Array(items) => starts.extend(items),
            Value::Object(members) => starts.extend(members.values()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    false
}

/// Whether `at` leads to `goal` by references and by keywords that look at the same value, or takes more
/// steps than are left.
fn reaches(root: &Value, at: &Value, goal: &Value, left: &mut usize) -> bool {
    let Value::Object(members) = at else { return false };
    let Some(fewer) = left.checked_sub(1) else { return true };
    *left = fewer;
    members.iter().any(|(keyword, member)| {
        let mut goes_on = |next: &Value| std::ptr::eq(next, goal) || reaches(root, next, goal, left);
        match keyword.as_str() {
            "$ref" | "$dynamicRef" | "$recursiveRef" => target(root, member).is_some_and(goes_on),
            "allOf" | "anyOf" | "oneOf" => member.as_array().is_some_and(|all| all.iter().any(goes_on)),
            "not" | "if" | "then" | "else" => goes_on(member),
            _ => false,
        }
    })
}

fn target<'a>(root: &'a Value, reference: &Value) -> Option<&'a Value> {
    let pointer = reference.as_str()?.strip_prefix('#')?;
    root.pointer(pointer)
}

/// Schemas by their text.
#[derive(Default)]
pub(crate) struct Schemas {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    by_text: HashMap<Arc<str>, Arc<Schema>>,
    by_age: VecDeque<Arc<str>>,
}

impl Schemas {
    /// The schema of that text, compiled now or before.
    pub(crate) fn of(&self, text: &str) -> Arc<Schema> {
        if let Some(schema) = self.lock().by_text.get(text) {
            return Arc::clone(schema);
        }
        // Compiled outside the lock: it may take a while.
        let schema = Arc::new(Schema::compile(text));
        if text.len() > LARGEST {
            return schema;
        }
        let mut kept = self.lock();
        while kept.by_age.len() >= KEPT {
            if let Some(oldest) = kept.by_age.pop_front() {
                kept.by_text.remove(&oldest);
            }
        }
        let text: Arc<str> = text.into();
        if kept.by_text.insert(Arc::clone(&text), Arc::clone(&schema)).is_none() {
            kept.by_age.push_back(text);
        }
        schema
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        // Nothing panics while it is held; were it so, the map would still be whole.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fault(schema: &Value, value: &Value) -> Option<String> {
        Schema::compile(&schema.to_string()).fault(value)
    }

    #[test]
    fn a_fault_names_the_place_and_not_the_contents() {
        let schema = json!({"type": "object", "required": ["city"], "properties": {"city": {"type": "string", "maxLength": 5}}});
        assert!(fault(&schema, &json!({"city": "Oslo"})).is_none());
        assert!(fault(&schema, &json!({})).unwrap().contains("city"));
        let words = fault(&schema, &json!({"city": "a secret place"})).unwrap();
        assert!(words.contains("/city") && !words.contains("secret"), "{words}");
    }

    #[test]
    fn a_schema_that_cannot_be_used_is_skipped_and_says_why() {
        for text in [
            "{",
            "{\"type\": \"OBJECT\"}",
            "{\"$ref\": \"https://example.com/s.json\"}",
            "{\"pattern\": \"(\"}",
        ] {
            assert!(Schema::compile(text).skipped().is_some(), "{text}");
        }
        let deep = "{\"items\":".repeat(100) + "true" + &"}".repeat(100);
        assert!(Schema::compile(&deep).skipped().is_some());
        assert!(Schema::compile(&format!("\"{}\"", "a".repeat(LARGEST))).skipped().is_some());
    }

    #[test]
    fn a_schema_without_end_is_skipped_and_a_tree_is_not() {
        for text in [
            "{\"$ref\": \"#\"}",
            "{\"allOf\": [{\"$ref\": \"#\"}]}",
            "{\"$ref\": \"#/$defs/a\", \"$defs\": {\"a\": {\"$ref\": \"#/$defs/b\"}, \"b\": {\"anyOf\": [{\"$ref\": \"#/$defs/a\"}]}}}",
        ] {
            assert!(Schema::compile(text).skipped().is_some(), "{text}");
        }
        let tree =
            json!({"type": "object", "properties": {"next": {"$ref": "#"}, "value": {"type": "integer"}}});
        assert!(fault(&tree, &json!({"next": {"next": {"value": 1}}})).is_none());
        assert!(fault(&tree, &json!({"next": {"next": {"value": "1"}}})).is_some());
    }

    #[test]
    fn patterns_with_look_around_are_bounded() {
        let schema = json!({"type": "string", "pattern": "^(?=.*[0-9]).{3,}$"});
        assert!(fault(&schema, &json!("ab1")).is_none());
        assert!(fault(&schema, &json!("abc")).is_some());
        let slow = json!({"type": "string", "pattern": "^(?=(a+)+$)(a+)+$"});
        let _ = fault(&slow, &json!("a".repeat(5000) + "b"));
    }

    #[test]
    fn the_number_of_kept_schemas_is_bounded() {
        let schemas = Schemas::default();
        for n in 0..KEPT + 20 {
            schemas.of(&format!("{{\"minimum\": {n}}}"));
        }
        assert_eq!(schemas.lock().by_text.len(), KEPT);
        let first = schemas.of("{\"minimum\": 100}");
        assert!(Arc::ptr_eq(&first, &schemas.of("{\"minimum\": 100}")));
    }
}
