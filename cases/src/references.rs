//! Files to which suite files refer, such as definitions of custom resources.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::case_files::{CorpusFile, MAX_DOCUMENT, read_limited};

/// Returns true if a file of a corpus is no suite, but a file to which suites refer: a manifest, which has a `kind`.
pub(crate) fn is_manifest(file: &CorpusFile) -> bool {
    let has_key = |key: &[u8]| file.content.split(|byte| *byte == b'\n').any(|line| line.starts_with(key));
    has_key(b"kind:") && has_key(b"apiVersion:") && !has_key(b"suite:")
}

/// The files to which the suites of a corpus can refer.
#[derive(Debug, Default)]
pub(crate) struct References {
    /// The files of the corpus that are no suites, by their paths in the corpus.
    of_corpus: BTreeMap<String, Vec<u8>>,
    /// The other files that were read, by their paths on disk.
    read: Mutex<BTreeMap<PathBuf, Vec<u8>>>,
}

impl References {
    pub(crate) fn new(files: impl IntoIterator<Item = CorpusFile>) -> Self {
        let of_corpus = files.into_iter().map(|file| (file.path, file.content)).collect();
        References { of_corpus, read: Mutex::default() }
    }

    /// Returns the content of a file. The path is relative to the suite file that refers to it.
    ///
    /// # Errors
    ///
    /// Returns the reason, as a clause, if there is no such file or if it cannot be read.
    pub(crate) fn content(&self, suite: &CorpusFile, path: &str) -> Result<Vec<u8>, String> {
        if let Some(content) = in_corpus(&suite.path, path).and_then(|path| self.of_corpus.get(&path)) {
            return Ok(content.clone());
        }
        let Some(folder) = &suite.folder else {
            return Err(format!("there is no file `{path}` in the corpus"));
        };
        let on_disk = folder.join(path);
        let mut read = self.read.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(content) = read.get(&on_disk) {
            return Ok(content.clone());
        }
        let content =
            read_file(&on_disk).map_err(|error| format!("cannot read {}: {error}", on_disk.display()))?;
        read.insert(on_disk, content.clone());
        Ok(content)
    }

    /// Returns the files outside of the corpus that suites refer to, sorted by their paths.
    pub(crate) fn into_read(self) -> impl Iterator<Item = (PathBuf, Vec<u8>)> {
        self.read.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).into_iter()
    }
}

fn read_file(path: &Path) -> std::io::Result<Vec<u8>> {
    // The file type is checked before opening, because opening a pipe without a writer would block.
    if !path.metadata()?.is_file() {
        return Err(std::io::Error::other("it is not a regular file"));
    }
    read_limited(File::open(path)?, MAX_DOCUMENT)
}

/// Returns the path in the corpus to which a suite refers. `None` if it is outside.
fn in_corpus(suite: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = suite.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::beside("a/b.yaml", "crd.yaml", Some("a/crd.yaml"))]
    #[case::above("a/b.yaml", "../crd.yaml", Some("crd.yaml"))]
    #[case::here("b.yaml", "./crd.yaml", Some("crd.yaml"))]
    #[case::outside("b.yaml", "../crd.yaml", None)]
    fn paths_are_relative_to_the_suite(
        #[case] suite: &str,
        #[case] path: &str,
        #[case] expected: Option<&str>,
    ) {
        assert_eq!(in_corpus(suite, path).as_deref(), expected);
    }
}
