//! Blocks as Markdown (the GitHub flavour).

pub(crate) mod escape;
pub(crate) mod size_limit;

use std::fmt::Write as _;

use self::escape::{code_span, code_span_outside_tables, escape_html, escape_prose, fenced_block};
use self::size_limit::SizeLimit;
use super::line::{Inline, Line, LinkTarget, Tone};
use super::table::Table;
use super::{Block, Details, Heading, anchor_of};

/// Renders blocks, with an empty line between them. `first_level` is the level of the highest heading.
pub(crate) fn document(blocks: &[Block], first_level: u8) -> String {
    let rendered: Vec<String> = blocks.iter().map(|block| render(block, first_level)).collect();
    rendered.join("\n")
}

/// A report on cells that has a maximum size.
pub(crate) struct LimitedReport {
    /// The part that is never cut.
    pub(crate) head: Vec<Block>,
    /// The cells: a block of details or a row of a table is a cell.
    pub(crate) cells: Vec<Block>,
    /// The part that is left out if it does not fit.
    pub(crate) end: Vec<Block>,
}

impl LimitedReport {
    /// Renders the report with headings from the second level on. Cells that do not fit are left out and counted.
    pub(crate) fn render(&self, limit: SizeLimit) -> String {
        let mut text = document(&self.head, 1);
        limit.append_sections(&mut text, cell_texts(&self.cells).into_iter());
        if !self.end.is_empty() {
            limit.append(&mut text, &format!("\n{}", document(&self.end, 1)));
        }
        text
    }
}

/// Renders each cell. The first cell under a heading contains the heading, and the first row of a table its head.
fn cell_texts(blocks: &[Block]) -> Vec<String> {
    let mut texts = Vec::new();
    let mut heading = String::new();
    for block in blocks {
        match block {
            Block::Heading(_) => heading = format!("\n{}", render(block, 1)),
            Block::Table(table) => {
                for (index, row) in table.rows.iter().enumerate() {
                    let head = if index == 0 { format!("\n{}", table_head(table)) } else { String::new() };
                    texts.push(std::mem::take(&mut heading) + &head + &table_row(row));
                }
            }
            other => texts.push(format!("{}\n{}", std::mem::take(&mut heading), render(other, 1))),
        }
    }
    texts
}

fn render(block: &Block, first_level: u8) -> String {
    match block {
        Block::Heading(heading) => render_heading(heading, first_level),
        Block::Paragraph(line) => format!("{}\n", outside_tables(line)),
        Block::Quote(line) => format!("> {}\n", outside_tables(line)),
        Block::List(items) => items.iter().fold(String::new(), |mut list, item| {
            let _ = writeln!(list, "- {}", outside_tables(&item.line));
            for below in &item.below {
                let _ = writeln!(list, "  - {}", outside_tables(below));
            }
            list
        }),
        Block::Table(table) => {
            let rows: String = table.rows.iter().map(|row| table_row(row)).collect();
            table_head(table) + &rows
        }
        Block::Code(language, text) => fenced_block(language, text),
        Block::Details(details) => render_details(details, first_level),
    }
}

fn render_heading(heading: &Heading, first_level: u8) -> String {
    let anchor = heading.anchor.as_deref().filter(|anchor| *anchor != anchor_of(&heading.line.text()));
    let anchor = anchor.map(anchor_element).unwrap_or_default();
    let marks = "#".repeat(usize::from(heading.level + first_level - 1));
    format!("{marks} {anchor}{}\n", outside_tables(&heading.line))
}

fn render_details(details: &Details, first_level: u8) -> String {
    let anchor = details.anchor.as_deref().map(anchor_element).unwrap_or_default();
    let summary: String = details.summary.0.iter().map(in_html).collect();
    let content = document(&details.content, first_level);
    format!("<details><summary>{anchor}{summary}</summary>\n\n{content}\n</details>\n")
}

fn anchor_element(anchor: &str) -> String {
    format!("<a id=\"{}\"></a>", escape_html(anchor))
}

fn table_head(table: &Table) -> String {
    let names: Vec<Line> = table.columns.iter().map(|column| column.name.clone()).collect();
    let alignment = |is_number| if is_number { "--:|" } else { ":--|" };
    let alignments: String = table.columns.iter().map(|column| alignment(column.is_number)).collect();
    format!("{}|{alignments}\n", table_row(&names))
}

fn table_row(fields: &[Line]) -> String {
    let mut row = "|".to_owned();
    for field in fields {
        let text = render_line(field, code_span);
        let _ = if text.is_empty() { write!(row, " |") } else { write!(row, " {text} |") };
    }
    row + "\n"
}

fn outside_tables(line: &Line) -> String {
    render_line(line, code_span_outside_tables)
}

fn render_line(line: &Line, code: fn(&str) -> String) -> String {
    let text: String = line.0.iter().map(|piece| inline(piece, code)).collect();
    text.trim().to_owned()
}

fn inline(piece: &Inline, code: fn(&str) -> String) -> String {
    let strong = |text: &str| format!("**{}**", escape_prose(text));
    match piece {
        Inline::Plain(text) => keep_spaces(text, escape_prose),
        Inline::Own(text) => text.clone(),
        Inline::Code(text) => code(text),
        Inline::Emphasis(text) => keep_spaces(text, |text| format!("*{}*", escape_prose(text))),
        Inline::Strong(text) => keep_spaces(text, strong),
        Inline::Outcome(outcome) if outcome.is_silent() => strong(outcome.as_str()),
        Inline::Outcome(outcome) => escape_prose(outcome.as_str()),
        Inline::Badge(badge) if badge.tone == Tone::Bad => strong(&badge.text),
        Inline::Badge(badge) => escape_prose(&badge.text),
        Inline::Link(target, content) => {
            let content = render_line(content, code);
            match target {
                LinkTarget::Anchor(anchor) => format!("[{content}](#{anchor})"),
                LinkTarget::Address(address) => format!("[{content}]({address})"),
            }
        }
        Inline::Break => "<br>".to_owned(),
    }
}

/// Renders a piece of the summary of details, which is HTML.
fn in_html(piece: &Inline) -> String {
    match piece {
        Inline::Code(text) => format!("<code>{}</code>", escape_html(text)),
        other => escape_html(&Line::from(other.clone()).text()),
    }
}

/// Escapes a text with `escape`, which removes spaces at both ends, and adds these spaces again.
fn keep_spaces(text: &str, escape: impl Fn(&str) -> String) -> String {
    if text.trim().is_empty() {
        return if text.is_empty() { String::new() } else { " ".to_owned() };
    }
    let space = |is: bool| if is { " " } else { "" };
    format!("{}{}{}", space(text.starts_with(' ')), escape(text), space(text.ends_with(' ')))
}
