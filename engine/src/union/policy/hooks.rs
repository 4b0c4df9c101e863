//! The trait of union policies.

use std::fmt;

use super::{Change, Violation};
use crate::document::OwnedMap;
use crate::schema::union::{DeclarationForm, Union};

/// The kind of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WriteKind {
    /// The request creates the object.
    Create,
    /// The request replaces a stored object, by an update or by a patch.
    Update,
}

/// A union policy: the rules by which a server normalizes and validates the unions of a written object.
///
/// Admission calls [`normalize`](Policy::normalize) and [`validate`](Policy::validate) once for each union of each
/// struct. `old` is the stored struct. It is `None` when the object is created, and on an update that adds the struct.
/// `new` is the struct after merging. Both methods must accept any map: they report an error in it as a [`Violation`]
/// and never panic.
pub trait Policy: Sync + fmt::Debug {
    /// Returns the name that cases and reports use, for example `kep-1027`.
    fn name(&self) -> &'static str;

    /// Returns a one-line description.
    fn about(&self) -> &'static str;

    /// Normalizes a struct before validation, and returns the changes. A policy can use `write` to normalize only on
    /// updates.
    fn normalize(
        &self,
        _write: WriteKind,
        _old: Option<&OwnedMap>,
        _new: &mut OwnedMap,
        _union: &Union,
    ) -> Vec<Change> {
        Vec::new()
    }

    /// Validates a normalized struct. Returns the violations; the struct is accepted if there are none.
    fn validate(
        &self,
        write: WriteKind,
        old: Option<&OwnedMap>,
        new: &OwnedMap,
        union: &Union,
    ) -> Vec<Violation>;

    /// Returns true if the policy has rules for a union. Unless a policy says otherwise, it has none for modal unions, in
    /// which several members can be set: only declarative validation knows them. Admission skips a union without rules.
    fn has_rules_for(&self, union: &Union) -> bool {
        union.form != DeclarationForm::Modal
    }

    /// Returns true if an error of the stored object is tolerated when the object is written again.
    fn tolerates_stored_errors(&self) -> bool {
        false
    }
}
