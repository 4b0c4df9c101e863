//! Definitions that replace others. Upstream: `ValidateCustomResourceDefinitionUpdate`, and
//! `customresourcedefinition.strategy.PrepareForUpdate`.

use skewer_engine::document::{Doc, OwnedDoc, OwnedMap};
use skewer_engine::error::Result;

use super::checker::{Checker, Class, Problem};
use super::conversion::has_known_version;
use super::{names, raw, versions};
use crate::reason::ServerReason;

/// Fields that cannot change.
const IMMUTABLE: [&[&str]; 4] = [&["scope"], &["names", "kind"], &["group"], &["names", "plural"]];

impl Checker {
    /// Creates the checker of a definition that replaces one with these problems. One that cannot be decoded has no members.
    pub(super) fn replacing(old: Result<OwnedDoc>, problems: &[Problem]) -> Self {
        let ignored = problems.iter().map(|problem| problem.class).filter(|class| *class != Class::Always);
        let mut checker = Checker { ignored: ignored.collect(), ..Checker::default() };
        checker.old = Some(old.unwrap_or_else(|_| Doc::Map(OwnedMap::new())));
        if checker.old_member("spec").is_some_and(|spec| raw::is_set(spec, "preserveUnknownFields")) {
            checker.ignored.push(Class::PreservedFields);
        }
        let conversion = checker.old_member("spec").and_then(|spec| raw::map(spec, "conversion"));
        let webhook = conversion.and_then(|conversion| raw::map(conversion, "webhook"));
        let versions =
            webhook.map(|webhook| raw::list(webhook, "conversionReviewVersions")).unwrap_or_default();
        if !versions.is_empty() && !has_known_version(versions) {
            checker.ignored.push(Class::ReviewVersions);
        }
        checker
    }
}

/// Checks the fields that cannot change, and the status. An update keeps the status, and a new definition has none.
pub(super) fn check(checker: &mut Checker, spec: &OwnedMap) {
    let first = checker.problems.len();
    let empty = OwnedMap::new();
    if checker.old.is_some() {
        let old = checker.old_member("spec").unwrap_or(&empty).clone();
        for path in IMMUTABLE {
            let before = text_at(&old, path);
            if before != text_at(spec, path) {
                let message = format!("the field cannot change: it was {before}");
                checker.at(&["spec"], |checker| {
                    checker.at(path, |checker| checker.report(ServerReason::Invalid, message));
                });
            }
        }
    }
    let stored = stored_versions(spec, checker.old.as_ref());
    let accepted = checker.old_member("status").and_then(|status| raw::map(status, "acceptedNames")).cloned();
    checker.at(&["status"], |checker| {
        checker.at(&["acceptedNames"], |checker| names::check_names(checker, &accepted.unwrap_or_default()));
    });
    // Upstream names `status.storedVersions`, which the document does not have: it is the status of the stored definition.
    checker.at(&["spec", "versions"], |checker| {
        versions::check_stored(checker, raw::list(spec, "versions"), &stored);
    });
    checker.problems[first..].iter_mut().for_each(|problem| problem.is_about_change = true);
}

fn text_at<'d>(spec: &'d OwnedMap, path: &[&str]) -> &'d str {
    let Some((last, parents)) = path.split_last() else { return "" };
    let parent = parents.iter().try_fold(spec, |map, key| raw::map(map, key));
    parent.map_or("", |map| raw::text(map, last))
}

/// Returns the versions in which objects are or were stored, with the storage version. `old` is the definition that is
/// replaced.
fn stored_versions(spec: &OwnedMap, old: Option<&OwnedDoc>) -> Vec<String> {
    let empty = OwnedMap::new();
    let old = old.and_then(Doc::as_map).unwrap_or(&empty);
    let status = raw::map(old, "status").unwrap_or(&empty);
    let texts = raw::list(status, "storedVersions").iter().filter_map(Doc::as_str);
    let mut stored: Vec<String> = texts.map(str::to_owned).collect();
    let old_spec = raw::map(old, "spec").unwrap_or(&empty);
    if stored.is_empty() {
        stored.extend(storage_version(old_spec));
    }
    stored.extend(storage_version(spec).filter(|name| !stored.contains(name)));
    stored
}

fn storage_version(spec: &OwnedMap) -> Option<String> {
    let mut versions = raw::list(spec, "versions").iter().filter_map(Doc::as_map);
    let version = versions.find(|version| raw::is_set(version, "storage"))?;
    Some(raw::text(version, "name").to_owned())
}
