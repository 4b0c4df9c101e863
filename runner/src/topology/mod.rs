//! The analysis of changes of a topology: the answer to each request, beside the answer without the change.
//!
//! [`analyze`] makes a [`Report`] from the results of the suite [`SUITE`], with the documents of all steps.
//! [`skewer_reports::markdown::topology`] renders it.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use skewer_cases::yaml::{read_document, write_flow};
use skewer_engine::{Doc, OwnedDoc};
use skewer_reports::topology::{Answer, Change, NextWriter, Report};
use skewer_reports::{Cell, Outcome, Results, Status, Step};

/// The suite with the cells of the report.
pub const SUITE: &str = "server-side-apply/topology";

/// The axis with the change. A value with this separator is a change, and any other value is a control.
const CHANGE: &str = "change";
const SEPARATOR: &str = "-to-";
const NEXT: &str = "next";
/// The requests in the order of the report.
const REQUESTS: [&str; 5] = ["owner-again", "owner-removes", "applier-adds", "applier-changes", "updater"];
/// The step with the stored object.
const RESULT: &str = "result";

/// Makes the report.
///
/// # Errors
///
/// A message, if the results lack a cell of the suite, a control or the documents of steps, or if a cell has not passed.
pub fn analyze(results: &Results) -> Result<Report, String> {
    let cells: Vec<&Cell> = results.cells.iter().filter(|cell| &*cell.suite == SUITE).collect();
    let mut answers: BTreeMap<(&str, &str, &str), Answer> = BTreeMap::new();
    let mut requests = Vec::new();
    for cell in cells {
        let (Some(change), Some(next)) = (cell.axes.get(CHANGE), cell.axes.get(NEXT)) else { continue };
        answers.insert((&cell.case, change, next), answer_of(cell)?);
        requests.push((cell, change, next));
    }
    let mut changes: Vec<Change> = Vec::new();
    for (cell, change, next) in requests {
        let Some((old, new)) = change.split_once(SEPARATOR) else { continue };
        let answer_at = |change: &str| answers.get(&(&*cell.case, change, next)).cloned();
        let (Some(answer), Some(control)) = (answer_at(change), answer_at(new)) else {
            return Err(format!("{} has no control: expected a cell with the {CHANGE} `{new}`", cell.id));
        };
        let because = cell.because.as_deref().map(str::to_owned);
        let writer = NextWriter { name: next.to_owned(), answer, control, because };
        match changes.iter_mut().find(|known| known.old == old && known.new == new) {
            Some(known) => known.writers.push(writer),
            None => changes.push(Change { old: old.to_owned(), new: new.to_owned(), writers: vec![writer] }),
        }
    }
    if changes.is_empty() {
        return Err(format!("the results contain no cell of the suite {SUITE} that changes a topology"));
    }
    changes.sort_by(|a, b| (&a.old, &a.new).cmp(&(&b.old, &b.new)));
    for change in &mut changes {
        change.writers.sort_by_key(|writer| REQUESTS.iter().position(|name| *name == writer.name));
    }
    Ok(Report { changes })
}

/// Returns the end of the last request of a cell.
fn answer_of(cell: &Cell) -> Result<Answer, String> {
    if cell.status != Status::Pass {
        return Err(format!("{} has not passed", cell.id));
    }
    if matches!(cell.outcome, Some(Outcome::Refused | Outcome::Rejected)) {
        return Ok(Answer::Refused { conflicts: cell.conflicts.clone() });
    }
    let result = cell.steps.iter().rev().find(|step| step.name == RESULT);
    let stored = result.and_then(|step| Some((step, object_of(step)?)));
    let (step, object) = stored
        .ok_or_else(|| format!("{} has no document of the step `{RESULT}`: record all steps", cell.id))?;
    Ok(Answer::Stored { object: write_flow(&object), owners: step.owners.clone() })
}

/// Returns the document of a step without the zero values of Go types.
fn object_of(step: &Step) -> Option<OwnedDoc> {
    read_document(RESULT, step.document.as_ref()?.as_bytes()).ok().map(without_zero_values)
}

fn without_zero_values(document: OwnedDoc) -> OwnedDoc {
    let is_zero = |value: &OwnedDoc| match value {
        Doc::Null => true,
        Doc::String(text) => text.is_empty(),
        Doc::Map(map) => map.is_empty(),
        _ => false,
    };
    match document {
        Doc::Map(map) => {
            let members = map.into_iter().map(|(key, value)| (key, without_zero_values(value)));
            Doc::Map(members.filter(|(_, value)| !is_zero(value)).collect())
        }
        Doc::List(items) => Doc::List(items.into_iter().map(without_zero_values).collect()),
        other => other,
    }
}
