//! Random trials: types, documents of these types, and an operation on the documents. The same seed and number
//! give the same trial for ever.

mod built_in;
mod documents;
mod patches;
mod types;

use std::sync::Arc;

use skewer_engine::patch::{self, Overwrite, Precondition};
use skewer_engine::schema::builtin::Release;
use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap, Text};

use self::documents::Maker;
use super::trial::{Kind, Trial};
use crate::places;
use crate::random::Random;

pub use types::Types;
pub(crate) use types::{Origin, ROOT, Struct};

/// How many trials in a row have the same types: reading types takes longer than a trial.
pub(crate) const SAME_TYPES: u64 = 64;

/// What the random numbers are for, so that types and documents have their own.
const FOR_TYPES: u64 = 1;
const FOR_DOCUMENTS: u64 = 2;

/// Where the types of trials come from.
#[derive(Clone, Debug, Default)]
pub enum Source {
    /// Random types.
    #[default]
    Random,
    /// The kinds of an embedded release.
    Release(Vec<Arc<Types>>),
}

impl Source {
    /// The kinds of an embedded release, with their directives.
    pub fn of_release(release: &'static Release) -> Result<Self, String> {
        built_in::kinds(release).map(Source::Release)
    }
}

/// The types of a trial. Those that cannot be read are passed over, and the error told.
pub(crate) fn types(source: &Source, seed: u64, number: u64) -> Result<Arc<Types>, String> {
    match source {
        Source::Random => Types::any(&mut Random::new(seed, FOR_TYPES, number / SAME_TYPES)).map(Arc::new),
        Source::Release(kinds) if kinds.is_empty() => Err("the release has no kinds".to_owned()),
        Source::Release(kinds) => Ok(Arc::clone(Random::new(seed, FOR_TYPES, number).pick(kinds))),
    }
}

/// A trial of one of the operations.
pub(crate) fn trial(seed: u64, number: u64, types: &Arc<Types>, kinds: &[Kind]) -> Trial {
    let mut random = Random::new(seed, FOR_DOCUMENTS, number);
    let kind = *random.pick(kinds);
    // Most trials have no mistake or one, so that it is clear which the answer is about.
    let wildness = *random.weighted(&[(40, 0), (30, 15), (20, 60), (10, 250)]);
    let types = &with_a_patch(types, kind);
    let overwrite = if random.often(300) { Overwrite::Yes } else { Overwrite::No };
    let mut maker = Maker { types, random, wildness };
    let mut documents = documents(&mut maker, kind);
    disguise(&mut maker, &mut documents);
    if matches!(types.origin, Origin::Release { .. }) {
        documents = documents.into_iter().map(without_whole_floats).collect();
    }
    if let Origin::Release { api_version, kind, .. } = types.origin
        && let [Doc::Map(object), ..] = documents.as_mut_slice()
    {
        object.insert(Text::from_static("apiVersion"), Doc::from(api_version));
        object.insert(Text::from_static("kind"), Doc::from(kind));
    }
    let preconditions = preconditions(&mut maker, kind);
    Trial { number, kind, types: Arc::clone(types), documents, overwrite, preconditions }
}

/// A patch of a custom resource is refused when it is applied; nobody creates one, or asks a library to.
fn with_a_patch(types: &Arc<Types>, kind: Kind) -> Arc<Types> {
    if kind == Kind::Apply || !types.context.custom_resource {
        return Arc::clone(types);
    }
    let mut types = Types::clone(types);
    types.context.custom_resource = false;
    Arc::new(types)
}

fn preconditions(maker: &mut Maker<'_>, kind: Kind) -> Vec<Precondition> {
    if !matches!(kind, Kind::ThreeWay | Kind::JsonMergeThreeWay) || !maker.random.often(100) {
        return Vec::new();
    }
    let key = Text::from(*maker.random.pick(&["name", "a", "b", "c", "spec", "metadata"]));
    let of_metadata = maker.random.often(500);
    vec![if of_metadata { Precondition::MetadataKeyUnchanged(key) } else { Precondition::KeyUnchanged(key) }]
}

