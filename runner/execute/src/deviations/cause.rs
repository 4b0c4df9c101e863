//! The presumable cause of a failure: failures with the same cause share an entry of a rewritten deviation file.

use skewer_engine::ErrorKind;
use skewer_results::{Cell, ForeignText, Status};

use super::known_failure::{KnownFailure, texts_of};

/// The presumable cause of a failure, as far as it can be read from the failure itself. It is no reason: a person
/// must find that.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cause {
    /// The operation, or the request of a scenario.
    pub(super) operation: String,
    status: Status,
    /// The failure as text, which orders the entries of a file.
    order: String,
    failure: KnownFailure,
    /// The text of the target without details such as names and numbers, if the values say little.
    text: Option<String>,
}

impl Cause {
    /// Returns the cause of the failure of a cell.
    pub(super) fn of(cell: &Cell, operation: &str) -> Self {
        let failure = KnownFailure::of(cell);
        let text = text_if_needed(&failure, cell).map(|text| without_details(&text));
        let (operation, order) = (operation.to_owned(), failure.to_string());
        Cause { operation, status: cell.status, order, failure, text }
    }

    /// Returns the failure that all these cells of the cause have in common.
    pub(super) fn failure_of(&self, cells: &[&Cell]) -> KnownFailure {
        let texts: Vec<String> =
            cells.iter().filter_map(|cell| text_if_needed(&self.failure, cell)).collect();
        let message = Some(common_text(&texts)).filter(|text| !text.is_empty());
        KnownFailure { message, ..self.failure.clone() }
    }
}

/// Returns the first line of the target's text, if the values do not tell failures of different causes apart: those of a
/// crash, and of an error that belongs to no kind.
fn text_if_needed(failure: &KnownFailure, cell: &Cell) -> Option<String> {
    let says_little = matches!(failure.error, Some(ErrorKind::Unclassified)) || failure.status.is_some();
    texts_of(cell).next().filter(|_| says_little).map(ForeignText::first_line)
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

/// Returns what the texts have in common at the beginning.
fn common_text(texts: &[String]) -> String {
    let mut lines = texts.iter();
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
    use skewer_results::{Answer, AnswerError, Reason};

    use super::*;

    fn refused(kind: &str, message: &str) -> Cell {
        let error = AnswerError { message: Some(message.into()), ..AnswerError::of_kind(kind) };
        Cell { actual: Some(Answer::of_error(error)), ..Cell::new("s/c", "s", "c", Status::Fail) }
    }

    fn crashed(text: &str) -> Cell {
        Cell { reasons: vec![Reason::Crash(text.into())], ..Cell::new("s/c", "s", "c", Status::Crash) }
    }

    fn leaked(leaks: &[&str]) -> Cell {
        let leaks = leaks.iter().map(|name| (*name).to_owned()).collect();
        Cell {
            actual: Some(Answer { leaks, ..Answer::default() }),
            ..Cell::new("s/c", "s", "c", Status::Fail)
        }
    }

    #[rstest]
    #[case::names(refused("unclassified", "of \"a\""), refused("unclassified", "of \"bc\""), true)]
    #[case::numbers(crashed("panic: index 3 of 2"), crashed("panic: index 14 of 12"), true)]
    #[case::further_lines(crashed("a\nb"), crashed("a\nc"), true)]
    #[case::messages_of_a_kind(refused("conflict", "x"), refused("conflict", "y"), true)]
    #[case::messages(refused("unclassified", "x"), refused("unclassified", "y"), false)]
    #[case::error_kinds(refused("conflict", "x"), refused("wrong-kind", "x"), false)]
    #[case::directives(leaked(&["$a"]), leaked(&["$a", "$b"]), false)]
    fn failures_of_one_cause_differ_only_in_details(
        #[case] left: Cell,
        #[case] right: Cell,
        #[case] is_same: bool,
    ) {
        let [left, right] = [left, right].map(|cell| Cause::of(&cell, "apply"));
        assert_eq!(left == right, is_same);
    }

    #[test]
    fn operations_and_statuses_are_different_causes() {
        let cell = refused("conflict", "x");
        let crash = Cell { status: Status::Crash, ..cell.clone() };
        assert_ne!(Cause::of(&cell, "apply"), Cause::of(&cell, "json-merge-apply"));
        assert_ne!(Cause::of(&cell, "apply"), Cause::of(&crash, "apply"));
    }

    #[rstest]
    #[case::equal(&["panic: x", "panic: x"], "panic: x")]
    #[case::names(&["refused (of \"ab\")", "refused (of \"ac\")"], "refused (of")]
    #[case::numbers(&["panic: index 3 of 2", "panic: index 34 of 2"], "panic: index")]
    #[case::letters_beyond_ascii(&["panic: é 1", "panic: è 1"], "panic")]
    fn the_common_text_is_in_all_failures(#[case] texts: &[&str], #[case] expected: &str) {
        let cells: Vec<Cell> = texts.iter().map(|text| crashed(text)).collect();
        let cells: Vec<&Cell> = cells.iter().collect();
        let failure = Cause::of(cells[0], "apply").failure_of(&cells);
        assert_eq!(failure.message.as_deref(), Some(expected));
        assert!(cells.iter().all(|cell| failure.is_of(cell)));
    }
}
