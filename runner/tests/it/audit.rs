//! `skewer audit`: its inputs, output and exit codes.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use rstest::rstest;

use tempfile::TempDir;

use crate::helpers::{skewer_with_input, split_output};

/// Returns a definition with the versions and the fields of `spec`. The first version is the stored one.
fn definition(kind: &str, versions: &[(&str, &str)]) -> String {
    let plural = format!("{}s", kind.to_lowercase());
    let mut text = format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: {plural}.example.com}}
spec:
  group: example.com
  names: {{kind: {kind}, listKind: {kind}List, plural: {plural}, singular: {}}}
  scope: Namespaced
  versions:
",
        kind.to_lowercase()
    );
    for (index, (name, fields)) in versions.iter().enumerate() {
        let storage = index == 0;
        let _ = write!(
            text,
            "    - name: {name}
      served: true
      storage: {storage}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: {{type: object, properties: {{{fields}}}}}
"
        );
    }
    text
}

const WIDE: &str = "a: {type: string, enum: [one, two]}";
const NARROW: &str = "a: {type: string, enum: [one]}";

/// Creates a folder with files, which can be in folders.
fn folder_with(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

/// Runs `skewer audit` in a folder. Returns the exit code, standard output and standard error.
fn audit(folder: &Path, arguments: &str) -> (i32, String, String) {
    let (code, out, err) = split_output(&skewer_with_input(folder, &format!("audit {arguments}"), ""));
    (code.unwrap(), out, err)
}

fn git(folder: &Path, arguments: &[&str]) {
    let identity =
        ["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
    let status = Command::new("git").args(identity).args(arguments).current_dir(folder).output().unwrap();
    assert!(status.status.success(), "{status:?}");
}

#[test]
fn documents_are_matched_by_kind_and_not_by_position() {
    let (a, b) = (definition("A", &[("v1", WIDE)]), definition("B", &[("v1", WIDE)]));
    let narrow = definition("B", &[("v1", NARROW)]);
    let folder = folder_with(&[
        ("old.yaml", &format!("{a}---\n{b}")),
        ("new.yaml", &format!("# B comes first.\n---\n{narrow}---\nkind: Namespace\n---\n{a}")),
    ]);
    let (code, out, err) = audit(folder.path(), "old.yaml new.yaml");
    assert_eq!(code, 0, "{err}");
    let (of_a, of_b) = out.split_once("B example.com/v1").unwrap();
    assert!(of_a.starts_with("A example.com/v1") && of_a.contains("no finding"), "{out}");
    assert!(of_b.contains("enum value \"two\" removed"), "{out}");
    // The line of the second document, counted from the start of the file.
    assert!(of_b.contains(" line 18 "), "{out}");
}

#[test]
fn definitions_that_only_one_folder_has_are_reported() {
    let [a, b, c] = ["A", "B", "C"].map(|kind| definition(kind, &[("v1", WIDE)]));
    let folder = folder_with(&[
        ("old/a.yaml", &a),
        ("old/deep/b.yml", &b),
        ("old/notes.txt", "kind: CustomResourceDefinition"),
        ("new/renamed.yaml", &a),
        ("new/c.yaml", &c),
        ("new/kustomization.yaml", "resources: [c.yaml"),
    ]);
    let (code, out, err) = audit(folder.path(), "old new --fail-on loud");
    assert_eq!(code, 1, "{err}");
    let position = |text: &str| out.find(text).unwrap_or_else(|| panic!("{text} is missing in {out}"));
    assert!(position("A example.com/v1") < position("B example.com  old -> new"), "{out}");
    assert!(position("LOUD    definition removed") < position("C example.com  old -> new"), "{out}");
    assert!(position("old/deep/b.yml:1") < position("NOTE    definition added"), "{out}");
    // Only the last line depends on the exit code.
    let findings = |out: &str| out.rsplit_once("exit code: ").map(|(findings, _)| findings.to_owned());
    let (code, without_option, _) = audit(folder.path(), "old new");
    assert_eq!((code, findings(&without_option)), (0, findings(&out)));
    assert!(out.ends_with("exit code: 1 (--fail-on loud)\n"), "{out}");
    assert!(
        without_option.ends_with("exit code: 0 (to fail on findings: --fail-on silent, loud or note)\n"),
        "{out}"
    );
}

#[test]
fn a_revision_of_a_repository_is_an_input() {
    let folder = folder_with(&[("crd/a.yaml", &definition("A", &[("v1", WIDE)])), ("crd/notes.txt", "")]);
    git(folder.path(), &["init", "-q"]);
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "-q", "-m", "one"]);
    std::fs::write(folder.path().join("crd/a.yaml"), definition("A", &[("v1", NARROW)])).unwrap();
    for arguments in
        ["git:HEAD:crd crd", "git:HEAD:./crd/ crd", "git:HEAD:crd/a.yaml crd/a.yaml", "git:HEAD:. crd"]
    {
        let (code, out, err) = audit(folder.path(), arguments);
        assert_eq!(code, 0, "{arguments}: {err}");
        assert!(out.contains("enum value \"two\" removed"), "{arguments}: {out}");
    }
    let inside = folder.path().join("crd");
    let (code, out, err) = audit(&inside, "git:HEAD:a.yaml a.yaml");
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("git:HEAD:a.yaml"), "{out}");
    let missing = [
        ("git:nowhere:crd crd", "the repository has no revision nowhere"),
        ("git:HEAD:nowhere crd", "HEAD has no file or folder nowhere"),
        ("git:HEAD:crd/notes.txt crd", "crd/notes.txt"),
        ("git:HEAD crd", "expected git:REF:PATH"),
        ("git:-x:crd crd", "expected git:REF:PATH"),
    ];
    for (arguments, expected) in missing {
        let (code, _, err) = audit(folder.path(), arguments);
        assert_eq!(code, 2, "{arguments}: {err}");
        assert!(err.contains(expected), "{arguments}: {err}");
    }
}

