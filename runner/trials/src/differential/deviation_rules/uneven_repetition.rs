//! The rule for conflict detection in lists of scalars with different numbers of repeated items.
//!
//! Upstream: `slicesHaveConflicts` compares two atomic lists of scalars only if they have the same length. It removes
//! repeated items from both, sorts them, and iterates over the left list. It panics if the right list is now shorter.

use skewer_engine::patch::{self, Overwrite};
use skewer_engine::schema::{FieldMeta, PatchStrategy, Schema, TypeId};
use skewer_engine::{Doc, OwnedDoc, OwnedMap, OwnedText};
use skewer_skew::OperationKind;

use crate::differential::answer::Answer;
use crate::differential::trial::Trial;

/// Returns true if our answer is a conflict, and the target panics with the index at which such a right list ends.
pub(super) fn explains(trial: &Trial, ours: &Answer, theirs: &Answer) -> bool {
    let is_conflict = match ours {
        Answer::Result(ours) => *ours == Doc::Bool(true),
        Answer::Refused { kind, .. } => *kind == "conflict",
        _ => false,
    };
    let Answer::Panic(panic) = theirs else { return false };
    is_conflict
        && compared_patches(trial).is_some_and(|(left, right)| {
            let mut search = Search { schema: &trial.types.context.schema, ends: Vec::new() };
            search.compare(&left, &right, (Some(trial.types.context.root), &FieldMeta::default()));
            search.ends.iter().any(|end| *panic == index_panic(*end))
        })
}

fn index_panic(length: usize) -> String {
    format!("runtime error: index out of range [{length}] with length {length}")
}

/// Returns the patches that the target compares: the two patches of the trial, or a three-way patch and the patch from
/// last-applied to live.
fn compared_patches(trial: &Trial) -> Option<(OwnedDoc, OwnedDoc)> {
    let context = &trial.types.context;
    match (trial.operation, &*trial.documents) {
        (OperationKind::Conflicts, [left, right]) => Some((left.clone(), right.clone())),
        (OperationKind::ThreeWay, [last_applied, modified, live]) => {
            let documents = patch::ThreeWay { last_applied, modified, live };
            let patch = patch::three_way(context, documents, Overwrite::Yes, &[]).ok()?;
            // Upstream creates this patch without `$setElementOrder`. That does not matter here, because keys of
            // directives are not compared.
            let live_changes = patch::two_way(context, last_applied, live).ok()?;
            Some((patch, live_changes))
        }
        _ => None,
    }
}

/// The type of a value, if it is known, and the metadata of its field.
type FieldType<'a> = (Option<TypeId>, &'a FieldMeta);

/// A parallel walk over two patches, like that of upstream. It continues after a conflict, because upstream visits the
/// fields in any order and may panic before it finds the conflict.
struct Search<'a> {
    schema: &'a Schema,
    /// The lengths of the right lists at whose end upstream panics.
    ends: Vec<usize>,
}

impl Search<'_> {
    fn compare(&mut self, left: &OwnedDoc, right: &OwnedDoc, (ty, meta): FieldType<'_>) {
        match (left, right) {
            (Doc::Map(left), Doc::Map(right)) if meta.strategy != PatchStrategy::Replace => {
                self.compare_maps(left, right, ty);
            }
            (Doc::List(left), Doc::List(right)) => self.compare_lists(left, right, (ty, meta)),
            _ => {}
        }
    }

    fn compare_maps(&mut self, left: &OwnedMap, right: &OwnedMap, ty: Option<TypeId>) {
        for (key, left) in left.iter().filter(|(key, _)| !key.starts_with('$')) {
            let Some(right) = right.get(key) else { continue };
            let field = ty.and_then(|ty| self.schema.field_in_any_case(ty, key));
            let none = FieldMeta::default();
            let (field_type, meta) = field.map_or((None, &none), |field| (Some(field.ty), &field.meta));
            let item_type = field_type.map(|ty| self.schema.item(ty).unwrap_or(ty));
            let ty = if left.as_list().is_some() { item_type } else { field_type };
            self.compare(left, right, (ty, meta));
        }
    }

    fn compare_lists(&mut self, left: &[OwnedDoc], right: &[OwnedDoc], (ty, meta): FieldType<'_>) {
        let none = FieldMeta::default();
        if left.iter().chain(right).all(|item| item.as_map().is_some()) {
            let merges = meta.strategy == PatchStrategy::Merge;
            let key = meta.merge_key.first().map_or("", OwnedText::as_str);
            for (index, left) in left.iter().enumerate() {
                let matches = right.iter().enumerate().filter(|(right_index, right)| {
                    if merges {
                        merge_value(left, key) == merge_value(right, key)
                    } else {
                        *right_index == index
                    }
                });
                matches.for_each(|(_, right)| self.compare(left, right, (ty, &none)));
            }
        } else if meta.strategy != PatchStrategy::Merge && left.len() == right.len() {
            let (left, right) = (sorted_set(left), sorted_set(right));
            if left.len() > right.len() && left[..right.len()] == right {
                self.ends.push(right.len());
            }
        }
    }
}

