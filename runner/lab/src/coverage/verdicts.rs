//! The verdicts on the items of the design documents: whether the cells that decide an item confirm it.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use skewer_cases::design_documents::{Claim, ClaimedEnd, DESIGN_DOCUMENTS, HoldsIf};
use skewer_cases::{Cell, Corpus};
use skewer_execute::execute::prepared::{JudgedEnd, judged_end};
use skewer_reports::documents::{DocumentVerdicts, DocumentsReport, SentenceRow, SentenceVerdict};

use super::links::case_name;
use super::{Coverage, ItemCoverage};
use crate::mutants::{Baseline, BaselineError, Mutant, changed_ends};

/// The ends of the cells that decide items, with the place of each cell in its matrix.
pub struct DecidingCells<'c> {
    cells: BTreeMap<String, DecidingCell<'c>>,
}

struct DecidingCell<'c> {
    cell: Cell<'c>,
    end: JudgedEnd,
}

/// A verdict on an item that is another one on a mutant.
#[derive(Clone, Debug)]
pub struct VerdictOnMutant {
    /// The name of the mutant.
    pub mutant: String,
    /// The verdict on the mutant.
    pub row: SentenceRow,
}

/// The verdicts that are others on mutants, by the id of the item.
pub type VerdictsOnMutants = BTreeMap<&'static str, Vec<VerdictOnMutant>>;

/// A verdict on an item, with the numbers of the cells that decide it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Decision<'c> {
    supporting: Vec<&'c str>,
    contradicting: Vec<&'c str>,
}

/// The ends of cells on an engine.
type Ends<'e> = &'e (dyn Fn(&str) -> Option<&'e JudgedEnd> + 'e);

