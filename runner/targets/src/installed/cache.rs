//! The folder of the installed programs.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::installable::Installable;
use super::sources::fingerprint;

/// The folder of the installed programs.
///
/// It is `targets` below `$SKEWER_CACHE_DIR`, else below `$XDG_CACHE_HOME/skewer`, else below `~/.cache/skewer`. A
/// program is a file, or a folder with a command in it. Its name has that of the target and a hash of the sources:
/// `apiserver-1.28-0123456789abcdef`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    folder: PathBuf,
}

/// Whether a program is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallState {
    /// The program is not there.
    NotInstalled,
    /// There is only a program that another version of Skewer built from other sources.
    Outdated {
        /// Size of the program, in bytes.
        bytes: u64,
    },
    /// There is a program of the current sources.
    Installed {
        /// Size of the program, in bytes.
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

    /// Returns the path of a program, built from the current sources. It need not exist.
    #[must_use]
    pub fn path(&self, program: Installable) -> PathBuf {
        self.folder.join(format!("{}{}", name_prefix(program), fingerprint(program)))
    }

    /// Tells whether a program is installed.
    ///
    /// # Errors
    /// Fails if the folder exists and cannot be read.
    pub fn state(&self, program: Installable) -> io::Result<InstallState> {
        let current = self.path(program);
        let mut state = InstallState::NotInstalled;
        for path in self.paths(program)? {
            let bytes = size(&path)?;
            if path == current {
                return Ok(InstallState::Installed { bytes });
            }
            state = InstallState::Outdated { bytes };
        }
        Ok(state)
    }

    /// Removes a program in all its versions, and the folder if it is empty then. Returns the number of removed bytes,
    /// or `None` if the program was not there.
    ///
    /// # Errors
    /// Fails if a file cannot be removed.
    pub fn remove(&self, program: Installable) -> io::Result<Option<u64>> {
        let mut removed = None;
        for path in self.paths(program)? {
            let bytes = size(&path)?;
            remove(&path)?;
            removed = Some(removed.unwrap_or(0) + bytes);
        }
        self.remove_folder_if_empty();
        Ok(removed)
    }

    /// Moves a new program to its place, and removes all others of its target. Returns its size, in bytes.
    ///
    /// # Errors
    /// Errors of the file system.
    pub(super) fn put(&self, program: Installable, built: &Path) -> io::Result<u64> {
        let path = self.path(program);
        if path.is_dir() {
            // A folder cannot replace another one.
            remove(&path)?;
        }
        fs::rename(built, &path)?;
        self.paths(program)?.iter().filter(|other| **other != path).try_for_each(|path| remove(path))?;
        size(&path)
    }

    /// Removes the folder, and the one around it, if they are empty.
    pub(super) fn remove_folder_if_empty(&self) {
        // The system refuses to remove a folder with content.
        if fs::remove_dir(&self.folder).is_ok() {
            let _ = self.folder.parent().map(fs::remove_dir);
        }
    }

    /// Returns the paths of a program in all its versions.
    fn paths(&self, program: Installable) -> io::Result<Vec<PathBuf>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let prefix = name_prefix(program);
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

/// Returns the size of a file, or of all files in a folder.
fn size(path: &Path) -> io::Result<u64> {
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_dir() {
        return Ok(metadata.len());
    }
    fs::read_dir(path)?.try_fold(0, |sum, entry| Ok(sum + size(&entry?.path())?))
}

fn remove(path: &Path) -> io::Result<()> {
    if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

fn name_prefix(program: Installable) -> String {
    format!("{}-", program.target().replace(':', "-"))
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

    fn program(target: &str) -> Installable {
        Installable::all().find(|program| program.target() == target).unwrap()
    }

    #[test]
    fn the_state_tells_outdated_programs_and_only_those_of_the_target() {
        let root = tempfile::tempdir().unwrap();
        let cache = Cache { folder: root.path().join("cache/targets") };
        let (of_22, of_28) = (program("apiserver:1.22"), program("apiserver:1.28"));
        assert_eq!(cache.state(of_28).unwrap(), InstallState::NotInstalled);
        assert_eq!(cache.remove(of_28).unwrap(), None);

        fs::create_dir_all(cache.folder()).unwrap();
        let outdated = cache.folder().join("apiserver-1.28-0123456789abcdef");
        fs::write(&outdated, "old").unwrap();
        let other = cache.folder().join("apiserver-1.28-notes");
        fs::write(&other, "of the user").unwrap();
        assert_eq!(cache.state(of_28).unwrap(), InstallState::Outdated { bytes: 3 });
        assert_eq!(cache.state(of_22).unwrap(), InstallState::NotInstalled);

        let built = cache.folder().join("built");
        fs::write(cache.path(of_22), "22").unwrap();
        fs::write(&built, "new one").unwrap();
        assert_eq!(cache.put(of_28, &built).unwrap(), 7);
        assert_eq!(cache.state(of_28).unwrap(), InstallState::Installed { bytes: 7 });
        assert!(!outdated.exists() && cache.path(of_28).exists());

        assert_eq!(cache.remove(of_28).unwrap(), Some(7));
        assert!(cache.path(of_22).exists() && other.exists());
        fs::remove_file(other).unwrap();
        assert_eq!(cache.remove(of_22).unwrap(), Some(2));
        assert!(root.path().exists() && !root.path().join("cache").exists());
    }

    #[test]
    fn a_program_can_be_a_folder() {
        let root = tempfile::tempdir().unwrap();
        let cache = Cache { folder: root.path().join("targets") };
        let (oper8, kyaml) = (program("oper8"), program("kyaml"));
        for content in ["12", "123"] {
            let built = cache.folder().join("built");
            fs::create_dir_all(built.join("bin")).unwrap();
            fs::write(built.join("bin/command"), content).unwrap();
            assert_eq!(cache.put(oper8, &built).unwrap(), content.len() as u64);
        }
        assert_eq!(cache.state(oper8).unwrap(), InstallState::Installed { bytes: 3 });
        // `kyaml-append` begins with `kyaml-`, and is another program.
        fs::write(cache.path(program("kyaml:append")), "").unwrap();
        assert_eq!(cache.state(kyaml).unwrap(), InstallState::NotInstalled);
        assert_eq!(cache.remove(oper8).unwrap(), Some(3));
        assert_eq!(cache.remove(kyaml).unwrap(), None);
    }
}
