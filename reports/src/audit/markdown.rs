//! Audits in Markdown, for pull requests.

use std::fmt::Write as _;

use super::model::Audit;
use crate::markdown::escape::escape_prose;

/// Renders audits: a table of findings for each, and the effects of each finding.
#[must_use]
pub fn markdown(audits: &[Audit]) -> String {
    let mut out = String::new();
    for audit in audits {
        let _ = writeln!(out, "## {}\n", escape_prose(&audit.subject));
        let _ = writeln!(out, "{} → {}\n", escape_prose(&audit.old), escape_prose(&audit.new));
        if audit.findings.is_empty() {
            out.push_str("No finding.\n\n");
        } else {
            out.push_str("| | element | change | place | id |\n|:--|:--|:--|:--|:--|\n");
        }
        for finding in &audit.findings {
            let cells =
                [&finding.path, &finding.change, &finding.place, &finding.id].map(|text| escape_prose(text));
            let _ =
                writeln!(out, "| **{}** | {} |", finding.severity.name().to_lowercase(), cells.join(" | "));
        }
        for finding in audit.findings.iter().filter(|finding| !finding.effects.is_empty()) {
            let _ = writeln!(out, "\n**{}** {}\n", finding.id, escape_prose(&finding.path));
            for effect in &finding.effects {
                let _ = writeln!(out, "- {}", escape_prose(effect));
            }
            for advice in &finding.advice {
                let _ = writeln!(out, "- advice: {}", escape_prose(advice));
            }
        }
        if !audit.not_simulated.is_empty() {
            out.push_str("\nNot simulated:\n\n");
        }
        for reason in &audit.not_simulated {
            let _ = writeln!(out, "- {}", escape_prose(reason));
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::audit::{Finding, Severity};

    pub(in crate::audit) fn audit() -> Audit {
        Audit {
            subject: "Thing example.com/v1".to_owned(),
            findings: vec![Finding {
                id: "A-1".to_owned(),
                severity: Severity::Silent,
                path: "spec.a".to_owned(),
                change: "list type atomic -> map[name]".to_owned(),
                place: "new.yaml:12".to_owned(),
                effects: vec!["lost: a".to_owned()],
                advice: Vec::new(),
                example: Vec::new(),
            }],
            ..Audit::default()
        }
    }

    #[test]
    fn a_finding_is_a_row_with_its_effects_below() {
        let text = markdown(&[audit()]);
        let row = "| **silent** | spec.a | list type atomic -&gt; map\\[name\\] | new.yaml:12 | A-1 |";
        assert!(text.lines().any(|line| line == row), "{text}");
        assert!(text.contains("**A-1** spec.a\n\n- lost: a\n"), "{text}");
    }

    #[test]
    fn an_audit_without_findings_says_so() {
        let text = markdown(&[Audit { findings: Vec::new(), ..audit() }]);
        assert!(text.contains("No finding.") && !text.contains("| |"), "{text}");
    }
}
