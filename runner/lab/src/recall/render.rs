//! Rendering of the recall.

use std::collections::BTreeMap;

use skewer_reports::audit::Severity;
use skewer_reports::style::wrap;
use tabled::Table;
use tabled::builder::Builder;
use tabled::settings::object::{Columns, Rows};
use tabled::settings::{Alignment, Modify, Style};

use super::{AuditAnswer, KnownChange, Recall};

impl Recall {
    /// Renders a table of the kinds, and then each change that has no finding.
    #[must_use]
    pub fn text(&self, width: Option<usize>) -> String {
        let mut text = format!("{}\n", self.table().with(Style::rounded()));
        let mut list = |title: &str, is_listed: &dyn Fn(&AuditAnswer) -> bool| {
            for change in self.changes.iter().filter(|change| is_listed(&change.answer)) {
                text += &wrap(&format!("{title}: {change}"), "", "    ", width.unwrap_or(usize::MAX));
            }
        };
        list("missed", &|answer| *answer == AuditAnswer::Missed);
        list("not judged", &|answer| matches!(answer, AuditAnswer::Named { .. }));
        text
    }

    /// Renders the table of the kinds for a file that is checked in.
    #[must_use]
    pub fn markdown(&self) -> String {
        format!("{}\n", self.table().with(Style::markdown()))
    }

    fn table(&self) -> Table {
        let mut by_kind: BTreeMap<&str, [usize; 5]> = BTreeMap::new();
        for change in &self.changes {
            let column = match change.answer {
                AuditAnswer::Found { severity: Severity::Note } => 1,
                AuditAnswer::Found { .. } => 2,
                AuditAnswer::Named { .. } => 3,
                AuditAnswer::Missed => 4,
            };
            let counts = by_kind.entry(change.kind).or_default();
            counts[0] += 1;
            counts[column] += 1;
        }
        let total = by_kind.values().fold([0; 5], |sum, counts| std::array::from_fn(|i| sum[i] + counts[i]));
        let mut table = Builder::default();
        table.push_record(["change", "changes", "NOTE", "SILENT or LOUD", "NOT JUDGED", "missed"]);
        for (kind, counts) in by_kind.into_iter().chain([("total", total)]) {
            let counts = counts.map(|count| count.to_string());
            table.push_record(std::iter::once(kind.to_owned()).chain(counts));
        }
        let mut table = table.build();
        table.with(Modify::new(Columns::new(1..)).with(Alignment::right()));
        table.with(Modify::new(Rows::first()).with(Alignment::left()));
        table
    }
}

impl std::fmt::Display for KnownChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}: {} ({})", self.file, self.place, self.change, self.kind)?;
        match &self.answer {
            AuditAnswer::Named { reason } => write!(f, ": {reason}"),
            _ => Ok(()),
        }
    }
}
