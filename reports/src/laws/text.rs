//! The report for a terminal: the table, then each example as a suite file with comments.

use std::fmt::Write;

use super::layout::verdict_table;
use super::model::{ChangeRow, LawsReport, VerdictSummary};
use crate::blocks::{self, Block, Line, plain};
use crate::style::{Style, wrap};

/// Renders the report for a terminal. Each block of lines from a comment to the next empty line is a suite file, which
/// can be added to the corpus, so that its lines are as long as in the corpus.
#[must_use]
pub fn text(report: &LawsReport, style: Style) -> String {
    let mut text = blocks::text::document(&[Block::Table(verdict_table(report))], style);
    let legend = report.legend(Line::from(plain("; `*`"))).text();
    text.push_str(&wrap(&legend, "", "", style.line_width()));
    for row in &report.rows {
        for summary in &row.verdicts {
            text.push_str(&suite_files(row, summary, style));
        }
    }
    text
}

/// Renders the examples of a verdict, and where a benefit was searched.
fn suite_files(row: &ChangeRow, summary: &VerdictSummary, style: Style) -> String {
    let mut text = String::new();
    let title = |words: &str| format!("\n# {}, {}: {words}.\n", row.directive, summary.law);
    if let Some(search) = &summary.search {
        text.push_str(&title(&summary.description()));
        for line in search.lines() {
            let _ = writeln!(text, "# - {line}.");
        }
    }
    for example in &summary.examples {
        text.push_str(&title(&summary.heading(example)));
        if let Some(because) = &summary.because {
            text.push_str(&wrap(&format!("On record: {because}"), "# ", "# ", style.line_width()));
        }
        for line in example.lines() {
            let _ = writeln!(text, "# {}", line.concat());
        }
        text.push_str(&example.case);
    }
    text
}
