//! Why two implementations may differ.

use skewer_engine::{Doc, OwnedDoc, OwnedMap, OwnedText, Text};

use super::compare::Answer;
use super::trial::{Kind, Trial};
use crate::targets::exec;

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
                  earlier step left more or less room there than decoding (a deletion, or another merge): repeated \
                  items then change that order",
        holds: |trial, ours, theirs| match (ours, theirs) {
            (Answer::Result(ours), Answer::Result(theirs)) => {
                let mut differing = Vec::new();
                same_but_for_order(ours, theirs, "", &mut differing)
                    && differing.iter().all(|key| has_room_by_accident(trial, key))
            }
            _ => false,
        },
    },
    Rule {
        name: "openapi-lookup",
        because: "types that contain themselves are looked up in OpenAPI, where the target takes any field for a \
                  list, and finds a field in its own case only; its lookup in Go types does as ours does",
        holds: |trial, ours, theirs| {
            let is_no_list = |message: &str| message.contains("is not a list in the schema");
            let in_openapi_alone = matches!(ours, Answer::Refused { kind: "schema-mismatch", message } if is_no_list(message))
                || matches!(theirs, Answer::Refused { kind: "unknown-field", .. });
            in_openapi_alone && exec::is_recursive(&trial.types.context)
        },
    },
    Rule {
        name: "uneven-repetition",
        because: "the target compares lists of one length item by item after it has taken repeated scalars out, and \
                  panics when the right one is shorter by then; ours calls that a conflict",
        holds: |trial, ours, theirs| {
            let conflict = match ours {
                Answer::Result(ours) => *ours == Doc::Bool(true),
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
fn tests_for_nothing(patch: &OwnedDoc) -> bool {
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

fn has_repeated_scalar(value: &OwnedDoc) -> bool {
    match value {
        Doc::List(items) => repeats(items) || items.iter().any(has_repeated_scalar),
        Doc::Map(map) => map.iter().any(|(_, value)| has_repeated_scalar(value)),
        _ => false,
    }
}

/// Can an earlier step have left room behind the list under this key, and do its items repeat?
fn has_room_by_accident(trial: &Trial, key: &str) -> bool {
    let documents = || trial.documents.iter();
    let deletion = format!("$deleteFromPrimitiveList/{key}");
    let left_room = match trial.kind {
        // Of three lists the first two are one by the time that the third comes.
        Kind::Merge => documents().filter(|document| is_list_somewhere(document, key)).count() > 2,
        Kind::Apply | Kind::ThreeWay => documents().any(|document| brings_twice(document, key)),
        _ => false,
    };
    (left_room || documents().any(|document| is_list_somewhere(document, &deletion)))
        && documents().any(|document| repeats_somewhere(document, key))
}

/// Does a test hold for a map of the document?
fn some_map(value: &OwnedDoc, holds: &dyn Fn(&OwnedMap) -> bool) -> bool {
    match value {
        Doc::List(items) => items.iter().any(|item| some_map(item, holds)),
        Doc::Map(map) => holds(map) || map.iter().any(|(_, value)| some_map(value, holds)),
        _ => false,
    }
}

fn list_under<'v>(map: &'v OwnedMap, key: &str) -> Option<&'v [OwnedDoc]> {
    map.get(key).and_then(Doc::as_list)
}

fn is_list_somewhere(document: &OwnedDoc, key: &str) -> bool {
    some_map(document, &|map| list_under(map, key).is_some())
}

fn repeats_somewhere(document: &OwnedDoc, key: &str) -> bool {
    some_map(document, &|map| list_under(map, key).is_some_and(repeats))
}

fn repeats(items: &[OwnedDoc]) -> bool {
    items.iter().enumerate().any(|(at, item)| item.is_scalar() && items[..at].contains(item))
}

/// Are there two items in one list that have a list under this key? The second may be merged into the first.
fn brings_twice(document: &OwnedDoc, key: &str) -> bool {
    let brings = |item: &&OwnedDoc| item.as_map().is_some_and(|map| list_under(map, key).is_some());
    let twice =
        |value: &OwnedDoc| value.as_list().is_some_and(|items| items.iter().filter(brings).count() > 1);
    some_map(document, &|map| map.iter().any(|(_, value)| twice(value)))
}

/// Equal, when lists of scalars are sets? Collects the keys under which the lists stand whose order differs.
fn same_but_for_order(a: &OwnedDoc, b: &OwnedDoc, key: &str, differing: &mut Vec<OwnedText>) -> bool {
    match (a, b) {
        (Doc::List(a), Doc::List(b)) if a.iter().chain(b).all(Doc::is_scalar) => {
            if a != b {
                differing.push(Text::from(key));
            }
            a.len() == b.len() && a.iter().all(|item| b.contains(item))
        }
        (Doc::List(a), Doc::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_but_for_order(a, b, key, differing))
        }
        (Doc::Map(a), Doc::Map(b)) => {
            let mut entries = a.iter().zip(b.iter());
            a.len() == b.len()
                && entries.all(|((k, a), (l, b))| k == l && same_but_for_order(a, b, k, differing))
        }
        _ => a == b,
    }
}

/// Is one the refusal that stands for the other's panic?
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

    use super::super::generate::{self, Source};
    use super::*;

    fn trial(kind: Kind, documents: &[&str]) -> Trial {
        let documents = documents.iter().map(|text| from_json(text.as_bytes()).unwrap()).collect();
        let types = Arc::clone(&generate::types(&Source::Random, 1, 0).unwrap());
        Trial { number: 0, kind, types, documents, overwrite: Overwrite::No, preconditions: Vec::new() }
    }

    #[rstest]
    #[case::that_contains_itself("type T struct {\n\tA *T `json:\"a\"`\n}", true)]
    #[case::that_does_not("type T struct {\n\tA string `json:\"a\"`\n}", false)]
    fn a_field_of_a_type_is_a_list_in_openapi(#[case] source: &str, #[case] explained: bool) {
        let schema = Schema::compile(&go::read(source).unwrap()).unwrap();
        let mut trial = trial(Kind::TwoWay, &[r#"{"a":[]}"#, r#"{"a":[1]}"#]);
        let mut types = (*trial.types).clone();
        types.context = PatchContext::of(Arc::new(schema), "T").unwrap();
        trial.types = Arc::new(types);
        let message = "a: a is not a list in the schema".to_owned();
        let ours = Answer::Refused { kind: "schema-mismatch", message };
        let theirs = Answer::Result(from_json(b"{}").unwrap());
        let rule = RULES.iter().find(|rule| rule.name == "openapi-lookup").unwrap();
        assert_eq!((rule.holds)(&trial, &ours, &theirs), explained);
    }

    /// What explains one list explains no other.
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
    fn an_order_is_explained_by_what_happened_to_its_list(
        #[case] patch: &str,
        #[case] theirs: &str,
        #[case] explained: bool,
    ) {
        let trial = trial(Kind::Apply, &[r#"{"a":["y","x","y"],"b":["x"]}"#, patch]);
        let answer = |text: &str| Answer::Result(from_json(text.as_bytes()).unwrap());
        let (ours, theirs) = (answer(r#"{"a":["y","x"],"b":["x"]}"#), answer(theirs));
        let rule = RULES.iter().find(|rule| rule.name == "shared-memory").unwrap();
        assert_eq!((rule.holds)(&trial, &ours, &theirs), explained);
    }
}
