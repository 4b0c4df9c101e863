//! Known reasons for different answers of two implementations.

use skewer_engine::{Doc, OwnedDoc, OwnedMap, OwnedText, Text};

use super::answer::Answer;
use super::trial::{Trial, TrialOperation};
use crate::targets::exec;

/// A known reason for different answers, with a test for it.
#[derive(Debug)]
pub struct DeviationRule {
    /// Short name, for counts.
    pub name: &'static str,
    /// The reason.
    pub because: &'static str,
    /// Whether the rule explains the answers of the built-in engine and of the target.
    pub(super) explains: fn(&Trial, &Answer, &Answer) -> bool,
}

impl PartialEq for DeviationRule {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for DeviationRule {}

/// The rule for a target whose answer changes from one time to the next, and is ours at times. It cannot be told from two
/// answers: the target is asked again.
pub static MAP_ORDER: DeviationRule = DeviationRule {
    name: "map-order",
    because: "the target's own answer changes with the order of its maps, and ours is one of its answers",
    explains: |_, _, _| false,
};

/// The rules that are tried on two answers, in order.
pub static DEVIATION_RULES: &[DeviationRule] = &[
    DeviationRule {
        name: "upstream-panics",
        because: "the target panics where it compares lists or maps as scalars, or looks into null; ours refuses \
                  with not-a-scalar",
        explains: |_, ours, theirs| is_refused_panic(ours, theirs),
    },
    DeviationRule {
        name: "null-in-json-patch",
        because: "the target panics when a JSON patch tests a list that holds null, or tests nothing for nothing, and takes a null that a patch \
                  has set for another than one that was there, or for an empty map; ours knows one null",
        explains: |trial, ours, theirs| {
            let concerns_null = match (ours, theirs) {
                (_, Answer::Panic(_)) => true,
                (_, Answer::Refused { message, .. }) => message.ends_with("test failed"),
                (Answer::Refused { message, .. }, Answer::Result(_)) => message.contains("has nothing at"),
                _ => false,
            };
            let has_null_or_missing_value =
                trial.documents.iter().any(|document| has_null(document) || has_test_without_value(document));
            trial.operation == TrialOperation::JsonPatchApply && concerns_null && has_null_or_missing_value
        },
    },
    DeviationRule {
        name: "shared-memory",
        because: "the target merges a list of scalars in the memory of one that it orders the result by, when an \
                  earlier step left more or less room there than decoding (a deletion, or another merge): repeated \
                  items then change that order",
        explains: |trial, ours, theirs| match (ours, theirs) {
            (Answer::Result(ours), Answer::Result(theirs)) => {
                let mut differing = Vec::new();
                is_equal_up_to_scalar_order(ours, theirs, "", &mut differing)
                    && differing.iter().all(|key| can_have_spare_capacity(trial, key))
            }
            _ => false,
        },
    },
    DeviationRule {
        name: "openapi-lookup",
        because: "types that contain themselves are looked up in OpenAPI, where the target takes any field for a \
                  list, and finds a field in its own case only; its lookup in Go types does as ours does",
        explains: |trial, ours, theirs| {
            let is_no_list = |message: &str| message.contains("is not a list in the schema");
            let in_openapi_alone = matches!(ours, Answer::Refused { kind: "schema-mismatch", message } if is_no_list(message))
                || matches!(theirs, Answer::Refused { kind: "unknown-field", .. });
            in_openapi_alone && exec::is_recursive(&trial.types.context)
        },
    },
    DeviationRule {
        name: "uneven-repetition",
        because: "the target compares lists of one length item by item after it has taken repeated scalars out, and \
                  panics when the right one is shorter by then; ours calls that a conflict",
        explains: |trial, ours, theirs| {
            let conflict = match ours {
                Answer::Result(ours) => *ours == Doc::Bool(true),
                Answer::Refused { kind, .. } => *kind == "conflict",
                _ => false,
            };
            conflict
                && matches!(theirs, Answer::Panic(message) if message.contains("index out of range"))
                && trial.documents.iter().any(has_any_list_with_repetition)
        },
    },
];

/// Returns true for a JSON patch with a test that has no value.
fn has_test_without_value(patch: &OwnedDoc) -> bool {
    let is_test = |operation: &OwnedMap| operation.get("op").and_then(Doc::as_str) == Some("test");
    let mut operations = patch.as_list().into_iter().flatten().filter_map(Doc::as_map);
    operations.any(|operation| is_test(operation) && !operation.contains_key("value"))
}

fn has_null(value: &OwnedDoc) -> bool {
    match value {
        Doc::List(items) => items.iter().any(has_null),
        Doc::Map(map) => map.iter().any(|(_, value)| has_null(value)),
        value => value.is_null(),
    }
}

fn has_any_list_with_repetition(value: &OwnedDoc) -> bool {
    match value {
        Doc::List(items) => has_repeated_scalars(items) || items.iter().any(has_any_list_with_repetition),
        Doc::Map(map) => map.iter().any(|(_, value)| has_any_list_with_repetition(value)),
        _ => false,
    }
}

/// Returns true if an earlier step can have left spare capacity in the list at this key, and its items repeat.
fn can_have_spare_capacity(trial: &Trial, key: &str) -> bool {
    let documents = || trial.documents.iter();
    let deletion = format!("$deleteFromPrimitiveList/{key}");
    let can_leave_capacity = match trial.operation {
        // The first two of three lists are merged by the time that the third is.
        TrialOperation::Merge => documents().filter(|document| has_list_at(document, key)).count() > 2,
        TrialOperation::Apply | TrialOperation::ThreeWay => {
            documents().any(|document| has_sibling_lists(document, key))
        }
        _ => false,
    };
    (can_leave_capacity || documents().any(|document| has_list_at(document, &deletion)))
        && documents().any(|document| has_list_with_repetition_at(document, key))
}

/// Returns true if the predicate holds for a map of the document.
fn has_map_where(value: &OwnedDoc, predicate: &dyn Fn(&OwnedMap) -> bool) -> bool {
    match value {
        Doc::List(items) => items.iter().any(|item| has_map_where(item, predicate)),
        Doc::Map(map) => predicate(map) || map.iter().any(|(_, value)| has_map_where(value, predicate)),
        _ => false,
    }
}

fn list_at<'v>(map: &'v OwnedMap, key: &str) -> Option<&'v [OwnedDoc]> {
    map.get(key).and_then(Doc::as_list)
}

