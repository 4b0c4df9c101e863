//! Files that replace existing files only when they are complete.

mod temporary;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file that gets its name only when it is [committed](AtomicFile::commit). If it is dropped before that, an existing
/// file of this name is unchanged.
///
/// A symbolic link is followed. A path that is not a regular file (`/dev/null`, a pipe) is written to directly.
///
/// Until the file is committed, its content is in a temporary file in the same folder. A program that is killed leaves
/// the temporary file behind; the next file that is created in the folder removes it. Temporary files of running
/// programs are locked, and are not removed.
#[derive(Debug)]
pub struct AtomicFile {
    destination: Destination,
}

#[derive(Debug)]
enum Destination {
    Temporary { temporary: NamedTempFile, path: PathBuf },
    Direct(File),
    StandardOutput(io::Stdout),
}

impl AtomicFile {
    /// Starts a file. The directory must exist.
    ///
    /// # Errors
    ///
    /// Errors of the file system. Their messages do not name the temporary file.
    pub fn create(path: &Path) -> io::Result<Self> {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if fs::metadata(&path).is_ok_and(|known| !known.is_file()) {
            return Ok(AtomicFile {
                destination: Destination::Direct(File::options().write(true).open(&path)?),
            });
        }
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        temporary::remove_abandoned(directory);
        let temporary = temporary::create(directory)?;
        Ok(AtomicFile { destination: Destination::Temporary { temporary, path } })
    }

    /// Starts a file whose content goes directly to standard output.
    #[must_use]
    pub fn standard_output() -> Self {
        AtomicFile { destination: Destination::StandardOutput(io::stdout()) }
    }

    /// Gives the file its name. An existing file is replaced.
    ///
    /// # Errors
    ///
    /// Errors of writing and of the file system.
    pub fn commit(self) -> io::Result<()> {
        match self.destination {
            Destination::Temporary { mut temporary, path } => {
                temporary.as_file_mut().flush()?;
                temporary.persist(path).map_err(|error| error.error)?;
                Ok(())
            }
            Destination::Direct(mut file) => file.flush(),
            Destination::StandardOutput(mut output) => output.flush(),
        }
    }
}

/// Checks that a file can be written, and leaves an existing file unchanged. A pipe or a device is not checked, because
/// opening it could already have an effect.
///
/// # Errors
///
/// Errors of the file system.
pub fn check_writable(path: &Path) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|known| !known.is_file() && !known.is_dir()) {
        return Ok(());
    }
    AtomicFile::create(path).map(drop)
}

/// Writes a file. If `write` fails, an existing file is unchanged, and no other file is left.
///
/// # Errors
///
/// Errors of `write` and of the file system.
pub fn write_atomically(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut buffered = io::BufWriter::new(AtomicFile::create(path)?);
    write(&mut buffered)?;
    buffered.into_inner().map_err(io::IntoInnerError::into_error)?.commit()
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.destination {
            // `NamedTempFile::write` would add the name of the temporary file to errors.
            Destination::Temporary { temporary, .. } => temporary.as_file_mut().write(bytes),
            Destination::Direct(file) => file.write(bytes),
            Destination::StandardOutput(output) => output.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.destination {
            Destination::Temporary { temporary, .. } => temporary.as_file_mut().flush(),
            Destination::Direct(file) => file.flush(),
            Destination::StandardOutput(output) => output.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_other() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("report.md");
        write_atomically(&path, |out| out.write_all(b"first")).unwrap();
        let failed = write_atomically(&path, |out| {
            out.write_all(b"second")?;
            Err(io::Error::other("no more"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "no more");
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    #[cfg(unix)]
    fn abandoned_files_are_removed_and_files_in_use_stay() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        // No process has locked the first file. The others do not have the name of a temporary file of this crate.
        let others = [".skewer-notes.tmp", "skewer-abcdef.tmp"];
        for name in [".skewer-abcdef.tmp", others[0], others[1]] {
            fs::write(at(name), "[").unwrap();
        }
        fs::create_dir(at(".skewer-folder.tmp")).unwrap();
        std::os::unix::fs::symlink(at(others[0]), at(".skewer-linked.tmp")).unwrap();
        let in_use = AtomicFile::create(&at("first")).unwrap();
        assert!(!at(".skewer-abcdef.tmp").exists());
        write_atomically(&at("second"), |out| out.write_all(b"x")).unwrap();
        in_use.commit().unwrap();
        assert!(at("first").exists() && at("second").exists());
        for name in [others[0], others[1], ".skewer-folder.tmp", ".skewer-linked.tmp"] {
            assert!(at(name).exists(), "{name}");
        }
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 6);
    }

    #[test]
    fn an_error_does_not_name_the_temporary_file() {
        let directory = tempfile::tempdir().unwrap();
        let error = AtomicFile::create(&directory.path().join("nowhere/report")).unwrap_err().to_string();
        assert!(error.starts_with("No such file or directory") && !error.contains(".tmp"), "{error}");
    }

    #[test]
    fn a_directory_in_the_place_of_the_file_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        assert!(AtomicFile::create(directory.path()).is_err());
    }

    #[test]
    #[cfg(unix)]
    fn a_link_is_followed_and_stays_a_link() {
        let directory = tempfile::tempdir().unwrap();
        let (path, link) = (directory.path().join("report"), directory.path().join("link"));
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write_atomically(&link, |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
