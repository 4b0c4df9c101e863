//! Outcomes as a table of any two properties. The design documents argue about skew with such tables.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use skewer_results::model::Cell;
use skewer_results::vocabulary::{Outcome, Status};

use crate::group::GroupKey;

/// The result of a cell in tables: the outcome, or the status if there is no outcome. The outcome that an `as-before`
/// covers is added, and the status unless the cell passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResultLabel {
    /// The outcome, if the cell has one.
    pub outcome: Option<Outcome>,
    /// The outcome that an `as-before` covers.
    pub covers: Option<Outcome>,
    /// The status.
    pub status: Status,
}

impl ResultLabel {
    /// Returns the label of a cell.
    #[must_use]
    pub fn of(cell: &Cell) -> Self {
        ResultLabel { outcome: cell.outcome, covers: cell.covers, status: cell.status }
    }
}

/// Displays as `lost`, `lost (fail)`, `as-before (lost)` or `skipped`.
impl fmt::Display for ResultLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.outcome, self.covers, self.status) {
            (Some(outcome), None, Status::Pass) => f.write_str(outcome.as_str()),
            (Some(outcome), Some(covered), Status::Pass) => write!(f, "{outcome} ({covered})"),
            (Some(outcome), None, status) => write!(f, "{outcome} ({status})"),
            (Some(outcome), Some(covered), status) => write!(f, "{outcome} ({covered}, {status})"),
            (None, _, status) => f.write_str(status.as_str()),
        }
    }
}

/// A table of results by two properties. Rows and columns are in the order in which the cells first name them, or, if all of them
/// are numbers, in the order of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pivot {
    /// The property of the rows.
    pub row_key: GroupKey,
    /// The property of the columns.
    pub column_key: GroupKey,
    /// The names of the rows.
    pub rows: Vec<String>,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// Number of cells that are not in the table, because they have no value for one of the keys.
    pub left_out: usize,
    counts: HashMap<(usize, usize), Vec<(ResultLabel, usize)>>,
}

impl Pivot {
    /// Makes the table of some cells. A cell with several values for a key is in several fields.
    pub fn new<'a>(
        row_key: GroupKey,
        column_key: GroupKey,
        cells: impl IntoIterator<Item = &'a Cell>,
    ) -> Self {
        let placed: Vec<(&Cell, Vec<String>, Vec<String>)> =
            cells.into_iter().map(|cell| (cell, row_key.values(cell), column_key.values(cell))).collect();
        let (placed, others): (Vec<_>, Vec<_>) = placed
            .into_iter()
            .partition(|(_, in_rows, in_columns)| !in_rows.is_empty() && !in_columns.is_empty());
        let mut rows = NumberedNames::of_numbers(placed.iter().flat_map(|(_, in_rows, _)| in_rows));
        let mut columns = NumberedNames::of_numbers(placed.iter().flat_map(|(_, _, in_columns)| in_columns));
        let mut counts: HashMap<(usize, usize), Vec<(ResultLabel, usize)>> = HashMap::new();
        for (cell, in_rows, in_columns) in placed {
            let in_columns: Vec<usize> = in_columns.into_iter().map(|name| columns.number_of(name)).collect();
            for row in in_rows.into_iter().map(|name| rows.number_of(name)) {
                for column in &in_columns {
                    count_label(counts.entry((row, *column)).or_default(), ResultLabel::of(cell));
                }
            }
        }
        for labels in counts.values_mut() {
            labels.sort_unstable();
        }
        let (rows, columns) = (rows.names, columns.names);
        Pivot { row_key, column_key, rows, columns, left_out: others.len(), counts }
    }

    /// Returns the results of the cells in one field of the table, each with its number of cells.
    #[must_use]
    pub fn counts_at(&self, row: usize, column: usize) -> &[(ResultLabel, usize)] {
        self.counts.get(&(row, column)).map_or(&[], Vec::as_slice)
    }
}

/// Names, numbered in the order in which they are added.
#[derive(Default)]
struct NumberedNames {
    names: Vec<String>,
    known: HashMap<String, usize>,
}

impl NumberedNames {
    /// Returns the names in numeric order, or no names if one of them is no number.
    fn of_numbers<'n>(names: impl Iterator<Item = &'n String>) -> Self {
        let sorted: Option<BTreeSet<(u64, &String)>> =
            names.map(|name| Some((name.parse().ok()?, name))).collect();
        let mut numbered = NumberedNames::default();
        for (_, name) in sorted.into_iter().flatten() {
            numbered.number_of(name.clone());
        }
        numbered
    }

    /// Returns the number of a name. A new name gets the next number.
    fn number_of(&mut self, name: String) -> usize {
        if let Some(index) = self.known.get(&name) {
            return *index;
        }
        self.known.insert(name.clone(), self.names.len());
        self.names.push(name);
        self.names.len() - 1
    }
}

fn count_label(labels: &mut Vec<(ResultLabel, usize)>, label: ResultLabel) {
    match labels.iter_mut().find(|(known, _)| *known == label) {
        Some(entry) => entry.1 += 1,
        None => labels.push((label, 1)),
    }
}

#[cfg(test)]
mod tests {
    use skewer_results::axes::Axes;

    use super::*;

    fn cell(client: &str, server: &str, outcome: Outcome) -> Cell {
        let axes: Axes = [("client", client), ("server", server)].into_iter().collect();
        Cell { outcome: Some(outcome), axes, ..Cell::new(format!("s/c[{client}]"), "s", "c", Status::Pass) }
    }

    #[test]
    fn cells_in_one_field_are_joined_with_counts() {
        let cells = [
            cell("old", "old", Outcome::Lost),
            cell("old", "old", Outcome::Intended),
            cell("old", "old", Outcome::Lost),
            cell("new", "old", Outcome::Ignored),
        ];
        let pivot = Pivot::new(GroupKey::Axis("client".into()), GroupKey::Axis("server".into()), &cells);
        assert_eq!(pivot.rows, ["old", "new"]);
        assert_eq!(pivot.columns, ["old"]);
        let text: Vec<_> = pivot.counts_at(0, 0).iter().map(|(label, n)| (label.to_string(), *n)).collect();
        assert_eq!(text, [("intended".to_owned(), 1), ("lost".to_owned(), 2)]);
        assert_eq!(pivot.counts_at(1, 0).len(), 1);
        assert_eq!(pivot.counts_at(1, 7), []);
    }

    #[test]
    fn numbers_are_in_numeric_order() {
        let cells =
            [("10", "b"), ("9", "a"), ("1", "b")].map(|(row, column)| cell(row, column, Outcome::Lost));
        let pivot = Pivot::new(GroupKey::Axis("client".into()), GroupKey::Axis("server".into()), &cells);
        assert_eq!(
            (pivot.rows, pivot.columns),
            (["1", "9", "10"].map(str::to_owned).to_vec(), ["b", "a"].map(str::to_owned).to_vec())
        );
    }

    #[test]
    fn cells_without_the_axis_are_counted_as_left_out() {
        let cells = [cell("old", "old", Outcome::Lost), Cell::new("s/d", "s", "d", Status::Pass)];
        let pivot = Pivot::new(GroupKey::Case, GroupKey::Axis("server".into()), &cells);
        assert_eq!(pivot.left_out, 1);
        assert_eq!(pivot.rows, ["s/c"]);
    }
}
