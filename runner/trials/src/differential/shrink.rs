//! Shrinking of trials that show a difference.

use std::sync::Arc;

use super::trial::Trial;
use super::types::{TrialStruct, TrialTypes, TypesOrigin};
use crate::random_testing::document_edits;

/// Removes parts of a trial as long as the predicate still holds: map entries and list items of documents, fields of
/// types, and patch metadata.
pub(super) fn shrink(trial: Trial, still_holds: &dyn Fn(&Trial) -> bool) -> Trial {
    let mut trial = trial;
    let preconditions = std::mem::take(&mut trial.preconditions);
    if !still_holds(&trial) {
        trial.preconditions = preconditions;
    }
    while shrink_documents(&mut trial, still_holds) || shrink_types(&mut trial, still_holds) {}
    trial
}

/// Tries to remove each value from the documents. Returns true if a value was removed.
fn shrink_documents(trial: &mut Trial, still_holds: &dyn Fn(&Trial) -> bool) -> bool {
    let mut has_shrunk = false;
    for document_index in 0..trial.documents.len() {
        let mut value_index = 0;
        // When a value is removed, the next value gets its index.
        while let Some(smaller) =
            document_edits::without_nth_value(&trial.documents[document_index], value_index)
        {
            let previous = std::mem::replace(&mut trial.documents[document_index], smaller);
            if still_holds(trial) {
                has_shrunk = true;
            } else {
                trial.documents[document_index] = previous;
                value_index += 1;
            }
        }
    }
    has_shrunk
}

/// Tries to remove each field, or at least its metadata, from the types. Returns true if something was removed.
fn shrink_types(trial: &mut Trial, still_holds: &dyn Fn(&Trial) -> bool) -> bool {
    let mut has_shrunk = false;
    if matches!(trial.types.origin, TypesOrigin::Release { .. }) {
        return has_shrunk;
    }
    for index in (0..trial.types.structs.len()).rev() {
        let mut field = trial.types.structs[index].fields.len();
        while field > 0 {
            field -= 1;
            let drop_field = |structs: &mut [TrialStruct]| {
                structs[index].fields.remove(field);
            };
            let clear_metadata = |structs: &mut [TrialStruct]| {
                structs[index].fields[field].strategy = "";
                structs[index].fields[field].merge_key = "";
            };
            let has_metadata = {
                let field = &trial.types.structs[index].fields[field];
                !field.strategy.is_empty() || !field.merge_key.is_empty()
            };
            has_shrunk |= try_change(trial, drop_field, still_holds)
                || (has_metadata && try_change(trial, clear_metadata, still_holds));
        }
    }
    has_shrunk | drop_unreferenced_structs(trial, still_holds)
}

fn try_change(
    trial: &mut Trial,
    change: impl FnOnce(&mut [TrialStruct]),
    still_holds: &dyn Fn(&Trial) -> bool,
) -> bool {
    let mut structs = trial.types.structs.clone();
    change(&mut structs);
    try_structs(trial, structs, still_holds)
}

/// Drops unreferenced structs from the end of the list. Others are kept, because the index of a struct is its name.
fn drop_unreferenced_structs(trial: &mut Trial, still_holds: &dyn Fn(&Trial) -> bool) -> bool {
    let structs = &trial.types.structs;
    let last_used = structs
        .iter()
        .flat_map(|declared| &declared.fields)
        .filter_map(|field| field.ty.referenced_struct())
        .max();
    let count = last_used.map_or(1, |last| last + 1);
    count < structs.len() && try_structs(trial, structs[..count].to_vec(), still_holds)
}

fn try_structs(trial: &mut Trial, structs: Vec<TrialStruct>, still_holds: &dyn Fn(&Trial) -> bool) -> bool {
    let Ok(mut types) = TrialTypes::from_structs(structs) else { return false };
    types.context.custom_resource = trial.types.context.custom_resource;
    let previous = std::mem::replace(&mut trial.types, Arc::new(types));
    let is_smaller = still_holds(trial);
    if !is_smaller {
        trial.types = previous;
    }
    is_smaller
}

#[cfg(test)]
mod tests {
    use skewer_engine::skew::OperationKind;

    use super::super::generate::{self, TypeSource};
    use super::*;

    #[test]
    fn shrinking_removes_everything_that_the_predicate_does_not_need() {
        let mut shrunk = 0;
        for number in 0..200 {
            let types = generate::types_of_trial(&TypeSource::Random, 3, number).unwrap();
            let trial = generate::generate_trial(3, number, &types, &[OperationKind::Apply]);
            let has_directive = |trial: &Trial| trial.documents[1].to_string().contains("$setElementOrder/");
            if !has_directive(&trial) {
                continue;
            }
            shrunk += 1;
            let small = shrink(trial, &has_directive);
            assert_eq!(small.documents[0].to_string(), "{}");
            // What remains is the path to the directive, and the directive with an empty value.
            let path = small.documents[1].to_string();
            assert!(!path.contains(','), "{path}");
            assert_eq!(small.types.structs.len(), 1);
            assert!(small.types.structs[0].fields.is_empty());
        }
        assert!(shrunk > 10);
    }
}
