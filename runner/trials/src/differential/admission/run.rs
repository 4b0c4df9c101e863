//! Execution of a comparison.

use std::ops::Range;

use rayon::prelude::*;
use serde_json::Value;
use skewer_engine::OwnedDoc;
use skewer_engine::document::from_json;
use skewer_targets::{Target, TargetFailureKind};

use super::compare::{AdmissionTrial, Outcome, compare};
use super::report::AdmissionReport;
use super::{objects, schemas};
use crate::differential::smallest::{Different, smallest_of_each};
use crate::random_testing::Random;

/// Purpose of the [`Random`] generators.
const PURPOSE: u64 = 19;

const TRIALS_PER_DEFINITION: u64 = 16;

/// Number of definitions that are tried for a group of trials. Servers refuse some random definitions.
const MAX_DEFINITIONS: u64 = 20;

/// The trials of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct AdmissionPlan {
    /// Seed of the random numbers.
    pub seed: u64,
    /// Number of trials.
    pub count: u64,
}

/// Trials whose definition is compiled only once.
struct TrialGroup {
    definition: Value,
    /// A request with the definition.
    probe: AdmissionTrial,
    numbers: Range<u64>,
}

/// Compares the engine with a target. After each group of trials, calls `on_progress` with its size.
///
/// # Errors
///
/// Returns a message if the target does not answer, or if the generator makes no definition that the target accepts.
pub fn compare_admission(
    plan: &AdmissionPlan,
    target: &dyn Target,
    on_progress: &(dyn Fn(u64) + Sync),
) -> Result<AdmissionReport, String> {
    let groups: Vec<u64> = (0..plan.count.div_ceil(TRIALS_PER_DEFINITION)).collect();
    let compared = groups
        .par_iter()
        .map(|group| {
            let first = group * TRIALS_PER_DEFINITION;
            let count = TRIALS_PER_DEFINITION.min(plan.count - first);
            let compared = compare_group(plan.seed, first..first + count, target);
            on_progress(count);
            compared
        })
        .collect::<Result<Vec<_>, String>>();
    let mut report = AdmissionReport::default();
    let mut different = Vec::new();
    for (group, trials) in compared? {
        report.merge(group);
        different.extend(trials);
    }
    report.disagreements = smallest_of_each(different, target);
    Ok(report)
}

fn compare_group(
    seed: u64,
    numbers: Range<u64>,
    target: &dyn Target,
) -> Result<(AdmissionReport, Vec<Different<AdmissionTrial>>), String> {
    let first = numbers.start;
    let mut report = AdmissionReport::default();
    for attempt in 0..MAX_DEFINITIONS {
        let mut random = Random::new(seed, PURPOSE + (attempt << 8), first);
        let definition = schemas::definition(&mut random);
        let document = document(&definition)?;
        let probe = AdmissionTrial {
            definition: document,
            old: None,
            new: self::document(&objects::object(&mut random, &definition, 0))?,
            strict: false,
            ratcheting: true,
        };
        match compare(&probe, None, target) {
            Outcome::DefinitionRefused(why) => report.count_example("definitions that servers refuse", &why),
            Outcome::NotSimulated(why) => report.count_example("definitions that are not simulated", &why),
            Outcome::NoAnswer(failure) => return Err(failure.why),
            Outcome::Same(_) | Outcome::Different(_) | Outcome::OldRefused => {
                let group = TrialGroup { definition, probe, numbers };
                let different = compare_objects(&mut report, &mut random, group, target)?;
                return Ok((report, different));
            }
        }
    }
    Err(format!("no definition of trial {first} is accepted: {:?}", report.examples))
}

fn compare_objects(
    report: &mut AdmissionReport,
    random: &mut Random,
    TrialGroup { definition, probe, numbers }: TrialGroup,
    target: &dyn Target,
) -> Result<Vec<Different<AdmissionTrial>>, String> {
    let mut different = Vec::new();
    // Ratcheting is switched for the whole process of the target, which compiles the definition once for each value.
    let ratcheting = !random.chance(150);
    let request = AdmissionTrial { ratcheting, ..probe };
    let Ok(admission) = request.request().admission() else {
        report.compared += 1;
        report.different += 1;
        let kinds = [vec!["refused".to_owned()], Vec::new()];
        return Ok(vec![Different { number: numbers.start, trial: request, kinds }]);
    };
    for number in numbers {
        let mistakes = *random.pick(&[0, 20, 50, 120]);
        let old = random.chance(550).then(|| objects::object(random, &definition, mistakes));
        let new = match &old {
            Some(old) => objects::changed(random, &definition, old, mistakes / 2),
            None => objects::object(random, &definition, mistakes),
        };
        let trial = AdmissionTrial {
            old: old.as_ref().map(document).transpose()?,
            new: document(&new)?,
            strict: random.chance(200),
            ..request.clone()
        };
        let outcome = compare(&trial, Some(&admission), target);
        match &outcome {
            Outcome::Same(_) => report.count(&trial, &admission, &outcome),
            Outcome::Different(answers) => {
                report.count(&trial, &admission, &outcome);
                different.push(Different { number, kinds: answers.kinds.clone(), trial });
            }
            Outcome::NoAnswer(failure) if failure.kind == TargetFailureKind::Unsupported => {
                report.count_example("requests that the target cannot make", &failure.why);
            }
            Outcome::NoAnswer(failure) => return Err(failure.why.clone()),
            Outcome::OldRefused => report.count_example("stored objects that cannot be read", ""),
            Outcome::DefinitionRefused(why) | Outcome::NotSimulated(why) => {
                report.count_example("definitions that are refused later", why);
            }
        }
    }
    Ok(different)
}

pub(in crate::differential) fn document(value: &Value) -> Result<OwnedDoc, String> {
    let text = serde_json::to_vec(value).map_err(|error| error.to_string())?;
    from_json(&text).map(|document| document.to_static()).map_err(|error| error.to_string())
}
