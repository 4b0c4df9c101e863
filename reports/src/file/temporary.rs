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
    // The error of the builder would name the temporary file, of which the user knows nothing.
    let mut os_error = None;
    let created = builder.make_in(directory, |path| {
        let created = create_locked(path);
        os_error = created.as_ref().err().and_then(io::Error::raw_os_error);
        created
    });
    created.map_err(|error| os_error.map_or(error, io::Error::from_raw_os_error))
}

/// Creates the file. It becomes a report, so that it is as readable as the umask permits, unlike other temporary files.
fn create_locked(path: &Path) -> io::Result<File> {
    let file = File::options().write(true).create_new(true).open(path)?;
    // Between these two lines the file looks abandoned, and another program can have removed it.
    if lock::try_lock(&file) && lock::has_name(&file) {
        return Ok(file);
    }
    // The error on which the builder tries another name.
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Removes the temporary files that killed programs have left in a folder. Failures are ignored, because the user did
/// not ask for the removal.
pub(super) fn remove_abandoned(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(is_temporary_name);
        // A link or a pipe with such a name is not ours; to open a pipe could take for ever.
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

/// Advisory locks, which end with the process that has them, however it ends.
#[cfg(unix)]
mod lock {
    use std::fs::File;
    use std::os::unix::fs::MetadataExt;

    use rustix::fs::{FlockOperation, flock};
    use rustix::io::Errno;

    /// Locks a file of this process; false if another process has locked it. Where a file system has no locks, no
    /// process takes a file for abandoned, and none needs a lock.
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

/// Without locks nothing is known of a temporary file, and all stay.
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
