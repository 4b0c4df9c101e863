//! Shrinking of sequences that show a difference.

use std::sync::Arc;

use super::resource::{ResourceTypes, SequenceResource, VersionDeclaration};
use super::sequence::{SentManagedFields, Sequence, Times};
use crate::differential::simpler_types::simpler_structs;
use crate::random_testing::document_edits::remove_nth_value;
use crate::random_testing::shrink::{self, Candidate};

/// Removes parts of a sequence as long as the predicate still holds: steps, options, parts of documents, versions, and
/// fields of types and their topology.
pub(super) fn shrink(sequence: Sequence, still_holds: &dyn Fn(&Sequence) -> bool) -> Sequence {
    let reductions: [shrink::Reduction<'_, Sequence>; 6] = [
        &without_step,
        &with_simpler_options,
        &without_value,
        &without_resource,
        &with_simpler_version,
        &with_simpler_types,
    ];
    shrink::shrink(sequence, &reductions, still_holds)
}

/// Removes a step. The last steps come first.
pub(crate) fn without_step(sequence: &Sequence, index: usize) -> Candidate<Sequence> {
    let step = sequence.steps.len().checked_sub(index + 1);
    let without = |step| {
        let mut shorter = sequence.clone();
        shorter.steps.remove(step);
        shorter
    };
    step.map(without).into()
}

/// Simplifies one option: of the sequence, or of a request.
pub(crate) fn with_simpler_options(sequence: &Sequence, index: usize) -> Candidate<Sequence> {
    const OF_STEP: usize = 5;
    let mut simpler = sequence.clone();
    let has_changed = match index {
        0 => simpler.initial.take().is_some(),
        1 => std::mem::replace(&mut simpler.times, Times::None) != Times::None,
        _ => {
            let Some(step) = simpler.steps.get_mut((index - 2) / OF_STEP) else { return Candidate::End };
            match (index - 2) % OF_STEP {
                0 => std::mem::take(&mut step.force),
                1 => !std::mem::take(&mut step.subresource).is_empty(),
                2 => std::mem::replace(&mut step.manager, "one") != "one",
                3 => std::mem::take(&mut step.resource) > 0,
                _ => {
                    let before = std::mem::replace(&mut step.managed_fields, SentManagedFields::Absent);
                    before != SentManagedFields::Absent
                }
            }
        }
    };
    if has_changed { Candidate::Simpler(simpler) } else { Candidate::Useless }
}

/// Removes a value from a document, or from the managed fields that a request sends.
pub(crate) fn without_value(sequence: &Sequence, index: usize) -> Candidate<Sequence> {
    let mut smaller = sequence.clone();
    let of_steps = smaller.steps.iter_mut().flat_map(|step| {
        let managed_fields = match &mut step.managed_fields {
            SentManagedFields::Given(value) => Some(value),
            _ => None,
        };
        [&mut step.document].into_iter().chain(managed_fields)
    });
    remove_nth_value(smaller.initial.iter_mut().chain(of_steps), index).then_some(smaller).into()
}

/// Removes the last resource if no step names it.
fn without_resource(sequence: &Sequence, index: usize) -> Candidate<Sequence> {
    let last = sequence.resources.len() - 1;
    let is_unused = index == 0 && last > 0 && sequence.steps.iter().all(|step| step.resource < last);
    is_unused.then(|| Sequence { resources: sequence.resources[..last].to_vec(), ..sequence.clone() }).into()
}

/// Removes a version, its renames, or its reset fields.
fn with_simpler_version(sequence: &Sequence, index: usize) -> Candidate<Sequence> {
    const OF_VERSION: usize = 3;
    let mut left = index;
    for (at, resource) in sequence.resources.iter().enumerate().rev() {
        let count = OF_VERSION * resource.versions.len();
        if left >= count {
            left -= count;
            continue;
        }
        let mut versions = resource.versions.clone();
        let version = versions.len() - 1 - left / OF_VERSION;
        match left % OF_VERSION {
            0 => drop(versions.remove(version)),
            1 => versions[version].renames.clear(),
            _ => versions[version].reset_fields.clear(),
        }
        if versions.is_empty() || versions == resource.versions {
            return Candidate::Useless;
        }
        return Candidate::Simpler(versions)
            .and_then(|versions| with_resource(sequence, at, resource.types.clone(), versions));
    }
    Candidate::End
}

/// Removes a field, or its topology and that of a struct, from the types of a resource.
fn with_simpler_types(sequence: &Sequence, index: usize) -> Candidate<Sequence> {
    let mut left = index;
    for (at, resource) in sequence.resources.iter().enumerate() {
        let ResourceTypes::Go(structs, declares_metadata) = &resource.types else { continue };
        let count: usize = structs.iter().map(|declared| 1 + 2 * declared.fields.len()).sum();
        if left >= count {
            left -= count;
            continue;
        }
        return simpler_structs(structs, left).and_then(|structs| {
            let types = ResourceTypes::Go(structs, *declares_metadata);
            with_resource(sequence, at, types, resource.versions.clone())
        });
    }
    Candidate::End
}

/// Returns the sequence with another resource, unless the engine cannot read the types.
fn with_resource(
    sequence: &Sequence,
    at: usize,
    types: ResourceTypes,
    versions: Vec<VersionDeclaration>,
) -> Option<Sequence> {
    let resource = SequenceResource::compile(types, versions).ok()?;
    let mut simpler = sequence.clone();
    simpler.resources[at] = Arc::new(resource);
    Some(simpler)
}
