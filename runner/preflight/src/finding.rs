//! The findings: the same effects on several objects.

use std::collections::{BTreeMap, BTreeSet};

use skewer_cases::yaml;
use skewer_engine::OwnedDoc;
use skewer_execute::owners::split_owners;
use skewer_reports::audit::{Confirmation, ExampleStep, Severity, id_of_texts};
use skewer_reports::preflight::{
    AuditedChange, NotJudged, ObjectRepair, Preflight, PreflightFinding, Totals,
};
use skewer_results::owners;

use crate::confirm::{AskedServers, StepConfirmation};
use crate::dump::ObjectId;
use crate::effect::{EffectCause, ObjectEffect, ObjectEnd};
use crate::evidence::writers;
use crate::request::Answered;

/// The key by which effects are grouped: the kind, the cause, the path, and the first sentence.
type GroupKey = (String, EffectCause, String, String);

/// The findings of the objects that were judged so far.
#[derive(Default)]
pub struct Findings {
    groups: BTreeMap<GroupKey, PreflightFinding>,
    /// The number of judged objects of each kind.
    judged: BTreeMap<String, usize>,
    not_judged: BTreeMap<String, usize>,
    totals: Totals,
    /// The texts that could not be read.
    pub unreadable: Vec<String>,
    confirmation: Option<Confirmation>,
    /// The objects whose repairs are looked for.
    repaired: RepairedObjects,
    /// The findings of the audit that no object shows.
    pub without_object: Vec<AuditedChange>,
}

/// The objects of a finding whose repairs are looked for. Each takes some requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RepairedObjects {
    /// The first one, which stands for the others.
    #[default]
    First,
    /// All of them.
    All,
}

/// An object that was judged.
pub struct JudgedObject<'a> {
    /// The identity.
    pub id: &'a ObjectId,
    /// The end of the object. `None` if the step only prepares the objects for later requests.
    pub end: Option<ObjectEnd>,
    /// The effects.
    pub effects: Vec<ObjectEffect>,
    /// The object before.
    pub before: Option<&'a OwnedDoc>,
    /// The requests.
    pub requests: &'a [Answered],
}

impl Findings {
    /// Creates the findings of no object. Those of each object are compared with what the asked servers do.
    #[must_use]
    pub fn of(asked: Option<AskedServers<'_>>, repaired: RepairedObjects) -> Self {
        let confirmation = asked.map(|asked| Confirmation::of(asked.version()));
        Findings { confirmation, repaired, ..Findings::default() }
    }

    /// Adds what real servers do with an object.
    pub fn add_confirmation(&mut self, id: &ObjectId, confirmed: StepConfirmation) {
        let Some(summary) = &mut self.confirmation else { return };
        let name = format!("{} {}", id.kind, id.name_in_cluster());
        match confirmed {
            StepConfirmation::Same => summary.same += 1,
            StepConfirmation::Different(difference) => {
                summary.different.push(format!("{name}: {}", difference.how));
            }
            StepConfirmation::NotRun(why) => summary.not_run.push(format!("{name}: {why}")),
        }
    }

    /// Counts an object that the step does not concern.
    pub fn add_not_concerned(&mut self) {
        self.totals.not_concerned += 1;
    }

    /// Counts a part of an object, or an object, that was not judged.
    pub fn add_not_judged(&mut self, what: String) {
        *self.not_judged.entry(what).or_default() += 1;
    }

    /// Returns true if the repair of an effect is looked for. Usually that of another object of the kind stands for it.
    #[must_use]
    pub fn needs_repair(&self, kind: &str, effect: &ObjectEffect) -> bool {
        self.repaired == RepairedObjects::All || !self.groups.contains_key(&key_of(kind, effect))
    }

    /// Returns true if a case of an effect is looked for: there is no case of the same effect on another object of the kind.
    #[must_use]
    pub fn needs_case(&self, kind: &str, effect: &ObjectEffect) -> bool {
        !self.groups.contains_key(&key_of(kind, effect)) && effect.cause.severity() != Severity::Note
    }

    /// Returns true if an object of a kind has a finding on one of the paths for which `is_one` is true.
    #[must_use]
    pub fn has_path(&self, kind: &str, is_one: &dyn Fn(&str) -> bool) -> bool {
        self.groups.keys().any(|(of, _, path, _)| of == kind && is_one(path))
    }

