//! The arguments that select and configure the target.

use std::time::Duration;

use clap::Args;
use skewer_reports as reports;

use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::interrupt;
use crate::targets::{ExecOptions, Target, TargetSpec};

/// The target, and its process options.
#[derive(Debug, Args)]
pub(in crate::cli) struct TargetArguments {
    /// Implementation under test: builtin (the built-in engine), kubectl (which applies patches to built-in types),
    /// apiserver:R (the request handlers of Kubernetes release R, such as 1.28; `skewer target install` builds them),
    /// or exec:COMMAND (a program that speaks the adapter protocol, see runner/adapters/PROTOCOL.md).
    #[arg(long, value_name = "TARGET", default_value_t)]
    target: TargetSpec,
    #[command(flatten)]
    options: TargetProcessOptions,
}

/// The options for the processes of a target.
#[derive(Debug, Args)]
pub(in crate::cli) struct TargetProcessOptions {
    /// Time limit for one request to the target.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = parse_seconds)]
    timeout: Duration,
    /// Maximum number of processes of the target. Never more than threads. Default: one for each processor.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    processes: Option<u16>,
}

impl TargetProcessOptions {
    /// Starts a target for a number of concurrent threads.
    pub(in crate::cli) fn open(&self, target: &TargetSpec, threads: usize) -> Result<Box<dyn Target>> {
        if *target != TargetSpec::BuiltIn {
            interrupt::end_targets_with_program()?;
        }
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        // Processes beyond the number of processors would compete, and those beyond the number of threads would be
        // idle.
        let processes = self.processes.map_or(processors, usize::from).min(threads);
        let options = ExecOptions { timeout: self.timeout, processes };
        target.open(&options).map_err(|error| Failure::new(Exit::TargetFailed, error.to_string()))
    }
}

impl TargetArguments {
    /// Starts the target for a number of concurrent threads.
    pub(in crate::cli) fn open(&self, threads: usize) -> Result<Box<dyn Target>> {
        self.options.open(&self.target, threads)
    }

    /// Returns the target as the user named it.
    pub(in crate::cli) fn spec(&self) -> &TargetSpec {
        &self.target
    }

    /// Returns the command line option that selects the same target. It is empty for the default target.
    pub(in crate::cli) fn rerun_option(&self) -> String {
        if self.target == TargetSpec::BuiltIn {
            return String::new();
        }
        format!(" --target '{}'", self.target.to_string().replace('\'', r"'\''"))
    }
}

/// Returns the name and version of the target for reports.
pub(in crate::cli) fn reported_target(target: &dyn Target) -> reports::Target {
    let info = target.info();
    reports::Target { name: info.name, version: info.version, language: info.language }
}

fn parse_seconds(text: &str) -> std::result::Result<Duration, String> {
    text.parse()
        .ok()
        .filter(|seconds: &f64| *seconds > 0.0)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "expected a number of seconds greater than 0".to_owned())
}
