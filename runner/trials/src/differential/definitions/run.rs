//! Execution of a comparison.

use rayon::prelude::*;
use serde_json::{Value, json};
use skewer_targets::{Target, TargetFailureKind};

use super::compare::{DefinitionComparison, DefinitionTrial, compare};
use super::edits;
use crate::differential::AdmissionPlan;
use crate::differential::admission::report::AdmissionReport;
use crate::differential::admission::run::document;
use crate::differential::admission::schemas;
use crate::differential::smallest::{Different, smallest_of_each};
use crate::random_testing::Random;

/// Purpose of the [`Random`] generators.
const PURPOSE: u64 = 23;

/// Number of trials after which progress is reported.
const CHUNK: u64 = 64;

/// The trials of a part of a comparison.
#[derive(Default)]
struct Part {
    report: AdmissionReport,
    different: Vec<Different<DefinitionTrial>>,
}

/// Compares the check of definitions with that of a target: each trial is a new definition, or an update. After some trials,
/// calls `on_progress` with their number.
///
/// # Errors
///
/// Returns a message if the target does not answer.
pub fn compare_definitions(
    plan: &AdmissionPlan,
    target: &dyn Target,
    on_progress: &(dyn Fn(u64) + Sync),
) -> Result<AdmissionReport, String> {
    let chunks: Vec<u64> = (0..plan.count.div_ceil(CHUNK)).collect();
    let compare_chunk = |chunk: &u64| {
        let numbers = chunk * CHUNK..(chunk * CHUNK + CHUNK).min(plan.count);
        let mut part = Part::default();
        let count = numbers.end - numbers.start;
        for number in numbers {
            part.add(&mut Random::new(plan.seed, PURPOSE, number), number, target)?;
        }
        on_progress(count);
        Ok(part)
    };
    let parts: Result<Vec<Part>, String> = chunks.par_iter().map(compare_chunk).collect();
    let mut all = Part::default();
    for part in parts? {
        all.report.merge(part.report);
        all.different.extend(part.different);
    }
    all.report.disagreements = smallest_of_each(all.different, target);
    Ok(all.report)
}

impl Part {
    fn add(&mut self, random: &mut Random, number: u64, target: &dyn Target) -> Result<(), String> {
        let (trial, changes) = trial(random)?;
        let is_update = trial.old.is_some();
        let report = &mut self.report;
        match compare(&trial, target) {
            DefinitionComparison::Same(answer) => {
                report.compared += 1;
                let is_refused = answer.errors.as_ref().is_none_or(|errors| !errors.is_empty());
                report.step("undecodable", answer.errors.is_none());
                report.step("accepted as a new definition", !is_refused && !is_update);
                report.step("accepted as an update", !is_refused && is_update);
                report.step("refused as a new definition", is_refused && !is_update);
                report.step("refused as an update", is_refused && is_update);
                for change in changes {
                    *report.steps.entry(change).or_default() += 1;
                }
                let mut reasons: Vec<String> =
                    answer.errors.into_iter().flatten().map(|[reason, _]| reason).collect();
                reasons.dedup();
                for reason in reasons {
                    *report.kinds.entry(reason).or_default() += 1;
                }
            }
            DefinitionComparison::Different(answers) => {
                report.compared += 1;
                report.different += 1;
                self.different.push(Different { number, kinds: answers.kinds, trial });
            }
            DefinitionComparison::NotSimulated(part) => {
                report.count_example("definitions that are not simulated", &part);
            }
            DefinitionComparison::NoAnswer(failure) if failure.why.contains("panic") => {
                report.count_example("definitions at which the target panics", &failure.why);
            }
            DefinitionComparison::NoAnswer(failure) if failure.kind == TargetFailureKind::Unsupported => {
                return Err(failure.why);
            }
            DefinitionComparison::NoAnswer(failure) => return Err(failure.why),
        }
        Ok(())
    }
}

/// Returns a trial and the names of its changes.
fn trial(random: &mut Random) -> Result<(DefinitionTrial, Vec<&'static str>), String> {
    let mut new = schemas::definition(random);
    let mut changes = Vec::new();
    let mut old = None;
    if random.chance(400) {
        for _ in 0..random.below(3) {
            changes.push(edits::change(random, &mut new));
        }
        let mut before = new.clone();
        before["status"] = status(random);
        old = Some(document(&before)?);
    }
    for _ in 0..random.below(4) {
        changes.push(edits::change(random, &mut new));
    }
    Ok((DefinitionTrial { old, new: document(&new)? }, changes))
}

/// Returns the status of an established definition.
fn status(random: &mut Random) -> Value {
    let mut status = json!({"conditions": [{"status": "True", "type": "Established"}]});
    let stored = [json!(["v1"]), json!(["v1", "v1alpha1"]), json!(["v1", "v2"]), json!([])];
    if random.chance(500) {
        status["storedVersions"] = random.pick(&stored).clone();
    }
    if random.chance(100) {
        status["acceptedNames"] = json!({"plural": random.pick_text(&["tabs", "Tabs"]), "kind": "Tab"});
    }
    status
}

#[cfg(test)]
mod tests {
    use skewer_admission::DefinitionRequest;
    use skewer_engine::OwnedDoc;
    use skewer_skew::{BuiltIn, Operations};
    use skewer_targets::{BuiltInTarget, OperationError, TargetFailure, TargetInfo};

    use super::*;

    /// The engine, which does not report errors with a reason.
    struct Forgetful(&'static str);

    impl Target for Forgetful {
        fn info(&self) -> TargetInfo {
            BuiltInTarget.info()
        }

        fn operations(&self) -> &(dyn Operations<TargetFailure> + Sync) {
            &BuiltIn
        }

        fn validate_definition(&self, request: &DefinitionRequest<'_>) -> Result<OwnedDoc, OperationError> {
            let mut answer = BuiltInTarget.validate_definition(request)?;
            let errors = answer.as_map_mut().and_then(|answer| answer.get_mut("errors")?.as_list_mut());
            if let Some(errors) = errors {
                errors.retain(|error| {
                    error.as_map().and_then(|error| error.get("reason")?.as_str()) != Some(self.0)
                });
            }
            Ok(answer)
        }
    }

    fn compare_with(target: &dyn Target, count: u64) -> AdmissionReport {
        compare_definitions(&AdmissionPlan { seed: 1, count }, target, &|_| ()).expect("answers")
    }

    #[test]
    fn the_engine_agrees_with_itself_in_trials_with_all_changes() {
        let report = compare_with(&BuiltInTarget, 300);
        assert_eq!((report.compared, report.different), (300, 0), "{}", report.text());
        let unused: Vec<&str> =
            edits::names().into_iter().filter(|name| !report.steps.contains_key(name)).collect();
        assert_eq!(unused, [""; 0]);
        for kind in ["Forbidden", "Invalid value", "Required value", "Unsupported value"] {
            assert!(report.kinds.contains_key(kind), "{kind}: {}", report.text());
        }
    }

    #[test]
    fn an_error_that_a_target_does_not_report_is_found_and_reduced() {
        let report = compare_with(&Forgetful("Unsupported value"), 100);
        assert!(report.has_failed() && report.different < 50, "{}", report.text());
        let smallest = report.disagreements.iter().map(|it| it.request.len()).min();
        // Only what causes the error is left of a definition of more than 500 bytes.
        assert!(smallest.is_some_and(|length| length < 300), "{}", report.text());
        let ours = &report.disagreements[0].ours;
        assert!(ours.contains("Unsupported value"), "{ours}");
    }
}
