//! The prose of a suite file: the texts that can contain quotations.

use skewer_yaml::{Node, NodeData, ParsedFile, Span};

const PROSE_KEYS: [&str; 3] = ["about", "because", CITES];

/// The key whose whole text is a quotation.
const CITES: &str = "cites";

/// One text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Prose {
    /// The text, without indentation.
    pub(super) text: String,
    /// Whether the whole text is a quotation.
    pub(super) is_quotation: bool,
    /// The span of the text in the file.
    pub(super) span: Span,
}

/// Returns the prose of a file: the values of `about`, `because` and `cites`, and the comments on lines of their own.
pub(super) fn prose_of(file: &ParsedFile) -> Vec<Prose> {
    let mut found = Vec::new();
    let mut strings = Vec::new();
    collect(file, file.root(), &mut found, &mut strings);
    comments(file.text(), &strings, &mut found);
    found.sort_by_key(|prose| prose.span.offset);
    found
}

fn collect(file: &ParsedFile, node: &Node, found: &mut Vec<Prose>, strings: &mut Vec<Span>) {
    // An alias repeats an anchored text, which is checked where it is written.
    if file.text()[node.span.offset..].starts_with('*') {
        return;
    }
    match &node.data {
        NodeData::String(_) => strings.push(node.span),
        NodeData::List(items) => {
            for item in items {
                collect(file, item, found, strings);
            }
        }
        NodeData::Map(entries) => {
            for entry in entries {
                let is_prose = PROSE_KEYS.contains(&entry.name());
                let is_alias = file.text()[entry.value.span.offset..].starts_with('*');
                if let (true, false, Some(text)) = (is_prose, is_alias, entry.value.as_str()) {
                    let is_quotation = entry.name() == CITES;
                    found.push(Prose { text: text.to_owned(), is_quotation, span: entry.value.span });
                }
                collect(file, &entry.value, found, strings);
            }
        }
        _ => {}
    }
}

/// Adds the comments that have lines of their own. Consecutive lines are one comment. A line inside a string, such as Go
/// text, is no comment.
fn comments(text: &str, strings: &[Span], found: &mut Vec<Prose>) {
    let is_inside_string =
        |offset: usize| strings.iter().any(|span| span.offset < offset && offset < span.end());
    let mut current: Option<Prose> = None;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let start = offset + line.len() - line.trim_start().len();
        offset += line.len();
        match line.trim().strip_prefix('#').filter(|_| !is_inside_string(start)) {
            Some(comment) => {
                let prose = current.get_or_insert_with(|| Prose {
                    text: String::new(),
                    is_quotation: false,
                    span: Span::new(start, 0),
                });
                prose.text.push_str(comment);
                prose.span = Span::new(prose.span.offset, offset - prose.span.offset);
            }
            None => found.extend(current.take()),
        }
    }
    found.extend(current);
}
