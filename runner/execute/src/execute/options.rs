//! The options of a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The options of a run.
#[derive(Clone, Debug)]
pub struct ExecutionOptions {
    /// For which cells the documents of each step are recorded.
    pub steps: StepRecording,
    /// The form in which the steps show managed fields.
    pub managed_fields: ManagedFieldsForm,
    /// Whether the duration of each cell is recorded. Without durations, two equal runs write identical results
    /// files.
    pub durations: bool,
    /// The command that runs one cell again. The id of the cell is appended to it.
    pub rerun_command: String,
    /// A flag that stops the run when it is set. Cells that end afterwards have no result, because a target that
    /// received the same interrupt can have failed because of it.
    pub stop: Option<Arc<AtomicBool>>,
    /// Number of cells that are run before their results are passed on: large enough to keep every thread busy, and
    /// small enough to limit the memory for results. After an error of the consumer, the cells of up to two batches
    /// were run in vain.
    pub batch: usize,
}

/// The default of [`ExecutionOptions::batch`].
const BATCH: usize = 512;

/// For which cells the documents of each step are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepRecording {
    /// No cell.
    Never,
    /// Only cells that fail.
    OnFailure,
    /// All cells.
    Always,
}

/// The form in which steps show the managed fields of their documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManagedFieldsForm {
    /// As owners, beside a document without managed fields.
    Owners,
    /// As a part of the document.
    Raw,
}

impl Default for ExecutionOptions {
    fn default() -> Self {
        ExecutionOptions {
            steps: StepRecording::OnFailure,
            managed_fields: ManagedFieldsForm::Owners,
            durations: false,
            rerun_command: "skewer run --exact".to_owned(),
            stop: None,
            batch: BATCH,
        }
    }
}

impl ExecutionOptions {
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}
