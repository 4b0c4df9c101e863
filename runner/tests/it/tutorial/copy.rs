//! A copy of the sources in which the recipes have been followed, built once for all tests.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

use super::recipe::Block;

/// The parts of the repository that a build needs.
const SOURCES: [&str; 6] = ["Cargo.toml", "Cargo.lock", "engine", "cases", "reports", "runner"];

/// The copy, and the program that was built from it.
pub(super) struct Copy {
    folder: PathBuf,
    program: PathBuf,
}

impl Copy {
    /// Copies the sources, applies the blocks, and builds the program.
    pub(super) fn build<'b>(blocks: impl IntoIterator<Item = &'b Block>) -> Self {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder around the crate");
        let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| repository.join("target"), PathBuf::from);
        let folder = target.join("tutorial/sources");
        let mut changed = files(repository);
        for block in blocks {
            apply(&mut changed, block);
        }
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
}

/// The files of the repository that a build needs, by their paths.
fn files(repository: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut left: Vec<PathBuf> = SOURCES.iter().map(|name| repository.join(name)).collect();
    while let Some(path) = left.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("a folder that can be read");
            left.extend(entries.map(|entry| entry.expect("an entry of a folder").path()));
        } else {
            let name = path.strip_prefix(repository).expect("a path below the repository").to_owned();
            found.push((name, fs::read(&path).expect("a file that can be read")));
        }
    }
    found
}

/// Applies a block: a new file, lines to add at the end of one, or a change of one.
fn apply(files: &mut Vec<(PathBuf, Vec<u8>)>, block: &Block) {
    let Some((_, content)) = files.iter_mut().find(|(path, _)| *path == Path::new(&block.path)) else {
        assert_ne!(block.language, "diff", "{} does not exist", block.path);
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
    let text = String::from_utf8(std::mem::take(content)).expect("text");
    assert_eq!(text.matches(&before).count(), 1, "{} must contain this once:\n{before}", block.path);
    *content = text.replacen(&before, &after, 1).into_bytes();
}

/// Gives the copy its own version. Cargo identifies a package of a workspace by name and version, not by its folder, and
/// would take the artifacts of the repository for those of the copy.
fn set_own_version(files: &mut [(PathBuf, Vec<u8>)]) {
    let ours = format!("version = \"{}\"", env!("CARGO_PKG_VERSION"));
    let its_own = format!("version = \"{}-tutorial\"", env!("CARGO_PKG_VERSION"));
    let (_, manifest) =
        files.iter_mut().find(|(path, _)| path == Path::new("Cargo.toml")).expect("the workspace's manifest");
    let text = String::from_utf8(std::mem::take(manifest)).expect("text");
    let line = |line: &str| match line {
        line if line == ours => its_own.clone(),
        line if line.starts_with("skewer-") => line.replace(&ours, &its_own),
        line => line.to_owned(),
    };
    let lines: Vec<String> = text.lines().map(line).collect();
    assert_eq!(
        lines.iter().filter(|line| line.contains(&its_own)).count(),
        5,
        "the versions of the workspace and of four crates"
    );
    *manifest = (lines.join("\n") + "\n").into_bytes();
}

/// Writes only the files that differ, so that the next build compiles only what has changed.
fn write(copy: &Path, files: &[(PathBuf, Vec<u8>)]) {
    let stale = if copy.is_dir() { self::files(copy) } else { Vec::new() };
    for (path, _) in stale.iter().filter(|(path, _)| files.iter().all(|(kept, _)| kept != path)) {
        fs::remove_file(copy.join(path)).expect("a stale file can be removed");
    }
    for (path, content) in files.iter().filter(|file| !stale.contains(file)) {
        let path = copy.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
        fs::write(path, content).expect("a file can be written");
    }
}

/// Returns cargo in the copy. Intermediate artifacts are shared with the repository if cargo can (from 1.91 on); the program
/// is not.
fn cargo(copy: &Path, target: &Path) -> Command {
    let mut command = Command::new(env!("CARGO"));
    // The cargo that runs this test sets these for its own package.
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

fn succeeded(what: &str, output: std::io::Result<Output>) -> String {
    let output = output.unwrap_or_else(|error| panic!("{what}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{what}: {}\n{out}\n{err}", output.status);
    out
}
