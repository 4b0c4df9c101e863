//! The audit as workflow commands of GitHub Actions, which show findings at the lines of the changed files.

use std::fmt::Write as _;

use skewer_results::control_characters::escape_text;

use super::model::{AcceptedFindings, Audit, AuditFinding, Severity};
use crate::github::{escape_data, escape_property};

/// Renders one annotation for each finding: an error if it is silent, a warning if it is loud or not judged, and a notice if it is a
/// note or if it is accepted.
#[must_use]
pub fn github(audits: &[Audit], accepted: &AcceptedFindings) -> String {
    let mut out = String::new();
    for audit in audits {
        for finding in &audit.findings {
            write_annotation(audit, finding, accepted.get(&finding.id).map(String::as_str), &mut out);
        }
    }
    out
}

fn write_annotation(audit: &Audit, finding: &AuditFinding, accepted: Option<&str>, out: &mut String) {
    let command = match finding.severity {
        _ if accepted.is_some() => "notice",
        Severity::Silent => "error",
        Severity::Loud | Severity::NotJudged => "warning",
        Severity::Note => "notice",
    };
    let location =
        finding.file_and_line().map(|(file, line)| format!("file={},line={line},", escape_property(file)));
    let title = escape_property(&format!("{} {}: {}", finding.severity.name(), finding.id, finding.title()));
    let mut lines = vec![audit.subject()];
    if location.is_none() && !finding.place.is_empty() {
        lines.push(finding.place.clone());
    }
    lines.extend(finding.sentences());
    lines.extend(finding.advice.iter().map(|advice| format!("advice: {advice}")));
    lines.extend(accepted.map(|because| format!("accepted: {because}")));
    let message = escape_data(&escape_text(&lines.join("\n")));
    let _ = writeln!(out, "::{command} {}title={title}::{message}", location.unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::test_support::{audit, finding};

    #[test]
    fn the_command_is_that_of_the_severity() {
        let expected = "\
::error file=new.yaml,line=42,title=SILENT A-1e27%3A spec.config unknown fields no longer kept::\
Issuer certs.example.com/v1%0Arefused (invalid-value at spec): old clients%0Aadvice: upgrade clients first
::warning file=new.yaml,line=42,title=LOUD A-3957%3A spec.remote union member added::\
Issuer certs.example.com/v1%0Arefused (invalid-value at spec): old clients%0Aadvice: upgrade clients first
::notice title=NOTE A-a72a%3A 2 fields added%3A spec.a%2C spec.b::\
Issuer certs.example.com/v1%0Arefused (invalid-value at spec): old clients
";
        assert_eq!(github(&[audit()], &AcceptedFindings::new()), expected);
    }

    #[test]
    fn a_change_that_was_not_judged_is_a_warning() {
        let findings = vec![finding("A-0001", Severity::NotJudged)];
        let out = github(&[Audit { findings, ..audit() }], &AcceptedFindings::new());
        assert!(out.starts_with("::warning file=new.yaml,line=42,title=NOT JUDGED A-0001%3A "), "{out}");
    }

    #[test]
    fn an_accepted_finding_is_a_notice_with_the_reason() {
        let accepted = AcceptedFindings::from([("A-1e27".to_owned(), "50% unused".to_owned())]);
        let out = github(&[audit()], &accepted);
        let line = out.lines().next().unwrap();
        assert!(line.starts_with("::notice file=new.yaml,line=42,title=SILENT A-1e27%3A "), "{line}");
        assert!(line.ends_with("%0Aaccepted: 50%25 unused"), "{line}");
    }

    #[test]
    fn foreign_text_starts_no_command() {
        let hostile = "a,b::c\n::error::100%\r".to_owned();
        let finding = AuditFinding {
            change: hostile.clone(),
            place: format!("{hostile}:1"),
            effects: vec![hostile],
            ..finding("A-0001", Severity::Loud)
        };
        let out = github(&[Audit { findings: vec![finding], ..audit() }], &AcceptedFindings::new());
        assert_eq!(out.lines().count(), 1, "{out}");
        let (properties, message) = out.strip_prefix("::warning ").unwrap().split_once("::").unwrap();
        assert_eq!(properties.matches(',').count(), 2, "{out}");
        assert!(!message.contains("%0A::") && message.contains("100%25"), "{out}");
    }
}
