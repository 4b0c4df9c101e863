//! The policy `legacy`: hand-written validation that counts the members.

use super::{Policy, Violation, WriteKind};
use crate::document::OwnedMap;
use crate::schema::union::{Cardinality, Member, Union};

/// A policy that validates only the number of members that are set: at most one, or exactly one, according to the
/// cardinality of the union. It ignores the stored object, and the value of the discriminator.
///
/// Source: the hand-written validation of built-in types, for example `validateVolumeSource` ("may not specify more
/// than 1 volume type", "must specify a volume type"). KEP-1027, "Migrating existing unions": "These legacy unions must
/// continue to perform normalization and validation manually".
#[derive(Debug)]
pub(super) struct Legacy;

impl Policy for Legacy {
    fn name(&self) -> &'static str {
        "legacy"
    }

    fn about(&self) -> &'static str {
        "no normalization; the number of set members is validated, as in the hand-written code of built-in types"
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