impl<'c> DecidingCells<'c> {
    /// Runs the cells that decide items of a coverage.
    ///
    /// # Errors
    ///
    /// Fails with a message about the first cell that cannot be run.
    pub fn of(corpus: &'c Corpus, items: &[&ItemCoverage]) -> Result<Self, String> {
        let mut wanted: BTreeSet<String> = BTreeSet::new();
        for item in items {
            for condition in item.conditions() {
                wanted.extend(item.cells_of(condition).map(str::to_owned));
                if let ClaimedEnd::SameAs(case) = &condition.end {
                    wanted.extend(item.cells_of(condition).map(|cell| counterpart(cell, case)));
                }
            }
        }
        let cells: Vec<(String, Cell<'c>)> =
            corpus.cells().map(|cell| (cell.id(), cell)).filter(|(id, _)| wanted.contains(id)).collect();
        let run = |(id, cell): (String, Cell<'c>)| {
            let end = judged_end(cell).map_err(|why| format!("{id} cannot be run: {why}"))?;
            Ok((id, DecidingCell { cell, end }))
        };
        Ok(DecidingCells { cells: cells.into_par_iter().map(run).collect::<Result<_, String>>()? })
    }

    /// Computes the verdicts on all items of a coverage.
    #[must_use]
    pub fn report(&self, coverage: &Coverage) -> DocumentsReport {
        let documents = DESIGN_DOCUMENTS.iter().map(|document| DocumentVerdicts {
            name: document.name,
            title: document.title,
            address: document.address,
            sentences: coverage
                .items
                .iter()
                .filter(|item| item.document == document.name)
                .map(|item| self.row(item))
                .collect(),
        });
        DocumentsReport { documents: documents.filter(|document| !document.sentences.is_empty()).collect() }
    }

    /// Computes the verdict on an item.
    #[must_use]
    pub fn row(&self, item: &ItemCoverage) -> SentenceRow {
        self.row_with(item, &self.decide(item, &|id| self.end(id)))
    }

    /// Runs all mutants of the engine, and returns the verdicts that are others on them.
    ///
    /// # Errors
    ///
    /// Fails if a cell fails without a mutant, or cannot be run.
    pub fn changed_by_mutants(&self, items: &[&ItemCoverage]) -> Result<VerdictsOnMutants, BaselineError> {
        let baseline = Baseline::of(self.cells.values().map(|deciding| deciding.cell).collect())?;
        let mut changed = VerdictsOnMutants::new();
        for mutant in crate::mutants::all(&baseline) {
            for row in self.changed_by(items, &baseline, &mutant) {
                let mutant = mutant.name().to_owned();
                changed.entry(row.id).or_default().push(VerdictOnMutant { mutant, row });
            }
        }
        Ok(changed)
    }

    /// Returns the verdicts that are others on a mutant: the words or the numbers of cells.
    fn changed_by(
        &self,
        items: &[&ItemCoverage],
        baseline: &Baseline<'_>,
        mutant: &Mutant,
    ) -> Vec<SentenceRow> {
        let ends = changed_ends(baseline, mutant);
        let end = |id: &str| ends.get(id).or_else(|| self.end(id));
        let concerned = items.iter().filter(|item| {
            let mut ids = item.cells();
            !ends.is_empty() && (ids.any(|id| ends.contains_key(id)) || item.has_counterparts())
        });
        let changed = concerned.filter_map(|item| {
            let (before, after) = (self.decide(item, &|id| self.end(id)), self.decide(item, &end));
            (before != after).then(|| self.row_with(item, &after))
        });
        changed.collect()
    }

    fn end(&self, id: &str) -> Option<&JudgedEnd> {
        self.cells.get(id).map(|deciding| &deciding.end)
    }

    /// Decides an item by its conditions. The first condition that applies to a cell counts.
    fn decide<'i>(&self, item: &'i ItemCoverage, end: Ends<'_>) -> Decision<'i> {
        let mut decision = Decision { supporting: Vec::new(), contradicting: Vec::new() };
        let mut decided: BTreeSet<&str> = BTreeSet::new();
        for condition in item.conditions() {
            let cells: Vec<&str> = item
                .cells_of(condition)
                .filter(|id| !decided.contains(id) && self.applies(condition, id))
                .collect();
            let judged = cells.iter().filter_map(|id| Some((*id, self.holds(condition, id, &cells, end)?)));
            let judged: Vec<(&str, bool)> = judged.collect();
            decided.extend(judged.iter().map(|(id, _)| *id));
            let is_shown = condition.some && judged.iter().any(|(_, holds)| *holds);
            for (id, holds) in judged {
                match holds {
                    true => decision.supporting.push(id),
                    false if is_shown => {}
                    false => decision.contradicting.push(id),
                }
            }
        }
        decision
    }

    /// Returns true if a cell has the values that a condition names.
    fn applies(&self, condition: &HoldsIf, id: &str) -> bool {
        let Some(deciding) = self.cells.get(id) else { return false };
        let coordinates = deciding.cell.coordinates();
        condition.when.iter().all(|(axis, values)| {
            coordinates
                .iter()
                .any(|(name, value)| name == axis && values.iter().any(|wanted| wanted == value))
        })
    }

    /// Returns whether a cell ends as a condition claims. Returns `None` if the condition says nothing about the cell.
    fn holds(&self, condition: &HoldsIf, id: &str, cells: &[&str], end: Ends<'_>) -> Option<bool> {
        let judged = end(id)?;
        match &condition.end {
            ClaimedEnd::Expected => Some(judged.passes),
            ClaimedEnd::NotExpected => Some(!judged.passes),
            ClaimedEnd::Outcome(outcomes) => judged.outcome.map(|outcome| outcomes.contains(&outcome)),
            ClaimedEnd::Error(kinds) => Some(judged.error().is_some_and(|kind| kinds.contains(&kind))),
            ClaimedEnd::SameFor(axis) => {
                let group = self.group(id, axis)?;
                let others = cells.iter().filter(|other| self.group(other, axis).as_ref() == Some(&group));
                Some(others.filter_map(|other| end(other)).all(|other| other.has_same_effect(judged)))
            }
            ClaimedEnd::SameAs(case) => Some(end(&counterpart(id, case))?.has_same_effect(judged)),
        }
    }

    /// Returns the case and the values of a cell without those of one axis.
    fn group(&self, id: &str, without: &str) -> Option<(String, Vec<(&'c str, &'c str)>)> {
        let cell = self.cells.get(id)?.cell;
        let mut coordinates = cell.coordinates();
        let number = coordinates.len();
        coordinates.retain(|(axis, _)| *axis != without);
        (coordinates.len() < number).then(|| (case_name(cell.case), coordinates))
    }

    fn row_with(&self, item: &ItemCoverage, decision: &Decision<'_>) -> SentenceRow {
        let Decision { supporting, contradicting } = decision;
        let shown = if contradicting.is_empty() { supporting } else { contradicting };
        let (verdict, because) = match item.claim {
            Some(Claim::NoClaim(why)) => (SentenceVerdict::NoClaim, Some(why.as_str())),
            Some(Claim::Undecided(why)) => (SentenceVerdict::NotDecided, Some(why.as_str())),
            _ => (SentenceVerdict::of_counts(supporting.len(), contradicting.len()), item.because),
        };
        SentenceRow {
            id: item.id,
            section: item.section,
            kind: item.kind.id(),
            text: item.quoted.clone().unwrap_or_else(|| format!("{} …", item.begins)),
            verdict,
            supporting: supporting.len(),
            contradicting: contradicting.len(),
            depends_on: self.separating_axes(decision),
            cell: shown.iter().min_by_key(|id| (id.len(), **id)).map(|id| (*id).to_owned()),
            because,
        }
    }

    /// Returns the axes each of which tells the supporting cells from the contradicting ones, or `case` if the case does. If
    /// there is none, returns the first of the smallest sets of axes that do so together.
    fn separating_axes(&self, decision: &Decision<'_>) -> Vec<String> {
        let places = |ids: &[&str]| -> Vec<BTreeMap<&str, String>> {
            let cells = ids.iter().filter_map(|id| self.cells.get(*id));
            let place = |deciding: &DecidingCell<'c>| {
                let values = deciding.cell.coordinates().into_iter();
                let values = values.map(|(axis, value)| (axis, value.to_owned()));
                values.chain([(CASE, case_name(deciding.cell.case))]).collect()
            };
            cells.map(place).collect()
        };
        let (supporting, contradicting) = (places(&decision.supporting), places(&decision.contradicting));
        if supporting.is_empty() || contradicting.is_empty() {
            return Vec::new();
        }
        let separates = |axes: &[&str]| {
            let values = |places: &[BTreeMap<&str, String>]| -> BTreeSet<Vec<Option<String>>> {
                places
                    .iter()
                    .map(|place| axes.iter().map(|axis| place.get(axis).cloned()).collect())
                    .collect()
            };
            values(&supporting).is_disjoint(&values(&contradicting))
        };
        let axes: BTreeSet<&str> =
            supporting.iter().chain(&contradicting).flat_map(BTreeMap::keys).copied().collect();
        let mut axes: Vec<&str> = axes.into_iter().filter(|axis| *axis != CASE).collect();
        let alone: Vec<String> =
            axes.iter().filter(|axis| separates(&[axis])).map(|axis| (*axis).to_owned()).collect();
        if !alone.is_empty() {
            return alone;
        }
        axes.insert(0, CASE);
        let together =
            (1..=MAX_AXES).find_map(|count| subsets(&axes, count).into_iter().find(|set| separates(set)));
        together.map(|set| set.join(" and ")).into_iter().collect()
    }
}

