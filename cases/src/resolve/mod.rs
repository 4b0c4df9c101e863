//! Resolves a suite as it is written to a suite whose cells can be run.

mod axes;
mod case;
mod cell_count;
mod completeness;
pub mod design_documents;
mod documents;
mod expectation;
mod names;
mod operation;
mod parties;
mod presence;
mod reference_case;
mod schemas;
mod suite;
mod user_profile;

pub(crate) use cell_count::CellCount;
pub use documents::deliberate_paths;
pub(crate) use suite::resolve_suite;
pub use user_profile::UserProfile;
