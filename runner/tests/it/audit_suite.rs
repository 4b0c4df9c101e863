//! `skewer audit --write-suite`: the written suites pass, and fail when the types change again.

use std::fs;
use std::path::{Path, PathBuf};

use rstest::rstest;
use tempfile::TempDir;

use crate::helpers::{skewer_with_input, split_output};

fn skewer(folder: &Path, arguments: &str) -> (i32, String, String) {
    let (code, out, err) = split_output(&skewer_with_input(folder, arguments, ""));
    (code.unwrap(), out, err)
}

/// Returns the folders with labelled changes, and the type that an audit of Go types names.
fn pairs() -> Vec<(PathBuf, Option<&'static str>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/audit");
    let mut folders: Vec<PathBuf> = ["known", "pairs"]
        .iter()
        .flat_map(|name| fs::read_dir(root.join(name)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    let root_type = |folder: &PathBuf| match folder.file_name().unwrap().to_str().unwrap() {
        "kubernetes-97906" => Some("ServiceSpec"),
        "kubernetes-110495-go" => Some("PersistentVolumeSpec"),
        _ => None,
    };
    folders.into_iter().map(|folder| (folder.clone(), root_type(&folder))).collect()
}

/// Copies the types of a pair to a new folder, and returns the folder and the arguments of the audit.
fn copy(pair: &Path, root: Option<&str>) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let extension = if root.is_some() { "go" } else { "yaml" };
    for side in ["old", "new"] {
        let name = format!("{side}.{extension}");
        fs::copy(pair.join(&name), folder.path().join(&name)).unwrap();
    }
    fs::create_dir(folder.path().join("tests")).unwrap();
    let kind = root.map(|root| format!(" --kind {root}")).unwrap_or_default();
    (
        folder,
        format!("audit old.{extension} new.{extension}{kind} --write-suite tests/skew.yaml --fail-on never"),
    )
}

#[test]
#[ignore = "takes a minute without optimisation: `cargo xtask all` runs it"]
fn every_suite_passes() {
    let mut without_suite = Vec::new();
    for (index, (pair, root)) in pairs().into_iter().enumerate() {
        let name = pair.file_name().unwrap().to_str().unwrap().to_owned();
        let (folder, arguments) = copy(&pair, root);
        let (code, _, err) = skewer(folder.path(), &arguments);
        assert_eq!(code, 0, "{name}: {err}");
        if !folder.path().join("tests/skew.yaml").exists() {
            without_suite.push(name);
            continue;
        }
        // A suite runs alone, and in the folder of the definitions.
        let corpus = ["tests", "tests/skew.yaml"][index % 2];
        let (code, out, err) = skewer(folder.path(), &format!("run --corpus {corpus}"));
        assert_eq!(code, 0, "{name}: {out}{err}");
    }
    assert_eq!(
        without_suite,
        [
            "cluster-api-6674",
            "crossplane-3859",
            "gateway-api-2671",
            "kyverno-12633",
            "no-change",
            "openshift-api-1811"
        ]
    );
}

#[rstest]
#[case::rename("rename", "lost")]
#[case::required_field("required-field", "refused")]
#[case::enum_narrowed("enum-narrowed", "rejected")]
#[case::union_member("union-member", "refused")]
#[case::rule("cel-rule", "rejected")]
#[case::key_default("key-default", "lost")]
#[case::atomic_to_map("atomic-to-map", "leftover")]
#[case::status_subresource("status-subresource", "intended")]
#[case::versions_with_other_defaults("defaults-disagree", "intended")]
fn the_suite_shows_the_change_and_fails_without_it(#[case] name: &str, #[case] outcome: &str) {
    let pair = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/audit/known").join(name);
    let (folder, arguments) = copy(&pair, None);
    assert_eq!(skewer(folder.path(), &arguments).0, 0);
    let suite = fs::read_to_string(folder.path().join("tests/skew.yaml")).unwrap();
    assert!(suite.contains(&format!("        outcome: {outcome}\n")), "{suite}");
    // The change is taken back.
    fs::copy(folder.path().join("old.yaml"), folder.path().join("new.yaml")).unwrap();
    let (code, out, _) = skewer(folder.path(), "run --corpus tests");
    assert_ne!(code, 0, "{out}");
}

#[test]
fn a_definition_of_a_git_revision_is_part_of_the_suite() {
    let pair = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/audit/known/required-field");
    let (folder, _) = copy(&pair, None);
    fs::rename(folder.path().join("old.yaml"), folder.path().join("crd.yaml")).unwrap();
    let git = |arguments: &[&str]| {
        let identity =
            ["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
        let mut command = std::process::Command::new("git");
        let output = command.args(identity).args(arguments).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "crd.yaml"]);
    git(&["commit", "-q", "-m", "one"]);
    fs::rename(folder.path().join("new.yaml"), folder.path().join("crd.yaml")).unwrap();
    let (code, _, err) = skewer(folder.path(), "audit git:HEAD:crd.yaml crd.yaml --write-suite skew.yaml");
    assert_eq!(code, 0, "{err}");
    let suite = fs::read_to_string(folder.path().join("skew.yaml")).unwrap();
    assert!(suite.contains("      old:\n        crd:\n          apiVersion: "), "{suite}");
    assert!(suite.contains("      new: {crd: \"crd.yaml#v1\", root: "), "{suite}");
    assert_eq!(skewer(folder.path(), "run --corpus skew.yaml").0, 0);
}

/// Clients whose change is unrelated to the audited one set a label, also in objects of a type without metadata.
#[test]
fn types_without_metadata_have_a_suite_that_passes() {
    const TYPES: &str = "package v1

type Widget struct {
	Spec WidgetSpec `json:\"spec,omitempty\"`
}
type WidgetSpec struct {
	Replicas *int32 `json:\"replicas,omitempty\"`
	// +listType=atomic
	Ports []Port `json:\"ports,omitempty\"`
}
type Port struct {
	Name string `json:\"name\"`
	Port int32 `json:\"port\"`
}
";
    let new = TYPES
        .replace("+listType=atomic", "+listType=map\n\t// +listMapKey=name")
        .replace("\tReplicas", "\tMode string `json:\"mode,omitempty\"`\n\tReplicas");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("old.go"), TYPES).unwrap();
    fs::write(folder.path().join("new.go"), new).unwrap();
    let (code, _, err) = skewer(folder.path(), "audit old.go new.go --kind Widget --write-suite skew.yaml");
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("`skewer run --corpus skew.yaml` runs it"), "{err}");
    let (code, out, err) = skewer(folder.path(), "run --corpus skew.yaml");
    assert_eq!(code, 0, "{out}{err}");
    let suite = fs::read_to_string(folder.path().join("skew.yaml")).unwrap();
    assert!(suite.contains("unknown-fields: [metadata]"), "{suite}");
}

#[test]
fn a_suite_that_cannot_be_written_is_an_error() {
    let pair = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/audit/known/required-field");
    let (folder, arguments) = copy(&pair, None);
    let (code, _, err) = skewer(folder.path(), &arguments.replace("tests/skew.yaml", "no/such/skew.yaml"));
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("no/such/skew.yaml"), "{err}");
}