/// The name under which reports show the case as something on which a verdict depends.
const CASE: &str = "case";

/// Maximum number of axes that a verdict is said to depend on together.
const MAX_AXES: usize = 3;

/// Returns all subsets of this size, in the order of the items.
fn subsets<'a>(items: &[&'a str], size: usize) -> Vec<Vec<&'a str>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (index, first) in items.iter().enumerate() {
        for rest in subsets(&items[index + 1..], size - 1) {
            all.push([vec![*first], rest].concat());
        }
    }
    all
}

/// Returns the id of the cell of another case at the same point.
fn counterpart(id: &str, case: &str) -> String {
    format!("{case}{}", id.find('[').map_or("", |start| &id[start..]))
}

impl ItemCoverage {
    /// Returns the conditions under which the item holds.
    fn conditions(&self) -> &'static [HoldsIf] {
        match self.claim {
            Some(Claim::HoldsIf(conditions)) => conditions,
            _ => &[],
        }
    }

    /// Returns the cells of the cases and suites that a condition names.
    fn cells_of<'i>(&'i self, condition: &'static HoldsIf) -> impl Iterator<Item = &'i str> {
        let is_named = |case: &str| {
            let suite = case.rsplit_once('/').map_or(case, |(suite, _)| suite);
            condition.cells.is_empty() || condition.cells.iter().any(|name| name == case || name == suite)
        };
        let cases = self.cases.iter().filter(move |(case, _)| is_named(case));
        cases.flat_map(|(_, cells)| cells).map(String::as_str)
    }

    /// Whether cells of other cases decide the item, with which its cells are compared.
    fn has_counterparts(&self) -> bool {
        self.conditions().iter().any(|condition| matches!(condition.end, ClaimedEnd::SameAs(_)))
    }

    /// Returns the number of the first condition that applies to none of the cells of the item. Numbers start at 1.
    pub(super) fn unmatched_condition(&self) -> Option<usize> {
        let number = self.conditions().iter().position(|condition| self.cells_of(condition).next().is_none());
        number.map(|number| number + 1)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use skewer_cases::CorpusFile;
    use skewer_cases::design_documents::ItemKind;
    use skewer_engine::ErrorKind;
    use skewer_skew::Outcome;

    use super::super::CoverageStatus;
    use super::*;

    /// The removal of a field that may be missing, and the same removal by a null, which never fails.
    const SUITE: &str = "suite: one
about: a
axes: {live: {has: {live: {a: 1}}, lacks: {live: {b: 1}}}}
cases:
  - id: remove
    request: json-patch
    live: {}
    patch: [{op: remove, path: /a}]
    expect: [{when: {live: lacks}, error: json-patch-failed}, {result: {}}]
  - id: clear
    request: json-merge-patch
    live: {}
    patch: {a: null}
    expect: [{when: {live: lacks}, result: {b: 1}}, {result: {}}]
  - id: set
    intent: {set: {a: 2}}
    live: {}
    request: update
    schema: {go: 'type T struct { A int `json:\"a,omitempty\"`; B int `json:\"b,omitempty\"` }', root: T}
    expect: [{outcome: intended}]
";

    fn item(corpus: &Corpus, claim: Claim) -> ItemCoverage {
        let mut cases: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for cell in corpus.cells() {
            cases.entry(case_name(cell.case)).or_default().insert(cell.id());
        }
        ItemCoverage {
            id: "x",
            document: "kep-1027",
            section: "Goals",
            line: 1,
            kind: ItemKind::Statement,
            begins: "a b c",
            status: CoverageStatus::Covered,
            cases,
            unknown_cases: Vec::new(),
            because: None,
            quoted: None,
            claim: Some(Box::leak(Box::new(claim))),
        }
    }

    fn on(cells: &str, end: ClaimedEnd) -> HoldsIf {
        HoldsIf { cells: vec![cells.to_owned()], when: Vec::new(), end, some: false }
    }

    #[rstest]
    #[case::expected(vec![on("one", ClaimedEnd::Expected)], "holds: 6 cells", "")]
    #[case::a_case_that_contradicts(
        vec![on("one/set", ClaimedEnd::NotExpected), on("one", ClaimedEnd::Expected)], "in part: 4 of 6 cells", "case"
    )]
    #[case::an_error(
        vec![on("one/remove", ClaimedEnd::Error(vec![ErrorKind::JsonPatchFailed]))], "in part: 1 of 2 cells", "live"
    )]
    #[case::one_is_enough(
        vec![HoldsIf { some: true, ..on("one/remove", ClaimedEnd::Error(vec![ErrorKind::JsonPatchFailed])) }],
        "holds: 1 cell",
        ""
    )]
    #[case::some_values(
        vec![HoldsIf {
            when: vec![("live".to_owned(), vec!["has".to_owned()])],
            ..on("one/remove", ClaimedEnd::Error(vec![ErrorKind::JsonPatchFailed]))
        }],
        "does not hold: 1 cell",
        ""
    )]
    #[case::only_skew_cases_have_an_outcome(
        vec![on("one", ClaimedEnd::Outcome(vec![Outcome::Intended]))], "holds: 2 cells", ""
    )]
    #[case::the_same_for_all_values(
        vec![on("one/clear", ClaimedEnd::SameFor("live".to_owned()))], "does not hold: 2 cells", ""
    )]
    #[case::the_same_as_another_case(
        vec![on("one/remove", ClaimedEnd::SameAs("one/clear".to_owned()))], "in part: 1 of 2 cells", "live"
    )]
    #[case::no_condition(Vec::new(), "not decided", "")]
    fn a_verdict_follows_from_the_cells(
        #[case] conditions: Vec<HoldsIf>,
        #[case] description: &str,
        #[case] depends_on: &str,
    ) {
        let file = CorpusFile {
            path: "one.yaml".into(),
            display_name: "one.yaml".into(),
            content: SUITE.as_bytes().to_vec(),
            folder: None,
        };
        let corpus = Corpus::load(vec![file]).unwrap_or_else(|error| panic!("{error}"));
        let item = item(&corpus, Claim::HoldsIf(conditions));
        let row = DecidingCells::of(&corpus, &[&item]).unwrap().row(&item);
        assert_eq!((&*row.description(), &*row.depends_on.join(", ")), (description, depends_on), "{row:?}");
    }

    #[test]
    fn axes_that_only_together_tell_cells_apart_are_found() {
        assert_eq!(subsets(&["a", "b", "c"], 2), [["a", "b"], ["a", "c"], ["b", "c"]]);
        assert_eq!(subsets(&["a"], 0), [Vec::<&str>::new()]);
    }
}
