//! `skewer run --accept`: writes the final states of cells into their suite files, for review.
//!
//! An outcome such as `lost` does not say which document was stored. This module adds the final states to the
//! expectations that lack them, and adds an expectation for each group of cells that fail. Nothing is removed. An
//! expectation that was added has no `because`, and counts as unreviewed until somebody writes one.

mod conditions;
mod state;
mod suite_text;

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;
use skewer_cases::{Case, Cell, Expectation};
use skewer_skew::Outcome;
use skewer_targets::Target;

use self::conditions::{Coordinates, Entry, distinguish};
use self::state::{Described, describe};
use self::suite_text::{Addition, insert};
use crate::execute::{ObservedStates, observe_states};

pub use self::state::{is_pinned, needs_pin};
pub use self::suite_text::AcceptedFile;

struct Observed<'a> {
    cell: Cell<'a>,
    states: ObservedStates,
}

/// Computes the new text of the suite files whose cells fail or lack a pinned state. `read` returns the text of a file.
///
/// # Errors
/// Fails with the error of `read`.
pub fn accept<E>(
    cells: &[Cell<'_>],
    target: &dyn Target,
    mut read: impl FnMut(&str) -> Result<String, E>,
) -> Result<Vec<AcceptedFile>, E> {
    let observed: Vec<Observed<'_>> = cells
        .par_iter()
        .filter_map(|cell| {
            let states = observe_states(cell, target)?;
            Some(Observed { cell: *cell, states })
        })
        .collect();
    let mut by_file: BTreeMap<Arc<str>, Vec<Addition>> = BTreeMap::new();
    for group in by_expectation(&observed).into_values() {
        let location = &group[0].cell.expectation.location;
        if let Some(addition) = addition(&group) {
            by_file.entry(Arc::clone(&location.file)).or_default().push(addition);
        }
    }
    by_file.into_iter().map(|(file, additions)| Ok(insert(&file, &read(&file)?, additions))).collect()
}

fn by_expectation<'o, 'a>(
    observed: &'o [Observed<'a>],
) -> BTreeMap<(Arc<str>, usize), Vec<&'o Observed<'a>>> {
    let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for one in observed {
        let location = &one.cell.expectation.location;
        groups.entry((Arc::clone(&location.file), location.line)).or_default().push(one);
    }
    groups
}

/// Returns what has to be added for the cells of one expectation. Returns `None` if nothing is missing.
fn addition(group: &[&Observed<'_>]) -> Option<Addition> {
    let expectation = group[0].cell.expectation;
    let (passing, failing): (Vec<_>, Vec<_>) = group.iter().copied().partition(|one| one.states.passes);
    let unpinned = passing.iter().any(|one| !is_pinned(&one.cell));
    let can_be_pinned = unpinned && expectation.answers.len() == 1 && expectation.final_states.is_empty();
    let final_states = if can_be_pinned { pin(&passing) } else { Vec::new() };
    // A patch case has no outcome by which failing cells could be described.
    let has_outcomes = failing.iter().all(|one| one.states.outcome.is_some());
    let expectations = if has_outcomes { new_expectations(&failing) } else { Vec::new() };
    (!final_states.is_empty() || !expectations.is_empty()).then(|| Addition {
        line: expectation.location.line,
        final_states,
        expectations,
    })
}

/// Describes the final states of cells that have the same expectation.
fn pin(cells: &[&Observed<'_>]) -> Vec<Entry<Described>> {
    let states: Vec<&ObservedStates> = cells.iter().map(|one| &one.states).collect();
    let described = describe(&states);
    let points = cells.iter().map(|one| coordinates(&one.cell));
    distinguish(points.zip(described).collect(), &[])
}

/// Returns an expectation for each outcome of the failing cells.
fn new_expectations(failing: &[&Observed<'_>]) -> Vec<Entry<(Outcome, Described)>> {
    let Some(first) = failing.first() else { return Vec::new() };
    let states: Vec<&ObservedStates> = failing.iter().map(|one| &one.states).collect();
    let outcomes = states.iter().map(|states| states.outcome.unwrap_or(Outcome::Refused));
    let described = outcomes.zip(describe(&states));
    let points = failing.iter().map(|one| coordinates(&one.cell));
    // A new expectation comes before the present one, so it must not match the other cells that reach that place.
    let later = later_cells(first.cell.case, first.cell.expectation);
    let is_failing = |point: &Coordinates| failing.iter().any(|one| coordinates(&one.cell) == *point);
    let others: Vec<Coordinates> = later.into_iter().filter(|point| !is_failing(point)).collect();
    distinguish(points.zip(described).collect(), &others)
}

/// Returns the points of the cells to which this expectation or a later one applies.
fn later_cells(case: &Case, expectation: &Expectation) -> Vec<Coordinates> {
    let from = case.expectations.iter().position(|one| std::ptr::eq(one, expectation)).unwrap_or(0);
    let is_later =
        |cell: &Cell<'_>| case.expectations[from..].iter().any(|one| std::ptr::eq(one, cell.expectation));
    case.cells().filter(is_later).map(|cell| coordinates(&cell)).collect()
}

fn coordinates(cell: &Cell<'_>) -> Coordinates {
    cell.coordinates().into_iter().map(|(axis, value)| (axis.to_owned(), value.to_owned())).collect()
}
