//! The corpus is tested: its cells are run on *semantic mutants* of the engine.
//!
//! A mutant is an engine that differs in one respect: a directive is missing, a union policy is another one, the merge
//! key of a field is unknown. Mutants are composed from the registries of the engine, which has no hooks for them. A
//! mutant changes only the parties of a cell. The ideal, and the state of the old client on the old server, are those
//! of the unmutated engine.
//!
//! For each mutant, a cell *notices* it if the cell fails. A cell that ends in another state and still passes is a gap
//! of its expectation. If no cell ends in another state, a case is missing, or the mutant is equivalent to the engine;
//! the reason for that is [recorded](equivalences).

pub mod equivalences;

mod baseline;
mod facts;
mod hooks;
mod mutant;
mod patch_library;
mod policies;
mod run;
mod schemas;
mod server_steps;
mod wrapped_policy;

pub use baseline::{Baseline, BaselineError};
pub use mutant::{Family, Mutant};
pub use run::{RunOptions, all, changed_ends, run};
