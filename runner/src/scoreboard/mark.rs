//! The mark of one implementation for one capability.

use skewer_reports::scoreboard::{Document, Mark, ScoreboardCounts, Support, WrongCell};
use skewer_results::{Cell, Results};
use skewer_skew::StepName;

use super::implementation::{count, is_wrong};

/// Marks an implementation by the cells of some suites.
pub(super) fn mark(run: &Results, suites: &[String]) -> Mark {
    let cells: Vec<&Cell> =
        run.cells.iter().filter(|cell| suites.iter().any(|suite| *suite == *cell.suite)).collect();
    let counts = count(cells.iter().copied());
    let mut wrong: Vec<WrongCell> = cells.into_iter().filter(|cell| is_wrong(cell)).map(wrong_cell).collect();
    wrong.sort_by_cached_key(|cell| (size(cell), cell.id.clone()));
    Mark { support: support(&counts), counts, wrong_cells: wrong }
}

fn support(counts: &ScoreboardCounts) -> Support {
    match counts {
        ScoreboardCounts { wrong: 1.., .. } => Support::Wrong,
        ScoreboardCounts { passed: 1.., unsupported: 0, not_run: 0, .. } => Support::Supported,
        ScoreboardCounts { passed: 1.., .. } => Support::Partial,
        ScoreboardCounts { unsupported: 1.., .. } => Support::Unsupported,
        _ => Support::NotRun,
    }
}

fn wrong_cell(cell: &Cell) -> WrongCell {
    let words = |text: Option<String>| text.unwrap_or_else(|| cell.status.to_string());
    WrongCell {
        id: cell.id.clone(),
        about: cell.about.as_deref().map(str::to_owned),
        expected: words(cell.expected_text()),
        actual: cell.message_text().unwrap_or_else(|| words(cell.actual_text())),
        documents: request_documents(cell),
        expected_document: cell.expected_document.clone(),
        actual_document: cell.actual_document.clone(),
        reason: cell.deviation.as_ref().map(|deviation| deviation.reason.clone()),
    }
}

/// Returns the documents of a cell up to its request.
pub(super) fn request_documents(cell: &Cell) -> Vec<Document> {
    let steps = cell.steps.iter().filter(|step| step.name != StepName::Result.name());
    let with_documents = steps.filter_map(|step| {
        let text = step.document.clone()?;
        Some(Document { name: step.name.clone(), text })
    });
    with_documents.collect()
}

/// Returns the document with which a cell ended.
pub(super) fn result_document(cell: &Cell) -> Option<String> {
    let step = cell.steps.iter().find(|step| step.name == StepName::Result.name());
    step.and_then(|step| step.document.clone()).or_else(|| cell.actual_document.clone())
}

fn size(cell: &WrongCell) -> usize {
    cell.documents.iter().map(|document| document.text.len()).sum()
}
