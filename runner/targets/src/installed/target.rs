//! Installed programs, run as targets.

use std::path::{Path, PathBuf};

use super::cache::{Cache, InstallState};
use super::installable::Installable;
use crate::{ExecOptions, ExecTarget, TargetError};

/// Returns the path of an installed program.
///
/// # Errors
/// Fails if no program of the current sources is installed.
pub(crate) fn installed_program(program: Installable) -> Result<PathBuf, TargetError> {
    let cache = Cache::locate().map_err(TargetError::new)?;
    let state = cache
        .state(program)
        .map_err(|error| TargetError::new(format!("{}: {error}", cache.folder().display())))?;
    let problem = match state {
        InstallState::Installed { .. } => return Ok(cache.path(program)),
        InstallState::Outdated { .. } => "was installed by another version of Skewer and is outdated",
        InstallState::NotInstalled => "is not installed",
    };
    Err(TargetError::new(format!("{0} {problem}: run `skewer target install {0}`", program.target())))
}

/// Starts an installed program as an adapter.
///
/// # Errors
/// Fails if no program of the current sources is installed, or if it cannot be started.
pub(crate) fn open_installed(program: Installable, options: &ExecOptions) -> Result<ExecTarget, TargetError> {
    open_program(program, &installed_program(program)?, options)
}

/// Starts a program as an adapter. If the path is a folder, the command is in it.
pub(super) fn open_program(
    program: Installable,
    path: &Path,
    options: &ExecOptions,
) -> Result<ExecTarget, TargetError> {
    let path = if path.is_dir() { path.join(program.command_in_folder()) } else { path.to_owned() };
    let quoted = path.to_str().and_then(|path| shlex::try_quote(path).ok());
    let mut command = quoted
        .ok_or_else(|| {
            TargetError::new(format!("expected a path of valid UTF-8, but got {}", path.display()))
        })?
        .into_owned();
    if let Installable::Adapter(adapter) = program {
        for argument in adapter.arguments() {
            command.push(' ');
            command.push_str(argument);
        }
    }
    ExecTarget::open(&command, options)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    use super::*;
    use crate::Target;

    #[test]
    fn a_binary_in_any_folder_is_started_and_stands_for_its_release() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("it's a \"folder\" $HOME");
        std::fs::create_dir(&folder).unwrap();
        let binary = folder.join("apiserver-1.28");
        let supports = r#""supports":{"operations":["request"]}"#;
        let started =
            format!(r#"{{"kind":"started","protocol":1,"name":"x","version":"1.28.15",{supports}}}"#);
        std::fs::write(&binary, format!("#!/bin/sh\nread -r _\necho '{started}'\nread -r _\n")).unwrap();
        std::fs::set_permissions(&binary, std::fs::Permissions::from_mode(0o755)).unwrap();

        let options = ExecOptions::new(Duration::from_secs(20), 1);
        let release = "1.28".parse().unwrap();
        let target = open_program(Installable::Server(release), &binary, &options).unwrap();
        assert_eq!(target.info().version.as_deref(), Some("1.28.15"));
        assert_eq!(target.kubernetes_release(), Some(28));
    }
}
