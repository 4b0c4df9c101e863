//! The published audit of the releases of Kubernetes.

use super::model::{Audit, AuditFinding, Severity};
use crate::blocks::{
    self, Block, Column, Line, ListItem, Table, code, heading, number, own, paragraph, plain, strong,
};

const INTRODUCTION: &str = "\
What the changes of built-in types did to stored objects, and to clients and servers of the neighbouring release: `skewer \
audit OLD NEW` for each release that is embedded and the next one. A type that several kinds contain is named once, for the \
smallest of them. Defaults and validation that are written in Go are not simulated, an enum or a required field that was only listed for the \
first time does not count, and fields of alpha features are included. Requests are handled as by the newest release, so \
that only the types differ.";

/// The audits of the kinds of two releases.
#[derive(Clone, Debug)]
pub struct ReleasePair<'a> {
    /// The name of the older release.
    pub old: &'a str,
    /// The name of the newer release.
    pub new: &'a str,
    /// The audits of the kinds that differ.
    pub audits: Vec<Audit>,
}

/// Renders the audits of pairs of releases in Markdown.
#[must_use]
pub fn releases(pairs: &[ReleasePair<'_>]) -> String {
    let columns = Column::texts(["releases"]).chain(Column::numbers([
        "kinds that changed",
        "silent",
        "loud",
        "fields added",
    ]));
    let mut blocks = vec![
        heading(1, plain("Audit of the releases of Kubernetes")),
        paragraph(own(INTRODUCTION)),
        Block::Table(Table::new(columns).with(pairs.iter().map(ReleasePair::row))),
    ];
    for pair in pairs {
        blocks.push(heading(2, plain(pair.title())));
        let items: Vec<ListItem> = pair.audits.iter().flat_map(items).collect();
        let is_empty = items.is_empty();
        blocks.push(if is_empty { paragraph(plain("Only fields were added.")) } else { Block::List(items) });
    }
    blocks::markdown::document(&blocks, 1)
}

impl ReleasePair<'_> {
    fn title(&self) -> String {
        format!("{} → {}", self.old, self.new)
    }

    fn row(&self) -> Vec<blocks::Inline> {
        let findings = || self.audits.iter().flat_map(|audit| &audit.findings);
        let count = |severity| findings().filter(|finding| finding.severity == severity).count();
        let added: usize = findings().map(|finding| finding.paths.len()).sum();
        let numbers = [self.audits.len(), count(Severity::Silent), count(Severity::Loud), added];
        [plain(self.title())].into_iter().chain(numbers.map(number)).collect()
    }
}

/// Makes an item for each finding of an audit that is not a note.
fn items(audit: &Audit) -> impl Iterator<Item = ListItem> {
    let findings = audit.findings.iter().filter(|finding| finding.severity != Severity::Note);
    findings.map(|finding| ListItem {
        line: finding_line(audit, finding),
        below: finding.effects.iter().map(|effect| plain(effect).into()).collect(),
    })
}

fn finding_line(audit: &Audit, finding: &AuditFinding) -> Line {
    let severity = strong(finding.severity.name().to_lowercase());
    let change = plain(format!(" ({}): {}", finding.place, finding.change_and_value()));
    [severity, plain(" "), code(audit.subject()), plain(" "), code(&finding.path), change].into()
}
