//! Unified diffs of documents.

use similar::TextDiff;

use crate::model::Cell;

/// Lines of context around each change.
const CONTEXT: usize = 3;

/// Returns the unified diff of two named texts; empty if the texts are equal.
#[must_use]
pub fn unified(old: (&str, &str), new: (&str, &str)) -> String {
    let (old_name, old_text) = old;
    let (new_name, new_text) = new;
    if old_text == new_text {
        return String::new();
    }
    TextDiff::from_lines(old_text, new_text)
        .unified_diff()
        .context_radius(CONTEXT)
        .missing_newline_hint(false)
        .header(old_name, new_name)
        .to_string()
}

/// Returns the diff from the expected document of a cell to the actual one, if it has both and they differ.
#[must_use]
pub fn of_cell(cell: &Cell) -> Option<String> {
    let (expected, actual) = (cell.expected_document.as_ref()?, cell.actual_document.as_ref()?);
    Some(unified(("expected", expected), ("actual", actual))).filter(|diff| !diff.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changed_lines_and_their_context_are_shown() {
        let old = (0..20).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n") + "\n";
        let new = old.replace("line 10\n", "line ten\n");
        let diff = unified(("a", &old), ("b", &new));
        assert_eq!(
            diff,
            "--- a\n+++ b\n@@ -8,7 +8,7 @@\n line 7\n line 8\n line 9\n-line 10\n+line ten\n line 11\n line 12\n line 13\n"
        );
    }

    #[test]
    fn equal_documents_have_no_diff() {
        assert_eq!(unified(("a", "x: 1\n"), ("b", "x: 1\n")), "");
    }
}
