//! A cell of the corpus that shows a word.

use skewer_cases::{Cell, Corpus, Plan};
use skewer_engine::directive::{self, Directive};
use skewer_engine::error::ErrorKind;
use skewer_engine::{Doc, OwnedDoc};
use skewer_results::vocabulary::{Level, Outcome};
use skewer_skew::Request;

use super::words::{Word, WordKind};

/// Finds a cell that shows a word: the simplest one, which has the fewest axes and the shortest id. Returns `None` if no
/// cell does. The corpus passes on the built-in engine, so that an expectation with one answer says what happens.
pub(super) fn find<'c>(word: &Word, corpus: &'c Corpus) -> Option<Cell<'c>> {
    let shows: Box<dyn Fn(&Cell<'_>) -> bool> = match word.kind {
        WordKind::Outcome => {
            let outcome: Outcome = word.name.parse().ok()?;
            Box::new(move |cell| has_outcome(cell, outcome))
        }
        WordKind::ErrorKind => {
            let kind = ErrorKind::from_id(&word.name)?;
            Box::new(move |cell| only_answer(cell).is_some_and(|answer| answer.error == Some(kind)))
        }
        WordKind::Level => {
            let level: Level = word.name.parse().ok()?;
            Box::new(move |cell| cell.level().name() == level.as_str())
        }
        WordKind::Directive => {
            let directive = directive::by_name(&word.name)?;
            Box::new(move |cell| has_only_directive(cell, directive))
        }
        WordKind::UnionPolicy => {
            let name = word.name.clone();
            Box::new(move |cell| has_policy(cell, &name))
        }
        WordKind::Request => {
            let request = Request::ALL.into_iter().find(|request| request.name() == word.name)?;
            Box::new(move |cell| matches!(cell.plan(), Ok(Plan::Skew(plan)) if plan.request == request))
        }
        WordKind::Status
        | WordKind::Law
        | WordKind::Severity
        | WordKind::Client
        | WordKind::ExitCode
        | WordKind::Term
        | WordKind::Key => {
            return None;
        }
    };
    let mut cells: Vec<(usize, usize, Cell<'c>)> =
        corpus.cells().map(|cell| (cell.case.axes.len(), cell.id().len(), cell)).collect();
    cells.sort_by_key(|(axes, length, _)| (*axes, *length));
    cells.into_iter().map(|(_, _, cell)| cell).find(|cell| shows(cell))
}

/// Returns the answer that an expectation requires, if there is only one.
fn only_answer<'c>(cell: &Cell<'c>) -> Option<&'c skewer_cases::ExpectedAnswer> {
    match cell.expectation.answers.as_slice() {
        [answer] => Some(answer),
        _ => None,
    }
}

fn has_outcome(cell: &Cell<'_>, outcome: Outcome) -> bool {
    let Some(answer) = only_answer(cell) else { return false };
    match outcome {
        Outcome::Match => cell.case.operation.declaration().is_some() && answer.result.is_some(),
        _ => answer.outcome.is_some_and(|expected| expected.name() == outcome.as_str()),
    }
}

/// Returns true if the documents of a patch case have a directive, and no other one.
fn has_only_directive(cell: &Cell<'_>, wanted: &dyn Directive) -> bool {
    if cell.case.operation.declaration().is_none() {
        return false;
    }
    let Ok(Plan::Patch(plan)) = cell.plan() else { return false };
    let found =
        |directive: &dyn Directive| plan.documents.values().any(|document| has_key(document, directive));
    let is_wanted = |directive: &&dyn Directive| directive.name() == wanted.name();
    only_answer(cell).is_some_and(|answer| answer.result.is_some())
        && directive::REGISTRY.iter().all(|directive| found(*directive) == is_wanted(directive))
}

fn has_key(document: &OwnedDoc, directive: &dyn Directive) -> bool {
    match document {
        Doc::Map(map) => {
            map.iter().any(|(key, value)| directive.is_own_key(key) || has_key(value, directive))
        }
        Doc::List(items) => items.iter().any(|item| has_key(item, directive)),
        _ => false,
    }
}

/// Returns true if the server of a skew case has a union policy, and a coordinate of the cell names it.
fn has_policy(cell: &Cell<'_>, name: &str) -> bool {
    let is_named = cell.coordinates().iter().any(|(_, value)| *value == name);
    is_named && matches!(cell.plan(), Ok(Plan::Skew(plan)) if plan.server.policy.name() == name)
}
