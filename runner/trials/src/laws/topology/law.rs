//! The laws for changes of a topology. Each law is a function of a trial.
//!
//! An *old* server has the topology before the change, and a *new* one that after it.

use skewer_reports::laws::ViolationKind;

use super::trial::{ApplyEnd, TopologyTrial};
use crate::laws::law::{Law, LawResult, LawViolation};

/// The laws for changes of a topology. *Superset* and *benefit* say nothing here: a configuration does not depend on the
/// topology, and the new topology is the benefit.
pub const LAWS: [Law; 3] = [Law::Backward, Law::Forward, Law::NoNewRequirement];

/// Returns the statement of a law about a change of a topology, in a sentence.
pub(super) fn statement(law: Law) -> &'static str {
    match law {
        Law::Backward => {
            "for an object that old servers have written, a new server answers an apply request (object and conflicts) \
             as an old server does, or as if the field had always had its new topology"
        }
        Law::Forward => {
            "for an object that new servers have written, an old server answers an apply request as if all servers were \
             old, or as a new server does"
        }
        Law::NoNewRequirement => "a new server does not refuse an apply request that an old server accepts",
        Law::Superset | Law::Benefit => law.statement(),
    }
}

/// Checks a law in a trial.
pub(super) fn check(law: Law, trial: &TopologyTrial) -> LawResult {
    match law {
        Law::Backward => check_backward(trial),
        Law::Forward => check_forward(trial),
        Law::NoNewRequirement => check_no_new_requirement(trial),
        Law::Superset | Law::Benefit => LawResult::NotApplicable,
    }
}

/// Checks that a new server, for an object that old servers have written, gives what an old server gives: the same
/// stored object or the same conflicts. It may also give what new servers alone give, because the change is meant.
fn check_backward(trial: &TopologyTrial) -> LawResult {
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
fn check_forward(trial: &TopologyTrial) -> LawResult {
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
fn check_no_new_requirement(trial: &TopologyTrial) -> LawResult {
    let TopologyTrial { before, upgraded, .. } = trial;
    match (before, upgraded) {
        (ApplyEnd::Stored(_), ApplyEnd::Stored(_)) => LawResult::Holds,
        (ApplyEnd::Stored(_), _) => {
            broken(upgraded, format!("the old server {before}, but the new server {upgraded}"))
        }
        _ => LawResult::NotApplicable,
    }
}

fn broken(end: &ApplyEnd, why: String) -> LawResult {
    let kind = match end {
        ApplyEnd::Stored(_) => ViolationKind::Silent,
        ApplyEnd::Conflict(_) | ApplyEnd::Refused(_) => ViolationKind::Refusal,
        ApplyEnd::Panic(_) => ViolationKind::Panic,
    };
    LawResult::Broken(LawViolation { kind, why })
}

/// Returns what a server would do.
fn in_the_conditional(end: &ApplyEnd) -> String {
    let text = end.to_string();
    match text.split_once(' ') {
        Some(("stores", rest)) => format!("would store {rest}"),
        Some(("refuses", rest)) => format!("would refuse {rest}"),
        _ => text,
    }
}
