//! Lists the files of `corpus/` in a generated Rust file, so that the crate embeds them.

use std::path::{Path, PathBuf};
use std::{env, fmt::Write, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("corpus");
    println!("cargo::rerun-if-changed=corpus");
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let mut list = String::from("const FILES: &[(&str, &[u8])] = &[\n");
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let name: Vec<_> =
            file.strip_prefix(&root).unwrap_or(file).iter().map(|part| part.to_string_lossy()).collect();
        let file = file.to_string_lossy();
        let _ = writeln!(list, "    ({:?}, include_bytes!({file:?})),", name.join("/"));
    }
    list.push_str("];\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("corpus_files.rs"), list)
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", dir.display());
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            files.push(path);
        }
    }
    Ok(())
}
