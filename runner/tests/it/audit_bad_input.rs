//! `skewer audit` with bad and with large input: what it says, and that it ends.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rstest::rstest;
use tempfile::TempDir;

use crate::helpers::{skewer_with_input, split_output};

/// Returns a definition of `A` with this schema of `spec`.
fn definition(kind: &str, spec: &str) -> String {
    let name = kind.to_lowercase();
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: {name}s.example.com}}
spec:
  group: example.com
  names: {{kind: {kind}, listKind: {kind}List, plural: {name}s, singular: {name}}}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
{spec}"
    )
}

const VALID: &str = "              {type: object, properties: {a: {type: string}}}\n";

/// Returns a schema with this number of fields, the first with the number `first`.
fn wide(first: usize, count: usize) -> String {
    let mut spec = String::from("              type: object\n              properties:\n");
    for index in first..first + count {
        let _ = writeln!(spec, "                f{index}: {{type: string}}");
    }
    spec
}

/// Returns a schema with objects in objects.
fn deep(levels: usize, leaf: &str) -> String {
    let open = "{type: object, properties: {a: ".repeat(levels);
    format!("              {open}{{type: {leaf}}}{}\n", "}}".repeat(levels))
}

/// Creates a folder with a valid `ok.yaml` and these files.
fn folder_with(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let ok = definition("A", VALID);
    for (name, text) in files.iter().chain(&[("ok.yaml", ok.as_str())]) {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// Runs `skewer audit` in a folder. Returns the exit code, standard output and standard error.
fn audit(folder: &Path, arguments: &str) -> (i32, String, String) {
    /// Debug builds on a busy computer. Quadratic time with input of these sizes takes much longer.
    const LONGEST: Duration = Duration::from_secs(120);
    let start = Instant::now();
    let (code, out, err) = split_output(&skewer_with_input(folder, &format!("audit {arguments}"), ""));
    assert!(start.elapsed() < LONGEST, "{arguments}: {:?}", start.elapsed());
    assert!(!err.contains("panicked"), "{err}");
    (code.unwrap(), out, err)
}

/// Returns the first line of the error message of an audit that cannot run.
fn refused(folder: &Path, arguments: &str) -> String {
    let (code, out, err) = audit(folder, arguments);
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    err.lines().next().unwrap_or_default().to_owned()
}

#[rstest]
#[case::no_definition(
    "kind: ConfigMap\n",
    "bad.yaml:1:1: expected a CustomResourceDefinition, with `kind: CustomResourceDefinition`"
)]
#[case::empty("", "bad.yaml:1:1: the file is empty")]
#[case::no_common_kind(
    &definition("B", VALID),
    "the inputs have no definition in common: old has A example.com (ok.yaml:1); new has B example.com (bad.yaml:1)"
)]
#[case::no_type(
    &definition("A", "              properties: {a: {type: string}}\n"),
    "bad.yaml:16:13: Required value: missing: each field has a type"
)]
#[case::no_type_of_items(
    &definition("A", "              {type: array, items: {nullable: true}}\n"),
    "bad.yaml:17:29: Required value: missing: the items of a list have a type"
)]
#[case::type_in_an_alternative(
    &definition("A", "              type: object\n              anyOf:\n                - type: object\n"),
    "bad.yaml:19:25: Forbidden: not possible inside allOf, anyOf, oneOf and not"
)]
#[case::reference(
    &definition("A", "              type: object\n              $ref: '#/definitions/Spec'\n"),
    "bad.yaml:18:21: Forbidden: $ref is not supported"
)]
#[case::invalid_yaml(
    &format!("{}   bad: [\n", definition("A", VALID)),
    "bad.yaml:18:4: not valid YAML: while parsing a block mapping, did not find expected key"
)]
#[case::unclosed("kind: {\nCustomResourceDefinition\n", "bad.yaml:1:7: not valid YAML: unclosed bracket '{'")]
#[case::too_deep(
    &definition("A", &deep(10_000, "string")),
    "bad.yaml:17:1902: nested too deeply: at most 128 levels are read"
)]
fn a_bad_file_is_refused_with_its_place(#[case] text: &str, #[case] expected: &str) {
    let folder = folder_with(&[("bad.yaml", text)]);
    assert_eq!(refused(folder.path(), "ok.yaml bad.yaml"), expected);
}

#[test]
fn a_reference_to_itself_in_a_definition_is_refused() {
    let reference = "              $ref: '#/properties/spec'\n";
    let folder = folder_with(&[("bad.yaml", &definition("A", reference))]);
    let (code, _, err) = audit(folder.path(), "ok.yaml bad.yaml");
    assert_eq!(code, 2);
    assert!(err.contains("bad.yaml:17:21: Forbidden: $ref is not supported"), "{err}");
}

