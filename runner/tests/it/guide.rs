//! The commands in the guide, run as written. What they print is compared with the guide; `SKEWER_UPDATE=1` writes it.
//!
//! - A block ```` ```console ```` has commands (`$ command`), each with its output. The commands of a page share a folder, which
//!   is empty, or a copy of the folder in the comment `<!-- folder: PATH -->` before. With `needs PROGRAM`, the blocks after the
//!   comment are skipped if the program is not installed.
//! - The commands of a block ```` ```console ci ```` compile or download something. Each of them is in a script of `.ci/`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use skewer_engine::patch::LibraryChange;
use tempfile::TempDir;

use crate::helpers::{report_skipped, skewer_command};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder around the crate").to_owned()
}

/// Returns the pages of the guide, in the order of their paths.
fn pages() -> Vec<PathBuf> {
    let mut folders = vec![repository().join("guide/src")];
    let mut pages = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the folder is readable") {
            let path = entry.expect("the entry is readable").path();
            match path.extension() {
                _ if path.is_dir() => folders.push(path),
                Some(extension) if extension == "md" => pages.push(path),
                _ => {}
            }
        }
    }
    pages.sort();
    pages
}

/// The folder in which the commands of a page run.
struct Session {
    folder: TempDir,
    /// The exit code of the last command, for `echo $?`.
    exit_code: i32,
}

impl Session {
    /// Copies a folder of the repository. Without one, the session begins in an empty folder.
    fn begin(copied: Option<&str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        if let Some(copied) = copied {
            copy(&repository().join(copied), folder.path());
        }
        Session { folder, exit_code: 0 }
    }

    /// Runs a command, and returns its output with that of standard error.
    fn run(&mut self, command: &str) -> String {
        let program = PathBuf::from(env!("CARGO_BIN_EXE_skewer"));
        let programs = program.parent().expect("the program is in a folder").display().to_string();
        let path = env::var("PATH").unwrap_or_default();
        let clean = skewer_command();
        let mut shell = Command::new("sh");
        for (name, value) in clean.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        let output = shell
            .args(["-c", &format!("exec 2>&1; (exit {}); {command}", self.exit_code)])
            .current_dir(self.folder.path())
            .env("PATH", format!("{programs}:{path}"))
            .env("COLUMNS", "80")
            .output()
            .expect("a shell is installed");
        self.exit_code = output.status.code().expect("no signal ended the command");
        String::from_utf8(output.stdout).expect("the output is UTF-8")
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("the folder can be created");
    for entry in fs::read_dir(from).expect("the folder is readable") {
        let entry = entry.expect("the entry is readable");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("the file can be copied");
        }
    }
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Runs the commands of a page, and returns its text with their output, and the number of commands.
fn run_page(text: &str) -> (String, usize) {
    let (mut written, mut commands) = (String::new(), 0);
    let mut session = Some(Session::begin(None));
    let mut lines = text.split_inclusive('\n');
    while let Some(line) = lines.next() {
        written.push_str(line);
        if let Some(folder) = line.trim().strip_prefix("<!-- folder: ").and_then(|l| l.strip_suffix(" -->")) {
            let (folder, needed) = folder.split_once(" needs ").map_or((folder, None), |(f, p)| (f, Some(p)));
            let missing = needed.filter(|program| !is_installed(program));
            session = missing.is_none().then(|| Session::begin(Some(folder)));
            if let Some(program) = missing {
                report_skipped(&format!("{program} is not installed"));
            }
        }
        if line != "```console\n" {
            continue;
        }
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```\n").collect();
        match &mut session {
            None => written.extend(block),
            Some(session) => {
                for command in block.iter().filter_map(|line| line.strip_prefix("$ ")) {
                    commands += 1;
                    written.push_str("$ ");
                    written.push_str(command);
                    written.push_str(&session.run(command.trim_end()));
                    if !written.ends_with('\n') {
                        written.push('\n');
                    }
                }
            }
        }
        written.push_str("```\n");
    }
    (written, commands)
}

#[test]
fn the_changes_of_the_libraries_are_listed_with_their_releases() {
    let page = fs::read_to_string(repository().join("guide/src/decisions/patch-libraries.md")).unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    let expected =
        LibraryChange::ALL.map(|change| format!("| `{}` | 1.{} | ", change.name(), change.release()));
    assert_eq!(rows.len(), expected.len(), "{rows:#?}");
    for (row, expected) in rows.iter().zip(&expected) {
        assert!(row.starts_with(expected.as_str()), "expected {expected}, found {row}");
    }
}

#[test]
fn the_commands_of_the_guide_print_what_it_says() {
    let mut all_commands = 0;
    let texts: Vec<_> = pages().into_iter().map(|page| (fs::read_to_string(&page).unwrap(), page)).collect();
    let runs: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = texts.iter().map(|(text, _)| scope.spawn(|| run_page(text))).collect();
        threads.into_iter().map(|thread| thread.join().expect("the page runs")).collect()
    });
    for ((text, page), (written, commands)) in texts.into_iter().zip(runs) {
        let name = page.strip_prefix(repository()).unwrap().display().to_string();
        all_commands += commands;
        if written != text && env::var_os("SKEWER_UPDATE").is_some() {
            fs::write(&page, &written).expect("the page can be written");
        } else if written != text {
            let changes = skewer_reports::diff::unified(
                skewer_reports::diff::NamedText { name: "the guide", text: &text },
                skewer_reports::diff::NamedText { name: "what is printed", text: &written },
            );
            panic!("{name} is stale: run the test with SKEWER_UPDATE=1\n{changes}");
        }
    }
    assert!(all_commands > 30, "{all_commands} commands");
}

