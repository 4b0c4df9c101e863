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

pub mod accept;
pub mod audit;
pub mod cli;
pub mod compare;
pub mod coverage;
pub mod deviations;
pub mod differential;
pub mod execute;
pub mod harness;
pub mod kep;
pub mod laws;
pub mod mutants;
mod owners;
mod random_testing;
pub mod releases;
pub mod scoreboard;
pub mod serve;
mod suite_text;
pub mod targets;
pub mod topology;
