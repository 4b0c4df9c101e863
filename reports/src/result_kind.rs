//! Groups of cells with results of the same kind, so that hundreds of failures of one implementation can be read as a
//! short list.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use crate::model::{Answer, AnswerPart, Cell, Reference};
use crate::vocabulary::{Outcome, Status};

/// Maximum number of kinds that are told apart, to bound the memory. The cells of further kinds are one group.
const MAX_KINDS: usize = 500;

/// The kind of a result: the status, the outcome, and what was expected and found, without the paths, explanations and
/// numbers of a single cell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellResultKind {
    status: Status,
    outcome: Option<Outcome>,
    expected: Option<String>,
    found: Option<String>,
    /// Whether the words of what was found begin with the outcome, as those of a refusal do.
    names_outcome: bool,
    /// Whether a document was expected, and another one was found.
    is_other_result: bool,
    difference: Option<LineDifference>,
}

/// The difference of the lines of two documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum LineDifference {
    /// The actual document lacks lines.
    Missing,
    /// The actual document has more lines.
    Additional,
    /// The documents have the same lines in another order.
    Order,
    /// Some lines differ.
    Other,
}

impl CellResultKind {
    /// Returns the kind of the result of a cell.
    #[must_use]
    pub fn of(cell: &Cell) -> Self {
        let was_answered =
            matches!(cell.status, Status::Fail | Status::Pass | Status::Deviation | Status::UnexpectedPass);
        let found =
            cell.general_actual_text().filter(|_| was_answered).or_else(|| cell.general_message_text());
        let found = found.filter(|text| Some(text.as_str()) != cell.outcome.map(Outcome::as_str));
        // A directive in the result determines the kind, whatever was expected.
        let is_leak = cell.outcome == Some(Outcome::Leaked);
        let expected = cell.general_expected_text().filter(|_| was_answered && !is_leak);
        let is_mismatch = cell.outcome == Some(Outcome::Mismatch);
        let difference = is_mismatch.then(|| LineDifference::of(cell)).flatten();
        let actual = cell.actual.as_ref().filter(|_| was_answered);
        let is_compared_with_case = matches!(cell.reference, Some(Reference::Case { .. }));
        let named = actual
            .and_then(|answer| answer.outcome.or_else(|| answer.error.is_some().then_some(Outcome::Refused)));
        let result = Answer::of_part(AnswerPart::Result);
        let is_other_result = actual.is_some_and(|answer| {
            *answer == Answer { differences: answer.differences.clone(), ..result.clone() }
        }) && expected.is_some()
            && *cell.expected == [result];
        CellResultKind {
            status: cell.status,
            outcome: cell.outcome,
            expected,
            found,
            names_outcome: named.is_some() && named == cell.outcome && !is_compared_with_case,
            is_other_result,
            difference,
        }
    }

    /// Returns the status.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status
    }
}

impl LineDifference {
    fn of(cell: &Cell) -> Option<Self> {
        let (expected, actual) = (cell.expected_document.as_ref()?, cell.actual_document.as_ref()?);
        let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
        for (document, step) in [(expected, -1), (actual, 1)] {
            for line in document.lines() {
                // The first key of an item has a dash. Which key is the first depends on the others.
                *counts.entry(line.trim_start_matches([' ', '-'])).or_default() += step;
            }
        }
        let is_missing = counts.values().any(|count| *count < 0);
        let is_additional = counts.values().any(|count| *count > 0);
        match (is_missing, is_additional) {
            (true, false) => Some(LineDifference::Missing),
            (false, true) => Some(LineDifference::Additional),
            (true, true) => Some(LineDifference::Other),
            (false, false) => (expected != actual).then_some(LineDifference::Order),
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            LineDifference::Missing => "lines are missing",
            LineDifference::Additional => "additional lines",
            LineDifference::Order => "another order",
            LineDifference::Other => "other lines",
        }
    }
}

