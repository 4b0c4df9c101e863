//! The report on KEP-1027 as a page, and as a part of the page of a run.

use super::frame;
use super::markup::{Column, Markup, Tone, badge, block, code, heading, inline, table};
use crate::blocks::{Block, Inline, Table};
use crate::kep::{self, Report};

/// Renders the report as a page.
#[must_use]
pub fn kep_page(report: &Report) -> String {
    frame::document("KEP-1027", &article(report, 1))
}

/// Renders the report. `first_level` is the level of its first heading.
pub(super) fn article(report: &Report, first_level: u8) -> Markup {
    let blocks = kep::report_blocks(report);
    blocks.iter().map(|block| render_block(block, first_level)).collect()
}

fn render_block(part: &Block, first_level: u8) -> Markup {
    match part {
        Block::Heading(level, text) => heading((*level, level + first_level - 1), &[], text),
        Block::Paragraph(pieces) => block("p", &[], pieces.iter().map(render_inline).collect::<Markup>()),
        Block::Quote(text) => block("blockquote", &[], text),
        Block::Table(table) => render_table(table),
    }
}

fn render_table(content: &Table) -> Markup {
    let columns: Vec<Column<'_>> = (content.head.iter().enumerate())
        .map(|(index, name)| Column { name, title: None, is_number: index >= content.first_number_column })
        .collect();
    table(&columns, content.rows.iter().map(|row| row.iter().map(render_inline).collect()))
}

fn render_inline(piece: &Inline) -> Markup {
    match piece {
        Inline::Plain(text) => text.into(),
        Inline::Code(text) => code(text),
        Inline::Strong(text) => inline("strong", &[], text),
        Inline::Outcome(outcome) => badge(Tone::of(*outcome), Some(outcome.meaning()), outcome.as_str()),
    }
}
