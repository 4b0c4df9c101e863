//! The answer of an implementation to a trial.

use std::fmt;

use skewer_engine::OwnedDoc;
use skewer_engine::error::{ErrorKind, ManagerConflict};
use skewer_results::control_characters::escape_text;
use skewer_targets::{OperationError, TargetFailure, TargetFailureKind, is_equal_up_to_lossy_floats};

/// The answer of an implementation to a trial.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TrialAnswer {
    /// The resulting document.
    Result(OwnedDoc),
    /// The implementation refused the operation with an error.
    Refused {
        /// Id of the error kind.
        kind: &'static str,
        /// The directive that is invalid, where the implementation names it.
        directive: Option<String>,
        /// Ids of all error kinds of the message, sorted. Most refusals have one.
        kinds: Vec<&'static str>,
        /// The conflicts with other field managers, sorted.
        conflicts: Vec<ManagerConflict>,
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

impl TrialAnswer {
    pub(super) fn from_result(result: Result<OwnedDoc, OperationError>) -> Self {
        match result {
            Ok(value) => TrialAnswer::Result(value),
            Err(OperationError::Refused(error)) => TrialAnswer::Refused {
                kind: error.kind().id(),
                directive: error.directive().map(str::to_owned),
                kinds: error.kinds().into_iter().map(ErrorKind::id).collect(),
                conflicts: visible_conflicts(error.conflicts()),
                message: error.to_string(),
            },
            Err(OperationError::NoAnswer(TargetFailure { kind: TargetFailureKind::Unsupported, why })) => {
                TrialAnswer::Unsupported(why)
            }
            Err(OperationError::NoAnswer(TargetFailure { why, .. })) => match why.strip_prefix("panic: ") {
                Some(panic) => TrialAnswer::Panic(panic.to_owned()),
                None => TrialAnswer::Broken(why),
            },
        }
    }

    /// Returns true for two equal results, and for two refusals for the same reason. With `has_lossy_floats`, floats of
    /// results may differ as much as the target loses.
    pub(super) fn is_same(&self, other: &TrialAnswer, has_lossy_floats: bool) -> bool {
        match (self, other) {
            (TrialAnswer::Result(ours), TrialAnswer::Result(theirs)) if has_lossy_floats => {
                is_equal_up_to_lossy_floats(ours, theirs)
            }
            (TrialAnswer::Result(ours), TrialAnswer::Result(theirs)) => ours == theirs,
            _ => self.is_same_refusal(other),
        }
    }

    /// Returns true for two refusals for the same reason. A directive is compared where both implementations name it.
    ///
    /// A message can report several kinds of errors. Implementations find them in different orders and may stop at any
    /// of them, so the first kind of each must be among the kinds of the other.
    fn is_same_refusal(&self, other: &TrialAnswer) -> bool {
        match (self, other) {
            (
                TrialAnswer::Refused { kind, directive, kinds, conflicts, .. },
                TrialAnswer::Refused {
                    kind: other_kind,
                    directive: other_directive,
                    kinds: other_kinds,
                    conflicts: other_conflicts,
                    ..
                },
            ) => {
                let directives = directive.as_ref().zip(other_directive.as_ref());
                let has_same_kind = if other_kinds.len() > 1 {
                    kinds.contains(other_kind) && other_kinds.contains(kind)
                } else {
                    kinds.contains(other_kind)
                };
                has_same_kind
                    && conflicts == other_conflicts
                    && directives.is_none_or(|(directive, other)| directive == other)
            }
            _ => false,
        }
    }

    /// Returns the category of the answer: `a result`, the id of an error kind, `panic`, `unsupported` or `broken`.
    pub(crate) fn category(&self) -> &str {
        match self {
            TrialAnswer::Result(_) => "a result",
            TrialAnswer::Refused { kind, .. } => kind,
            TrialAnswer::Panic(_) => "panic",
            TrialAnswer::Unsupported(_) => "unsupported",
            TrialAnswer::Broken(_) => "broken",
        }
    }
}

/// Returns conflicts with escaped control characters, as texts from targets have them.
fn visible_conflicts(conflicts: &[ManagerConflict]) -> Vec<ManagerConflict> {
    let visible = conflicts.iter().map(|conflict| ManagerConflict {
        manager: escape_text(&conflict.manager).into(),
        path: escape_text(&conflict.path).into(),
        ..conflict.clone()
    });
    let mut visible: Vec<ManagerConflict> = visible.collect();
    visible.sort();
    visible
}

impl fmt::Display for TrialAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrialAnswer::Result(value) => write!(f, "{value}"),
            TrialAnswer::Refused { kind, directive: Some(directive), message, .. } => {
                write!(f, "refused, {kind} of {directive}: {message}")
            }
            TrialAnswer::Refused { kinds, directive: None, message, .. } => {
                write!(f, "refused, {}: {message}", kinds.join(" and "))
            }
            TrialAnswer::Panic(message) => write!(f, "panic: {message}"),
            TrialAnswer::Unsupported(why) => write!(f, "unsupported: {why}"),
            TrialAnswer::Broken(why) => write!(f, "broken: {why}"),
        }
    }
}
