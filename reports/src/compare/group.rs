//! Changes by suite, and where on the axes they lie: what a reviewer asks first.

use std::collections::HashMap;

use super::comparison::Change;
use crate::model::Cell;
use crate::pivot::Mark;

/// The changes within one suite.
#[derive(Clone, Debug)]
pub struct Group<'a> {
    /// The suite.
    pub suite: &'a str,
    /// The changes, in their order.
    pub changes: Vec<Change<'a>>,
    /// How many cells the suite has in the new run.
    pub of: usize,
    /// What the cells did, what they do, and how many of them.
    pub moves: Vec<(Mark, Mark, usize)>,
    /// Where they lie, axis by axis, in the order in which the changed cells name the axes.
    pub axes: Vec<Spread<'a>>,
}

/// How the changes of a suite lie on one axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spread<'a> {
    /// The axis.
    pub axis: &'a str,
    /// Its values with a change, each with how many cells changed and how many the suite has there.
    pub values: Vec<(&'a str, usize, usize)>,
}

/// Groups changes by suite, in the order in which suites first come. `cells` are all cells of the new run.
pub(super) fn by_suite<'a>(changes: impl Iterator<Item = Change<'a>>, cells: &'a [Cell]) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for change in changes {
        let suite = &*change.new.suite;
        let at = groups.iter().position(|group| group.suite == suite).unwrap_or_else(|| {
            groups.push(Group { suite, changes: Vec::new(), of: 0, moves: Vec::new(), axes: Vec::new() });
            groups.len() - 1
        });
        groups[at].add(change);
    }
    let numbers: HashMap<&str, usize> =
        groups.iter().enumerate().map(|(number, group)| (group.suite, number)).collect();
    for cell in cells {
        if let Some(number) = numbers.get(&*cell.suite) {
            groups[*number].count(cell);
        }
    }
    groups
}

impl<'a> Group<'a> {
    fn add(&mut self, change: Change<'a>) {
        let (was, is) = (Mark::of(change.old), Mark::of(change.new));
        match self.moves.iter_mut().find(|(old, new, _)| (*old, *new) == (was, is)) {
            Some((_, _, count)) => *count += 1,
            None => self.moves.push((was, is, 1)),
        }
        for (axis, value) in change.new.axes.iter() {
            let at = self.axes.iter().position(|spread| spread.axis == axis).unwrap_or_else(|| {
                self.axes.push(Spread { axis, values: Vec::new() });
                self.axes.len() - 1
            });
            let values = &mut self.axes[at].values;
            match values.iter_mut().find(|(known, _, _)| *known == value) {
                Some((_, changed, _)) => *changed += 1,
                None => values.push((value, 1, 0)),
            }
        }
        self.changes.push(change);
    }

    fn count(&mut self, cell: &Cell) {
        self.of += 1;
        for spread in &mut self.axes {
            let value = cell.axes.get(spread.axis);
            if let Some((_, _, of)) = spread.values.iter_mut().find(|(known, _, _)| Some(*known) == value) {
                *of += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Comparison;
    use crate::model::{Cell, Results};
    use crate::samples;
    use crate::words::Status;

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
        Results::new(samples::run_info(), cells)
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
        assert_eq!((group.suite, group.changes.len(), group.of), ("b/two", 2, 4));
        let spreads: Vec<_> = group.axes.iter().map(|spread| (spread.axis, spread.values.clone())).collect();
        assert_eq!(
            spreads,
            [("client", vec![("new", 2, 2)]), ("server", vec![("old", 1, 2), ("new", 1, 2)])]
        );
        let moves: Vec<_> =
            group.moves.iter().map(|(was, is, count)| format!("{count} {was} {is}")).collect();
        assert_eq!(moves, ["2 pass fail"]);
    }
}
