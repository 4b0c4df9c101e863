//! The runner of Skewer: the command line ([`cli`]), and the parts of [`skewer_execute`] and [`skewer_targets`] that the tests of
//! other crates use.
//!
//! ```
//! use std::convert::Infallible;
//! use skewer::execute::{ExecutionOptions, CellSelection, run};
//! use skewer::targets::BuiltInTarget;
//! use skewer_cases::Corpus;
//!
//! let corpus = Corpus::embedded()?;
//! let selection = CellSelection { patterns: vec!["retain-keys/version-skew".into()], ..CellSelection::default() };
//! let cells = corpus.cells().filter(|cell| selection.has_cell(cell));
//! let mut passed = 0;
//! run(cells, &BuiltInTarget, &ExecutionOptions::default(), |cell| {
//!     assert!(!cell.status.is_failure(), "{}", cell.id);
//!     passed += 1;
//!     Ok::<(), Infallible>(())
//! })
//! .unwrap();
//! assert!(passed > 100);
//! # Ok::<(), skewer_cases::LoadError>(())
//! ```

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub mod scoreboard;

pub use skewer_execute::{deviations, execute, exit, harness};
pub use skewer_targets as targets;
