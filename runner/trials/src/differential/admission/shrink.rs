//! Reduction of a disagreement.

use std::cell::Cell;

use skewer_engine::OwnedDoc;
use skewer_execute::targets::Target;

use super::compare::{AdmissionTrial, Outcome, compare};
use crate::random_testing::document_edits::remove_nth_value;
use crate::random_testing::shrink::{self, Candidate};

/// Maximum number of requests for the reduction of one disagreement.
const MAX_REQUESTS: usize = 3000;

/// Removes parts of the documents as long as the two sides disagree with errors of the same kinds.
pub(super) fn shrink(trial: AdmissionTrial, target: &dyn Target) -> AdmissionTrial {
    let kinds_of = |trial: &AdmissionTrial| match compare(trial, None, target) {
        Outcome::Different { kinds, .. } => Some(kinds),
        _ => None,
    };
    let Some(expected) = kinds_of(&trial) else { return trial };
    let requests = Cell::new(0);
    shrink::shrink(trial, &[&without_value], &|smaller| {
        requests.set(requests.get() + 1);
        requests.get() <= MAX_REQUESTS && has_type(smaller) && kinds_of(smaller).as_ref() == Some(&expected)
    })
}

fn without_value(trial: &AdmissionTrial, index: usize) -> Candidate<AdmissionTrial> {
    let mut smaller = trial.clone();
    let AdmissionTrial { new, old, definition, .. } = &mut smaller;
    let documents = [new].into_iter().chain(old).chain([definition]);
    remove_nth_value(documents, index).then_some(smaller).into()
}

/// Returns true if the objects have their types and their metadata. Both are validated before anything that is compared
/// here.
fn has_type(trial: &AdmissionTrial) -> bool {
    let has = |object: &OwnedDoc, key: &str| object.as_map().is_some_and(|object| object.contains_key(key));
    let has_metadata = |object: &OwnedDoc| {
        let metadata = object.as_map().and_then(|object| object.get("metadata"));
        metadata.is_some_and(|metadata| has(metadata, "name") && has(metadata, "namespace"))
    };
    let mut objects = trial.old.iter().chain([&trial.new]);
    objects.all(|object| has(object, "apiVersion") && has(object, "kind") && has_metadata(object))
}
