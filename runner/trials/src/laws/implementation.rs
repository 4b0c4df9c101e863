//! The implementation of which the laws are tried.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use skewer_engine::{OwnedDoc, Result};
use skewer_skew::{BuiltIn, FinalState, Operation, OperationError, Operations, Scenario, StepName};
use skewer_targets::{Target, TargetFailure};

/// The implementation that creates and applies the patches of a trial: the built-in engine, or a target. All other steps of
/// the parties are simulated.
#[derive(Clone, Default)]
pub struct AskedImplementation {
    target: Option<Arc<dyn Target>>,
    unanswered: Arc<Mutex<UnansweredRequests>>,
}

/// The requests that a target did not answer. A situation with such a request says nothing about a law.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnansweredRequests {
    /// Number of requests.
    pub count: u64,
    /// The reason for the first of them.
    pub first: Option<String>,
}

impl AskedImplementation {
    /// Returns the implementation that a target is.
    #[must_use]
    pub fn of_target(target: Arc<dyn Target>) -> Self {
        AskedImplementation { target: Some(target), ..AskedImplementation::default() }
    }

    /// Returns the name of the target. Returns `None` for the built-in engine.
    #[must_use]
    pub fn target_name(&self) -> Option<String> {
        self.target.as_ref().map(|target| target.info().name)
    }

    /// Returns the requests that were not answered until now.
    #[must_use]
    pub fn unanswered(&self) -> UnansweredRequests {
        self.unanswered.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn operations(&self) -> &(dyn Operations<TargetFailure> + Sync) {
        self.target.as_deref().map_or(&BuiltIn, |target| target.operations())
    }

    /// Performs an operation. Returns `None` if the implementation does not answer.
    pub(super) fn perform(&self, operation: &Operation<'_>) -> Option<Result<OwnedDoc>> {
        match self.operations().perform(operation) {
            Ok(document) => Some(Ok(document)),
            Err(OperationError::Refused(error)) => Some(Err(error)),
            Err(OperationError::NoAnswer(failure)) => {
                self.note(&failure);
                None
            }
        }
    }

    /// Runs a scenario. Returns `None` if it cannot be run, or if the implementation does not answer.
    pub(super) fn run(
        &self,
        scenario: &Scenario,
        record: &mut dyn FnMut(StepName, &OwnedDoc),
    ) -> Option<FinalState> {
        match skewer_skew::run(scenario, self.operations(), record) {
            Ok(state) => Some(state),
            Err(OperationError::Refused(_)) => None,
            Err(OperationError::NoAnswer(failure)) => {
                self.note(&failure);
                None
            }
        }
    }

    fn note(&self, failure: &TargetFailure) {
        let mut unanswered = self.unanswered.lock().unwrap_or_else(PoisonError::into_inner);
        unanswered.count += 1;
        unanswered.first.get_or_insert_with(|| failure.why.clone());
    }
}

impl fmt::Debug for AskedImplementation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.target_name().as_deref().unwrap_or("builtin"))
    }
}
