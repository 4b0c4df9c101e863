//! The laws of patch evolution, one function each.
//!
//! Source: strategic-merge-patch, "Changing patch format". An *old* party is one without the change, a *new* one
//! has it. What is "stored" is converted to the server's type.

use serde::Serialize;
use skewer_engine::skew::FinalState;
use skewer_engine::{Error, OwnedDoc};

use super::own;
use super::subject::Era;
use super::trial::Trial;

/// What a law says of one situation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Nothing: the situation has none of what the law speaks of.
    Nothing,
    /// It holds.
    Holds,
    /// It does not.
    Broken(Breach),
}

/// How a law was broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// Does anybody notice?
    pub noise: Noise,
    /// What happened, in a sentence.
    pub why: String,
}

/// Does anybody notice?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Noise {
    /// Something is done that should not be, without a word.
    Silent,
    /// Something is refused.
    Loud,
}

impl Noise {
    /// What is or is not heard.
    #[must_use]
    pub fn described(self) -> &'static str {
        match self {
            Noise::Silent => "without a word",
            Noise::Loud => "with a refusal",
        }
    }
}

/// A law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// [`backward`].
    Backward,
    /// [`forward`].
    Forward,
    /// [`superset`].
    Superset,
    /// [`no_new_requirement`].
    NoNewRequirement,
    /// [`benefit`].
    Benefit,
}

impl Law {
    /// All of them.
    pub const ALL: [Law; 5] =
        [Law::Backward, Law::Forward, Law::Superset, Law::NoNewRequirement, Law::Benefit];

    /// The name in tables and in the record.
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

    /// What it says, in a sentence.
    #[must_use]
    pub fn about(self) -> &'static str {
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

    /// Tries the law.
    #[must_use]
    pub fn try_on(self, trial: &Trial<'_>) -> Finding {
        match self {
            Law::Backward => backward(trial),
            Law::Forward => forward(trial),
            Law::Superset => superset(trial),
            Law::NoNewRequirement => no_new_requirement(trial),
            Law::Benefit => benefit(trial),
        }
    }
}

/// A patch made without the change, and valid on a server without it, is valid on one with it. There it does the
/// same, or better: what was meant.
///
/// "Patch requests valid in previous versions continue to be valid. … Previously valid patch requests do not need
/// to keep the exact same behavior, but do need to behave correctly."
#[must_use]
pub fn backward(trial: &Trial<'_>) -> Finding {
    let (Ok(patch), Some(before), Some(after)) =
        (&trial.old_patch, trial.of_old_patch(Era::Old), trial.of_old_patch(Era::New))
    else {
        return Finding::Nothing;
    };
    let FinalState::Stored(stored_before) = before else { return Finding::Nothing };
    match after {
        _ if trial.same(before, after) || trial.is_ideal(after) => Finding::Holds,
        FinalState::Refused(error) => {
            loud(format!("the new server refuses the old client's patch {patch}: {}", described(error)))
        }
        FinalState::Stored(stored) => silent(format!(
            "of the old client's patch {patch} the old server makes {stored_before}, the new one {stored}"
        )),
    }
}

/// A patch made with the change is not refused by a server without it, and stores there what the patch stores that
/// is made without the change.
///
/// "New patches should behave correctly when sent to old servers … Must NOT rely on the directive being supported
/// by the server." Of a patch at hand, that which is made without the change is what remains without its keys.
#[must_use]
pub fn forward(trial: &Trial<'_>) -> Finding {
    let (Some(new), Ok(old)) = (trial.concerned(), &trial.old_patch) else { return Finding::Nothing };
    let Some(before @ FinalState::Stored(stored_before)) = trial.of_old_patch(Era::Old) else {
        return Finding::Nothing;
    };
    let new = match new {
        Ok(new) => new,
        Err(error) => return no_patch(error, old),
    };
    if trial.is_at_hand() && matches!(trial.of_new_patch(Era::New), Some(FinalState::Refused(_))) {
        // No patch of a new client's: nobody promises anything for it.
        return Finding::Nothing;
    }
    match trial.of_new_patch(Era::Old) {
        Some(after) if trial.same(before, after) => Finding::Holds,
        Some(FinalState::Refused(error)) => {
            loud(format!("the old server refuses the new client's patch {new}: {}", described(error)))
        }
        Some(FinalState::Stored(stored)) => silent(format!(
            "the old server makes {stored_before} of the old client's patch {old}, and {stored} of the new client's \
             patch {new}"
        )),
        None => Finding::Nothing,
    }
}

/// A patch made with the change, without the change's keys, is the patch that is made without the change.
///
/// "New patch requests should be a superset of old patch requests. … Must include the full patch that would have
/// been sent before the new directives were added."
#[must_use]
pub fn superset(trial: &Trial<'_>) -> Finding {
    if trial.is_at_hand() {
        return Finding::Nothing;
    }
    let (Some(new), Ok(old)) = (trial.concerned(), &trial.old_patch) else { return Finding::Nothing };
    match new {
        Err(error) => no_patch(error, old),
        Ok(new) if trial.is_superset(new, old) => Finding::Holds,
        Ok(new) => silent(format!(
            "without its own keys the new client's patch {new} is {}, and the old client's is {old}",
            own::without(trial.subject, new)
        )),
    }
}

/// A patch without the change's keys has the same effect on a server with the change as on one without it. What a
/// server without it refuses is no patch of the old format.
///
/// "Must NOT impose new requirements on the old patch format."
#[must_use]
pub fn no_new_requirement(trial: &Trial<'_>) -> Finding {
    let stripped = match &trial.new_patch {
        Some(Ok(new)) => Some(own::without(trial.subject, new)),
        _ => None,
    };
    let mut finding = Finding::Nothing;
    for patch in trial.old_patch.iter().chain(&stripped) {
        let before = trial.serve(Era::Old, patch);
        let FinalState::Stored(stored_before) = &before else { continue };
        let after = trial.serve(Era::New, patch);
        match &after {
            _ if trial.same(&before, &after) => {}
            FinalState::Refused(error) => {
                return loud(format!(
                    "of the patch {patch} the old server makes {stored_before}, and the new one refuses it: {}",
                    described(error)
                ));
            }
            FinalState::Stored(stored) => {
                return silent(format!(
                    "of the patch {patch} the old server makes {stored_before}, the new one {stored}"
                ));
            }
        }
        if patch.as_map().is_some_and(|map| !map.is_empty()) {
            finding = Finding::Holds;
        }
    }
    finding
}

/// New on new reaches what is meant, and old on old does not. It need hold in one situation only.
#[must_use]
pub fn benefit(trial: &Trial<'_>) -> Finding {
    match (trial.of_new_patch(Era::New), trial.of_old_patch(Era::Old)) {
        (Some(new), Some(old)) if trial.is_ideal(new) && !trial.is_ideal(old) => Finding::Holds,
        _ => Finding::Nothing,
    }
}

fn no_patch(error: &Error, old: &OwnedDoc) -> Finding {
    let error = described(error);
    loud(format!("the old client sends {old}, and the new client can make no patch at all: {error}"))
}

fn described(error: &Error) -> String {
    format!("{} ({error})", error.kind().id())
}

fn loud(why: String) -> Finding {
    Finding::Broken(Breach { noise: Noise::Loud, why })
}

fn silent(why: String) -> Finding {
    Finding::Broken(Breach { noise: Noise::Silent, why })
}
