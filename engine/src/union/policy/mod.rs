//! What a server does with a union: one policy, one file, behind one trait, listed in one registry.
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
pub(super) use violation::at_path;

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

/// What a server does that knows nothing of unions.
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

/// How an object comes to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WriteKind {
    /// There was none of its name.
    Create,
    /// In place of a stored one, by update or by patch.
    Update,
}

/// What a server does with the unions of an object that is written.
///
/// Both hooks see one union in one struct: the struct as it is stored (`None` when it is not there: always on
/// creation, and on an update that adds it) and as it comes in, merged. Neither may fail on any object: what is wrong with it is a
/// [`Violation`].
pub trait Policy: Sync + fmt::Debug {
    /// The name in cases and reports: `kep-1027`.
    fn name(&self) -> &'static str;

    /// What it does, in a sentence.
    fn about(&self) -> &'static str;

    /// Mends an object that contradicts itself, before validation. Called for creations too; a policy that only
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

    /// What is wrong with the object, after normalization; nothing when it is accepted.
    fn validate(
        &self,
        write: WriteKind,
        old: Option<&OwnedMap>,
        new: &OwnedMap,
        union: &Union,
    ) -> Vec<Violation>;
}