#[test]
fn two_versions_of_a_file_are_compared() {
    let versions = [("v1", "a: {type: string, default: one}"), ("v2", "a: {type: string, default: two}")];
    let folder = folder_with(&[("crd.yaml", &definition("A", &versions))]);
    let (code, out, err) = audit(folder.path(), "crd.yaml#v1 crd.yaml#v2 --fail-on silent");
    assert_eq!(code, 1, "{err}");
    assert!(out.starts_with("A example.com/v1 and v2"), "{out}");
    assert!(out.contains("in v1 instead of v2"), "{out}");
}

#[test]
fn one_version_of_two_files_is_compared() {
    let file = |fields| definition("A", &[("v1", fields), ("v2", fields)]);
    let folder = folder_with(&[("old.yaml", &file(WIDE)), ("new.yaml", &file(NARROW))]);
    let (code, out, err) = audit(folder.path(), "old.yaml new.yaml#v2");
    assert_eq!(code, 0, "{err}");
    assert_eq!(out.matches("A example.com/").count(), 1, "{out}");
    assert!(out.starts_with("A example.com/v2"), "{out}");
}

#[rstest]
#[case::no_such_version("a.yaml a.yaml#v9", "a.yaml:1: A example.com has no version v9 (it has v1)")]
#[case::other_kind("a.yaml b.yaml", "no definition in common: old has A example.com (a.yaml:1)")]
#[case::twice("a.yaml twice.yaml", "two definitions of A example.com: twice.yaml:1 and twice.yaml:18")]
#[case::no_definition("a.yaml pod.yaml", "pod.yaml:1")]
#[case::no_folder("empty a.yaml", "empty: no CustomResourceDefinition in the folder")]
#[case::no_file("a.yaml missing.yaml", "cannot read missing.yaml")]
#[case::no_map("a.yaml list.yaml", "list.yaml:1")]
#[case::no_map_inside("a.yaml text.yaml", "text.yaml:3")]
#[case::two_files("a.yaml#v1 a2.yaml#v2", "a server has one of them")]
fn bad_inputs_have_clear_errors(#[case] arguments: &str, #[case] expected: &str) {
    let a = definition("A", &[("v1", WIDE)]);
    let folder = folder_with(&[
        ("a.yaml", &a),
        ("a2.yaml", &definition("A", &[("v1", WIDE), ("v2", WIDE)])),
        ("b.yaml", &definition("B", &[("v1", WIDE)])),
        ("twice.yaml", &format!("{a}---\n{a}")),
        ("pod.yaml", "apiVersion: v1\nkind: Pod\n"),
        ("list.yaml", "- CustomResourceDefinition\n"),
        ("text.yaml", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: text\n"),
        ("empty/notes.txt", ""),
    ]);
    let (code, out, err) = audit(folder.path(), arguments);
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.contains(expected), "{err}");
}

