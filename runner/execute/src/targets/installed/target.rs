//! Installed programs, run as targets.

use std::path::{Path, PathBuf};

use super::super::{ExecOptions, ExecTarget, TargetError};
use super::adapter::Adapter;
use super::cache::{Cache, InstallState};
use super::installable::Installable;

/// Returns the path of an installed program.
///
/// # Errors
/// Fails if no program of the current sources is installed.
pub(in crate::targets) fn installed_program(program: Installable) -> Result<PathBuf, TargetError> {
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

/// Starts an installed adapter.
///
/// # Errors
/// Fails if the adapter is not installed, or cannot be started.
pub(in crate::targets) fn open_adapter(
    adapter: &'static Adapter,
    options: &ExecOptions,
) -> Result<ExecTarget, TargetError> {
    let program = Installable::Adapter(adapter);
    open_program(program, &installed_program(program)?, options)
}

/// Starts a program as an adapter. If the path is a folder, the command is in it.
pub(in crate::targets) fn open_program(
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
