//! The runner of Skewer: it runs the cells of a corpus on a target and judges the results.
//!
//! [`execute`] runs cells for the command line ([`cli`]) and for the test harness ([`harness`]). A [target](targets) is
//! an implementation under test.
//!
//! ```
//! use std::convert::Infallible;
//! use skewer::execute::{Options, Selection, run};
//! use skewer::targets::BuiltInTarget;
//! use skewer_cases::Corpus;
//!
//! let corpus = Corpus::embedded()?;
//! let selection = Selection { patterns: vec!["retain-keys/version-skew".into()], ..Selection::default() };
//! let cells = corpus.cells().filter(|cell| selection.has_cell(cell));
//! let mut passed = 0;
//! run(cells, &BuiltInTarget, &Options::default(), |cell| {
//!     assert!(!cell.status.is_failure(), "{}", cell.id);
//!     passed += 1;
//!     Ok::<(), Infallible>(())
//! })
//! .unwrap();
//! assert!(passed > 100);
//! # Ok::<(), skewer_cases::LoadError>(())
//! ```

#[cfg(feature = "cli")]
pub mod accept;
#[cfg(feature = "cli")]
pub mod audit;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub mod compare;
#[cfg(feature = "cli")]
pub mod coverage;
pub mod deviations;
#[cfg(feature = "cli")]
pub mod differential;
pub mod execute;
pub mod exit;
pub mod harness;
#[cfg(feature = "cli")]
pub mod kep;
#[cfg(feature = "cli")]
pub mod laws;
#[cfg(feature = "cli")]
pub mod mutants;
mod owners;
#[cfg(feature = "cli")]
mod random_testing;
#[cfg(feature = "cli")]
pub mod releases;
#[cfg(feature = "cli")]
pub mod scoreboard;
pub mod serve;
#[cfg(feature = "cli")]
pub mod targets;
#[cfg(feature = "cli")]
pub mod topology;
