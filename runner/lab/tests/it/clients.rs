//! `skewer-lab clients`: generated cases, with the model of a tool and with something else.

use std::io::Write;

use rstest::rstest;
use skewer_engine::schema::builtin;
use skewer_engine::{Doc, OwnedDoc};
use skewer_lab::clients::ClientCounts;
use skewer_lab::preflight::{ObjectNumbers, generated_kinds};
use skewer_skew::{BuiltIn, Operation, OperationKind, Operations};
use skewer_targets::OperationError;

use crate::changed_engine::{Change, ChangedEngine, always_forced, unchanged};
use crate::helpers::{lab, stderr, stdout};

/// A patch between two manifests removes nothing of the metadata.
fn keeps_metadata(operation: &Operation<'_>) -> Result<OwnedDoc, OperationError> {
    let mut patch = BuiltIn.perform(operation)?;
    let of_manifests =
        [OperationKind::ThreeWay, OperationKind::JsonMergeThreeWay, OperationKind::JsonMergeTwoWay];
    let metadata = patch.as_map_mut().and_then(|patch| patch.get_mut("metadata")?.as_map_mut());
    if let Some(metadata) = metadata
        && of_manifests.contains(&operation.kind())
    {
        for (_, value) in metadata.iter_mut() {
            if let Doc::Map(map) = value {
                map.retain(|_, value| !value.is_null());
            }
        }
    }
    Ok(patch)
}

#[rstest]
#[case::the_same(unchanged, false)]
#[case::a_missing_conflict(always_forced, true)]
#[case::a_patch_that_removes_nothing(keeps_metadata, true)]
fn a_client_that_does_something_else_than_its_model_is_noticed(
    #[case] change: Change,
    #[case] differs: bool,
) {
    let kinds = generated_kinds(builtin::newest()).unwrap();
    let objects = ObjectNumbers { seed: 1, first: 0, count: 60 };
    let (counts, different) = ClientCounts::of_cases(&ChangedEngine(change), &kinds, objects).unwrap();
    let (text, same) = (counts.text(), counts.same.values().sum::<usize>());
    assert!(same > 40 && counts.kinds.len() > 15 && counts.not_compared.is_empty(), "{text}");
    assert_eq!((counts.different > 0, !different.is_empty()), (differs, differs), "{text}");
    for difference in &different {
        // Smaller than any generated history with its manifests.
        let parts = difference.suite.matches("apply-manifest").count();
        assert!(difference.cell.status.is_failure() && parts <= 3, "{}", difference.suite);
    }
}

#[test]
fn the_command_compares_the_model_with_itself() {
    let output = lab(&["clients", "--count", "12", "--first", "100"]);
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("12 end as in the model, 0 differ"), "{}", stdout(&output));
}

#[test]
fn the_real_code_of_a_tool_does_what_its_model_does() {
    let server = ["--server-target", "kube:1.36", "--count", "8"];
    let output = lab(&[&["clients", "--client-target", "helm:4"], server.as_slice()].concat());
    let missing = ["is not installed", "is built without the network"];
    if let Some(missing) = missing.into_iter().find(|missing| stderr(&output).contains(missing)) {
        let _ = writeln!(std::io::stderr(), "skipped: {missing}");
        return;
    }
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains(" 0 differ"), "{}", stdout(&output));
}
