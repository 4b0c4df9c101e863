//! The comparison of two runs, cell by cell.
//!
//! [`compare`] decides which cells are better or worse, and whether the new run is worse. [`ResultSeverity`] is the order of
//! results from good to bad. A cell whose id changed is recognised by a rule (`rename_rules`), or
//! by the content of its case (`renamed_cells`).
//! [`skewer_reports::compare`] renders the [`Comparison`].

mod change;
mod rename_rules;
mod renamed_cells;
mod severity;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap, HashSet};

use skewer_reports::compare::{Caveat, CellChange, Comparison, Regression, Trend};
use skewer_results::{Cell, Results};

use self::rename_rules::RenameRules;
pub use self::severity::ResultSeverity;
use crate::kep;

/// Compares two runs. `is_allowed_gone` returns true if the cell with the given id of the old run may be gone. Cells
/// that are gone because the new run ended early or selected other cells are never allowed.
#[must_use]
pub fn compare<'a>(
    old: &'a Results,
    new: &'a Results,
    is_allowed_gone: impl Fn(&str) -> bool,
) -> Comparison<'a> {
    let mut comparison = pair_cells(old, new);
    comparison.caveats = find_caveats(&comparison);
    comparison.regressions = find_regressions(&comparison, is_allowed_gone);
    comparison.kep = kep::analyze(new);
    comparison
}

/// Sorts the cells of both runs into the lists of a comparison.
fn pair_cells<'a>(old: &'a Results, new: &'a Results) -> Comparison<'a> {
    let mut comparison = Comparison::without_cells(old, new);
    let is_across_targets = comparison.is_across_targets;
    let change = |old, new| change::change(old, new, is_across_targets);
    let mut old_by_id: HashMap<&str, &Cell> = old.cells.iter().map(|cell| (cell.id.as_str(), cell)).collect();
    for cell in &new.cells {
        match old_by_id.remove(cell.id.as_str()) {
            Some(old) => add_change(&mut comparison, change(old, cell)),
            None => comparison.new.push(cell),
        }
    }
    comparison.gone = old.cells.iter().filter(|cell| old_by_id.contains_key(cell.id.as_str())).collect();
    // A cell that a rule renames is the same cell. Every other pair is only recognised, so it is listed as renamed.
    let by_rule = RenameRules::built_in().take_pairs(&mut comparison.gone, &mut comparison.new);
    for (old, new) in by_rule {
        add_change(&mut comparison, change(old, new));
    }
    let pairs = renamed_cells::take_pairs(&mut comparison.gone, &mut comparison.new);
    comparison.renamed = pairs.into_iter().map(|(old, new)| change(old, new)).collect();
    comparison
}

fn add_change<'a>(comparison: &mut Comparison<'a>, change: CellChange<'a>) {
    match change.trend {
        Trend::Worse => comparison.worse.push(change),
        Trend::Better => comparison.better.push(change),
        Trend::Neutral if change.differing_fields.is_empty() => comparison.same += 1,
        Trend::Neutral => comparison.changed.push(change),
    }
}

fn find_caveats(comparison: &Comparison<'_>) -> Vec<Caveat> {
    let (old, new) = (comparison.old_run, comparison.new_run);
    let [old_target, new_target] = [old, new].map(|results| results.run.target.to_string());
    let [old_selection, new_selection] = [old, new].map(|results| results.run.selection.to_string());
    let selects_otherwise = old.run.selection != new.run.selection && comparison.gone.is_empty();
    let caveats = [
        (old.run.target != new.run.target).then_some(Caveat::Target { old: old_target, new: new_target }),
        (old.run.corpus_hash != new.run.corpus_hash).then_some(Caveat::Corpus),
        selects_otherwise.then_some(Caveat::Selection { old: old_selection, new: new_selection }),
        old.partial.then_some(Caveat::PartialOld),
    ];
    caveats.into_iter().flatten().collect()
}

/// Returns the reasons for which the new run is worse. New cells are no reason, because the old run has no results for
/// them.
fn find_regressions(comparison: &Comparison<'_>, is_allowed_gone: impl Fn(&str) -> bool) -> Vec<Regression> {
    let (old, new) = (comparison.old_run, comparison.new_run);
    let (worse, gone) = (comparison.all_worse().count(), comparison.gone.len());
    let selects_otherwise = old.run.selection != new.run.selection;
    let mut regressions = Vec::new();
    if worse > 0 {
        regressions.push(Regression::Cells { cells: worse });
    }
    if new.partial {
        let (cells, selected) = (new.cells.len(), new.run.selected);
        regressions.push(Regression::Partial { cells, selected, gone });
    }
    if gone > 0 && selects_otherwise {
        let [old, new] = [old, new].map(|results| results.run.selection.to_string());
        regressions.push(Regression::Selection { old, new, gone });
    }
    // Cells that are gone are a regression, unless the new run ended early or selected other cells.
    if !new.partial && !selects_otherwise {
        regressions.extend(find_gone(comparison, is_allowed_gone));
    }
    let added = new.problems.iter().filter(|problem| !old.problems.contains(problem));
    regressions.extend(added.map(|problem| Regression::Problem {
        message: problem.message.lines().next().unwrap_or_default().to_owned(),
    }));
    regressions
}

/// Returns the regression of the cells that only the old run has, and that are not allowed to be gone. Returns `None`
/// if there are no such cells.
fn find_gone(comparison: &Comparison<'_>, is_allowed_gone: impl Fn(&str) -> bool) -> Option<Regression> {
    let remaining: HashSet<&str> = comparison.new_run.cells.iter().map(|cell| &*cell.suite).collect();
    let mut suites = BTreeSet::new();
    let mut cells = 0;
    for cell in comparison.gone.iter().filter(|cell| !is_allowed_gone(&cell.id)) {
        cells += 1;
        if !remaining.contains(&*cell.suite) {
            suites.insert(cell.suite.to_string());
        }
    }
    (cells > 0).then(|| Regression::Gone { cells, suites: suites.into_iter().collect() })
}