#[rstest]
#[case::empty_folder(
    "empty",
    "empty: no CustomResourceDefinition in the folder (it has no *.yaml, *.yml or *.json)"
)]
#[case::folder_with_the_name_of_a_file(
    "dir",
    "dir: no CustomResourceDefinition in the folder (it has no *.yaml, *.yml or *.json)"
)]
#[case::folder_named_like_a_file(
    "dir/crd.yaml",
    "dir/crd.yaml: no CustomResourceDefinition in the folder (it has no *.yaml, *.yml or *.json)"
)]
#[case::file_as_a_folder("ok.yaml/", "cannot read ok.yaml/: Not a directory (os error 20)")]
#[case::no_file("none.yaml", "cannot read none.yaml: No such file or directory (os error 2)")]
#[case::two_definitions("two", "two definitions of A example.com: two/a.yaml:1 and two/b.yaml:2")]
#[case::no_version(
    "ok.yaml#v9",
    "ok.yaml:1: A example.com has no version v9 (it has v1): did you mean `v1`?"
)]
#[case::no_similar_version("ok.yaml#latest", "ok.yaml:1: A example.com has no version latest (it has v1)")]
fn a_bad_location_is_refused(#[case] location: &str, #[case] expected: &str) {
    let valid = definition("A", VALID);
    let folder = folder_with(&[("two/a.yaml", &valid), ("two/b.yaml", &format!("---\n{valid}"))]);
    for name in ["empty", "dir/crd.yaml"] {
        fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    assert_eq!(refused(folder.path(), &format!("{location} ok.yaml")), expected);
}

#[test]
fn a_file_that_is_not_text_is_refused() {
    let folder = folder_with(&[]);
    let bytes: Vec<u8> = b"kind: CustomResourceDefinition\nx: ".iter().copied().chain(0x80..=0xff).collect();
    fs::write(folder.path().join("bin.yaml"), bytes).unwrap();
    let expected = "bin.yaml:2:4: the file is not UTF-8 from here on";
    assert_eq!(refused(folder.path(), "bin.yaml ok.yaml"), expected);
    let only_bytes: Vec<u8> = (0x80..=0xff).collect();
    fs::write(folder.path().join("bin.yaml"), only_bytes).unwrap();
    let expected = "bin.yaml:1:1: the file is not UTF-8 from here on";
    assert_eq!(refused(folder.path(), "ok.yaml bin.yaml"), expected);
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_is_no_empty_input() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = folder_with(&[("folder/a.yaml", &definition("A", VALID))]);
    symlink("nowhere", folder.path().join("folder/b.yaml")).unwrap();
    let expected = "cannot read folder/b.yaml: No such file or directory (os error 2)";
    assert_eq!(refused(folder.path(), "folder ok.yaml"), expected);
    let path = folder.path().join("folder/a.yaml");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    // The administrator of a system can read every file.
    if fs::File::open(&path).is_err() {
        let expected = "cannot read folder/a.yaml: Permission denied (os error 13)";
        assert_eq!(refused(folder.path(), "folder/a.yaml ok.yaml"), expected);
    }
}

#[rstest]
#[case::no_revision("git:none:ok.yaml", "cannot read git:none:ok.yaml: the repository has no revision none")]
#[case::no_path("git:HEAD:none", "cannot read git:HEAD:none: HEAD has no file or folder none")]
#[case::no_version(
    "git:HEAD:ok.yaml#v9",
    "git:HEAD:ok.yaml:1: A example.com has no version v9 (it has v1): did you mean `v1`?"
)]
fn a_bad_git_location_is_refused(#[case] location: &str, #[case] expected: &str) {
    let folder = folder_with(&[]);
    for arguments in [&["init", "-q"][..], &["add", "."], &["commit", "-q", "-m", "One."]] {
        let mut command = std::process::Command::new("git");
        command.args(["-c", "user.name=test", "-c", "user.email=test@example.com"]);
        command.args(["-c", "commit.gpgsign=false"]).args(arguments).current_dir(folder.path());
        assert!(command.status().unwrap().success(), "{arguments:?}");
    }
    assert_eq!(refused(folder.path(), &format!("{location} ok.yaml")), expected);
}

/// Returns an `OpenAPI` document with types that all have a field of each type.
fn types_that_contain_each_other(count: usize, extra: &str) -> String {
    let mut text =
        String::from("openapi: 3.0.0\ninfo: {title: t, version: v}\npaths: {}\ncomponents:\n  schemas:\n");
    for index in 0..count {
        let _ = writeln!(text, "    T{index}:\n      type: object\n      properties:");
        for other in 0..count {
            let _ = writeln!(text, "        t{other}: {{$ref: '#/components/schemas/T{other}'}}");
        }
        let _ = writeln!(text, "        {extra}: {{type: string}}");
    }
    text
}

