//! Generation of random trials: types, documents of these types, and an operation. The seed and the number of a trial
//! determine the trial.

mod documents;
mod formatted_scalars;
mod json_patches;
mod random_types;
mod rare_values;
mod release_kinds;
mod requests;
mod strategic_merge_patches;

use std::sync::Arc;

use skewer_engine::patch::{self, Overwrite, Precondition};
use skewer_engine::schema::builtin::Release;
use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap, Text};
use skewer_skew::OperationKind;

pub(crate) use self::requests::generate_request;
pub use self::requests::request_types;

use self::documents::{DocumentGenerator, RareValues};
use self::json_patches::comparable;
use self::random_types::random_types;
use self::release_kinds::Party;
use super::trial::{Trial, TrialRequest};
use super::types::{TrialTypes, TypesOrigin};
use crate::random_testing::Random;
use crate::random_testing::document_edits;

/// Number of consecutive trials with the same types. Compiling types takes longer than a trial.
pub(crate) const TRIALS_PER_TYPE_SET: u64 = 64;

/// Purpose of the [`Random`] generators for types.
const TYPES_PURPOSE: u64 = 1;
/// Purpose of the [`Random`] generators for documents.
const DOCUMENTS_PURPOSE: u64 = 2;

/// The source of the types of trials.
#[derive(Clone, Debug, Default)]
pub enum TypeSource {
    /// Random types.
    #[default]
    Random,
    /// The kinds of an embedded release, each with its types.
    Release(Vec<Arc<TrialTypes>>),
}

impl TypeSource {
    /// Converts the kinds of an embedded release.
    ///
    /// # Errors
    ///
    /// Returns a message if the type of a kind is missing from the schema of the release.
    pub fn of_release(release: &'static Release) -> Result<Self, String> {
        release_kinds::release_kinds(release, Party::Client).map(TypeSource::Release)
    }

    /// Converts the kinds of an embedded release that an API server of the release 1.`minor` stores.
    ///
    /// # Errors
    ///
    /// Returns a message if the type of a kind is missing from the schema of the release.
    pub fn of_server(release: &'static Release, minor: u32) -> Result<Self, String> {
        release_kinds::release_kinds(release, Party::Server(minor)).map(TypeSource::Release)
    }
}

/// Returns the types of a trial. Fails if the engine cannot read generated types.
pub(crate) fn types_of_trial(source: &TypeSource, seed: u64, number: u64) -> Result<Arc<TrialTypes>, String> {
    match source {
        TypeSource::Random => {
            random_types(&mut Random::new(seed, TYPES_PURPOSE, number / TRIALS_PER_TYPE_SET)).map(Arc::new)
        }
        TypeSource::Release(kinds) if kinds.is_empty() => Err("the release has no kinds".to_owned()),
        TypeSource::Release(kinds) => Ok(Arc::clone(Random::new(seed, TYPES_PURPOSE, number).pick(kinds))),
    }
}

/// Returns the operations of trials with a single request: all but those of a field manager. The result of these depends
/// on the owners that earlier requests have recorded, so that their trials are sequences of requests.
#[must_use]
pub fn trial_operations() -> Vec<OperationKind> {
    let kinds = OperationKind::ALL.iter().copied();
    kinds.filter(|kind| !kind.declaration().takes_field_manager).collect()
}

/// Generates a trial with one of the operations.
pub(crate) fn generate_trial(
    seed: u64,
    number: u64,
    types: &Arc<TrialTypes>,
    operations: &[OperationKind],
) -> Trial {
    let mut random = Random::new(seed, DOCUMENTS_PURPOSE, number);
    let operation = *random.pick(operations);
    // Most trials have at most one mistake, so that it is clear which mistake an answer refers to.
    let mistakes_per_mille = *random.pick_weighted(&[(40, 0), (30, 15), (20, 60), (10, 250)]);
    // Most trials have no rare values.
    let rare_per_mille = *random.pick_weighted(&[(60, 0), (30, 30), (10, 150)]);
    let types = &without_unused_custom_resource(types, operation);
    let overwrite = if random.chance(300) { Overwrite::Yes } else { Overwrite::No };
    let rare_values = RareValues::Any;
    let mut generator = DocumentGenerator { types, random, mistakes_per_mille, rare_per_mille, rare_values };
    let mut documents = generate_documents(&mut generator, operation);
    recase_or_wrap_field(&mut generator, &mut documents);
    if let TypesOrigin::Release { api_version, kind, .. } = types.origin {
        documents = documents.into_iter().map(without_whole_floats).collect();
        if let [Doc::Map(object), ..] = documents.as_mut_slice() {
            object.insert(Text::from_static("apiVersion"), Doc::from(api_version));
            object.insert(Text::from_static("kind"), Doc::from(kind));
        }
    }
    let preconditions = generate_preconditions(&mut generator, operation);
    let request = TrialRequest::default();
    Trial { number, operation, types: Arc::clone(types), documents, overwrite, preconditions, request }
}

/// Converts the types of a custom resource to ordinary types, unless the operation applies a strategic merge patch.
/// Only that operation refuses custom resources.
fn without_unused_custom_resource(types: &Arc<TrialTypes>, operation: OperationKind) -> Arc<TrialTypes> {
    if operation == OperationKind::Apply || !types.context.custom_resource {
        return Arc::clone(types);
    }
    let mut types = TrialTypes::clone(types);
    types.context.custom_resource = false;
    Arc::new(types)
}

