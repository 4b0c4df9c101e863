//! The answer of an implementation to a trial.

use std::fmt;

use skewer_engine::OwnedDoc;
use skewer_engine::skew::{OperationError, TargetFailure, TargetFailureKind};

/// The answer of an implementation to a trial.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The resulting document.
    Result(OwnedDoc),
    /// The implementation refused the operation with an error.
    Refused {
        /// Id of the error kind.
        kind: &'static str,
        /// Error message.
        message: String,
    },
    /// The implementation panicked, and recovered from the panic.
    Panic(String),
    /// The implementation does not support the operation.
    Unsupported(String),
    /// The implementation exited, timed out, or violated the protocol.
    Broken(String),
}

impl Answer {
    pub(super) fn from_result(result: Result<OwnedDoc, OperationError>) -> Self {
        match result {
            Ok(value) => Answer::Result(value),
            Err(OperationError::Refused(error)) => {
                Answer::Refused { kind: error.kind().id(), message: error.to_string() }
            }
            Err(OperationError::TargetFailed(TargetFailure {
                kind: TargetFailureKind::Unsupported,
                why,
            })) => Answer::Unsupported(why),
            Err(OperationError::TargetFailed(TargetFailure { why, .. })) => match why.strip_prefix("panic: ")
            {
                Some(panic) => Answer::Panic(panic.to_owned()),
                None => Answer::Broken(why),
            },
        }
    }

    /// Returns the category of the answer: `a result`, the id of an error kind, `panic`, `unsupported` or `broken`.
    #[must_use]
    pub fn category(&self) -> &str {
        match self {
            Answer::Result(_) => "a result",
            Answer::Refused { kind, .. } => kind,
            Answer::Panic(_) => "panic",
            Answer::Unsupported(_) => "unsupported",
            Answer::Broken(_) => "broken",
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Result(value) => write!(f, "{value}"),
            Answer::Refused { kind, message } => write!(f, "refused, {kind}: {message}"),
            Answer::Panic(message) => write!(f, "panic: {message}"),
            Answer::Unsupported(why) => write!(f, "unsupported: {why}"),
            Answer::Broken(why) => write!(f, "broken: {why}"),
        }
    }
}
