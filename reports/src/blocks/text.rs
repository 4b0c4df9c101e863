//! Blocks as plain text.

use skewer_results::control_characters::{escape_line, escape_text};
use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::style::HorizontalLine;
use tabled::settings::{Alignment, Padding, Style as TableStyle};

use super::line::Line;
use super::table::Table;
use super::{Block, Details, ListItem};
use crate::style::{Style, display_width, wrap};

/// Indentation of quotations and of code.
const INDENT: &str = "    ";

/// Renders blocks, with an empty line between them.
pub(crate) fn document(blocks: &[Block], style: Style) -> String {
    let rendered: Vec<String> = blocks.iter().map(|block| render(block, style)).collect();
    rendered.join("\n")
}

fn render(block: &Block, style: Style) -> String {
    let width = style.text_width();
    match block {
        Block::Heading(heading) => {
            let text = heading.line.text();
            let line = if heading.level < 3 { "=" } else { "-" }.repeat(text.chars().count());
            format!("{}\n{line}\n", escape_text(&text))
        }
        Block::Paragraph(line) => wrap(&escaped(line), "", "", width),
        Block::Quote(line) => wrap(&format!("\"{}\"", escaped(line)), INDENT, INDENT, width),
        Block::List(items) => items.iter().map(|item| render_item(item, width)).collect(),
        Block::Table(table) => render_table(table, style),
        Block::Code(_, text) => escape_text(text).lines().fold(String::new(), |text, line| {
            if line.is_empty() { text + "\n" } else { text + INDENT + line + "\n" }
        }),
        Block::Details(Details { summary, content, .. }) => {
            format!("{}\n{}", wrap(&escaped(summary), "", "", width), document(content, style))
        }
    }
}

fn render_item(item: &ListItem, width: usize) -> String {
    let below = item.below.iter().map(|line| wrap(&escaped(line), "  - ", INDENT, width));
    wrap(&escaped(&item.line), "- ", "  ", width) + &below.collect::<String>()
}

fn escaped(line: &Line) -> String {
    escape_text(&line.text()).into_owned()
}

/// Renders a table. The widest columns of a table that is too wide get narrower, between words. If the table is still too
/// wide, it becomes a list with a paragraph for each row.
fn render_table(table: &Table, style: Style) -> String {
    let field = |line: &Line| escape_line(&line.text().replace('\n', " ")).into_owned();
    let head: Vec<String> = table.columns.iter().map(|column| field(&column.name)).collect();
    let rows = table.rows.iter().map(|row| row.iter().map(field).collect());
    let mut records: Vec<Vec<String>> = [head].into_iter().chain(rows).collect();
    if let Some(width) = style.width {
        let widths = column_widths(&records, width);
        for (field, width) in records.iter_mut().flat_map(|record| record.iter_mut().zip(&widths)) {
            *field = wrap(field, "", "", *width).trim_end().into();
        }
    }
    let mut builder = Builder::default();
    for record in records {
        builder.push_record(record);
    }
    let mut rendered = builder.build();
    let line = HorizontalLine::new('─').intersection('─');
    rendered.with(TableStyle::empty().vertical(' ').horizontals([(1, line)])).with(Padding::new(0, 1, 0, 0));
    for (index, column) in table.columns.iter().enumerate() {
        if column.is_number {
            rendered.modify(Columns::one(index), Alignment::right());
        }
    }
    if style.fits(rendered.total_width()) {
        return rendered.to_string().lines().fold(String::new(), |text, line| text + line.trim_end() + "\n");
    }
    list_of_rows(table, style)
}

/// Returns the widths of columns, of which the widest are shortened until a table fits or a longest word is reached.
fn column_widths(records: &[Vec<String>], width: usize) -> Vec<usize> {
    let widest = |column: usize, width_of: fn(&str) -> usize| {
        records.iter().map(|record| width_of(&record[column])).max().unwrap_or_default()
    };
    let longest_word = |text: &str| text.split(' ').map(display_width).max().unwrap_or_default();
    let columns = records.first().map_or(0, Vec::len);
    let mut widths: Vec<usize> = (0..columns).map(|column| widest(column, display_width)).collect();
    let minima: Vec<usize> = (0..columns).map(|column| widest(column, longest_word)).collect();
    // A column is separated from the next one by two spaces, and the last one is followed by one.
    let room = width.saturating_sub((columns * 2).saturating_sub(1));
    while widths.iter().sum::<usize>() > room {
        let shortened = (0..columns).filter(|column| widths[*column] > minima[*column]);
        let Some(column) = shortened.max_by_key(|column| widths[*column]) else { break };
        widths[column] -= 1;
    }
    widths
}

fn list_of_rows(table: &Table, style: Style) -> String {
    let field = |line: &Line| escape_line(&line.text()).into_owned();
    let mut out = String::new();
    for row in &table.rows {
        for (index, (column, value)) in table.columns.iter().zip(row).enumerate() {
            let indent = if index == 0 { "" } else { "  " };
            let line = format!("{}: {}", field(&column.name), field(value));
            out.push_str(&wrap(&line, indent, &format!("{indent}  "), style.line_width()));
        }
    }
    out
}
