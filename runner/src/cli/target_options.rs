//! Arguments that say which implementation is run.

use std::time::Duration;

use clap::Args;

use super::{Failure, Result};
use crate::exit::Exit;
use crate::targets::{ExecOptions, Target, TargetSpec};

/// Which target, and how it is run.
#[derive(Debug, Args)]
pub(super) struct TargetArguments {
    /// The implementation to test: builtin (our own engine), exec:COMMAND, a program that speaks the adapter
    /// protocol (runner/adapters/PROTOCOL.md), or kubectl, which applies patches to built-in types.
    #[arg(long, value_name = "TARGET", default_value_t)]
    target: TargetSpec,
    #[command(flatten)]
    options: TargetOptions,
}

/// How a target is run.
#[derive(Debug, Args)]
pub(super) struct TargetOptions {
    /// How long the target may take for one request.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    timeout: Duration,
    /// How many processes of the target run at most; one for each thread when left out.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    processes: Option<u16>,
}

impl TargetOptions {
    /// Makes a target ready for this many threads; without a number, for all processors.
    pub(super) fn open(&self, target: &TargetSpec, threads: Option<usize>) -> Result<Box<dyn Target>> {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.filter(|threads| *threads > 0).unwrap_or(processors);
        // More processes than processors would only wait for each other.
        let processes = self.processes.map_or(threads.min(processors), usize::from);
        let options = ExecOptions { timeout: self.timeout, processes };
        target.open(&options).map_err(|error| Failure::new(Exit::TargetFailed, error.to_string()))
    }
}

impl TargetArguments {
    /// Makes the target ready for this many threads; without a number, for all processors.
    pub(super) fn open(&self, threads: Option<usize>) -> Result<Box<dyn Target>> {
        self.options.open(&self.target, threads)
    }

    /// The target as the user names it.
    pub(super) fn spec(&self) -> &TargetSpec {
        &self.target
    }

    /// What a command line needs to name the same target again.
    pub(super) fn rerun(&self) -> String {
        if self.target == TargetSpec::BuiltIn {
            return String::new();
        }
        format!(" --target '{}'", self.target.to_string().replace('\'', r"'\''"))
    }
}

fn seconds(text: &str) -> std::result::Result<Duration, String> {
    text.parse()
        .ok()
        .filter(|seconds: &f64| *seconds > 0.0)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "expected a number of seconds above 0".to_owned())
}
