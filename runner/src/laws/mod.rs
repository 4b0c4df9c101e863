//! The laws of patch evolution, as checks.
//!
//! "Changing patch format" of the strategic merge patch document says what a new directive must not do to parties
//! that do not know it. These promises are five laws ([`law`]). They are checked for each directive and for proposals
//! that were never built ([`proposals`]), in the situations of the [`corpus`] and in generated ones ([`generate`]).
//! Each law gets a [`verdict`] with its smallest counter-example ([`shrink`]). The counter-example is printed as a
//! suite file that can go into the corpus ([`suite_file`]), and the verdict is compared with the one on record
//! ([`record`]). The [`report`] contains all of it.
//!
//! Nothing is looked up: a party without a directive is the engine with a smaller set of directives.

pub mod corpus;
pub mod format_change;
pub mod generate;
pub mod law;
pub mod proposals;
pub mod record;
pub mod report;
pub mod shrink;
pub mod situation;
pub mod suite_file;
pub mod trial;
pub mod verdict;

pub use format_change::{FormatChange, FormatVersion, PatchFormatPair};
pub use law::{Law, LawResult, Violation, ViolationKind};
pub use record::{RecordComparison, VerdictRecord};
pub use situation::Situation;
pub use verdict::{CompiledSituations, Example, Verdict, VerdictKind, judge_change};