fn generate_preconditions(
    generator: &mut DocumentGenerator<'_>,
    operation: OperationKind,
) -> Vec<Precondition> {
    if !matches!(operation, OperationKind::ThreeWay | OperationKind::JsonMergeThreeWay)
        || !generator.random.chance(100)
    {
        return Vec::new();
    }
    let key = Text::from(*generator.random.pick(&["name", "a", "b", "c", "spec", "metadata"]));
    let of_metadata = generator.random.chance(500);
    vec![if of_metadata { Precondition::MetadataKeyUnchanged(key) } else { Precondition::KeyUnchanged(key) }]
}

fn generate_documents(generator: &mut DocumentGenerator<'_>, operation: OperationKind) -> Vec<OwnedDoc> {
    let first = generator.object();
    let documents = match operation {
        OperationKind::Apply => {
            let patch = random_patch(generator, &first);
            vec![first, patch]
        }
        OperationKind::TwoWay
        | OperationKind::JsonMergeTwoWay
        | OperationKind::ServerSideApply
        | OperationKind::ManagedUpdate => {
            let second = changed_object(generator, &first);
            vec![first, second]
        }
        // Requests have their own trials.
        OperationKind::UpgradeManagedFields | OperationKind::Request => vec![first],
        OperationKind::ThreeWay | OperationKind::JsonMergeThreeWay => {
            let modified = changed_object(generator, &first);
            let live = changed_object(generator, &first);
            vec![first, modified, live]
        }
        OperationKind::Conflicts => {
            let (left, right) = (random_patch(generator, &first), random_patch(generator, &first));
            // Patches that agree in part are more interesting than unrelated patches.
            let right = if generator.random.chance(400) {
                generator.edited_map(&left, Some(generator.types.root()), 0)
            } else {
                right
            };
            vec![left, right]
        }
        OperationKind::Merge => {
            let count = 1 + generator.random.below(3);
            (0..count).map(|_| random_patch(generator, &first)).collect()
        }
        OperationKind::JsonMergeApply => {
            let patch = if generator.random.chance(500) {
                generator.strategic_merge_patch(&first)
            } else {
                changed_object(generator, &first)
            };
            vec![first, patch]
        }
        OperationKind::JsonPatchApply => {
            let live = Doc::Map(first);
            let patch = generator.json_patch(&live);
            return comparable([live, patch], &['<', '>']).into();
        }
    };
    let mut documents: Vec<OwnedDoc> = documents.into_iter().map(Doc::Map).collect();
    if generator.random.chance(generator.mistakes_per_mille / 8) {
        let at = generator.random.below(documents.len());
        documents[at] = generator.untyped_value(0);
    }
    documents
}

/// Occasionally changes the upper or lower case of a field name, or wraps the values of a field into lists.
fn recase_or_wrap_field(generator: &mut DocumentGenerator<'_>, documents: &mut [OwnedDoc]) {
    let chance = (generator.mistakes_per_mille + generator.rare_per_mille) / 4;
    if !generator.random.chance(chance) {
        return;
    }
    let mut keys = Vec::new();
    for document in &*documents {
        document_edits::collect_keys(document, &mut keys);
    }
    if keys.is_empty() {
        return;
    }
    let key = generator.random.pick(&keys).clone();
    let in_other_case = generator.in_other_case(&key);
    let in_list = generator.random.chance(500);
    // If only one document is changed, the documents have the same field in different cases.
    let in_all = generator.random.chance(700);
    let chosen = generator.random.below(documents.len());
    for (_, document) in documents.iter_mut().enumerate().filter(|(index, _)| in_all || *index == chosen) {
        document_edits::rewrite_entries(document, &key, &|value| {
            if in_list { (key.clone(), Doc::List(vec![value])) } else { (in_other_case.clone(), value) }
        });
    }
}

/// Replaces whole floats by an integer, because clients decode 1.0 as 1.
fn without_whole_floats(value: OwnedDoc) -> OwnedDoc {
    match value {
        Doc::Float(float) if float.fract() == 0.0 => Doc::Int(1),
        Doc::List(items) => Doc::List(items.into_iter().map(without_whole_floats).collect()),
        Doc::Map(map) => {
            Doc::Map(map.into_iter().map(|(key, value)| (key, without_whole_floats(value))).collect())
        }
        other => other,
    }
}

fn changed_object(generator: &mut DocumentGenerator<'_>, map: &OwnedMap) -> OwnedMap {
    if generator.random.chance(100) {
        generator.object()
    } else {
        generator.edited_map(map, Some(generator.types.root()), 0)
    }
}

/// Generates a patch: a random patch, a patch created by the engine, or an edited copy of such a patch.
fn random_patch(generator: &mut DocumentGenerator<'_>, live: &OwnedMap) -> OwnedMap {
    let method = generator.random.below(10);
    if method < 6 {
        return generator.strategic_merge_patch(live);
    }
    let modified = generator.edited_map(live, Some(generator.types.root()), 0);
    let (live, modified) = (Doc::Map(live.clone()), Doc::Map(modified));
    match patch::two_way(&generator.types.context, &live, &modified) {
        Ok(Doc::Map(patch)) if method < 8 => patch,
        Ok(Doc::Map(patch)) => generator.edited_map(&patch, Some(generator.types.root()), 0),
        _ => generator.strategic_merge_patch(&Map::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_are_reproducible() {
        let trial_7 = || {
            let types = types_of_trial(&TypeSource::Random, 7, 130).unwrap();
            generate_trial(7, 130, &types, &trial_operations())
        };
        assert_eq!(trial_7().documents, trial_7().documents);
        assert_ne!(
            trial_7().documents,
            generate_trial(
                8,
                130,
                &types_of_trial(&TypeSource::Random, 7, 130).unwrap(),
                &trial_operations()
            )
            .documents
        );
    }
}
