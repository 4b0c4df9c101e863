//! Reads case files with a size limit, so that a wrong path cannot exhaust the memory or block forever.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use skewer_yaml::FileErrors;

use crate::matrix::MAX_CELLS;

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
}

/// An error while loading a corpus.
#[derive(Debug)]
pub enum LoadError {
    /// Case files have errors. The list contains the errors of all files.
    Files(Vec<FileErrors>),
    /// A folder or a file could not be read.
    Unreadable {
        /// The folder or file that could not be read.
        path: PathBuf,
        /// The reason for the failure.
        why: String,
    },
    /// The corpus has more cells than can be run.
    TooManyCells(TooManyCells),
    /// The folder contains no case file.
    Empty(PathBuf),
    /// All YAML files in the folder are Kubernetes manifests, to which suites can refer. None is a suite.
    OnlyManifests {
        /// The folder.
        path: PathBuf,
        /// The number of files.
        files: usize,
    },
}

/// The numbers of cells of a corpus that has more cells than can be run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TooManyCells {
    /// The total number of cells, including excluded points.
    pub total: usize,
    /// The largest cases in descending order. The text contains the source position and the name of the case, and the
    /// number is that of its cells.
    pub biggest: Vec<(String, usize)>,
}

impl fmt::Display for TooManyCells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "the corpus has {} cells, but at most {MAX_CELLS} can be run", self.total)?;
        writeln!(f, "the largest cases:")?;
        for (case, size) in &self.biggest {
            writeln!(f, "  {case}: {size} cells")?;
        }
        f.write_str("help: remove axes or values from these cases, or load fewer suites at a time (--corpus)")
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Files(files) => files.iter().try_for_each(|errors| write!(f, "{errors}")),
            LoadError::Unreadable { path, why } => write!(f, "cannot read {}: {why}", path.display()),
            LoadError::TooManyCells(excess) => excess.fmt(f),
            LoadError::Empty(path) => {
                write!(f, "no case file (*.yaml) in {} or its subfolders", path.display())
            }
            LoadError::OnlyManifests { path, files } => {
                let noun = if *files == 1 { "file" } else { "files" };
                write!(
                    f,
                    "no case file in {}: {files} YAML {noun}, all of them Kubernetes manifests; a case file has the keys \
                     `suite`, `about` and `cases`",
                    path.display()
                )
            }
        }
    }
}

impl std::error::Error for LoadError {}

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
pub(crate) fn read_case_file(path: &Path) -> Result<Vec<u8>, LoadError> {
    // The file type is checked before opening, because opening a pipe without a writer would block.
    let is_file = path.metadata().map_err(unreadable_error(path))?.is_file();
    if !is_file {
        return Err(unreadable_error(path)(io::Error::other("it is not a regular file")));
    }
    let file = File::open(path).map_err(unreadable_error(path))?;
    read_limited(file, MAX_CASE_FILE).map_err(unreadable_error(path))
}

/// Reads all `*.yaml` files in a folder and its subfolders.
pub(crate) fn read_case_files(root: &Path) -> Result<Vec<CorpusFile>, LoadError> {
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
    fn visit_folder(&mut self, dir: &Path) -> Result<(), LoadError> {
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

fn unreadable_error(path: &Path) -> impl Fn(io::Error) -> LoadError + use<> {
    let path = path.to_owned();
    move |error| LoadError::Unreadable { path: path.clone(), why: error.to_string() }
}
