//! Definitions that an API server refuses: each command that reads one says so, with its place.

use std::path::Path;

use rstest::rstest;
use tempfile::TempDir;

use crate::helpers::{folder_with, skewer_with_input, split_output};

/// Returns a definition with these fields of `spec`, on line 17.
fn definition(fields: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: ws.example.com}}
spec:
  group: example.com
  scope: Namespaced
  names: {{kind: W, plural: ws, singular: w, listKind: WList}}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {{type: object, properties: {{
            {fields}}}}}
"
    )
}

const OBJECT: &str = "apiVersion: example.com/v1\nkind: W\nmetadata: {name: w, namespace: d}\nspec: {a: b}\n";

/// A set whose items have parts. Servers refuse to create such a definition today, and accept an update of one.
const ESTABLISHED: &str = "l: {type: array, x-kubernetes-list-type: set, items: {type: object}}";

fn folder(old: &str, new: &str) -> TempDir {
    folder_with(&[("old.yaml", &definition(old)), ("new.yaml", &definition(new)), ("objects.yaml", OBJECT)])
}

/// Runs a command in a folder. Returns the exit code and standard error.
fn run(folder: &Path, arguments: &str) -> (Option<i32>, String) {
    let (code, _, err) = split_output(&skewer_with_input(folder, arguments, ""));
    (code, err)
}

#[rstest]
fn a_refused_definition_is_an_error_with_its_place(
    #[values(
        "preflight objects.yaml --crds new.yaml",
        "preflight objects.yaml --old-crds new.yaml --crds old.yaml",
        "preflight objects.yaml --crds new.yaml --manifests objects.yaml --by helm4",
        "preflight objects.yaml --client-crds new.yaml --manifests objects.yaml --by argocd",
        "audit old.yaml new.yaml",
        "schema witness new.yaml"
    )]
    command: &str,
    #[values(
        ("a: {type: string, x-kubernetes-validations: [{rule: self.nope}]}", 65),
        ("a: {type: string, x-kubernetes-validations: [{rule: \"true\", optionalOldSelf: true}]}", 0),
        ("a: {type: string, pattern: '['}", 40),
        ("a: {type: string, default: !!str 5}", 40),
        ("1.5: {type: string}", 13)
    )]
    (field, column): (&str, usize),
) {
    let folder = folder("a: {type: string}", field);
    let (code, err) = run(folder.path(), command);
    let place = if column == 0 { "new.yaml:17:".to_owned() } else { format!("new.yaml:17:{column}: ") };
    assert_eq!((code, err.starts_with(&place)), (Some(2), true), "{err}");
}

#[rstest]
#[case::audit(
    "audit old.yaml new.yaml",
    "note: old.yaml:17: servers of today refuse to create the definition"
)]
#[case::witness(
    "schema witness old.yaml",
    "note: old.yaml:17: servers of today refuse to create the definition"
)]
#[case::preflight("preflight objects.yaml --old-crds old.yaml --crds new.yaml", "")]
fn a_definition_that_an_older_server_stored_is_read(#[case] command: &str, #[case] note: &str) {
    let folder = folder(ESTABLISHED, &format!("b: {{type: string}}, {ESTABLISHED}"));
    let (code, err) = run(folder.path(), command);
    assert!(code == Some(0) && err.starts_with(note), "{code:?} {err}");
}

#[test]
fn a_new_definition_is_not_established() {
    let folder = folder("a: {type: string}", ESTABLISHED);
    for command in ["audit old.yaml new.yaml", "preflight objects.yaml --crds new.yaml"] {
        let (code, err) = run(folder.path(), command);
        assert_eq!((code, err.starts_with("new.yaml:17:")), (Some(2), true), "{err}");
    }
}
