//! A copy of the sources in which the recipes have been followed, built once for all tests.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

use super::recipe::Block;
use crate::helpers::skewer_command;

/// The files and folders of the repository that the build needs.
const SOURCES: [&str; 7] = ["Cargo.toml", "Cargo.lock", "engine", "cases", "reports", "runner", "xtask"];

/// The copy, and the program that was built from it.
pub(super) struct Copy {
    folder: PathBuf,
    program: PathBuf,
}

impl Copy {
    /// Copies the sources, applies the blocks, adds a new directive with `skewer new`, and builds the program.
    pub(super) fn build<'b>(blocks: impl IntoIterator<Item = &'b Block>, new_directive: &str) -> Self {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder around the crate");
        let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| repository.join("target"), PathBuf::from);
        let folder = target.join("tutorial/sources");
        let mut changed = files(repository);
        for block in blocks {
            apply(&mut changed, block);
        }
        add_directive(&mut changed, new_directive);
        set_own_version(&mut changed);
        write(&folder, &changed);

        let build = cargo(&folder, &target).args(["build", "--quiet", "--offline", "-p", "skewer"]).output();
        succeeded("cargo build", build);
        let program = target.join("tutorial/debug/skewer").with_extension(env::consts::EXE_EXTENSION);
        Copy { folder, program }
    }

    /// Runs the program of the copy, which must succeed, and returns its output.
    #[track_caller]
    pub(super) fn skewer(&self, arguments: &[&str]) -> String {
        let output = Command::new(&self.program).current_dir(&self.folder).args(arguments).output();
        succeeded(&format!("skewer {}", arguments.join(" ")), output)
    }

    /// Runs the program of the copy with a folder for installed targets. It must succeed.
    #[track_caller]
    pub(super) fn skewer_with_cache(&self, cache: &Path, arguments: &[&str]) -> String {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.folder).args(arguments).env("SKEWER_CACHE_DIR", cache);
        succeeded(&format!("skewer {}", arguments.join(" ")), command.output())
    }
}

/// Returns the paths and contents of the files that the build needs.
fn files(repository: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    files_below(repository, &SOURCES)
}

/// Returns the paths and contents of these files and of the files in these folders.
fn files_below(repository: &Path, names: &[&str]) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut left: Vec<PathBuf> = names.iter().map(|name| repository.join(name)).collect();
    while let Some(path) = left.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("the folder is readable");
            left.extend(entries.map(|entry| entry.expect("the entry is readable").path()));
        } else {
            let name = path.strip_prefix(repository).expect("the path is in the repository").to_owned();
            found.push((name, fs::read(&path).expect("the file is readable")));
        }
    }
    found
}

/// Applies a block: creates a file, appends lines to a file, or applies a diff to a file.
fn apply(files: &mut Vec<(PathBuf, Vec<u8>)>, block: &Block) {
    let Some((_, content)) = files.iter_mut().find(|(path, _)| *path == Path::new(&block.path)) else {
        assert_ne!(block.language, "diff", "the file {} of a diff does not exist", block.path);
        files.push((PathBuf::from(&block.path), block.text.clone().into_bytes()));
        return;
    };
    if block.language != "diff" {
        content.extend(format!("\n{}", block.text).bytes());
        return;
    }
    let side = |without: char| -> String {
        let lines = block.text.lines().filter(|line| !line.starts_with(without));
        lines.flat_map(|line| [line.get(1..).unwrap_or_default(), "\n"]).collect()
    };
    let (before, after) = (side('+'), side('-'));
    let text = String::from_utf8(std::mem::take(content)).expect("the file is UTF-8");
    assert_eq!(text.matches(&before).count(), 1, "{} must contain this once:\n{before}", block.path);
    *content = text.replacen(&before, &after, 1).into_bytes();
}

/// Runs `skewer new directive` on the files that it edits. The files of the copy are not edited in place, because they
/// would then be newer than what was built from them.
fn add_directive(changed: &mut Vec<(PathBuf, Vec<u8>)>, name: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let edited = ["engine/src/directive/mod.rs", "runner/trials/data/laws.yaml"];
    let is_edited = |path: &Path| edited.iter().any(|edited| path == Path::new(edited));
    let (files, others): (Vec<_>, Vec<_>) =
        std::mem::take(changed).into_iter().partition(|(path, _)| is_edited(path));
    let checkout = folder.path().join("checkout");
    write(&checkout, &files);
    let mut command = skewer_command();
    command.current_dir(checkout.join("runner")).args(["new", "directive", name, "--in-engine"]);
    succeeded("skewer new directive", command.output());
    *changed = others;
    changed.extend(files_below(&checkout, &["engine", "cases", "runner"]));
}

/// Gives the copied crates their own version. Otherwise, cargo would confuse the build artifacts of the copy with those
/// of the repository, because it identifies crates by name and version, not by folder.
fn set_own_version(files: &mut [(PathBuf, Vec<u8>)]) {
    let version = format!("version = \"{}\"", env!("CARGO_PKG_VERSION"));
    let new_version = format!("version = \"{}-tutorial\"", env!("CARGO_PKG_VERSION"));
    let (_, manifest) = files
        .iter_mut()
        .find(|(path, _)| path == Path::new("Cargo.toml"))
        .expect("the workspace has a manifest");
    let text = String::from_utf8(std::mem::take(manifest)).expect("the manifest is UTF-8");
    let line = |line: &str| match line {
        line if line == version => new_version.clone(),
        line if line.starts_with("skewer") => line.replace(&version, &new_version),
        line => line.to_owned(),
    };
    let lines: Vec<String> = text.lines().map(line).collect();
    assert!(lines.contains(&new_version), "the version of the workspace");
    let has_old_version = |line: &&String| line.starts_with("skewer") && line.contains(&version);
    assert_eq!(lines.iter().find(has_old_version), None, "a crate with the version of the repository");
    *manifest = (lines.join("\n") + "\n").into_bytes();
}

/// Writes only the files that have changed, so that the next build is incremental. Removes files that no longer exist.
fn write(copy: &Path, files: &[(PathBuf, Vec<u8>)]) {
    let stale = if copy.is_dir() { self::files(copy) } else { Vec::new() };
    for (path, _) in stale.iter().filter(|(path, _)| files.iter().all(|(kept, _)| kept != path)) {
        fs::remove_file(copy.join(path)).expect("the stale file can be removed");
    }
    for (path, content) in files.iter().filter(|file| !stale.contains(file)) {
        let path = copy.join(path);
        fs::create_dir_all(path.parent().expect("the path has a folder")).expect("the folder can be created");
        fs::write(path, content).expect("the file can be written");
    }
}

/// Returns a cargo command for the copy. From cargo 1.91 on, intermediate artifacts are shared with the repository;
/// final artifacts are not.
fn cargo(copy: &Path, target: &Path) -> Command {
    let mut command = Command::new(env!("CARGO"));
    // The inner cargo must not see the package variables of the cargo that runs this test.
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_"].iter().any(|prefix| text.starts_with(prefix)) {
            command.env_remove(&name);
        }
    }
    command
        .current_dir(copy)
        .env("CARGO_TARGET_DIR", target.join("tutorial"))
        .env("CARGO_BUILD_BUILD_DIR", target);
    command
}

/// Returns standard output. Fails if the command failed.
fn succeeded(command: &str, output: std::io::Result<Output>) -> String {
    let output = output.unwrap_or_else(|error| panic!("{command}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{command}: {}\n{out}\n{err}", output.status);
    out
}
