//! The cells whose result is worse in the new run, grouped by suite and by axis.

use std::collections::HashMap;

use skewer_results::model::Cell;

use super::cell_change::CellChange;
use crate::pivot::ResultLabel;

/// The changes within one suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteChanges<'a> {
    /// Name of the suite.
    pub suite: &'a str,
    /// Number of cells with a change.
    pub changes: usize,
    /// Number of cells of the suite in the new run.
    pub cells: usize,
    /// Pairs of an old and a new result, each with the number of cells that changed in this way.
    pub transitions: Vec<(ResultLabel, ResultLabel, usize)>,
    /// Changes on each axis, in the order in which the changed cells name the axes.
    pub axes: Vec<AxisChanges<'a>>,
}

/// The changes of a suite on one axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxisChanges<'a> {
    /// Name of the axis.
    pub axis: &'a str,
    /// Values with a change, each with the number of changed cells and the number of all cells of the suite.
    pub values: Vec<(&'a str, usize, usize)>,
}

/// Groups changes by suite. Suites are in the order of their first change. `cells` are all cells of the new run.
pub(super) fn group_by_suite<'a, 'c>(
    changes: impl Iterator<Item = &'c CellChange<'a>>,
    cells: &'a [Cell],
) -> Vec<SuiteChanges<'a>>
where
    'a: 'c,
{
    let mut groups: Vec<SuiteChanges<'a>> = Vec::new();
    for change in changes {
        let suite = &*change.new.suite;
        let index = groups.iter().position(|group| group.suite == suite).unwrap_or_else(|| {
            groups.push(SuiteChanges {
                suite,
                changes: 0,
                cells: 0,
                transitions: Vec::new(),
                axes: Vec::new(),
            });
            groups.len() - 1
        });
        groups[index].add_change(change);
    }
    let numbers: HashMap<&str, usize> =
        groups.iter().enumerate().map(|(number, group)| (group.suite, number)).collect();
    for cell in cells {
        if let Some(number) = numbers.get(&*cell.suite) {
            groups[*number].count_cell(cell);
        }
    }
    groups
}

impl<'a> SuiteChanges<'a> {
    fn add_change(&mut self, change: &CellChange<'a>) {
        self.changes += 1;
        let (was, is) = (ResultLabel::of(change.old), ResultLabel::of(change.new));
        match self.transitions.iter_mut().find(|(old, new, _)| (*old, *new) == (was, is)) {
            Some((_, _, count)) => *count += 1,
            None => self.transitions.push((was, is, 1)),
        }
        for (axis, value) in change.new.axes.iter() {
            let index =
                self.axes.iter().position(|axis_changes| axis_changes.axis == axis).unwrap_or_else(|| {
                    self.axes.push(AxisChanges { axis, values: Vec::new() });
                    self.axes.len() - 1
                });
            let values = &mut self.axes[index].values;
            match values.iter_mut().find(|(known, _, _)| *known == value) {
                Some((_, changed, _)) => *changed += 1,
                None => values.push((value, 1, 0)),
            }
        }
    }

    fn count_cell(&mut self, cell: &Cell) {
        self.cells += 1;
        for axis_changes in &mut self.axes {
            let value = cell.axes.get(axis_changes.axis);
            if let Some((_, _, of)) =
                axis_changes.values.iter_mut().find(|(known, _, _)| Some(*known) == value)
            {
                *of += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use skewer_results::model::Results;
    use skewer_results::vocabulary::Status;

    use super::*;
    use crate::compare::cell_change::Trend;
    use crate::test_support;

    fn run(status: impl Fn(&str) -> Status) -> Results {
        let mut cells = Vec::new();
        for suite in ["a/one", "b/two"] {
            for (client, server) in [("old", "old"), ("old", "new"), ("new", "old"), ("new", "new")] {
                let id = format!("{suite}/c[client={client},server={server}]");
                let axes = [("client", client), ("server", server)].into_iter().collect();
                let status = status(&id);
                cells.push(Cell { axes, ..Cell::new(id, suite, "c", status) });
            }
        }
        Results::new(test_support::run_info(), cells)
    }

    #[test]
    fn changes_are_counted_on_each_axis() {
        let is_worse = |id: &str| id.starts_with("b/two/c[client=new");
        let old = run(|_| Status::Pass);
        let new = run(|id| if is_worse(id) { Status::Fail } else { Status::Pass });
        let pairs = old.cells.iter().zip(&new.cells).filter(|(_, new)| is_worse(&new.id));
        let changes: Vec<CellChange<'_>> = pairs
            .map(|(old, new)| CellChange { old, new, trend: Trend::Worse, differing_fields: vec!["status"] })
            .collect();
        let groups = group_by_suite(changes.iter(), &new.cells);
        let [group] = &groups[..] else { panic!("{groups:?}") };
        assert_eq!((group.suite, group.changes, group.cells), ("b/two", 2, 4));
        let axes: Vec<_> = group.axes.iter().map(|axis| (axis.axis, axis.values.clone())).collect();
        assert_eq!(axes, [("client", vec![("new", 2, 2)]), ("server", vec![("old", 1, 2), ("new", 1, 2)])]);
        let transitions: Vec<_> =
            group.transitions.iter().map(|(was, is, count)| format!("{count} {was} {is}")).collect();
        assert_eq!(transitions, ["2 pass fail"]);
    }
}
