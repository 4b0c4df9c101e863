//! Blocks as Markdown.

use std::fmt::Write as _;

use super::{Block, Inline, Table};
use crate::control_characters::escape_text;
use crate::markdown::escape::{code_span, code_span_outside_tables, escape_prose};

/// Renders blocks as Markdown, with an empty line between them.
pub(crate) fn markdown(blocks: &[Block]) -> String {
    let mut out = String::new();
    for block in blocks {
        if !out.is_empty() {
            out.push('\n');
        }
        match block {
            Block::Heading(level, text) => {
                // Headings contain no foreign text. Without the escapes of Markdown, a row number such as `#12` stays
                // readable.
                let _ = writeln!(out, "{} {}", "#".repeat(usize::from(*level)), escape_text(text));
            }
            Block::Paragraph(pieces) => {
                let text: String =
                    pieces.iter().map(|piece| inline(piece, code_span_outside_tables)).collect();
                let _ = writeln!(out, "{}", text.trim());
            }
            Block::Quote(text) => {
                let _ = writeln!(out, "> {}", escape_prose(text));
            }
            Block::Table(table) => push_table(&mut out, table),
        }
    }
    out
}

fn push_table(out: &mut String, table: &Table) {
    let alignment = |column: usize| if column < table.first_number_column { ":--" } else { "--:" };
    let head: Vec<String> = table.head.iter().map(|name| escape_prose(name)).collect();
    let alignments: Vec<&str> = (0..table.head.len()).map(alignment).collect();
    let _ = writeln!(out, "| {} |\n|{}|", head.join(" | "), alignments.join("|"));
    for row in &table.rows {
        let fields: Vec<String> = row.iter().map(|piece| inline(piece, code_span)).collect();
        let _ = writeln!(out, "| {} |", fields.join(" | "));
    }
}

fn inline(piece: &Inline, code: impl Fn(&str) -> String) -> String {
    let strong = |text: &str| format!("**{}**", escape_prose(text));
    match piece {
        Inline::Plain(text) => keep_spaces(text, escape_prose),
        Inline::Code(text) => code(text),
        Inline::Strong(text) => keep_spaces(text, strong),
        Inline::Outcome(outcome) if outcome.is_silent() => strong(outcome.as_str()),
        Inline::Outcome(outcome) => escape_prose(outcome.as_str()),
    }
}

/// Escapes a text with `escape`, which removes spaces at both ends, and adds these spaces again.
fn keep_spaces(text: &str, escape: impl Fn(&str) -> String) -> String {
    let space = |is: bool| if is { " " } else { "" };
    format!("{}{}{}", space(text.starts_with(' ')), escape(text), space(text.ends_with(' ')))
}
