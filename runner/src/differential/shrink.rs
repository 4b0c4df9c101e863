//! Smaller trials that still show a difference.

use std::sync::Arc;

use super::generate::{Origin, Struct, Types};
use super::trial::Trial;
use crate::random_testing::document_edits;

/// Takes from a trial whatever can go while `still` holds: entries, items, and at last fields and metadata of
/// types.
pub(super) fn shrink(trial: Trial, still: &dyn Fn(&Trial) -> bool) -> Trial {
    let mut trial = trial;
    let preconditions = std::mem::take(&mut trial.preconditions);
    if !still(&trial) {
        trial.preconditions = preconditions;
    }
    while smaller_documents(&mut trial, still) || smaller_types(&mut trial, still) {}
    trial
}

/// One round over all documents; true when something went.
fn smaller_documents(trial: &mut Trial, still: &dyn Fn(&Trial) -> bool) -> bool {
    let mut any = false;
    for at in 0..trial.documents.len() {
        let mut number = 0;
        // The places of a document are numbered; where one is gone the next one takes its number.
        while let Some(smaller) = document_edits::without_nth_value(&trial.documents[at], number) {
            let held = std::mem::replace(&mut trial.documents[at], smaller);
            if still(trial) {
                any = true;
            } else {
                trial.documents[at] = held;
                number += 1;
            }
        }
    }
    any
}

/// One round over all types; true when something went.
fn smaller_types(trial: &mut Trial, still: &dyn Fn(&Trial) -> bool) -> bool {
    let mut any = false;
    if matches!(trial.types.origin, Origin::Release { .. }) {
        return any;
    }
    for of in (0..trial.types.structs.len()).rev() {
        let mut field = trial.types.structs[of].fields.len();
        while field > 0 {
            field -= 1;
            let without = |structs: &mut [Struct]| {
                structs[of].fields.remove(field);
            };
            let plain = |structs: &mut [Struct]| {
                structs[of].fields[field].strategy = "";
                structs[of].fields[field].merge_key = "";
            };
            let has_metadata = {
                let field = &trial.types.structs[of].fields[field];
                !field.strategy.is_empty() || !field.merge_key.is_empty()
            };
            any |= tried(trial, without, still) || (has_metadata && tried(trial, plain, still));
        }
    }
    any | last_structs_dropped(trial, still)
}

fn tried(trial: &mut Trial, change: impl FnOnce(&mut [Struct]), still: &dyn Fn(&Trial) -> bool) -> bool {
    let mut structs = trial.types.structs.clone();
    change(&mut structs);
    replaced(trial, structs, still)
}

/// Types that nothing refers to any more go from the end, since a type's place is its name.
fn last_structs_dropped(trial: &mut Trial, still: &dyn Fn(&Trial) -> bool) -> bool {
    let structs = &trial.types.structs;
    let used = structs.iter().flat_map(|of| &of.fields).filter_map(|field| field.ty.refers_to()).max();
    let kept = used.map_or(1, |last| last + 1);
    kept < structs.len() && replaced(trial, structs[..kept].to_vec(), still)
}

fn replaced(trial: &mut Trial, structs: Vec<Struct>, still: &dyn Fn(&Trial) -> bool) -> bool {
    let Ok(mut types) = Types::of(structs) else { return false };
    types.context.custom_resource = trial.types.context.custom_resource;
    let held = std::mem::replace(&mut trial.types, Arc::new(types));
    let smaller = still(trial);
    if !smaller {
        trial.types = held;
    }
    smaller
}

#[cfg(test)]
mod tests {
    use super::super::generate::{self, Source};
    use super::super::trial::Kind;
    use super::*;

    /// Shrinking keeps what it must keep and nothing else.
    #[test]
    fn only_what_matters_stays() {
        let mut shrunk = 0;
        for number in 0..200 {
            let types = generate::types(&Source::Random, 3, number).unwrap();
            let trial = generate::trial(3, number, &types, &[Kind::Apply]);
            let matters = |trial: &Trial| trial.documents[1].to_string().contains("$setElementOrder/");
            if !matters(&trial) {
                continue;
            }
            shrunk += 1;
            let small = shrink(trial, &matters);
            assert_eq!(small.documents[0].to_string(), "{}");
            // The path to the directive, and the directive without what it says.
            let path = small.documents[1].to_string();
            assert!(!path.contains(','), "{path}");
            assert_eq!(small.types.structs.len(), 1);
            assert!(small.types.structs[0].fields.is_empty());
        }
        assert!(shrunk > 10);
    }
}
