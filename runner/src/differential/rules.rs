//! Why two implementations may differ.

use skewer_engine::Value;

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
        because: "the target panics when a JSON patch tests a list that holds null; ours compares it",
        holds: |trial, _, theirs| {
            trial.kind == Kind::JsonPatchApply
                && matches!(theirs, Answer::Panic(_))
                && trial.documents.iter().any(has_null_item)
        },
    },
    Rule {
        name: "list-beside-its-deletions",
        because: "the target deletes from a list before or after it merges the same list, by the order of its maps, \
                  and goes on with a list that shares memory with the shorter one: items end up in other places",
        holds: |trial, ours, theirs| match (ours, theirs) {
            (Answer::Result(ours), Answer::Result(theirs)) => {
                trial.documents.iter().any(has_list_beside_deletions) && regardless_of_order(ours, theirs)
            }
            _ => false,
        },
    },
];

fn has_null_item(value: &Value) -> bool {
    match value {
        Value::List(items) => items.iter().any(|item| item.is_null() || has_null_item(item)),
        Value::Map(map) => map.iter().any(|(_, value)| has_null_item(value)),
        _ => false,
    }
}

fn has_list_beside_deletions(value: &Value) -> bool {
    match value {
        Value::List(items) => items.iter().any(has_list_beside_deletions),
        Value::Map(map) => map.iter().any(|(key, value)| {
            let field = key.strip_prefix("$deleteFromPrimitiveList/");
            field.is_some_and(|field| map.contains_key(field)) || has_list_beside_deletions(value)
        }),
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
pub(super) fn is_refused_panic(ours: &Answer, theirs: &Answer) -> bool {
    matches!((ours, theirs), (Answer::Refused { kind: "not-a-scalar", .. }, Answer::Panic(_)))
}
