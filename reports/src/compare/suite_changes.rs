//! Changes by suite, and their distribution over the axes.

use std::collections::HashMap;

use super::change::Change;
use crate::model::Cell;
use crate::pivot::ResultLabel;

/// The changes within one suite.
#[derive(Clone, Debug)]
pub struct SuiteChanges<'a> {
    /// The suite.
    pub suite: &'a str,
    /// The changes, in their order.
    pub changes: Vec<Change<'a>>,
    /// Number of cells that the suite has in the new run.
    pub cells: usize,
    /// Old result, new result, and number of cells.
    pub transitions: Vec<(ResultLabel, ResultLabel, usize)>,
    /// The changes on each axis, in the order in which the changed cells name the axes.
    pub axes: Vec<AxisChanges<'a>>,
}

/// The changes of a suite on one axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxisChanges<'a> {
    /// The axis.
    pub axis: &'a str,
    /// Its values with a change, each with how many cells changed and how many the suite has there.
    pub values: Vec<(&'a str, usize, usize)>,
}

/// Groups changes by suite, in the order in which suites first come. `cells` are all cells of the new run.
pub(super) fn group_by_suite<'a>(
    changes: impl Iterator<Item = Change<'a>>,
    cells: &'a [Cell],
) -> Vec<SuiteChanges<'a>> {
    let mut groups: Vec<SuiteChanges<'a>> = Vec::new();
    for change in changes {
        let suite = &*change.new.suite;
        let index = groups.iter().position(|group| group.suite == suite).unwrap_or_else(|| {
            groups.push(SuiteChanges {
                suite,
                changes: Vec::new(),
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
    fn add_change(&mut self, change: Change<'a>) {
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
        self.changes.push(change);
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
    use super::super::Comparison;
    use crate::model::{Cell, Results};
    use crate::test_support;
    use crate::vocabulary::Status;

    fn run(failing: &[&str]) -> Results {
        let mut cells = Vec::new();
        for suite in ["a/one", "b/two"] {
            for (client, server) in [("old", "old"), ("old", "new"), ("new", "old"), ("new", "new")] {
                let id = format!("{suite}/c[client={client},server={server}]");
                let status = if failing.contains(&id.as_str()) { Status::Fail } else { Status::Pass };
                let axes = [("client", client), ("server", server)].into_iter().collect();
                cells.push(Cell { axes, ..Cell::new(id, suite, "c", status) });
            }
        }
        Results::new(test_support::run_info(), cells)
    }

    #[test]
    fn groups_say_where_on_the_axes_the_changes_lie() {
        let (old, new) = (
            run(&["a/one/c[client=old,server=old]"]),
            run(&["b/two/c[client=new,server=old]", "b/two/c[client=new,server=new]"]),
        );
        let comparison = Comparison::of(&old, &new);
        let groups = comparison.worse_by_suite();
        assert_eq!(groups.len(), 1, "what got better is in no group");
        let group = &groups[0];
        assert_eq!((group.suite, group.changes.len(), group.cells), ("b/two", 2, 4));
        let axes: Vec<_> =
            group.axes.iter().map(|axis_changes| (axis_changes.axis, axis_changes.values.clone())).collect();
        assert_eq!(axes, [("client", vec![("new", 2, 2)]), ("server", vec![("old", 1, 2), ("new", 1, 2)])]);
        let transitions: Vec<_> =
            group.transitions.iter().map(|(was, is, count)| format!("{count} {was} {is}")).collect();
        assert_eq!(transitions, ["2 pass fail"]);
    }
}
