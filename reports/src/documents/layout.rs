//! The report as blocks.

use super::model::{DocumentVerdicts, DocumentsReport, SentenceRow, SentenceVerdict};
use crate::blocks::{
    self, Block, Column, Inline, Line, LinkTarget, Table, Tone, TonedWord, anchor_of, code, count, details,
    heading, number, own, paragraph, plain, titled_with_code,
};
use crate::style::Style;

/// Renders the report for a terminal.
#[must_use]
pub fn text(report: &DocumentsReport, style: Style) -> String {
    blocks::text::document(&report_blocks(report), style)
}

/// Renders the report in Markdown, to be checked in as `DOCUMENTS.md`.
#[must_use]
pub fn markdown(report: &DocumentsReport) -> String {
    blocks::markdown::document(&report_blocks(report), 1)
}

const INTRODUCTION: [&str; 2] = [
    "For each sentence, example and table row of the four design documents: whether it holds. The verdict is computed from \
     the cells of the corpus on the built-in engine, by a condition that stands beside the item in \
     [`cases/documents/`](../cases/documents/). It changes when the engine does: \
     `skewer-lab coverage --sample 10 --mutants` breaks the engine, and shows verdicts that change.",
    "*Holds*: in all cells that decide it. *In part*: in some of them. *Depends on* names each axis that tells these cells from \
     the others, or several that do so together; `case` means that the case does. *Does not hold*: in none of them. *Not decided*: no cell \
     can decide it. *No claim*: an intention, a name, an opinion. A document that describes a proposal is compared with \
     an engine that has it, and otherwise with what shipped. The cell is the one with the shortest id that shows the \
     verdict. Headings, motivation and references are no items.",
];

/// Lays out the report: the counts, the sentences that do not hold, and all sentences.
pub(super) fn report_blocks(report: &DocumentsReport) -> Vec<Block> {
    let mut blocks = vec![heading(1, plain("What the design documents say, and whether it holds"))];
    blocks.extend(INTRODUCTION.map(|text| paragraph(own(text))));
    blocks.push(Block::Table(counts(report)));
    for document in &report.documents {
        blocks.push(heading(2, linked(document.title, document.address.map(str::to_owned))));
        let is_refuted = |row: &&SentenceRow| {
            matches!(row.verdict, SentenceVerdict::InPart | SentenceVerdict::DoesNotHold)
        };
        let refuted: Vec<&SentenceRow> = document.sentences.iter().filter(is_refuted).collect();
        if !refuted.is_empty() {
            blocks.push(Block::Table(sentences(&refuted)));
        }
        let mut all = Vec::new();
        for rows in document.sentences.chunk_by(|a, b| a.section == b.section) {
            all.push(section_heading(document, rows[0].section));
            all.push(Block::Table(sentences(&rows.iter().collect::<Vec<_>>())));
        }
        blocks.push(details(plain(format!("All {} items", document.sentences.len())), all));
    }
    blocks
}

fn counts(report: &DocumentsReport) -> Table {
    let columns = Column::texts(["document"])
        .chain([Column::number(plain("items"))])
        .chain(SentenceVerdict::ALL.map(|verdict| Column::number(plain(verdict.label()))));
    Table::new(columns).with(report.documents.iter().map(|document| {
        let of_verdict = |verdict| document.sentences.iter().filter(|row| row.verdict == verdict).count();
        [plain(document.title), number(document.sentences.len())]
            .into_iter()
            .chain(SentenceVerdict::ALL.map(|verdict| count(of_verdict(verdict))))
    }))
}

fn section_heading(document: &DocumentVerdicts, section: &str) -> Block {
    heading(3, linked(section, document.address.map(|address| format!("{address}#{}", anchor_of(section)))))
}

fn linked(title: &str, address: Option<String>) -> Inline {
    match address {
        Some(address) => Inline::Link(LinkTarget::Address(address), plain(title).into()),
        None => plain(title),
    }
}

fn sentences(rows: &[&SentenceRow]) -> Table {
    Table::new(Column::texts(["sentence", "verdict", "depends on", "cell, or reason"])).with(rows.iter().map(
        |row| {
            let verdict = TonedWord { tone: tone(row.verdict), text: row.description(), title: None };
            let shown = row
                .cell
                .as_ref()
                .map(code)
                .map(Line::from)
                .or(row.because.map(titled_with_code))
                .unwrap_or_default();
            let depends_on = Line::join(row.depends_on.iter().map(code), &plain(", "));
            let fields: [Line; 4] =
                [plain(&row.text).into(), Inline::Badge(verdict).into(), depends_on, shown];
            fields
        },
    ))
}

fn tone(verdict: SentenceVerdict) -> Tone {
    match verdict {
        SentenceVerdict::Holds => Tone::Good,
        SentenceVerdict::InPart => Tone::Doubtful,
        SentenceVerdict::DoesNotHold => Tone::Bad,
        SentenceVerdict::NotDecided | SentenceVerdict::NoClaim => Tone::Neutral,
    }
}
