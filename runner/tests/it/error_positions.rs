//! An error of a command with several documents is shown in the document that has it.

use rstest::rstest;

use crate::helpers::{folder_with, skewer_with_input, split_output};

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n";

#[rstest]
#[case::managed_fields_of_the_live_object(
    "apply --manager m --live no-fields-type.yaml --config good.yaml",
    "no-fields-type.yaml:4:19: refused (invalid-managed-fields)"
)]
#[case::live_object_of_an_apply(
    "apply --manager m --live undeclared.yaml --config good.yaml --no-admission",
    "undeclared.yaml:4:15: refused (field-not-declared)"
)]
#[case::live_object_is_read_first(
    "apply --manager m --live undeclared.yaml --config undeclared-too.yaml --no-admission",
    "undeclared.yaml:4:15: refused (field-not-declared)"
)]
#[case::live_list_of_a_patch(
    "patch apply --original no-name.yaml --patch good.yaml",
    "no-name.yaml:4:8: refused (missing-merge-key)"
)]
#[case::patch_list(
    "patch apply --original good.yaml --patch no-name.yaml",
    "no-name.yaml:4:21: refused (missing-merge-key)"
)]
#[case::list_in_an_item_of_the_live_object(
    "patch apply --original inner.yaml --patch inner-patch.yaml",
    "inner.yaml:4:42: refused (missing-merge-key)"
)]
#[case::original_of_a_diff(
    "patch diff --original no-name.yaml --modified good.yaml",
    "no-name.yaml:4:21: refused (missing-merge-key)"
)]
#[case::modified_of_a_diff(
    "patch diff --original good.yaml --modified no-name.yaml",
    "no-name.yaml:4:21: refused (missing-merge-key)"
)]
#[case::live_object_of_three(
    "patch diff3 --last-applied good.yaml --modified changed.yaml --live no-name.yaml",
    "no-name.yaml:4:21: refused (missing-merge-key)"
)]
#[case::last_applied_of_three(
    "patch diff3 --last-applied no-name.yaml --modified changed.yaml --live good.yaml",
    "no-name.yaml:4:21: refused (missing-merge-key)"
)]
#[case::left_patch("patch conflicts no-name.yaml good.yaml", "no-name.yaml:4:8: refused (missing-merge-key)")]
#[case::right_patch(
    "patch conflicts good.yaml no-name.yaml",
    "no-name.yaml:4:8: refused (missing-merge-key)"
)]
#[case::first_of_several_patches(
    "patch merge no-name.yaml good.yaml",
    "no-name.yaml:4:8: refused (missing-merge-key)"
)]
#[case::last_of_several_patches(
    "patch merge good.yaml changed.yaml no-name.yaml",
    "no-name.yaml:4:21: refused (missing-merge-key)"
)]
#[case::original_is_no_object(
    "patch apply --original list.yaml --patch good.yaml",
    "list.yaml: refused (invalid-document)"
)]
#[case::patch_is_no_object(
    "patch apply --original good.yaml --patch list.yaml",
    "list.yaml: refused (invalid-document)"
)]
fn an_error_is_shown_in_the_document_that_has_it(#[case] arguments: &str, #[case] expected: &str) {
    let folder = folder_with(&[
        ("good.yaml", &format!("{POD}spec: {{containers: [{{name: c, image: a}}]}}\n")),
        ("changed.yaml", &format!("{POD}spec: {{containers: [{{name: c, image: b}}]}}\n")),
        ("no-name.yaml", &format!("{POD}spec: {{containers: [{{image: b}}]}}\n")),
        ("undeclared.yaml", &format!("{POD}spec: {{other: 1, containers: [{{name: c}}]}}\n")),
        ("undeclared-too.yaml", &format!("{POD}spec: {{hostname: h, other: 1}}\n")),
        (
            "no-fields-type.yaml",
            "apiVersion: v1\nkind: Pod\nmetadata:\n  managedFields: [{apiVersion: v1, manager: o, operation: Apply}]\n",
        ),
        (
            "inner.yaml",
            &format!("{POD}spec: {{containers: [{{name: b}}, {{name: c, env: [{{value: x}}]}}]}}\n"),
        ),
        ("inner-patch.yaml", &format!("{POD}spec: {{containers: [{{name: c, env: [{{name: y}}]}}]}}\n")),
        ("list.yaml", "[1]\n"),
    ]);
    let (code, _, error) = split_output(&skewer_with_input(folder.path(), arguments, ""));
    assert!(code == Some(1) && error.starts_with(expected), "{code:?} {error}");
}
