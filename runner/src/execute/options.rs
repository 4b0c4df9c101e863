//! The options of a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The cells of which the documents of each step are recorded.
    pub steps: StepRecording,
    /// Whether the duration of each cell is recorded. Without durations, equal runs give equal bytes.
    pub durations: bool,
    /// The command that runs one cell again; the id of the cell is appended.
    pub rerun_command: String,
    /// A flag that ends the run early when it is set. Cells that end later have no result: a target that received the
    /// same interrupt can have failed because of it.
    pub stop: Option<Arc<AtomicBool>>,
}

/// The cells of which the documents of their steps are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepRecording {
    /// No cell.
    Never,
    /// Cells that fail.
    OnFailure,
    /// All cells.
    Always,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            steps: StepRecording::OnFailure,
            durations: false,
            rerun_command: "skewer run --exact".to_owned(),
            stop: None,
        }
    }
}

impl Options {
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}
