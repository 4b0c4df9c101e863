//! `skewer new`: what it writes works at once, and nothing is overwritten.

use std::process::Command;

use rstest::rstest;
use tempfile::TempDir;

use crate::helpers::{all_output, report_skipped, skewer_with_input, split_output};

/// Runs the program in a folder, and returns the exit code, standard output and standard error.
fn run_in(folder: &TempDir, arguments: &str) -> (Option<i32>, String, String) {
    split_output(&skewer_with_input(folder.path(), arguments, ""))
}

/// Returns the last line of the table of a run, with one space between its fields.
fn totals(run: &str) -> String {
    let line = run.lines().find(|line| line.starts_with("total ")).unwrap_or_default();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the commands that a text prints, without the program.
fn printed_commands(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("  skewer ")).collect()
}

#[rstest]
#[case::in_a_file("new suite widgets", "widgets.yaml", "run --corpus widgets.yaml")]
#[case::in_a_folder("new suite my-team/widgets", "my-team/widgets.yaml", "run --corpus my-team/widgets.yaml")]
#[case::in_a_corpus(
    "new suite my-team/widgets --corpus .",
    "./my-team/widgets.yaml",
    "run --corpus . my-team/widgets/"
)]
fn a_new_suite_passes(#[case] arguments: &str, #[case] file: &str, #[case] command: &str) {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, err) = run_in(&folder, arguments);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(out, format!("created {file}\n\nnext:\n  skewer {command}\n"));
    let (code, out, err) = run_in(&folder, command);
    assert_eq!(code, Some(0), "{out}{err}");
    assert_eq!(totals(&out), "total ok 9 9 · · · · 1 3 5 5", "{out}");
    let suite = std::fs::read_to_string(folder.path().join(file)).unwrap();
    assert!(suite.contains("# EDIT: ") && !suite.contains("example"), "{suite}");
}

/// The three adapters pass the sample operations, and the corpus with the deviations that are written beside them.
#[rstest]
#[case::python("python", "python3", "python3 my-library/adapter.py")]
#[case::javascript("javascript", "node", "node my-library/adapter.mjs")]
#[case::go("go", "go", "my-library/adapter")]
fn a_new_adapter_passes_the_check_and_the_corpus(
    #[case] language: &str,
    #[case] program: &str,
    #[case] command: &str,
) {
    let version = if program == "go" { "version" } else { "--version" };
    if !Command::new(program).arg(version).output().is_ok_and(|output| output.status.success()) {
        return report_skipped(&format!("{program} is not installed"));
    }
    let folder = tempfile::tempdir().unwrap();
    let (code, out, err) = run_in(&folder, &format!("new adapter my-library --language {language}"));
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("created my-library/deviations.yaml\n"), "{out}");
    if program == "go" {
        assert!(out.contains("\n  go build -C my-library -o adapter .\n"), "{out}");
        let build = ["build", "-C", "my-library", "-o", "adapter", "."];
        let built = Command::new("go").args(build).current_dir(folder.path()).output().unwrap();
        assert!(built.status.success(), "{}", all_output(&built));
    }
    assert_eq!(printed_commands(&out)[0], format!("target check exec:\"{command}\""));

    let skewer = |arguments: &[&str]| {
        let mut skewer = crate::helpers::skewer_command();
        let output = skewer.args(arguments).current_dir(folder.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", all_output(&output));
        all_output(&output)
    };
    let target = format!("exec:{command}");
    assert!(skewer(&["target", "check", &target]).contains("my-library"));
    let deviations = ["--deviations", "my-library/deviations.yaml"];
    let ran = skewer(&["run", "--target", &target, deviations[0], deviations[1], "upstream/json-merge"]);
    assert_eq!(totals(&ran), "total ok 67 15 · 3 49 · 12 3 3", "{ran}");
}

