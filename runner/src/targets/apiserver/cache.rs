//! The folder of the installed binaries.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::release::Release;
use super::sources::fingerprint;

/// The folder of the installed binaries.
///
/// It is `targets` below `$SKEWER_CACHE_DIR`, else below `$XDG_CACHE_HOME/skewer`, else below `~/.cache/skewer`. The
/// name of a binary has the release and a hash of the sources: `apiserver-1.28-0123456789abcdef`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    folder: PathBuf,
}

/// Whether a release is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallState {
    /// There is no binary of the release.
    NotInstalled,
    /// There is only a binary that another version of Skewer built from other sources.
    Outdated {
        /// Size of the binary, in bytes.
        bytes: u64,
    },
    /// There is a binary of the current sources.
    Installed {
        /// Size of the binary, in bytes.
        bytes: u64,
    },
}

impl Cache {
    /// Finds the folder. It need not exist.
    ///
    /// # Errors
    /// Fails if no variable names a folder.
    pub fn locate() -> Result<Self, String> {
        Self::from_variables(|name| env::var_os(name))
    }

    fn from_variables(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, String> {
        let path = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        // The base directory specification of XDG says that relative paths are invalid and must be ignored.
        let absolute = |name| path(name).filter(|path| path.is_absolute());
        let root = path("SKEWER_CACHE_DIR")
            .or_else(|| absolute("XDG_CACHE_HOME").map(|cache| cache.join("skewer")))
            .or_else(|| absolute("HOME").map(|home| home.join(".cache/skewer")))
            .ok_or("no folder for installed targets: set SKEWER_CACHE_DIR, XDG_CACHE_HOME or HOME")?;
        let root = std::path::absolute(&root).map_err(|error| format!("{}: {error}", root.display()))?;
        Ok(Cache { folder: root.join("targets") })
    }

    /// Returns the path of the folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the path of the binary of a release, built from the current sources. It need not exist.
    #[must_use]
    pub fn binary(&self, release: Release) -> PathBuf {
        self.folder.join(format!("{}{}", name_prefix(release), fingerprint(release)))
    }

    /// Tells whether a release is installed.
    ///
    /// # Errors
    /// Fails if the folder exists and cannot be read.
    pub fn state(&self, release: Release) -> io::Result<InstallState> {
        let binary = self.binary(release);
        let mut state = InstallState::NotInstalled;
        for path in self.binaries(release)? {
            let bytes = fs::metadata(&path)?.len();
            if path == binary {
                return Ok(InstallState::Installed { bytes });
            }
            state = InstallState::Outdated { bytes };
        }
        Ok(state)
    }

    /// Removes all binaries of a release, and the folder if it is empty then. Returns the number of removed bytes, or
    /// `None` if there was no binary.
    ///
    /// # Errors
    /// Fails if a binary cannot be removed.
    pub fn remove(&self, release: Release) -> io::Result<Option<u64>> {
        let mut removed = None;
        for path in self.binaries(release)? {
            let bytes = fs::metadata(&path)?.len();
            fs::remove_file(&path)?;
            removed = Some(removed.unwrap_or(0) + bytes);
        }
        self.remove_folder_if_empty();
        Ok(removed)
    }

    /// Removes the binaries of a release that were built from other sources.
    pub(super) fn remove_outdated(&self, release: Release) -> io::Result<()> {
        let current = self.binary(release);
        self.binaries(release)?.into_iter().filter(|path| *path != current).try_for_each(fs::remove_file)
    }

    /// Removes the folder, and the one around it, if they are empty.
    pub(super) fn remove_folder_if_empty(&self) {
        // The system refuses to remove a folder with content.
        if fs::remove_dir(&self.folder).is_ok() {
            let _ = self.folder.parent().map(fs::remove_dir);
        }
    }

    /// Returns the paths of all binaries of a release.
    fn binaries(&self, release: Release) -> io::Result<Vec<PathBuf>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let prefix = name_prefix(release);
        let mut paths = Vec::new();
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            if name.to_str().and_then(|name| name.strip_prefix(&prefix)).is_some_and(is_fingerprint) {
                paths.push(entry.path());
            }
        }
        Ok(paths)
    }
}

fn name_prefix(release: Release) -> String {
    format!("{}-{release}-", release.program().name())
}

fn is_fingerprint(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(&[("SKEWER_CACHE_DIR", "/s"), ("XDG_CACHE_HOME", "/x"), ("HOME", "/h")], Some("/s/targets"))]
    #[case(&[("XDG_CACHE_HOME", "/x"), ("HOME", "/h")], Some("/x/skewer/targets"))]
    #[case(&[("HOME", "/h")], Some("/h/.cache/skewer/targets"))]
    #[case::an_empty_variable(&[("SKEWER_CACHE_DIR", ""), ("HOME", "/h")], Some("/h/.cache/skewer/targets"))]
    #[case::a_relative_xdg_folder(&[("XDG_CACHE_HOME", "x"), ("HOME", "/h")], Some("/h/.cache/skewer/targets"))]
    #[case(&[], None)]
    fn the_folder_is_found(#[case] variables: &[(&str, &str)], #[case] expected: Option<&str>) {
        let variable =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
        let cache = Cache::from_variables(variable);
        assert_eq!(cache.as_ref().ok().map(Cache::folder), expected.map(Path::new), "{cache:?}");
    }

    #[test]
    fn a_relative_folder_of_the_user_is_made_absolute() {
        let cache = Cache::from_variables(|name| (name == "SKEWER_CACHE_DIR").then(|| "x".into())).unwrap();
        assert_eq!(cache.folder(), env::current_dir().unwrap().join("x/targets"));
    }

    fn release(text: &str) -> Release {
        text.parse().unwrap()
    }

    #[test]
    fn the_state_tells_outdated_binaries_and_only_those_of_the_release() {
        let root = tempfile::tempdir().unwrap();
        let cache = Cache { folder: root.path().join("cache/targets") };
        let (of_22, of_28) = (release("1.22"), release("1.28"));
        assert_eq!(cache.state(of_28).unwrap(), InstallState::NotInstalled);
        assert_eq!(cache.remove(of_28).unwrap(), None);

        fs::create_dir_all(cache.folder()).unwrap();
        let outdated = cache.folder().join("apiserver-1.28-0123456789abcdef");
        fs::write(&outdated, "old").unwrap();
        let other = cache.folder().join("apiserver-1.28-notes");
        fs::write(&other, "of the user").unwrap();
        assert_eq!(cache.state(of_28).unwrap(), InstallState::Outdated { bytes: 3 });
        assert_eq!(cache.state(of_22).unwrap(), InstallState::NotInstalled);

        fs::write(cache.binary(of_28), "new one").unwrap();
        fs::write(cache.binary(of_22), "22").unwrap();
        assert_eq!(cache.state(of_28).unwrap(), InstallState::Installed { bytes: 7 });
        cache.remove_outdated(of_28).unwrap();
        assert!(!outdated.exists() && cache.binary(of_28).exists());

        assert_eq!(cache.remove(of_28).unwrap(), Some(7));
        assert!(cache.binary(of_22).exists() && other.exists());
        fs::remove_file(other).unwrap();
        assert_eq!(cache.remove(of_22).unwrap(), Some(2));
        assert!(root.path().exists() && !root.path().join("cache").exists());
    }
}
