//! Union policies, with which a server normalizes and validates unions: one policy, one file, behind one trait, listed in one registry.
//!
//! To add one: write a module with a type that implements [`Policy`], and add it to [`REGISTRY`].

mod change;
mod declarative;
mod deduce;
mod discriminator_defaulting;
mod kep_1027;
mod kep_1027_ratcheting;
mod legacy;
mod none;
mod violation;

use std::fmt;

pub use change::{Change, ChangeKind};
pub use violation::Violation;
pub(super) use violation::error_at_path;

use crate::document::OwnedMap;
use crate::schema::union::Union;

/// Every policy there is, in the order of the design.
pub const REGISTRY: &[&dyn Policy] = &[
    &none::NoUnions,
    &legacy::Legacy,
    &deduce::Deduce,
    &kep_1027::Kep1027,
    &kep_1027_ratcheting::Kep1027Ratcheting,
    &discriminator_defaulting::DiscriminatorDefaulting,
    &declarative::Declarative,
];

/// The policy of a server that does not know unions.
pub const NONE: &dyn Policy = &none::NoUnions;

/// The registered policy with this name.
///
/// ```
/// use skewer_engine::union::policy;
///
/// let policy = policy::by_name("kep-1027").expect("it is in the registry");
/// println!("{}: {}", policy.name(), policy.about());
/// assert!(policy::by_name("kep-1028").is_none());
/// ```
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Policy> {
    REGISTRY.iter().copied().find(|policy| policy.name() == name)
}

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
}
