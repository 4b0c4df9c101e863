//! Sets of points as products of sets of values: `do=clear, request=apply|update`.

use std::collections::{BTreeMap, BTreeSet};

/// For each axis the values; every combination of them belongs to the box.
pub(super) type Box = BTreeMap<String, BTreeSet<String>>;

/// How many points a box has: the number of combinations.
pub(super) fn size(one: &Box) -> usize {
    one.values().map(BTreeSet::len).product()
}

/// Covers the points exactly, each once, by few boxes: boxes that differ on one axis alone become one, axis by axis,
/// until no two do.
pub(super) fn boxes(points: &[&BTreeMap<String, String>]) -> Vec<Box> {
    let single = |point: &&BTreeMap<String, String>| -> Box {
        point.iter().map(|(axis, value)| (axis.clone(), BTreeSet::from([value.clone()]))).collect()
    };
    let mut boxes: Vec<Box> = points.iter().map(single).collect();
    let axes: BTreeSet<String> = points.iter().flat_map(|point| point.keys().cloned()).collect();
    loop {
        let before = boxes.len();
        for axis in &axes {
            boxes = joined(boxes, axis);
        }
        if boxes.len() == before {
            return boxes;
        }
    }
}

/// Joins the boxes that are the same on all axes but this one.
fn joined(boxes: Vec<Box>, axis: &str) -> Vec<Box> {
    let mut by_rest: BTreeMap<Box, BTreeSet<String>> = BTreeMap::new();
    let (with, mut done): (Vec<Box>, Vec<Box>) = boxes.into_iter().partition(|one| one.contains_key(axis));
    for mut one in with {
        let values = one.remove(axis).unwrap_or_default();
        by_rest.entry(one).or_default().extend(values);
    }
    done.extend(by_rest.into_iter().map(|(mut rest, values)| {
        rest.insert(axis.to_owned(), values);
        rest
    }));
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(a: &str, b: &str) -> BTreeMap<String, String> {
        [("a", a), ("b", b)].map(|(axis, value)| (axis.to_owned(), value.to_owned())).into()
    }

    #[test]
    fn boxes_cover_each_point_once() {
        let points = [("1", "x"), ("1", "y"), ("2", "x"), ("2", "y"), ("3", "y")].map(|(a, b)| point(a, b));
        let boxes = boxes(&points.iter().collect::<Vec<_>>());
        assert_eq!(boxes.iter().map(size).sum::<usize>(), points.len());
        for point in &points {
            let has = |one: &&Box| point.iter().all(|(axis, value)| one[axis].contains(value));
            assert_eq!(boxes.iter().filter(has).count(), 1, "{point:?} in {boxes:?}");
        }
        assert_eq!(boxes.len(), 2, "{boxes:?}");
    }

    #[test]
    fn points_without_an_axis_stay_apart_from_those_with_it() {
        let alone: BTreeMap<String, String> = [("a".to_owned(), "1".to_owned())].into();
        let boxes = boxes(&[&alone, &point("1", "x")]);
        assert_eq!(boxes.len(), 2, "{boxes:?}");
    }
}
