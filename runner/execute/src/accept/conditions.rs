//! Conditions that distinguish groups of cells.

use std::collections::BTreeMap;

use crate::kep::axis_values::{AxisValues, cover_points};

/// The values of a cell on the axes.
pub(super) type Coordinates = BTreeMap<String, String>;

/// Something that applies to the cells that match a condition. Without a condition, it applies to all cells.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry<T> {
    pub(super) when: AxisValues,
    pub(super) value: T,
}

/// Groups cells with equal values, and describes each group by conditions. The entries are in such an order that the
/// first one that matches a cell has the cell's value. No entry matches one of the `others`.
///
/// If there are no `others`, the largest group comes last and needs no condition.
pub(super) fn distinguish<T: Clone + PartialEq>(
    cells: Vec<(Coordinates, T)>,
    others: &[Coordinates],
) -> Vec<Entry<T>> {
    let mut groups: Vec<(T, Vec<Coordinates>)> = Vec::new();
    for (point, value) in cells {
        match groups.iter_mut().find(|(known, _)| *known == value) {
            Some((_, points)) => points.push(point),
            None => groups.push((value, vec![point])),
        }
    }
    groups.sort_by_key(|(_, points)| points.len());
    let mut entries = Vec::new();
    for index in 0..groups.len() {
        let (value, points) = &groups[index];
        let later = groups[index + 1..].iter().flat_map(|(_, points)| points);
        let unwanted: Vec<&Coordinates> = later.chain(others).collect();
        if unwanted.is_empty() {
            entries.push(Entry { when: AxisValues::new(), value: value.clone() });
            continue;
        }
        for product in cover_points(&points.iter().collect::<Vec<_>>()) {
            // A shortened condition can also match the points of other products.
            let is_covered = |point: &&Coordinates| {
                entries.iter().any(|entry: &Entry<T>| entry.value == *value && matches(&entry.when, point))
            };
            if !points.iter().filter(|point| matches(&product, point)).all(|point| is_covered(&point)) {
                entries.push(Entry { when: shorten(&product, &unwanted), value: value.clone() });
            }
        }
    }
    entries
}

fn matches(when: &AxisValues, point: &Coordinates) -> bool {
    when.iter().all(|(axis, values)| point.get(axis).is_some_and(|value| values.contains(value)))
}

/// Leaves out the conditions that are not needed to exclude the unwanted cells.
fn shorten(product: &AxisValues, unwanted: &[&Coordinates]) -> AxisValues {
    let mut shortened = product.clone();
    // A condition with many values excludes little, so that it is tried first.
    let mut axes: Vec<&String> = product.keys().collect();
    axes.sort_by_key(|axis| std::cmp::Reverse(product[*axis].len()));
    for axis in axes {
        let values = shortened.remove(axis);
        if unwanted.iter().any(|point| matches(&shortened, point)) {
            shortened.extend(values.map(|values| (axis.clone(), values)));
        }
    }
    shortened
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(a: &str, b: &str) -> Coordinates {
        [("a", a), ("b", b)].map(|(axis, value)| (axis.to_owned(), value.to_owned())).into()
    }

    fn text(entries: &[Entry<u8>]) -> Vec<String> {
        let values = |(axis, values): (&String, &std::collections::BTreeSet<String>)| {
            format!("{axis}={}", values.iter().cloned().collect::<Vec<_>>().join("|"))
        };
        let when = |entry: &Entry<u8>| entry.when.iter().map(values).collect::<Vec<_>>().join(",");
        entries.iter().map(|entry| format!("{} if {}", entry.value, when(entry))).collect()
    }

    #[test]
    fn the_largest_group_needs_no_condition() {
        let cells =
            vec![(point("1", "x"), 1), (point("1", "y"), 1), (point("2", "x"), 2), (point("2", "y"), 1)];
        assert_eq!(text(&distinguish(cells, &[])), ["2 if a=2,b=x", "1 if "]);
    }

    #[test]
    fn equal_conditions_are_written_once() {
        let three = |a: &str, b: &str, c: &str| {
            let mut point = point(a, b);
            point.insert("c".to_owned(), c.to_owned());
            point
        };
        let cells = vec![(three("1", "x", "p"), 1), (three("1", "y", "q"), 1), (three("2", "x", "p"), 2)];
        assert_eq!(text(&distinguish(cells, &[three("3", "x", "p")])), ["2 if a=2", "1 if a=1"]);
    }

    #[test]
    fn conditions_that_exclude_nothing_are_left_out() {
        let cells =
            vec![(point("1", "x"), 1), (point("1", "y"), 1), (point("2", "x"), 2), (point("2", "y"), 2)];
        let entries = distinguish(cells, &[point("3", "x")]);
        assert_eq!(text(&entries), ["1 if a=1", "2 if a=2"]);
    }
}
