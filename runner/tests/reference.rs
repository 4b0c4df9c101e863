//! The report on the Go reference that is checked in, held against the reference itself.
//!
//! Runs where `SKEWER_GO_ADAPTER` names the Go adapter, which `runner/adapters/go/build.sh` builds. Elsewhere the test
//! is listed as ignored, and its name says why. `SKEWER_UPDATE=1` writes the report anew.

#![allow(clippy::unwrap_used)] // helpers of tests fail tests

use std::path::Path;
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};
use skewer_reports::compare::Comparison;
use skewer_reports::{Results, json, markdown};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let adapter = std::env::var("SKEWER_GO_ADAPTER").ok();
    let skipped = adapter.is_none();
    let test = move || is_current(&adapter.unwrap_or_default());
    let trial = Trial::test("the_report_on_the_go_reference_is_current", test);
    let trial = if skipped {
        trial.with_kind("skipped: SKEWER_GO_ADAPTER names no adapter").with_ignored_flag(true)
    } else {
        trial
    };
    libtest_mimic::run(&arguments, vec![trial]).exit_code()
}

fn is_current(adapter: &str) -> Result<(), Failed> {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let ours = results(&directory.path().join("builtin.json"), &[])?;
    let theirs = results(&directory.path().join("go.json"), &["--target", &format!("exec:{adapter}")])?;
    // Nothing but deviations and what is not supported: a cell that fails would be one that nobody has explained.
    if let Some(failed) = theirs.failures().next() {
        return Err(format!("{} fails on the reference, and no deviation says why", failed.id).into());
    }
    let report = markdown::target_comparison(&Comparison::of(&ours, &theirs));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../reports/GO-REFERENCE.md");
    if std::env::var_os("SKEWER_UPDATE").is_some() {
        std::fs::write(path, &report).map_err(|error| error.to_string())?;
    }
    let held = std::fs::read_to_string(path).unwrap_or_default();
    if held == report {
        return Ok(());
    }
    let update = "SKEWER_UPDATE=1 SKEWER_GO_ADAPTER=… cargo test -p skewer --test reference";
    Err(format!("{path} is stale: run {update}").into())
}

/// What `skewer run` finds. That suites are without a cell on the reference is no failure here.
fn results(path: &Path, arguments: &[&str]) -> Result<Results, Failed> {
    let output = Command::new(env!("CARGO_BIN_EXE_skewer"))
        .arg("run")
        .args(arguments)
        .arg("--report")
        .arg(format!("json={}", path.display()))
        .output()
        .map_err(|error| error.to_string())?;
    json::read(path).map_err(|error| format!("{error}\n{}", String::from_utf8_lossy(&output.stderr)).into())
}
