//! Shrinking of situations.

use super::change::TopologyChange;
use super::generate::TopologySituation;
use crate::differential::sequences::{Sequence, shrink_documents, shrink_options, shrink_steps};
use crate::differential::types::{TrialStruct, TrialTopology};

/// Removes parts of a situation as long as the predicate holds for its requests: requests, options, values of documents,
/// and fields of the types. Both servers always have the same types but for the changed field.
pub(super) fn shrink(
    change: &TopologyChange,
    mut situation: TopologySituation,
    still_holds: &dyn Fn(&Sequence) -> bool,
) -> TopologySituation {
    loop {
        let sequence = &mut situation.sequence;
        let has_shrunk = shrink_steps(sequence, still_holds)
            | shrink_options(sequence, still_holds)
            | shrink_documents(sequence, still_holds)
            | shrink_types(change, &mut situation, still_holds);
        if !has_shrunk {
            return situation;
        }
    }
}

/// Tries to remove each field that does not belong to the changed field, or at least its topology.
fn shrink_types(
    change: &TopologyChange,
    situation: &mut TopologySituation,
    still_holds: &dyn Fn(&Sequence) -> bool,
) -> bool {
    let mut has_shrunk = false;
    // The last struct has the keys of the changed list.
    for at in 0..situation.structs.len() - 1 {
        has_shrunk |= try_structs(change, situation, still_holds, &|structs| {
            std::mem::take(&mut structs[at].topology) != TrialTopology::NONE
        });
        for field in (0..situation.structs[at].fields.len()).rev() {
            has_shrunk |= try_structs(change, situation, still_holds, &|structs| {
                structs[at].fields.remove(field);
                true
            }) || try_structs(change, situation, still_holds, &|structs| {
                let field = &mut structs[at].fields[field];
                let had_strategy = !std::mem::take(&mut field.strategy).is_empty();
                field.merge_key = "";
                std::mem::take(&mut field.topology) != TrialTopology::NONE || had_strategy
            });
        }
    }
    has_shrunk
}

/// Tries a change of the structs. `edit` returns false if it changed nothing.
fn try_structs(
    change: &TopologyChange,
    situation: &mut TopologySituation,
    still_holds: &dyn Fn(&Sequence) -> bool,
    edit: &dyn Fn(&mut [TrialStruct]) -> bool,
) -> bool {
    let mut structs = situation.structs.clone();
    if !edit(&mut structs) {
        return false;
    }
    let Ok(resources) = TopologySituation::resources(change, &structs, situation.place) else { return false };
    let sequence = Sequence { resources, ..situation.sequence.clone() };
    let holds = still_holds(&sequence);
    if holds {
        *situation = TopologySituation { structs, place: situation.place, sequence };
    }
    holds
}
