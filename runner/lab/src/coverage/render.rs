//! Rendering of coverage as text and as Markdown.

use std::fmt::Write;

use skewer_cases::design_documents::{DESIGN_DOCUMENTS, ItemKind};
use skewer_reports::style::wrap;
use tabled::builder::Builder;
use tabled::settings::object::{Columns, Rows};
use tabled::settings::{Alignment, Modify, Style};

use super::{Coverage, CoverageStatus, ItemCoverage};

/// Width of the text if the width of the output is unknown.
const DEFAULT_WIDTH: usize = 80;

/// Maximum number of cells of a case that are listed. The others are counted.
const MAX_CELLS_PER_CASE: usize = 3;

/// The numbers of one row of the summary.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    total: usize,
    covered: usize,
    reasoned: usize,
    faults: usize,
}

impl Tally {
    fn of(statuses: impl Iterator<Item = CoverageStatus>) -> Self {
        statuses.fold(Tally::default(), |tally, status| Tally {
            total: tally.total + 1,
            covered: tally.covered + usize::from(status == CoverageStatus::Covered),
            reasoned: tally.reasoned + usize::from(status == CoverageStatus::Reasoned),
            faults: tally.faults + usize::from(status.is_fault()),
        })
    }

    fn cells(self) -> [String; 4] {
        [self.total, self.covered, self.reasoned, self.faults].map(|count| count.to_string())
    }
}

impl Coverage {
    /// Renders the summary and the faults for a terminal.
    #[must_use]
    pub fn text(&self, width: Option<usize>) -> String {
        let mut table = self.summary_table();
        let mut text = format!("{}\n", table.with(Style::rounded()));
        for fault in self.faults() {
            text += &wrapped(&fault, "", width);
        }
        text + &wrapped(&self.conclusion(), "", width)
    }

    /// Renders the summary and the faults as Markdown, for a pull request.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut table = self.summary_table();
        let mut text = format!("## Coverage\n\n{}\n\n", table.with(Style::markdown()));
        for fault in self.faults() {
            let _ = writeln!(text, "- {fault}");
        }
        text + &self.conclusion() + "\n"
    }

    /// Renders all items with their cases or reasons, for a terminal.
    #[must_use]
    pub fn item_list(&self, width: Option<usize>) -> String {
        let mut text = String::new();
        for (index, item) in self.items.iter().enumerate() {
            let before = index.checked_sub(1).map(|before| &self.items[before]);
            if before.is_none_or(|before| (before.document, before.section) != (item.document, item.section))
            {
                text.push_str(if index == 0 { "" } else { "\n" });
                text += &wrapped(&format!("{}: {}", item.document, item.section), "", width);
            }
            text += &item_text(item, width, usize::MAX, false);
        }
        text
    }

    fn summary_table(&self) -> tabled::Table {
        let mut builder = Builder::default();
        builder.push_record(["document", "kind", "items", "covered", "reasoned", "missing"]);
        let mut push = |name: &str, kind: &str, tally: Tally| {
            builder.push_record([name.to_owned(), kind.to_owned()].into_iter().chain(tally.cells()));
        };
        for document in DESIGN_DOCUMENTS {
            let mut name = document.name;
            for kind in ItemKind::ALL {
                let rows = self.items.iter().filter(|row| (row.document, row.kind) == (document.name, kind));
                let tally = Tally::of(rows.map(|row| row.status));
                if tally.total > 0 {
                    push(name, kind.id(), tally);
                    // The name of a document stands once.
                    name = "";
                }
            }
        }
        push("engine", "error kind", Tally::of(self.errors.iter().map(|row| row.status)));
        let mut table = builder.build();
        table.with(Modify::new(Columns::new(2..6)).with(Alignment::right()));
        table.with(Modify::new(Rows::first()).with(Alignment::left()));
        table
    }

    fn conclusion(&self) -> String {
        let items = Tally::of(self.items.iter().map(|row| row.status));
        let cells: std::collections::BTreeSet<&str> =
            self.items.iter().flat_map(ItemCoverage::cells).collect();
        format!(
            "{} items: {} covered by {} cells, {} with a reason for having no case, {} missing",
            items.total,
            items.covered,
            cells.len(),
            items.reasoned,
            items.faults
        )
    }

    /// Returns a message for each fault.
    fn faults(&self) -> impl Iterator<Item = String> {
        let of_items = self.items.iter().filter(|row| row.status.is_fault()).map(item_fault);
        let of_errors = self.errors.iter().filter(|row| row.status.is_fault()).map(|row| {
            let advice = match row.status {
                CoverageStatus::StaleReason => "is expected by a case: remove its reason from",
                _ => "is not expected by any case: add a case that expects it, or a reason to",
            };
            format!("error kind {} {advice} runner/lab/src/coverage/exempt.rs", row.name)
        });
        of_items.chain(of_errors)
    }
}

fn item_fault(item: &ItemCoverage) -> String {
    let file = format!("cases/documents/{}.yaml", item.document);
    let problem = match item.status {
        CoverageStatus::StaleReason => format!(
            "{} shows it: remove its reason from {file}",
            item.cases.keys().next().map_or("a case", String::as_str)
        ),
        CoverageStatus::UnknownCase => {
            format!("{file} names {}: no such case", item.unknown_cases.join(", "))
        }
        CoverageStatus::Unjudged => format!(
            "cases show it, but {file} does not say when it holds: add holds-if, undecided or no-claim"
        ),
        CoverageStatus::UnmatchedCondition => format!(
            "condition {} of its holds-if in {file} applies to no cell: name a case that shows it",
            item.unmatched_condition().unwrap_or_default()
        ),
        _ => format!("no case shows it: quote it in a case, or add cases or a reason to {file}"),
    };
    format!("{} ({}, line {}, \"{} …\"): {problem}", item.id, item.kind, item.line, item.begins)
}

/// Renders one item: its pointer, and its cases or its reason.
pub(super) fn item_text(
    item: &ItemCoverage,
    width: Option<usize>,
    max_cases: usize,
    with_cells: bool,
) -> String {
    let pointer = format!("{} ({}, line {}): \"{} …\"", item.id, item.kind, item.line, item.begins);
    let mut text = wrapped(&pointer, "", width);
    for (case, cells) in item.cases.iter().take(max_cases) {
        let count = if cells.len() == 1 { "1 cell".to_owned() } else { format!("{} cells", cells.len()) };
        let _ = writeln!(text, "  {case} ({count})");
        // A cell of a case without axes has the name of the case.
        let shown = if with_cells && !cells.contains(case) { MAX_CELLS_PER_CASE } else { 0 };
        for cell in cells.iter().take(shown) {
            let _ = writeln!(text, "    {}", cell.strip_prefix(case.as_str()).unwrap_or(cell));
        }
        if shown > 0 && cells.len() > shown {
            let _ = writeln!(text, "    … and {} more", cells.len() - shown);
        }
    }
    if item.cases.len() > max_cases {
        let _ = writeln!(text, "  … and {} more cases", item.cases.len() - max_cases);
    }
    if let Some(because) = item.because {
        text += &wrapped(&format!("no case: {because}"), "  ", width);
    }
    if item.status.is_fault() {
        text += &wrapped(&format!("MISSING: {}", item_fault(item)), "  ", width);
    }
    text
}

/// Breaks a text into lines of the given width. Further lines are indented by two more spaces.
pub(super) fn wrapped(text: &str, indent: &str, width: Option<usize>) -> String {
    wrap(text, indent, &format!("{indent}  "), width.unwrap_or(DEFAULT_WIDTH))
}
