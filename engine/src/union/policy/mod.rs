//! Union policies: the rules by which a server normalizes and validates the unions of a written object.
//!
//! Each policy has one file with an implementation of [`Policy`], and one line in [`REGISTRY`].

mod change;
mod declarative;
mod deduce;
mod discriminator_defaulting;
mod discriminator_following;
mod hooks;
mod kep_1027;
mod kep_1027_empty_none;
mod kep_1027_nil_none;
mod kep_1027_ratcheting;
mod kep_1027_restoring;
mod legacy;
mod none;
mod structured_merge_diff;
mod violation;

pub use change::{Change, ChangeKind};
pub use hooks::{Policy, UnionGates, UnionOperation, WriteKind};
pub use violation::Violation;

/// All policies. Reports list them in this order.
pub const REGISTRY: &[&dyn Policy] = &[
    &none::NoUnions,
    &legacy::Legacy,
    &deduce::Deduce,
    &structured_merge_diff::StructuredMergeDiff,
    &kep_1027::Kep1027,
    &kep_1027_ratcheting::Kep1027Ratcheting,
    &kep_1027_restoring::Kep1027Restoring,
    &kep_1027_empty_none::Kep1027EmptyNone,
    &kep_1027_nil_none::Kep1027NilNone,
    &discriminator_defaulting::DiscriminatorDefaulting,
    &discriminator_following::DiscriminatorFollowing,
    &declarative::Declarative,
];

/// The policy `none`, of a server without support for unions.
pub const NONE: &dyn Policy = &none::NoUnions;

/// Returns the registered policy with this name.
///
/// ```
/// use skewer_engine::union::policy;
///
/// let policy = policy::by_name("kep-1027").expect("a registered policy");
/// println!("{}: {}", policy.name(), policy.about());
/// assert!(policy::by_name("kep-1028").is_none());
/// ```
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Policy> {
    REGISTRY.iter().copied().find(|policy| policy.name() == name)
}