    /// Adds an object.
    pub fn add(&mut self, object: &JudgedObject<'_>) {
        let kind = object.id.kind.clone();
        *self.judged.entry(kind.clone()).or_default() += 1;
        let totals = &mut self.totals;
        totals.judged += 1;
        match object.end {
            Some(ObjectEnd::Created) => totals.created += 1,
            Some(ObjectEnd::Unchanged) => totals.unchanged += 1,
            Some(ObjectEnd::Changed) => totals.changed += 1,
            Some(ObjectEnd::Refused) => totals.refused += 1,
            None => {}
        }
        let is_silent = |effect: &ObjectEffect| effect.cause.severity() == Severity::Silent;
        totals.silent += usize::from(object.effects.iter().any(is_silent));
        let name = object.id.name_in_cluster();
        for effect in &object.effects {
            let key = key_of(&kind, effect);
            let finding = self.groups.entry(key).or_insert_with(|| finding_of(&kind, effect, object));
            if finding.objects.last() != Some(&name) {
                finding.objects.push(name.clone());
            }
            // The step only prepares the objects for the requests of their writers.
            if let (None, Some(before)) = (object.end, object.before) {
                finding.writers.extend(writers(before, &effect.path));
            }
            let command = effect.repair.as_ref().and_then(|repair| repair.command.clone());
            finding.repairs.extend(command.map(|command| ObjectRepair { object: name.clone(), command }));
        }
    }

    /// Returns the report.
    #[must_use]
    pub fn into_report(self, step: String) -> Preflight {
        let mut findings: Vec<PreflightFinding> = self.groups.into_values().collect();
        for finding in &mut findings {
            finding.objects.sort();
            finding.writers.sort();
            finding.writers.dedup();
            finding.of = self.judged.get(&finding.kind).copied().unwrap_or_default();
        }
        findings.sort_by_key(|finding| (finding.severity.rank(), std::cmp::Reverse(finding.objects.len())));
        let mut ids = BTreeSet::new();
        for finding in &mut findings {
            // Two findings with one hash are told apart by a second one.
            let mut salt = String::new();
            while !ids.insert(finding.id.clone()) {
                salt.push('+');
                finding.id = id(finding, &salt);
            }
        }
        let not_judged =
            self.not_judged.into_iter().map(|(what, objects)| NotJudged { what, objects }).collect();
        Preflight {
            step,
            totals: self.totals,
            findings,
            not_judged,
            unreadable: self.unreadable,
            confirmation: self.confirmation,
            without_object: self.without_object,
        }
    }
}

fn key_of(kind: &str, effect: &ObjectEffect) -> GroupKey {
    let sentence = effect.sentences.first().cloned().unwrap_or_default();
    (kind.to_owned(), effect.cause, effect.path.clone(), sentence)
}

fn finding_of(kind: &str, effect: &ObjectEffect, object: &JudgedObject<'_>) -> PreflightFinding {
    let mut finding = PreflightFinding {
        id: String::new(),
        severity: effect.cause.severity(),
        cause: effect.cause.name().to_owned(),
        path: effect.path.clone(),
        kind: kind.to_owned(),
        objects: Vec::new(),
        of: 0,
        effects: effect.sentences.clone(),
        repair: effect.repair.as_ref().map(|repair| repair.text.clone()),
        writers: Vec::new(),
        repairs: Vec::new(),
        case: effect.case.clone(),
        example: example(object),
    };
    finding.id = id(&finding, "");
    finding
}

fn id(finding: &PreflightFinding, salt: &str) -> String {
    let sentence = finding.effects.first().map_or("", String::as_str);
    let title = format!("{} {} {sentence}{salt}", finding.kind, finding.cause);
    id_of_texts('P', [finding.path.as_str(), &title])
}

/// Returns the course of an object, step by step.
fn example(object: &JudgedObject<'_>) -> Vec<ExampleStep> {
    let step = |about: String, document: &OwnedDoc| ExampleStep { about, document: document_text(document) };
    let mut steps = vec![match object.before {
        Some(before) => step(format!("the object {}", object.id.name_in_cluster()), before),
        None => ExampleStep { about: "the object does not exist".to_owned(), document: String::new() },
    }];
    for answered in object.requests {
        let request = &answered.request;
        let force = if request.force { ", forced" } else { "" };
        let about = format!("{} ({} as {}{force})", request.about, request.request.name(), request.manager);
        steps.push(step(about, &request.document));
        steps.push(match &answered.end {
            Ok(object) => step("the object after it".to_owned(), object),
            Err(error) => ExampleStep {
                about: format!("refused: {}: {error}", error.describe_kind()),
                document: String::new(),
            },
        });
    }
    steps
}

/// Returns an object as YAML, with the owners of its fields as a comment.
fn document_text(object: &OwnedDoc) -> String {
    let (object, owned) = split_owners(object);
    let mut text = yaml::write(&object);
    for line in owners::text(&owned).lines() {
        text.push_str("# ");
        text.push_str(line);
        text.push('\n');
    }
    text
}
