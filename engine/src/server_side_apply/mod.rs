//! Server-side apply: field sets, the topology of types, apply and update, and managed fields.
//!
//! A [`FieldManager`] runs requests. It reads the managed fields of the live object, merges an apply configuration or
//! compares two objects, and writes the managed fields of the result.
//!
//! Upstream: `sigs.k8s.io/structured-merge-diff/v6` and `k8s.io/apimachinery/pkg/util/managedfields`. What differs:
//!
//! - A list with two integers that are the same 64-bit float, as identities of items, is refused. Upstream cannot tell
//!   them apart in managed fields, and does not terminate on some of these lists.
//! - A configuration of another kind than the live object is refused. Upstream compares their versions only. API servers
//!   refuse such a request before.
//! - A `fieldsV1` with a key twice is refused, as every JSON document with a key twice is. Upstream accepts it.
//! - The fields that an applier gives up and that have owners in several other versions are added back in the order of
//!   these owners. Upstream takes the versions in the order of a Go map, and its result can depend on it.

mod compare;
mod conflict;
mod csa_upgrade;
mod field_manager;
pub mod field_set;
mod field_set_of;
mod go_json;
mod items;
mod last_applied;
mod managed_fields;
mod managers;
mod merge;
mod old_updaters;
mod reconcile;
mod remove;
mod resource;
mod status;
mod time;
pub mod topology;
#[cfg(test)]
#[cfg(feature = "go")]
mod topology_tests;
mod updater;
mod validate;

pub use compare::FieldComparison;
pub use csa_upgrade::{CsaUpgrade, upgrade_managed_fields};
pub use field_manager::{BEFORE_FIRST_APPLY, FieldManager, WriteRequest};
pub use field_set::{FieldSet, ItemKeys, PathElement};
pub use managers::{ManagerId, OwnedFields};
pub use resource::{Rename, Resource, ResourceVersion, VersionConversion};
pub use status::conflict_status;
pub use validate::check_typed_value;

#[cfg(test)]
#[cfg(feature = "go")]
mod tests;