#[test]
fn the_commands_that_no_test_runs_are_in_a_script_of_ci() {
    let scripts: String = fs::read_dir(repository().join(".ci"))
        .unwrap()
        .map(|entry| fs::read_to_string(entry.unwrap().path()).expect("the script is UTF-8"))
        .collect();
    let mut found = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for block in text.split("```console ci\n").skip(1) {
            for command in block.lines().take_while(|line| *line != "```") {
                let command = command.strip_prefix("$ ").expect("a command without output");
                assert!(scripts.contains(command), "{}: no script of .ci/ has `{command}`", page.display());
                found += 1;
            }
        }
    }
    assert!(found >= 2, "{found} commands");
}

/// mdbook fails for a page of the summary that does not exist, and leaves out one that the summary does not have.
#[test]
fn every_page_is_in_the_summary() {
    let folder = repository().join("guide/src");
    let summary = fs::read_to_string(folder.join("SUMMARY.md")).unwrap();
    for page in pages() {
        let path = page.strip_prefix(&folder).unwrap().display().to_string();
        assert!(path == "SUMMARY.md" || summary.contains(&format!("({path})")), "{path}");
    }
}

/// The inputs of the action in the guide are those of `action.yml`, and so is the table of inputs.
#[test]
fn the_guide_has_the_inputs_of_the_action() {
    let read = |path: &str| fs::read_to_string(repository().join(path)).unwrap();
    let action: serde_yaml::Value = serde_yaml::from_str(&read("action.yml")).unwrap();
    let names = |inputs: &serde_yaml::Value| -> BTreeSet<String> {
        let inputs = inputs.as_mapping().expect("a map of inputs");
        inputs.keys().map(|key| key.as_str().unwrap().to_owned()).collect()
    };
    let declared = names(&action["inputs"]);
    let page = read("guide/src/ci/action.md");
    let (_, block) = page.split_once("```yaml .github/workflows/skew.yml\n").expect("a workflow");
    let (block, table) = block.split_once("```\n").expect("the end of the workflow");
    let workflow: serde_yaml::Value = serde_yaml::from_str(block).unwrap();
    let used = names(&workflow["jobs"]["skew"]["steps"][1]["with"]);
    assert!(used.is_subset(&declared), "{used:?}");
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `")?.split_once(" |"));
    let described: BTreeSet<String> =
        rows.flat_map(|(names, _)| names.split(", ")).map(|name| name.trim_matches('`').to_owned()).collect();
    assert_eq!(described, declared);
}
