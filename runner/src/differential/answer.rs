//! The answer of an implementation to a trial.

use std::fmt;

use skewer_engine::OwnedDoc;

use crate::targets::{OperationError, TargetFailure, TargetFailureKind};

/// The answer of an implementation to a trial.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The resulting document.
    Result(OwnedDoc),
    /// The implementation refused the operation with an error.
    Refused {
        /// Id of the error kind.
        kind: &'static str,
        /// The directive that is invalid, where the implementation names it.
        directive: Option<String>,
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
            Err(OperationError::Refused(error)) => Answer::Refused {
                kind: error.kind().id(),
                directive: error.directive().map(str::to_owned),
                message: error.to_string(),
            },
            Err(OperationError::NoAnswer(TargetFailure { kind: TargetFailureKind::Unsupported, why })) => {
                Answer::Unsupported(why)
            }
            Err(OperationError::NoAnswer(TargetFailure { why, .. })) => match why.strip_prefix("panic: ") {
                Some(panic) => Answer::Panic(panic.to_owned()),
                None => Answer::Broken(why),
            },
        }
    }

    /// Returns true for two refusals of the same kind. A directive is compared where both implementations name it.
    pub(super) fn is_same_refusal(&self, other: &Answer) -> bool {
        match (self, other) {
            (
                Answer::Refused { kind, directive, .. },
                Answer::Refused { kind: other_kind, directive: other_directive, .. },
            ) => {
                let directives = directive.as_ref().zip(other_directive.as_ref());
                kind == other_kind && directives.is_none_or(|(directive, other)| directive == other)
            }
            _ => false,
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
            Answer::Refused { kind, directive: Some(directive), message } => {
                write!(f, "refused, {kind} of {directive}: {message}")
            }
            Answer::Refused { kind, directive: None, message } => write!(f, "refused, {kind}: {message}"),
            Answer::Panic(message) => write!(f, "panic: {message}"),
            Answer::Unsupported(why) => write!(f, "unsupported: {why}"),
            Answer::Broken(why) => write!(f, "broken: {why}"),
        }
    }
}
