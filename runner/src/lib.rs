//! The runner of Skewer: runs the cells of a corpus on a target and judges them.
//!
//! [`execute`] is the one code path: the command line ([`cli`]) and the test harness ([`harness`]) both go
//! through it. A [`target`] is an implementation under test; one file each.

pub mod cli;
pub mod coverage;
pub mod deviations;
pub mod differential;
pub mod execute;
pub mod exit;
pub mod harness;
pub mod select;
pub mod serve;
pub mod target;
