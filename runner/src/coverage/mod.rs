//! The coverage of a corpus: the sections of the design documents and the error kinds that its cases cover.
//!
//! A case covers the section that it cites, and the error kinds that it expects and that its cells return on the
//! built-in engine. Only the cells that expect an error are run.

pub mod exempt;
mod render;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use skewer_cases::design_documents::DESIGN_DOCUMENTS;
use skewer_cases::{Cell, Corpus};
use skewer_engine::ErrorKind;

use crate::execute::final_error;
use crate::targets::BuiltInTarget;

/// The numbers of cases and cells that cover a section of a design document, or an error kind of the engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Number of cases.
    pub cases: usize,
    /// Number of cells of these cases.
    pub cells: usize,
}

/// The coverage status of a section or an error kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CoverageStatus {
    /// At least one case covers the subject.
    Covered,
    /// No case covers the subject, and an exemption gives the reason.
    Exempt,
    /// No case covers the subject, and there is no exemption. This is a fault.
    Uncovered,
    /// A case covers the subject although there is an exemption. This is a fault.
    StaleExemption,
}

impl CoverageStatus {
    fn new(counts: Counts, because: Option<&str>) -> Self {
        match (counts.cases > 0, because.is_some()) {
            (true, false) => CoverageStatus::Covered,
            (false, true) => CoverageStatus::Exempt,
            (false, false) => CoverageStatus::Uncovered,
            (true, true) => CoverageStatus::StaleExemption,
        }
    }

    /// Returns true if the cases or the exemptions have to be changed.
    #[must_use]
    pub fn is_fault(self) -> bool {
        matches!(self, CoverageStatus::Uncovered | CoverageStatus::StaleExemption)
    }

    /// Returns the label in tables, which is empty for a covered subject.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            CoverageStatus::Covered => "",
            CoverageStatus::Exempt => "exempt",
            CoverageStatus::Uncovered => "UNCOVERED",
            CoverageStatus::StaleExemption => "STALE EXEMPTION",
        }
    }
}

/// The coverage of one section of a document, or of one error kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CoverageRow {
    /// The document that contains the section. `None` for an error kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<&'static str>,
    /// The heading of the section, or the id of the error kind.
    pub name: &'static str,
    /// The numbers of cases and cells that cover the subject.
    #[serde(flatten)]
    pub counts: Counts,
    /// The coverage status.
    #[serde(rename = "verdict")]
    pub status: CoverageStatus,
    /// The reason for the exemption, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<&'static str>,
}

/// The coverage of a corpus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// All sections of all design documents, in order.
    pub sections: Vec<CoverageRow>,
    /// All error kinds.
    pub errors: Vec<CoverageRow>,
}

impl Coverage {
    /// Computes the coverage of a corpus.
    #[must_use]
    pub fn of(corpus: &Corpus) -> Self {
        let mut sections: BTreeMap<(&str, &str), Counts> = BTreeMap::new();
        let mut errors: BTreeMap<ErrorKind, Counts> = BTreeMap::new();
        for case in corpus.suites.iter().flat_map(|suite| &suite.cases) {
            let mut caused = BTreeSet::new();
            let mut cells = 0;
            for cell in case.cells() {
                cells += 1;
                if let Some(kind) = expected_error(&cell) {
                    errors.entry(kind).or_default().cells += 1;
                    caused.insert(kind);
                }
            }
            for kind in caused {
                errors.entry(kind).or_default().cases += 1;
            }
            if let Some(source) = &case.source {
                let counts = sections.entry((&source.document, &source.section)).or_default();
                counts.cases += 1;
                counts.cells += cells;
            }
        }
        Coverage { sections: section_rows(&sections), errors: error_rows(&errors) }
    }

    /// Returns the rows with faults, in the order of the tables.
    pub fn faults(&self) -> impl Iterator<Item = &CoverageRow> {
        self.sections.iter().chain(&self.errors).filter(|row| row.status.is_fault())
    }
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

fn section_rows(counted: &BTreeMap<(&str, &str), Counts>) -> Vec<CoverageRow> {
    let rows = DESIGN_DOCUMENTS.iter().flat_map(|document| {
        document.sections.iter().map(|&section| {
            let counts = counted.get(&(document.name, section)).copied().unwrap_or_default();
            let exempt =
                exempt::SECTIONS.iter().find(|e| e.document == document.name && e.section == section);
            let because = exempt.map(|exempt| exempt.because);
            let status = CoverageStatus::new(counts, because);
            CoverageRow { document: Some(document.name), name: section, counts, status, because }
        })
    });
    rows.collect()
}

fn error_rows(counted: &BTreeMap<ErrorKind, Counts>) -> Vec<CoverageRow> {
    let rows = ErrorKind::ALL.iter().map(|kind| {
        let counts = counted.get(kind).copied().unwrap_or_default();
        let because = exempt::ERRORS.iter().find(|(exempt, _)| exempt == kind).map(|(_, because)| *because);
        let status = CoverageStatus::new(counts, because);
        CoverageRow { document: None, name: kind.id(), counts, status, because }
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exempt_section_exists() {
        for exempt in exempt::SECTIONS {
            let document = skewer_cases::design_documents::by_name(exempt.document).unwrap();
            assert!(document.sections.contains(&exempt.section), "{}", exempt.section);
        }
    }

    #[test]
    fn no_section_is_exempt_twice() {
        for (index, exempt) in exempt::SECTIONS.iter().enumerate() {
            let same =
                |e: &exempt::ExemptSection| (e.document, e.section) == (exempt.document, exempt.section);
            assert!(!exempt::SECTIONS[..index].iter().any(same), "{}", exempt.section);
        }
    }
}
