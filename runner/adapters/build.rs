//! Lists the files of the adapters, so that the program contains them all: `skewer target install` builds adapters from
//! these sources. A new file of an adapter needs no entry anywhere.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_default());
    println!("cargo::rerun-if-changed=build.rs");
    let mut files = Vec::new();
    for folder in entries(&root)?.into_iter().filter(|path| path.is_dir()) {
        watch(&folder)?;
        collect(&folder, &mut files)?;
    }
    // The program searches the list by name.
    let mut named: Vec<(String, PathBuf)> = Vec::new();
    for file in files {
        let name = file.strip_prefix(&root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        named.push((name, file));
    }
    named.sort();
    let mut list = String::from("&[\n");
    for (name, file) in named {
        let _ = writeln!(list, "    ({name:?}, include_bytes!({:?})),", file.to_string_lossy());
    }
    list.push_str("]\n");
    let out = PathBuf::from(env::var("OUT_DIR").unwrap_or_default()).join("adapter_files.rs");
    fs::write(out, list)
}

/// Returns the content of a folder, in the order of the names.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.sort();
    Ok(paths)
}

/// Asks Cargo to watch a folder, except for the folders that builds and tests write.
fn watch(folder: &Path) -> io::Result<()> {
    let content = entries(folder)?;
    if !content.iter().any(|path| is_written_by_tools(&name_of(path))) {
        println!("cargo::rerun-if-changed={}", folder.display());
        return Ok(());
    }
    for path in content.iter().filter(|path| !is_written_by_tools(&name_of(path))) {
        if path.is_dir() {
            watch(path)?;
        } else {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    Ok(())
}

/// Adds the files that a build needs.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for path in entries(folder)? {
        let name = name_of(&path);
        if path.is_dir() {
            if !is_written_by_tools(&name) && !is_test_folder(&name) {
                collect(&path, files)?;
            }
        } else if !is_test(&name) && !is_for_readers(&name) {
            files.push(path);
        }
    }
    Ok(())
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn is_written_by_tools(folder: &str) -> bool {
    folder == "target" || folder == "__pycache__" || folder.starts_with('.')
}

/// `cmd` has programs that measure an adapter.
fn is_test_folder(folder: &str) -> bool {
    folder.ends_with("test") || folder == "tests" || folder == "cmd"
}

fn is_test(file: &str) -> bool {
    file.ends_with("_test.go") || file.starts_with("test_") || file == "tests.rs" || file == "test.sh"
}

fn is_for_readers(file: &str) -> bool {
    let is_text = Path::new(file).extension().is_some_and(|extension| extension == "md");
    is_text || file.starts_with('.') || file == "requirements.in" || file == "deviations.yaml"
}
