//! Unified diffs of documents.

use similar::TextDiff;
use skewer_results::model::{AnswerPart, Cell};

/// Lines of context around each change.
const CONTEXT: usize = 3;

/// A text, with its name in the head of a diff.
#[derive(Clone, Copy, Debug)]
pub struct NamedText<'t> {
    /// The name.
    pub name: &'t str,
    /// The text.
    pub text: &'t str,
}

/// Returns the unified diff of two named texts; empty if the texts are equal.
#[must_use]
pub fn unified(old: NamedText<'_>, new: NamedText<'_>) -> String {
    if old.text == new.text {
        return String::new();
    }
    TextDiff::from_lines(old.text, new.text)
        .unified_diff()
        .context_radius(CONTEXT)
        .missing_newline_hint(false)
        .header(old.name, new.name)
        .to_string()
}

/// Returns the diff from the expected document of a cell to the actual one, if it has both and they differ. The result of an
/// operation that should have been refused is shown as a whole.
#[must_use]
pub fn of_cell(cell: &Cell) -> Option<String> {
    let actual = cell.actual_document.as_ref()?;
    let is_result = cell.actual.as_ref().is_some_and(|actual| actual.has.contains(&AnswerPart::Result));
    let expected = cell.expected_document.as_deref().or(is_result.then_some(""))?;
    Some(unified(NamedText { name: "expected", text: expected }, NamedText { name: "actual", text: actual }))
        .filter(|diff| !diff.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changed_lines_and_their_context_are_shown() {
        let old = (0..20).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n") + "\n";
        let new = old.replace("line 10\n", "line ten\n");
        let diff = unified(NamedText { name: "a", text: &old }, NamedText { name: "b", text: &new });
        assert_eq!(
            diff,
            "--- a\n+++ b\n@@ -8,7 +8,7 @@\n line 7\n line 8\n line 9\n-line 10\n+line ten\n line 11\n line 12\n line 13\n"
        );
    }

    #[test]
    fn equal_documents_have_no_diff() {
        assert_eq!(
            unified(NamedText { name: "a", text: "x: 1\n" }, NamedText { name: "b", text: "x: 1\n" }),
            ""
        );
    }
}
