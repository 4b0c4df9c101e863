//! The coverage of a corpus: the items of the design documents and the error kinds that its cases show.
//!
//! An item is a statement, a printed example, a table row, a story, a risk, a criterion or a part of an alternative. A
//! case shows the items that it quotes, and the items that name it. An item without a case needs a reason. A case shows
//! the error kinds that it expects and that its cells return on the built-in engine. Only the cells that expect an error
//! are run.

pub mod exempt;
mod links;
mod render;
mod sample;
mod verdicts;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use skewer_cases::design_documents::{Claim, DocumentIndex, ItemKind, items};
use skewer_cases::{Cell, Corpus};
use skewer_engine::ErrorKind;

use links::Links;
use skewer_execute::execute::final_error;
use skewer_targets::BuiltInTarget;

pub use sample::{ItemSample, SampleVerdicts};
pub use verdicts::{DecidingCells, VerdictOnMutant, VerdictsOnMutants};

/// The coverage status of an item or an error kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CoverageStatus {
    /// At least one case shows the subject.
    Covered,
    /// No case shows the subject, and the reason is given.
    Reasoned,
    /// No case shows the subject, and no reason is given. This is a fault.
    Missing,
    /// A case shows the subject although there is a reason why none does. This is a fault.
    StaleReason,
    /// The item names a case that the corpus does not have. This is a fault.
    UnknownCase,
    /// A case shows the subject, and nothing says whether that confirms it. This is a fault.
    Unjudged,
    /// A condition applies to none of the cells that show the item. This is a fault.
    UnmatchedCondition,
}

impl CoverageStatus {
    fn new(is_covered: bool, has_reason: bool) -> Self {
        match (is_covered, has_reason) {
            (true, false) => CoverageStatus::Covered,
            (false, true) => CoverageStatus::Reasoned,
            (false, false) => CoverageStatus::Missing,
            (true, true) => CoverageStatus::StaleReason,
        }
    }

    /// Returns true if the cases or the reasons have to be changed.
    #[must_use]
    pub fn is_fault(self) -> bool {
        !matches!(self, CoverageStatus::Covered | CoverageStatus::Reasoned)
    }
}

/// The coverage of one item of a design document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ItemCoverage {
    /// The id of the item: its document, its section and its number.
    pub id: &'static str,
    /// The name of the document.
    pub document: &'static str,
    /// The heading of the section.
    pub section: &'static str,
    /// The line of the document on which the item begins.
    pub line: usize,
    /// The kind of the item.
    pub kind: ItemKind,
    /// The first words of the item.
    pub begins: &'static str,
    /// The coverage status.
    pub status: CoverageStatus,
    /// The cells that show the item, by the name of their case.
    pub cases: BTreeMap<String, BTreeSet<String>>,
    /// The names that the item gives and the corpus does not have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown_cases: Vec<String>,
    /// The reason why no case shows the item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<&'static str>,
    /// The words of the item that cases quote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quoted: Option<String>,
    /// What the item claims.
    #[serde(skip)]
    pub claim: Option<&'static Claim>,
}

impl ItemCoverage {
    /// Returns the ids of the cells that show the item, case by case.
    pub fn cells(&self) -> impl Iterator<Item = &str> {
        self.cases.values().flatten().map(String::as_str)
    }
}

/// The coverage of one error kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorCoverage {
    /// The id of the error kind.
    pub name: &'static str,
    /// Number of cases with the error.
    pub cases: usize,
    /// Number of cells with the error.
    pub cells: usize,
    /// The coverage status.
    pub status: CoverageStatus,
    /// The reason why no case expects the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<&'static str>,
}

/// The coverage of a corpus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// All items of all design documents, in order.
    pub items: Vec<ItemCoverage>,
    /// All error kinds.
    pub errors: Vec<ErrorCoverage>,
}

impl Coverage {
    /// Computes the coverage of a corpus.
    #[must_use]
    pub fn of(corpus: &Corpus) -> Self {
        Coverage { items: item_rows(corpus), errors: error_rows(corpus) }
    }

    /// Returns true if an item or an error kind has a fault.
    #[must_use]
    pub fn has_faults(&self) -> bool {
        let statuses = self.items.iter().map(|row| row.status);
        statuses.chain(self.errors.iter().map(|row| row.status)).any(CoverageStatus::is_fault)
    }

    /// Keeps only the items of one document.
    pub fn retain_document(&mut self, document: &str) {
        self.items.retain(|row| row.document == document);
    }
}

fn item_rows(corpus: &Corpus) -> Vec<ItemCoverage> {
    let mut links = Links::of(corpus, items());
    let rows = items().iter().map(|item| {
        let cases = links.take(item);
        let unknown_cases = links.take_unknown(item);
        let index = DocumentIndex::by_name(item.document);
        let mut coverage = ItemCoverage {
            id: &item.id,
            document: item.document,
            section: index.map_or("", |index| index.sections[item.section].heading),
            line: item.line(),
            kind: item.kind,
            begins: &item.begins,
            status: CoverageStatus::new(!cases.is_empty(), item.because.is_some()),
            cases,
            unknown_cases,
            because: item.because.as_deref(),
            quoted: links.take_quoted(item),
            claim: item.claim.as_ref(),
        };
        if !coverage.unknown_cases.is_empty() {
            coverage.status = CoverageStatus::UnknownCase;
        } else if coverage.status == CoverageStatus::Covered {
            coverage.status = match coverage.claim {
                None => CoverageStatus::Unjudged,
                Some(_) if coverage.unmatched_condition().is_some() => CoverageStatus::UnmatchedCondition,
                Some(_) => CoverageStatus::Covered,
            };
        }
        coverage
    });
    rows.collect()
}

fn error_rows(corpus: &Corpus) -> Vec<ErrorCoverage> {
    let mut counted: BTreeMap<ErrorKind, (usize, usize)> = BTreeMap::new();
    for case in corpus.suites.iter().flat_map(|suite| &suite.cases) {
        let mut caused = BTreeSet::new();
        for kind in case.cells().filter_map(|cell| expected_error(&cell)) {
            counted.entry(kind).or_default().1 += 1;
            caused.insert(kind);
        }
        for kind in caused {
            counted.entry(kind).or_default().0 += 1;
        }
    }
    let rows = ErrorKind::ALL.iter().map(|kind| {
        let (cases, cells) = counted.get(kind).copied().unwrap_or_default();
        let because = exempt::ERRORS.iter().find(|(exempt, _)| exempt == kind).map(|(_, because)| *because);
        let status = CoverageStatus::new(cases > 0, because.is_some());
        ErrorCoverage { name: kind.id(), cases, cells, status, because }
    });
    rows.collect()
}

/// Returns the error kind of the final state of a cell, if the expectation of the cell names the same kind.
fn expected_error(cell: &Cell<'_>) -> Option<ErrorKind> {
    let answers = &cell.expectation.answers;
    if answers.iter().all(|answer| answer.error.is_none()) {
        return None;
    }
    let kind = final_error(cell, &BuiltInTarget)?;
    answers.iter().any(|answer| answer.error == Some(kind)).then_some(kind)
}
