//! Runs cells on a target, judges the results and compares them.
//!
//! [`execute`] runs cells for the command line and for the test harness ([`harness`]). A
//! [target](skewer_targets) is an implementation under test.

pub mod accept;
pub mod compare;
pub mod deviations;
pub mod execute;
pub mod exit;
pub mod harness;
pub mod kep;
pub mod owners;
pub mod visible_severity;
