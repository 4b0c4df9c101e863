//! The policy `kep-1027-ratcheting`: an update may keep the errors of the stored object.

use super::kep_1027::{Kep1027, Reasons, is_same_reason};
use super::{Change, Policy, UnionGates, Violation, WriteKind};
use crate::document::OwnedMap;
use crate::schema::union::Union;

/// The policy [`Kep1027`] with ratcheting.
///
/// KEP-1027, "Ratcheting Validation": "objects will ignore stricter validation rules if and only if the existing object
/// also fails the stricter validation for the same reason". All reasons count, also those that a server does not report
/// because they follow from another one. For example, an object with several set members may lose one of them, but may
/// not gain another, and an object with an unknown discriminator may keep its member, but may not gain a second one.
#[derive(Debug)]
pub(super) struct Kep1027Ratcheting;

impl Policy for Kep1027Ratcheting {
    fn name(&self) -> &'static str {
        "kep-1027-ratcheting"
    }

    fn about(&self) -> &'static str {
        "like kep-1027, but an error that the stored object has for the same reason is tolerated"
    }

    fn gates(&self) -> Option<UnionGates> {
        Some(UnionGates { unions: true, ratcheting: true })
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
        let Some(reasons) = Reasons::of(write, old, new, union) else {
            return without_stored_violations(Kep1027.validate(write, old, new, union), old, union);
        };
        let stored = old.and_then(|stored| Reasons::of(WriteKind::Update, old, stored, union));
        match stored {
            Some(stored) => reasons.except_those_of(&stored).into_violations(),
            None => reasons.into_violations(),
        }
    }

    fn tolerates_stored_errors(&self) -> bool {
        true
    }
}

/// Removes the violations that the stored object has, too.
fn without_stored_violations(
    mut violations: Vec<Violation>,
    old: Option<&OwnedMap>,
    union: &Union,
) -> Vec<Violation> {
    if let Some(stored) = old.filter(|_| !violations.is_empty()) {
        let known = Kep1027.validate(WriteKind::Update, old, stored, union);
        violations.retain(|now| !known.iter().any(|before| is_same_reason(now, before)));
    }
    violations
}
