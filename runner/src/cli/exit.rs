//! The exit codes of the command line.

use std::process::ExitCode;

/// The exit code of a command. The numbers are part of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Exit {
    /// All good.
    Ok = 0,
    /// A cell failed, something got worse, a patch was refused, patches conflict, or a schema is wrong.
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

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}
