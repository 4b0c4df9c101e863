//! The lanes: commands that check a change, from a few seconds to everything that CI does.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, ExitStatus};

use crate::workspace::packages;

/// Checks the format of all files, and runs clippy and the unit tests of the crates in which a file was changed since
/// `main`. Returns false if a check fails.
///
/// # Errors
///
/// Git or Cargo cannot be started.
pub(crate) fn check(root: &Path) -> Result<bool, String> {
    let changed = changed_files(root)?;
    let packages = packages(root)?;
    let crates = crates_of(&changed, &packages);
    let mut is_ok = step(root, "cargo", &["fmt", "--all", "--check"])?;
    if crates.is_empty() {
        println(&format!("no crate has a changed file ({} files changed)", changed.len()));
        return Ok(is_ok);
    }
    let selected: Vec<&str> = crates.iter().flat_map(|name| ["-p", name]).collect();
    let with = |command: &[&'static str], arguments: &[&'static str]| {
        command.iter().chain(&selected).chain(arguments).copied().collect::<Vec<&str>>()
    };
    is_ok &= step(root, "cargo", &with(&["clippy"], &["--all-targets", "--quiet", "--", "-D", "warnings"]))?;
    is_ok &= step(root, "cargo", &with(&["test"], &["--lib", "--bins", "--quiet"]))?;
    Ok(is_ok)
}

/// Runs a part of the corpus as it is on disk, and compares the results with those of the last commit. Returns false if a
/// cell fails.
///
/// # Errors
///
/// Git or Cargo cannot be started, or the last commit has no corpus.
pub(crate) fn corpus(root: &Path, patterns: &[&str]) -> Result<bool, String> {
    let folder = root.join("target/xtask-corpus");
    let committed = folder.join("committed");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&committed).map_err(|error| format!("{}: {error}", committed.display()))?;
    let archive = folder.join("corpus.tar");
    let (archive, committed) = (archive.to_string_lossy(), committed.to_string_lossy());
    for (program, arguments) in [
        ("git", ["archive", "--output", &archive, "HEAD", "cases/corpus"].as_slice()),
        ("tar", ["-xf", &archive, "-C", &committed].as_slice()),
    ] {
        if !is_success(Command::new(program).args(arguments).current_dir(root).status(), program)? {
            return Err(format!("{program} {}: failed", arguments.join(" ")));
        }
    }
    let skewer = ["run", "--quiet", "--package", "skewer", "--"];
    let [old, new] = ["old.json", "new.json"].map(|name| folder.join(name).to_string_lossy().into_owned());
    let run = |corpus: &str, results: &str| {
        let report = format!("json={results}");
        let run = ["run", "--corpus", corpus, "--report", &report];
        let arguments = skewer.iter().chain(&run).chain(patterns);
        arguments.map(|argument| (*argument).to_owned()).collect::<Vec<String>>()
    };
    let is_ok = step(root, "cargo", &run("cases/corpus", &new))?;
    // Only the results of the last commit are wanted, and not its table. A suite that it lacks has no results.
    let of_commit = run(&format!("{committed}/cases/corpus"), &old);
    let silent = Command::new("cargo").args(of_commit).current_dir(root).output();
    silent.map_err(|error| format!("cargo: {error}"))?;
    if Path::new(&old).exists() {
        let compare: Vec<&str> = skewer.iter().copied().chain(["compare", &old, &new]).collect();
        step(root, "cargo", &compare)?;
    } else {
        println("the last commit has no such cells");
    }
    Ok(is_ok)
}

/// Runs all checks of CI.
///
/// # Errors
///
/// The script of CI cannot be started.
pub(crate) fn all(root: &Path) -> Result<bool, String> {
    step::<&str>(root, ".ci/run", &[])
}

/// Prints a command and runs it. Returns whether the command succeeded.
fn step<A: AsRef<str>>(root: &Path, program: &str, arguments: &[A]) -> Result<bool, String> {
    let arguments: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
    println(&format!("\n$ {program} {}", arguments.join(" ")));
    is_success(Command::new(program).args(arguments).current_dir(root).status(), program)
}

fn is_success(status: io::Result<ExitStatus>, program: &str) -> Result<bool, String> {
    status.map(|status| status.success()).map_err(|error| format!("{program}: {error}"))
}

fn println(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}

/// Returns the files that differ from the branch `main`, with those that are not committed. Without `main`, these are the
/// files that are not committed.
fn changed_files(root: &Path) -> Result<BTreeSet<String>, String> {
    let lines = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(root).output();
        let output = output.map_err(|error| format!("git: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok::<_, String>(text.lines().map(str::to_owned).collect::<Vec<String>>())
    };
    let mut files: BTreeSet<String> = BTreeSet::new();
    files.extend(lines(&["diff", "--name-only", "HEAD"])?);
    files.extend(lines(&["ls-files", "--others", "--exclude-standard"])?);
    for branch in ["origin/main", "main"] {
        files.extend(lines(&["diff", "--name-only", &format!("{branch}...HEAD")])?);
    }
    Ok(files)
}

/// Returns the names of the crates to which files belong: each file belongs to the innermost folder of a crate.
fn crates_of<'p>(files: &BTreeSet<String>, packages: &'p [(String, String)]) -> BTreeSet<&'p str> {
    let owner = |file: &String| {
        let owners = packages.iter().filter(|(folder, _)| Path::new(file).starts_with(folder));
        owners.max_by_key(|(folder, _)| folder.len()).map(|(_, name)| name.as_str())
    };
    files.iter().filter_map(owner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_belongs_to_the_innermost_crate() {
        let packages = [("engine", "a"), ("engine/skew", "b"), ("runner", "c")];
        let packages = packages.map(|(folder, name)| (folder.to_owned(), name.to_owned()));
        let crates = |files: &[&str]| {
            let files = files.iter().map(|file| (*file).to_owned()).collect();
            crates_of(&files, &packages).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(crates(&["engine/src/lib.rs", "engine/skewed.rs"]), ["a"]);
        assert_eq!(crates(&["engine/skew/src/lib.rs", "runner/Cargo.toml"]), ["b", "c"]);
        assert!(crates(&["README.md", "guide/src/SUMMARY.md"]).is_empty());
    }
}
