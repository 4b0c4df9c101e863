//! The policy `kep-1027-restoring`: the server restores a selected member that a client dropped.

use super::change::restore;
use super::kep_1027::{Kep1027, is_modified};
use super::{Change, Policy, Violation, WriteKind};
use crate::document::OwnedMap;
use crate::schema::union::{Union, UnionSelection};

/// The policy [`Kep1027`] with the conclusion of row 16 as it reads: a "client with the discriminator will not change the
/// discriminator value, indicating to the server that no changes are desired in the union". If the discriminator is unmodified and
/// no member is set, the member that it selects is that of the stored object. The KEP itself refuses the object, because the
/// selected member is empty.
#[derive(Debug)]
pub(super) struct Kep1027Restoring;

impl Policy for Kep1027Restoring {
    fn name(&self) -> &'static str {
        "kep-1027-restoring"
    }

    fn about(&self) -> &'static str {
        "as kep-1027; a selected member that an update drops without changing the discriminator is restored"
    }

    fn normalize(
        &self,
        write: WriteKind,
        old: Option<&OwnedMap>,
        new: &mut OwnedMap,
        union: &Union,
    ) -> Vec<Change> {
        if let (Some(old), Some(discriminator)) = (old, &union.discriminator)
            && write == WriteKind::Update
            && !is_modified(discriminator, Some(old), new)
            && union.set_members(new).is_empty()
            && let Some(UnionSelection::Member(member)) = union.selection(new)
        {
            return restore(new, old, member).into_iter().collect();
        }
        Kep1027.normalize(write, old, new, union)
    }

    fn validate(
        &self,
        write: WriteKind,
        old: Option<&OwnedMap>,
        new: &OwnedMap,
        union: &Union,
    ) -> Vec<Violation> {
        Kep1027.validate(write, old, new, union)
    }
}
