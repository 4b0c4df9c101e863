//! Formatting of files: their layout is read and printed again.

use granit_parser::Event;
use skewer_engine::OwnedDoc;

use super::read::read_layout;
use crate::events::Events;
use crate::{Diagnostics, FileErrors, ParsedFile, Span, parse};

/// Formats the text of a YAML file. Comments, blank lines, anchors and the order of keys stay; a collection in flow style
/// that does not fit on one line gets a line for each key or item.
///
/// # Errors
///
/// Returns the errors of the text, and an error if the formatted text would not have the same content and comments.
pub fn format(name: &str, bytes: &[u8]) -> Result<String, FileErrors> {
    let file = parse(name, bytes)?;
    let text = read_layout(file.text()).map(|document| document.print()).unwrap_or_default();
    let is_same = parse(name, text.as_bytes()).is_ok_and(|formatted| content(&formatted) == content(&file));
    if is_same { Ok(text) } else { Err(cannot_be_formatted(&file)) }
}

/// Returns the content of a file: its document and its comments.
fn content(file: &ParsedFile) -> (OwnedDoc, Vec<String>) {
    let mut comments: Vec<String> = Events::with_comments(file.text())
        .filter_map(Result::ok)
        .filter_map(|spanned| match spanned.event {
            Event::Comment(text, _) => Some(text.trim_end().to_owned()),
            _ => None,
        })
        .collect();
    comments.sort_unstable();
    (file.root().to_doc(), comments)
}

fn cannot_be_formatted(file: &ParsedFile) -> FileErrors {
    let message = "the file cannot be formatted without changing its content or losing a comment";
    let diagnostics = Diagnostics::new();
    diagnostics
        .error(Span::default(), message)
        .help("write comments above a key or an item, or at the end of its line");
    file.errors(diagnostics)
}
