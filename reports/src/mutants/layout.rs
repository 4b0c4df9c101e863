//! The report as blocks.

use super::model::{FamilySummary, MutantRow, MutantsReport, Verdict};
use crate::blocks::{
    self, Block, Column, Inline, Table, Tone, TonedWord, code, heading, list, number, own, paragraph, plain,
};

/// Renders the counts of the families as a section in Markdown, for the compatibility report.
#[must_use]
pub fn summary_table(report: &MutantsReport) -> String {
    blocks::markdown::document(&summary_blocks(report), 1)
}

/// Renders the whole report in Markdown, for a pull request.
#[must_use]
pub fn markdown(report: &MutantsReport) -> String {
    blocks::markdown::document(&report_blocks(report), 1)
}

const INTRODUCTION: &str = "\
A *mutant* is the built-in engine with one semantic difference: a directive or one of its hooks is missing, a union policy \
is another one or lacks a rule, a step of the server is left out, the patch metadata of a field is different. The cells \
are run on each mutant, and are compared with the ideals of the unchanged engine. A cell *notices* a mutant if it fails. \
A cell is *unnoticed* if it ends in another state and still passes. A mutant is *equivalent* if no cell ends in another \
state, for a reason that is known.";

/// Lays out the counts of the families as a section.
pub(super) fn summary_blocks(report: &MutantsReport) -> Vec<Block> {
    let columns = Column::texts(["family"]).chain(Column::numbers([
        "mutants",
        "noticed",
        "unnoticed",
        "no change",
        "equivalent",
        "cells noticed",
        "cells unnoticed",
    ]));
    let mut blocks = vec![
        heading(2, plain("Mutants of the engine")),
        paragraph(own(INTRODUCTION)),
        Block::Table(Table::new(columns).with(report.families().iter().map(family_row))),
    ];
    let blind: Vec<String> = report.blind_kep_rows().iter().map(ToString::to_string).collect();
    if !blind.is_empty() {
        let rows = format!("The cells of these rows of KEP-1027 noticed no mutant: {}.", blind.join(", "));
        blocks.push(paragraph(plain(rows)));
    }
    blocks
}

fn family_row(family: &FamilySummary) -> Vec<Inline> {
    let numbers = [
        family.mutants,
        family.count(Verdict::Noticed),
        family.count(Verdict::Unnoticed),
        family.count(Verdict::NoChange) + family.count(Verdict::StaleEquivalence),
        family.count(Verdict::Equivalent),
        family.noticed_cells,
        family.unnoticed_cells,
    ];
    [plain(family.title)].into_iter().chain(numbers.map(number)).collect()
}

/// Lays out the whole report: the counts, all mutants, and the reasons of equivalent ones.
pub(super) fn report_blocks(report: &MutantsReport) -> Vec<Block> {
    let mut blocks = summary_blocks(report);
    let columns = Column::texts(["mutant", "verdict"]).chain(Column::numbers(["noticed", "unnoticed"]));
    blocks.push(heading(3, plain("All mutants")));
    blocks.push(Block::Table(
        Table::new(columns).with(report.mutants.iter().map(|row| mutant_row(report, row))),
    ));
    push_list(&mut blocks, "Equivalent mutants", report, |row| row.because.clone());
    push_list(&mut blocks, "Mutants that change no cell", report, |row| {
        (row.verdict == Verdict::NoChange).then(|| row.about.clone())
    });
    blocks
}

fn mutant_row(report: &MutantsReport, row: &MutantRow) -> [Inline; 4] {
    let tone = if report.is_fault(row) { Tone::Bad } else { Tone::Good };
    let verdict = TonedWord { tone, text: row.verdict.label().to_owned(), title: None };
    [code(&row.name), Inline::Badge(verdict), number(row.noticed), number(row.unnoticed)]
}

fn push_list(
    blocks: &mut Vec<Block>,
    title: &str,
    report: &MutantsReport,
    describe: impl Fn(&MutantRow) -> Option<String>,
) {
    let items = report
        .mutants
        .iter()
        .filter_map(|row| Some([code(&row.name), plain(format!(": {}", describe(row)?))]));
    let items: Vec<_> = items.collect();
    if !items.is_empty() {
        blocks.extend([heading(3, plain(title)), list(items)]);
    }
}
