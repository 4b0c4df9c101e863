//! Blocks as HTML.

pub(crate) mod frame;
mod markup;

pub(crate) use self::markup::escape;
use self::markup::{Markup, block, inline};
use super::line::{Inline, Line, LinkTarget, Tone};
use super::table::{Column, Table};
use super::{Block, Details, Heading, ListItem};

/// Renders blocks as a page. The first heading is its title.
pub(crate) fn page(blocks: &[Block]) -> String {
    let title = blocks.iter().find_map(|block| match block {
        Block::Heading(heading) => Some(heading.line.text()),
        _ => None,
    });
    frame::document(&title.unwrap_or_default(), &article(blocks, 1))
}

/// Renders blocks as a part of a page. `first_level` is the level of the highest heading.
pub(crate) fn article(blocks: &[Block], first_level: u8) -> Markup {
    blocks.iter().map(|block| render(block, first_level)).collect()
}

fn render(part: &Block, first_level: u8) -> Markup {
    match part {
        Block::Heading(heading) => render_heading(heading, first_level),
        Block::Paragraph(line) => block("p", &[], render_line(line)),
        Block::Quote(line) => block("blockquote", &[], render_line(line)),
        Block::List(items) => block("ul", &[], items.iter().map(render_item).collect::<Markup>()),
        Block::Table(table) => render_table(table),
        Block::Code(_, text) => block("pre", &[], text),
        Block::Details(details) => render_details(details, first_level),
    }
}

fn render_heading(heading: &Heading, first_level: u8) -> Markup {
    const NAMES: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];
    let class = format!("level-{}", heading.level.min(3));
    let mut attributes = vec![("class", class.as_str())];
    attributes.extend(heading.anchor.as_deref().map(|anchor| ("id", anchor)));
    let element = usize::from(heading.level + first_level - 1).clamp(1, NAMES.len());
    block(NAMES[element - 1], &attributes, render_line(&heading.line))
}

fn render_item(item: &ListItem) -> Markup {
    let mut content = render_line(&item.line);
    if !item.below.is_empty() {
        let below = item.below.iter().map(|line| block("li", &[], render_line(line)));
        content.push(block("ul", &[], below.collect::<Markup>()));
    }
    block("li", &[], content)
}

fn render_details(details: &Details, first_level: u8) -> Markup {
    let summary = block("summary", &[], render_line(&details.summary));
    let content = article(&details.content, first_level);
    // A browser opens the details if the target of a link is in them, but not if it is the details themselves.
    let content = match &details.anchor {
        Some(anchor) => block("div", &[("id", anchor)], content),
        None => content,
    };
    block("details", &[], Markup::from_iter([summary, content]))
}

/// Renders a table. The first column contains the headings of the rows. A table that is wider than the page can be
/// scrolled.
fn render_table(content: &Table) -> Markup {
    let head = content.columns.iter().map(|column| {
        let mut attributes = vec![("scope", "col")];
        attributes.extend(number_class(column, content));
        attributes.extend(column.title.as_deref().map(|title| ("title", title)));
        let name = render_line(&column.name);
        inline("th", &attributes, if content.has_narrow_columns { inline("span", &[], name) } else { name })
    });
    let head = block("thead", &[], inline("tr", &[], head.collect::<Markup>()));
    let row = |fields: &Vec<Line>| {
        let fields = content.columns.iter().zip(fields).enumerate().map(|(index, (column, field))| {
            let class: Vec<_> = number_class(column, content).into_iter().collect();
            match index {
                0 => inline("th", &[("scope", "row")], render_line(field)),
                _ => inline("td", &class, render_line(field)),
            }
        });
        block("tr", &[], fields.collect::<Markup>())
    };
    let body = block("tbody", &[], content.rows.iter().map(row).collect::<Markup>());
    let class = if content.has_narrow_columns { "plain ladder" } else { "plain" };
    let table = inline("table", &[("class", class)], Markup::from_iter([head, body]));
    block("div", &[("class", "wide")], table)
}

fn number_class(column: &Column, table: &Table) -> Option<(&'static str, &'static str)> {
    (column.is_number && !table.has_narrow_columns).then_some(("class", "number"))
}

fn render_line(line: &Line) -> Markup {
    line.0.iter().map(render_inline).collect()
}

fn render_inline(piece: &Inline) -> Markup {
    match piece {
        Inline::Plain(text) | Inline::Own(text) => text.into(),
        Inline::Code(text) => inline("code", &[], text),
        Inline::Emphasis(text) => inline("em", &[], text),
        Inline::Strong(text) => inline("strong", &[], text),
        Inline::Outcome(outcome) => badge(Tone::of(*outcome), Some(outcome.meaning()), outcome.as_str()),
        Inline::Badge(content) => badge(content.tone, content.title.as_deref(), &content.text),
        Inline::Link(LinkTarget::Anchor(anchor), content) => {
            inline("a", &[("href", &format!("#{anchor}"))], render_line(content))
        }
        Inline::Link(LinkTarget::Address(address), content) => {
            inline("a", &[("href", address)], render_line(content))
        }
        Inline::Break => inline("br", &[], ""),
    }
}

/// Makes a badge: a word on a coloured ground. The title explains the word.
fn badge(tone: Tone, title: Option<&str>, text: &str) -> Markup {
    let class = match tone {
        Tone::Good => "mark good",
        Tone::Bad => "mark bad",
        Tone::Doubtful => "mark doubtful",
        Tone::Loud => "mark loud",
        Tone::Promised => "mark promised",
        Tone::Neutral => "mark",
    };
    let mut attributes = vec![("class", class)];
    attributes.extend(title.map(|title| ("title", title)));
    inline("span", &attributes, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::{TonedWord, details, link};
    use crate::test_support::HOSTILE_TEXT;

    #[test]
    fn hostile_text_adds_no_element_and_no_attribute() {
        let markup = |text: &str| {
            let badge = TonedWord { tone: Tone::Bad, text: text.to_owned(), title: Some(text.to_owned()) };
            let field = link(text.to_owned(), badge);
            let table = Table::new([Column::number(Inline::Code(text.to_owned()))]).with([[field]]);
            article(&[details(Inline::Plain(text.to_owned()), vec![Block::Table(table)])], 1)
        };
        let (harmless, hostile) = (markup("x"), markup(HOSTILE_TEXT));
        for sign in ["<", ">", "\"", "'", " title=", "\u{1b}", "\u{202e}"] {
            let count = |markup: &Markup| markup.as_str().matches(sign).count();
            assert_eq!(count(&hostile), count(&harmless), "{sign:?}");
        }
    }
}
