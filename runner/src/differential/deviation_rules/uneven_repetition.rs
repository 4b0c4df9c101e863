//! Lists of scalars that repeat items unevenly, when two patches are compared.
//!
//! Upstream: `slicesHaveConflicts` compares two lists of scalars that are replaced if they have one length, then takes repeated
//! items out of both, sorts them, and walks over the left one. It panics where the right one has ended.

use skewer_engine::patch::{self, Overwrite};
use skewer_engine::schema::{FieldMeta, PatchStrategy, Schema, TypeId};
use skewer_engine::skew::OperationKind;
use skewer_engine::{Doc, OwnedDoc, OwnedMap, OwnedText};

use crate::differential::answer::Answer;
use crate::differential::trial::Trial;

/// Whether ours is a conflict, and the target panics at an index at which such a list ends.
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

/// Returns the patches that the target compares: the two of the trial, or a three-way patch and the changes of live.
fn compared_patches(trial: &Trial) -> Option<(OwnedDoc, OwnedDoc)> {
    let context = &trial.types.context;
    match (trial.operation, &*trial.documents) {
        (OperationKind::Conflicts, [left, right]) => Some((left.clone(), right.clone())),
        (OperationKind::ThreeWay, [last_applied, modified, live]) => {
            let documents = patch::ThreeWay { last_applied, modified, live };
            let patch = patch::three_way(context, documents, Overwrite::Yes, &[]).ok()?;
            // The order of elements, which upstream leaves out here, is a list that merges.
            let live_changes = patch::two_way(context, last_applied, live).ok()?;
            Some((patch, live_changes))
        }
        _ => None,
    }
}

/// The type of a value, if it is known, and the metadata of the field that holds it.
type FieldType<'a> = (Option<TypeId>, &'a FieldMeta);

/// A walk over two patches, as upstream's, that goes on behind conflicts: upstream reaches them in any order.
struct Search<'a> {
    schema: &'a Schema,
    /// The lengths of the right lists at the end of which upstream panics.
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

/// Returns the scalars without repetitions, sorted as Go prints them. Lists that differ otherwise than in the order of
/// scalars that Go prints alike are no matter here: they are a conflict before their end.
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
    #[case::the_right_one_ends(r#"{"a":["x","y"]}"#, r#"{"a":["x","x"]}"#, 1, true)]
    #[case::another_index(r#"{"a":["x","y"]}"#, r#"{"a":["x","x"]}"#, 2, false)]
    #[case::the_left_one_ends(r#"{"a":["x","x"],"b":"1"}"#, r#"{"a":["x","y"],"b":"2"}"#, 1, false)]
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
    fn the_panic_is_at_the_end_of_a_compared_list(
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
    fn three_way_patches_are_compared_with_the_changes_of_live() {
        let documents = [r#"{"a":["w"]}"#, r#"{"a":["x","y"]}"#, r#"{"a":["x","x"]}"#];
        let trial = trial(OperationKind::ThreeWay, TYPES, &documents);
        let ours = ours(&trial);
        assert_eq!(ours.category(), "conflict");
        assert!(explains(&trial, &ours, &Answer::Panic(index_panic(1))));
        assert!(!explains(&trial, &ours, &Answer::Panic("index out of range".to_owned())));
        assert!(!explains(&trial, &ours, &result("{}")));
    }
}
