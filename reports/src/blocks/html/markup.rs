//! Elements of HTML, and the escaping of foreign text.

use std::fmt::Write as _;

use skewer_results::control_characters::escape_text;

/// HTML in which all foreign text is escaped.
///
/// Text becomes markup only by [`From`], which escapes it, and the names of elements and attributes are literals.
#[derive(Clone, Debug, Default)]
pub(crate) struct Markup(String);

/// Attributes of an element, as pairs of name and value. Values are escaped.
pub(crate) type Attributes<'a> = &'a [(&'static str, &'a str)];

impl Markup {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Appends other markup.
    pub(crate) fn push(&mut self, other: impl Into<Markup>) {
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
pub(crate) fn inline(name: &'static str, attributes: Attributes<'_>, content: impl Into<Markup>) -> Markup {
    let mut html = format!("<{name}");
    for (attribute, value) in attributes {
        let _ = write!(html, " {attribute}=\"{}\"", escape(value));
    }
    let _ = write!(html, ">{}</{name}>", content.into().0);
    Markup(html)
}

/// Makes an element that ends a line of the source.
pub(crate) fn block(name: &'static str, attributes: Attributes<'_>, content: impl Into<Markup>) -> Markup {
    let mut markup = inline(name, attributes, content);
    markup.0.push('\n');
    markup
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

    #[test]
    fn text_and_attributes_are_escaped() {
        let element = inline("a", &[("title", "\"'&<b>")], "<b>\u{202e}&'\"</b>");
        let text = "&lt;b&gt;\\u{202e}&amp;&#39;&quot;&lt;/b&gt;";
        assert_eq!(element.as_str(), format!("<a title=\"&quot;&#39;&amp;&lt;b&gt;\">{text}</a>"));
    }
}
