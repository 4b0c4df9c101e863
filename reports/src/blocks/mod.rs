//! Reports as headings, paragraphs, quotations and tables, independent of the format.

mod markdown;
mod terminal;

use crate::vocabulary::Outcome;

pub(crate) use self::markdown::markdown;
pub(crate) use self::terminal::text;

/// A part of a report.
pub(crate) enum Block {
    /// A heading with its level. Level 1 is the highest.
    Heading(u8, String),
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// A quotation.
    Quote(String),
    /// A table.
    Table(Table),
}

/// A table. Columns from `first_number_column` on contain numbers.
pub(crate) struct Table {
    pub(crate) head: Vec<String>,
    pub(crate) first_number_column: usize,
    pub(crate) rows: Vec<Vec<Inline>>,
}

/// A piece of text within a paragraph or a table.
pub(crate) enum Inline {
    /// Plain text.
    Plain(String),
    /// Code, such as the name of a case.
    Code(String),
    /// Strong text.
    Strong(String),
    /// The word for an outcome. Renderers emphasize silent outcomes.
    Outcome(Outcome),
}

impl Inline {
    /// Returns the text without its style.
    pub(crate) fn text(&self) -> &str {
        match self {
            Inline::Plain(text) | Inline::Code(text) | Inline::Strong(text) => text,
            Inline::Outcome(outcome) => outcome.as_str(),
        }
    }
}
