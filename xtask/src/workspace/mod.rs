//! A model of the workspace: its crates, files without test code, and names.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

mod arrows;
mod cargo;
mod circles;
mod literals;
mod macros;
mod names;
mod source;
mod test_code;

pub(crate) use arrows::Arrow;
pub(crate) use cargo::packages;
pub(crate) use macros::defined_types;
pub(crate) use names::{Names, Resolved, Visibility, visibility};
pub(crate) use source::{CrateRoot, RustFile};

/// Files that rules read, besides Rust.
const DOCUMENTS: &[&str] = &["ARCHITECTURE.md", "GLOSSARY.md", "xtask/arrows.md", "xtask/exceptions.toml"];

/// The sources of a workspace.
pub(crate) struct Workspace {
    pub(crate) roots: Vec<CrateRoot>,
    pub(crate) files: Vec<RustFile>,
    pub(crate) names: Names,
    pub(crate) arrows: Vec<Arrow>,
    documents: BTreeMap<String, String>,
}

impl Workspace {
    /// Reads the workspace in a folder.
    ///
    /// # Errors
    ///
    /// `cargo metadata` fails, or a file is missing or is not Rust.
    pub(crate) fn load(folder: &Path) -> Result<Self, String> {
        let read = |path: &str| fs::read_to_string(folder.join(path)).ok();
        Self::new(cargo::crate_roots(folder)?, &read)
    }

    /// Reads the files below crate roots.
    ///
    /// # Errors
    ///
    /// A file is missing or is not Rust.
    pub(crate) fn new(roots: Vec<CrateRoot>, read: &dyn Fn(&str) -> Option<String>) -> Result<Self, String> {
        let mut files = Vec::new();
        for (index, root) in roots.iter().enumerate() {
            files.extend(source::read_crate(root, index, read)?);
        }
        let names = Names::new(&roots, &files);
        let arrows = arrows::collect(&files, &names);
        let documents = DOCUMENTS.iter().filter_map(|path| Some(((*path).to_owned(), read(path)?))).collect();
        Ok(Self { roots, files, names, arrows, documents })
    }

    /// Returns a document, or nothing if there is none.
    pub(crate) fn document(&self, path: &str) -> &str {
        self.documents.get(path).map_or("", String::as_str)
    }

    pub(crate) fn package(&self, file: &RustFile) -> &str {
        &self.roots[file.root].package
    }

    /// Returns the groups of files that use each other in a circle, as indices.
    pub(crate) fn circles(&self) -> Vec<Vec<usize>> {
        circles::of(self.files.len(), &self.arrows)
    }
}

#[cfg(test)]
mod tests {
    use crate::test_support::workspace;

    #[test]
    fn the_files_of_modules_are_found_and_those_of_tests_are_not() {
        let workspace = workspace(&[
            ("engine/src/lib.rs", "mod a; mod b; #[cfg(test)] mod tests;"),
            ("engine/src/a.rs", "mod inner { mod file; }"),
            ("engine/src/a/inner/file.rs", ""),
            ("engine/src/b/mod.rs", "mod c;"),
            ("engine/src/b/c.rs", "fn f() {}\n#[cfg(test)]\nmod tests {\n}\n"),
        ]);
        let paths: Vec<&str> = workspace.files.iter().map(|file| file.path.as_str()).collect();
        let expected = ["lib.rs", "a.rs", "a/inner/file.rs", "b/mod.rs", "b/c.rs"];
        assert_eq!(paths, expected.map(|path| format!("engine/src/{path}")));
        let file = &workspace.files[4];
        assert_eq!((file.lines, file.test_lines), (4, 3));
        assert_eq!(file.top_level_module(), "b");
        assert_eq!(workspace.files[0].top_level_module(), "lib");
    }
}
