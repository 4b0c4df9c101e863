//! The report of a comparison.

use std::collections::BTreeMap;
use std::fmt::Write;

use skewer_admission::default::{drop_nulls, set_defaults};
use skewer_admission::prune::prune;
use skewer_admission::{Admission, Reviewed};

use super::compare::{AdmissionTrial, Outcome, kinds, member};
use crate::differential::smallest::Disagreement;

/// The counts of a comparison, and its smallest disagreements.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AdmissionReport {
    /// The number of trials that both sides answered.
    pub compared: u64,
    /// The number of trials on which they disagree.
    pub different: u64,
    /// The numbers of trials, by what happened in them.
    pub steps: BTreeMap<&'static str, u64>,
    /// The numbers of trials with an error of a kind.
    pub kinds: BTreeMap<String, u64>,
    /// The smallest disagreement of each combination of error kinds, the most frequent first.
    pub disagreements: Vec<Disagreement>,
    /// The first reason why a definition was not compared, by who refused it.
    pub examples: BTreeMap<&'static str, String>,
}

impl AdmissionReport {
    /// Returns true if a comparison found a disagreement, or compared nothing.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.different > 0 || self.compared == 0
    }

    pub(in crate::differential) fn step(&mut self, name: &'static str, happened: bool) {
        *self.steps.entry(name).or_default() += u64::from(happened);
    }

    pub(in crate::differential) fn count_example(&mut self, name: &'static str, why: &str) {
        self.step(name, true);
        self.examples.entry(name).or_insert_with(|| why.to_owned());
    }

    /// Counts a trial that both sides answered.
    pub(super) fn count(&mut self, trial: &AdmissionTrial, admission: &Admission, outcome: &Outcome) {
        self.compared += 1;
        if let Outcome::Different(_) = outcome {
            self.different += 1;
        }
        let Outcome::Same(answer) = outcome else { return };
        self.count_decoding(trial, admission);
        let is_refused = member(answer, "errors").is_some();
        let is_update = trial.old.is_some();
        self.step("created", !is_refused && !is_update);
        self.step("updated", !is_refused && is_update);
        self.step("refused on create", is_refused && !is_update);
        self.step("refused on update", is_refused && is_update);
        self.step("ratcheting off", is_update && !trial.ratcheting);
        self.step("rules not checked after other errors", member(answer, "rulesNotChecked").is_some());
        let has_rules = !admission.version.schema.rules.is_empty()
            || trial.definition.to_string().contains("x-kubernetes-validations");
        self.step("the definition has rules", has_rules);
        let text = answer.to_string();
        self.step("a rule does not hold", text.contains("failed rule") || text.contains("not valid\""));
        let old = trial.old.as_ref().and_then(|old| admission.decode(old, false).ok());
        let reviewed = admission.decode_and_review(old.as_ref(), &trial.new, trial.strict);
        let has_warnings = |reviewed: &Reviewed| !reviewed.warnings.is_empty();
        self.step("an error is ratcheted", reviewed.as_ref().is_ok_and(has_warnings));
        for kind in kinds(answer) {
            *self.kinds.entry(kind).or_default() += 1;
        }
    }

    fn count_decoding(&mut self, trial: &AdmissionTrial, admission: &Admission) {
        let schema = &admission.version.schema;
        let mut object = trial.new.clone();
        let pruned = !prune(schema, &mut object).is_empty();
        self.step("unknown fields pruned", pruned && !trial.strict);
        self.step("unknown fields refused", pruned && trial.strict);
        let before = object.clone();
        drop_nulls(schema, &mut object);
        self.step("nulls dropped", object != before);
        let before = object.clone();
        set_defaults(schema, &mut object);
        self.step("defaults set", object != before);
    }

    pub(in crate::differential) fn merge(&mut self, other: AdmissionReport) {
        self.compared += other.compared;
        self.different += other.different;
        for (name, count) in other.steps {
            *self.steps.entry(name).or_default() += count;
        }
        for (name, count) in other.kinds {
            *self.kinds.entry(name).or_default() += count;
        }
        for (name, why) in other.examples {
            self.examples.entry(name).or_insert(why);
        }
    }

    /// Renders the report.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        let _ = writeln!(text, "{} compared, {} different\n", self.compared, self.different);
        for (name, count) in &self.steps {
            let _ = writeln!(text, "  {name:<40}{count:>8}");
        }
        let _ = writeln!(text, "\nrequests with an error of the kind");
        for (name, count) in &self.kinds {
            let _ = writeln!(text, "  {name:<40}{count:>8}");
        }
        for (name, why) in &self.examples {
            let _ = writeln!(text, "\n{name}, for example: {why}");
        }
        for Disagreement { number, count, request, ours, theirs } in &self.disagreements {
            let _ = writeln!(text, "\ndisagreement (trial {number}, {count} like it)");
            let _ = writeln!(text, "{request}\nours:   {ours}\ntheirs: {theirs}");
        }
        text
    }
}