fn has_list_at(document: &OwnedDoc, key: &str) -> bool {
    has_map_where(document, &|map| list_at(map, key).is_some())
}

fn has_list_with_repetition_at(document: &OwnedDoc, key: &str) -> bool {
    has_map_where(document, &|map| list_at(map, key).is_some_and(has_repeated_scalars))
}

fn has_repeated_scalars(items: &[OwnedDoc]) -> bool {
    items.iter().enumerate().any(|(at, item)| item.is_scalar() && items[..at].contains(item))
}

/// Returns true if two items of one list have a list at this key. The second may be merged into the first.
fn has_sibling_lists(document: &OwnedDoc, key: &str) -> bool {
    let has_list_at_key = |item: &&OwnedDoc| item.as_map().is_some_and(|map| list_at(map, key).is_some());
    let has_siblings = |value: &OwnedDoc| {
        value.as_list().is_some_and(|items| items.iter().filter(has_list_at_key).count() > 1)
    };
    has_map_where(document, &|map| map.iter().any(|(_, value)| has_siblings(value)))
}

/// Returns true if the documents are equal with lists of scalars as sets. Collects the keys of the lists whose order
/// differs.
fn is_equal_up_to_scalar_order(
    a: &OwnedDoc,
    b: &OwnedDoc,
    key: &str,
    differing: &mut Vec<OwnedText>,
) -> bool {
    match (a, b) {
        (Doc::List(a), Doc::List(b)) if a.iter().chain(b).all(Doc::is_scalar) => {
            if a != b {
                differing.push(Text::from(key));
            }
            a.len() == b.len() && a.iter().all(|item| b.contains(item))
        }
        (Doc::List(a), Doc::List(b)) => {
            a.len() == b.len()
                && a.iter().zip(b).all(|(a, b)| is_equal_up_to_scalar_order(a, b, key, differing))
        }
        (Doc::Map(a), Doc::Map(b)) => {
            let mut entries = a.iter().zip(b.iter());
            a.len() == b.len()
                && entries.all(|((k, a), (l, b))| k == l && is_equal_up_to_scalar_order(a, b, k, differing))
        }
        _ => a == b,
    }
}

