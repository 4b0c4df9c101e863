//! Known deviations of a target: a file that says which cells it fails, how, and why that is as it is.
//!
//! ```yaml
//! target: k8s.io/apimachinery
//! deviations:
//!   - cells: strategic-merge-patch/refusals/merge-key-that-is-a-map
//!     found: "panic: runtime error: comparing uncomparable type"
//!     because: The library compares merge keys with ==, which panics for maps.
//!     link: https://github.com/kubernetes/kubernetes/issues/1
//! ```
//!
//! | key | |
//! |---|---|
//! | `cells` | a pattern of cell ids, or a list of them |
//! | `found` | a part of what the target did: the words that reports show, or the document that came out |
//! | `because` | why |
//! | `link` | where that is discussed |
//! | `sometimes` | `true`: the target's answer changes from run to run, and passing is no surprise |
//!
//! The file is as strict as a case file. A cell that fails in another way than the file says fails; a cell that
//! passes is an unexpected pass; a pattern that matches no cell, and an entry that excuses none, fail the run.

mod file;
mod judge;
mod known_deviation;
mod rewrite;

pub use file::{Deviations, MAX_PATTERNS, embedded_for_target};
pub use judge::DeviationJudge;
pub use known_deviation::KnownDeviation;
pub use rewrite::{RewrittenFile, rewrite};

/// The `because` of an entry that `skewer deviations --fix` has added. Somebody has to replace it.
pub const UNEXPLAINED: &str = "unexplained";
