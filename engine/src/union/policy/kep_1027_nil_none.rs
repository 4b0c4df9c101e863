//! The policy `kep-1027-nil-none`: a missing discriminator selects no member.

use std::borrow::Cow;

use super::kep_1027::Kep1027;
use super::{Change, Policy, Violation, WriteKind};
use crate::document::{Doc, OwnedMap, Text};
use crate::schema::union::Union;

/// The policy [`Kep1027`] with the second alternative of the section `"None" Discriminator Values`: "to make the discriminator a
/// pointer to a string and its value nil".
///
/// An object without the discriminator selects no member. The empty string is a value as any other, and valid only if the enum
/// lists it.
#[derive(Debug)]
pub(super) struct Kep1027NilNone;

/// Returns the union in which the discriminator of an object has a valid value also if it is nil.
fn with_nil<'u>(union: &'u Union, object: &OwnedMap) -> Cow<'u, Union> {
    let mut union = Cow::Borrowed(union);
    // "First do a nil check, then check the value": an empty string is not nil.
    let is_nil = |field: &str| matches!(object.get(field), None | Some(Doc::Null));
    if union.discriminator.as_ref().is_some_and(|discriminator| is_nil(&discriminator.field))
        && let Some(discriminator) = &mut union.to_mut().discriminator
    {
        discriminator.default = None;
        if let Some(values) = &mut discriminator.values {
            values.push(Text::from(""));
        }
    }
    union
}

impl Policy for Kep1027NilNone {
    fn name(&self) -> &'static str {
        "kep-1027-nil-none"
    }

    fn about(&self) -> &'static str {
        "as kep-1027; the discriminator is a pointer: an object without it selects no member"
    }

    fn normalize(
        &self,
        write: WriteKind,
        old: Option<&OwnedMap>,
        new: &mut OwnedMap,
        union: &Union,
    ) -> Vec<Change> {
        let union = with_nil(union, new);
        Kep1027.normalize(write, old, new, &union)
    }

    fn validate(
        &self,
        write: WriteKind,
        old: Option<&OwnedMap>,
        new: &OwnedMap,
        union: &Union,
    ) -> Vec<Violation> {
        Kep1027.validate(write, old, new, &with_nil(union, new))
    }
}
