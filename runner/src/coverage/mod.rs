//! What of the documents, and of the errors that there are, the cases of a corpus cover.
//!
//! A case covers the section that it cites, and the errors that end its cells on the built-in engine: those cells
//! are run of which an error is expected.

pub mod exempt;
mod render;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use skewer_cases::design_documents::DESIGN_DOCUMENTS;
use skewer_cases::{Cell, Corpus};
use skewer_engine::ErrorKind;

use crate::execute::error_of;
use crate::targets::BuiltInTarget;

/// The cases and cells of something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// How many cases.
    pub cases: usize,
    /// How many cells they have.
    pub cells: usize,
}

/// How a section or an error is covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// By cases.
    Covered,
    /// Not, and it is said why it need not be.
    Exempt,
    /// Not: a fault.
    Uncovered,
    /// By cases, though it is said that it need not be: a fault of what is said.
    StaleExemption,
}

impl Verdict {
    fn of(counts: Counts, because: Option<&str>) -> Self {
        match (counts.cases > 0, because.is_some()) {
            (true, false) => Verdict::Covered,
            (false, true) => Verdict::Exempt,
            (false, false) => Verdict::Uncovered,
            (true, true) => Verdict::StaleExemption,
        }
    }

    /// Is something to be done?
    #[must_use]
    pub fn is_fault(self) -> bool {
        matches!(self, Verdict::Uncovered | Verdict::StaleExemption)
    }

    /// The word in tables.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Covered => "",
            Verdict::Exempt => "exempt",
            Verdict::Uncovered => "UNCOVERED",
            Verdict::StaleExemption => "STALE EXEMPTION",
        }
    }
}

/// A section of a document, or a kind of error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The document of a section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<&'static str>,
    /// The heading of the section, or the id of the error.
    pub name: &'static str,
    /// What covers it.
    #[serde(flatten)]
    pub counts: Counts,
    /// How.
    pub verdict: Verdict,
    /// Why it need not be covered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<&'static str>,
}

/// What a corpus covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Every section of every document, in order.
    pub sections: Vec<Line>,
    /// Every kind of error.
    pub errors: Vec<Line>,
}

impl Coverage {
    /// Counts what the cases of a corpus cover.
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
        Coverage { sections: section_lines(&sections), errors: error_lines(&errors) }
    }

    /// What is not as it should be, in the order of the tables.
    pub fn faults(&self) -> impl Iterator<Item = &Line> {
        self.sections.iter().chain(&self.errors).filter(|line| line.verdict.is_fault())
    }
}

/// The error that ends a cell, where its expectation knows of it.
fn expected_error(cell: &Cell<'_>) -> Option<ErrorKind> {
    let answers = &cell.expectation.answers;
    if answers.iter().all(|answer| answer.error.is_none()) {
        return None;
    }
    let kind = error_of(cell, &BuiltInTarget)?;
    answers.iter().any(|answer| answer.error == Some(kind)).then_some(kind)
}

fn section_lines(counted: &BTreeMap<(&str, &str), Counts>) -> Vec<Line> {
    let lines = DESIGN_DOCUMENTS.iter().flat_map(|document| {
        document.sections.iter().map(|&section| {
            let counts = counted.get(&(document.name, section)).copied().unwrap_or_default();
            let exempt =
                exempt::SECTIONS.iter().find(|e| e.document == document.name && e.section == section);
            let because = exempt.map(|exempt| exempt.because);
            let verdict = Verdict::of(counts, because);
            Line { document: Some(document.name), name: section, counts, verdict, because }
        })
    });
    lines.collect()
}

fn error_lines(counted: &BTreeMap<ErrorKind, Counts>) -> Vec<Line> {
    let lines = ErrorKind::ALL.iter().map(|kind| {
        let counts = counted.get(kind).copied().unwrap_or_default();
        let because = exempt::ERRORS.iter().find(|(exempt, _)| exempt == kind).map(|(_, because)| *because);
        let verdict = Verdict::of(counts, because);
        Line { document: None, name: kind.id(), counts, verdict, because }
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exemption_names_a_section() {
        for exempt in exempt::SECTIONS {
            let document = skewer_cases::design_documents::by_name(exempt.document).unwrap();
            assert!(document.sections.contains(&exempt.section), "{}", exempt.section);
        }
    }

    #[test]
    fn something_is_exempt_once() {
        for (at, exempt) in exempt::SECTIONS.iter().enumerate() {
            let same =
                |e: &exempt::ExemptSection| (e.document, e.section) == (exempt.document, exempt.section);
            assert!(!exempt::SECTIONS[..at].iter().any(same), "{}", exempt.section);
        }
    }
}
