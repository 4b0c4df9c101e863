//! Two answers to one trial: the same, different for a known reason, or different.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use skewer_engine::OwnedDoc;
use skewer_engine::skew::{BuiltIn, Operation, OperationError, Operations, TargetFailure, TargetFailureKind};

use super::rules::{MAP_ORDER, RULES, Rule};
use super::trial::Trial;
use crate::targets::{Target, is_equal_up_to_lossy_floats};

/// What an implementation says.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// A result.
    Result(OwnedDoc),
    /// A refusal.
    Refused {
        /// The id of its kind.
        kind: &'static str,
        /// In words.
        message: String,
    },
    /// It panicked, and lives.
    Panic(String),
    /// It does not do this.
    Unsupported(String),
    /// It went away, was too slow, or talked nonsense.
    Broken(String),
}

impl Answer {
    fn of(answer: Result<OwnedDoc, OperationError>) -> Self {
        match answer {
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

    /// What sort of answer it is: `a result`, the id of an error kind, `panic`.
    #[must_use]
    pub fn sort(&self) -> &str {
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

/// What comes of comparing two answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Equal results, or refusals of the same kind.
    Same,
    /// Different, for this reason.
    Explained(&'static Rule),
    /// The target does not do this.
    Unsupported,
    /// Different.
    Different,
}

/// Both answers to a trial.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Ours.
    pub ours: Answer,
    /// The target's.
    pub theirs: Answer,
    /// What comes of it.
    pub verdict: Verdict,
}

/// How often the target is asked again, to see whether its answer changes. A fault that one in thirty orders of
/// a map finds first is missed once in a thousand times.
const ASKED_AGAIN: usize = 200;

/// Asks both for an answer and compares.
#[must_use]
pub fn compare(trial: &Trial, target: &dyn Target) -> Option<Comparison> {
    let operation = trial.operation()?;
    let ours = ours(&operation);
    let theirs = Answer::of(target.operations().perform(&operation));
    let lossy = target.has_lossy_floats(&operation);
    let verdict = if matches!(theirs, Answer::Unsupported(_)) {
        Verdict::Unsupported
    } else if same(&ours, &theirs, lossy) {
        Verdict::Same
    } else if let Some(rule) = RULES.iter().find(|rule| (rule.holds)(trial, &ours, &theirs)) {
        Verdict::Explained(rule)
    } else if can_change(&ours, &theirs) && says_the_same_in_time(trial, &operation, &ours, target) {
        Verdict::Explained(&MAP_ORDER)
    } else {
        Verdict::Different
    };
    Some(Comparison { ours, theirs, verdict })
}

/// Is it of any use to ask again?
fn can_change(ours: &Answer, theirs: &Answer) -> bool {
    !matches!(theirs, Answer::Broken(_)) && !matches!(ours, Answer::Panic(_))
}

fn ours(operation: &Operation<'_>) -> Answer {
    match catch_unwind(AssertUnwindSafe(|| BuiltIn.perform(operation))) {
        Ok(answer) => Answer::of(answer),
        Err(_) => Answer::Panic("of our own engine; its message is on standard error".to_owned()),
    }
}

fn same(ours: &Answer, theirs: &Answer, lossy: bool) -> bool {
    match (ours, theirs) {
        (Answer::Result(ours), Answer::Result(theirs)) if lossy => is_equal_up_to_lossy_floats(ours, theirs),
        (Answer::Result(ours), Answer::Result(theirs)) => ours == theirs,
        (Answer::Refused { kind: ours, .. }, Answer::Refused { kind: theirs, .. }) => ours == theirs,
        _ => false,
    }
}

/// Does the target give our answer too, or one that a rule explains, when it is asked often enough?
fn says_the_same_in_time(
    trial: &Trial,
    operation: &Operation<'_>,
    ours: &Answer,
    target: &dyn Target,
) -> bool {
    let lossy = target.has_lossy_floats(operation);
    (0..ASKED_AGAIN).any(|_| {
        let again = Answer::of(target.operations().perform(operation));
        // Another answer of the target may be none: kubectl applies a patch and then misses the kind.
        let declined = matches!(again, Answer::Unsupported(_));
        declined || same(ours, &again, lossy) || RULES.iter().any(|rule| (rule.holds)(trial, ours, &again))
    })
}