/// Displays on one line: `leaked: a result with $retainKeys as data`, `lost, expected intended`.
impl fmt::Display for CellResultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.outcome.map_or(self.status.as_str(), Outcome::as_str);
        // A refusal is found as `refused: KIND`.
        let has_word = self.names_outcome && self.found.is_some();
        if !has_word {
            f.write_str(word)?;
        }
        if self.is_other_result {
            f.write_str(": another result")?;
        } else {
            let separator = if has_word { "" } else { ": " };
            self.found.iter().try_for_each(|found| write!(f, "{separator}{found}"))?;
            self.expected.iter().try_for_each(|expected| write!(f, ", expected {expected}"))?;
        }
        self.difference.map_or(Ok(()), |difference| write!(f, " ({})", difference.as_str()))
    }
}

/// The number of cells that a group keeps as examples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExampleLimit {
    /// One cell of each of the largest groups.
    OfLargestGroups(usize),
    /// This number of cells in total, of as many groups as possible.
    Cells(usize),
    /// All cells.
    All,
}

/// Cells with results of the same kind.
#[derive(Clone, Debug)]
pub struct ResultGroup {
    /// The kind. `None` for the cells of all kinds beyond the maximum.
    pub kind: Option<CellResultKind>,
    /// The number of cells.
    pub cells: usize,
    /// The numbers of cells by suite and case. The name of a case is a pattern for the ids of its cells.
    cases: BTreeMap<String, BTreeMap<String, usize>>,
    examples: Vec<Cell>,
}

/// The cells of a suite in a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuitePart<'a> {
    /// The name of the suite.
    pub suite: &'a str,
    /// A pattern that matches the ids of the cells, and perhaps others.
    pub pattern: String,
    /// The number of cells.
    pub cells: usize,
}

impl ResultGroup {
    /// Returns the suites of the cells, those with the most cells first.
    #[must_use]
    pub fn suites(&self) -> Vec<SuitePart<'_>> {
        let mut parts: Vec<SuitePart<'_>> = self
            .cases
            .iter()
            .map(|(suite, cases)| SuitePart {
                suite,
                pattern: match cases.keys().next() {
                    Some(only) if cases.len() == 1 => only.clone(),
                    _ => format!("{suite}/*"),
                },
                cells: cases.values().sum(),
            })
            .collect();
        // The sort is stable: equal suites stay in the order of their names.
        parts.sort_by_key(|part| std::cmp::Reverse(part.cells));
        parts
    }
}

/// Groups of cells by kind. Cells are [added](ResultGroups::add) one by one.
#[derive(Clone, Debug)]
pub struct ResultGroups {
    limit: ExampleLimit,
    groups: Vec<ResultGroup>,
    /// The position of the group of each kind.
    positions: HashMap<Option<CellResultKind>, usize>,
    cells: usize,
}

impl ResultGroups {
    /// Makes an empty list of groups.
    #[must_use]
    pub fn new(limit: ExampleLimit) -> Self {
        ResultGroups { limit, groups: Vec::new(), positions: HashMap::new(), cells: 0 }
    }

