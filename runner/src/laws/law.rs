//! The laws of patch evolution, one function each.
//!
//! Source: strategic-merge-patch, "Changing patch format". An *old* party is one without the change, a *new* one
//! has it. What is "stored" is converted to the server's type.

use serde::Serialize;
use skewer_engine::skew::FinalState;
use skewer_engine::{Error, OwnedDoc};
pub use skewer_reports::laws::ViolationKind;

use super::format_change::FormatVersion;
use super::trial::Trial;

/// The result of a law in one trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LawResult {
    /// The law says nothing about this trial.
    NotApplicable,
    /// The law holds.
    Holds,
    /// The law is broken.
    Broken(Violation),
}

/// A violation of a law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Whether anybody notices it.
    pub kind: ViolationKind,
    /// Description of what happened, in a sentence.
    pub why: String,
}

/// A law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// [`check_backward`].
    Backward,
    /// [`check_forward`].
    Forward,
    /// [`check_superset`].
    Superset,
    /// [`check_no_new_requirement`].
    NoNewRequirement,
    /// [`check_benefit`].
    Benefit,
}

impl Law {
    /// All laws.
    pub const ALL: [Law; 5] =
        [Law::Backward, Law::Forward, Law::Superset, Law::NoNewRequirement, Law::Benefit];

    /// Returns the name in tables and in the record.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Law::Backward => "backward",
            Law::Forward => "forward",
            Law::Superset => "superset",
            Law::NoNewRequirement => "no-new-requirement",
            Law::Benefit => "benefit",
        }
    }

    /// Returns the text of the law, in a sentence.
    #[must_use]
    pub fn statement(self) -> &'static str {
        match self {
            Law::Backward => {
                "an old client's patch is valid on a new server, and does the same or what was meant"
            }
            Law::Forward => {
                "a new client's patch on an old server stores what an old client's patch stores there"
            }
            Law::Superset => "a new client's patch without the new keys is an old client's patch",
            Law::NoNewRequirement => "a patch without the new keys has the same effect on both servers",
            Law::Benefit => "somewhere, new on new does what was meant and old on old does not",
        }
    }

    /// Checks the law in a trial.
    #[must_use]
    pub fn check(self, trial: &Trial<'_>) -> LawResult {
        match self {
            Law::Backward => check_backward(trial),
            Law::Forward => check_forward(trial),
            Law::Superset => check_superset(trial),
            Law::NoNewRequirement => check_no_new_requirement(trial),
            Law::Benefit => check_benefit(trial),
        }
    }
}

/// Checks that a patch which is created without the change, and is valid on a server without it, is valid on a server
/// with it, and that the new server stores the equivalent object or the ideal.
///
/// "Patch requests valid in previous versions continue to be valid. … Previously valid patch requests do not need
/// to keep the exact same behavior, but do need to behave correctly."
#[must_use]
pub fn check_backward(trial: &Trial<'_>) -> LawResult {
    let (Ok(patch), Some(before), Some(after)) = (
        &trial.old_patch,
        trial.final_state_of_old_patch(FormatVersion::Old),
        trial.final_state_of_old_patch(FormatVersion::New),
    ) else {
        return LawResult::NotApplicable;
    };
    let FinalState::Stored(stored_before) = before else { return LawResult::NotApplicable };
    match after {
        _ if trial.is_equivalent(before, after) || trial.is_ideal(after) => LawResult::Holds,
        FinalState::Refused(error) => {
            refusal(format!("the new server refuses the old client's patch {patch}: {}", error_text(error)))
        }
        FinalState::Stored(stored) => silent_change(format!(
            "of the old client's patch {patch} the old server makes {stored_before}, the new one {stored}"
        )),
    }
}

