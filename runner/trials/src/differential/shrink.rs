//! Shrinking of trials that show a difference.

use std::sync::Arc;

use super::simpler_types::{simpler_structs, without_unused_struct};
use super::trial::Trial;
use super::types::{TrialStruct, TrialTypes, TypesOrigin};
use crate::random_testing::document_edits::remove_nth_value;
use crate::random_testing::shrink::{self, Candidate};

/// Removes parts of a trial as long as the predicate still holds: preconditions, map entries and list items of documents,
/// fields of types, and patch metadata.
pub(super) fn shrink(trial: Trial, still_holds: &dyn Fn(&Trial) -> bool) -> Trial {
    let reductions: [shrink::Reduction<'_, Trial>; 4] =
        [&without_preconditions, &without_value, &with_simpler_types, &without_unused_types];
    shrink::shrink(trial, &reductions, still_holds)
}

fn without_preconditions(trial: &Trial, index: usize) -> Candidate<Trial> {
    let has_some = index == 0 && !trial.preconditions.is_empty();
    has_some.then(|| Trial { preconditions: Vec::new(), ..trial.clone() }).into()
}

fn without_value(trial: &Trial, index: usize) -> Candidate<Trial> {
    let mut smaller = trial.clone();
    remove_nth_value(&mut smaller.documents, index).then_some(smaller).into()
}

fn with_simpler_types(trial: &Trial, index: usize) -> Candidate<Trial> {
    if matches!(trial.types.origin, TypesOrigin::Release { .. }) {
        return Candidate::End;
    }
    simpler_structs(&trial.types.structs, index).and_then(|structs| with_structs(trial, structs))
}

fn without_unused_types(trial: &Trial, index: usize) -> Candidate<Trial> {
    if matches!(trial.types.origin, TypesOrigin::Release { .. }) {
        return Candidate::End;
    }
    let simpler = without_unused_struct(&trial.types.structs, index, |_| false);
    Candidate::from(simpler).and_then(|(structs, _)| with_structs(trial, structs))
}

/// Returns the trial with other types, unless the engine cannot read them.
fn with_structs(trial: &Trial, structs: Vec<TrialStruct>) -> Option<Trial> {
    let mut types = TrialTypes::from_structs(structs).ok()?;
    types.context.custom_resource = trial.types.context.custom_resource;
    Some(Trial { types: Arc::new(types), ..trial.clone() })
}

#[cfg(test)]
mod tests {
    use skewer_skew::OperationKind;

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
