//! The model of an audit.

use std::collections::BTreeMap;

use serde::Serialize;
use skewer_cases::format::{CaseSpec, SchemaSpec};

/// The most paths of a finding that are shown if the rest is folded.
pub(super) const SHOWN_PATHS: usize = 5;

/// The ids of the findings that were accepted, as in the findings, and the reasons.
pub type AcceptedFindings = BTreeMap<String, String>;

/// The effects of a change of types on stored objects, and on clients and servers of another version.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Audit {
    /// The kind of the objects, such as `Issuer certs.example.com`.
    pub definition: String,
    /// The version of the kind, such as `v1`, or both versions that are compared. Empty if the kind has its version.
    pub versions: String,
    /// The name of the old types.
    pub old: String,
    /// The name of the new types.
    pub new: String,
    /// The number of changes.
    pub changes: usize,
    /// The number of changes that were not judged: no situation showed what they do.
    pub not_judged: usize,
    /// The number of situations that were run.
    pub situations: usize,
    /// The changes that were not judged, and then the findings, worst first.
    pub findings: Vec<AuditFinding>,
    /// The parts that were not simulated, with the place in the input.
    pub not_simulated: Vec<String>,
    /// Whether each client preserves the data.
    pub preserved: Vec<PreservedRow>,
    /// The old and the new types, for the cases of the findings. Empty if there are no cases.
    #[serde(skip)]
    pub schemas: Vec<SchemaSpec>,
}

/// Whether a client preserves the data, in each relation of the object and the client to the change.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PreservedRow {
    /// The client, such as `kubectl`.
    pub client: String,
    /// The action, such as `apply`.
    pub operation: String,
    /// The situations, and the worst outcome in each.
    pub outcomes: Vec<(String, Preserved)>,
}

/// Whether the data of objects is preserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preserved {
    /// In all situations that were run.
    Yes,
    /// A request is refused, and no data is lost.
    Refused,
    /// Data is lost or changed.
    No,
    /// No situation was run.
    NotRun,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Data is lost or wrong, and every request succeeds.
    Silent,
    /// Requests are refused.
    Loud,
    /// No situation showed what the change does.
    NotJudged,
    /// True, but rarely a problem.
    Note,
}

impl Severity {
    /// Returns the word in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Silent => "SILENT",
            Severity::Loud => "LOUD",
            Severity::NotJudged => "NOT JUDGED",
            Severity::Note => "NOTE",
        }
    }

    /// All severities, the worst first.
    pub const ALL: [Severity; 4] = [Severity::Silent, Severity::Loud, Severity::NotJudged, Severity::Note];

    /// Returns the meaning, in a phrase.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Severity::Silent => "data is lost or wrong, and every request succeeds, so that nobody is told",
            Severity::Loud => {
                "requests are refused, or clients cannot read objects: whoever sends or reads them sees an error"
            }
            Severity::NotJudged => "no situation showed what the change does: it can be harmless or not",
            Severity::Note => "true, but rarely a problem",
        }
    }

    /// Returns the place in reports: what was not judged comes first, then the worst.
    #[must_use]
    pub const fn rank(self) -> usize {
        match self {
            Severity::NotJudged => 0,
            Severity::Silent => 1,
            Severity::Loud => 2,
            Severity::Note => 3,
        }
    }
}

/// The effects of one cause.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditFinding {
    /// A name that stays the same when other changes are made.
    pub id: String,
    /// How bad it is.
    pub severity: Severity,
    /// The path of the changed element, such as `spec.vault`. Empty for a finding on several elements, or on none.
    pub path: String,
    /// The paths of a finding on several elements.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// The description of the change.
    pub change: String,
    /// The fate of a value that shows the finding, such as `"http:a" is refused`. Empty if no value shows it.
    pub shown: String,
    /// The place in the input, such as `new.yaml:48`. Empty if it is not known.
    pub place: String,
    /// The effects, one sentence each.
    pub effects: Vec<String>,
    /// The remedy.
    pub advice: Vec<String>,
    /// The smallest situation, step by step.
    pub example: Vec<ExampleStep>,
    /// The results of real servers in the situations of the finding. `None` if they were not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<Confirmation>,
    /// Cases that show the effects, if they are wanted.
    #[serde(skip)]
    pub cases: Vec<FindingCase>,
    /// The old types, and the same types with only this change, for the cases that need them.
    #[serde(skip)]
    pub schemas: Vec<SchemaSpec>,
}

/// The results of real servers in the situations of a finding, compared with the simulation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Confirmation {
    /// The version of the servers.
    pub server: String,
    /// Number of situations that ended as in the simulation.
    pub same: usize,
    /// The situations that ended in another way.
    pub different: Vec<String>,
    /// The reasons for which situations were not run.
    pub not_run: Vec<String>,
}

impl Confirmation {
    /// Returns the confirmation by a server that was not asked yet.
    #[must_use]
    pub fn of(server: String) -> Self {
        Confirmation { server, same: 0, different: Vec::new(), not_run: Vec::new() }
    }

