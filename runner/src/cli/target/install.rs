//! `skewer target install`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::Args;
use skewer_targets::installed::{
    Cache, InstallError, InstallPlan, InstallState, Installable, Tool, Toolchain, install as install_program,
};

use super::install_plan::describe_plan;
use super::install_progress::ProgressDisplay;
use super::selection::{ProgramSelection, cache_failure, locate_cache, megabytes, selected};
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::{interrupt, output};

/// The arguments of `skewer target install`.
#[derive(Debug, Args)]
pub(super) struct InstallArguments {
    /// Targets to install, as `skewer target list` names them: apiserver:1.28 or kyaml, for example. `all` are the
    /// releases of apiserver, `implementations` the adapters of other implementations, and `clients` those of tools that
    /// apply manifests.
    #[arg(value_name = "TARGET", required = true)]
    targets: Vec<ProgramSelection>,
    /// Print what would be downloaded and built, and end.
    #[arg(long)]
    dry_run: bool,
    /// Build targets again that are installed.
    #[arg(long)]
    force: bool,
    /// Leave out targets that need a tool which is not installed (go, cargo, python3), instead of failing.
    #[arg(long)]
    skip_missing_tools: bool,
}

pub(super) fn install(arguments: &InstallArguments) -> Result {
    let stop = interrupt::watch_signals()?;
    let cache = locate_cache()?;
    let mut programs = Vec::new();
    for program in selected(&arguments.targets) {
        match cache.state(program).map_err(|error| cache_failure(&cache, &error))? {
            InstallState::Installed { bytes } if !arguments.force => {
                output::print(&format!(
                    "{} is installed and current ({}): {}\n",
                    program.target(),
                    megabytes(bytes),
                    cache.path(program).display()
                ))?;
            }
            _ => programs.push(program),
        }
    }
    let builds = arguments.find_toolchains(programs, &stop)?;
    for Build { program, toolchain } in &builds {
        let plan = InstallPlan::new(*program, &cache, toolchain);
        output::print(&format!("{}\n", describe_plan(&plan)))?;
    }
    if arguments.dry_run {
        return Ok(Exit::Ok);
    }
    for build in &builds {
        build.run(&cache, &stop)?;
    }
    Ok(Exit::Ok)
}

/// A program to build, and the tool that builds it.
struct Build {
    program: Installable,
    toolchain: Toolchain,
}

/// A tool, or the reason why its programs are skipped.
type FoundTool = std::result::Result<Toolchain, String>;

impl InstallArguments {
    /// Finds the tools that build some programs. Nothing is built if one is missing, unless its programs are skipped.
    fn find_toolchains(&self, programs: Vec<Installable>, stop: &AtomicBool) -> Result<Vec<Build>> {
        let mut found: Vec<(Tool, FoundTool)> = Vec::new();
        let mut builds = Vec::new();
        for program in programs {
            let known = found.iter().find(|(tool, _)| *tool == program.tool());
            let toolchain = match known {
                Some((_, toolchain)) => toolchain.clone(),
                None => self.find_toolchain(program, stop)?,
            };
            found.push((program.tool(), toolchain.clone()));
            match toolchain {
                Ok(toolchain) => {
                    toolchain.check_version(program).map_err(|error| failure(&error))?;
                    builds.push(Build { program, toolchain });
                }
                Err(why) => output::error(&format!("skipped {}: {why}", program.target())),
            }
        }
        Ok(builds)
    }

    fn find_toolchain(&self, program: Installable, stop: &AtomicBool) -> Result<FoundTool> {
        match Toolchain::find(program.tool()) {
            Ok(toolchain) => Ok(Ok(toolchain)),
            Err(_) if stop.load(Ordering::Relaxed) => {
                Err(failure(&InstallError::Interrupted { target: program.target() }))
            }
            Err(error @ InstallError::ToolNotFound { .. }) if self.skip_missing_tools => {
                Ok(Err(error.to_string()))
            }
            Err(error) => Err(Failure::new(exit_code(&error), format!("{}: {error}", program.target()))),
        }
    }
}

fn failure(error: &InstallError) -> Failure {
    Failure::new(exit_code(error), error.to_string())
}

fn exit_code(error: &InstallError) -> Exit {
    match error {
        InstallError::Interrupted { .. } => Exit::Interrupted,
        InstallError::CommandFailed { .. } | InstallError::BrokenProgram { .. } => Exit::TargetFailed,
        InstallError::NoSources { .. }
        | InstallError::ToolNotFound { .. }
        | InstallError::ToolTooOld { .. }
        | InstallError::File { .. } => Exit::CouldNotRun,
    }
}

impl Build {
    fn run(&self, cache: &Cache, stop: &AtomicBool) -> Result<()> {
        let started = Instant::now();
        let mut display = ProgressDisplay::new(self.program);
        let installed = install_program(self.program, cache, &self.toolchain, stop, &mut |progress| {
            display.show(progress);
        });
        display.clear();
        let bytes = installed.map_err(|error| failure(&error))?;
        output::print(&format!(
            "installed {0} ({1}) in {2} s: `skewer target check {0}` tries it\n",
            self.program.target(),
            megabytes(bytes),
            started.elapsed().as_secs()
        ))
    }
}
