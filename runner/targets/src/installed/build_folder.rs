//! The temporary folder of a build.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use tempfile::TempDir;

const PREFIX: &str = ".build-";

/// A temporary folder in the folder of the installed binaries. It is removed when the value is dropped.
///
/// It is on the same file system as the binaries, so that a finished binary can be renamed into place. A program that
/// is killed with SIGKILL leaves its folder behind. The next build removes it: the folder is no longer locked.
#[derive(Debug)]
pub(super) struct BuildFolder {
    folder: TempDir,
    /// The open folder, which holds the lock.
    _lock: File,
}

impl BuildFolder {
    /// Creates a folder in `parent`, and removes the folders that killed programs have left there.
    ///
    /// # Errors
    /// Errors of the file system.
    pub(super) fn create(parent: &Path) -> io::Result<Self> {
        fs::create_dir_all(parent)?;
        remove_abandoned(parent);
        loop {
            let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
            let lock = File::open(folder.path())?;
            // File systems without locks are accepted: `remove_abandoned` removes nothing there.
            let _ = flock(&lock, FlockOperation::NonBlockingLockExclusive);
            // Before it was locked, the folder looked abandoned, and another program may have removed it.
            if folder.path().exists() {
                return Ok(BuildFolder { folder, _lock: lock });
            }
        }
    }

    /// Returns the path of the folder.
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for BuildFolder {
    fn drop(&mut self) {
        const TRIES: u32 = 20;
        // Compilers that were killed may create a last file while the folder is removed.
        for _ in 0..TRIES {
            if fs::remove_dir_all(self.path()).is_ok() || !self.path().exists() {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Removes the folders that no program has locked. Failures are ignored, because the user did not ask for the removal.
fn remove_abandoned(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        if !is_ours || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let is_abandoned = File::open(entry.path())
            .is_ok_and(|folder| flock(&folder, FlockOperation::NonBlockingLockExclusive).is_ok());
        if is_abandoned {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_removed_with_its_content() {
        let parent = tempfile::tempdir().unwrap();
        let folder = BuildFolder::create(parent.path()).unwrap();
        fs::create_dir(folder.path().join("sources")).unwrap();
        fs::write(folder.path().join("sources/main.go"), "x").unwrap();
        drop(folder);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn only_abandoned_folders_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let in_use = BuildFolder::create(parent.path()).unwrap();
        let abandoned = parent.path().join(".build-abandoned");
        fs::create_dir(&abandoned).unwrap();
        let other = parent.path().join("other");
        fs::create_dir(&other).unwrap();
        drop(BuildFolder::create(parent.path()).unwrap());
        assert!(in_use.path().exists() && other.exists() && !abandoned.exists());
    }
}
