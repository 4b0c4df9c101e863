//! Shrinking of sequences that show a difference.

use std::sync::Arc;

use skewer_engine::OwnedDoc;

use super::resource::{ResourceTypes, SequenceResource, VersionDeclaration};
use super::sequence::{SentManagedFields, Sequence, Times};
use crate::differential::types::{TrialStruct, TrialTopology};
use crate::random_testing::document_edits;

/// Removes parts of a sequence as long as the predicate still holds: steps, options, parts of documents, versions, and
/// fields of types and their topology.
pub(super) fn shrink(mut sequence: Sequence, still_holds: &dyn Fn(&Sequence) -> bool) -> Sequence {
    loop {
        let has_shrunk = shrink_steps(&mut sequence, still_holds)
            | shrink_options(&mut sequence, still_holds)
            | shrink_documents(&mut sequence, still_holds)
            | shrink_resources(&mut sequence, still_holds);
        if !has_shrunk {
            return sequence;
        }
    }
}

/// Changes the sequence if the predicate still holds afterwards.
fn attempt(
    sequence: &mut Sequence,
    still_holds: &dyn Fn(&Sequence) -> bool,
    change: impl FnOnce(&mut Sequence),
) -> bool {
    let mut changed = sequence.clone();
    change(&mut changed);
    let holds = still_holds(&changed);
    if holds {
        *sequence = changed;
    }
    holds
}

/// Tries to remove each step. Returns true if one was removed.
pub(crate) fn shrink_steps(sequence: &mut Sequence, still_holds: &dyn Fn(&Sequence) -> bool) -> bool {
    let mut has_shrunk = false;
    for index in (0..sequence.steps.len()).rev() {
        has_shrunk |= attempt(sequence, still_holds, |sequence| {
            sequence.steps.remove(index);
        });
    }
    has_shrunk
}

/// Tries to simplify the options of the requests. Returns true if one was simplified.
pub(crate) fn shrink_options(sequence: &mut Sequence, still_holds: &dyn Fn(&Sequence) -> bool) -> bool {
    let mut has_shrunk = false;
    if sequence.initial.is_some() {
        has_shrunk |= attempt(sequence, still_holds, |sequence| sequence.initial = None);
    }
    if sequence.times != Times::None {
        has_shrunk |= attempt(sequence, still_holds, |sequence| sequence.times = Times::None);
    }
    for index in 0..sequence.steps.len() {
        let step = sequence.steps[index].clone();
        if step.force {
            has_shrunk |= attempt(sequence, still_holds, |sequence| sequence.steps[index].force = false);
        }
        if !step.subresource.is_empty() {
            has_shrunk |= attempt(sequence, still_holds, |sequence| sequence.steps[index].subresource = "");
        }
        if step.manager != "one" {
            has_shrunk |= attempt(sequence, still_holds, |sequence| sequence.steps[index].manager = "one");
        }
        if step.resource > 0 {
            has_shrunk |= attempt(sequence, still_holds, |sequence| sequence.steps[index].resource = 0);
        }
        if step.managed_fields != SentManagedFields::Absent {
            has_shrunk |= attempt(sequence, still_holds, |sequence| {
                sequence.steps[index].managed_fields = SentManagedFields::Absent;
            });
        }
    }
    has_shrunk
}

/// Tries to remove each value from the documents. Returns true if one was removed.
pub(crate) fn shrink_documents(sequence: &mut Sequence, still_holds: &dyn Fn(&Sequence) -> bool) -> bool {
    let mut has_shrunk = shrink_document(sequence, still_holds, &|sequence| sequence.initial.as_mut());
    for index in 0..sequence.steps.len() {
        has_shrunk |=
            shrink_document(sequence, still_holds, &|sequence| Some(&mut sequence.steps[index].document));
        has_shrunk |= shrink_document(sequence, still_holds, &|sequence| match &mut sequence.steps[index]
            .managed_fields
        {
            SentManagedFields::Given(value) => Some(value),
            _ => None,
        });
    }
    has_shrunk
}

fn shrink_document(
    sequence: &mut Sequence,
    still_holds: &dyn Fn(&Sequence) -> bool,
    document: &dyn Fn(&mut Sequence) -> Option<&mut OwnedDoc>,
) -> bool {
    let mut has_shrunk = false;
    let mut value_index = 0;
    loop {
        let smaller =
            document(sequence).and_then(|document| document_edits::without_nth_value(document, value_index));
        // When a value is removed, the next value gets its index.
        let Some(smaller) = smaller else { return has_shrunk };
        let is_smaller = attempt(sequence, still_holds, |sequence| {
            if let Some(document) = document(sequence) {
                *document = smaller;
            }
        });
        has_shrunk |= is_smaller;
        value_index += usize::from(!is_smaller);
    }
}