    /// Returns the sentences of reports.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let Confirmation { server, same, different, not_run } = self;
        let all = same + different.len();
        let mut sentences = Vec::new();
        if all > 0 {
            let situations = if all == 1 { "situation" } else { "situations" };
            sentences.push(if different.is_empty() {
                format!("confirmed: {same} of {all} {situations} end the same on kube-apiserver {server}")
            } else {
                format!("NOT CONFIRMED: {same} of {all} {situations} end the same on kube-apiserver {server}")
            });
        }
        sentences.extend(different.iter().map(|how| format!("differs: {how}")));
        sentences.extend(not_run.iter().map(|why| format!("not run on kube-apiserver {server}: {why}")));
        sentences
    }
}

/// A case that shows a finding.
#[derive(Clone, Debug, PartialEq)]
pub struct FindingCase {
    /// The name of the case.
    pub id: String,
    /// The subject of the case.
    pub about: String,
    /// Whether the new types have only the change of the finding, because other changes hide the effect.
    pub is_isolated: bool,
    /// The case without its name, its types and its expectations.
    pub case: CaseSpec,
}

/// Returns an id of a letter and four hexadecimal digits, such as `A-1f2e`, that depends on some texts only.
#[must_use]
pub fn id_of_texts<'t>(letter: char, texts: impl IntoIterator<Item = &'t str>) -> String {
    // FNV-1a: the id must be the same on every machine and in every release.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for (index, text) in texts.into_iter().enumerate() {
        let separator = (index > 0).then_some(0);
        for byte in separator.into_iter().chain(text.bytes()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{letter}-{:04x}", hash & 0xffff)
}

impl Audit {
    /// Returns the kind with its version, such as `Issuer certs.example.com/v1`.
    #[must_use]
    pub fn subject(&self) -> String {
        subject_of(&self.definition, &self.versions)
    }
}

pub(super) fn subject_of(definition: &str, versions: &str) -> String {
    if versions.is_empty() { definition.to_owned() } else { format!("{definition}/{versions}") }
}

impl AuditFinding {
    /// Returns a finding on no element, without effects.
    #[must_use]
    pub fn new(id: String, severity: Severity, change: String) -> Self {
        AuditFinding {
            id,
            severity,
            path: String::new(),
            paths: Vec::new(),
            change,
            shown: String::new(),
            place: String::new(),
            effects: Vec::new(),
            advice: Vec::new(),
            example: Vec::new(),
            confirmation: None,
            cases: Vec::new(),
            schemas: Vec::new(),
        }
    }

    /// Returns what was changed, with its path, and the value that shows it.
    #[must_use]
    pub fn title(&self) -> String {
        [self.path.as_str(), &self.change_and_value()].join(" ").trim().to_owned()
    }

    /// Returns what was changed, and the value that shows it.
    pub(super) fn change_and_value(&self) -> String {
        let details = if self.paths.is_empty() { self.shown.clone() } else { self.paths.join(", ") };
        if details.is_empty() { self.change.clone() } else { format!("{}: {details}", self.change) }
    }

    /// Returns what was changed, and the first paths. `None` if these are almost all.
    pub(super) fn change_and_first_paths(&self) -> Option<String> {
        let more = self.paths.len().checked_sub(SHOWN_PATHS).filter(|more| *more > 1)?;
        Some(format!("{}: {} and {more} more", self.change, self.paths[..SHOWN_PATHS].join(", ")))
    }

    /// Returns what happens, and what real servers did, one sentence each.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let confirmed = self.confirmation.iter().flat_map(Confirmation::sentences);
        self.effects.iter().cloned().chain(confirmed).collect()
    }

    /// Returns the file and the line, if the place is in a file. A place in a commit (`git:REF:PATH`) is in none.
    pub(super) fn file_and_line(&self) -> Option<(&str, u64)> {
        let (file, line) = self.place.rsplit_once(':')?;
        let line = line.parse().ok().filter(|line| *line > 0)?;
        (!file.is_empty() && !file.starts_with("git:")).then_some((file, line))
    }
}

/// One step of an example.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExampleStep {
    /// The event.
    pub about: String,
    /// The document, as YAML. Empty if the step has none.
    pub document: String,
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::audit::test_support::finding;

    #[rstest]
    #[case::file("a/new.yaml:48", Some(("a/new.yaml", 48)))]
    #[case::colon("a:b.yaml:1", Some(("a:b.yaml", 1)))]
    #[case::unknown("", None)]
    #[case::no_line("new.yaml", None)]
    #[case::line_zero("new.yaml:0", None)]
    #[case::commit("git:main:new.yaml:48", None)]
    fn a_place_in_a_file_has_a_line(#[case] place: &str, #[case] expected: Option<(&str, u64)>) {
        let finding = AuditFinding { place: place.to_owned(), ..finding("A-0001", Severity::Loud) };
        assert_eq!(finding.file_and_line(), expected);
    }
}
