//! The model of a preflight.

use serde::Serialize;
use skewer_cases::format::CaseSpec;

use crate::audit::text::counted;
use crate::audit::{AuditFinding, Confirmation, ExampleStep, Severity};

/// The effects of a step on the objects of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Preflight {
    /// The step, such as `helm3..helm4 applies rendered/`.
    pub step: String,
    /// The counts.
    pub totals: Totals,
    /// The findings, worst first.
    pub findings: Vec<PreflightFinding>,
    /// The findings of the audit of a change of definitions that no object shows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without_object: Vec<AuditedChange>,
    /// The parts that were not judged, and the objects that they concern.
    pub not_judged: Vec<NotJudged>,
    /// The texts that could not be read, one message each.
    pub unreadable: Vec<String>,
    /// The results of real servers with the same objects. `None` if they were not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<Confirmation>,
}

impl Preflight {
    /// Returns the lines after the findings: what was not judged, what could not be read, and what real servers do.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> {
        let not_judged =
            self.not_judged.iter().map(|not_judged| format!("not judged: {}", not_judged.line()));
        let confirmed = self.confirmation.iter().flat_map(Confirmation::sentences);
        self.without_object
            .iter()
            .map(AuditedChange::line)
            .chain(not_judged)
            .chain(self.unreadable.iter().cloned())
            .chain(confirmed)
    }
}

/// Numbers of objects. An object that is refused and silently wrong elsewhere counts in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// The objects that were judged.
    pub judged: usize,
    /// The objects that the step creates.
    pub created: usize,
    /// The objects that it does not change.
    pub unchanged: usize,
    /// The objects that it changes.
    pub changed: usize,
    /// The objects for which a request is refused.
    pub refused: usize,
    /// The objects with a finding that no error tells of.
    pub silent: usize,
    /// The objects that the step does not concern.
    pub not_concerned: usize,
}

/// The same effect on some objects of a kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PreflightFinding {
    /// A name that depends on the kind, the cause, the path and the owner only.
    pub id: String,
    /// How bad it is.
    pub severity: Severity,
    /// The cause, such as `stuck field`.
    pub cause: String,
    /// The path of the field. Empty for the whole object.
    pub path: String,
    /// The kind of the objects.
    pub kind: String,
    /// The objects, such as `shop/cart`, sorted.
    pub objects: Vec<String>,
    /// The number of objects of the kind that were judged.
    pub of: usize,
    /// The effects, one sentence each.
    pub effects: Vec<String>,
    /// The managers that wrote the field, such as `argocd (Apply)`, if the step changes definitions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub writers: Vec<String>,
    /// The repair of the first object, which was tried in the simulation and worked there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<String>,
    /// The repairs of single objects that are commands.
    #[serde(skip)]
    pub repairs: Vec<ObjectRepair>,
    /// The case of the first object that has one, if cases are written.
    #[serde(skip)]
    pub case: Option<RequestCase>,
    /// The course of the first object, step by step.
    pub example: Vec<ExampleStep>,
}

/// A case with the request that shows a finding.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestCase {
    /// The case without its name and its expectations.
    pub case: CaseSpec,
    /// The object after the request as JSON, or the kind of the refusal.
    pub end: Result<String, String>,
}

/// A repair that was tried in the simulation and worked there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TriedRepair {
    /// The repair in words: a command or a sentence.
    pub text: String,
    /// The same as a command of `kubectl`. `None` if the repair is none.
    pub command: Option<RepairCommand>,
}

impl TriedRepair {
    /// Creates a repair that is no command of `kubectl`.
    #[must_use]
    pub fn in_words(text: String) -> Self {
        TriedRepair { text, command: None }
    }

    /// Creates a repair that is a command.
    #[must_use]
    pub fn of_command(command: RepairCommand) -> Self {
        TriedRepair { text: command.line.clone(), command: Some(command) }
    }
}

/// A command that repairs one object of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectRepair {
    /// The object, such as `shop/cart`.
    pub object: String,
    /// The command.
    pub command: RepairCommand,
}

/// A command of `kubectl` that repairs an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairCommand {
    /// The time at which it is run, such as `after helm4 has applied the manifest`.
    pub time: String,
    /// The command for a shell. More options of `kubectl` can follow.
    pub line: String,
}

/// A finding of the audit of two definitions that no object shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditedChange {
    /// The kind.
    pub kind: String,
    /// How bad it would be.
    pub severity: Severity,
    /// The path and the change.
    pub title: String,
    /// The id of the finding in `skewer audit`.
    pub id: String,
}

impl AuditedChange {
    fn line(&self) -> String {
        let AuditedChange { kind, severity, title, id } = self;
        format!("no object shows {id}: {} {kind} {title}", severity.name())
    }
}

/// Something that was not judged.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NotJudged {
    /// The part, or the reason.
    pub what: String,
    /// The number of objects that it concerns.
    pub objects: usize,
}

impl NotJudged {
    /// Returns the line of reports.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{} ({})", self.what, counted(self.objects, "object"))
    }
}

/// Maximum number of objects that a text names for a finding.
const MAX_NAMED: usize = 20;

impl PreflightFinding {
    /// Returns the objects in words, such as `3 of 41 Deployments`.
    #[must_use]
    pub fn share(&self) -> String {
        let Self { objects, of, kind, .. } = self;
        let plural = if *of == 1 { "" } else { "s" };
        format!("{} of {of} {kind}{plural}", objects.len())
    }

    /// Returns the objects by name, after their number. A long list ends with the number of the others.
    #[must_use]
    pub fn names(&self) -> String {
        let named = self.objects.iter().take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        let share = self.share();
        match self.objects.len().saturating_sub(MAX_NAMED) {
            0 => format!("{share}: {named}"),
            more => format!("{share}: {named} and {more} more"),
        }
    }

    /// Returns the effects, the writers, and the objects by name.
    pub(super) fn sentences(&self) -> impl Iterator<Item = String> {
        let writers = format!("writers: {}", self.writers.join(", "));
        let writers = Some(writers).filter(|_| !self.writers.is_empty());
        self.effects.iter().cloned().chain(writers).chain([self.names()])
    }

    /// Returns the finding without its repair, in the form in which texts show it.
    pub(super) fn as_lines(&self) -> AuditFinding {
        let subject = [self.cause.as_str(), &self.path].join("  ");
        AuditFinding {
            effects: self.sentences().collect(),
            example: self.example.clone(),
            ..AuditFinding::new(self.id.clone(), self.severity, subject.trim_end().to_owned())
        }
    }
}

impl Totals {
    /// Returns the line at the end of reports.
    #[must_use]
    pub fn line(&self) -> String {
        let counts = [
            (self.created, "created"),
            (self.unchanged, "unchanged"),
            (self.changed, "changed"),
            (self.refused, "refused"),
            (self.silent, "silently wrong"),
            (self.not_concerned, "not concerned"),
        ];
        let counts =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!(", {count} {word}"));
        format!("{}{}", counted(self.judged, "object"), counts.collect::<String>())
    }
}
