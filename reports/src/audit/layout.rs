//! The audit as blocks: a table of findings for each kind, and the examples to which it links.

use super::model::{AcceptedFindings, Audit, AuditFinding, Preserved, Severity};
use super::text::summary;
use crate::blocks::{
    self, Block, Column, Details, Inline, Line, Table, Tone, TonedWord, code, details, heading, link, list,
    paragraph, plain, strong,
};

/// Renders audits in Markdown, for a pull request. Accepted findings are marked, with their reasons.
#[must_use]
pub fn markdown(audits: &[Audit], accepted: &AcceptedFindings) -> String {
    blocks::markdown::document(&report_blocks(audits, accepted), 2)
}

/// Renders audits as a page. Accepted findings are marked, with their reasons.
#[must_use]
pub fn html(audits: &[Audit], accepted: &AcceptedFindings) -> String {
    blocks::html::page(&report_blocks(audits, accepted))
}

/// Lays out audits: the tables of findings. The effects, the advice and the example of each finding follow, folded up.
pub(super) fn report_blocks(audits: &[Audit], accepted: &AcceptedFindings) -> Vec<Block> {
    let mut blocks = vec![heading(1, plain("Skewer: audit")), legend()];
    for (index, audit) in audits.iter().enumerate() {
        push_audit(&mut blocks, audit, AuditSettings { accepted, index });
    }
    blocks
}

/// Explains the severities.
fn legend() -> Block {
    let about = "Every finding comes from simulated requests: an object is stored, a client of another version writes it, \
                 and the result is compared with that of the same request without version skew.";
    let severities = [
        (Severity::Silent, ": data is lost or wrong, and every request succeeds."),
        (Severity::Loud, ": requests are refused."),
        (Severity::NotJudged, ": what the change does is not known, because no situation showed it."),
        (Severity::Note, ": true, but rarely a problem."),
    ];
    let entries = severities.map(|(severity, about)| [severity_badge(severity), plain(about)]);
    details(plain("What the severities mean"), vec![paragraph(plain(about)), list(entries)])
}

pub(crate) fn severity_badge(severity: Severity) -> Inline {
    let tone = match severity {
        Severity::Silent | Severity::NotJudged => Tone::Bad,
        Severity::Loud => Tone::Doubtful,
        Severity::Note => Tone::Loud,
    };
    Inline::Badge(TonedWord { tone, text: severity.name().to_owned(), title: None })
}

/// What the layout of an audit depends on besides the audit.
#[derive(Clone, Copy)]
struct AuditSettings<'a> {
    accepted: &'a AcceptedFindings,
    /// The number of the audit in the report.
    index: usize,
}

impl AuditSettings<'_> {
    /// Returns the anchor of a finding. Findings on several versions of a kind can have the same id.
    fn anchor(self, finding: &AuditFinding) -> String {
        format!("{}-{}", self.index, finding.id)
    }
}

fn push_audit(blocks: &mut Vec<Block>, audit: &Audit, settings: AuditSettings<'_>) {
    let findings = if audit.findings.is_empty() { "no findings".to_owned() } else { summary(audit) };
    let findings = plain(format!(": {findings}"));
    blocks.push(heading(2, plain(&audit.subject)));
    blocks.push(paragraph([code(&audit.old), plain(" → "), code(&audit.new), findings]));
    if !audit.findings.is_empty() {
        let columns = Column::texts(["severity", "path", "change", "place", "id"]);
        let rows = audit.findings.iter().map(|finding| finding_row(finding, settings));
        blocks.push(Block::Table(Table::new(columns).with(rows)));
    }
    blocks.extend(audit.findings.iter().map(|finding| finding_details(finding, settings)));
    if !audit.preserved.is_empty() {
        blocks.push(details(plain("Is the data preserved?"), vec![Block::Table(preserved_table(audit))]));
    }
    if !audit.not_simulated.is_empty() {
        blocks.push(paragraph(plain("Not simulated:")));
        blocks.push(list(audit.not_simulated.iter().map(plain)));
    }
}

fn finding_row(finding: &AuditFinding, settings: AuditSettings<'_>) -> [Line; 5] {
    let is_accepted = settings.accepted.contains_key(&finding.id);
    [
        [severity_badge(finding.severity), plain(if is_accepted { " (accepted)" } else { "" })].into(),
        code(&finding.path).into(),
        plain(&finding.change).into(),
        code(&finding.place).into(),
        link(settings.anchor(finding), code(&finding.id)).into(),
    ]
}

fn finding_details(finding: &AuditFinding, settings: AuditSettings<'_>) -> Block {
    let noted = |label: &str, text: &String| Line::from([strong(label), plain(text)]);
    let effects = finding.sentences().into_iter().map(|effect| Line::from(plain(effect)));
    let advice = finding.advice.iter().map(|advice| noted("Advice: ", advice));
    let accepted = settings.accepted.get(&finding.id).map(|because| noted("Accepted: ", because));
    let mut content = vec![list(effects.chain(advice).chain(accepted))];
    for (index, step) in finding.example.iter().enumerate() {
        content.push(paragraph([strong(format!("Step {}: ", index + 1)), plain(&step.about)]));
        if !step.document.is_empty() {
            content.push(Block::Code("yaml", step.document.clone()));
        }
    }
    let summary = [
        severity_badge(finding.severity),
        plain(" "),
        code(&finding.id),
        plain(format!(": {}", finding.title())),
    ];
    Block::Details(Details { summary: summary.into(), anchor: Some(settings.anchor(finding)), content })
}

