//! An audit on servers of several releases.

use skewer_reports::audit::{Audit, AuditFinding};

/// The audits on servers of one release.
pub struct AuditsOfRelease {
    /// The minor version of the release.
    pub minor: u32,
    /// The audits.
    pub audits: Vec<Audit>,
}

/// Joins the audits on servers of several releases, the oldest first. A sentence that is not true on all servers names those
/// on which it is.
#[must_use]
pub fn across_releases(releases: Vec<AuditsOfRelease>) -> Vec<Audit> {
    let minors: Vec<u32> = releases.iter().map(|release| release.minor).collect();
    let mut joined: Vec<(Audit, Vec<JoinedFinding>)> = Vec::new();
    // What is equal on all servers is said as on the newest ones.
    for AuditsOfRelease { minor, audits } in releases.into_iter().rev() {
        for mut audit in audits {
            let findings = std::mem::take(&mut audit.findings);
            let is_same = |(known, _): &(Audit, Vec<JoinedFinding>)| {
                (&known.definition, &known.versions) == (&audit.definition, &audit.versions)
            };
            let at = joined.iter().position(is_same);
            if let Some(at) = at {
                joined[at].0.situations += audit.situations;
            } else {
                joined.push((audit, Vec::new()));
            }
            let at = at.unwrap_or(joined.len() - 1);
            for finding in findings {
                join(&mut joined[at].1, finding, minor);
            }
        }
    }
    let finished = joined.into_iter().map(|(audit, findings)| {
        let mut findings: Vec<AuditFinding> =
            findings.into_iter().map(|finding| finding.finished(&minors)).collect();
        super::sort(&mut findings);
        Audit { findings, ..audit }
    });
    finished.collect()
}

/// A finding, and on which servers each of its sentences is true.
struct JoinedFinding {
    finding: AuditFinding,
    sentences: Vec<(String, Vec<u32>)>,
}

/// Adds a finding on servers of a release. A known finding becomes as bad as this one.
fn join(known: &mut Vec<JoinedFinding>, finding: AuditFinding, minor: u32) {
    let is_same =
        |known: &JoinedFinding| (&known.finding.id, &known.finding.path) == (&finding.id, &finding.path);
    let at = known.iter().position(is_same).unwrap_or_else(|| {
        known.push(JoinedFinding { finding: finding.clone(), sentences: Vec::new() });
        known.len() - 1
    });
    let joined = &mut known[at];
    for text in &finding.effects {
        match joined.sentences.iter_mut().find(|(known, _)| known == text) {
            Some((_, minors)) => minors.push(minor),
            None => joined.sentences.push((text.clone(), vec![minor])),
        }
    }
    if finding.severity.rank() < joined.finding.severity.rank() {
        joined.finding = finding;
    }
}

impl JoinedFinding {
    fn finished(self, all: &[u32]) -> AuditFinding {
        let effects = self.sentences.into_iter().map(|(text, minors)| match servers(&minors, all) {
            None => text,
            Some(servers) => format!("{text} ({servers})"),
        });
        AuditFinding { effects: effects.collect(), ..self.finding }
    }
}

/// Names servers, the newest first. `None` if they are all of those that were asked.
fn servers(minors: &[u32], all: &[u32]) -> Option<String> {
    let (first, last) = (minors.last()?, minors.first()?);
    if minors.len() == all.len() {
        return None;
    }
    let is_range = all.iter().filter(|minor| (first..=last).contains(minor)).count() == minors.len();
    Some(match (is_range, all.first() == Some(first), all.last() == Some(last)) {
        (true, true, _) => format!("servers until 1.{last}"),
        (true, _, true) => format!("servers since 1.{first}"),
        _ => {
            let names: Vec<String> = minors.iter().rev().map(|minor| format!("1.{minor}")).collect();
            format!("servers {}", names.join(", "))
        }
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_reports::audit::Severity;

    use super::*;

    #[rstest]
    #[case::all(&[30, 29, 28], None)]
    #[case::old(&[29, 28], Some("servers until 1.29"))]
    #[case::new(&[30, 29], Some("servers since 1.29"))]
    #[case::oldest(&[28], Some("servers until 1.28"))]
    #[case::middle(&[29], Some("servers 1.29"))]
    #[case::ends(&[30, 28], Some("servers 1.28, 1.30"))]
    fn servers_are_named(#[case] minors: &[u32], #[case] expected: Option<&str>) {
        assert_eq!(servers(minors, &[28, 29, 30]).as_deref(), expected);
    }

    /// On a server that refuses the definition, nothing else matters.
    #[test]
    fn what_is_about_the_whole_definition_comes_first() {
        let of = |path: &str| AuditFinding {
            path: path.to_owned(),
            ..AuditFinding::new(format!("A-{path}"), Severity::Loud, "changed".to_owned())
        };
        let audits =
            |minor, findings| AuditsOfRelease { minor, audits: vec![Audit { findings, ..Audit::default() }] };
        let joined = across_releases(vec![audits(29, vec![of("")]), audits(30, vec![of("spec.a")])]);
        let paths: Vec<&str> = joined[0].findings.iter().map(|finding| finding.path.as_str()).collect();
        assert_eq!(paths, ["", "spec.a"]);
    }

    #[test]
    fn a_finding_is_as_bad_as_on_the_worst_server() {
        let finding = |severity, effects: &[&str]| AuditFinding {
            effects: effects.iter().map(|&effect| effect.to_owned()).collect(),
            ..AuditFinding::new("A-0001".to_owned(), severity, "changed".to_owned())
        };
        let audits = |minor, finding| AuditsOfRelease {
            minor,
            audits: vec![Audit { findings: vec![finding], situations: 2, ..Audit::default() }],
        };
        let old = audits(29, finding(Severity::Loud, &["refused: new objects", "refused: stored objects"]));
        let new = audits(30, finding(Severity::Note, &["refused: new objects"]));
        let joined = across_releases(vec![old, new]);
        let [audit] = joined.as_slice() else { panic!("{joined:#?}") };
        assert_eq!((audit.findings[0].severity, audit.situations), (Severity::Loud, 4));
        assert_eq!(
            audit.findings[0].effects,
            ["refused: new objects", "refused: stored objects (servers until 1.29)"]
        );
    }
}
