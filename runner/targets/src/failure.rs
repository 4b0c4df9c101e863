//! The ways in which a target fails to answer.

/// A failure of a target to answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetFailure {
    /// The kind of failure.
    pub kind: TargetFailureKind,
    /// The reason, as a message.
    pub why: String,
}

/// The kinds of failures of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TargetFailureKind {
    /// The target does not support the operation.
    Unsupported,
    /// The target crashed, or broke the protocol.
    Crash,
    /// The target did not answer in time.
    TimeOut,
    /// The target was given up after earlier failures, and was not asked.
    GivenUp,
}

/// The reason why an operation has no result: a refusal, or a failure of the target.
pub type OperationError = skewer_skew::OperationError<TargetFailure>;

impl From<TargetFailure> for OperationError {
    fn from(failure: TargetFailure) -> Self {
        OperationError::NoAnswer(failure)
    }
}

/// Returns the error for an operation that a target does not support.
#[must_use]
pub fn unsupported(why: impl Into<String>) -> OperationError {
    TargetFailure { kind: TargetFailureKind::Unsupported, why: why.into() }.into()
}

/// Returns the error for an operation during which a target crashed or violated the protocol.
pub(super) fn crashed(why: impl Into<String>) -> OperationError {
    TargetFailure { kind: TargetFailureKind::Crash, why: why.into() }.into()
}
