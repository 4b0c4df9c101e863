//! The checked-in report on the Go reference implementation is current.
//!
//! The test runs if `SKEWER_GO_ADAPTER` names the Go adapter, which `runner/adapters/apimachinery/build.sh` builds.
//! `SKEWER_UPDATE=1` rewrites the report.

use std::path::Path;

use skewer_execute::compare::compare;
use skewer_reports::markdown;
use skewer_results::{Results, json};

use crate::helpers::{go_adapter, report_argument, skewer, stderr};

#[test]
fn the_report_on_the_go_reference_is_current() {
    let Some(adapter) = go_adapter() else { return };
    let directory = tempfile::tempdir().unwrap();
    let ours = results(&directory.path().join("builtin.json"), &[]);
    let theirs = results(&directory.path().join("go.json"), &["--target", &format!("exec:{adapter}")]);
    // The only allowed failures are known deviations and unsupported cells.
    if let Some(failed) = theirs.failures().next() {
        panic!("{} fails on the reference, and no known deviation explains it", failed.id);
    }
    let report = markdown::target_comparison(&compare(&ours, &theirs, |_| false));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../reports/GO-REFERENCE.md");
    if std::env::var_os("SKEWER_UPDATE").is_some() {
        std::fs::write(path, &report).unwrap();
    }
    let checked_in = std::fs::read_to_string(path).unwrap_or_default();
    let update = "SKEWER_UPDATE=1 SKEWER_GO_ADAPTER=… cargo test -p skewer --test it reference::";
    assert!(checked_in == report, "{path} is stale: run {update}");
}

/// Returns the results of `skewer run`. The exit code is ignored, because the reference runs no cell of some suites.
fn results(path: &Path, arguments: &[&str]) -> Results {
    let report = report_argument("json", path);
    let output = skewer(&[&["run"], arguments, &["--report", &report]].concat());
    json::read(path).unwrap_or_else(|error| panic!("{error}\n{}", stderr(&output)))
}
