//! Temporary files: their names, and the locks that separate files in use from abandoned ones.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

const PREFIX: &str = ".skewer-";
const SUFFIX: &str = ".tmp";
/// Number of random characters between prefix and suffix.
const RANDOM_CHARACTERS: usize = 6;

/// Creates a temporary file and locks it.
pub(super) fn create(directory: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX).rand_bytes(RANDOM_CHARACTERS);
    // The error of the builder names the temporary file, which the user does not know. The error of the system does
    // not.
    let mut os_error = None;
    let created = builder.make_in(directory, |path| {
        let created = create_locked(path);
        os_error = created.as_ref().err().and_then(io::Error::raw_os_error);
        created
    });
    created.map_err(|error| os_error.map_or(error, io::Error::from_raw_os_error))
}

/// Creates and locks the file. Its permissions depend on the umask only, because the file becomes a report. Usual
/// temporary files are readable by their owner only.
fn create_locked(path: &Path) -> io::Result<File> {
    let file = File::options().write(true).create_new(true).open(path)?;
    // Until the file is locked, it looks abandoned. Another program can have removed it.
    if lock::try_lock(&file) && lock::has_name(&file) {
        return Ok(file);
    }
    // After this error the builder tries another name.
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Removes the temporary files that killed programs have left in a folder. Failures are ignored, because the user did
/// not ask for the removal.
pub(super) fn remove_abandoned(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(is_temporary_name);
        // Only regular files are temporary files of this crate. Opening a pipe could block.
        if is_ours && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let path = entry.path();
            if File::open(&path).is_ok_and(|file| lock::is_abandoned(&file)) {
                let _ = fs::remove_file(&path);
            }
        }
    }
}

fn is_temporary_name(name: &str) -> bool {
    let random = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
    random.is_some_and(|random| {
        random.len() == RANDOM_CHARACTERS && random.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

/// Advisory locks. The system releases the locks of a process when the process ends, even if it is killed.
#[cfg(unix)]
mod lock {
    use std::fs::File;
    use std::os::unix::fs::MetadataExt;

    use rustix::fs::{FlockOperation, flock};
    use rustix::io::Errno;

    /// Locks a file. Returns false if another process has locked the file. Returns true if the file system has no
    /// locks, because then [`is_abandoned`] returns false for every file.
    pub(super) fn try_lock(file: &File) -> bool {
        flock(file, FlockOperation::NonBlockingLockExclusive) != Err(Errno::WOULDBLOCK)
    }

    /// Returns true if the file has not been removed.
    pub(super) fn has_name(file: &File) -> bool {
        file.metadata().is_ok_and(|known| known.nlink() > 0)
    }

    /// Returns true if no process has locked the file.
    pub(super) fn is_abandoned(file: &File) -> bool {
        flock(file, FlockOperation::NonBlockingLockExclusive).is_ok()
    }
}

/// Replacement for systems without these locks. No temporary file is considered abandoned, so that none is removed.
#[cfg(not(unix))]
mod lock {
    use std::fs::File;

    pub(super) fn try_lock(_: &File) -> bool {
        true
    }

    pub(super) fn has_name(_: &File) -> bool {
        true
    }

    pub(super) fn is_abandoned(_: &File) -> bool {
        false
    }
}
