//! Reports as blocks: headings, paragraphs, lists, tables, code and details, independent of the format.
//!
//! Each report has one description, a function from its model to blocks, and each format has one renderer: [`text`],
//! [`markdown`] and [`html`].

pub(crate) mod html;
mod line;
pub(crate) mod markdown;
mod table;
pub(crate) mod text;

pub(crate) use self::line::{
    Inline, Line, LinkTarget, Tone, TonedWord, code, link, own, plain, strong, titled_with_code,
};
pub(crate) use self::table::{Column, Table, count, number};

/// A part of a report.
#[derive(Clone, Debug)]
pub(crate) enum Block {
    /// A heading.
    Heading(Heading),
    /// A paragraph.
    Paragraph(Line),
    /// A quotation, or a remark that stands out.
    Quote(Line),
    /// A list.
    List(Vec<ListItem>),
    /// A table.
    Table(Table),
    /// Lines of code, with the name of the language.
    Code(&'static str, String),
    /// Blocks that are folded up.
    Details(Details),
}

/// A heading. Level 1 is the highest.
#[derive(Clone, Debug)]
pub(crate) struct Heading {
    pub(crate) level: u8,
    pub(crate) line: Line,
    /// The name to which links refer.
    pub(crate) anchor: Option<String>,
}

/// An item of a list, which can have a list below it.
#[derive(Clone, Debug)]
pub(crate) struct ListItem {
    pub(crate) line: Line,
    pub(crate) below: Vec<Line>,
}

/// Blocks that are folded up below their summary.
#[derive(Clone, Debug)]
pub(crate) struct Details {
    pub(crate) summary: Line,
    /// The name to which links refer.
    pub(crate) anchor: Option<String>,
    pub(crate) content: Vec<Block>,
}

impl<L: Into<Line>> From<L> for ListItem {
    fn from(line: L) -> Self {
        ListItem { line: line.into(), below: Vec::new() }
    }
}

/// Makes a heading.
pub(crate) fn heading(level: u8, line: impl Into<Line>) -> Block {
    Block::Heading(Heading { level, line: line.into(), anchor: None })
}

/// Makes a heading to which links refer by an anchor.
pub(crate) fn anchored_heading(level: u8, anchor: String, line: impl Into<Line>) -> Block {
    Block::Heading(Heading { level, line: line.into(), anchor: Some(anchor) })
}

/// Makes a paragraph.
pub(crate) fn paragraph(line: impl Into<Line>) -> Block {
    Block::Paragraph(line.into())
}

/// Makes a list.
pub(crate) fn list(items: impl IntoIterator<Item = impl Into<ListItem>>) -> Block {
    Block::List(items.into_iter().map(Into::into).collect())
}

/// Makes blocks that are folded up.
pub(crate) fn details(summary: impl Into<Line>, content: Vec<Block>) -> Block {
    Block::Details(Details { summary: summary.into(), anchor: None, content })
}

/// Returns the anchor that GitHub gives to a heading.
pub(crate) fn anchor_of(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}
