//! The target `apiserver:R`: an installed binary, run as an adapter.

use std::path::{Path, PathBuf};

use skewer_engine::skew::{Operation, Operations};

use super::super::{ExecOptions, ExecTarget, Target, TargetError, TargetFailure, TargetInfo};
use super::cache::{Cache, InstallState};
use super::release::Release;

/// The request handlers of a Kubernetes release.
#[derive(Debug)]
pub struct ApiServerTarget {
    release: Release,
    adapter: ExecTarget,
}

impl ApiServerTarget {
    /// Starts the installed binary of a release.
    ///
    /// # Errors
    /// Fails if no binary of the current sources is installed, or if it cannot be started.
    pub fn open(release: Release, options: &ExecOptions) -> Result<Self, TargetError> {
        let adapter = open_binary(&installed_binary(release)?, options)?;
        Ok(ApiServerTarget { release, adapter })
    }
}

/// Returns the installed binary of a release.
pub(in crate::targets) fn installed_binary(release: Release) -> Result<PathBuf, TargetError> {
    let cache = Cache::locate().map_err(TargetError::new)?;
    let state = cache
        .state(release)
        .map_err(|error| TargetError::new(format!("{}: {error}", cache.folder().display())))?;
    let problem = match state {
        InstallState::Installed { .. } => return Ok(cache.binary(release)),
        InstallState::Outdated { .. } => "was installed by another version of Skewer and is outdated",
        InstallState::NotInstalled => "is not installed",
    };
    Err(TargetError::new(format!("{0} {problem}: run `skewer target install {0}`", release.target())))
}

/// Starts a binary as an adapter.
pub(super) fn open_binary(binary: &Path, options: &ExecOptions) -> Result<ExecTarget, TargetError> {
    let path = binary.to_str().and_then(|path| shlex::try_quote(path).ok());
    let command = path.ok_or_else(|| {
        TargetError::new(format!("expected a path of valid UTF-8, but got {}", binary.display()))
    })?;
    ExecTarget::open(&command, options)
}

impl Target for ApiServerTarget {
    fn info(&self) -> TargetInfo {
        self.adapter.info()
    }

    fn operations(&self) -> &(dyn Operations<TargetFailure> + Sync) {
        self.adapter.operations()
    }

    fn has_lossy_floats(&self, operation: &Operation<'_>) -> bool {
        self.adapter.has_lossy_floats(operation)
    }

    fn is_cheap_to_rerun(&self) -> bool {
        self.adapter.is_cheap_to_rerun()
    }

    fn performs_server_steps(&self) -> bool {
        self.adapter.performs_server_steps()
    }

    fn can_read_types(&self) -> bool {
        self.adapter.can_read_types()
    }

    fn kubernetes_release(&self) -> Option<u32> {
        Some(self.release.minor())
    }

    fn permanent_failure(&self) -> Option<String> {
        self.adapter.permanent_failure()
    }

    fn capabilities(&self) -> Vec<(&'static str, Vec<String>)> {
        self.adapter.capabilities()
    }

    fn stop(&self) {
        self.adapter.stop();
    }

    fn warnings(&self) -> Vec<String> {
        self.adapter.warnings()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_binary_in_any_folder_is_started_and_stands_for_its_release() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("it's a \"folder\" $HOME");
        std::fs::create_dir(&folder).unwrap();
        let binary = folder.join("apiserver-1.28");
        let supports = r#""supports":{"operations":[]}"#;
        let started =
            format!(r#"{{"kind":"started","protocol":1,"name":"x","version":"1.28.15",{supports}}}"#);
        std::fs::write(&binary, format!("#!/bin/sh\nread -r _\necho '{started}'\nread -r _\n")).unwrap();
        std::fs::set_permissions(&binary, std::fs::Permissions::from_mode(0o755)).unwrap();

        let options = ExecOptions { timeout: Duration::from_secs(20), processes: 1 };
        let adapter = open_binary(&binary, &options).unwrap();
        let target = ApiServerTarget { release: "1.28".parse().unwrap(), adapter };
        assert_eq!(target.info().version.as_deref(), Some("1.28.15"));
        assert_eq!(target.kubernetes_release(), Some(28));
    }
}
