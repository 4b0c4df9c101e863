//! "Adding a directive" of CONTRIBUTING.md, done as it says: its blocks are written into a copy of the sources, which
//! is built and run. A text that went stale fails here.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

/// What is copied of the repository: what the build needs.
const SOURCES: [&str; 6] = ["Cargo.toml", "Cargo.lock", "engine", "cases", "reports", "runner"];

/// A block of the text that belongs to a file.
struct Block {
    language: String,
    path: String,
    text: String,
}

#[test]
fn what_contributing_says_builds_and_runs() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder around the crate");
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| repository.join("target"), PathBuf::from);
    let copy = target.join("tutorial/sources");
    let contributing = fs::read_to_string(repository.join("CONTRIBUTING.md")).expect("CONTRIBUTING.md");
    let blocks = blocks(&contributing);
    let paths: Vec<&str> = blocks.iter().map(|block| block.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "engine/src/directive/append_only.rs",
            "engine/src/directive/mod.rs",
            "engine/src/directive/mod.rs",
            "cases/corpus/append-only/version-skew.yaml",
            "runner/laws.yaml",
        ],
        "one file, one line and its `mod`, one YAML file, and the record"
    );
    let mut changed = files(repository);
    for block in &blocks {
        apply(&mut changed, block);
    }
    set_apart(&mut changed);
    write(&copy, &changed);

    let build = cargo(&copy, &target).args(["build", "--quiet", "--offline", "-p", "skewer"]).output();
    succeeded("cargo build", build);
    let program = target.join("tutorial/debug/skewer").with_extension(env::consts::EXE_EXTENSION);
    let skewer = |arguments: &[&str]| Command::new(&program).current_dir(&copy).args(arguments).output();

    let run = succeeded("skewer run", skewer(&["run", "append-only/"]));
    assert!(run.contains("append-only/version-skew"), "{run}");
    let laws = succeeded("skewer laws", skewer(&["laws", "appendOnly", "--count", "300"]));
    assert!(laws.contains("$appendOnly"), "{laws}");
}

/// The blocks whose fence names a file after the language.
fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some((language, path)) = line.strip_prefix("```").and_then(|info| info.split_once(' ')) else {
            continue;
        };
        let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        blocks.push(Block {
            language: language.to_owned(),
            path: path.to_owned(),
            text: inside.join("\n") + "\n",
        });
    }
    blocks
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

/// A new file, more lines at the end of one, or a change of one.
fn apply(files: &mut Vec<(PathBuf, Vec<u8>)>, block: &Block) {
    let Some((_, content)) = files.iter_mut().find(|(path, _)| *path == Path::new(&block.path)) else {
        assert_ne!(block.language, "diff", "{} is not there to be changed", block.path);
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
    assert_eq!(text.matches(&before).count(), 1, "{} has this once:\n{before}", block.path);
    *content = text.replacen(&before, &after, 1).into_bytes();
}

/// Gives the copy a version of its own. Where a workspace stands is nothing to cargo: what it built of one of the same
/// name and version it would take for what it built of the other.
fn set_apart(files: &mut [(PathBuf, Vec<u8>)]) {
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
        "of the workspace and four crates"
    );
    *manifest = (lines.join("\n") + "\n").into_bytes();
}

/// Writes what is not there yet, so that the next build makes anew only what has changed.
fn write(copy: &Path, files: &[(PathBuf, Vec<u8>)]) {
    let stale = if copy.is_dir() { self::files(copy) } else { Vec::new() };
    for (path, _) in stale.iter().filter(|(path, _)| files.iter().all(|(kept, _)| kept != path)) {
        fs::remove_file(copy.join(path)).expect("a stale file goes");
    }
    for (path, content) in files.iter().filter(|file| !stale.contains(file)) {
        let path = copy.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder is made");
        fs::write(path, content).expect("a file is written");
    }
}

/// Cargo in the copy. What is built on the way is shared with the repository, where cargo can (from 1.91 on); what
/// comes out is not.
fn cargo(copy: &Path, target: &Path) -> Command {
    let mut command = Command::new(env!("CARGO"));
    // What the cargo that runs this test says of this package is none of the inner one's business.
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
