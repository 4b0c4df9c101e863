//! Effects: what differs between a situation and the same situation without version skew.

use skewer_engine::patch::PatchContext;
use skewer_engine::{Doc, Error, FieldPath, OwnedDoc, PathSegment};
use skewer_skew::{FinalState, differing_paths};

/// A difference that a change makes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SkewEffect {
    /// The request is refused.
    Refused(Error),
    /// The client cannot decode the object.
    Unreadable(Error),
    /// The stored object lacks values.
    Lost(Vec<FieldPath>),
    /// The stored object has values that it should not have.
    LeftOver(Vec<FieldPath>),
    /// The stored object has other values.
    Changed(Vec<FieldPath>),
}

impl SkewEffect {
    /// Returns the name in reports.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            SkewEffect::Refused(_) => "refused",
            SkewEffect::Unreadable(_) => "unreadable",
            SkewEffect::Lost(_) => "lost",
            SkewEffect::LeftOver(_) => "left over",
            SkewEffect::Changed(_) => "changed",
        }
    }

    /// Returns true if nobody is told: the request succeeds.
    #[must_use]
    pub const fn is_silent(&self) -> bool {
        !matches!(self, SkewEffect::Refused(_) | SkewEffect::Unreadable(_))
    }

    /// Returns the paths at which the object differs, or the path of the error.
    #[must_use]
    pub fn paths(&self) -> Vec<FieldPath> {
        match self {
            SkewEffect::Refused(error) | SkewEffect::Unreadable(error) => vec![error.path().clone()],
            SkewEffect::Lost(paths) | SkewEffect::LeftOver(paths) | SkewEffect::Changed(paths) => {
                paths.clone()
            }
        }
    }
}

/// Compares a final state with that of the same situation without version skew. `None` if nothing is worse: the states
/// are equal, or only the request without version skew is refused.
#[must_use]
pub fn compare(context: &PatchContext, actual: &FinalState, expected: &FinalState) -> Option<SkewEffect> {
    match (actual, expected) {
        (FinalState::Refused(error), FinalState::Stored(_)) => Some(SkewEffect::Refused(error.clone())),
        (_, FinalState::Refused(_)) => None,
        (FinalState::Stored(actual), FinalState::Stored(expected)) => {
            // An object without fields and an absent object mean the same.
            let is_empty = |document: &OwnedDoc, path: &FieldPath| match value_at(document, path) {
                Some(Doc::Map(map)) => map.is_empty(),
                None => true,
                _ => false,
            };
            let mut paths = Vec::new();
            for path in differing_paths(context, actual, expected) {
                collect_inner(value_at(actual, &path), value_at(expected, &path), path, &mut paths);
            }
            paths.retain(|path| !(is_empty(actual, path) && is_empty(expected, path)));
            silent_effect(paths, actual, expected)
        }
    }
}

/// Returns the effect that an object differs from the expected one at some paths. `None` if there are no paths.
#[must_use]
pub fn silent_effect(paths: Vec<FieldPath>, actual: &OwnedDoc, expected: &OwnedDoc) -> Option<SkewEffect> {
    let has = |document: &OwnedDoc, path: &FieldPath| value_at(document, path).is_some();
    if paths.is_empty() {
        None
    } else if paths.iter().all(|path| !has(actual, path)) {
        Some(SkewEffect::Lost(paths))
    } else if paths.iter().all(|path| !has(expected, path)) {
        Some(SkewEffect::LeftOver(paths))
    } else {
        Some(SkewEffect::Changed(paths))
    }
}

/// Adds the paths of the smallest values that differ. Lists with as many items are compared item by item.
fn collect_inner(
    actual: Option<&OwnedDoc>,
    expected: Option<&OwnedDoc>,
    path: FieldPath,
    paths: &mut Vec<FieldPath>,
) {
    let inner = |segment: PathSegment| {
        let mut inner = path.clone();
        inner.push(segment);
        inner
    };
    match (actual, expected) {
        (Some(Doc::List(a)), Some(Doc::List(b))) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate().filter(|(_, (a, b))| a != b) {
                collect_inner(Some(a), Some(b), inner(PathSegment::Index(index)), paths);
            }
        }
        (Some(Doc::Map(a)), Some(Doc::Map(b))) => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(key)));
            for key in keys.filter(|key| a.get(key) != b.get(key)) {
                collect_inner(a.get(key), b.get(key), inner(PathSegment::Key(key.clone())), paths);
            }
        }
        _ => paths.push(path),
    }
}

/// Returns the value at a path, for changes.
#[must_use]
pub fn value_at_mut<'d>(document: &'d mut OwnedDoc, path: &[PathSegment]) -> Option<&'d mut OwnedDoc> {
    path.iter().try_fold(document, |value, segment| match segment {
        PathSegment::Key(key) => value.as_map_mut()?.get_mut(key),
        PathSegment::Index(index) => value.as_list_mut()?.get_mut(*index),
    })
}

/// Returns the value at a path.
#[must_use]
pub fn value_at<'d>(document: &'d OwnedDoc, path: &FieldPath) -> Option<&'d OwnedDoc> {
    path.segments().iter().try_fold(document, |value, segment| match segment {
        PathSegment::Key(key) => value.as_map()?.get(key),
        PathSegment::Index(index) => value.as_list()?.get(*index),
    })
}
