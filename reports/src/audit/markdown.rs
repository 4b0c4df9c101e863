//! The audit as Markdown (the GitHub flavour), for a pull request.

use std::fmt::Write as _;

use super::model::{AcceptedFindings, Audit, Finding};
use super::text::summary;
use crate::markdown::escape::{code_span, code_span_outside_tables, escape_html, escape_prose, fenced_block};

/// Renders a table of the findings of each audit. The effects, the advice and the example of each finding follow,
/// folded up.
#[must_use]
pub fn markdown(audits: &[Audit], accepted: &AcceptedFindings) -> String {
    let mut out = String::from("## Skewer: audit\n");
    for audit in audits {
        write_audit(audit, accepted, &mut out);
    }
    out
}

fn write_audit(audit: &Audit, accepted: &AcceptedFindings, out: &mut String) {
    let _ = writeln!(
        out,
        "\n### {}\n\n{} → {}: {}",
        escape_prose(&audit.subject),
        code_span_outside_tables(&audit.old),
        code_span_outside_tables(&audit.new),
        if audit.findings.is_empty() { "no findings".to_owned() } else { summary(audit) },
    );
    if !audit.findings.is_empty() {
        out.push_str("\n| severity | path | change | place | id |\n|:--|:--|:--|:--|:--|\n");
    }
    for finding in &audit.findings {
        let is_accepted = accepted.contains_key(&finding.id);
        let _ = writeln!(
            out,
            "| {}{} | {} | {} | {} | {} |",
            finding.severity.name(),
            if is_accepted { " (accepted)" } else { "" },
            code_span(&finding.path),
            escape_prose(&finding.change),
            code_span(&finding.place),
            code_span(&finding.id),
        );
    }
    for finding in &audit.findings {
        write_details(finding, accepted.get(&finding.id).map(String::as_str), out);
    }
    if !audit.not_simulated.is_empty() {
        out.push_str("\nNot simulated:\n\n");
        for text in &audit.not_simulated {
            let _ = writeln!(out, "- {}", escape_prose(text));
        }
    }
}

fn write_details(finding: &Finding, accepted: Option<&str>, out: &mut String) {
    let summary = format!("{} {}: {}", finding.severity.name(), finding.id, finding.title());
    let _ = writeln!(out, "\n<details><summary>{}</summary>\n", escape_html(&summary));
    for effect in &finding.sentences() {
        let _ = writeln!(out, "- {}", escape_prose(effect));
    }
    for advice in &finding.advice {
        let _ = writeln!(out, "- **Advice:** {}", escape_prose(advice));
    }
    if let Some(because) = accepted {
        let _ = writeln!(out, "- **Accepted:** {}", escape_prose(because));
    }
    for (index, step) in finding.example.iter().enumerate() {
        let _ = writeln!(out, "\n**Step {}:** {}", index + 1, escape_prose(&step.about));
        if !step.document.is_empty() {
            let _ = write!(out, "\n{}", fenced_block("yaml", &step.document));
        }
    }
    out.push_str("\n</details>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::Severity;
    use crate::audit::test_support::{audit, finding};

    #[test]
    fn a_table_names_the_findings_and_details_follow() {
        let accepted = AcceptedFindings::from([("A-3957".to_owned(), "no old clients".to_owned())]);
        insta::assert_snapshot!(markdown(&[audit()], &accepted));
    }

    #[test]
    fn an_audit_without_findings_has_no_table() {
        let out = markdown(&[Audit { findings: Vec::new(), ..audit() }], &AcceptedFindings::new());
        assert!(out.contains("`old.yaml` → `new.yaml`: no findings\n") && !out.contains('|'), "{out}");
    }

    #[test]
    fn foreign_text_breaks_neither_the_table_nor_the_details() {
        let hostile = "a | b\n</details> @someone ```".to_owned();
        let finding = Finding {
            path: hostile.clone(),
            change: hostile.clone(),
            place: hostile.clone(),
            effects: vec![hostile],
            ..finding("A-0001", Severity::Loud)
        };
        let out = markdown(&[Audit { findings: vec![finding], ..audit() }], &AcceptedFindings::new());
        let row = out.lines().find(|line| line.starts_with("| LOUD")).unwrap();
        assert_eq!(row.replace("\\|", "").matches('|').count(), 6, "{row}");
        let (_, details) = out.split_once("<details>").unwrap();
        assert_eq!(details.matches("</details>").count(), 1, "{details}");
    }
}
