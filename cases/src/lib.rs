//! The cases of Skewer: what they are, how they are read, and the built-in corpus.
//!
//! A suite is one YAML file ([`mod@format`]), read with the position of everything in it ([`yaml`]), checked and
//! resolved into [`Suite`]s of [`Case`]s, and expanded into the [`Cell`]s of each case's matrix. Every cell
//! has one [`Expectation`], and every expectation has a cell: anything else is an error of the file.
//!
//! The crate knows what a cell is, not how it is run: [`Cell::plan`] is what a runner needs.

mod axes;
mod check;
mod corpus;
pub mod documents;
mod expand;
pub mod format;
mod model;
mod parties;
mod plan;
mod profile;
mod resolve;
mod schemas;
mod types;
pub mod yaml;

pub use corpus::{Corpus, LoadError, SuiteFile};
pub use expand::Cell;
pub use format::{Level, OutcomeName, RequestName};
pub use model::{
    Answer, Axis, Case, Expectation, Location, Operands, Point, Promise, Source, Suite, ThreeWayOperands,
};
pub use plan::{Plan, PlanError, SkewPlan};
pub use profile::UserProfile;
pub use types::{Declaration, Form, Refusal, Types, rules};