/// Checks that a patch which is created with the change is not refused by a server without it, and stores there what
/// the patch that is created without the change stores.
///
/// "New patches should behave correctly when sent to old servers … Must NOT rely on the directive being supported
/// by the server." For a given patch, the patch without the change's keys counts as created without the change.
#[must_use]
pub fn check_forward(trial: &Trial<'_>) -> LawResult {
    let (Some(new), Ok(old)) = (trial.affected_new_patch(), &trial.old_patch) else {
        return LawResult::NotApplicable;
    };
    let Some(before @ FinalState::Stored(stored_before)) = trial.final_state_of_old_patch(FormatVersion::Old)
    else {
        return LawResult::NotApplicable;
    };
    let new = match new {
        Ok(new) => new,
        Err(error) => return patch_creation_failed(error, old),
    };
    if trial.situation.patch_source.is_given()
        && matches!(trial.final_state_of_new_patch(FormatVersion::New), Some(FinalState::Refused(_)))
    {
        // No new client sends this patch, so nothing is promised for it.
        return LawResult::NotApplicable;
    }
    match trial.final_state_of_new_patch(FormatVersion::Old) {
        Some(after) if trial.is_equivalent(before, after) => LawResult::Holds,
        Some(FinalState::Refused(error)) => {
            refusal(format!("the old server refuses the new client's patch {new}: {}", error_text(error)))
        }
        Some(FinalState::Stored(stored)) => silent_change(format!(
            "the old server makes {stored_before} of the old client's patch {old}, and {stored} of the new client's \
             patch {new}"
        )),
        None => LawResult::NotApplicable,
    }
}

/// Checks that a patch which is created with the change, without the change's keys, is the patch that is created without
/// the change.
///
/// "New patch requests should be a superset of old patch requests. … Must include the full patch that would have
/// been sent before the new directives were added."
#[must_use]
pub fn check_superset(trial: &Trial<'_>) -> LawResult {
    if trial.situation.patch_source.is_given() {
        return LawResult::NotApplicable;
    }
    let (Some(new), Ok(old)) = (trial.affected_new_patch(), &trial.old_patch) else {
        return LawResult::NotApplicable;
    };
    match new {
        Err(error) => patch_creation_failed(error, old),
        Ok(new) if trial.is_superset(new, old) => LawResult::Holds,
        Ok(new) => silent_change(format!(
            "without its own keys the new client's patch {new} is {}, and the old client's is {old}",
            trial.strip_own_keys(new)
        )),
    }
}

/// Checks that a patch without the change's keys has the same effect on a server with the change as on one without it.
/// A patch that the server without the change refuses is not a patch of the old format.
///
/// "Must NOT impose new requirements on the old patch format."
#[must_use]
pub fn check_no_new_requirement(trial: &Trial<'_>) -> LawResult {
    let stripped = match &trial.new_patch {
        Some(Ok(new)) => Some(trial.strip_own_keys(new)),
        _ => None,
    };
    let mut result = LawResult::NotApplicable;
    for patch in trial.old_patch.iter().chain(&stripped) {
        let before = trial.apply_on_server(FormatVersion::Old, patch);
        let FinalState::Stored(stored_before) = &before else { continue };
        let after = trial.apply_on_server(FormatVersion::New, patch);
        match &after {
            _ if trial.is_equivalent(&before, &after) => {}
            FinalState::Refused(error) => {
                return refusal(format!(
                    "of the patch {patch} the old server makes {stored_before}, and the new one refuses it: {}",
                    error_text(error)
                ));
            }
            FinalState::Stored(stored) => {
                return silent_change(format!(
                    "of the patch {patch} the old server makes {stored_before}, the new one {stored}"
                ));
            }
        }
        if patch.as_map().is_some_and(|map| !map.is_empty()) {
            result = LawResult::Holds;
        }
    }
    result
}

/// Checks that a new client with a new server reaches the ideal, and an old client with an old server does not. The law
/// has to hold in one situation only.
#[must_use]
pub fn check_benefit(trial: &Trial<'_>) -> LawResult {
    match (
        trial.final_state_of_new_patch(FormatVersion::New),
        trial.final_state_of_old_patch(FormatVersion::Old),
    ) {
        (Some(new), Some(old)) if trial.is_ideal(new) && !trial.is_ideal(old) => LawResult::Holds,
        _ => LawResult::NotApplicable,
    }
}

fn patch_creation_failed(error: &Error, old: &OwnedDoc) -> LawResult {
    let error = error_text(error);
    refusal(format!("the old client sends {old}, and the new client can make no patch at all: {error}"))
}

fn error_text(error: &Error) -> String {
    format!("{} ({error})", error.kind().id())
}

fn refusal(why: String) -> LawResult {
    LawResult::Broken(Violation { kind: ViolationKind::Refusal, why })
}

fn silent_change(why: String) -> LawResult {
    LawResult::Broken(Violation { kind: ViolationKind::Silent, why })
}
