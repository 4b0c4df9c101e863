//! Text on one line, in pieces with a style.

use skewer_results::vocabulary::Outcome;

/// The text of a paragraph, a heading, an item of a list or a field of a table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line(pub(crate) Vec<Inline>);

/// A piece of a line.
#[derive(Clone, Debug)]
pub(crate) enum Inline {
    /// Text of any origin. Renderers escape it.
    Plain(String),
    /// Text of Skewer itself, which has no character that needs an escape in Markdown.
    Own(String),
    /// Code, such as the name of a case.
    Code(String),
    /// Emphasized text.
    Emphasis(String),
    /// Strong text.
    Strong(String),
    /// The word for an outcome. Renderers emphasize silent outcomes.
    Outcome(Outcome),
    /// A word on a coloured ground.
    Badge(TonedWord),
    /// A link.
    Link(LinkTarget, Line),
    /// The end of a line within a field of a table.
    Break,
}

/// A word with a tone. Without colours, a bad word is strong.
#[derive(Clone, Debug)]
pub(crate) struct TonedWord {
    pub(crate) tone: Tone,
    pub(crate) text: String,
    /// Explanation of the word.
    pub(crate) title: Option<String>,
}

/// The meaning of the colour of a badge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Bad,
    /// Something that the reader should look at.
    Doubtful,
    /// A refusal, which the user sees as an error.
    Loud,
    /// The outcome `as-before`, which a compatibility promise permits.
    Promised,
    /// Something that says neither good nor bad.
    Neutral,
}

impl Tone {
    /// Returns the tone of an outcome. The tone depends on whether the outcome is [silent](Outcome::is_silent).
    pub(crate) fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Refused => Tone::Loud,
            Outcome::AsBefore => Tone::Promised,
            outcome if outcome.is_silent() => Tone::Doubtful,
            _ => Tone::Good,
        }
    }
}

/// The target of a link.
#[derive(Clone, Debug)]
pub(crate) enum LinkTarget {
    /// An anchor of the same report.
    Anchor(String),
    /// An address, escaped as such.
    Address(String),
}

impl Line {
    /// Returns the text without its style.
    pub(crate) fn text(&self) -> String {
        self.0.iter().map(Inline::text).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0
            .iter()
            .all(|piece| matches!(piece, Inline::Code(text) | Inline::Plain(text) if text.trim().is_empty()))
    }

    /// Joins lines.
    pub(crate) fn join(lines: impl IntoIterator<Item = impl Into<Line>>, between: &Inline) -> Line {
        let mut joined = Vec::new();
        for (index, line) in lines.into_iter().enumerate() {
            joined.extend((index > 0).then(|| between.clone()));
            joined.extend(line.into().0);
        }
        Line(joined)
    }

    /// Appends other pieces.
    pub(crate) fn with(mut self, other: impl Into<Line>) -> Line {
        self.0.extend(other.into().0);
        self
    }
}

impl Inline {
    fn text(&self) -> String {
        match self {
            Inline::Plain(text)
            | Inline::Own(text)
            | Inline::Code(text)
            | Inline::Emphasis(text)
            | Inline::Strong(text) => text.clone(),
            Inline::Outcome(outcome) => outcome.as_str().to_owned(),
            Inline::Badge(badge) => badge.text.clone(),
            Inline::Link(_, content) => content.text(),
            Inline::Break => "; ".to_owned(),
        }
    }
}

impl From<Inline> for Line {
    fn from(piece: Inline) -> Self {
        Line(vec![piece])
    }
}

impl From<Vec<Inline>> for Line {
    fn from(pieces: Vec<Inline>) -> Self {
        Line(pieces)
    }
}

impl<const N: usize> From<[Inline; N]> for Line {
    fn from(pieces: [Inline; N]) -> Self {
        Line(pieces.into())
    }
}

impl From<TonedWord> for Line {
    fn from(badge: TonedWord) -> Self {
        Inline::Badge(badge).into()
    }
}

/// Makes a piece of plain text.
pub(crate) fn plain(text: impl Into<String>) -> Inline {
    Inline::Plain(text.into())
}

/// Makes a piece of code.
pub(crate) fn code(text: impl Into<String>) -> Inline {
    Inline::Code(text.into())
}

/// Makes a piece of strong text.
pub(crate) fn strong(text: impl Into<String>) -> Inline {
    Inline::Strong(text.into())
}

/// Makes a link to an anchor of the same report.
pub(crate) fn link(anchor: String, content: impl Into<Line>) -> Inline {
    Inline::Link(LinkTarget::Anchor(anchor), content.into())
}

/// Makes a line of foreign text whose code is between backquotes, such as the title of a capability.
pub(crate) fn titled_with_code(text: &str) -> Line {
    let parts = text.split('`').enumerate().filter(|(_, part)| !part.is_empty());
    Line(parts.map(|(index, part)| if index % 2 == 0 { plain(part) } else { code(part) }).collect())
}

/// Makes a line of text of Skewer itself, with the marks of Markdown: `*emphasis*`, `**strong**`, backquotes around code,
/// and `[links](to an address)`. Foreign text must not be part of it.
pub(crate) fn own(text: &str) -> Line {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['`', '*', '[']) {
        let Some((piece, length)) = marked(&rest[start..]) else { break };
        if start > 0 {
            pieces.push(Inline::Own(rest[..start].to_owned()));
        }
        pieces.push(piece);
        rest = &rest[start + length..];
    }
    if !rest.is_empty() {
        pieces.push(Inline::Own(rest.to_owned()));
    }
    Line(pieces)
}

/// Reads the marked piece at the beginning of a text. Returns it with its length.
fn marked(text: &str) -> Option<(Inline, usize)> {
    let between =
        |open: &str, close: &str| text.strip_prefix(open)?.split_once(close).map(|(inner, _)| inner);
    if let Some(inner) = between("`", "`") {
        return Some((code(inner), inner.len() + 2));
    }
    if let Some(inner) = between("**", "**") {
        return Some((strong(inner), inner.len() + 4));
    }
    if let Some(inner) = between("*", "*") {
        return Some((Inline::Emphasis(inner.to_owned()), inner.len() + 2));
    }
    let inner = between("[", ")")?;
    let (content, address) = inner.split_once("](")?;
    let target = match address.strip_prefix('#') {
        Some(anchor) => LinkTarget::Anchor(anchor.to_owned()),
        None => LinkTarget::Address(address.to_owned()),
    };
    Some((Inline::Link(target, own(content)), inner.len() + 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::{markdown, paragraph};

    #[test]
    fn marks_of_own_text_are_read_and_written_back() {
        let text = "A *b* is `c*` or **d**, see [`e`](../e.md) and [f](#f): 2 > 1";
        let line = own(text);
        assert_eq!(line.text(), "A b is c* or d, see e and f: 2 > 1");
        assert_eq!(markdown::document(&[paragraph(line)], 1), format!("{text}\n"));
    }

    #[test]
    fn a_title_has_code_between_backquotes() {
        let line = titled_with_code("`$patch: delete` (proposed)");
        assert_eq!(markdown::document(&[paragraph(line)], 1), "`$patch: delete` (proposed)\n");
    }
}