/// Returns true if our answer is the refusal that stands for the target's panic.
fn is_refused_panic(ours: &Answer, theirs: &Answer) -> bool {
    matches!((ours, theirs), (Answer::Refused { kind: "not-a-scalar", .. }, Answer::Panic(_)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rstest::rstest;
    use skewer_engine::document::from_json;
    use skewer_engine::patch::{Overwrite, PatchContext};
    use skewer_engine::schema::{Schema, go};

    use super::super::generate::{self, TypeSource};
    use super::*;

    fn trial(operation: TrialOperation, documents: &[&str]) -> Trial {
        let documents = documents.iter().map(|text| from_json(text.as_bytes()).unwrap()).collect();
        let types = Arc::clone(&generate::types_of_trial(&TypeSource::Random, 1, 0).unwrap());
        Trial { number: 0, operation, types, documents, overwrite: Overwrite::No, preconditions: Vec::new() }
    }

    #[rstest]
    #[case::recursive("type T struct {\n\tA *T `json:\"a\"`\n}", true)]
    #[case::not_recursive("type T struct {\n\tA string `json:\"a\"`\n}", false)]
    fn openapi_lookup_explains_recursive_types_only(#[case] source: &str, #[case] explained: bool) {
        let schema = Schema::compile(&go::read(source).unwrap()).unwrap();
        let mut trial = trial(TrialOperation::TwoWay, &[r#"{"a":[]}"#, r#"{"a":[1]}"#]);
        let mut types = (*trial.types).clone();
        types.context = PatchContext::of(Arc::new(schema), "T").unwrap();
        trial.types = Arc::new(types);
        let message = "a: a is not a list in the schema".to_owned();
        let ours = Answer::Refused { kind: "schema-mismatch", message };
        let theirs = Answer::Result(from_json(b"{}").unwrap());
        let rule = DEVIATION_RULES.iter().find(|rule| rule.name == "openapi-lookup").unwrap();
        assert_eq!((rule.explains)(&trial, &ours, &theirs), explained);
    }

    /// A reason for one list is no reason for another.
    #[rstest]
    #[case::deleted_from(
        r#"{"$deleteFromPrimitiveList/a":["z"],"a":["w"]}"#,
        r#"{"a":["x","y"],"b":["x"]}"#,
        true
    )]
    #[case::of_another_list(
        r#"{"$deleteFromPrimitiveList/b":["z"],"a":["w"]}"#,
        r#"{"a":["x","y"],"b":["x"]}"#,
        false
    )]
    #[case::another_set(
        r#"{"$deleteFromPrimitiveList/a":["z"],"a":["w"]}"#,
        r#"{"a":["x"],"b":["x"]}"#,
        false
    )]
    #[case::another_value(
        r#"{"$deleteFromPrimitiveList/a":["z"],"a":["w"]}"#,
        r#"{"a":["x","y"],"b":["y"]}"#,
        false
    )]
    fn list_order_is_explained_by_changes_of_that_list(
        #[case] patch: &str,
        #[case] theirs: &str,
        #[case] explained: bool,
    ) {
        let trial = trial(TrialOperation::Apply, &[r#"{"a":["y","x","y"],"b":["x"]}"#, patch]);
        let answer = |text: &str| Answer::Result(from_json(text.as_bytes()).unwrap());
        let (ours, theirs) = (answer(r#"{"a":["y","x"],"b":["x"]}"#), answer(theirs));
        let rule = DEVIATION_RULES.iter().find(|rule| rule.name == "shared-memory").unwrap();
        assert_eq!((rule.explains)(&trial, &ours, &theirs), explained);
    }
}
