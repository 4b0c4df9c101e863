//! The policy `kep-1027-empty-none`: the empty string selects no member, and there is no enum.

use super::kep_1027::Kep1027;
use super::{Change, Policy, Violation, WriteKind};
use crate::document::{OwnedMap, Text};
use crate::schema::union::Union;

/// The policy [`Kep1027`] with the first alternative of the section `"None" Discriminator Values`: "to mandate the 'none' value
/// always be the empty string", so that authors need not "define the set of enum values for each discriminator (as we could just
/// use the name of the member field)".
///
/// The valid values are those of the members and the empty string, whatever the enum of the discriminator lists.
#[derive(Debug)]
pub(super) struct Kep1027EmptyNone;

/// Returns the union with the values that its members give the discriminator, and the empty string.
fn without_enum(union: &Union) -> Union {
    let mut union = union.clone();
    if let Some(discriminator) = &mut union.discriminator {
        let members = union.members.iter().map(|member| member.value.clone());
        discriminator.values = Some(members.chain([Text::from("")]).collect());
    }
    union
}

impl Policy for Kep1027EmptyNone {
    fn name(&self) -> &'static str {
        "kep-1027-empty-none"
    }

    fn about(&self) -> &'static str {
        "as kep-1027; the discriminator has no enum: it is the name of a member, or empty for none"
    }

    fn normalize(
        &self,
        write: WriteKind,
        old: Option<&OwnedMap>,
        new: &mut OwnedMap,
        union: &Union,
    ) -> Vec<Change> {
        Kep1027.normalize(write, old, new, &without_enum(union))
    }

    fn validate(
        &self,
        write: WriteKind,
        old: Option<&OwnedMap>,
        new: &OwnedMap,
        union: &Union,
    ) -> Vec<Violation> {
        Kep1027.validate(write, old, new, &without_enum(union))
    }
}
