//! The exit codes of the command line.

use std::process::ExitCode;

use skewer_reports::summary::{OverallState, Summary};
use skewer_results::ProblemKind;

/// Defines the exit codes. The documentation of a code is also its explanation for users.
macro_rules! exit_codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal,)+) => {
        /// The exit code of a command. The numbers are stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Exit {
            $($(#[doc = $doc])+ $name = $code,)+
        }

        impl Exit {
            /// All exit codes.
            pub const ALL: &'static [Exit] = &[$(Exit::$name),+];

            /// Returns the number.
            #[must_use]
            pub const fn code(self) -> u8 {
                self as u8
            }

            /// Returns the meaning of the exit code, in sentences.
            #[must_use]
            pub fn about(self) -> &'static str {
                match self { $(Exit::$name => concat!($($doc),+).trim()),+ }
            }
        }
    };
}

exit_codes! {
    /// The command succeeded.
    Ok = 0,
    /// The command ran, and its result is negative: a cell failed (with `--fail-fast`, the run ended there), no cell of
    /// a suite was run, the deviation file is wrong, `compare` found a regression, a patch was refused, patches
    /// conflict, or a schema is invalid.
    CellFailed = 1,
    /// The command could not run: bad usage, a bad case file, or an unreadable document.
    CouldNotRun = 2,
    /// The target could not be started, or was given up after repeated failures.
    TargetFailed = 3,
    /// The selection matches no cell.
    NothingSelected = 4,
    /// The run was interrupted by SIGINT, SIGTERM or SIGHUP. Its reports contain the completed cells and are marked as
    /// partial. Shells report the same number for a program that SIGINT terminated.
    Interrupted = 130,
}

impl Exit {
    /// Returns the exit code of a run. It is [`Exit::Ok`] if and only if the [state](Summary::state) of the run is
    /// green. All reports show that state.
    #[must_use]
    pub fn of_run(summary: &Summary) -> Self {
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
        ExitCode::from(exit.code())
    }
}
