//! The answer to a question: the results of its cells, grouped by what came out.

use skewer_reports::scoreboard::{CellResults, Document, Question, SharedResult};
use skewer_results::{Cell, Results, Status};

use super::implementation::is_wrong;
use super::ladder::QuestionSpec;
use super::mark::{request_documents, result_document};
use super::merge_key::merge_keys;

/// Answers a question from the results of some runs.
pub(super) fn answer(question: &QuestionSpec, runs: &[Results]) -> Question {
    Question {
        id: question.id.clone(),
        title: question.title.clone(),
        about: question.about.clone(),
        merge_keys: question
            .merge_key
            .as_ref()
            .map(|spec| merge_keys(question, spec, runs))
            .unwrap_or_default(),
        cells: question.cells.iter().map(|id| cell_results(id, runs)).collect(),
    }
}

fn cell_results(id: &str, runs: &[Results]) -> CellResults {
    let mut results: Vec<SharedResult> = Vec::new();
    let mut about = None;
    let mut documents: Vec<Document> = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        let Some(cell) = run.cells.iter().find(|cell| cell.id == id) else { continue };
        about = about.or_else(|| cell.about.as_deref().map(str::to_owned));
        if documents.is_empty() {
            documents = request_documents(cell);
        }
        if !matches!(cell.status, Status::Pass | Status::UnexpectedPass) && !is_wrong(cell) {
            continue;
        }
        let group = group(cell);
        match results.iter_mut().find(|known| {
            (&known.result, &known.document, known.is_expected)
                == (&group.result, &group.document, group.is_expected)
        }) {
            Some(known) => known.implementations.push(index),
            None => results.push(SharedResult { implementations: vec![index], ..group }),
        }
    }
    // The sort is stable: other results stay in the order of the implementations.
    results.sort_by_key(|group| !group.is_expected);
    name_other_owners(&mut results);
    CellResults { id: id.to_owned(), about, documents, results }
}

/// Says of a wrong result with the expected object that its managed fields are the difference: the documents of results
/// have none.
fn name_other_owners(results: &mut [SharedResult]) {
    let expected: Vec<Option<String>> =
        results.iter().filter(|group| group.is_expected).map(|group| group.document.clone()).collect();
    for group in results.iter_mut().filter(|group| !group.is_expected) {
        if group.document.is_some() && expected.contains(&group.document) {
            "the same object with other managed fields".clone_into(&mut group.result);
            group.document = None;
        }
    }
}

/// Describes the result of a cell.
fn group(cell: &Cell) -> SharedResult {
    // The message of a refusal is in the words of the implementation.
    SharedResult {
        result: cell.general_actual_text().unwrap_or_else(|| cell.status.to_string()),
        document: result_document(cell),
        is_expected: !is_wrong(cell),
        implementations: Vec::new(),
    }
}
