//! Simpler candidates of random types.

use super::types::{TrialStruct, TrialTopology, TrialType};
use crate::random_testing::shrink::Candidate;

/// Returns the types without one field, or without the metadata of one field or struct.
pub(crate) fn simpler_structs(structs: &[TrialStruct], index: usize) -> Candidate<Vec<TrialStruct>> {
    let mut left = index;
    for at in (0..structs.len()).rev() {
        let count = 1 + 2 * structs[at].fields.len();
        if left >= count {
            left -= count;
            continue;
        }
        let mut simpler = structs.to_vec();
        let TrialStruct { fields, topology } = &mut simpler[at];
        if left == 0 {
            *topology = TrialTopology::NONE;
        } else {
            let field = fields.len() - left.div_ceil(2);
            if left % 2 == 1 {
                fields.remove(field);
            } else {
                (fields[field].strategy, fields[field].merge_key) = ("", "");
                fields[field].topology = TrialTopology::NONE;
            }
        }
        return if simpler == structs { Candidate::Useless } else { Candidate::Simpler(simpler) };
    }
    Candidate::End
}

/// Returns the types without a struct to which no field refers, and the index of that struct.
pub(crate) fn without_unused_struct(
    structs: &[TrialStruct],
    index: usize,
    is_kept: impl Fn(usize) -> bool,
) -> Option<(Vec<TrialStruct>, usize)> {
    let fields = structs.iter().flat_map(|declared| &declared.fields);
    let used: Vec<usize> = fields.filter_map(|field| field.ty.referenced_struct()).collect();
    let mut unused = (1..structs.len()).rev().filter(|at| !used.contains(at) && !is_kept(*at));
    let removed = unused.nth(index)?;
    let mut structs = structs.to_vec();
    structs.remove(removed);
    for field in structs.iter_mut().flat_map(|declared| &mut declared.fields) {
        close_gap(&mut field.ty, removed);
    }
    Some((structs, removed))
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
