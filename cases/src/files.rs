//! Files of the user, read with a limit: a mistake in a path must not take all memory, or wait for ever.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::corpus::{LoadError, SuiteFile};

/// How long a case file may be: the longest of the built-in corpus has a fiftieth of that. A file with its places takes
/// some seventy times its length in memory.
pub const MAX_CASE_FILE: u64 = 4 << 20;

/// How long any other file or stream of the user may be that is read as a whole: documents and types.
pub const MAX_DOCUMENT: u64 = 64 << 20;

/// Reads to the end, or fails where that is beyond the limit.
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

/// A case file. A pipe or a device is none: it may never end.
pub(crate) fn read_case_file(path: &Path) -> Result<Vec<u8>, LoadError> {
    // Asked before it is opened, which a pipe without a writer does not come back from.
    let is_file = path.metadata().map_err(unreadable(path))?.is_file();
    if !is_file {
        return Err(unreadable(path)(io::Error::other("it is no regular file")));
    }
    let file = File::open(path).map_err(unreadable(path))?;
    read_limited(file, MAX_CASE_FILE).map_err(unreadable(path))
}

/// Every `*.yaml` in a folder and below.
pub(crate) fn case_files(root: &Path) -> Result<Vec<SuiteFile>, LoadError> {
    let mut walk = Walk { root, above: Vec::new(), files: Vec::new() };
    walk.folder(root)?;
    Ok(walk.files)
}

struct Walk<'a> {
    root: &'a Path,
    /// The folders that the one at hand is in, as they are without links.
    above: Vec<PathBuf>,
    files: Vec<SuiteFile>,
}

impl Walk<'_> {
    fn folder(&mut self, dir: &Path) -> Result<(), LoadError> {
        let real = dir.canonicalize().map_err(unreadable(dir))?;
        if self.above.contains(&real) {
            let why = format!("it leads back to {}, which it is in", real.display());
            return Err(unreadable(dir)(io::Error::other(why)));
        }
        self.above.push(real);
        for entry in std::fs::read_dir(dir).map_err(unreadable(dir))? {
            let path = entry.map_err(unreadable(dir))?.path();
            if path.is_dir() {
                self.folder(&path)?;
            } else if path.extension().is_some_and(|e| e == "yaml") {
                let below = path.strip_prefix(self.root).unwrap_or(&path);
                let below: Vec<_> = below.components().map(|c| c.as_os_str().to_string_lossy()).collect();
                self.files.push(SuiteFile {
                    path: below.join("/"),
                    shown: path.display().to_string(),
                    content: read_case_file(&path)?,
                });
            }
        }
        self.above.pop();
        Ok(())
    }
}

fn unreadable(path: &Path) -> impl Fn(io::Error) -> LoadError + use<> {
    let path = path.to_owned();
    move |error| LoadError::Unreadable { path: path.clone(), why: error.to_string() }
}
