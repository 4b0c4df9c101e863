//! Elements of HTML, and the escaping of foreign text.

use std::fmt::Write as _;

use crate::control_characters::escape_text;
use crate::vocabulary::Outcome;

/// HTML in which all foreign text is escaped.
///
/// Text becomes markup only by [`From`], which escapes it, and the names of elements and attributes are literals.
#[derive(Clone, Debug, Default)]
pub(super) struct Markup(String);

/// Attributes of an element, as pairs of name and value. Values are escaped.
pub(super) type Attributes<'a> = &'a [(&'static str, &'a str)];

impl Markup {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Appends other markup.
    pub(super) fn push(&mut self, other: impl Into<Markup>) {
        self.0.push_str(&other.into().0);
    }
}

impl From<&str> for Markup {
    fn from(text: &str) -> Self {
        Markup(escape(text))
    }
}

impl From<&String> for Markup {
    fn from(text: &String) -> Self {
        Markup(escape(text))
    }
}

impl From<String> for Markup {
    fn from(text: String) -> Self {
        Markup(escape(&text))
    }
}

impl FromIterator<Markup> for Markup {
    fn from_iter<I: IntoIterator<Item = Markup>>(parts: I) -> Self {
        Markup(parts.into_iter().map(|part| part.0).collect())
    }
}

/// Makes an element that is part of a line.
pub(super) fn inline(name: &'static str, attributes: Attributes<'_>, content: impl Into<Markup>) -> Markup {
    let mut html = format!("<{name}");
    for (attribute, value) in attributes {
        let _ = write!(html, " {attribute}=\"{}\"", escape(value));
    }
    let _ = write!(html, ">{}</{name}>", content.into().0);
    Markup(html)
}

/// Makes an element that ends a line of the source.
pub(super) fn block(name: &'static str, attributes: Attributes<'_>, content: impl Into<Markup>) -> Markup {
    let mut markup = inline(name, attributes, content);
    markup.0.push('\n');
    markup
}

/// Makes a heading. `element` is one of `h1` to `h6`. `level` selects the style of the heading.
pub(super) fn heading(
    (level, element): (u8, u8),
    attributes: Attributes<'_>,
    content: impl Into<Markup>,
) -> Markup {
    const NAMES: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];
    let class = format!("level-{level}");
    let attributes = [&[("class", class.as_str())], attributes].concat();
    block(NAMES[usize::from(element).clamp(1, NAMES.len()) - 1], &attributes, content)
}

/// Makes a piece of code.
pub(super) fn code(text: &str) -> Markup {
    inline("code", &[], text)
}

/// Makes a link to an element of the same page.
pub(super) fn link(anchor: &str, content: impl Into<Markup>) -> Markup {
    inline("a", &[("href", &format!("#{anchor}"))], content)
}

/// The meaning of the colour of a badge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Good,
    Bad,
    /// Something that the reader should look at.
    Doubtful,
    /// A refusal, which the user sees as an error.
    Loud,
    /// The outcome `as-before`, which a compatibility promise permits.
    Promised,
    /// Something that says neither good nor bad.
    None,
}

impl Tone {
    /// Returns the tone of an outcome. The tone depends on whether the outcome is [silent](Outcome::is_silent).
    pub(super) fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Refused => Tone::Loud,
            Outcome::AsBefore => Tone::Promised,
            outcome if outcome.is_silent() => Tone::Doubtful,
            _ => Tone::Good,
        }
    }

    const fn class(self) -> &'static str {
        match self {
            Tone::Good => "mark good",
            Tone::Bad => "mark bad",
            Tone::Doubtful => "mark doubtful",
            Tone::Loud => "mark loud",
            Tone::Promised => "mark promised",
            Tone::None => "mark",
        }
    }
}

/// Makes a badge: a word on a coloured ground. The title explains the word.
pub(super) fn badge(tone: Tone, title: Option<&str>, content: impl Into<Markup>) -> Markup {
    match title {
        Some(title) => inline("span", &[("class", tone.class()), ("title", title)], content),
        None => inline("span", &[("class", tone.class())], content),
    }
}

/// A column of a table.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Column<'a> {
    pub(super) name: &'a str,
    /// Explanation of the name.
    pub(super) title: Option<&'a str>,
    pub(super) is_number: bool,
}

/// Makes a table. The first column contains the headings of the rows. A table that is wider than the page can be
/// scrolled.
pub(super) fn table(columns: &[Column<'_>], rows: impl IntoIterator<Item = Vec<Markup>>) -> Markup {
    let attributes =
        |column: &Column<'_>| if column.is_number { vec![("class", "number")] } else { Vec::new() };
    let head = columns.iter().map(|column| {
        let mut attributes = attributes(column);
        attributes.insert(0, ("scope", "col"));
        attributes.extend(column.title.map(|title| ("title", title)));
        inline("th", &attributes, column.name)
    });
    let head = block("thead", &[], inline("tr", &[], head.collect::<Markup>()));
    let row = |fields: Vec<Markup>| {
        let fields = columns.iter().zip(fields).enumerate().map(|(index, (column, field))| match index {
            0 => inline("th", &[("scope", "row")], field),
            _ => inline("td", &attributes(column), field),
        });
        block("tr", &[], fields.collect::<Markup>())
    };
    let body = block("tbody", &[], rows.into_iter().map(row).collect::<Markup>());
    block(
        "div",
        &[("class", "wide")],
        inline("table", &[("class", "plain")], Markup::from_iter([head, body])),
    )
}

/// Escapes text for use in an element or an attribute. Characters that are not safe to show get a visible form.
pub(crate) fn escape(text: &str) -> String {
    let text = escape_text(text);
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::HOSTILE_TEXT;

    #[test]
    fn text_and_attributes_are_escaped() {
        let element = inline("a", &[("title", "\"'&<b>")], "<b>\u{202e}&'\"</b>");
        let text = "&lt;b&gt;\\u{202e}&amp;&#39;&quot;&lt;/b&gt;";
        assert_eq!(element.as_str(), format!("<a title=\"&quot;&#39;&amp;&lt;b&gt;\">{text}</a>"));
    }

    #[test]
    fn hostile_text_adds_no_element_and_no_attribute() {
        let markup = |text: &str| {
            let column = Column { name: text, title: Some(text), is_number: true };
            let field = badge(Tone::Bad, Some(text), link(text, code(text)));
            table(&[column], [vec![field]])
        };
        let (harmless, hostile) = (markup("x"), markup(HOSTILE_TEXT));
        for sign in ["<", ">", "\"", "'", " title=", "\u{1b}", "\u{202e}"] {
            let count = |markup: &Markup| markup.as_str().matches(sign).count();
            assert_eq!(count(&hostile), count(&harmless), "{sign:?}");
        }
    }
}
