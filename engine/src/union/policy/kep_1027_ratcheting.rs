//! The policy `kep-1027-ratcheting`: an update may keep the errors of the stored object.

use super::kep_1027::Kep1027;
use super::{Change, Policy, Violation, WriteKind};
use crate::document::OwnedMap;
use crate::schema::union::Union;

/// The policy [`Kep1027`] with ratcheting.
///
/// KEP-1027, "Ratcheting Validation": "objects will ignore stricter validation rules if and only if the existing object
/// also fails the stricter validation for the same reason". Two violations have the same reason if they have the same
/// kind and field, and if each subject of the new one is a subject of the old one. For example, an object with several
/// set members may lose one of them, but may not gain another.
#[derive(Debug)]
pub(super) struct Kep1027Ratcheting;

impl Policy for Kep1027Ratcheting {
    fn name(&self) -> &'static str {
        "kep-1027-ratcheting"
    }

    fn about(&self) -> &'static str {
        "like kep-1027, but an error that the stored object has for the same reason is tolerated"
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
