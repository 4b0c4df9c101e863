//! Which change an effect belongs to, if situations have all changes together.

use skewer_engine::{ErrorKind, FieldPath};
use skewer_skew::FinalState;

use crate::cause::Cause;
use crate::effect::{SkewEffect, silent_effect};
use crate::explore::{Explored, Observation};
use crate::finding::element_of;
use crate::schema_path::SchemaPath;

/// Leaves each effect to the changes that explain it best: those that can have such an effect, at the innermost element. An
/// effect is only taken from a change if a better one shows it, too. Differences that are `known` were there before: values that are
/// lost or not declared, which they explain better, are theirs.
pub(super) fn attribute(explored: &mut [(Cause, Explored)], known: &[Cause]) {
    let all: Vec<(Cause, Vec<SkewEffect>)> = explored
        .iter()
        .map(|(cause, explored)| {
            let effects = explored.observations.iter().map(|observation| observation.effect.clone());
            (cause.clone(), effects.collect())
        })
        .collect();
    for (cause, explored) in explored.iter_mut() {
        explored.observations.iter_mut().for_each(|observation| keep_own_paths(cause, observation, &all));
        let is_explained_best = |observation: &Observation| {
            let effect = &observation.effect;
            let own = fit(cause, effect);
            let is_of_field = effect.is_silent()
                || matches!(effect, SkewEffect::Refused(error) if error.kind() == ErrorKind::FieldNotDeclared);
            let is_known =
                is_of_field && known.iter().any(|other| other != cause && fit(other, effect) > own);
            !is_known
                && !all.iter().any(|(other, effects)| {
                    let shows = |shown: &SkewEffect| {
                        shown.name() == effect.name() && fit(other, shown) >= fit(other, effect)
                    };
                    other != cause && fit(other, effect) > own && effects.iter().any(shows)
                })
        };
        let count = explored.observations.len();
        explored.observations.retain(is_explained_best);
        // The requests of the other effects touched an object with the element, and it was not that which made a difference.
        explored.is_touched |= explored.observations.len() < count;
    }
}

/// Leaves out the paths of a silent effect that another change explains better. An effect keeps at least one path.
fn keep_own_paths(cause: &Cause, observation: &mut Observation, all: &[(Cause, Vec<SkewEffect>)]) {
    let (FinalState::Stored(actual), FinalState::Stored(expected)) =
        (&observation.happened.final_state, &observation.expected.final_state)
    else {
        return;
    };
    let mut paths = observation.effect.paths();
    let at = |path: &FieldPath| SkewEffect::Changed(vec![path.clone()]);
    paths.retain(|path| {
        let own = fit(cause, &at(path));
        !all.iter().any(|(other, _)| other != cause && fit(other, &at(path)) > own)
    });
    if paths.len() < observation.effect.paths().len()
        && let Some(effect) = silent_effect(paths, actual, expected)
    {
        observation.effect = effect;
    }
}

/// How well a change explains an effect. The order is that of the fields.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    /// Whether a change of this kind can have such an effect.
    is_possible: bool,
    /// The number of steps to the element of the change, if the effect is in it.
    depth: usize,
}

fn fit(cause: &Cause, effect: &SkewEffect) -> Fit {
    let depth_of = |element: &SchemaPath| {
        let is_in_it = effect.paths().iter().any(|path| element_of(path, element).is_within(element));
        if is_in_it { element.steps().len() } else { 0 }
    };
    Fit {
        is_possible: cause.can_have(effect),
        depth: cause.elements().map(depth_of).max().unwrap_or_default(),
    }
}
