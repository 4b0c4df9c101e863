//! Groups of cells with results of the same kind, so that hundreds of failures of one implementation can be read as a
//! short list.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use skewer_results::model::{Answer, AnswerPart, Cell, PinnedState, Reason, Reference};
use skewer_results::vocabulary::{Outcome, Status};

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
    /// The difference between two results whose words are the same.
    distinction: Option<Distinction>,
}

/// The part of an answer that is not the expected one, although the outcome and the kind of error are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Distinction {
    /// The ideal is not the pinned one.
    Ideal,
    /// The final state is not the pinned one.
    FinalState,
    /// The owners of fields differ.
    Owners,
    /// The conflicts with other managers differ.
    Conflicts,
    /// The field path of the error differs.
    Path,
    /// The document differs.
    Document,
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
            distinction: actual.and_then(|actual| Distinction::of(cell, actual)),
        }
    }

    /// Returns the status.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status
    }
}

impl Distinction {
    /// Returns what differs from the expected answer with the same outcome and the same kind of error. Returns `None` if
    /// there is none.
    fn of(cell: &Cell, actual: &Answer) -> Option<Self> {
        let kind = |answer: &Answer| answer.error.as_ref().map(|error| error.kind_text());
        let is_same = |answer: &&Answer| {
            (answer.outcome.is_some() || answer.error.is_some())
                && answer.outcome.is_none_or(|outcome| Some(outcome) == actual.outcome)
                && kind(answer) == kind(actual)
        };
        let expected = cell.expected.iter().find(is_same)?;
        if cell.reference.is_some() || cell.status == Status::Pass || !actual.leaks.is_empty() {
            return None;
        }
        let of_reason = cell.reasons.iter().find_map(|reason| match reason {
            Reason::PinnedStateDiffers { state: PinnedState::Ideal, .. } => Some(Distinction::Ideal),
            Reason::PinnedStateDiffers { .. } => Some(Distinction::FinalState),
            Reason::OwnersDiffer(_) => Some(Distinction::Owners),
            _ => None,
        });
        let path = |answer: &Answer| answer.error.as_ref().and_then(|error| error.path.clone());
        let has_other_path = path(expected).zip(path(actual)).is_some_and(|(one, other)| one != other);
        let has_conflicts = expected.error.as_ref().is_some_and(|error| !error.conflicts.is_empty());
        of_reason
            .or(has_other_path.then_some(Distinction::Path))
            .or(expected.has.contains(&AnswerPart::Result).then_some(Distinction::Document))
            .or(has_conflicts.then_some(Distinction::Conflicts))
    }

    fn as_str(self) -> &'static str {
        match self {
            Distinction::Ideal => "another ideal",
            Distinction::FinalState => "another final state",
            Distinction::Owners => "other owners",
            Distinction::Conflicts => "other conflicts",
            Distinction::Path => "another field path",
            Distinction::Document => "another document",
        }
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

/// Displays on one line: `leaked: a result with $retainKeys as data`, `lost, expected intended`, `lost, with another final
/// state than expected`.
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
            match self.distinction {
                Some(distinction) => write!(f, ", with {} than expected", distinction.as_str())?,
                None => {
                    self.expected.iter().try_for_each(|expected| write!(f, ", expected {expected}"))?;
                }
            }
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
mod tests;
