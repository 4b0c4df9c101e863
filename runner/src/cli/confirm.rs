//! The servers of `--confirm`.

use std::time::Duration;

use skewer_execute::targets::{ExecOptions, LiveTarget, Target, TargetSpec};

use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::interrupt;

/// Starts the servers that confirm what the simulation says.
pub(super) fn open_servers(target: &TargetSpec) -> Result<Box<dyn Target>> {
    const TIMEOUT: Duration = Duration::from_secs(30);
    if !matches!(target, TargetSpec::Kube(_)) {
        let message = format!(
            "--confirm {target}: expected {}, an API server that keeps objects",
            LiveTarget::NAME_FORM
        );
        return Err(Failure::could_not_run(message));
    }
    interrupt::end_targets_with_program()?;
    let options = ExecOptions::new(TIMEOUT, 1);
    target.open(&options).map_err(|error| Failure::new(Exit::TargetFailed, error.to_string()))
}
