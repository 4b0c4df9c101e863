//! Files of the user, read with a limit: a wrong path must not take all memory, or wait for ever.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use skewer_yaml::FileErrors;

use crate::matrix::MAX_CELLS;

/// A suite file of a corpus, not parsed yet.
#[derive(Clone, Debug)]
pub struct CorpusFile {
    /// The path below the corpus folder, with `/` and `.yaml`.
    pub path: String,
    /// The name of the file in messages, as the user knows it.
    pub display_name: String,
    /// Its content.
    pub content: Vec<u8>,
}

/// The reason why a corpus could not be loaded, with the errors of all files.
#[derive(Debug)]
pub enum LoadError {
    /// Case files have errors.
    Files(Vec<FileErrors>),
    /// A folder or a file could not be read.
    Unreadable {
        /// The folder or file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The cases have more cells together than can be run.
    TooManyCells(TooManyCells),
    /// The folder holds no case file.
    Empty(PathBuf),
}

/// The cells of a corpus, which are more than can be run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TooManyCells {
    /// The number of cells, excluded ones counted.
    pub total: usize,
    /// The biggest cases, from the biggest down: the position and the name of each, and the number of its cells.
    pub biggest: Vec<(String, usize)>,
}

impl fmt::Display for TooManyCells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "the matrices have {} cells together, of which at most {MAX_CELLS} can be run",
            self.total
        )?;
        writeln!(f, "the biggest cases:")?;
        for (case, size) in &self.biggest {
            writeln!(f, "  {case}: {size} cells")?;
        }
        f.write_str("help: take axes or values away from them, or load fewer suites at a time (--corpus)")
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Files(files) => files.iter().try_for_each(|errors| write!(f, "{errors}")),
            LoadError::Unreadable { path, why } => write!(f, "cannot read {}: {why}", path.display()),
            LoadError::TooManyCells(excess) => excess.fmt(f),
            LoadError::Empty(path) => {
                write!(f, "there is no case file (*.yaml) in {} or below it", path.display())
            }
        }
    }
}

impl std::error::Error for LoadError {}

/// Maximum length of a case file: the longest of the built-in corpus has a fiftieth of that. The memory that a parsed file
/// takes is bounded by the number of its nodes: see [`max_nodes`](skewer_engine::document::max_nodes).
pub const MAX_CASE_FILE: u64 = 4 << 20;

/// Maximum length of any other file or stream of the user that is read as a whole: documents and types.
pub const MAX_DOCUMENT: u64 = 64 << 20;

/// Reads to the end; fails beyond the limit.
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

/// Reads a case file. A pipe or a device is refused: it may never end.
pub(crate) fn read_case_file(path: &Path) -> Result<Vec<u8>, LoadError> {
    // Checked before it is opened: opening a pipe without a writer never returns.
    let is_file = path.metadata().map_err(unreadable_error(path))?.is_file();
    if !is_file {
        return Err(unreadable_error(path)(io::Error::other("it is no regular file")));
    }
    let file = File::open(path).map_err(unreadable_error(path))?;
    read_limited(file, MAX_CASE_FILE).map_err(unreadable_error(path))
}

/// Reads every `*.yaml` in a folder and below.
pub(crate) fn read_case_files(root: &Path) -> Result<Vec<CorpusFile>, LoadError> {
    let mut walk = FolderWalk { root, ancestors: Vec::new(), files: Vec::new() };
    walk.visit_folder(root)?;
    Ok(walk.files)
}

/// A recursive walk over the folders of a corpus.
struct FolderWalk<'a> {
    root: &'a Path,
    /// The current folder and the folders that it is in, with links resolved.
    ancestors: Vec<PathBuf>,
    files: Vec<CorpusFile>,
}

impl FolderWalk<'_> {
    fn visit_folder(&mut self, dir: &Path) -> Result<(), LoadError> {
        let real = dir.canonicalize().map_err(unreadable_error(dir))?;
        if self.ancestors.contains(&real) {
            let why = format!("it leads back to {}, which it is in", real.display());
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