#[test]
fn a_deep_definition_is_refused() {
    let deep = format!("{}{{type: string}}{}", "a: {type: object, properties: {".repeat(80), "}}".repeat(80));
    let folder = folder_with(&[("deep.yaml", &definition("A", &[("v1", &deep)]))]);
    let (code, _, err) = audit(folder.path(), "deep.yaml deep.yaml");
    assert!(code == 2 && err.contains("nested too deeply") && err.contains("deep.yaml:16"), "{err}");
}

#[test]
fn an_accepted_finding_does_not_fail() {
    let folder = folder_with(&[
        ("old.yaml", &definition("A", &[("v1", WIDE)])),
        ("new/new.yaml", &definition("A", &[("v1", NARROW)])),
        ("new/skewer-audit.yaml", "# Reviewed by us.\naccepted:\n  - {id: A-none, because: gone}\n"),
    ]);
    let inputs = "old.yaml new/new.yaml --fail-on any";
    let (code, out, err) = audit(folder.path(), inputs);
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("new/skewer-audit.yaml:3: accepted finding A-none no longer exists"), "{err}");
    let id = out.split_whitespace().find(|word| word.starts_with("A-")).unwrap();
    let (code, _, err) = audit(folder.path(), &format!("{inputs} --accept A-zzzz --because unused"));
    assert_eq!(code, 4, "{err}");
    let (code, out, err) = audit(folder.path(), &format!("{inputs} --accept {id} --because unused"));
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("\naccepted:\n"), "{out}");
    let text = std::fs::read_to_string(folder.path().join("new/skewer-audit.yaml")).unwrap();
    assert!(text.starts_with("# Reviewed by us.") && text.contains("A-none") && text.contains(id), "{text}");
    assert_eq!(audit(folder.path(), inputs).0, 0);
    // The command can also create the file.
    let (code, _, err) =
        audit(folder.path(), &format!("{inputs} --config my.yaml --accept {id} --because unused"));
    assert_eq!(code, 0, "{err}");
    assert_eq!(audit(folder.path(), &format!("{inputs} --config my.yaml")).0, 0);
    assert_eq!(audit(folder.path(), &format!("{inputs} --config other.yaml")).0, 2);
}

/// A field is removed from an object for which no valid value exists.
const REFUSED: &str = "o: {type: object, properties: {a: {type: string}, lost: {type: string}}, x-kubernetes-validations: \
                       [{rule: 'has(self.a) && !has(self.a)'}]}";

fn folder_with_refused() -> TempDir {
    let new = REFUSED.replace(", lost: {type: string}", "");
    folder_with(&[
        ("old.yaml", &definition("A", &[("v1", REFUSED)])),
        ("new.yaml", &definition("A", &[("v1", &new)])),
    ])
}

#[rstest]
#[case::default("", 1)]
#[case::silent("--fail-on silent", 1)]
#[case::loud("--fail-on loud", 1)]
#[case::not_judged("--fail-on not-judged", 1)]
#[case::note("--fail-on note", 1)]
#[case::never("--fail-on never", 0)]
fn a_change_that_was_not_judged_fails(#[case] options: &str, #[case] expected: i32) {
    let folder = folder_with_refused();
    let (code, out, err) = audit(folder.path(), &format!("old.yaml new.yaml {options}"));
    assert_eq!(code, expected, "{err}");
    assert_eq!(err.contains("not every change was judged"), expected == 1, "{err}");
    assert!(out.contains("1 change, 1 not judged, "), "{out}");
    assert!(out.contains("NOT JUDGED  spec.o.lost  field removed") && !out.contains("no findings"), "{out}");
    let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("the rule `has(self.a) && !has(self.a)` of spec.o refuses"), "{out}");
}