/// Makes the table of clients and situations. It has no columns of situations if no situation was run.
pub(super) fn preserved_table(audit: &Audit) -> Table {
    let situations = audit.preserved.iter().take(1).flat_map(|first| &first.outcomes);
    let situations = situations.map(|(name, _)| Column::text(plain(name)));
    let mut table = Table::new(Column::texts(["client", "operation"]).chain(situations));
    for row in &audit.preserved {
        let outcomes = row.outcomes.iter().map(|(_, preserved)| preserved_badge(*preserved));
        table.push([plain(&row.client), plain(&row.operation)].into_iter().chain(outcomes));
    }
    table
}

fn preserved_badge(preserved: Preserved) -> Inline {
    let tone = match preserved {
        Preserved::Yes => Tone::Good,
        Preserved::Refused => Tone::Doubtful,
        Preserved::No => Tone::Bad,
        Preserved::NotRun => return plain(preserved.name()),
    };
    Inline::Badge(TonedWord { tone, text: preserved.name().to_owned(), title: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::model::PreservedRow;
    use crate::audit::test_support::{audit, finding};
    use crate::audit::{html, markdown};
    use crate::test_support::HOSTILE_TEXT;

    fn with_table() -> Audit {
        let outcomes = vec![
            ("stored objects".to_owned(), Preserved::No),
            ("old\nclients".to_owned(), Preserved::NotRun),
        ];
        let row = PreservedRow { client: "kubectl".to_owned(), operation: "apply".to_owned(), outcomes };
        Audit { preserved: vec![row], ..audit() }
    }

    #[test]
    fn a_table_names_the_findings_and_details_follow() {
        let accepted = AcceptedFindings::from([("A-3957".to_owned(), "no old clients".to_owned())]);
        insta::assert_snapshot!(markdown(&[with_table()], &accepted));
    }

    #[test]
    fn an_audit_without_findings_has_no_table() {
        let audits = [Audit { findings: Vec::new(), ..audit() }];
        let out = markdown(&audits, &AcceptedFindings::new());
        assert!(out.contains("`old.yaml` → `new.yaml`: no findings\n") && !out.contains('|'), "{out}");
        let page = html(&audits, &AcceptedFindings::new());
        assert!(page.contains("no findings") && !page.contains("</th>"), "{page}");
    }

    #[test]
    fn foreign_text_breaks_neither_the_table_nor_the_details() {
        let hostile = "a | b\n</details> @someone ```".to_owned();
        let finding = AuditFinding {
            path: hostile.clone(),
            change: hostile.clone(),
            place: hostile.clone(),
            effects: vec![hostile],
            ..finding("A-0001", Severity::Loud)
        };
        let out = markdown(&[Audit { findings: vec![finding], ..audit() }], &AcceptedFindings::new());
        let row = out.lines().find(|line| line.starts_with("| LOUD")).unwrap();
        assert_eq!(row.replace("\\|", "").matches('|').count(), 6, "{row}");
        let (_, details) = out.split_once("<details><summary><a").unwrap();
        assert_eq!(details.matches("</details>").count(), 1, "{details}");
    }

    #[test]
    fn each_finding_is_a_row_that_links_to_its_example() {
        let page = html(&[with_table()], &AcceptedFindings::new());
        for finding in &audit().findings {
            assert!(page.contains(&format!("<a href=\"#0-{0}\"><code>{0}</code></a>", finding.id)), "{page}");
            assert!(page.contains(&format!("<div id=\"0-{}\">", finding.id)), "{page}");
        }
        assert!(page.contains("<pre>spec:\n  remote: {}\n</pre>"), "{page}");
        assert!(page.contains("<th scope=\"col\">old\nclients</th>"), "{page}");
        assert!(page.contains("<li>conversion webhook (new.yaml:9)</li>"), "{page}");
    }

    #[test]
    fn an_accepted_finding_has_its_reason() {
        let accepted = AcceptedFindings::from([("A-3957".to_owned(), "no old clients".to_owned())]);
        let page = html(&[audit()], &accepted);
        assert_eq!(page.matches("</span> (accepted)</th>").count(), 1, "{page}");
        assert!(page.contains("<strong>Accepted: </strong>no old clients"), "{page}");
    }

    #[test]
    fn foreign_text_adds_no_element() {
        let page = |text: &str| {
            let finding = AuditFinding {
                path: text.to_owned(),
                change: text.to_owned(),
                place: text.to_owned(),
                effects: vec![text.to_owned()],
                ..finding(text, Severity::Loud)
            };
            let audit = Audit { subject: text.to_owned(), findings: vec![finding], ..audit() };
            html(&[audit], &AcceptedFindings::new())
        };
        let (harmless, hostile) = (page("x"), page(HOSTILE_TEXT));
        for sign in ["<", ">", " id=", "\u{1b}", "\u{202e}"] {
            assert_eq!(hostile.matches(sign).count(), harmless.matches(sign).count(), "{sign:?}");
        }
    }
}
