//! Definitions that replace others. Upstream: `ValidateCustomResourceDefinitionUpdate`, and
//! `customresourcedefinition.strategy.PrepareForUpdate`.

use skewer_engine::document::OwnedMap;
use skewer_engine::error::Error;

use super::checker::{Checker, Class};
use super::raw;
use crate::definition::CustomResourceDefinition;

/// Fields that cannot change.
const IMMUTABLE: [&[&str]; 4] = [&["scope"], &["names", "kind"], &["group"], &["names", "plural"]];

pub(super) fn check(new: &CustomResourceDefinition, old: &CustomResourceDefinition) -> Vec<Error> {
    let had = old.problems();
    let is_known = |class: Class| class != Class::Always && had.iter().any(|problem| problem.class == class);
    let problems = if new.is_old { Vec::new() } else { new.problems() };
    let problems = problems.into_iter().filter(|problem| !is_known(problem.class));
    let mut errors: Vec<Error> = problems.map(|problem| problem.error).collect();
    let mut checker = Checker::default();
    checker.at(&["spec"], |checker| {
        for path in IMMUTABLE {
            let (before, after) = (text_at(old, path), text_at(new, path));
            if before != after {
                let message = format!("the field cannot change: it was {before}");
                checker.at(path, |checker| checker.report(message));
            }
        }
        checker.at(&["versions"], |checker| check_stored_versions(checker, new, old));
    });
    errors.extend(checker.problems.into_iter().map(|problem| problem.error));
    errors
}

/// Returns a text of the specification.
fn text_at<'d>(definition: &'d CustomResourceDefinition, path: &[&str]) -> &'d str {
    let spec = definition.source.as_map().and_then(|document| raw::map(document, "spec"));
    let Some((last, parents)) = path.split_last() else { return "" };
    let parent = parents.iter().try_fold(spec, |map, key| Some(map.and_then(|map| raw::map(map, key))));
    parent.flatten().map_or("", |map: &OwnedMap| raw::text(map, last))
}

/// A version in which objects are stored cannot be removed. Upstream: `ValidateCustomResourceDefinitionStoredVersions`.
fn check_stored_versions(
    checker: &mut Checker,
    new: &CustomResourceDefinition,
    old: &CustomResourceDefinition,
) {
    let storage = old.versions.iter().filter(|version| version.storage).map(|version| &version.name);
    let mut stored: Vec<&String> = old.stored_versions.iter().chain(storage).collect();
    stored.dedup();
    let is_missing = |name: &&&String| !new.versions.iter().any(|version| version.name == ***name);
    let mut missing: Vec<&&String> = stored.iter().filter(is_missing).collect();
    missing.dedup();
    for name in missing {
        checker.report(format!("the version {name} is missing, in which objects are or were stored"));
    }
}
