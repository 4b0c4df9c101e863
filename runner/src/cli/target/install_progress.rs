//! The progress of an installation on standard error.

use std::io::IsTerminal;
use std::mem::{Discriminant, discriminant};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use skewer_targets::installed::{InstallProgress, Installable, Tool};

use crate::cli::output;

/// The progress of one installation: a line that changes on a terminal, else a line for each phase.
pub(super) struct ProgressDisplay {
    program: Installable,
    /// `None` if standard error is no terminal.
    bar: Option<ProgressBar>,
    phase: Option<Discriminant<InstallProgress>>,
}

impl ProgressDisplay {
    pub(super) fn new(program: Installable) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix}: {wide_msg} {elapsed:>4}") {
                bar.set_style(style);
            }
            bar.set_prefix(program.target());
            // The elapsed time changes while one package is compiled.
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        ProgressDisplay { program, bar, phase: None }
    }

    pub(super) fn show(&mut self, progress: InstallProgress) {
        let phase = describe_phase(self.program.tool(), progress);
        if let Some(bar) = &self.bar {
            bar.set_message(match progress {
                InstallProgress::Downloading { count } | InstallProgress::Compiling { count } => {
                    format!("{phase}, {count} so far")
                }
                _ => phase,
            });
            return;
        }
        let discriminant = discriminant(&progress);
        if self.phase.replace(discriminant) != Some(discriminant) {
            output::error(&format!("{}: {phase}", self.program.target()));
        }
    }

    pub(super) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn describe_phase(tool: Tool, progress: InstallProgress) -> String {
    match (progress, tool) {
        (InstallProgress::Preparing, _) => format!("looking for {}", tool.downloads()),
        (InstallProgress::Downloading { .. }, _) => format!("downloading {}", tool.downloads()),
        (InstallProgress::Compiling { .. }, Tool::Go) => "compiling packages".to_owned(),
        (InstallProgress::Compiling { .. }, Tool::Cargo) => "compiling crates".to_owned(),
        (InstallProgress::Compiling { .. }, Tool::Python) => "unpacking packages".to_owned(),
        (InstallProgress::Compiling { .. }, Tool::Maven) => "compiling".to_owned(),
        (InstallProgress::Checking, _) => "checking the program".to_owned(),
    }
}
