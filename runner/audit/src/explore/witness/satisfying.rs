//! Objects on which a rule holds.

use std::cell::Cell;

use skewer_admission::{Admission, Reviewed};
use skewer_engine::{Error, FieldPath, OwnedDoc};

use super::objects::Objects;
use super::scope::{Budget, Scope, collect_literals, rules_at};
use crate::situation::STATUS;

/// The most values that are read to satisfy a rule in one object.
pub(super) const MAX_TO_SATISFY: usize = 20_000;

/// Returns objects that differ from a refused one where a rule reads it, and on which the rule holds. They replace the same
/// stored object. `path` is the place of the value with the rule, and `text` the expression.
pub(crate) fn satisfying(
    admission: &Admission,
    objects: &Objects,
    path: &FieldPath,
    text: &str,
    budget: &Budget,
) -> Vec<OwnedDoc> {
    let schema = &admission.version.schema;
    let rules = rules_at(admission.rules(), schema, path);
    let Some(rule) = rules.into_iter().find(|rule| rule.source().rule.trim() == text.trim()) else {
        return Vec::new();
    };
    let all = budget.get();
    let own = Budget::new(Cell::new(all.min(MAX_TO_SATISFY)));
    let scope = Scope::new(schema, admission.rules(), rule, path, &own);
    let mut start = objects.clone();
    if scope.holds(objects, rule.condition()) == Some(true) {
        // The rule refuses what a default makes of the object.
        start.new = admission.decode(&objects.new, false).unwrap_or(start.new);
    }
    let found = scope.narrow(&start, rule.condition(), true).into_iter();
    budget.set(all - all.min(MAX_TO_SATISFY) + own.get());
    found.filter(|found| found.old == objects.old).map(|found| found.new).collect()
}

/// Returns the texts and the numbers that the rules of the value at a path name.
pub(crate) fn literals_at(admission: &Admission, path: &FieldPath) -> Vec<OwnedDoc> {
    let mut literals = Vec::new();
    for rule in rules_at(admission.rules(), &admission.version.schema, path) {
        collect_literals(rule.condition(), &mut literals);
    }
    literals
}

/// Sends an object to a server, and then its status. Returns the stored object.
///
/// # Errors
///
/// Returns the errors of the first request that is refused.
pub(crate) fn store(
    admission: &Admission,
    old: Option<&OwnedDoc>,
    object: &OwnedDoc,
) -> Result<OwnedDoc, Vec<Error>> {
    let accepted = |reviewed: Reviewed| {
        if reviewed.errors.is_empty() { Ok(reviewed.object) } else { Err(reviewed.errors) }
    };
    let stored = accepted(admission.decode_and_review(old, object, false)?)?;
    if !admission.version.has_status {
        return Ok(stored);
    }
    let decoded = admission.decode(object, false).map_err(|error| vec![error])?;
    accepted(admission.review_request(STATUS, Some(&stored), decoded))
}
