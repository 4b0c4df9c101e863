//! Generated objects with histories, for `skewer-lab preflight`: does a real server do with the next step of each what
//! `skewer preflight` says?

mod kinds;
mod trial;

use std::collections::BTreeMap;
use std::fmt::Write;

use skewer_preflight::confirm::{StepConfirmation, StepDifference};
use skewer_preflight::request::StepServers;

pub use kinds::{GeneratedKind, generated_kinds};
pub(crate) use trial::TOOLS;
pub use trial::{ObjectNumbers, Trial, TrialPlan, TrialStep};

/// The counts of a run.
#[derive(Debug, Default)]
pub struct PreflightCounts {
    /// The objects that a server has created.
    pub objects: usize,
    /// The objects of each kind.
    pub kinds: BTreeMap<String, usize>,
    /// The number of managers of all objects.
    pub managers: usize,
    /// The steps that ended as in the simulation.
    pub same: usize,
    /// The steps that ended in another way.
    pub different: usize,
    /// Those of them about which the simulation had nothing to say.
    pub false_safe: usize,
    /// The steps that were not run, or whose end is not simulated, by reason.
    pub not_run: BTreeMap<String, usize>,
}

impl PreflightCounts {
    /// Runs the trials with some numbers. Calls `report` with each step that ends in another way than simulated.
    ///
    /// # Errors
    ///
    /// Fails with the first failure of `report`.
    pub fn of_trials<E>(
        servers: &dyn StepServers,
        kinds: &[GeneratedKind],
        plan: TrialPlan,
        report: &mut dyn FnMut(&TrialStep, &StepDifference) -> Result<(), E>,
    ) -> Result<PreflightCounts, E> {
        let mut counts = PreflightCounts::default();
        for number in plan.objects.range() {
            let Some(trial) = Trial::generate(servers, kinds, plan, number) else {
                *counts.not_run.entry("the object was not created".to_owned()).or_default() += 1;
                continue;
            };
            counts.objects += 1;
            counts.managers += trial.managers();
            *counts.kinds.entry(trial.kind_name().to_owned()).or_default() += 1;
            for step in trial.steps(servers) {
                match &step.confirmation {
                    StepConfirmation::Same => counts.same += 1,
                    StepConfirmation::NotRun(why) => *counts.not_run.entry(why.clone()).or_default() += 1,
                    StepConfirmation::Different(difference) => {
                        counts.different += 1;
                        counts.false_safe += usize::from(difference.is_false_safe);
                        report(&step, difference)?;
                    }
                }
            }
        }
        Ok(counts)
    }

    /// Returns the report.
    #[must_use]
    pub fn text(&self) -> String {
        let PreflightCounts { objects, kinds, managers, same, different, false_safe, not_run } = self;
        let mut text = format!(
            "{objects} objects of {} kinds with {managers} managers: {} steps were run, {same} end as simulated, {different} \
             differ, {false_safe} are falsely safe\n",
            kinds.len(),
            same + different,
        );
        for (why, count) in not_run {
            let _ = writeln!(text, "not compared: {why} ({count})");
        }
        text
    }
}
