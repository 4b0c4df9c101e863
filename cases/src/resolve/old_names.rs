//! Hints about names that requests had in earlier versions.

use skewer_yaml::{Node, ParsedFile, Position};

use crate::format::{DocumentKey, renamed_request};

/// The keys of a suite, a case or a contribution, besides those of documents, whose content is not part of the case format.
/// A `request` in them is a field like any other.
const OTHER_CONTENT: [&str; 6] = ["schema", "declare", "intent", "result", "any-of", "document"];

/// Returns a hint for each request that a suite file writes with an old name, in the order of the file.
pub(super) fn hints_about_old_names(file_name: &str, file: &ParsedFile) -> Vec<String> {
    let mut hints = Vec::new();
    let mut other_content: Vec<&str> =
        DocumentKey::all().map(DocumentKey::name).chain(OTHER_CONTENT).collect();
    other_content.sort_unstable();
    visit(file.root(), &other_content, &mut |written| {
        let Some((old, new)) = written.as_str().and_then(|old| Some((old, renamed_request(old)?))) else {
            return;
        };
        let Position { line, column } = file.position(written.span);
        let hint = format!(
            "{file_name}:{line}:{column}: the request `{old}` is now named `{new}`: write the new name"
        );
        // A value with an anchor is visited again at each of its aliases.
        if !hints.contains(&hint) {
            hints.push(hint);
        }
    });
    hints
}

/// Calls `check` with every value of a key `request`, and with every item of such a list.
fn visit(node: &Node, other_content: &[&str], check: &mut impl FnMut(&Node)) {
    for item in node.items() {
        visit(item, other_content, check);
    }
    for entry in node.entries() {
        if entry.name() == "request" {
            check(&entry.value);
            entry.value.items().iter().for_each(&mut *check);
        } else if other_content.binary_search(&entry.name()).is_err() {
            visit(&entry.value, other_content, check);
        }
    }
}
