//! The report for a terminal of 80 columns.

use std::fmt::Write as _;

use skewer_results::control_characters::escape_text;

use super::model::{Ideals, MutantRow, MutantsReport, Verdict};

/// Maximum number of cells that are named for one mutant.
const MAX_CELLS: usize = 3;

/// Renders the mutants, each with the numbers of cells, then the faults with some of their cells, and then the counts of
/// the families. No line of the tables has more than 80 columns, unless the name of a mutant is longer.
#[must_use]
pub fn text(report: &MutantsReport) -> String {
    let mut text = String::from(" noticed  unnoticed  mutant\n");
    for row in &report.mutants {
        let mark = if report.is_fault(row) { "!" } else { " " };
        let _ = writeln!(text, "{mark}{:>7}  {:>9}  {}", row.noticed, row.unnoticed, escape_text(&row.name));
    }
    for row in report.faults() {
        push_fault(&mut text, row);
    }
    for name in &report.unknown_equivalences {
        let _ =
            writeln!(text, "\n{}\n  no mutant has this name: remove it from the record", escape_text(name));
    }
    push_kep_rows(&mut text, report);
    push_families(&mut text, report);
    text
}

fn push_fault(text: &mut String, row: &MutantRow) {
    let _ = writeln!(text, "\n{}\n  {}", escape_text(&row.name), escape_text(&row.about));
    let explanation = match row.verdict {
        Verdict::Unnoticed => "cells end in another state and still pass: pin their results",
        Verdict::NoChange => "no cell ends in another state: add a case, or record why there is none",
        Verdict::StaleEquivalence => "recorded as equivalent, but cells end in another state",
        Verdict::Noticed | Verdict::Equivalent => return,
    };
    let _ = writeln!(text, "  {explanation}");
    let (cells, number) = match row.verdict {
        Verdict::NoChange => (&row.unchanged_cells, row.tried),
        _ if row.unnoticed > 0 => (&row.unnoticed_cells, row.unnoticed),
        _ => (&row.noticed_cells, row.noticed),
    };
    for cell in cells.iter().take(MAX_CELLS) {
        let _ = writeln!(text, "    {}", escape_text(cell));
    }
    let others = number.saturating_sub(MAX_CELLS.min(cells.len()));
    if others > 0 {
        let _ = writeln!(text, "    and {others} more");
    }
}

fn push_kep_rows(text: &mut String, report: &MutantsReport) {
    let blind: Vec<String> = report.blind_kep_rows().iter().map(ToString::to_string).collect();
    if !blind.is_empty() {
        let _ = writeln!(text, "\nrows of KEP-1027 whose cells noticed no mutant: {}", blind.join(", "));
    }
}

fn push_families(text: &mut String, report: &MutantsReport) {
    let _ = writeln!(
        text,
        "\n                                        mutants                   cells\n{:<28}  {:>5} {:>7} {:>6} {:>5}  {:>8} {:>9}",
        "family", "all", "unnotic", "no chg", "equiv", "noticed", "unnoticed"
    );
    for family in report.families() {
        let _ = writeln!(
            text,
            "{:<28}  {:>5} {:>7} {:>6} {:>5}  {:>8} {:>9}",
            family.title,
            family.mutants,
            family.count(Verdict::Unnoticed),
            family.count(Verdict::NoChange) + family.count(Verdict::StaleEquivalence),
            family.count(Verdict::Equivalent),
            family.noticed_cells,
            family.unnoticed_cells
        );
    }
    let _ = writeln!(
        text,
        "{} cells; {} more only read declarations, and no mutant is tried on them",
        report.cells, report.declarations
    );
    if report.ideals == Ideals::Mutated {
        text.push_str(
            "the ideals are those of the mutants; only cells that end in another state are counted\n",
        );
    }
}