    /// Makes the groups of some cells.
    pub fn of<'a>(cells: impl IntoIterator<Item = &'a Cell>, limit: ExampleLimit) -> Self {
        let mut groups = ResultGroups::new(limit);
        for cell in cells {
            groups.add(cell);
        }
        groups
    }

    /// Adds a cell.
    pub fn add(&mut self, cell: &Cell) {
        let mut kind = Some(CellResultKind::of(cell));
        if self.groups.len() >= MAX_KINDS && !self.positions.contains_key(&kind) {
            kind = None;
        }
        let next = self.groups.len();
        let position = *self.positions.entry(kind.clone()).or_insert(next);
        if position == next {
            self.groups.push(ResultGroup { kind, cells: 0, cases: BTreeMap::new(), examples: Vec::new() });
        }
        let group = &mut self.groups[position];
        group.cells += 1;
        self.cells += 1;
        let pattern =
            cell.id.split_once('[').map_or_else(|| cell.id.clone(), |(case, _)| format!("{case}[*]"));
        *group.cases.entry(cell.suite.to_string()).or_default().entry(pattern).or_default() += 1;
        let is_kept = match self.limit {
            ExampleLimit::OfLargestGroups(limit) => limit > 0 && group.examples.is_empty(),
            ExampleLimit::Cells(limit) => group.examples.len() < limit,
            ExampleLimit::All => true,
        };
        if is_kept {
            group.examples.push(cell.clone());
        }
    }

    /// Returns the number of cells.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// Returns the groups, the largest first, each with its examples.
    #[must_use]
    pub fn sorted(&self) -> Vec<(&ResultGroup, &[Cell])> {
        let mut groups: Vec<&ResultGroup> = self.groups.iter().collect();
        // The sort is stable: groups of one size stay in the order of their first cells.
        groups.sort_by_key(|group| std::cmp::Reverse(group.cells));
        let counts = self.example_counts(&groups);
        groups.into_iter().zip(counts).map(|(group, count)| (group, &group.examples[..count])).collect()
    }

    /// Returns the number of examples of each group that are within the limit.
    fn example_counts(&self, groups: &[&ResultGroup]) -> Vec<usize> {
        match self.limit {
            ExampleLimit::All => groups.iter().map(|group| group.examples.len()).collect(),
            ExampleLimit::OfLargestGroups(limit) => (0..groups.len())
                .map(|index| usize::from(index < limit && !groups[index].examples.is_empty()))
                .collect(),
            ExampleLimit::Cells(limit) => {
                let mut counts = vec![0; groups.len()];
                let mut left = limit;
                let mut round = 0;
                while left > 0 && groups.iter().any(|group| group.examples.len() > round) {
                    for (count, group) in counts.iter_mut().zip(groups) {
                        if left > 0 && group.examples.len() > round {
                            *count += 1;
                            left -= 1;
                        }
                    }
                    round += 1;
                }
                counts
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::model::{AnswerError, Reason};

    fn failed(id: &str, expected: Answer, actual: Answer) -> Cell {
        let (suite, case) = id.split_once('/').unwrap();
        let case = case.split('[').next().unwrap();
        Cell {
            expected: vec![expected],
            actual: Some(actual),
            outcome: Some(Outcome::Mismatch),
            ..Cell::new(id, suite, case, Status::Fail)
        }
    }

    fn result() -> Answer {
        Answer::of_part(AnswerPart::Result)
    }

    fn refused(kind: &str) -> Answer {
        Answer::of_error(AnswerError::of_kind(kind))
    }

    fn error(kind: &str, path: &str, message: &str) -> Answer {
        let error = AnswerError {
            path: Some(path.to_owned()),
            message: Some(message.into()),
            ..AnswerError::of_kind(kind)
        };
        Answer::of_error(error)
    }

    #[rstest]
    #[case::path(error("conflict", "a", "m"), error("conflict", "b", "m"), true)]
    #[case::message(error("conflict", "a", "m"), error("conflict", "a", "n"), true)]
    #[case::kind(error("conflict", "a", "m"), error("wrong-kind", "a", "m"), false)]
    fn details_of_a_cell_are_no_part_of_the_kind(
        #[case] one: Answer,
        #[case] other: Answer,
        #[case] is_same: bool,
    ) {
        let kinds = [one, other].map(|actual| CellResultKind::of(&failed("s/c", result(), actual)));
        assert_eq!(kinds[0] == kinds[1], is_same, "{kinds:?}");
    }

    #[test]
    fn numbers_of_a_crash_are_no_part_of_the_kind() {
        let kinds = ["killed by signal 9", "killed by signal 11 (core dumped)"].map(|text| {
            let reasons = vec![Reason::Crash(text.into())];
            CellResultKind::of(&Cell { reasons, ..Cell::new("s/c", "s", "c", Status::Crash) })
        });
        assert_eq!(kinds[0], kinds[1]);
    }

    #[rstest]
    #[case::missing("a: 1\nb: 2\n", "a: 1\n", "mismatch: another result (lines are missing)")]
    #[case::additional("a: 1\n", "a: 1\nb: 2\n", "mismatch: another result (additional lines)")]
    #[case::order("- a: 1\n  b: 2\n", "- b: 2\n  a: 1\n", "mismatch: another result (another order)")]
    #[case::other("a: 1\n", "a: 2\n", "mismatch: another result (other lines)")]
    fn the_lines_of_documents_are_compared(#[case] expected: &str, #[case] actual: &str, #[case] text: &str) {
        let cell = Cell {
            expected_document: Some(expected.to_owned()),
            actual_document: Some(actual.to_owned()),
            ..failed("s/c", result(), result())
        };
        assert_eq!(CellResultKind::of(&cell).to_string(), text);
    }

    #[test]
    fn a_leaked_directive_determines_the_kind_whatever_was_expected() {
        let leaked = |expected| Cell {
            outcome: Some(Outcome::Leaked),
            ..failed("s/c", expected, Answer { leaks: vec!["$patch".to_owned()], ..result() })
        };
        let kinds = [result(), refused("conflict")].map(|expected| CellResultKind::of(&leaked(expected)));
        assert_eq!(kinds[0], kinds[1]);
        assert_eq!(kinds[0].to_string(), "leaked: a result with $patch as data");
    }

    #[test]
    fn the_outcome_is_not_repeated() {
        let text = |outcome, actual| {
            let intended = Answer::of_outcome(Outcome::Intended);
            let cell = Cell { outcome: Some(outcome), ..failed("s/c", intended, actual) };
            CellResultKind::of(&cell).to_string()
        };
        assert_eq!(text(Outcome::Lost, Answer::of_outcome(Outcome::Lost)), "lost, expected intended");
        assert_eq!(text(Outcome::Refused, refused("conflict")), "refused: conflict, expected intended");
    }

    fn groups(limit: ExampleLimit) -> ResultGroups {
        let cells = [
            failed("s/a[x=1]", result(), refused("conflict")),
            failed("s/b[x=1]", result(), refused("wrong-kind")),
            failed("s/b[x=2]", result(), refused("wrong-kind")),
            failed("s/c", result(), refused("wrong-kind")),
            failed("t/d[x=1]", result(), refused("wrong-kind")),
            failed("t/d[x=2]", result(), refused("wrong-kind")),
        ];
        ResultGroups::of(&cells, limit)
    }

    #[test]
    fn the_ids_of_a_group_are_folded_to_patterns() {
        let groups = groups(ExampleLimit::All);
        let sorted = groups.sorted();
        let sizes: Vec<usize> = sorted.iter().map(|(group, _)| group.cells).collect();
        assert_eq!(sizes, [5, 1]);
        let parts: Vec<_> = sorted[0].0.suites().into_iter().map(|part| (part.pattern, part.cells)).collect();
        assert_eq!(parts, [("s/*".to_owned(), 3), ("t/d[*]".to_owned(), 2)]);
    }

    #[rstest]
    #[case(ExampleLimit::OfLargestGroups(1), &[1, 0])]
    #[case(ExampleLimit::OfLargestGroups(9), &[1, 1])]
    #[case(ExampleLimit::Cells(0), &[0, 0])]
    #[case(ExampleLimit::Cells(1), &[1, 0])]
    #[case(ExampleLimit::Cells(3), &[2, 1])]
    #[case(ExampleLimit::Cells(99), &[5, 1])]
    #[case(ExampleLimit::All, &[5, 1])]
    fn examples_are_taken_from_the_groups_in_turn(#[case] limit: ExampleLimit, #[case] expected: &[usize]) {
        let groups = groups(limit);
        let counts: Vec<usize> = groups.sorted().iter().map(|(_, examples)| examples.len()).collect();
        assert_eq!(counts, expected);
    }

    #[test]
    fn the_number_of_kinds_is_limited() {
        let words = |number: usize| "x".repeat(1 + number % 90) + &"y".repeat(number / 90);
        let cells: Vec<Cell> = (0..MAX_KINDS + 5)
            .map(|n| failed(&format!("s/c{n}"), result(), Answer::of_words(words(n))))
            .collect();
        let groups = ResultGroups::of(&cells, ExampleLimit::OfLargestGroups(1));
        let sorted = groups.sorted();
        assert_eq!((sorted.len(), groups.cells()), (MAX_KINDS + 1, MAX_KINDS + 5));
        assert_eq!((sorted[0].0.kind.is_none(), sorted[0].0.cells), (true, 5));
    }
}
