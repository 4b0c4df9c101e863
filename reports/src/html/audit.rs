//! The report on a change of types as a page: a table of findings for each kind, and the examples to which it links.

use super::frame;
use super::markup::{Column, Markup, Tone, badge, block, code, heading, inline, link, table};
use crate::audit::{AcceptedFindings, Audit, Finding, Preserved, Severity, summary};

/// Renders audits as a page. Accepted findings are marked, with their reasons.
#[must_use]
pub fn audit_page(audits: &[Audit], accepted: &AcceptedFindings) -> String {
    const TITLE: &str = "Skewer: audit of types";
    let page = Page { accepted };
    let mut article = Markup::from_iter([heading((1, 1), &[], TITLE), legend()]);
    for (index, audit) in audits.iter().enumerate() {
        article.push(page.audit(audit, index));
    }
    frame::document(TITLE, &article)
}

/// Explains the severities.
fn legend() -> Markup {
    let entry = |severity: Severity, about: &str| {
        Markup::from_iter([inline("dt", &[], severity_badge(severity)), block("dd", &[], about)])
    };
    let entries = [
        entry(Severity::Silent, "Data is lost or wrong, and every request succeeds."),
        entry(Severity::Loud, "Requests are refused."),
        entry(Severity::Note, "True, but rarely a problem."),
    ];
    let about = "Every finding comes from simulated requests: an object is stored, a client of another version writes it, \
                 and the result is compared with that of the same request without version skew.";
    Markup::from_iter([block("p", &[], about), block("dl", &[], Markup::from_iter(entries))])
}

fn severity_badge(severity: Severity) -> Markup {
    let tone = match severity {
        Severity::Silent => Tone::Bad,
        Severity::Loud => Tone::Doubtful,
        Severity::Note => Tone::Loud,
    };
    badge(tone, None, severity.name().to_lowercase())
}

struct Page<'a> {
    accepted: &'a AcceptedFindings,
}

impl Page<'_> {
    fn audit(&self, audit: &Audit, index: usize) -> Markup {
        let findings = if audit.findings.is_empty() { "no findings".to_owned() } else { summary(audit) };
        let inputs = [code(&audit.old), " → ".into(), code(&audit.new), format!(": {findings}").into()];
        let mut markup = Markup::from_iter([
            heading((2, 2), &[], &audit.subject),
            block("p", &[], Markup::from_iter(inputs)),
        ]);
        if !audit.findings.is_empty() {
            markup.push(self.findings(audit, index));
        }
        for finding in &audit.findings {
            markup.push(self.details(finding, index));
        }
        markup.push(preserved(audit));
        if !audit.not_simulated.is_empty() {
            markup.push(heading((3, 3), &[], "Not simulated"));
            let items = audit.not_simulated.iter().map(|text| block("li", &[], text));
            markup.push(block("ul", &[], items.collect::<Markup>()));
        }
        markup
    }

    fn findings(&self, audit: &Audit, index: usize) -> Markup {
        let columns = ["severity", "element", "change", "place", "id"];
        let columns = columns.map(|name| Column { name, ..Column::default() });
        let row = |finding: &Finding| {
            let mut severity = severity_badge(finding.severity);
            if self.accepted.contains_key(&finding.id) {
                severity.push(" accepted");
            }
            vec![
                severity,
                code(&finding.path),
                Markup::from(&finding.change),
                code(&finding.place),
                link(&anchor(finding, index), code(&finding.id)),
            ]
        };
        table(&columns, audit.findings.iter().map(row))
    }

    fn details(&self, finding: &Finding, index: usize) -> Markup {
        let title = [finding.path.as_str(), &finding.change].join(" ");
        let title = Markup::from_iter([
            severity_badge(finding.severity),
            " ".into(),
            code(&finding.id),
            format!(" {}", title.trim()).into(),
        ]);
        let mut details = block("summary", &[], title);
        // A browser opens the details if the target of a link is in them, but not if it is the details themselves.
        let anchor = anchor(finding, index);
        for (number, effect) in finding.sentences().iter().enumerate() {
            let id = [("id", anchor.as_str())];
            details.push(block("p", if number == 0 { &id } else { &[] }, effect));
        }
        let notes = finding.advice.iter().map(|advice| ("Advice: ", advice));
        for (label, text) in
            notes.chain(self.accepted.get(&finding.id).map(|because| ("Accepted: ", because)))
        {
            details.push(block("p", &[], Markup::from_iter([inline("strong", &[], label), text.into()])));
        }
        for (number, step) in finding.example.iter().enumerate() {
            details.push(block("p", &[], format!("{}. {}", number + 1, step.about)));
            if !step.document.is_empty() {
                details.push(block("pre", &[], &step.document));
            }
        }
        block("details", &[], details)
    }
}

