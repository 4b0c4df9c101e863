//! The laws of patch evolution. Each law is a function.
//!
//! Source: strategic-merge-patch, "Changing patch format". An *old* party does not have the change; a *new* party has
//! it. A *stored* object was converted to the server's type.

use serde::Serialize;
use skewer_engine::{Error, OwnedDoc};
use skewer_reports::laws::VerdictKind;
pub use skewer_reports::laws::ViolationKind;
use skewer_skew::FinalState;

use super::format_change::FormatVersion;
use super::situation::LawSituation;
use super::trial::LawTrial;

/// The result of a law in one trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LawResult {
    /// The law makes no statement about this trial.
    NotApplicable,
    /// The law holds.
    Holds,
    /// The law is broken.
    Broken(LawViolation),
}

impl LawResult {
    /// Returns the verdict of this result alone.
    pub(super) fn verdict(&self) -> VerdictKind {
        match self {
            LawResult::NotApplicable => VerdictKind::NotShown,
            LawResult::Holds => VerdictKind::Kept,
            LawResult::Broken(_) => VerdictKind::Broken,
        }
    }
}

/// A violation of a law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LawViolation {
    /// How the violation shows itself.
    pub kind: ViolationKind,
    /// Description of the violation, in a sentence.
    pub why: String,
}

/// A law of patch evolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// A new server treats the patch of an old client like an old server, or reaches the ideal.
    Backward,
    /// An old server treats the patch of a new client like that of an old client.
    Forward,
    /// The patch of a new client contains the patch of an old client.
    Superset,
    /// A patch without the new keys keeps its effect.
    NoNewRequirement,
    /// In some situation, the change makes new parties reach the ideal where old parties do not.
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

    /// Returns the statement of the law, in a sentence.
    #[must_use]
    pub fn statement(self) -> &'static str {
        match self {
            Law::Backward => {
                "a new server accepts an old client's patch, and stores the same object as an old server or the ideal"
            }
            Law::Forward => {
                "an old server stores the same object for a new client's patch as for an old client's patch"
            }
            Law::Superset => "a new client's patch without the new keys equals the old client's patch",
            Law::NoNewRequirement => "a patch without the new keys has the same effect on both servers",
            Law::Benefit => "in some situation, new parties reach the ideal and old parties do not",
        }
    }

    /// Returns true if the law says something about a situation. The promises of the document are about one client and
    /// one server. If another client changes the object meanwhile, a map that is in the patch only because of a
    /// directive can create again what the other client has removed. Only the benefit of a change is searched there,
    /// too.
    #[must_use]
    pub fn is_about(self, situation: &LawSituation) -> bool {
        self == Law::Benefit || !situation.is_concurrent()
    }

    /// Checks the law in a trial.
    #[must_use]
    pub fn check(self, trial: &LawTrial<'_>) -> LawResult {
        match self {
            Law::Backward => check_backward(trial),
            Law::Forward => check_forward(trial),
            Law::Superset => check_superset(trial),
            Law::NoNewRequirement => check_no_new_requirement(trial),
            Law::Benefit => check_benefit(trial),
        }
    }
}

/// Checks that a new server accepts the patch of an old client if an old server accepts it, and that the new server
/// stores an equivalent object or the ideal.
///
/// "Patch requests valid in previous versions continue to be valid. … Previously valid patch requests do not need
/// to keep the exact same behavior, but do need to behave correctly."
fn check_backward(trial: &LawTrial<'_>) -> LawResult {
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
            "for the old client's patch {patch}, the old server stores {stored_before}, but the new server {stored}"
        )),
    }
}

/// Checks that an old server accepts the patch of a new client, and stores the same object as for the patch of an old
/// client.
///
/// "New patches should behave correctly when sent to old servers … Must NOT rely on the directive being supported
/// by the server." If the situation has a given patch, that patch without the change's keys counts as the patch of the
/// old client.
fn check_forward(trial: &LawTrial<'_>) -> LawResult {
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
        // The new server refuses the patch, so that no new client sends it, and the law promises nothing about it.
        return LawResult::NotApplicable;
    }
    match trial.final_state_of_new_patch(FormatVersion::Old) {
        Some(after) if trial.is_equivalent(before, after) => LawResult::Holds,
        Some(FinalState::Refused(error)) => {
            refusal(format!("the old server refuses the new client's patch {new}: {}", error_text(error)))
        }
        Some(FinalState::Stored(stored)) => silent_change(format!(
            "the old server stores {stored_before} for the old client's patch {old}, but {stored} for the new client's \
             patch {new}"
        )),
        None => LawResult::NotApplicable,
    }
}

/// Checks that the patch of a new client, without the change's keys, equals the patch of an old client.
///
/// "New patch requests should be a superset of old patch requests. … Must include the full patch that would have
/// been sent before the new directives were added."
fn check_superset(trial: &LawTrial<'_>) -> LawResult {
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
            "the new client's patch {new} without the new keys is {}, but the old client's patch is {old}",
            trial.without_change_keys(new)
        )),
    }
}

/// Checks that a patch without the change's keys has the same effect on a new server as on an old server. A patch that
/// the old server refuses is ignored, because it is not valid in the old format.
///
/// "Must NOT impose new requirements on the old patch format."
fn check_no_new_requirement(trial: &LawTrial<'_>) -> LawResult {
    let stripped = match &trial.new_patch {
        Some(Ok(new)) => Some(trial.without_change_keys(new)),
        _ => None,
    };
    let mut result = LawResult::NotApplicable;
    for patch in trial.old_patch.iter().chain(&stripped) {
        let Some(before) = trial.apply_on_server(FormatVersion::Old, patch) else { continue };
        let FinalState::Stored(stored_before) = &before else { continue };
        let Some(after) = trial.apply_on_server(FormatVersion::New, patch) else { continue };
        match &after {
            _ if trial.is_equivalent(&before, &after) => {}
            FinalState::Refused(error) => {
                return refusal(format!(
                    "for the patch {patch}, the old server stores {stored_before}, but the new server refuses it: {}",
                    error_text(error)
                ));
            }
            FinalState::Stored(stored) => {
                return silent_change(format!(
                    "for the patch {patch}, the old server stores {stored_before}, but the new server {stored}"
                ));
            }
        }
        if patch.as_map().is_some_and(|map| !map.is_empty()) {
            result = LawResult::Holds;
        }
    }
    result
}

/// Checks that a new client with a new server reaches the ideal, and that an old client with an old server does not. It
/// is enough that the law holds in one situation.
fn check_benefit(trial: &LawTrial<'_>) -> LawResult {
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
    refusal(format!("the old client sends {old}, but the new client cannot create a patch: {error}"))
}

fn error_text(error: &Error) -> String {
    format!("{} ({error})", error.kind().id())
}

fn refusal(why: String) -> LawResult {
    LawResult::Broken(LawViolation { kind: ViolationKind::Refusal, why })
}

fn silent_change(why: String) -> LawResult {
    LawResult::Broken(LawViolation { kind: ViolationKind::Silent, why })
}
