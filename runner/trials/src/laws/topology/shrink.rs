//! Shrinking of situations.

use super::change::TopologyChange;
use super::generate::TopologySituation;
use crate::differential::sequences::{Sequence, with_simpler_options, without_step, without_value};
use crate::differential::simpler_types::{simpler_structs, without_unused_struct};
use crate::differential::types::TrialStruct;
use crate::random_testing::shrink::{self, Candidate};

/// Removes parts of a situation as long as the predicate holds for its requests: requests, options, values of
/// documents, and fields of the types. Both servers always have the same types but for the changed field.
pub(super) fn shrink(
    change: &TopologyChange,
    situation: TopologySituation,
    still_holds: &dyn Fn(&Sequence) -> bool,
) -> TopologySituation {
    let with_types = |situation: &TopologySituation, structs: Vec<TrialStruct>, place: usize| {
        let resources = TopologySituation::resources(change, &structs, place).ok()?;
        let sequence = Sequence { resources, ..situation.sequence.clone() };
        Some(TopologySituation { structs, place, sequence })
    };
    let simpler_types = |situation: &TopologySituation, index: usize| {
        // The last struct has the keys of the changed list.
        let last = situation.structs.len() - 1;
        simpler_structs(&situation.structs[..last], index).and_then(|mut structs| {
            structs.push(situation.structs[last].clone());
            with_types(situation, structs, situation.place)
        })
    };
    let fewer_structs = |situation: &TopologySituation, index: usize| {
        let TopologySituation { structs, place, .. } = situation;
        let is_kept = |at: usize| at == *place || at + 1 == structs.len();
        Candidate::from(without_unused_struct(structs, index, is_kept)).and_then(|(structs, removed)| {
            with_types(situation, structs, place - usize::from(*place > removed))
        })
    };
    let reductions: [shrink::Reduction<'_, TopologySituation>; 5] = [
        &of_sequence(without_step),
        &of_sequence(with_simpler_options),
        &of_sequence(without_value),
        &simpler_types,
        &fewer_structs,
    ];
    shrink::shrink(situation, &reductions, &|situation| still_holds(&situation.sequence))
}

/// Applies a reduction of sequences to the requests of a situation.
fn of_sequence(
    reduce: fn(&Sequence, usize) -> Candidate<Sequence>,
) -> impl Fn(&TopologySituation, usize) -> Candidate<TopologySituation> {
    move |situation, index| {
        reduce(&situation.sequence, index)
            .and_then(|sequence| Some(TopologySituation { sequence, ..situation.clone() }))
    }
}
