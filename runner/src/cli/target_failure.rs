//! The failure of a command when its target was given up.

use std::fmt::Write;

use skewer_results::{Cell, Status};
use skewer_targets::Target;

use super::exit::Exit;
use super::failure::Failure;

/// The cells that a target did not answer. They explain why the target was given up.
#[derive(Debug, Default)]
pub(super) struct UnansweredCells {
    /// The last cell that was not answered, with its status.
    last: Option<(String, Status)>,
    not_run: u64,
}

impl UnansweredCells {
    /// Records the result of a cell.
    pub(super) fn add(&mut self, cell: &Cell) {
        match cell.status {
            Status::Crash | Status::Timeout => self.last = Some((cell.id.clone(), cell.status)),
            Status::NotRun => self.not_run += 1,
            _ => {}
        }
    }

    /// Returns the failure if the target was given up.
    pub(super) fn failure(&self, target: &dyn Target) -> Option<Failure> {
        self.describe_failure(target).map(|message| Failure::new(Exit::TargetFailed, message))
    }

    /// Describes why the target was given up, and how many cells were not run. Returns `None` if it was not given up.
    pub(super) fn describe_failure(&self, target: &dyn Target) -> Option<String> {
        let why = target.permanent_failure()?;
        let mut message = format!("the target {why}");
        if let Some((id, status)) = &self.last {
            let plural = if self.not_run == 1 { " was" } else { "s were" };
            let _ = write!(
                message,
                "\nthe last cell without an answer is {id} ({}); {} cell{plural} not run",
                status.as_str(),
                self.not_run
            );
        }
        Some(message)
    }
}
