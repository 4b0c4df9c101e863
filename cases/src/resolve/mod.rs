//! Converts a suite as written (the `Spec` types) to the checked model whose cells can be run. Code and messages call
//! this conversion "resolving": each name in the file is replaced by what it refers to, or reported as unknown.

mod axes;
mod case;
mod cell_count;
mod completeness;
mod contributions;
mod declared_directives;
mod definitions;
mod documents;
mod expectation;
mod old_names;
mod operation;
mod presence;
mod reference_case;
mod schemas;
mod suite;
mod type_reader;
mod unused_edits;
mod unused_keys;
mod user_profile;
mod versions;

pub(crate) use cell_count::CellCount;
pub use cell_count::TooManyCells;
pub use documents::deliberate_paths;
pub(crate) use suite::{LoadContext, resolve_suite};
pub use user_profile::UserProfile;
