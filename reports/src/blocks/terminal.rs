//! Blocks as text for a terminal.

use std::fmt::Write as _;

use tabled::builder::Builder;
use tabled::settings::object::Segment;
use tabled::settings::style::HorizontalLine;
use tabled::settings::{Alignment, Modify, Padding, Style as TableStyle};

use super::{Block, Inline, Table};
use crate::control_characters::escape_text;
use crate::terminal::Style;
use crate::wrap::wrap;

/// Indentation of quotations.
const QUOTE_INDENT: &str = "    ";

/// Renders blocks as plain text, with an empty line between them.
pub(crate) fn text(blocks: &[Block], style: Style) -> String {
    let width = style.text_width();
    let mut out = String::new();
    for block in blocks {
        if !out.is_empty() {
            out.push('\n');
        }
        match block {
            Block::Heading(level, text) => {
                let line = if *level < 3 { "=" } else { "-" }.repeat(text.chars().count());
                let _ = writeln!(out, "{}\n{line}", escape_text(text));
            }
            Block::Paragraph(pieces) => {
                let text: String = pieces.iter().map(Inline::text).collect();
                out.push_str(&wrap(&escape_text(&text), "", "", width));
            }
            Block::Quote(text) => {
                out.push_str(&wrap(&escape_text(&format!("\"{text}\"")), QUOTE_INDENT, QUOTE_INDENT, width));
            }
            Block::Table(table) => out.push_str(&render_table(table, style)),
        }
    }
    out
}

/// Renders a table. A table that is too wide becomes a list with a paragraph for each row.
fn render_table(table: &Table, style: Style) -> String {
    let mut builder = Builder::default();
    builder.push_record(&table.head);
    for row in &table.rows {
        builder.push_record(row.iter().map(|field| escape_text(field.text()).into_owned()));
    }
    let mut rendered = builder.build();
    let line = HorizontalLine::new('─').intersection('─');
    rendered.with(TableStyle::empty().vertical(' ').horizontals([(1, line)])).with(Padding::new(0, 1, 0, 0));
    if table.first_number_column < table.head.len() {
        let numbers = Segment::new(.., table.first_number_column..);
        rendered.with(Modify::new(numbers).with(Alignment::right()));
    }
    if style.fits(rendered.total_width()) {
        return rendered.to_string().lines().fold(String::new(), |text, line| text + line.trim_end() + "\n");
    }
    let mut out = String::new();
    for row in &table.rows {
        for (column, (name, field)) in table.head.iter().zip(row).enumerate() {
            let indent = if column == 0 { "" } else { "  " };
            let line = format!("{name}: {}", escape_text(field.text()));
            out.push_str(&wrap(&line, indent, &format!("{indent}  "), style.line_width()));
        }
    }
    out
}
