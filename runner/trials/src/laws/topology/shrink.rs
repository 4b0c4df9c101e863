//! Shrinking of situations.

use super::change::TopologyChange;
use super::generate::TopologySituation;
use crate::differential::sequences::{Sequence, shrink_documents, shrink_options, shrink_steps};
use crate::differential::types::{TrialStruct, TrialTopology, TrialType};

/// Removes parts of a situation as long as the predicate holds for its requests: requests, options, values of
/// documents, and fields of the types. Both servers always have the same types but for the changed field.
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
            | shrink_types(change, &mut situation, still_holds)
            | drop_unused_structs(change, &mut situation, still_holds);
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

/// Removes the structs to which no field refers.
fn drop_unused_structs(
    change: &TopologyChange,
    situation: &mut TopologySituation,
    still_holds: &dyn Fn(&Sequence) -> bool,
) -> bool {
    let count = situation.structs.len();
    for at in (1..count - 1).rev() {
        let fields = || situation.structs.iter().flat_map(|declared| &declared.fields);
        if at == situation.place || fields().any(|field| field.ty.referenced_struct() == Some(at)) {
            continue;
        }
        let mut structs = situation.structs.clone();
        structs.remove(at);
        for field in structs.iter_mut().flat_map(|declared| &mut declared.fields) {
            close_gap(&mut field.ty, at);
        }
        let place = situation.place - usize::from(situation.place > at);
        try_situation(change, situation, still_holds, (structs, place));
    }
    situation.structs.len() < count
}

/// Renumbers the struct to which a type refers after the struct with an index was removed.
fn close_gap(ty: &mut TrialType, removed: usize) {
    match ty {
        TrialType::Struct(index) => *index -= usize::from(*index > removed),
        TrialType::List(inner) | TrialType::Map(inner) | TrialType::Named(inner, _) => {
            close_gap(inner, removed);
        }
        _ => {}
    }
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
    let place = situation.place;
    try_situation(change, situation, still_holds, (structs, place))
}

/// Replaces the structs if the predicate still holds.
fn try_situation(
    change: &TopologyChange,
    situation: &mut TopologySituation,
    still_holds: &dyn Fn(&Sequence) -> bool,
    (structs, place): (Vec<TrialStruct>, usize),
) -> bool {
    let Ok(resources) = TopologySituation::resources(change, &structs, place) else { return false };
    let sequence = Sequence { resources, ..situation.sequence.clone() };
    let holds = still_holds(&sequence);
    if holds {
        *situation = TopologySituation { structs, place, sequence };
    }
    holds
}
