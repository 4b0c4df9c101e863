//! The audit as blocks: a table of findings for each kind, and the examples to which it links.

use super::group::{FindingGroup, Section, counts};
use super::model::{AcceptedFindings, Audit, Preserved, Severity};
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
    for (index, section) in Section::all(audits).iter().enumerate() {
        push_section(&mut blocks, section, AuditSettings { accepted, index });
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
    /// The number of the section in the report.
    index: usize,
}

impl AuditSettings<'_> {
    /// Returns the anchor of a finding. Findings on several kinds can have the same id.
    fn anchor(self, group: &FindingGroup<'_>) -> String {
        format!("{}-{}", self.index, group.id())
    }

    /// Returns true if all findings of a group are accepted.
    fn is_accepted(self, group: &FindingGroup<'_>) -> bool {
        group.ids().all(|id| self.accepted.contains_key(id))
    }
}

fn push_section(blocks: &mut Vec<Block>, section: &Section<'_>, settings: AuditSettings<'_>) {
    let Section { audits, groups } = section;
    let counts = if groups.is_empty() { "no findings".to_owned() } else { counts(groups) };
    blocks.push(heading(2, plain(section.title())));
    let files = [code(&audits[0].old), plain(" → "), code(&audits[0].new), plain(format!(": {counts}"))];
    blocks.push(paragraph(files));
    if !groups.is_empty() {
        let columns = Column::texts(["severity", "path", "change", "place", "id"]);
        let rows = groups.iter().map(|group| finding_row(section, group, settings));
        blocks.push(Block::Table(Table::new(columns).with(rows)));
    }
    blocks.extend(groups.iter().map(|group| finding_details(section, group, settings)));
    for audit in audits.iter().filter(|audit| !audit.preserved.is_empty()) {
        let version = if audits.len() == 1 { String::new() } else { format!(" ({})", audit.versions) };
        let title = plain(format!("Is the data preserved?{version}"));
        blocks.push(details(title, vec![Block::Table(preserved_table(audit))]));
    }
    let not_simulated = section.not_simulated();
    if !not_simulated.is_empty() {
        blocks.push(paragraph(plain("Left out:")));
        blocks.push(list(not_simulated.into_iter().map(plain)));
    }
}

fn finding_row(section: &Section<'_>, group: &FindingGroup<'_>, settings: AuditSettings<'_>) -> [Line; 5] {
    let first = group.first();
    let accepted = if settings.is_accepted(group) { " (accepted)" } else { "" };
    let more = match group.members.len() {
        1 => plain(""),
        count => plain(format!(" and {} more", count - 1)),
    };
    let change = match first.change_and_first_paths() {
        _ if !group.has_one_change() => group.title(),
        Some(short) => short,
        None => first.change_and_value(),
    };
    [
        [severity_badge(first.severity), plain(accepted)].into(),
        [code(&first.path), more].into(),
        plain(change).into(),
        plain(section.places(&group.members[0])).into(),
        link(settings.anchor(group), code(group.id())).into(),
    ]
}

fn finding_details(section: &Section<'_>, group: &FindingGroup<'_>, settings: AuditSettings<'_>) -> Block {
    let first = group.first();
    let noted = |label: &str, text: &String| Line::from([strong(label), plain(text)]);
    let effects = first.sentences().into_iter().map(|effect| Line::from(plain(effect)));
    let advice = first.advice.iter().map(|advice| noted("Advice: ", advice));
    let mut reasons: Vec<&String> = group.ids().filter_map(|id| settings.accepted.get(id)).collect();
    reasons.dedup();
    let accepted = reasons.into_iter().map(|because| noted("Accepted: ", because));
    let mut content = vec![list(effects.chain(advice).chain(accepted))];
    if group.members.len() > 1 {
        content.push(Block::Table(Table::new(Column::texts(["path", "change", "place", "id"])).with(
            group.members.iter().map(|member| {
                let finding = member.finding;
                [
                    code(&finding.path),
                    plain(finding.change_and_value()),
                    plain(section.places(member)),
                    code(&finding.id),
                ]
            }),
        )));
    }
    let short = first.change_and_first_paths();
    if short.is_some() {
        content.push(list(first.paths.iter().map(|path| Line::from(code(path)))));
    }
    for (index, step) in first.example.iter().enumerate() {
        content.push(paragraph([strong(format!("Step {}: ", index + 1)), plain(&step.about)]));
        if !step.document.is_empty() {
            content.push(Block::Code("yaml", step.document.clone()));
        }
    }
    let title = [
        severity_badge(first.severity),
        plain(" "),
        code(group.id()),
        plain(format!(": {}", short.unwrap_or_else(|| group.title()))),
    ];
    Block::Details(Details { summary: title.into(), anchor: Some(settings.anchor(group)), content })
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
    use crate::audit::model::{AuditFinding, PreservedRow};
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
            let audit = Audit { definition: text.to_owned(), findings: vec![finding], ..audit() };
            html(&[audit], &AcceptedFindings::new())
        };
        let (harmless, hostile) = (page("x"), page(HOSTILE_TEXT));
        for sign in ["<", ">", " id=", "\u{1b}", "\u{202e}"] {
            assert_eq!(hostile.matches(sign).count(), harmless.matches(sign).count(), "{sign:?}");
        }
    }
}
