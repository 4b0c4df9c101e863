//! The results of cells by one property: a table with one key.

use std::collections::HashMap;

use skewer_results::model::Cell;

use crate::group::GroupKey;
use crate::natural_order;
use crate::pivot::ResultLabel;

/// The numbers of cells for each value of a property and each result. Values are in natural order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountsByValue {
    /// The property.
    pub key: GroupKey,
    /// The values of the property.
    pub values: Vec<String>,
    /// The results that cells have.
    pub labels: Vec<ResultLabel>,
    /// Number of cells that have no value for the property.
    pub left_out: usize,
    counts: HashMap<(String, ResultLabel), usize>,
}

impl CountsByValue {
    /// Counts some cells. A cell with several values is counted for each of them.
    pub fn new<'a>(key: GroupKey, cells: impl IntoIterator<Item = &'a Cell>) -> Self {
        let mut counts: HashMap<(String, ResultLabel), usize> = HashMap::new();
        let mut left_out = 0;
        for cell in cells {
            let values = key.values(cell);
            left_out += usize::from(values.is_empty());
            for value in values {
                *counts.entry((value, ResultLabel::of(cell))).or_default() += 1;
            }
        }
        let mut values: Vec<String> = counts.keys().map(|(value, _)| value.clone()).collect();
        values.sort_by(|left, right| natural_order::compare(left, right));
        values.dedup();
        let mut labels: Vec<ResultLabel> = counts.keys().map(|(_, label)| *label).collect();
        labels.sort_unstable();
        labels.dedup();
        CountsByValue { key, values, labels, left_out, counts }
    }

    /// Returns the number of cells with a value and a result.
    #[must_use]
    pub fn count(&self, value: &str, label: ResultLabel) -> usize {
        self.counts.get(&(value.to_owned(), label)).copied().unwrap_or_default()
    }

    /// Returns the number of cells with a value.
    #[must_use]
    pub fn total(&self, value: &str) -> usize {
        self.labels.iter().map(|label| self.count(value, *label)).sum()
    }
}

#[cfg(test)]
mod tests {
    use skewer_results::vocabulary::{Outcome, Status};

    use super::*;

    #[test]
    fn cells_are_counted_for_each_of_their_values() {
        let cell = |kep: &[u32], outcome| Cell {
            kep: kep.to_vec(),
            outcome: Some(outcome),
            ..Cell::new("s/c", "s", "c", Status::Pass)
        };
        let cells = [cell(&[10, 9], Outcome::Lost), cell(&[9], Outcome::Intended), cell(&[], Outcome::Lost)];
        let counts = CountsByValue::new(GroupKey::Kep, &cells);
        assert_eq!(counts.values, ["9", "10"]);
        assert_eq!(counts.labels, [ResultLabel::of(&cells[1]), ResultLabel::of(&cells[0])]);
        assert_eq!((counts.total("9"), counts.total("10"), counts.left_out), (2, 1, 1));
        assert_eq!(counts.count("10", counts.labels[0]), 0);
    }
}
