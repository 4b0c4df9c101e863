use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::LazyLock;

use super::super::adapter::Adapter;
use super::super::adapters::ADAPTERS;
use super::super::error::InstallError;
use super::*;

fn adapters() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters")
}

/// Returns the paths of all files below a folder, relative to it.
fn files_below(root: &Path) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    let mut left = vec![root.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
            } else {
                files.insert(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    files
}

/// The files that no build needs.
fn is_needed(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_in = |name: &str| folders.split('/').any(|folder| folder == name);
    let is_written_by_tools = is_in("target") || is_in("__pycache__");
    let is_test = name.ends_with("_test.go")
        || name.starts_with("test_")
        || name == "test.sh"
        || name == "tests.rs"
        || is_in("tests")
        || is_in("test")
        || is_in("builtintest");
    let is_benchmark = is_in("cmd");
    let is_for_readers = name == "README.md" || name == "requirements.in" || folders.is_empty();
    !(is_written_by_tools || is_test || is_benchmark || is_for_readers)
}

#[test]
fn every_file_that_a_build_needs_is_embedded() {
    let mut expected = files_below(&adapters());
    expected.retain(|path| is_needed(path));
    let embedded: BTreeSet<String> = FILES.iter().map(|(path, _)| (*path).to_owned()).collect();
    assert_eq!(embedded, expected);
    assert!(FILES.is_sorted_by_key(|(path, _)| *path), "text_of() searches the list");
}

#[test]
fn sources_are_written_as_they_are_in_the_repository() {
    for program in Installable::all() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), program).unwrap();
        let written = files_below(folder.path());
        let script = format!("{}/{}", program.folder(), program.script()[0]);
        assert!(written.contains(&script), "{}: {script}", program.target());
        for path in written {
            let read = |folder: &Path| fs::read(folder.join(&path)).unwrap();
            let mode = |folder: &Path| fs::metadata(folder.join(&path)).unwrap().permissions().mode() & 0o100;
            assert!(read(folder.path()) == read(&adapters()), "{path} has another content");
            assert_eq!(mode(folder.path()), mode(&adapters()), "{path}");
        }
    }
}

/// Returns the folders beside that of an adapter to which a text refers: `internal/rust` for `../internal/rust/build.sh`.
fn folders_beside(text: &str) -> BTreeSet<&str> {
    let is_in_path = |c: char| c.is_ascii_alphanumeric() || "-_/".contains(c);
    let paths = text.split("../").skip(1).map(|rest| rest.split(|c| !is_in_path(c)).next().unwrap_or(""));
    paths
        .filter_map(|path| {
            let is_of_a_group = path.starts_with("internal/") || path.starts_with("examples/");
            let length =
                path.match_indices('/').nth(usize::from(is_of_a_group)).map_or(path.len(), |(at, _)| at);
            Some(&path[..length]).filter(|name| adapters().join(name).is_dir() && !name.is_empty())
        })
        .collect()
}

#[test]
fn the_folders_to_which_a_build_refers_are_written_too() {
    for program in Installable::all() {
        let target = program.target();
        let own: BTreeSet<&str> =
            program.shared_folders().iter().copied().chain([program.folder()]).collect();
        for (path, content) in files_of(program) {
            let name = path.rsplit('/').next().unwrap();
            let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
            let is_of_the_build = ["sh", "mod", "toml"].contains(&extension);
            if !is_of_the_build {
                continue;
            }
            let named = folders_beside(std::str::from_utf8(content).unwrap());
            assert!(named.is_subset(&own), "{target}: {path} refers to {named:?}, known are {own:?}");
        }
    }
}

#[test]
fn adapters_in_python_get_the_modules_that_they_share() {
    for adapter in ADAPTERS.iter().filter(|adapter| adapter.tool == super::super::tool::Tool::Python) {
        let paths: Vec<&str> = files_of(Installable::Adapter(adapter)).map(|(path, _)| path).collect();
        for expected in
            ["examples/python/conversation.py", "examples/python/schemas.py", "examples/python/install.sh"]
        {
            assert!(paths.contains(&expected), "{}: {paths:?}", adapter.target());
        }
    }
}

#[test]
fn a_program_gets_the_files_of_its_release_only() {
    for program in Installable::all() {
        let releases: BTreeSet<&str> = files_of(program)
            .filter_map(|(path, _)| path.split_once("/releases/")?.1.rsplit_once('.'))
            .map(|(release, _)| release)
            .collect();
        assert_eq!(releases, program.release().into_iter().collect(), "{}", program.target());
    }
}

#[test]
fn programs_of_different_sources_have_different_fingerprints() {
    let release = |target: &str| {
        let program = Installable::all().find(|program| program.target() == target).unwrap();
        fingerprint(program)
    };
    let names =
        ["apiserver:1.28", "apiserver:1.30", "kube:1.30", "apimachinery:0.17", "apimachinery:0.37", "kyaml"];
    let all: BTreeSet<String> = names.into_iter().map(release).collect();
    assert_eq!(all.len(), names.len());
}

#[test]
fn a_program_without_the_sources_of_a_target_says_where_there_is_one_with_them() {
    static LACKING: LazyLock<Adapter> =
        LazyLock::new(|| Adapter { folder: "not-in-the-package", ..ADAPTERS[0] });
    assert!(Installable::all().all(has_sources_of));
    assert!(!has_sources_of(Installable::Adapter(&LACKING)));
    let message = InstallError::NoSources { target: LACKING.target() }.to_string();
    assert!(message.contains("cargo install --git"), "{message}");
}
