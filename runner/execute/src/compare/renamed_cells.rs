//! Cells whose id changed between two runs.
//!
//! An old and a new cell are a pair if the content of their cases is equal, and no other cell has this content. Results
//! are not compared, so that a cell is recognised even if its result changed at the same time as its id.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use skewer_results::{Answer, Axes, Cell, Level, Source};

/// The content of a case that describes a cell, without the names that may have changed.
#[derive(PartialEq, Eq, Hash)]
struct CaseContent<'a> {
    axes: &'a Axes,
    level: Level,
    kep: &'a [u32],
    issue: &'a [String],
    source: Option<&'a Source>,
    about: Option<&'a str>,
    expected: &'a [Answer],
    because: Option<&'a str>,
    // Many runs keep the documents of failed cells only, so that documents can differ only because the status differs.
    // They are therefore not always compared.
    documents: Option<(Option<&'a str>, Option<&'a str>)>,
    case: Option<&'a str>,
    suite: Option<&'a str>,
}

/// The optional parts of the content, and whether each of them is compared.
#[derive(Clone, Copy)]
struct MatchCriteria {
    documents: bool,
    case: bool,
    suite: bool,
}

/// The criteria, the most certain first.
const CRITERIA_BY_CERTAINTY: [MatchCriteria; 6] = [
    MatchCriteria { documents: true, case: true, suite: false },
    MatchCriteria { documents: true, case: false, suite: true },
    MatchCriteria { documents: true, case: false, suite: false },
    MatchCriteria { documents: false, case: true, suite: false },
    MatchCriteria { documents: false, case: false, suite: true },
    MatchCriteria { documents: false, case: false, suite: false },
];

impl MatchCriteria {
    /// Returns the content of a cell that is compared. Returns `None` if so little content is known that unrelated
    /// cells could have the same.
    fn content(self, cell: &Cell) -> Option<CaseContent<'_>> {
        let input = cell.steps.first().and_then(|step| step.document.as_deref());
        let documents = self.documents.then_some((cell.expected_document.as_deref(), input));
        let has_documents = documents.is_some_and(|(expected, input)| expected.or(input).is_some());
        let is_distinctive = self.case || has_documents || cell.about.is_some() || cell.because.is_some();
        is_distinctive.then(|| CaseContent {
            axes: &cell.axes,
            level: cell.level,
            kep: &cell.kep,
            issue: &cell.issue,
            source: cell.source.as_ref(),
            about: cell.about.as_deref(),
            expected: &cell.expected,
            because: cell.because.as_deref(),
            documents,
            case: self.case.then_some(&*cell.case),
            suite: self.suite.then_some(&*cell.suite),
        })
    }
}

/// Finds the cells of `gone` that have another id in `new`. Removes these cells from both lists, and returns them as
/// pairs.
pub(super) fn take_pairs<'a>(gone: &mut Vec<&'a Cell>, new: &mut Vec<&'a Cell>) -> Vec<(&'a Cell, &'a Cell)> {
    let mut pairs = Vec::new();
    for criteria in CRITERIA_BY_CERTAINTY {
        let old_by_content = unique_by_content(gone, criteria);
        let new_by_content = unique_by_content(new, criteria);
        let mut found: Vec<(&Cell, &Cell)> = old_by_content
            .into_iter()
            .filter_map(|(content, old)| Some((old?, (*new_by_content.get(&content)?)?)))
            .collect();
        // The iteration order of the map is random.
        found.sort_by(|left, right| left.1.id.cmp(&right.1.id));
        let (found_old, found_new): (HashSet<&str>, HashSet<&str>) =
            found.iter().map(|(old, new)| (old.id.as_str(), new.id.as_str())).unzip();
        gone.retain(|cell| !found_old.contains(cell.id.as_str()));
        new.retain(|cell| !found_new.contains(cell.id.as_str()));
        pairs.append(&mut found);
    }
    pairs
}

/// Returns the cells by content. The value is `None` if several cells have the same content.
fn unique_by_content<'a>(
    cells: &[&'a Cell],
    criteria: MatchCriteria,
) -> HashMap<CaseContent<'a>, Option<&'a Cell>> {
    let mut by_content = HashMap::new();
    for cell in cells {
        if let Some(content) = criteria.content(cell) {
            by_content.entry(content).and_modify(|known| *known = None).or_insert(Some(*cell));
        }
    }
    by_content
}
