//! Why two implementations may differ.

use std::collections::HashSet;

use skewer_engine::{Map, Str, Value};

use super::compare::Answer;
use super::trial::{Kind, Trial};

/// A reason for answers to differ, with what to look at.
#[derive(Debug)]
pub struct Rule {
    /// A short name, for counts.
    pub name: &'static str,
    /// Why.
    pub because: &'static str,
    pub(super) holds: fn(&Trial, &Answer, &Answer) -> bool,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Rule {}

/// The target's answer changes from one time to the next, and ours is among its answers. No look at the answers
/// shows that: the target is asked again.
pub static MAP_ORDER: Rule = Rule {
    name: "map-order",
    because: "the target's own answer changes with the order of its maps, and ours is one of its answers",
    holds: |_, _, _| false,
};

/// What is looked for in the answers, the first that holds.
pub static RULES: &[Rule] = &[
    Rule {
        name: "upstream-panics",
        because: "the target panics where it compares lists or maps as scalars, or looks into null; ours refuses \
                  with not-a-scalar",
        holds: |_, ours, theirs| is_refused_panic(ours, theirs),
    },
    Rule {
        name: "null-in-json-patch",
        because: "the target panics when a JSON patch tests a list that holds null, or tests nothing for nothing, and takes a null that a patch \
                  has set for another than one that was there, or for an empty map; ours knows one null",
        holds: |trial, ours, theirs| {
            let of_null = match (ours, theirs) {
                (_, Answer::Panic(_)) => true,
                (_, Answer::Refused { message, .. }) => message.ends_with("test failed"),
                (Answer::Refused { message, .. }, Answer::Result(_)) => message.contains("has nothing at"),
                _ => false,
            };
            let null_or_nothing =
                trial.documents.iter().any(|document| has_null(document) || tests_for_nothing(document));
            trial.kind == Kind::JsonPatchApply && of_null && null_or_nothing
        },
    },
    Rule {
        name: "shared-memory",
        because: "the target merges a list of scalars in the memory of one that it orders the result by, when an \
                  earlier step left room there (a deletion, or the item of the patch that brought the list): \
                  repeated items then change that order",
        holds: |trial, ours, theirs| match (ours, theirs) {
            (Answer::Result(ours), Answer::Result(theirs)) => {
                let left_room = trial.kind == Kind::Merge
                    || trial.documents.iter().any(has_deletions)
                    || matches!(trial.kind, Kind::Apply | Kind::ThreeWay)
                        && trial.documents.iter().any(brings_a_list_twice);
                left_room
                    && trial.documents.iter().any(has_repeated_scalar)
                    && regardless_of_order(ours, theirs)
            }
            _ => false,
        },
    },
    Rule {
        name: "uneven-repetition",
        because: "the target compares lists of one length item by item after it has taken repeated scalars out, and \
                  panics when the right one is shorter by then; ours calls that a conflict",
        holds: |trial, ours, theirs| {
            let conflict = match ours {
                Answer::Result(ours) => *ours == Value::Bool(true),
                Answer::Refused { kind, .. } => *kind == "conflict",
                _ => false,
            };
            conflict
                && matches!(theirs, Answer::Panic(message) if message.contains("index out of range"))
                && trial.documents.iter().any(has_repeated_scalar)
        },
    },
];

/// Is this a JSON patch with a test that has no value?
fn tests_for_nothing(patch: &Value) -> bool {
    let is_test = |operation: &Map| operation.get("op").and_then(Value::as_str) == Some("test");
    let mut operations = patch.as_list().into_iter().flatten().filter_map(Value::as_map);
    operations.any(|operation| is_test(operation) && !operation.contains_key("value"))
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::List(items) => items.iter().any(has_null),
        Value::Map(map) => map.iter().any(|(_, value)| has_null(value)),
        value => value.is_null(),
    }
}

fn has_repeated_scalar(value: &Value) -> bool {
    match value {
        Value::List(items) => items
            .iter()
            .enumerate()
            .any(|(at, item)| item.is_scalar() && items[..at].contains(item) || has_repeated_scalar(item)),
        Value::Map(map) => map.iter().any(|(_, value)| has_repeated_scalar(value)),
        _ => false,
    }
}

fn has_deletions(value: &Value) -> bool {
    match value {
        Value::List(items) => items.iter().any(has_deletions),
        Value::Map(map) => map
            .iter()
            .any(|(key, value)| key.starts_with("$deleteFromPrimitiveList/") || has_deletions(value)),
        _ => false,
    }
}

/// Are there two items in one list that have a list under the same key? The second may be merged into the first.
fn brings_a_list_twice(value: &Value) -> bool {
    let lists = |item: &Value| -> Vec<Str> {
        let entries = item.as_map().into_iter().flat_map(Map::iter);
        entries.filter(|(_, value)| value.as_list().is_some()).map(|(key, _)| key.clone()).collect()
    };
    match value {
        Value::List(items) => {
            let mut seen = HashSet::new();
            items.iter().flat_map(lists).any(|key| !seen.insert(key)) || items.iter().any(brings_a_list_twice)
        }
        Value::Map(map) => map.iter().any(|(_, value)| brings_a_list_twice(value)),
        _ => false,
    }
}

/// Equal, when lists of scalars are sets?
fn regardless_of_order(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::List(a), Value::List(b)) if a.iter().chain(b).all(Value::is_scalar) => {
            a.len() == b.len() && a.iter().all(|item| b.contains(item))
        }
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| regardless_of_order(a, b))
        }
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len()
                && a.iter().zip(b.iter()).all(|((k, a), (l, b))| k == l && regardless_of_order(a, b))
        }
        _ => a == b,
    }
}

/// Is one the refusal that stands for the other's panic?
fn is_refused_panic(ours: &Answer, theirs: &Answer) -> bool {
    matches!((ours, theirs), (Answer::Refused { kind: "not-a-scalar", .. }, Answer::Panic(_)))
}