/// Returns the anchor of a finding. Findings on several versions of a kind can have the same id.
fn anchor(finding: &Finding, index: usize) -> String {
    format!("{index}-{}", finding.id)
}

/// Renders the table of clients and situations.
fn preserved(audit: &Audit) -> Markup {
    let Some(first) = audit.preserved.first() else { return Markup::default() };
    let names: Vec<String> = first.outcomes.iter().map(|(name, _)| name.replace('\n', " ")).collect();
    let columns: Vec<Column<'_>> = ["client", "operation"]
        .into_iter()
        .chain(names.iter().map(String::as_str))
        .map(|name| Column { name, ..Column::default() })
        .collect();
    let word = |preserved: Preserved| match preserved {
        Preserved::Yes => badge(Tone::Good, None, preserved.name()),
        Preserved::Refused => badge(Tone::Doubtful, None, preserved.name()),
        Preserved::No => badge(Tone::Bad, None, preserved.name()),
        Preserved::NotRun => preserved.name().into(),
    };
    let rows = audit.preserved.iter().map(|row| {
        let outcomes = row.outcomes.iter().map(|(_, preserved)| word(*preserved));
        [Markup::from(&row.client), Markup::from(&row.operation)].into_iter().chain(outcomes).collect()
    });
    Markup::from_iter([heading((3, 3), &[], "Is the data preserved?"), table(&columns, rows)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::PreservedRow;
    use crate::audit::test_support::{audit, finding};
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
    fn each_finding_is_a_row_that_links_to_its_example() {
        let page = audit_page(&[with_table()], &AcceptedFindings::new());
        for finding in &audit().findings {
            assert!(page.contains(&format!("<a href=\"#0-{0}\"><code>{0}</code></a>", finding.id)), "{page}");
            assert!(page.contains(&format!("<p id=\"0-{}\">", finding.id)), "{page}");
        }
        assert!(page.contains("<pre>spec:\n  remote: {}\n</pre>"), "{page}");
        assert!(page.contains("<th scope=\"col\">old clients</th>"), "{page}");
        assert!(page.contains("<li>conversion webhook (new.yaml:9)</li>"), "{page}");
    }

    #[test]
    fn an_accepted_finding_has_its_reason() {
        let accepted = AcceptedFindings::from([("A-3957".to_owned(), "no old clients".to_owned())]);
        let page = audit_page(&[audit()], &accepted);
        assert_eq!(page.matches("</span> accepted</th>").count(), 1, "{page}");
        assert!(page.contains("<strong>Accepted: </strong>no old clients"), "{page}");
    }

    #[test]
    fn an_audit_without_findings_says_so() {
        let page = audit_page(&[Audit { findings: Vec::new(), ..audit() }], &AcceptedFindings::new());
        assert!(page.contains("no findings") && !page.contains("<table"), "{page}");
    }

    #[test]
    fn foreign_text_adds_no_element() {
        let page = |text: &str| {
            let finding = Finding {
                path: text.to_owned(),
                change: text.to_owned(),
                place: text.to_owned(),
                effects: vec![text.to_owned()],
                ..finding(text, Severity::Loud)
            };
            let audit = Audit { subject: text.to_owned(), findings: vec![finding], ..audit() };
            audit_page(&[audit], &AcceptedFindings::new())
        };
        let (harmless, hostile) = (page("x"), page(HOSTILE_TEXT));
        for sign in ["<", ">", " id=", "\u{1b}", "\u{202e}"] {
            assert_eq!(hostile.matches(sign).count(), harmless.matches(sign).count(), "{sign:?}");
        }
    }
}
