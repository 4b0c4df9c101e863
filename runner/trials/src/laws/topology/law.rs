//! The laws for changes of a topology. Each law is a function of a trial.
//!
//! An *old* server has the topology before the change, and a *new* one that after it.

use skewer_reports::laws::ViolationKind;

use super::trial::{End, TopologyTrial};
use crate::laws::law::{LawResult, Violation};

/// A law for changes of a topology. *Superset* and *benefit* say nothing here: a configuration does not depend on the
/// topology, and the new topology is the benefit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TopologyLaw {
    /// For an object that old servers have written, a new server answers an apply request as an old server does, or as
    /// if the field had always had its new topology. See [`check_backward`].
    Backward,
    /// The same after a rollback, for an object that new servers have written. See [`check_forward`].
    Forward,
    /// A new server refuses no apply request that an old server accepts. See [`check_no_new_requirement`].
    NoNewRequirement,
}

impl TopologyLaw {
    /// All laws.
    pub const ALL: [TopologyLaw; 3] =
        [TopologyLaw::Backward, TopologyLaw::Forward, TopologyLaw::NoNewRequirement];

    /// Returns the name in tables and in the record.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            TopologyLaw::Backward => "backward",
            TopologyLaw::Forward => "forward",
            TopologyLaw::NoNewRequirement => "no-new-requirement",
        }
    }

    /// Returns the statement of the law, in a sentence.
    #[must_use]
    pub fn statement(self) -> &'static str {
        match self {
            TopologyLaw::Backward => {
                "for an object that old servers have written, a new server answers an apply request (object and \
                 conflicts) as an old server does, or as if the field had always had its new topology"
            }
            TopologyLaw::Forward => {
                "for an object that new servers have written, an old server answers an apply request as if all servers \
                 were old, or as a new server does"
            }
            TopologyLaw::NoNewRequirement => {
                "a new server does not refuse an apply request that an old server accepts"
            }
        }
    }

    /// Checks the law in a trial.
    #[must_use]
    pub fn check(self, trial: &TopologyTrial) -> LawResult {
        match self {
            TopologyLaw::Backward => check_backward(trial),
            TopologyLaw::Forward => check_forward(trial),
            TopologyLaw::NoNewRequirement => check_no_new_requirement(trial),
        }
    }
}

/// Checks that a new server, for an object that old servers have written, gives what an old server gives: the same
/// stored object or the same conflicts. It may also give what new servers alone give, because the change is meant.
#[must_use]
pub fn check_backward(trial: &TopologyTrial) -> LawResult {
    let TopologyTrial { before, ideal, upgraded, .. } = trial;
    if !before.is_valid() {
        return LawResult::NotApplicable;
    }
    if upgraded == before || upgraded == ideal {
        return LawResult::Holds;
    }
    broken(
        upgraded,
        format!(
            "the old server {before}; the new server {upgraded}; if the field had always had its new topology, it \
             {}",
            in_the_conditional(ideal)
        ),
    )
}

/// Checks that an old server, for an object that new servers have written, gives what old servers alone or new servers
/// alone give. This is the case after a rollback, and while servers of both versions are running.
#[must_use]
pub fn check_forward(trial: &TopologyTrial) -> LawResult {
    let TopologyTrial { before, ideal, rolled_back, .. } = trial;
    if !before.is_valid() || !ideal.is_valid() {
        return LawResult::NotApplicable;
    }
    if rolled_back == before || rolled_back == ideal {
        return LawResult::Holds;
    }
    broken(
        rolled_back,
        format!(
            "the new server {ideal}; after a rollback, the old server {rolled_back}; if all servers had been old, it \
             {}",
            in_the_conditional(before)
        ),
    )
}

/// Checks that a new server accepts a configuration that an old server accepts for the same object.
#[must_use]
pub fn check_no_new_requirement(trial: &TopologyTrial) -> LawResult {
    let TopologyTrial { before, upgraded, .. } = trial;
    match (before, upgraded) {
        (End::Stored(_), End::Stored(_)) => LawResult::Holds,
        (End::Stored(_), _) => {
            broken(upgraded, format!("the old server {before}, but the new server {upgraded}"))
        }
        _ => LawResult::NotApplicable,
    }
}

fn broken(end: &End, why: String) -> LawResult {
    let kind = match end {
        End::Stored(_) => ViolationKind::Silent,
        End::Conflict(_) | End::Refused(_) => ViolationKind::Refusal,
        End::Panic(_) => ViolationKind::Panic,
    };
    LawResult::Broken(Violation { kind, why })
}

/// Returns what a server would do.
fn in_the_conditional(end: &End) -> String {
    let text = end.to_string();
    match text.split_once(' ') {
        Some(("stores", rest)) => format!("would store {rest}"),
        Some(("refuses", rest)) => format!("would refuse {rest}"),
        _ => text,
    }
}
