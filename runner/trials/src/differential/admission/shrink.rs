//! Reduction of a disagreement.

use skewer_engine::OwnedDoc;
use skewer_execute::targets::Target;

use super::compare::{AdmissionTrial, Outcome, compare};
use crate::random_testing::document_edits::without_nth_value;

/// Maximum number of requests for the reduction of one disagreement.
const MAX_REQUESTS: usize = 3000;

/// Removes parts of the documents as long as the two sides disagree with errors of the same kinds.
pub(super) fn shrink(trial: AdmissionTrial, target: &dyn Target) -> AdmissionTrial {
    let kinds_of = |trial: &AdmissionTrial| match compare(trial, None, target) {
        Outcome::Different { kinds, .. } => Some(kinds),
        _ => None,
    };
    let expected = kinds_of(&trial);
    let mut smallest = trial;
    let mut requests = 0;
    loop {
        let before = smallest.clone();
        for part in [Part::New, Part::Old, Part::Definition] {
            let mut index = 0;
            while let Some(smaller) = part.without_nth_value(&smallest, index) {
                requests += 1;
                if requests > MAX_REQUESTS {
                    return smallest;
                }
                if has_type(&smaller) && expected.is_some() && kinds_of(&smaller) == expected {
                    smallest = smaller;
                } else {
                    index += 1;
                }
            }
        }
        if smallest == before {
            return smallest;
        }
    }
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

#[derive(Clone, Copy)]
enum Part {
    New,
    Old,
    Definition,
}

impl Part {
    fn without_nth_value(self, trial: &AdmissionTrial, index: usize) -> Option<AdmissionTrial> {
        let mut smaller = trial.clone();
        match self {
            Part::New => smaller.new = without_nth_value(&trial.new, index)?,
            Part::Old => smaller.old = Some(without_nth_value(trial.old.as_ref()?, index)?),
            Part::Definition => smaller.definition = without_nth_value(&trial.definition, index)?,
        }
        Some(smaller)
    }
}