#[rstest]
#[case::json("json", "\"notJudged\": 1")]
#[case::severity("json", "\"severity\": \"not-judged\"")]
#[case::markdown("markdown", ": 1 not judged")]
#[case::markdown_row("markdown", "**NOT JUDGED** | `spec.o.lost` |")]
#[case::html("html", ": 1 not judged")]
#[case::github("github", "::warning file=old.yaml,")]
#[case::sarif("sarif", "\"ruleId\": \"not-judged\"")]
fn a_change_that_was_not_judged_is_in_every_format(#[case] format: &str, #[case] expected: &str) {
    let folder = folder_with_refused();
    let (code, out, _) = audit(folder.path(), &format!("old.yaml new.yaml --format {format}"));
    assert_eq!(code, 1);
    assert!(out.contains(expected), "{out}");
}

#[test]
fn a_change_that_was_not_judged_can_be_accepted() {
    let folder = folder_with_refused();
    let out = audit(folder.path(), "old.yaml new.yaml").1;
    let id = out.split_whitespace().find(|word| word.starts_with("A-")).unwrap();
    let (code, _, err) = audit(folder.path(), &format!("old.yaml new.yaml --accept {id} --because unused"));
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(audit(folder.path(), "old.yaml new.yaml --fail-on note").0, 0);
}

#[rstest]
#[case::not_declared("", "NOTE")]
#[case::typed("--clients typed-controller", "SILENT")]
#[case::not_typed("--clients ssa,kubectl", "NOTE")]
fn an_added_field_is_a_finding_for_declared_typed_clients(#[case] clients: &str, #[case] severity: &str) {
    let folder = folder_with(&[
        ("old.yaml", &definition("A", &[("v1", "a: {type: string}")])),
        ("new.yaml", &definition("A", &[("v1", "a: {type: string}, b: {type: integer}")])),
    ]);
    let (code, out, err) = audit(folder.path(), &format!("old.yaml new.yaml {clients}"));
    assert_eq!(code, 0, "{err}");
    assert!(
        out.lines().any(|line| line.starts_with(severity) && line.contains("1 field added: spec.b")),
        "{out}"
    );
}

/// Upstream: `ValidateCustomResourceDefinitionUpdate`, whose scope is immutable, and the structural schema that
/// `apiextensions.k8s.io/v1` requires.
#[test]
fn all_definitions_that_a_server_refuses_are_named() {
    let untyped = definition("B", &[("v1", "a: {description: no type}")]);
    let folder = folder_with(&[
        ("old/a.yaml", &definition("A", &[("v1", WIDE)])),
        ("old/b.yaml", &definition("B", &[("v1", WIDE)])),
        ("new/a.yaml", &definition("A", &[("v1", WIDE)]).replace("Namespaced", "Cluster")),
        ("new/b.yaml", &untyped),
    ]);
    let (code, out, err) = audit(folder.path(), "old new");
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.contains("new/a.yaml:7") && err.contains("cannot change"), "{err}");
    assert!(err.contains("new/b.yaml:16"), "{err}");
}

/// The files of a chart have templates in their labels. Nothing depends on them.
#[test]
fn labels_that_a_server_refuses_are_no_obstacle() {
    let with_label = |fields: &str| {
        let text = definition("A", &[("v1", fields)]);
        text.replace("example.com}\nspec", "example.com, labels: {app: '{{ .Release.Name }}'}}\nspec")
    };
    let folder = folder_with(&[("old.yaml", &with_label(WIDE)), ("new.yaml", &with_label(NARROW))]);
    let (code, out, err) = audit(folder.path(), "old.yaml new.yaml");
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("enum value \"two\" removed"), "{out}");
}

/// A server refuses the new definition. The other versions are audited all the same.
#[test]
fn the_stored_version_is_removed() {
    let old = definition("A", &[("v1alpha1", WIDE), ("v1", WIDE)]);
    let folder = folder_with(&[("old.yaml", &old), ("new.yaml", &definition("A", &[("v1", NARROW)]))]);
    let (code, out, err) = audit(folder.path(), "old.yaml new.yaml");
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let out = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        out.contains(
            "the update of the definition is refused: v1alpha1 is the version in which objects are stored"
        ),
        "{out}"
    );
    assert!(out.contains("enum value \"two\" removed"), "{out}");
}

