//! The parts of the report as text for a terminal, as Markdown and as a page.

use std::fmt::Write as _;

use tabled::builder::Builder;
use tabled::settings::object::Segment;
use tabled::settings::style::HorizontalLine;
use tabled::settings::{Alignment, Modify, Padding, Style as TableStyle};

use super::layout::{InlineText, ReportBlock, TextTable};
use crate::control_characters::escape_text;
use crate::markdown::escape;
use crate::terminal::Style;

impl InlineText {
    fn text(&self) -> &str {
        match self {
            InlineText::Plain(text) | InlineText::Code(text) | InlineText::Strong(text) => text,
        }
    }
}

/// The width of a paragraph on a terminal of unknown width.
const WIDTH: usize = 100;

pub(super) fn text(blocks: &[ReportBlock], style: Style) -> String {
    let width = style.width.unwrap_or(WIDTH).min(WIDTH);
    let mut out = String::new();
    for block in blocks {
        if !out.is_empty() {
            out.push('\n');
        }
        match block {
            ReportBlock::Heading(level, text) => {
                let line = if *level < 3 { "=" } else { "-" }.repeat(text.chars().count());
                let _ = writeln!(out, "{}\n{line}", escape_text(text));
            }
            ReportBlock::Text(pieces) => out.push_str(&wrapped(&joined(pieces, InlineText::text), width, "")),
            ReportBlock::Quote(text) => out.push_str(&wrapped(&format!("\"{text}\""), width, "    ")),
            ReportBlock::Table(table) => out.push_str(&text_table(table, style)),
        }
    }
    out
}

fn joined<'i>(pieces: &'i [InlineText], of: impl Fn(&'i InlineText) -> &'i str) -> String {
    escape_text(&pieces.iter().map(of).collect::<String>()).into_owned()
}

fn wrapped(text: &str, width: usize, indent: &str) -> String {
    let mut out = String::new();
    let mut line = indent.to_owned();
    for word in text.split_whitespace() {
        if line.trim().is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= width {
            let _ = write!(line, " {word}");
        } else {
            let _ = writeln!(out, "{line}");
            line = format!("{indent}{word}");
        }
    }
    let _ = writeln!(out, "{line}");
    out
}

/// The table, or a paragraph for each row where it is too wide.
fn text_table(table: &TextTable, style: Style) -> String {
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
            let _ = writeln!(out, "{indent}{name}: {}", escape_text(field.text()));
        }
    }
    out
}

pub(super) fn markdown(blocks: &[ReportBlock]) -> String {
    let piece = |inline: &InlineText, in_table: bool| match inline {
        InlineText::Plain(text) => spaced(text, escape::escape_prose),
        InlineText::Code(text) if in_table => escape::code_span(text),
        InlineText::Code(text) => escape::code_span_outside_tables(text),
        InlineText::Strong(text) => spaced(text, |text| format!("**{}**", escape::escape_prose(text))),
    };
    let mut out = String::new();
    for block in blocks {
        if !out.is_empty() {
            out.push('\n');
        }
        match block {
            ReportBlock::Heading(level, text) => {
                let _ = writeln!(out, "{} {}", "#".repeat(usize::from(*level)), heading(text));
            }
            ReportBlock::Text(pieces) => {
                let text: String = pieces.iter().map(|inline| piece(inline, false)).collect();
                let _ = writeln!(out, "{}", text.trim());
            }
            ReportBlock::Quote(text) => {
                let _ = writeln!(out, "> {}", escape::escape_prose(text));
            }
            ReportBlock::Table(table) => {
                let aligned = |column: usize| if column < table.first_number_column { ":--" } else { "--:" };
                let head: Vec<String> = table.head.iter().map(|name| escape::escape_prose(name)).collect();
                let lines: Vec<&str> = (0..table.head.len()).map(aligned).collect();
                let _ = writeln!(out, "| {} |\n|{}|", head.join(" | "), lines.join("|"));
                for row in &table.rows {
                    let fields: Vec<String> = row.iter().map(|inline| piece(inline, true)).collect();
                    let _ = writeln!(out, "| {} |", fields.join(" | "));
                }
            }
        }
    }
    out
}

/// Numbers of cases in headings are meant to read as such: nothing foreign stands in a heading.
fn heading(text: &str) -> String {
    escape_text(text).into_owned()
}

/// Escaped, with the spaces around it that the escape takes away.
fn spaced(text: &str, escape: impl Fn(&str) -> String) -> String {
    let space = |is: bool| if is { " " } else { "" };
    format!("{}{}{}", space(text.starts_with(' ')), escape(text), space(text.ends_with(' ')))
}

const PAGE_STYLE: &str = "\
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
blockquote { border-left: 0.25rem solid #8888; margin: 1rem 0; padding: 0 1rem; }
table { border-collapse: collapse; display: block; margin: 1rem 0; overflow-x: auto; }
th, td { border-bottom: 1px solid #8886; padding: 0.2rem 0.7rem; text-align: left; vertical-align: top; }
th { border-bottom-width: 2px; }
.number { text-align: right; }
code { font-size: 0.9em; }
";

pub(super) fn html(blocks: &[ReportBlock]) -> String {
    let mut out = String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width\">\n");
    out.push_str("<meta http-equiv=\"content-security-policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n");
    let _ = write!(out, "<title>KEP-1027</title>\n<style>\n{PAGE_STYLE}</style>\n</head>\n<body>\n");
    for block in blocks {
        match block {
            ReportBlock::Heading(level, text) => {
                let _ = writeln!(out, "<h{level}>{}</h{level}>", escape::escape_html(text));
            }
            ReportBlock::Text(pieces) => {
                let _ = writeln!(out, "<p>{}</p>", pieces.iter().map(html_piece).collect::<String>());
            }
            ReportBlock::Quote(text) => {
                let _ = writeln!(out, "<blockquote><p>{}</p></blockquote>", escape::escape_html(text));
            }
            ReportBlock::Table(table) => html_table(&mut out, table),
        }
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn html_table(out: &mut String, table: &TextTable) {
    let class = |column: usize| if column < table.first_number_column { "" } else { " class=\"number\"" };
    out.push_str("<table>\n<thead><tr>");
    for (column, name) in table.head.iter().enumerate() {
        let _ = write!(out, "<th scope=\"col\"{}>{}</th>", class(column), escape::escape_html(name));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for (column, field) in row.iter().enumerate() {
            let _ = write!(out, "<td{}>{}</td>", class(column), html_piece(field));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n");
}

fn html_piece(inline: &InlineText) -> String {
    let text = escape::escape_html(inline.text());
    match inline {
        InlineText::Plain(_) => text,
        InlineText::Code(_) => format!("<code>{text}</code>"),
        InlineText::Strong(_) => format!("<strong>{text}</strong>"),
    }
}