#[rstest]
#[case::a_suite("new suite widgets", "widgets.yaml")]
#[case::an_adapter("new adapter widgets --language python", "widgets/deviations.yaml")]
#[case::a_directive("new directive widgets", "widgets/adapter.py")]
#[case::a_directive_of_the_engine("new directive widgets --in-engine", "engine/src/directive/widgets.rs")]
fn nothing_is_overwritten(#[case] arguments: &str, #[case] file: &str) {
    let folder = checkout();
    let path = folder.path().join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "mine").unwrap();
    let before = files(&folder);
    let (code, out, err) = run_in(&folder, arguments);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.contains(&format!("{file} exists: choose another name, or remove it")), "{err}");
    assert_eq!(files(&folder), before);
}

/// Creates a folder with the files of a checkout that `skewer new directive` edits.
fn checkout() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let registry = folder.path().join("engine/src/directive/mod.rs");
    std::fs::create_dir_all(registry.parent().unwrap()).unwrap();
    std::fs::write(registry, "mod patch;\n\nregistry! {\n    patch::PatchDirective,\n}\n").unwrap();
    std::fs::create_dir_all(folder.path().join("runner/trials/data")).unwrap();
    std::fs::write(folder.path().join("runner/trials/data/laws.yaml"), "subjects:\n  - name: $patch\n")
        .unwrap();
    folder
}

/// Returns the paths and texts of all files in a folder, sorted.
fn files(folder: &TempDir) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut left = vec![folder.path().to_owned()];
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            let name = path.strip_prefix(folder.path()).unwrap().display().to_string();
            found.push((name, std::fs::read_to_string(&path).unwrap()));
        }
    }
    found.sort();
    found
}

/// The command works in every folder of a checkout. (Another test builds what it writes.)
#[test]
fn a_new_directive_edits_the_files_of_the_recipe() {
    let folder = checkout();
    let inside = folder.path().join("runner");
    let (code, out, err) =
        split_output(&skewer_with_input(&inside, "new directive $appendOnly --in-engine", ""));
    assert_eq!(code, Some(0), "{err}");
    let edited = ["cases/corpus/append-only/version-skew.yaml", "engine/src/directive/append_only.rs"];
    assert!(edited.iter().all(|file| out.contains(&format!("created {file}\n"))), "{out}");
    let files = files(&folder);
    let text = |name: &str| &files.iter().find(|(path, _)| path == name).unwrap().1;
    assert!(text(edited[0]).starts_with("suite: append-only/version-skew\n"));
    assert!(text(edited[1]).contains("impl Directive for AppendOnlyDirective {"));
    assert_eq!(
        text("engine/src/directive/mod.rs"),
        "mod append_only;\nmod patch;\n\nregistry! {\n    append_only::AppendOnlyDirective,\n    \
         patch::PatchDirective,\n}\n"
    );
    assert!(text("runner/trials/data/laws.yaml").contains("  - name: $patch\n\n  - name: $appendOnly\n"));
}

#[rstest]
#[case::a_suite("new suite Widgets", "`Widgets` cannot be the name of a suite: expected lower-case letters")]
#[case::outside_of_the_folder("new suite ../widgets", "`../widgets` cannot be the name of a suite")]
#[case::no_folder(
    "new suite widgets --corpus nope",
    "nope is no folder: create it first, or leave out --corpus"
)]
#[case::an_adapter("new adapter my/library --language go", "`my/library` cannot be the name of an adapter")]
#[case::a_directive("new directive append-only", "`append-only` cannot be the name of a directive")]
#[case::a_known_directive("new directive patch", "the registry has $patch: choose another name")]
#[case::outside_of_a_checkout(
    "new directive appendOnly --in-engine",
    " is not in a checkout of the repository of Skewer: clone"
)]
fn a_wrong_name_or_folder_is_refused(#[case] arguments: &str, #[case] message: &str) {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, err) = run_in(&folder, arguments);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.contains(message), "{err}");
    assert_eq!(files(&folder), []);
}
