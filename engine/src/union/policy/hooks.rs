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

/// The operation of the adapter protocol in which an implementation has the rules of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UnionOperation {
    /// `normalize-union`: the implementation normalizes a struct, or refuses it. Nothing is left to validate.
    Normalize,
    /// `validate-union`: the implementation validates the membership of a struct.
    Validate,
}

/// The feature gates of a server that follows KEP-1027.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UnionGates {
    /// `APIUnions`: whether the server normalizes and validates unions.
    pub unions: bool,
    /// Whether an error is tolerated that the stored object has for the same reason. KEP-1027, "Ratcheting Validation".
    pub ratcheting: bool,
}

impl UnionGates {
    /// The gates of a server without support for unions.
    pub const OFF: UnionGates = UnionGates { unions: false, ratcheting: false };
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

    /// Returns the operation with which another implementation can decide instead of the policy. `None` for a policy
    /// that no implementation has.
    fn operation(&self) -> Option<UnionOperation> {
        None
    }

    /// Returns the feature gates with which a server has the rules of the policy. `None` for rules that are not those of
    /// the KEP. An implementation of the KEP can be asked for its own rules under these gates.
    fn gates(&self) -> Option<UnionGates> {
        None
    }

    /// Validates what [`UnionOperation::Validate`] does not: the values of fields, but not which members are set.
    fn validate_values(&self, _old: Option<&OwnedMap>, _new: &OwnedMap, _union: &Union) -> Vec<Violation> {
        Vec::new()
    }

    /// Returns true if an error of the stored object is tolerated when the object is written again.
    fn tolerates_stored_errors(&self) -> bool {
        false
    }
}

/// Policies are equal if they have the same name.
impl PartialEq for dyn Policy {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}
