//! Groups of findings: the same change, with the same effects, of several elements or versions.

use std::collections::BTreeMap;

use super::model::{Audit, AuditFinding, Severity, id_of_texts, subject_of};

/// The audits of the versions of one kind between the same two inputs, as one part of a report.
pub(super) struct Section<'a> {
    /// The audits. There is at least one.
    pub(super) audits: Vec<&'a Audit>,
    /// The findings, as they are ordered in the audits.
    pub(super) groups: Vec<FindingGroup<'a>>,
}

/// The findings with one change and the same effects.
pub struct FindingGroup<'a> {
    /// One finding for each element. There is at least one.
    pub(super) members: Vec<GroupedFinding<'a>>,
}

/// A finding, and where it is in each version.
pub(super) struct GroupedFinding<'a> {
    pub(super) finding: &'a AuditFinding,
    /// The audits that have the finding, and its place in each.
    pub(super) places: Vec<(&'a Audit, &'a str)>,
}

impl<'a> Section<'a> {
    /// Makes the sections of a report. Audits that belong together follow each other.
    pub(super) fn all(audits: &'a [Audit]) -> Vec<Self> {
        let belongs = |a: &Audit, b: &Audit| {
            (&a.definition, &a.old, &a.new) == (&b.definition, &b.old, &b.new) && !a.versions.is_empty()
        };
        audits.chunk_by(belongs).map(Section::of).collect()
    }

    /// Returns the kind with its versions, such as `Issuer certs.example.com/v1beta1, v1`.
    pub(super) fn title(&self) -> String {
        let versions: Vec<&str> = self.audits.iter().map(|audit| audit.versions.as_str()).collect();
        subject_of(&self.audits[0].definition, &versions.join(", "))
    }

    /// Returns what was not simulated in one of the audits.
    pub(super) fn not_simulated(&self) -> Vec<&'a str> {
        let mut not_simulated: Vec<&str> = Vec::new();
        for reason in self.audits.iter().flat_map(|audit| &audit.not_simulated) {
            if !not_simulated.contains(&reason.as_str()) {
                not_simulated.push(reason);
            }
        }
        not_simulated
    }

    /// Names the lines of a finding. The heading of the section has the names of the files.
    pub(super) fn places(&self, member: &GroupedFinding<'_>) -> String {
        let of_audit = |(audit, place): &(&Audit, &str)| {
            let file = |name: &str| name.split_once('#').map_or(name.to_owned(), |(file, _)| file.to_owned());
            let (old, new) = (file(&audit.old), file(&audit.new));
            let line = |file: &str| place.strip_prefix(file).and_then(|rest| rest.strip_prefix(':'));
            let line = match (line(&new), line(&old)) {
                (Some(line), _) => format!("line {line}"),
                (None, Some(line)) => format!("line {line} (old)"),
                (None, None) => (*place).to_owned(),
            };
            let words = if self.audits.len() == 1 { vec![line] } else { vec![audit.versions.clone(), line] };
            words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
        };
        member.places.iter().map(of_audit).collect::<Vec<_>>().join(", ")
    }

    fn of(audits: &'a [Audit]) -> Self {
        let mut groups: Vec<FindingGroup<'a>> = Vec::new();
        let mut by_content: BTreeMap<Content, usize> = BTreeMap::new();
        for audit in audits {
            for finding in &audit.findings {
                let at = *by_content.entry(Content::of(finding)).or_insert(groups.len());
                if at == groups.len() {
                    groups.push(FindingGroup { members: Vec::new() });
                }
                groups[at].push(audit, finding);
            }
        }
        groups.sort_by_key(|group| group.first().severity.rank());
        Section { audits: audits.iter().collect(), groups }
    }
}

/// The content that the findings of a group share. Changes that were not judged share only the reason.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Content {
    rank: usize,
    change: Option<String>,
    paths: Vec<String>,
    sentences: Vec<String>,
    advice: Vec<String>,
}

impl Content {
    fn of(finding: &AuditFinding) -> Self {
        Content {
            rank: finding.severity.rank(),
            change: (finding.severity != Severity::NotJudged).then(|| finding.change.clone()),
            paths: finding.paths.clone(),
            sentences: finding.sentences(),
            advice: finding.advice.clone(),
        }
    }
}

impl<'a> FindingGroup<'a> {
    /// Makes the groups of a report, in its order.
    #[must_use]
    pub fn all(audits: &'a [Audit]) -> Vec<Self> {
        Section::all(audits).into_iter().flat_map(|section| section.groups).collect()
    }