fn merge_value<'d>(item: &'d OwnedDoc, key: &str) -> Option<&'d OwnedDoc> {
    item.as_map().and_then(|map| map.get(key))
}

/// Returns the distinct scalars, sorted by their representation in Go (`%v`). Scalars with the same representation keep
/// their order.
fn sorted_set(scalars: &[OwnedDoc]) -> Vec<OwnedDoc> {
    let mut set: Vec<OwnedDoc> = Vec::new();
    for scalar in scalars {
        if !set.contains(scalar) {
            set.push(scalar.clone());
        }
    }
    set.sort_by_cached_key(patch::format_go_value);
    set
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::test_support::{ours, result, trial};
    use super::*;

    const TYPES: &str = "type T struct {\n\tA []string `json:\"a\"`\n\tM []string `json:\"m\" patchStrategy:\"merge\"`\n\t\
                         L []Item `json:\"l\" patchStrategy:\"merge\" patchMergeKey:\"name\"`\n\tB string `json:\"b\"`\n}\n\
                         type Item struct {\n\tName string `json:\"name\"`\n\tA []string `json:\"a\"`\n}";

    #[rstest]
    #[case::the_right_list_is_a_prefix(r#"{"a":["x","y"]}"#, r#"{"a":["x","x"]}"#, 1, true)]
    #[case::another_index(r#"{"a":["x","y"]}"#, r#"{"a":["x","x"]}"#, 2, false)]
    #[case::the_left_list_is_a_prefix(r#"{"a":["x","x"],"b":"1"}"#, r#"{"a":["x","y"],"b":"2"}"#, 1, false)]
    #[case::different_before_the_end(r#"{"a":["w","y"]}"#, r#"{"a":["x","x"]}"#, 1, false)]
    #[case::another_length(r#"{"a":["x","y","z"]}"#, r#"{"a":["x","x"]}"#, 1, false)]
    #[case::a_merging_list(r#"{"m":["x","y"],"b":"1"}"#, r#"{"m":["x","x"],"b":"2"}"#, 1, false)]
    #[case::no_repetition(r#"{"a":["x","y"]}"#, r#"{"a":["x","z"]}"#, 1, false)]
    #[case::in_an_item(
        r#"{"l":[{"name":"n","a":["x","y"]}]}"#,
        r#"{"l":[{"name":"n","a":["x","x"]}]}"#,
        1,
        true
    )]
    #[case::in_another_item(
        r#"{"l":[{"name":"n","a":["x","y"]}],"b":"1"}"#,
        r#"{"l":[{"name":"o","a":["x","x"]}],"b":"2"}"#,
        1,
        false
    )]
    fn only_the_panic_at_the_end_of_the_right_list_is_explained(
        #[case] left: &str,
        #[case] right: &str,
        #[case] end: usize,
        #[case] explained: bool,
    ) {
        let trial = trial(OperationKind::Conflicts, TYPES, &[left, right]);
        let ours = ours(&trial);
        assert_eq!(ours, result("true"));
        assert_eq!(explains(&trial, &ours, &Answer::Panic(index_panic(end))), explained);
    }

    #[test]
    fn a_three_way_patch_is_compared_with_the_changes_of_the_live_object() {
        let documents = [r#"{"a":["w"]}"#, r#"{"a":["x","y"]}"#, r#"{"a":["x","x"]}"#];
        let trial = trial(OperationKind::ThreeWay, TYPES, &documents);
        let ours = ours(&trial);
        assert_eq!(ours.category(), "conflict");
        assert!(explains(&trial, &ours, &Answer::Panic(index_panic(1))));
        assert!(!explains(&trial, &ours, &Answer::Panic("index out of range".to_owned())));
        assert!(!explains(&trial, &ours, &result("{}")));
    }
}
