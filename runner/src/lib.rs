//! The runner of Skewer: runs the cells of a corpus on a target and judges them.
//!
//! [`execute`] is the one code path: the command line ([`cli`]) and the test harness ([`harness`]) both go
//! through it. A [`target`] is an implementation under test; one file each.
//!
//! ```
//! use std::convert::Infallible;
//! use skewer::execute::{Options, run};
//! use skewer::select::Selection;
//! use skewer::targets::BuiltInTarget;
//! use skewer_cases::Corpus;
//!
//! let corpus = Corpus::embedded()?;
//! let selection = Selection { patterns: vec!["retain-keys/version-skew".into()], ..Selection::default() };
//! let cells = corpus.cells().filter(|cell| selection.takes(cell));
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

pub mod cli;
pub mod coverage;
pub mod deviations;
pub mod differential;
pub mod execute;
pub mod exit;
pub mod harness;
pub mod laws;
mod random_testing;
pub mod select;
pub mod serve;
pub mod targets;
