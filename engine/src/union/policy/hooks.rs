//! The hooks by which a policy takes part in the admission of an object.

use std::fmt;

use super::{Change, Violation};
use crate::document::OwnedMap;
use crate::schema::union::Union;

/// The kind of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WriteKind {
    /// The object is new.
    Create,
    /// The object replaces a stored one, by update or by patch.
    Update,
}

/// A union policy: normalization and validation of the unions of an object that is written.
///
/// Both hooks see one union in one struct: the stored struct (`None` on creation, and on an update that
/// adds it) and the merged one. Neither may fail on any object: an error in it is a [`Violation`].
pub trait Policy: Sync + fmt::Debug {
    /// The name in cases and reports: `kep-1027`.
    fn name(&self) -> &'static str;

    /// A description, in a sentence.
    fn about(&self) -> &'static str;

    /// Changes an object that contradicts itself, before validation. Called for creations too; a policy that only
    /// normalizes updates looks at `write`.
    fn normalize(
        &self,
        _write: WriteKind,
        _old: Option<&OwnedMap>,
        _new: &mut OwnedMap,
        _union: &Union,
    ) -> Vec<Change> {
        Vec::new()
    }

    /// Returns the violations of the object after normalization; none when it is accepted.
    fn validate(
        &self,
        write: WriteKind,
        old: Option<&OwnedMap>,
        new: &OwnedMap,
        union: &Union,
    ) -> Vec<Violation>;

    /// Whether an error that the stored object already has is tolerated.
    fn tolerates_stored_errors(&self) -> bool {
        false
    }
}
