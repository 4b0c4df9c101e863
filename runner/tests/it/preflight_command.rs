//! `skewer preflight` as a command: what it writes, and what it refuses.

use std::path::Path;
use std::process::Output;

use rstest::rstest;

use crate::helpers::{all_output, skewer, skewer_command, stderr, stdout};

fn preflight(arguments: &[&str]) -> Output {
    let mut command = skewer_command();
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../guide/examples/preflight"));
    command.arg("preflight").args(arguments).output().unwrap()
}

#[test]
fn a_suite_that_was_written_runs_until_the_server_does_something_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("findings.yaml").display().to_string();
    let step = ["objects.yaml", "--manifests", "rendered", "--by", "helm3..helm4"];
    let output = preflight(&[&step[..], &["--write-suite", &path]].concat());
    assert!(stderr(&output).contains("findings.yaml written: 2 cases"), "{}", all_output(&output));
    let text = std::fs::read_to_string(&path).unwrap();
    for secret in ["cart", "shop", "mail", "ops-hotfix", "registry", "c3dvcmRmaXNo"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    let run = skewer(&["run", "--corpus", &path]);
    assert!(run.status.success() && stdout(&run).contains("ok         2     2"), "{}", all_output(&run));
    std::fs::write(&path, text.replace("image: v4", "image: v3")).unwrap();
    let run = skewer(&["run", "--corpus", &path]);
    assert_eq!(run.status.code(), Some(1), "{}", all_output(&run));
}

#[test]
fn repairs_are_not_written_among_other_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("repairs").display().to_string();
    let step = ["objects.yaml", "--manifests", "rendered", "--by", "helm3..helm4", "--write-repairs", &path];
    let output = preflight(&step);
    assert!(stderr(&output).contains("repairs written: 2 scripts"), "{}", all_output(&output));
    let output = preflight(&step);
    assert_eq!(output.status.code(), Some(2), "{}", all_output(&output));
    assert!(stderr(&output).contains("expected a new or empty folder"), "{}", stderr(&output));
}

#[rstest]
#[case::no_objects(&["--crds", "new-crd.yaml"], "<OBJECTS>")]
#[case::both(&["objects.yaml", "--kind", "deploy", "--crds", "new-crd.yaml"], "cannot be used with")]
#[case::a_context_for_nothing(
    &["objects.yaml", "--context", "prod", "--crds", "new-crd.yaml"],
    "expected --kind KIND or --confirm dry-run with them"
)]
#[case::two_releases(
    &["objects.yaml", "--server", "1.37", "--confirm", "kube:1.36", "--crds", "new-crd.yaml"],
    "--server 1.37: the release is that of --confirm"
)]
#[case::an_unknown_release_of_the_tool(
    &["objects.yaml", "--manifests", "rendered", "--by", "argocd-ssa", "--client-release", "1.29"],
    "--client-release 1.29: expected a release whose types are known"
)]
#[case::no_such_target(&["objects.yaml", "--confirm", "dry", "--crds", "new-crd.yaml"], "there is no target `dry`")]
#[case::names_without_a_suite(&["objects.yaml", "--crds", "new-crd.yaml", "--anonymous=false"], "--write-suite")]
fn arguments_that_do_not_fit_are_refused(#[case] arguments: &[&str], #[case] expected: &str) {
    let output = preflight(arguments);
    assert_eq!(output.status.code(), Some(2), "{}", all_output(&output));
    assert!(stderr(&output).contains(expected), "{}", stderr(&output));
}
