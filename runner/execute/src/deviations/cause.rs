//! The presumable cause of a failure: failures with the same cause share an entry of a rewritten deviation file.

use skewer_reports::{Cell, Status};

/// The presumable cause of a failure, as far as it can be read from the failure itself. It is no reason: a person
/// must find that.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cause {
    /// The operation, or the request of a scenario.
    pub(super) operation: String,
    status: Status,
    /// The answer of the target, without details such as names and numbers.
    kind: String,
}

impl Cause {
    /// Returns the cause of the failure of a cell.
    pub(super) fn of(cell: &Cell, operation: &str) -> Self {
        let kind = without_details(&failure_line(cell));
        Cause { operation: operation.to_owned(), status: cell.status, kind }
    }
}

/// Returns the line that tells failures of different causes apart: the leaked directives, the error, the difference of
/// the documents, or the outcome.
fn failure_line(cell: &Cell) -> String {
    if let Some(answer) = cell.actual.as_ref().filter(|answer| !answer.leaks.is_empty()) {
        return format!("with {} as data", answer.leaks.join(", "));
    }
    let difference = cell.difference_text().map(|text| format!("difference: {text}."));
    let text = difference.or_else(|| cell.actual_text()).or_else(|| cell.message_text());
    let text = text.unwrap_or_else(|| cell.status.to_string());
    text.lines().next().unwrap_or_default().to_owned()
}

/// Replaces what differs between failures of the same cause: numbers, and text in quotation marks.
fn without_details(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut quote = None;
    for c in line.chars() {
        match quote {
            Some(end) if c == end => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'' | '`') => {
                quote = Some(c);
                text.push('"');
            }
            None if c.is_ascii_digit() => {
                if !text.ends_with('0') {
                    text.push('0');
                }
            }
            None => text.push(c),
        }
    }
    text
}

/// Returns the text that the failures of all these cells contain: what their lines have in common at the beginning.
pub(super) fn common_text(cells: &[&Cell]) -> String {
    let mut lines = cells.iter().map(|cell| failure_line(cell));
    let Some(first) = lines.next() else { return String::new() };
    let length = lines.fold(first.len(), |length, line| {
        let common = first[..length].bytes().zip(line.bytes()).take_while(|(left, right)| left == right);
        common.count()
    });
    let end = (0..=length).rev().find(|index| first.is_char_boundary(*index)).unwrap_or_default();
    let text = &first[..end];
    let is_cut = end < first.len();
    // A part of a word or an opening quotation mark says nothing.
    let trimmed = if is_cut {
        let whole_words = text.rfind(' ').map_or(text, |index| &text[..index]);
        whole_words.trim_end_matches(|c: char| " (\"'`:[{".contains(c))
    } else {
        text
    };
    if trimmed.is_empty() { text.to_owned() } else { trimmed.to_owned() }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn cell(actual: &str) -> Cell {
        let outcome = actual.contains("as data").then_some(Outcome::Leaked);
        Cell { actual: Some(actual.to_owned()), outcome, ..Cell::new("s/c", "s", "c", Status::Fail) }
    }

    #[rstest]
    #[case::names("refused: conflict (of \"a\")", "refused: conflict (of \"bc\")", true)]
    #[case::numbers("panic: index 3 of 2", "panic: index 14 of 12", true)]
    #[case::further_lines("refused: x (a\nb", "refused: x (a\nc", true)]
    #[case::outcomes_of_leaks("lost with $a as data", "a result with $a as data", true)]
    #[case::directives("a result with $a as data", "a result with $a, $b as data", false)]
    #[case::error_kinds("refused: conflict (x)", "refused: wrong-kind (x)", false)]
    #[case::messages("refused: conflict (x)", "refused: conflict (y)", false)]
    fn failures_of_one_cause_differ_only_in_details(
        #[case] left: &str,
        #[case] right: &str,
        #[case] is_same: bool,
    ) {
        let [left, right] = [left, right].map(|actual| Cause::of(&cell(actual), "apply"));
        assert_eq!(left == right, is_same);
    }

    #[test]
    fn operations_and_statuses_are_different_causes() {
        let cell = cell("lost");
        let crash = Cell { status: Status::Crash, ..cell.clone() };
        assert_ne!(Cause::of(&cell, "apply"), Cause::of(&cell, "json-merge-apply"));
        assert_ne!(Cause::of(&cell, "apply"), Cause::of(&crash, "apply"));
    }

    #[rstest]
    #[case::equal(&["refused: conflict (x)", "refused: conflict (x)"], "refused: conflict (x)")]
    #[case::names(&["refused: conflict (of \"ab\")", "refused: conflict (of \"ac\")"], "refused: conflict (of")]
    #[case::numbers(&["panic: index 3 of 2", "panic: index 34 of 2"], "panic: index")]
    #[case::leaks(&["lost with $a as data", "a result with $a as data"], "with $a as data")]
    #[case::letters_beyond_ascii(&["panic: é 1", "panic: è 1"], "panic")]
    fn the_common_text_is_in_all_failures(#[case] actual: &[&str], #[case] expected: &str) {
        let cells: Vec<Cell> = actual.iter().map(|actual| cell(actual)).collect();
        assert_eq!(common_text(&cells.iter().collect::<Vec<_>>()), expected);
    }
}
