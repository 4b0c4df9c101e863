//! The matrix, asked of an implementation of the KEP: `--policy own` with the adapter `kep-1027`, whose rules are written from
//! the text of the KEP in another language than the engine.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

use rstest::rstest;
use skewer_cases::{Cell, Plan};
use skewer_execute::execute::{self, ExecutionOptions, StepRecording};
use skewer_results::Status;
use skewer_targets::{ExecOptions, ExecTarget, UnionRules};

use super::table::{Table, Then};
use super::{OBSERVATIONS, predict};
use crate::helpers::{all_output, embedded_corpus, report_skipped, skewer};

/// The command of the adapter, which is built on first use. `None` if Go is not installed.
static ADAPTER: LazyLock<Option<String>> = LazyLock::new(|| {
    Command::new("go").arg("version").output().ok()?;
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kep-1027");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/adapters/kep-1027/build.sh");
    let built = Command::new(script).arg(&program).output().unwrap();
    assert!(built.status.success(), "{}", all_output(&built));
    Some(program.display().to_string())
});

/// Returns the command of the adapter. Reports the test as skipped if Go is not installed.
fn adapter() -> Option<&'static str> {
    if ADAPTER.is_none() {
        report_skipped("Go is not installed");
    }
    ADAPTER.as_deref()
}

/// Runs the cells whose server follows the KEP, or has its gate off in a suite about unions. Returns the ids by status.
fn run(command: &str, is_wanted: impl Fn(&Cell<'_>, &str) -> bool) -> Vec<(Status, String)> {
    let options =
        ExecOptions { union_rules: UnionRules::Own, ..ExecOptions::new(Duration::from_secs(60), 2) };
    let target = ExecTarget::open(command, &options).unwrap();
    let is_asked = |cell: &Cell<'_>| match cell.plan() {
        Ok(Plan::Skew(plan)) => {
            let policy = plan.server.policy;
            UnionRules::Own.can_be_those_of(policy) && is_wanted(cell, policy.name())
        }
        _ => false,
    };
    let options = ExecutionOptions { steps: StepRecording::Never, ..ExecutionOptions::default() };
    let mut results = Vec::new();
    execute::run(embedded_corpus().cells().filter(is_asked), &target, &options, |cell| {
        results.push((cell.status, cell.id));
        Ok::<(), ()>(())
    })
    .unwrap();
    results
}

/// Returns true if the target has decided on an earlier request of the cell.
fn has_history(id: &str) -> bool {
    let cell = embedded_corpus().cells().find(|cell| cell.id() == id);
    matches!(cell.unwrap().plan(), Ok(Plan::Skew(plan)) if plan.has_other_requests())
}

fn with_status(results: &[(Status, String)], wanted: Status) -> BTreeSet<&str> {
    results.iter().filter(|(status, _)| *status == wanted).map(|(_, id)| id.as_str()).collect()
}

#[test]
fn an_implementation_of_the_text_passes_the_matrix() {
    let Some(command) = adapter() else { return };
    let results = run(command, |cell, policy| policy != "none" || cell.case.suite.starts_with("unions/"));
    let failed: Vec<_> =
        results.iter().filter(|(status, _)| !matches!(status, Status::Pass | Status::NotAsked)).collect();
    assert!(failed.is_empty(), "{} cells, the first: {:?}", failed.len(), &failed[..failed.len().min(5)]);
    // What the server refuses before it looks at unions, and objects without a union, are not asked.
    let not_asked: BTreeSet<&str> = with_status(&results, Status::NotAsked);
    let observed = OBSERVATIONS.all.iter().filter(|observation| !observation.sites.is_empty());
    let overlooked: Vec<&str> =
        observed.map(|observation| observation.cell.as_str()).filter(|id| not_asked.contains(id)).collect();
    assert!(overlooked.is_empty(), "cells with a union that was not asked: {overlooked:?}");
    assert!(with_status(&results, Status::Pass).len() > 9_000, "{} cells", results.len());
}