fn shrink_resources(sequence: &mut Sequence, still_holds: &dyn Fn(&Sequence) -> bool) -> bool {
    let mut has_shrunk = false;
    if sequence.resources.len() > 1 && sequence.steps.iter().all(|step| step.resource == 0) {
        sequence.resources.truncate(1);
    }
    for index in (0..sequence.resources.len()).rev() {
        let versions = sequence.resources[index].versions.clone();
        for version in (0..versions.len()).rev() {
            let without = |change: fn(&mut Vec<VersionDeclaration>, usize)| {
                let mut versions = versions.clone();
                change(&mut versions, version);
                versions
            };
            let changes: [fn(&mut Vec<VersionDeclaration>, usize); 3] = [
                |versions, version| {
                    versions.remove(version);
                },
                |versions, version| versions[version].renames.clear(),
                |versions, version| versions[version].reset_fields.clear(),
            ];
            for change in changes {
                let smaller = without(change);
                if smaller != sequence.resources[index].versions
                    && smaller.len() <= sequence.resources[index].versions.len()
                    && !smaller.is_empty()
                    && is_smaller(&smaller, &sequence.resources[index].versions)
                {
                    let types = sequence.resources[index].types.clone();
                    has_shrunk |= attempt_resource(sequence, still_holds, (index, types, smaller));
                }
            }
        }
    }
    has_shrunk | shrink_types(sequence, still_holds)
}

/// Returns true if the declarations of versions have fewer parts than others.
fn is_smaller(versions: &[VersionDeclaration], others: &[VersionDeclaration]) -> bool {
    let size = |versions: &[VersionDeclaration]| -> usize {
        versions.iter().map(|version| 1 + version.renames.len() + version.reset_fields.len()).sum()
    };
    size(versions) < size(others)
}

fn attempt_resource(
    sequence: &mut Sequence,
    still_holds: &dyn Fn(&Sequence) -> bool,
    (index, types, versions): (usize, ResourceTypes, Vec<VersionDeclaration>),
) -> bool {
    let Ok(resource) = SequenceResource::compile(types, versions) else { return false };
    attempt(sequence, still_holds, |sequence| sequence.resources[index] = Arc::new(resource))
}

fn structs_of(types: &ResourceTypes) -> Option<&[TrialStruct]> {
    match types {
        ResourceTypes::Go(structs, _) => Some(structs),
        ResourceTypes::Deduced(_) | ResourceTypes::Release(_) => None,
    }
}

/// Tries to remove each field, or at least its topology, from the types.
fn shrink_types(sequence: &mut Sequence, still_holds: &dyn Fn(&Sequence) -> bool) -> bool {
    let mut has_shrunk = false;
    for index in 0..sequence.resources.len() {
        let Some(structs) = structs_of(&sequence.resources[index].types) else { continue };
        let sizes: Vec<usize> = structs.iter().map(|declared| declared.fields.len()).collect();
        for (at, size) in sizes.iter().enumerate().rev() {
            has_shrunk |= try_structs(sequence, still_holds, index, &|structs| {
                let has_topology = structs[at].topology != TrialTopology::NONE;
                structs[at].topology = TrialTopology::NONE;
                has_topology
            });
            for field in (0..*size).rev() {
                has_shrunk |= try_structs(sequence, still_holds, index, &|structs| {
                    structs[at].fields.remove(field);
                    true
                }) || try_structs(sequence, still_holds, index, &|structs| {
                    let field = &mut structs[at].fields[field];
                    let had = field.topology != TrialTopology::NONE || !field.strategy.is_empty();
                    field.topology = TrialTopology::NONE;
                    (field.strategy, field.merge_key) = ("", "");
                    had
                });
            }
        }
    }
    has_shrunk
}

/// Tries a change of the structs. `change` returns false if it changed nothing.
fn try_structs(
    sequence: &mut Sequence,
    still_holds: &dyn Fn(&Sequence) -> bool,
    index: usize,
    change: &dyn Fn(&mut [TrialStruct]) -> bool,
) -> bool {
    let resource = Arc::clone(&sequence.resources[index]);
    let ResourceTypes::Go(structs, declares_metadata) = &resource.types else { return false };
    let mut structs = structs.clone();
    if !change(&mut structs) {
        return false;
    }
    let types = ResourceTypes::Go(structs, *declares_metadata);
    attempt_resource(sequence, still_holds, (index, types, resource.versions.clone()))
}
