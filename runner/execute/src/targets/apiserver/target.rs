//! The target `apiserver:R`: an installed program, run as an adapter.

use skewer_skew::{Operation, Operations};

use super::super::installed::{Installable, installed_program, open_program};
use super::super::{ExecOptions, ExecTarget, Target, TargetError, TargetFailure, TargetInfo};
use super::release::Release;

/// The request handlers of a Kubernetes release.
#[derive(Debug)]
pub struct ApiServerTarget {
    release: Release,
    adapter: ExecTarget,
}

impl ApiServerTarget {
    /// Starts the installed program of a release.
    ///
    /// # Errors
    /// Fails if no program of the current sources is installed, or if it cannot be started.
    pub fn open(release: Release, options: &ExecOptions) -> Result<Self, TargetError> {
        let program = Installable::Server(release);
        let adapter = open_program(program, &installed_program(program)?, options)?;
        Ok(ApiServerTarget { release, adapter })
    }
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
        let release = "1.28".parse().unwrap();
        let adapter = open_program(Installable::Server(release), &binary, &options).unwrap();
        let target = ApiServerTarget { release, adapter };
        assert_eq!(target.info().version.as_deref(), Some("1.28.15"));
        assert_eq!(target.kubernetes_release(), Some(28));
    }
}