/// The policies of which the KEP also speaks are not those of the target, and no claim depends on them.
#[test]
#[ignore = "takes a minute without optimisation: `cargo xtask all` runs it"]
fn the_conclusions_of_the_kep_follow_from_an_implementation_of_it() {
    let Some(command) = adapter() else { return };
    let output = skewer(&["kep", "--target", &format!("exec:{command}"), "--policy", "own"]);
    let text = all_output(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(!text.contains("legacy"), "{text}");
}

/// `target check` sends six objects with unions.
#[test]
fn a_check_of_the_target_notices_an_error_in_its_rules() {
    let Some(command) = adapter() else { return };
    let check =
        |options: &str| all_output(&skewer(&["target", "check", &format!("exec:{command}{options}")]));
    assert_eq!(check("").matches("ok           unions: ").count(), 6);
    let wrong = check(" --error keeps-other-members");
    assert!(wrong.contains("DIFFERENT    unions: a modified discriminator clears the others"), "{wrong}");
}

/// The KEP does not say which of several reasons a server names, and the protocol says that any of them is right.
#[test]
fn an_implementation_can_name_any_of_several_reasons() {
    let Some(command) = adapter() else { return };
    let is_refused = |cell: &Cell<'_>| cell.expectation.answers.iter().any(|answer| answer.error.is_some());
    let results =
        run(&format!("{command} --last-reason"), |cell, policy| policy != "none" && is_refused(cell));
    let failed = with_status(&results, Status::Fail);
    assert!(failed.is_empty(), "{} cells, for example {:?}", failed.len(), failed.first());
    assert!(results.len() > 1_000, "{} cells", results.len());
}

/// Each deliberate error of the adapter is a wrong row of the decision table. The cells that fail are those for which the
/// table with this wrong row predicts another end. If it predicts a refusal of another normalized object, or for other reasons
/// of which one is right, a cell can fail: the KEP does not say which of several reasons is reported. The table decides on the last request of a
/// cell, so that a cell in which the target stored an earlier one can fail, too.
#[rstest]
#[case::keeps_other_members(
    "keeps-other-members",
    &["modified-keeps-the-named-member", "modified-clears-what-the-client-does-not-know"],
    Then::Keep
)]
#[case::empty_value_keeps_all(
    "empty-value-keeps-all",
    &["the-empty-value-clears-all", "a-value-without-a-member-clears-all"],
    Then::Keep
)]
#[case::normalizes_unmodified(
    "normalizes-unmodified",
    &["unmodified-clears-nothing", "unmodified-says-that-no-change-was-meant"],
    Then::ClearOthers
)]
#[case::accepts_empty_member("accepts-empty-member", &["the-named-member-is-empty"], Then::Accept)]
#[case::tolerates_any_error("tolerates-any-error", &["ratcheting-refuses-another-reason"], Then::Tolerate)]
#[ignore = "takes a minute without optimisation: `cargo xtask all` runs it"]
fn an_error_of_the_implementation_fails_the_cells_that_it_concerns(
    #[case] error: &str,
    #[case] rows: &[&str],
    #[case] then: Then,
) {
    let Some(command) = adapter() else { return };
    let mut wrong = Table::read();
    for id in rows {
        wrong.rows.iter_mut().find(|row| row.id == *id).unwrap().then = then.clone();
    }
    let right = Table::read();
    let (mut concerned, mut refused_differently) = (BTreeSet::new(), BTreeSet::new());
    for observation in &OBSERVATIONS.all {
        let (predicted, right) = (predict(&wrong, observation), predict(&right, observation));
        if predicted.difference(observation).is_some() && !predicted.shares_a_reason_with(&right) {
            concerned.insert(observation.cell.as_str());
        } else if !predicted.agrees_with(&right) {
            refused_differently.insert(observation.cell.as_str());
        }
    }
    let results = run(&format!("{command} --error {error}"), |_, policy| policy != "none");
    let failed = with_status(&results, Status::Fail);
    assert!(!concerned.is_empty());
    let missed: Vec<_> = concerned.difference(&failed).take(5).collect();
    let unexpected: Vec<_> = failed
        .iter()
        .filter(|id| !concerned.contains(*id) && !refused_differently.contains(*id) && !has_history(id))
        .take(5)
        .collect();
    assert!(
        missed.is_empty() && unexpected.is_empty(),
        "{} cells failed, {} are concerned\nunnoticed: {missed:#?}\nfailed without a reason: {unexpected:#?}",
        failed.len(),
        concerned.len()
    );
}
