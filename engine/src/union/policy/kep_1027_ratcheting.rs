//! `kep-1027-ratcheting`: an object may keep the errors that it has.

use super::kep_1027::Kep1027;
use super::{Change, Policy, Violation, WriteKind};
use crate::document::OwnedMap;
use crate::schema::union::Union;

/// KEP-1027, "Ratcheting Validation": "objects will ignore stricter validation rules if and only if the existing
/// object also fails the stricter validation for the same reason".
///
/// A reason is the rule, the field, and what it is about. Of several members that are set, all must have been set
/// before: an object may get better, not worse in another way.
#[derive(Debug)]
pub(super) struct Kep1027Ratcheting;

impl Policy for Kep1027Ratcheting {
    fn name(&self) -> &'static str {
        "kep-1027-ratcheting"
    }

    fn about(&self) -> &'static str {
        "as kep-1027, but an error that the stored object has for the same reason is let pass"
    }

    fn normalize(
        &self,
        write: WriteKind,
        old: Option<&OwnedMap>,
        new: &mut OwnedMap,
        union: &Union,
    ) -> Vec<Change> {
        Kep1027.normalize(write, old, new, union)
    }

    fn validate(
        &self,
        write: WriteKind,
        old: Option<&OwnedMap>,
        new: &OwnedMap,
        union: &Union,
    ) -> Vec<Violation> {
        let mut violations = Kep1027.validate(write, old, new, union);
        if let Some(stored) = old.filter(|_| !violations.is_empty()) {
            let stored_violations = Kep1027.validate(WriteKind::Update, old, stored, union);
            violations
                .retain(|violation| !stored_violations.iter().any(|known| is_same_reason(violation, known)));
        }
        violations
    }

    fn tolerates_stored_errors(&self) -> bool {
        true
    }
}

fn is_same_reason(now: &Violation, before: &Violation) -> bool {
    now.kind == before.kind
        && now.field == before.field
        && now.subjects.iter().all(|subject| before.subjects.contains(subject))
}
