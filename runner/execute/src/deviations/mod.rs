//! Known deviations of a target. A deviation file lists the cells that the target fails, with the failure and the
//! reason.
//!
//! ```yaml
//! target: k8s.io/apimachinery
//! deviations:
//!   - cells: strategic-merge-patch/refusals/merge-key-that-is-a-map
//!     found: {status: crash, message: "comparing uncomparable type"}
//!     because: The library compares merge keys with ==, which panics for maps.
//!     link: https://github.com/kubernetes/kubernetes/issues/1
//! ```
//!
//! The file can have a `version`, such as `"0.37"`: it is then only for versions of the target that begin with it.
//!
//! | key of an entry | |
//! |---|---|
//! | `cells` | a pattern of cell ids, or a list of them |
//! | `found` | the failure, as one or more of the values below, or a list of failures with the same cause |
//! | `because` | the reason |
//! | `link` | a link to a discussion |
//! | `sometimes` | `true`: the target's answer changes from run to run, so that the cell may also pass |
//!
//! | value of `found` | |
//! |---|---|
//! | `status` | `fail`, `crash` or `timeout` |
//! | `outcome` | the outcome |
//! | `error`, `path` | the kind of the error with which the cell is refused, and its field path |
//! | `not-refused` | the kind of the expected error, if the request is accepted |
//! | `leaks` | all directives that the document has as data |
//! | `difference` | all kinds of differences of the document from the expected one |
//! | `owners` | a manager that does not own the expected fields |
//! | `stored` | a part of the document, as YAML text |
//! | `message` | a part of the target's own text, if nothing else tells the failure from others |
//!
//! The file is checked as strictly as a case file. A cell that fails in another way than listed remains a failure. A
//! listed cell that passes is an unexpected pass. A pattern that matches no cell, and an entry that excuses no cell,
//! fail the run.

mod cause;
mod file;
mod judge;
mod known_deviation;
mod known_failure;
mod patterns;
mod rewrite;

pub use file::{Deviations, MAX_PATTERNS, embedded_for_target};
pub use judge::DeviationJudge;
pub use known_deviation::KnownDeviation;
pub use known_failure::{KnownFailure, KnownFailures};
pub use rewrite::{RewrittenFile, rewrite};

/// The reason that `skewer deviations --fix` writes into new entries. A file that still has this reason is invalid:
/// the user must replace it by the real reason.
pub const UNEXPLAINED: &str = "unexplained";