/// The same change of several fields is one finding, with an id that accepts all of them.
#[test]
fn a_finding_at_several_paths_is_accepted_as_a_whole() {
    let fields =
        |keywords: &str| ["a", "b", "c"].map(|name| format!("{name}: {{type: string{keywords}}}")).join(", ");
    let with = |fields: &str| definition("A", &[("v1", fields)]);
    let folder =
        folder_with(&[("old.yaml", &with(&fields(""))), ("new.yaml", &with(&fields(", maxLength: 5")))]);
    let (_, out, _) = audit(folder.path(), "old.yaml new.yaml");
    assert!(out.contains("LOUD    maxLength 5 added, at 3 paths: "), "{out}");
    let id = out.split_whitespace().find(|word| word.starts_with("G-")).unwrap();
    let explained = audit(folder.path(), &format!("old.yaml new.yaml --explain {id}")).1;
    assert!(explained.contains("spec.a  maxLength 5 added"), "{explained}");
    let (code, _, err) =
        audit(folder.path(), &format!("old.yaml new.yaml --accept {id} --because short --fail-on note"));
    assert_eq!((code, err.as_str()), (0, ""));
    let accepted = std::fs::read_to_string(folder.path().join("skewer-audit.yaml")).unwrap();
    assert_eq!(accepted.matches("id: A-").count(), 3, "{accepted}");
    // The same change at another path is not accepted.
    let more = with(&format!("{}, d: {{type: string}}", fields("")));
    std::fs::write(folder.path().join("old.yaml"), more).unwrap();
    let more = with(&format!("{}, d: {{type: string, maxLength: 5}}", fields(", maxLength: 5")));
    std::fs::write(folder.path().join("new.yaml"), more).unwrap();
    assert_eq!(audit(folder.path(), "old.yaml new.yaml --fail-on loud").0, 1);
}

/// A server until 1.29 refuses every update of an object with an error, and one since 1.30 only those that change the value.
#[test]
fn a_finding_names_the_servers_on_which_it_is_true() {
    // Without a limit of the length, the rule is too expensive.
    let fields = |a: &str| format!("a: {{type: string, maxLength: 63{a}}}, b: {{type: string}}");
    let with = |a: &str| definition("A", &[("v1", &fields(a))]);
    let rule = ", x-kubernetes-validations: [{rule: \"!format.dns1123Label().validate(self).hasValue()\"}]";
    let folder = folder_with(&[
        ("old.yaml", &with("")),
        ("pattern.yaml", &with(", pattern: ^x")),
        ("rule.yaml", &with(rule)),
    ]);
    let words = |arguments: &str| {
        let (code, out, err) = audit(folder.path(), arguments);
        assert!(code < 2, "{err}");
        out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let of_pattern = words("old.yaml pattern.yaml --servers 1.28..1.31");
    for sentence in [
        "stored objects, with every client; new objects from old manifests (servers until 1.29)",
        "stored objects, with every client that sets another such value; new objects from old manifests (servers since 1.30)",
    ] {
        assert!(of_pattern.contains(sentence), "{of_pattern}");
    }
    assert!(!words("old.yaml pattern.yaml --servers 1.28").contains("(servers"));
    let of_rule = words("old.yaml rule.yaml --servers 1.30..1.33");
    assert!(of_rule.contains("LOUD definition refused line 13"), "{of_rule}");
    assert!(of_rule.contains("new rules can use it from 1.32 (servers until 1.31)"), "{of_rule}");
    for (arguments, message) in [
        ("old.yaml rule.yaml --servers 1.40", "expected a release from 1.17 to 1."),
        ("old.yaml rule.yaml --servers 1.31..1.30", "expected a release from 1.17 to 1."),
        ("old.yaml rule.yaml --servers 1.30 --write-suite s.yaml", "cannot be used with"),
        ("kubernetes-1.34 kubernetes-1.36 --servers 1.30", "--servers is about CustomResourceDefinitions"),
    ] {
        let (code, _, err) = audit(folder.path(), arguments);
        assert!(code == 2 && err.contains(message), "{code} {err}");
    }
}
