//! `skewer-lab preflight`: generated objects, and the steps that come next.

use std::io::Write;

use rstest::rstest;
use skewer_engine::schema::builtin;
use skewer_engine::{Doc, OwnedDoc};
use skewer_lab::preflight::{ObjectNumbers, PreflightCounts, TrialPlan, generated_kinds};
use skewer_preflight::request::SimulatedServers;
use skewer_skew::{BuiltIn, Operation, OperationKind, Operations};
use skewer_targets::OperationError;

use crate::changed_engine::{Change, ChangedEngine, always_forced, unchanged};
use crate::helpers::{lab, stderr, stdout};

/// An apply removes the first entry of the managed fields.
fn forgets_an_owner(operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
    let mut object = BuiltIn.perform(operation)?;
    let metadata = object.as_map_mut().and_then(|object| object.get_mut("metadata")?.as_map_mut());
    if let Some(Doc::List(entries)) = metadata.and_then(|metadata| metadata.get_mut("managedFields"))
        && operation.kind() == OperationKind::ServerSideApply
        && entries.len() > 1
    {
        entries.remove(0);
    }
    Ok(object)
}

#[rstest]
#[case::the_same(unchanged, false)]
#[case::a_missing_conflict(always_forced, true)]
#[case::a_missing_owner(forgets_an_owner, true)]
fn a_server_that_does_something_else_than_the_simulation_is_noticed(
    #[case] change: Change,
    #[case] differs: bool,
) {
    let release = builtin::newest();
    let kinds = generated_kinds(release).unwrap();
    let engine = ChangedEngine(change);
    let plan = TrialPlan { release, objects: ObjectNumbers { seed: 1, first: 0, count: 40 } };
    let mut titles = Vec::new();
    let counts =
        PreflightCounts::of_trials(&SimulatedServers(&engine), &kinds, plan, &mut |step, difference| {
            titles.push(format!("{}: {}", step.title, difference.how));
            Ok::<_, ()>(())
        });
    let counts = counts.unwrap();
    assert!(counts.same > 60 && counts.objects > 30 && counts.managers > 50, "{}", counts.text());
    assert_eq!((counts.different > 0, counts.different), (differs, titles.len()), "{titles:?}");
}

#[test]
fn the_command_compares_the_simulation_with_itself() {
    let output = lab(&["preflight", "--target", "builtin", "--count", "5"]);
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("0 differ, 0 are falsely safe"), "{}", stdout(&output));
}

#[test]
fn a_real_server_does_what_the_command_says() {
    let output = lab(&["preflight", "--target", "kube:1.36", "--count", "8"]);
    let missing = ["kube:1.36 is not installed", "is built without the network"];
    if let Some(missing) = missing.into_iter().find(|missing| stderr(&output).contains(missing)) {
        let _ = writeln!(std::io::stderr(), "skipped: {missing}");
        return;
    }
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("0 differ, 0 are falsely safe"), "{}", stdout(&output));
}
