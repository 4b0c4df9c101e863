//! The recipes of the guide (`guide/src/contribute/`), followed as written. A stale recipe fails here.
//!
//! The recipes that change the program are applied to one copy of the sources, because a build takes minutes.

mod copy;
mod recipe;

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use copy::Copy;
use recipe::{edited_files, recipe};
use tempfile::TempDir;

use crate::helpers::{all_output, skewer};

const DIRECTIVE: &str = "directive.md";
const POLICY: &str = "union-policy.md";
const SUITE: &str = "suite.md";
const ADAPTER: &str = "adapter.md";
const FORMAT: &str = "report-format.md";

/// The directive that `skewer new` adds to the copy.
const NEW_DIRECTIVE: &str = "$firstDraft";

/// The copy in which all recipes that change the program have been followed.
static COPY: LazyLock<Copy> = LazyLock::new(|| {
    let blocks: Vec<_> = [DIRECTIVE, POLICY, ADAPTER, FORMAT].into_iter().flat_map(recipe).collect();
    Copy::build(&blocks, NEW_DIRECTIVE)
});

#[track_caller]
fn assert_edits(page: &str, files: &[&str]) {
    assert_eq!(edited_files(&recipe(page)), files, "{page}");
}

#[test]
#[ignore = "builds a copy of the sources: `cargo xtask all` runs it"]
fn the_recipe_for_a_directive_builds_and_runs() {
    assert_edits(
        DIRECTIVE,
        &[
            "engine/src/directive/append_only.rs",
            "engine/src/directive/mod.rs",
            "cases/corpus/append-only/version-skew.yaml",
            "runner/trials/data/laws.yaml",
        ],
    );
    let run = COPY.skewer(&["run", "append-only/"]);
    assert!(run.contains("append-only/version-skew"), "{run}");
    let laws = COPY.skewer(&["laws", "appendOnly", "--count", "300"]);
    assert!(laws.contains("$appendOnly"), "{laws}");
}

#[test]
#[ignore = "builds a copy of the sources: `cargo xtask all` runs it"]
fn a_new_directive_builds_and_its_suite_and_its_laws_pass() {
    let run = COPY.skewer(&["run", "first-draft/"]);
    assert!(run.contains("first-draft/version-skew"), "{run}");
    let laws = COPY.skewer(&["laws", "firstDraft", "--count", "100"]);
    assert!(laws.contains("$firstDraft") && !laws.contains("worse"), "{laws}");
    assert!(COPY.skewer(&["explain", "firstDraft"]).contains("is accepted with the value true"));
}

/// The recipe for an adapter prints the templates of `skewer new adapter`.
#[test]
fn the_recipe_for_a_target_adapter_has_the_templates() {
    let blocks = recipe(ADAPTER);
    for file in ["adapter.py", "deviations.yaml"] {
        let is_of_file = |block: &&recipe::Block| block.path == format!("runner/adapters/merge_patch/{file}");
        let block = blocks.iter().find(is_of_file).unwrap_or_else(|| panic!("the recipe has no {file}"));
        let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/adapter").join(file);
        let template = std::fs::read_to_string(template).expect("the template can be read");
        assert_eq!(block.text, template.replace("example-adapter", "merge-patch"), "{file}");
    }
}

#[test]
#[ignore = "builds a copy of the sources: `cargo xtask all` runs it"]
fn the_recipe_for_a_union_policy_builds_and_runs() {
    assert_edits(
        POLICY,
        &[
            "engine/src/union/policy/newest_member.rs",
            "engine/src/union/policy/mod.rs",
            "cases/corpus/unions/newest-member.yaml",
        ],
    );
    let run = COPY.skewer(&["run", "unions/newest-member"]);
    assert!(run.contains("unions/newest-member"), "{run}");
    let help = COPY.skewer(&["union", "normalize", "--help"]);
    assert!(help.contains("- newest-member: "), "{help}");
}

#[test]
#[ignore = "builds a copy of the sources: `cargo xtask all` runs it"]
fn the_recipe_for_a_report_format_builds_and_runs() {
    assert_edits(FORMAT, &["reports/src/tap.rs", "reports/src/lib.rs", "reports/src/format.rs"]);
    let tap = COPY.skewer(&["run", "upstream/retain-keys-and-unions", "--report", "tap=-"]);
    let cells = tap.lines().filter(|line| line.starts_with("ok - upstream/retain-keys-and-unions/")).count();
    assert!(cells > 1 && tap.starts_with(&format!("TAP version 14\n1..{cells}\n")), "{tap}");
}

/// Writes the files of a recipe that needs no build into a folder.
fn written(page: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for block in recipe(page) {
        let path = folder.path().join(&block.path);
        std::fs::create_dir_all(path.parent().expect("a path below the folder")).unwrap();
        std::fs::write(&path, &block.text).unwrap();
    }
    folder
}

fn path_in(folder: &TempDir, path: &str) -> String {
    folder.path().join(path).display().to_string()
}

#[test]
fn the_recipe_for_a_suite_runs() {
    assert_edits(SUITE, &["cases/corpus/upstream/two-finalizers.yaml"]);
    let folder = written(SUITE);
    let corpus = path_in(&folder, "cases/corpus");
    let run = skewer(&["run", "--corpus", &corpus, "upstream/two-finalizers"]);
    assert!(run.status.success(), "{}", all_output(&run));
    let shown = skewer(&["show", "upstream/two-finalizers/both-stay", "--corpus", &corpus]);
    assert!(shown.status.success(), "{}", all_output(&shown));
}

#[test]
#[ignore = "builds a copy of the sources: `cargo xtask all` runs it"]
#[allow(clippy::print_stderr)] // the test says that it was skipped
fn the_recipe_for_a_target_adapter_runs() {
    if !Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: python3 is not installed");
        return;
    }
    let files = ["runner/adapters/merge_patch/adapter.py", "runner/adapters/merge_patch/deviations.yaml"];
    let to_install = ["runner/adapters/merge_patch/build.sh", "runner/targets/src/installed/adapters.rs"];
    assert_edits(ADAPTER, &[files, to_install].concat());
    let folder = written(ADAPTER);
    let [adapter, deviations] = files.map(|file| path_in(&folder, file));
    let target = format!("exec:python3 {adapter}");
    let check = skewer(&["target", "check", &target]);
    assert!(check.status.success(), "{}", all_output(&check));
    let run = skewer(&["run", "--target", &target, "upstream/json-merge", "--deviations", &deviations]);
    assert!(run.status.success(), "{}", all_output(&run));

    let cache = tempfile::tempdir().unwrap();
    let installed = COPY.skewer_with_cache(cache.path(), &["target", "install", "merge-patch"]);
    assert!(installed.contains("installed merge-patch "), "{installed}");
    let run = ["run", "--target", "merge-patch", "upstream/json-merge", "--deviations", &deviations];
    let run = COPY.skewer_with_cache(cache.path(), &run);
    assert!(run.contains("upstream/json-merge-patch"), "{run}");
}
