//! Reads case files with a size limit, so that a wrong path cannot exhaust the memory or block forever.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A suite file of a corpus, before it is parsed.
#[derive(Clone, Debug)]
pub struct CorpusFile {
    /// The path relative to the corpus folder. The separator is `/`, and the path ends in `.yaml`.
    pub path: String,
    /// The name of the file in messages.
    pub display_name: String,
    /// The content of the file.
    pub content: Vec<u8>,
    /// The folder of the file, if it is on disk. The paths of other files in a suite are relative to it.
    pub folder: Option<PathBuf>,
}

impl CorpusFile {
    /// Returns the name that the suite in this file must have: the path without `.yaml`.
    #[must_use]
    pub fn suite_name(&self) -> &str {
        self.path.strip_suffix(".yaml").unwrap_or(&self.path)
    }

    /// Returns true if the file contains a text.
    #[must_use]
    pub fn contains(&self, text: &str) -> bool {
        text.is_empty() || self.content.windows(text.len()).any(|window| window == text.as_bytes())
    }

    /// Returns false only if no cell of the suite has an id that contains a text, in which `*` stands for any text. The ids of
    /// cases, and the names and values of axes, must be in the file as they are in the ids of cells. A test checks it for the
    /// embedded corpus; in other files, they can have escapes.
    #[must_use]
    pub fn can_have_id_with(&self, text: &str) -> bool {
        let mut parts = text.split(['/', '[', ']', ',', '=', '*']);
        parts.all(|part| self.suite_name().contains(part) || self.contains(part))
    }
}

/// A folder or a file that could not be read.
#[derive(Debug)]
pub(crate) struct UnreadableFile {
    pub(crate) path: PathBuf,
    /// The reason for the failure.
    pub(crate) why: String,
}

/// Maximum length of a case file in bytes, about fifty times that of the longest built-in suite. The memory for a
/// parsed file is also bounded by its number of nodes: see [`max_nodes`](skewer_engine::document::max_nodes).
pub const MAX_CASE_FILE: u64 = 4 << 20;

/// Maximum length in bytes of any other input file, such as a document or types.
pub const MAX_DOCUMENT: u64 = 64 << 20;

/// Reads the input to its end. The input may have at most `limit` bytes.
///
/// # Errors
///
/// Returns an error of kind [`io::ErrorKind::FileTooLarge`] if the input is longer than `limit`, and otherwise any
/// error of the reader.
///
/// ```
/// use skewer_cases::read_limited;
///
/// assert_eq!(read_limited(&b"abc"[..], 3).unwrap(), b"abc");
/// assert!(read_limited(&b"abcd"[..], 3).is_err());
/// ```
pub fn read_limited(from: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {limit} bytes")));
    }
    Ok(bytes)
}

/// Reads a case file. A pipe or a device is an error, because reading it may never end.
pub(crate) fn read_case_file(path: &Path) -> Result<Vec<u8>, UnreadableFile> {
    // The file type is checked before opening, because opening a pipe without a writer would block.
    let is_file = path.metadata().map_err(unreadable_error(path))?.is_file();
    if !is_file {
        return Err(unreadable_error(path)(io::Error::other("it is not a regular file")));
    }
    let file = File::open(path).map_err(unreadable_error(path))?;
    read_limited(file, MAX_CASE_FILE).map_err(unreadable_error(path))
}

/// Reads all `*.yaml` files in a folder and its subfolders.
pub(crate) fn read_case_files(root: &Path) -> Result<Vec<CorpusFile>, UnreadableFile> {
    let mut walk = FolderWalk { root, ancestors: Vec::new(), files: Vec::new() };
    walk.visit_folder(root)?;
    Ok(walk.files)
}

struct FolderWalk<'a> {
    root: &'a Path,
    /// The canonical paths of the current folder and of its enclosing folders, to detect links that form a cycle.
    ancestors: Vec<PathBuf>,
    files: Vec<CorpusFile>,
}

impl FolderWalk<'_> {
    fn visit_folder(&mut self, dir: &Path) -> Result<(), UnreadableFile> {
        let real = dir.canonicalize().map_err(unreadable_error(dir))?;
        if self.ancestors.contains(&real) {
            let why = format!("it links back to the enclosing folder {}", real.display());
            return Err(unreadable_error(dir)(io::Error::other(why)));
        }
        self.ancestors.push(real);
        for entry in std::fs::read_dir(dir).map_err(unreadable_error(dir))? {
            let path = entry.map_err(unreadable_error(dir))?.path();
            if path.is_dir() {
                self.visit_folder(&path)?;
            } else if path.extension().is_some_and(|e| e == "yaml") {
                let relative = path.strip_prefix(self.root).unwrap_or(&path);
                let parts: Vec<_> = relative.components().map(|c| c.as_os_str().to_string_lossy()).collect();
                self.files.push(CorpusFile {
                    path: parts.join("/"),
                    display_name: path.display().to_string(),
                    content: read_case_file(&path)?,
                    folder: Some(dir.to_owned()),
                });
            }
        }
        self.ancestors.pop();
        Ok(())
    }
}

fn unreadable_error(path: &Path) -> impl Fn(io::Error) -> UnreadableFile + use<> {
    let path = path.to_owned();
    move |error| UnreadableFile { path: path.clone(), why: error.to_string() }
}
