//! `legacy`: the members are counted by hand.

use super::{Policy, Violation, WriteKind};
use crate::document::OwnedMap;
use crate::schema::union::{Cardinality, Member, Union};

/// At most one member, or exactly one; nothing else is looked at, neither the discriminator nor what is stored.
///
/// Source: what built-in types do today (`validateVolumeSource` and its kin: "may not specify more than 1 volume
/// type", "must specify a volume type"). KEP-1027, "Migrating existing unions": "These legacy unions must continue to
/// perform normalization and validation manually".
#[derive(Debug)]
pub(super) struct Legacy;

impl Policy for Legacy {
    fn name(&self) -> &'static str {
        "legacy"
    }

    fn about(&self) -> &'static str {
        "no normalization; the members that are set are counted, as built-in types do by hand"
    }

    fn validate(
        &self,
        _write: WriteKind,
        _old: Option<&OwnedMap>,
        new: &OwnedMap,
        union: &Union,
    ) -> Vec<Violation> {
        let set: Vec<&Member> =
            union.members.iter().filter(|member| member.is_set_when_decoded(new)).collect();
        match set.len() {
            0 if union.cardinality() == Cardinality::ExactlyOne => vec![Violation::no_member(union)],
            0 | 1 => Vec::new(),
            _ => vec![Violation::several_members(&set, "leave out all but one")],
        }
    }
}
