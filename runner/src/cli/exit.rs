//! The exit codes of the command line.

use std::process::ExitCode;

use skewer_reports::ProblemKind;
use skewer_reports::summary::{OverallState, Summary};

/// The exit code of a command. The numbers are part of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Exit {
    /// All good.
    Ok = 0,
    /// A cell failed, no cell of a suite was run, the deviation file is wrong, something got worse, a patch was refused,
    /// patches conflict, or a schema is wrong.
    CellFailed = 1,
    /// The command could not be carried out: bad usage, a bad case file, an unreadable document.
    CouldNotRun = 2,
    /// The target could not be started, or failed for good.
    TargetFailed = 3,
    /// The selection matches no cell.
    NothingSelected = 4,
    /// The run was interrupted (SIGINT, SIGTERM, SIGHUP); what had been run is in its reports, marked as partial. The number is
    /// what shells report of a program that SIGINT ended.
    Interrupted = 130,
}

impl Exit {
    /// Returns the exit code of a run. It is [`Exit::Ok`] if, and only if, the [state](Summary::state) of the run is green,
    /// which all reports show.
    pub(super) fn of_run(summary: &Summary) -> Self {
        let end = summary.end();
        match summary.state() {
            OverallState::Green => Exit::Ok,
            _ if end.partial => Exit::Interrupted,
            _ if end.problems.iter().any(|problem| problem.kind == ProblemKind::Target) => Exit::TargetFailed,
            OverallState::Incomplete | OverallState::NotRun | OverallState::Red => Exit::CellFailed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}
