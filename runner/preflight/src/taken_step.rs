//! A step with one object: the first apply of a tool, and the second one if the tools change.

use std::convert::Infallible;

use skewer_engine::OwnedDoc;
use skewer_skew::ToolChange;
use skewer_targets::live::{NotLive, ObservedCluster};

use crate::confirm::{RepeatedStep, StepConfirmation};
use crate::course::{Applied, Course, apply_with};
use crate::effect::{ObjectEffect, ObjectEnd};
use crate::request::{Answer, Answered, StepServers};
use crate::verdict::{ApplyVerdict, Tools, verdict};

/// The course of a step, and the verdict on it.
#[derive(Clone, Debug)]
pub struct TakenStep {
    /// The requests, and what came of them.
    pub requests: Vec<Answered>,
    /// The object after the last request. `None` if it does not exist.
    pub object: Option<OwnedDoc>,
    /// The verdict.
    pub verdict: ApplyVerdict,
}

/// Takes a step in the simulation.
#[must_use]
pub fn take(tools: &Tools, applied: Applied<'_>) -> TakenStep {
    let taken = take_with(tools, applied, &mut |request, live| {
        Ok::<_, Infallible>(Answered::simulate(request, applied.served, live))
    });
    match taken {
        Ok(taken) => taken,
        Err(never) => match never {},
    }
}

/// The comparison of a step with a dry run of its first request.
#[derive(Clone, Debug)]
pub struct DryRunConfirmation {
    /// The comparison of the first request.
    pub first: StepConfirmation,
    /// The reason why each later request cannot be compared.
    pub later: Vec<String>,
}

impl DryRunConfirmation {
    /// Returns the confirmation of a step that was not run.
    #[must_use]
    pub fn not_run(why: &str) -> Self {
        DryRunConfirmation { first: StepConfirmation::NotRun(why.to_owned()), later: Vec::new() }
    }
}

/// A step that was taken in the simulation, and once more on servers.
#[derive(Clone, Debug)]
pub struct StepTwice {
    /// The step in the simulation.
    pub simulated: TakenStep,
    /// The step on the servers. `None` if they did not take it.
    pub live: Option<TakenStep>,
    /// The comparison.
    pub confirmation: StepConfirmation,
}

impl StepTwice {
    /// Takes a step in the simulation and on servers, and compares the two. The verdict on the servers is that on what they
    /// do; the ideal is simulated.
    #[must_use]
    pub fn take(servers: &dyn StepServers, tools: &Tools, applied: Applied<'_>) -> Self {
        let simulated = take(tools, applied);
        let live = take_on_servers(servers, tools, applied);
        let repeated = live.as_ref().map(TakenStep::repeated).map_err(NotLive::clone);
        let confirmation = StepConfirmation::of(applied.served, &simulated.repeated(), repeated);
        StepTwice { simulated, live: live.ok(), confirmation }
    }
}

/// Takes a step on servers.
///
/// # Errors
///
/// Returns the reason why the servers cannot have the object, or do not answer.
pub fn take_on_servers(
    servers: &dyn StepServers,
    tools: &Tools,
    applied: Applied<'_>,
) -> Result<TakenStep, NotLive> {
    take_with(tools, applied, &mut |request, live| servers.answer(request, applied.served, live))
}

impl TakenStep {
    /// Sends the first request of this step to the cluster that has the object, as a dry run, and compares the answer with that
    /// of the simulation.
    #[must_use]
    pub fn confirm_by_dry_run(&self, cluster: &ObservedCluster, applied: Applied<'_>) -> DryRunConfirmation {
        let Some((first, later)) = self.requests.split_first() else {
            return DryRunConfirmation::not_run("the tool sends no request");
        };
        let of_request =
            |answered: &Answered| RepeatedStep { effects: Vec::new(), ends: vec![answered.end.clone()] };
        let answered = Answered::dry_run(cluster, first.request.clone(), applied.served, applied.live);
        let answered = answered.as_ref().map(of_request).map_err(NotLive::clone);
        let later = later.iter().map(|later| {
            let about = &later.request.about;
            format!("dry run of “{about}”: the request before it is not stored")
        });
        DryRunConfirmation {
            first: StepConfirmation::of(applied.served, &of_request(first), answered),
            later: later.collect(),
        }
    }

    fn repeated(&self) -> RepeatedStep {
        RepeatedStep {
            effects: self.verdict.effects.clone(),
            ends: self.requests.iter().map(|answered| answered.end.clone()).collect(),
        }
    }
}

fn take_with<F>(tools: &Tools, applied: Applied<'_>, answer: &mut Answer<'_, F>) -> Result<TakenStep, F> {
    let first = apply_with(&tools.tool, applied, tools.change(), answer)?;
    let mut found = verdict(tools, applied, &first);
    let Course { mut requests, mut object, .. } = first;
    if tools.before.is_some() && found.end != ObjectEnd::Refused {
        // The object is the same whoever applied first.
        let applied = Applied { live: object.as_ref(), ..applied };
        let second = apply_with(&tools.tool, applied, ToolChange::Never, answer)?;
        let further = further_effects(&found.effects, verdict(tools, applied, &second).effects);
        found.effects.extend(further);
        requests.extend(second.requests.into_iter().map(|mut answered| {
            answered.request.about.push_str(" once more");
            answered
        }));
        object = second.object;
    }
    Ok(TakenStep { requests, object, verdict: found })
}

/// Returns the effects of a second apply that the first one did not have.
fn further_effects(first: &[ObjectEffect], second: Vec<ObjectEffect>) -> Vec<ObjectEffect> {
    let is_new = |effect: &ObjectEffect| {
        !first.iter().any(|known| known.cause == effect.cause && known.path == effect.path)
    };
    let mut further: Vec<ObjectEffect> = second.into_iter().filter(is_new).collect();
    for effect in &mut further {
        if let Some(sentence) = effect.sentences.first_mut() {
            *sentence = format!("the second apply: {sentence}");
        }
    }
    further
}
