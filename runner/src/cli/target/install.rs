//! `skewer target install`.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::selection::{ReleaseSelection, cache_failure, locate_cache, megabytes, selected};
use crate::cli::exit::Exit;
use crate::cli::failure::{Failure, Result};
use crate::cli::{interrupt, output};
use crate::targets::apiserver::{
    Cache, Go, InstallError, InstallPlan, InstallProgress, InstallState, Program, Release,
    install as install_release,
};

/// The arguments of `skewer target install`.
#[derive(Debug, Args)]
pub(super) struct InstallArguments {
    /// Releases to install: apiserver:1.28, for example, or all.
    #[arg(value_name = "TARGET", required = true)]
    targets: Vec<ReleaseSelection>,
    /// Print what would be downloaded and built, and end.
    #[arg(long)]
    dry_run: bool,
    /// Build releases again that are installed.
    #[arg(long)]
    force: bool,
}

/// Runs the command.
pub(super) fn install(arguments: &InstallArguments) -> Result {
    let stop = interrupt::watch_signals()?;
    let cache = locate_cache()?;
    let mut releases = Vec::new();
    for release in selected(&arguments.targets) {
        match cache.state(release).map_err(|error| cache_failure(&cache, &error))? {
            InstallState::Installed { bytes } if !arguments.force => {
                let path = cache.binary(release);
                output::print(&format!(
                    "{} is installed and current ({}): {}\n",
                    release.target(),
                    megabytes(bytes),
                    path.display()
                ))?;
            }
            _ => releases.push(release),
        }
    }
    let Some(first) = releases.first() else { return Ok(Exit::Ok) };
    let interrupted = |error| {
        if stop.load(Ordering::Relaxed) { InstallError::Interrupted { release: *first } } else { error }
    };
    let go = Go::find().map_err(|error| failure(&interrupted(error)))?;
    for release in &releases {
        go.check_version(*release).map_err(|error| failure(&error))?;
    }
    output::print(&describe_plans(&releases, &cache, &go))?;
    if arguments.dry_run {
        return Ok(Exit::Ok);
    }
    for release in releases {
        install_one(release, &cache, &go, &stop)?;
    }
    Ok(Exit::Ok)
}

fn failure(error: &InstallError) -> Failure {
    let exit = match error {
        InstallError::Interrupted { .. } => Exit::Interrupted,
        InstallError::GoFailed { .. } | InstallError::BrokenBinary { .. } => Exit::TargetFailed,
        InstallError::GoNotFound { .. } | InstallError::GoTooOld { .. } | InstallError::File { .. } => {
            Exit::CouldNotRun
        }
    };
    Failure::new(exit, error.to_string())
}

fn describe_plans(releases: &[Release], cache: &Cache, go: &Go) -> String {
    releases.iter().fold(String::new(), |mut text, release| {
        let _ = writeln!(text, "{}", describe_plan(*release, &InstallPlan::new(*release, cache, go)));
        text
    })
}

/// What a program needs. The numbers were measured with Go 1.26; the READMEs of `runner/adapters/apiserver` and
/// `runner/adapters/kube` have more.
struct Needs {
    modules: &'static str,
    compile: &'static str,
    install: &'static str,
}

fn needs(program: Program) -> Needs {
    match program {
        Program::Handlers => Needs {
            modules: "50 MB",
            compile: "one to two minutes of processor time",
            install: "30 to 45 MB",
        },
        Program::FullServer => Needs {
            modules: "300 MB",
            compile: "about six minutes of processor time and 2 GB of memory",
            install: "100 to 110 MB",
        },
    }
}

fn describe_plan(release: Release, plan: &InstallPlan) -> String {
    let needs = needs(release.program());
    let download = match plan.missing_modules {
        0 => "nothing: all modules are in Go's module cache".to_owned(),
        missing if missing == plan.modules => {
            format!("all {missing} modules, about {},\nwith GOPROXY={}", needs.modules, plan.proxy)
        }
        missing => {
            format!(
                "up to {missing} of {} modules (all: about {}),\nwith GOPROXY={}",
                plan.modules, needs.modules, plan.proxy
            )
        }
    };
    let rows = [
        ("needs", format!("{} and {} other Go modules", plan.main_module, plan.modules - 1)),
        ("download", download),
        (
            "compile",
            format!("with {}: {},\nor seconds if Go's build cache has the packages", plan.go, needs.compile),
        ),
        ("install", format!("{} as\n{}", needs.install, plan.binary.display())),
    ];
    rows.into_iter().fold(format!("{}\n", release.target()), |mut text, (name, value)| {
        let _ = writeln!(text, "  {name:10}{}", value.replace('\n', "\n            "));
        text
    })
}

fn install_one(release: Release, cache: &Cache, go: &Go, stop: &AtomicBool) -> Result<()> {
    let started = Instant::now();
    let mut display = ProgressDisplay::new(release);
    let installed = install_release(release, cache, go, stop, &mut |progress| display.show(progress));
    display.clear();
    let bytes = installed.map_err(|error| failure(&error))?;
    output::print(&format!(
        "installed {0} ({1}) in {2} s: `skewer target check {0}` tries it\n",
        release.target(),
        megabytes(bytes),
        started.elapsed().as_secs()
    ))
}

/// The progress of one release on standard error: a line that changes on a terminal, else a line for each phase.
struct ProgressDisplay {
    release: Release,
    /// `None` if standard error is no terminal.
    bar: Option<ProgressBar>,
    phase: Option<std::mem::Discriminant<InstallProgress>>,
}

impl ProgressDisplay {
    fn new(release: Release) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix}: {wide_msg} {elapsed:>4}") {
                bar.set_style(style);
            }
            bar.set_prefix(release.target());
            // The elapsed time changes while one package is compiled.
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        ProgressDisplay { release, bar, phase: None }
    }

    fn show(&mut self, progress: InstallProgress) {
        if let Some(bar) = &self.bar {
            bar.set_message(describe_progress(progress));
            return;
        }
        let phase = std::mem::discriminant(&progress);
        if self.phase.replace(phase) != Some(phase) {
            output::error(&format!("{}: {}", self.release.target(), describe_phase(progress)));
        }
    }

    fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn describe_progress(progress: InstallProgress) -> String {
    match progress {
        InstallProgress::Downloading { modules, of } => format!("downloading modules, {modules}/{of}"),
        InstallProgress::Compiling { packages, of } => format!("compiling packages, {packages}/{of}"),
        InstallProgress::FindingModules | InstallProgress::Linking | InstallProgress::Checking => {
            describe_phase(progress).to_owned()
        }
    }
}

fn describe_phase(progress: InstallProgress) -> &'static str {
    match progress {
        InstallProgress::FindingModules => "looking for modules",
        InstallProgress::Downloading { .. } => "downloading modules",
        InstallProgress::Compiling { .. } => "compiling packages",
        InstallProgress::Linking => "linking",
        InstallProgress::Checking => "checking the binary",
    }
}