    fn push(&mut self, audit: &'a Audit, finding: &'a AuditFinding) {
        let is_same = |member: &&mut GroupedFinding<'a>| {
            (&member.finding.id, &member.finding.path) == (&finding.id, &finding.path)
        };
        match self.members.iter_mut().find(is_same) {
            Some(member) => member.places.push((audit, &finding.place)),
            None => self.members.push(GroupedFinding { finding, places: vec![(audit, &finding.place)] }),
        }
    }

    /// Returns the finding that stands for the group.
    #[must_use]
    pub fn first(&self) -> &'a AuditFinding {
        self.members[0].finding
    }

    /// Returns the findings, one for each element.
    pub fn findings(&self) -> impl Iterator<Item = &'a AuditFinding> {
        self.members.iter().map(|member| member.finding)
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = &'a str> {
        self.findings().map(|finding| finding.id.as_str())
    }

    /// Returns the id of the finding, or else that of the group, such as `G-1f2e`: another set of findings has another id.
    #[must_use]
    pub fn id(&self) -> String {
        match self.members.as_slice() {
            [one] => one.finding.id.clone(),
            _ => id_of_texts('G', self.ids()),
        }
    }

    /// Returns what was changed, and the value that shows it. The findings of a group can have different changes if they
    /// were not judged.
    pub(super) fn title(&self) -> String {
        let first = self.first();
        if let [_] = self.members.as_slice() {
            return first.title();
        }
        let count = self.members.len();
        if self.has_one_change() {
            let shown = if first.shown.is_empty() { String::new() } else { format!(": {}", first.shown) };
            format!("{}, at {count} paths{shown}", first.change)
        } else {
            format!("{count} changes")
        }
    }

    pub(super) fn has_one_change(&self) -> bool {
        self.members.iter().all(|member| member.finding.change == self.first().change)
    }
}

/// Counts the groups of each severity, in words for a summary line, such as `1 silent, 2 loud, 3 notes`.
pub(super) fn counts<'g>(groups: impl IntoIterator<Item = &'g FindingGroup<'g>>) -> String {
    let mut counts: BTreeMap<usize, (Severity, usize)> = BTreeMap::new();
    for group in groups {
        let severity = group.first().severity;
        counts.entry(severity.rank()).or_insert((severity, 0)).1 += 1;
    }
    let words = counts.into_values().map(|(severity, count)| {
        let plural = if severity == Severity::Note && count != 1 { "s" } else { "" };
        format!("{count} {}{plural}", severity.name().to_lowercase())
    });
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::test_support::{audit, finding};

    fn at(path: &str, id: &str) -> AuditFinding {
        AuditFinding { path: path.to_owned(), ..finding(id, Severity::Loud) }
    }

    #[test]
    fn the_same_change_of_several_elements_is_one_group() {
        let other = AuditFinding { effects: vec!["lost: old clients".to_owned()], ..at("spec.c", "A-0003") };
        let findings = vec![at("spec.a", "A-0001"), at("spec.b", "A-0002"), other];
        let audits = [Audit { findings, ..audit() }];
        let groups = FindingGroup::all(&audits);
        let ids: Vec<Vec<&str>> = groups.iter().map(|group| group.ids().collect()).collect();
        assert_eq!(ids, [vec!["A-0001", "A-0002"], vec!["A-0003"]]);
        assert_eq!(groups[0].title(), "union member added, at 2 paths");
        assert_eq!(groups[1].id(), "A-0003");
        assert_eq!(counts(&groups), "2 loud");
    }

    #[test]
    fn the_same_finding_of_two_versions_is_one_member() {
        let of_version = |versions: &str, place: &str| Audit {
            versions: versions.to_owned(),
            findings: vec![AuditFinding { place: place.to_owned(), ..at("spec.a", "A-0001") }],
            ..audit()
        };
        let audits = [of_version("v1", "new.yaml:1"), of_version("v1beta1", "new.yaml:9")];
        let groups = FindingGroup::all(&audits);
        let [group] = groups.as_slice() else { panic!("{} groups", groups.len()) };
        let places: Vec<&str> = group.members[0].places.iter().map(|(_, place)| *place).collect();
        assert_eq!((group.id().as_str(), places), ("A-0001", vec!["new.yaml:1", "new.yaml:9"]));
        // Two kinds with one field of the same name are two sections.
        let audits = [audit(), Audit { definition: "Other example.com".to_owned(), ..audit() }];
        assert_eq!(Section::all(&audits).len(), 2);
    }

    #[test]
    fn the_id_of_a_group_is_that_of_its_findings() {
        let id = |ids: &[&str]| {
            let paths = ["spec.a", "spec.b", "spec.c"];
            let findings = ids.iter().zip(paths).map(|(id, path)| at(path, id)).collect();
            FindingGroup::all(&[Audit { findings, ..audit() }])[0].id()
        };
        assert_eq!(id(&["A-0001", "A-0002"]), id(&["A-0001", "A-0002"]));
        assert_ne!(id(&["A-0001", "A-0002"]), id(&["A-0001", "A-0002", "A-0003"]));
    }
}