fn documents(maker: &mut Maker<'_>, kind: Kind) -> Vec<OwnedDoc> {
    let first = maker.object();
    let documents = match kind {
        Kind::Apply => {
            let patch = patch_for(maker, &first);
            vec![first, patch]
        }
        Kind::TwoWay | Kind::JsonMergeTwoWay => {
            let second = changed(maker, &first);
            vec![first, second]
        }
        Kind::ThreeWay | Kind::JsonMergeThreeWay => {
            let modified = changed(maker, &first);
            let live = changed(maker, &first);
            vec![first, modified, live]
        }
        Kind::Conflicts => {
            let (left, right) = (patch_for(maker, &first), patch_for(maker, &first));
            // Patches that agree in part are the interesting ones.
            let right = if maker.random.often(400) {
                maker.edited(&left, Some(maker.types.root()), 0)
            } else {
                right
            };
            vec![left, right]
        }
        Kind::Merge => {
            let count = 1 + maker.random.below(3);
            (0..count).map(|_| patch_for(maker, &first)).collect()
        }
        Kind::JsonMergeApply => {
            let patch = if maker.random.often(500) { maker.patch(&first) } else { changed(maker, &first) };
            vec![first, patch]
        }
        Kind::JsonPatchApply => {
            // Upstream's `test` compares text, in which Go writes `<` in one way and all others in another.
            let live = without_brackets(Doc::Map(first));
            let patch = without_brackets(maker.json_patch(&live));
            return vec![live, patch];
        }
    };
    let mut documents: Vec<OwnedDoc> = documents.into_iter().map(Doc::Map).collect();
    if maker.random.often(maker.wildness / 8) {
        let at = maker.random.below(documents.len());
        documents[at] = maker.anything(0);
    }
    documents
}

/// Gives a field another case in all documents, or puts its value into a list, once in a while.
fn disguise(maker: &mut Maker<'_>, documents: &mut [OwnedDoc]) {
    if !maker.random.often(maker.wildness / 4) {
        return;
    }
    let mut keys = Vec::new();
    for document in &*documents {
        places::keys(document, &mut keys);
    }
    if keys.is_empty() {
        return;
    }
    let key = maker.random.pick(&keys).clone();
    let (first, rest) = key.split_at(key.chars().next().map_or(0, char::len_utf8));
    let in_other_case = Text::from(first.to_uppercase() + rest);
    let in_list = maker.random.often(500);
    for document in documents {
        places::change(document, &key, &|value| {
            if in_list { (key.clone(), Doc::List(vec![value])) } else { (in_other_case.clone(), value) }
        });
    }
}

/// As clients read numbers: 1.0 is 1.
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

fn without_brackets(value: OwnedDoc) -> OwnedDoc {
    match value {
        Doc::String(text) => Doc::from(text.replace(['<', '>'], "")),
        Doc::List(items) => Doc::List(items.into_iter().map(without_brackets).collect()),
        Doc::Map(map) => {
            Doc::Map(map.into_iter().map(|(key, value)| (key, without_brackets(value))).collect())
        }
        other => other,
    }
}

fn changed(maker: &mut Maker<'_>, map: &OwnedMap) -> OwnedMap {
    if maker.random.often(100) { maker.object() } else { maker.edited(map, Some(maker.types.root()), 0) }
}

/// A patch that somebody wrote, or one that was created, or one that was created and then spoilt.
fn patch_for(maker: &mut Maker<'_>, live: &OwnedMap) -> OwnedMap {
    let how = maker.random.below(10);
    if how < 6 {
        return maker.patch(live);
    }
    let wanted = maker.edited(live, Some(maker.types.root()), 0);
    let (live, wanted) = (Doc::Map(live.clone()), Doc::Map(wanted));
    match patch::two_way(&maker.types.context, &live, &wanted) {
        Ok(Doc::Map(patch)) if how < 8 => patch,
        Ok(Doc::Map(patch)) => maker.edited(&patch, Some(maker.types.root()), 0),
        _ => maker.patch(&Map::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_is_known_by_its_seed_and_number() {
        let make = || {
            let types = types(&Source::Random, 7, 130).unwrap();
            trial(7, 130, &types, Kind::ALL)
        };
        assert_eq!(make().documents, make().documents);
        assert_ne!(
            make().documents,
            trial(8, 130, &types(&Source::Random, 7, 130).unwrap(), Kind::ALL).documents
        );
    }
}
