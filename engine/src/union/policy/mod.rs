//! Union policies: what a server does with the unions of an object that is written.
//!
//! Each policy is one file that implements [`Policy`], and one line in [`REGISTRY`].

mod change;
mod declarative;
mod deduce;
mod discriminator_defaulting;
mod hooks;
mod kep_1027;
mod kep_1027_ratcheting;
mod legacy;
mod none;
mod violation;

pub use change::{Change, ChangeKind};
pub use hooks::{Policy, WriteKind};
pub use violation::Violation;
pub(super) use violation::error_at_path;

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