#[test]
fn types_that_contain_each_other_are_compared() {
    let (old, new) = (types_that_contain_each_other(2, "a"), types_that_contain_each_other(2, "bb"));
    let folder = folder_with(&[("old.yaml", &old), ("new.yaml", &new)]);
    let (code, out, err) = audit(folder.path(), "old.yaml new.yaml --kind T0");
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("t1.a") && out.contains("field removed"), "{out}");
}

#[test]
fn types_with_too_many_fields_are_refused() {
    let (old, new) = (types_that_contain_each_other(12, "a"), types_that_contain_each_other(12, "b"));
    let folder = folder_with(&[("old.yaml", &old), ("new.yaml", &new)]);
    let expected = "old.yaml: T0 has more than 50000 fields, with those of the types that it contains; types that contain \
                    each other are the usual reason";
    assert_eq!(refused(folder.path(), "old.yaml new.yaml --kind T0"), expected);
}

#[test]
fn a_type_that_is_only_a_reference_to_itself_is_refused() {
    let text = "openapi: 3.0.0\ninfo: {title: t, version: v}\npaths: {}\ncomponents:\n  schemas:\n    P: {$ref: \
                '#/components/schemas/Q'}\n    Q: {$ref: '#/components/schemas/P'}\n";
    let folder = folder_with(&[("old.yaml", text)]);
    let message = refused(folder.path(), "old.yaml old.yaml --kind P");
    assert!(message.starts_with("old.yaml:"), "{message}");
    assert!(!message.contains("CustomResourceDefinition"), "{message}");
}

#[test]
fn types_without_a_kind_in_common_are_refused() {
    let text = types_that_contain_each_other(2, "a");
    let folder = folder_with(&[("old.yaml", &text)]);
    let expected = "old.yaml and old.yaml have no type of whole objects in common (with metadata of the type \
                    ObjectMeta): choose a type with --kind (";
    let message = refused(folder.path(), "old.yaml old.yaml");
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn an_error_in_go_types_is_that_of_go() {
    let folder = folder_with(&[("types.go", "package a\n\ntype A struct {\n\tB string `json:\"b`\n")]);
    let expected = "types.go:3:1: this is not a Go declaration: `type A struct {`";
    assert_eq!(refused(folder.path(), "types.go types.go"), expected);
}

#[test]
fn a_change_among_many_fields_is_found() {
    let (old, new) = (definition("A", &wide(0, 5_000)), definition("A", &wide(1, 5_000)));
    let folder = folder_with(&[("old.yaml", &old), ("new.yaml", &new)]);
    let (code, out, _) = audit(folder.path(), "old.yaml new.yaml");
    assert_eq!(code, 0);
    assert!(out.contains("2 changes"), "{out}");
}

#[test]
fn twenty_thousand_fields_without_a_change_have_no_finding() {
    let folder = folder_with(&[("wide.yaml", &definition("A", &wide(0, 20_000)))]);
    let (code, out, _) = audit(folder.path(), "wide.yaml wide.yaml");
    assert_eq!((code, out.lines().last()), (0, Some("no findings")));
}

#[test]
fn more_changes_than_can_be_tried_are_refused() {
    let (old, new) = (definition("A", &wide(0, 4_000)), definition("A", &wide(0, 8_000)));
    let folder = folder_with(&[("old.yaml", &old), ("new.yaml", &new)]);
    // The fields, the object, `spec`, and the three fields of every object.
    let expected = "new.yaml:1:1: 4000 changes in a schema with 8005 elements: at most 1249 changes can be audited in a \
                    schema of this size";
    assert_eq!(refused(folder.path(), "old.yaml new.yaml"), expected);
}

#[test]
fn a_change_deep_in_a_schema_is_found() {
    let (old, new) = (definition("A", &deep(50, "string")), definition("A", &deep(50, "integer")));
    let folder = folder_with(&[("old.yaml", &old), ("new.yaml", &new)]);
    let (code, out, _) = audit(folder.path(), "old.yaml new.yaml");
    assert_eq!(code, 0);
    assert!(out.contains("type \"string\" -> \"integer\""), "{out}");
}

#[test]
fn a_large_file_is_read() {
    const SIZE: usize = 20 * 1024 * 1024;
    let text =
        definition("A", &VALID.replace("string", &format!("string, description: {}", "x".repeat(SIZE))));
    let comments = format!("{}{}", definition("A", VALID), "# A comment.\n".repeat(SIZE / 13));
    let folder = folder_with(&[("description.yaml", &text), ("comments.yaml", &comments)]);
    let (code, out, err) = audit(folder.path(), "description.yaml comments.yaml");
    assert_eq!((code, out.lines().last()), (0, Some("no findings")), "{err}");
}
