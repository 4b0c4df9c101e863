//! Paths of files that a command writes; `-` is standard output.

use std::convert::Infallible;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use skewer_results::file::{self, AtomicFile};

use crate::cli::failure::{Failure, Result};
use crate::cli::output::{Stream, check_written};

/// A file that a command writes, or standard output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutputPath {
    /// `-`.
    StandardOutput,
    /// Any other path.
    File(PathBuf),
}

impl From<PathBuf> for OutputPath {
    fn from(path: PathBuf) -> Self {
        if path.as_os_str() == "-" { OutputPath::StandardOutput } else { OutputPath::File(path) }
    }
}

impl FromStr for OutputPath {
    type Err = Infallible;

    fn from_str(text: &str) -> std::result::Result<Self, Infallible> {
        Ok(PathBuf::from(text).into())
    }
}

impl fmt::Display for OutputPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OutputPath::StandardOutput => f.write_str("-"),
            OutputPath::File(path) => path.display().fmt(f),
        }
    }
}

impl OutputPath {
    /// Creates the file. It replaces an existing file only when it is committed.
    pub(in crate::cli) fn create(&self) -> io::Result<AtomicFile> {
        match self {
            OutputPath::File(path) if !self.is_device_of_standard_output() => AtomicFile::create(path),
            _ => Ok(AtomicFile::standard_output()),
        }
    }

    /// Checks that the file can be written, without changing an existing file.
    pub(in crate::cli) fn check_writable(&self) -> io::Result<()> {
        match self {
            OutputPath::File(path) if !self.is_device_of_standard_output() => file::check_writable(path),
            _ => Ok(()),
        }
    }

    /// Returns true if the path is `/dev/stdout` or an equivalent path. Such a path is written through the open stream.
    /// If standard output is redirected to a file, that file is therefore not replaced.
    fn is_device_of_standard_output(&self) -> bool {
        let OutputPath::File(path) = self else { return false };
        let is_special = ["/dev", "/proc"].iter().any(|folder| path.starts_with(folder));
        is_special && self.inode().is_some_and(|inode| Some(inode) == OutputPath::StandardOutput.inode())
    }

    /// Writes the file atomically: if `write` fails, an existing file is unchanged.
    pub fn write(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        let write_file = || {
            let mut buffered = io::BufWriter::new(self.create()?);
            write(&mut buffered)?;
            buffered.into_inner().map_err(io::IntoInnerError::into_error)?.commit()
        };
        self.check_written(write_file())
    }

    /// Converts an error of writing to a failure. A closed pipe at standard output is not a failure.
    pub(in crate::cli) fn check_written(&self, written: io::Result<()>) -> Result<()> {
        match self {
            OutputPath::StandardOutput => check_written(written),
            OutputPath::File(path) => written
                .map_err(|error| Failure::could_not_run(format!("cannot write {}: {error}", path.display()))),
        }
    }

    /// Returns true if both paths lead to the same file, also through links, `.` and `..`. A device such as `/dev/null`
    /// does not count as a file, because two reports can be written to it.
    pub(in crate::cli) fn is_same_file(&self, other: &OutputPath) -> bool {
        match (self, other) {
            (OutputPath::StandardOutput, OutputPath::StandardOutput) => true,
            (OutputPath::File(path), OutputPath::File(other)) if resolve(path) == resolve(other) => {
                !accepts_many_writers(path)
            }
            _ => {
                self.inode().is_some_and(|inode| Some(inode) == other.inode()) && !self.accepts_many_writers()
            }
        }
    }

    fn accepts_many_writers(&self) -> bool {
        matches!(self, OutputPath::File(path) if accepts_many_writers(path))
    }

    #[cfg(unix)]
    fn inode(&self) -> Option<(u64, u64)> {
        use std::os::fd::AsFd;
        use std::os::unix::fs::MetadataExt;

        let metadata = match self {
            OutputPath::StandardOutput => {
                File::from(io::stdout().as_fd().try_clone_to_owned().ok()?).metadata()
            }
            OutputPath::File(path) => fs::metadata(path),
        };
        metadata.ok().map(|known| (known.dev(), known.ino()))
    }

    #[cfg(not(unix))]
    fn inode(&self) -> Option<(u64, u64)> {
        None
    }
}

/// Returns the stream for text that people read. It is standard error if an output goes to standard output, so that a
/// program can parse standard output.
pub(in crate::cli) fn stream_beside<'p>(outputs: impl IntoIterator<Item = &'p OutputPath>) -> Stream {
    let mut outputs = outputs.into_iter();
    if outputs.any(|output| *output == OutputPath::StandardOutput) { Stream::Error } else { Stream::Output }
}

/// Returns the canonical path. Only the folder of the file has to exist.
fn resolve(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok().or_else(|| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        Some(fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?.join(path.file_name()?))
    })
}

/// Returns true if the path is a device such as `/dev/null`, where outputs do not overwrite each other. A terminal is
/// excluded, because two outputs would be mixed on it.
#[cfg(unix)]
fn accepts_many_writers(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;

    let is_device = fs::metadata(path).is_ok_and(|known| known.file_type().is_char_device());
    is_device && !File::options().write(true).open(path).is_ok_and(|file| file.is_terminal())
}

#[cfg(not(unix))]
fn accepts_many_writers(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::same_path("a", "a", true)]
    #[case::a_detour("a", "./a", true)]
    #[case::another_detour("folder/../a", "a", true)]
    #[case::a_link("there", "linked", true)]
    #[case::a_hard_link("there", "hard", true)]
    #[case::a_linked_folder("folder/a", "linked-folder/a", true)]
    #[case::another_name("a", "b", false)]
    #[case::another_folder("a", "folder/a", false)]
    #[cfg(unix)]
    fn different_paths_to_one_file_are_recognized(
        #[case] first: &str,
        #[case] second: &str,
        #[case] expected: bool,
    ) {
        use std::os::unix::fs::symlink;

        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("folder")).unwrap();
        fs::write(at("there"), "").unwrap();
        fs::hard_link(at("there"), at("hard")).unwrap();
        symlink("there", at("linked")).unwrap();
        symlink("folder", at("linked-folder")).unwrap();
        let [first, second] = [first, second].map(|path| OutputPath::from(at(path)));
        assert_eq!((first.is_same_file(&second), second.is_same_file(&first)), (expected, expected));
    }

    #[test]
    #[cfg(unix)]
    fn several_outputs_can_go_to_dev_null() {
        let null = OutputPath::from(PathBuf::from("/dev/null"));
        assert!(!null.is_same_file(&null));
    }
}
