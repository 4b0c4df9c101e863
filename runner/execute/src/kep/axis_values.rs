//! Sets of points as products of sets of values: `operation=clear, request=create|update`.

use std::collections::{BTreeMap, BTreeSet};

/// A product of sets: a set of values for each axis. A point belongs to the product if its value on each axis is in the
/// set.
pub type AxisValues = BTreeMap<String, BTreeSet<String>>;

/// Returns the number of points of a product.
pub(super) fn point_count(product: &AxisValues) -> usize {
    product.values().map(BTreeSet::len).product()
}

/// Describes the points by a small number of products, each point by exactly one product. Two products that differ on
/// one axis only are merged, axis by axis, until no such pair is left.
#[must_use]
pub fn cover_points(points: &[&BTreeMap<String, String>]) -> Vec<AxisValues> {
    let single = |point: &&BTreeMap<String, String>| -> AxisValues {
        point.iter().map(|(axis, value)| (axis.clone(), BTreeSet::from([value.clone()]))).collect()
    };
    let mut products: Vec<AxisValues> = points.iter().map(single).collect();
    let axes: BTreeSet<String> = points.iter().flat_map(|point| point.keys().cloned()).collect();
    loop {
        let before = products.len();
        for axis in &axes {
            products = merge_along(products, axis);
        }
        if products.len() == before {
            return products;
        }
    }
}

/// Merges the products that are equal on all other axes.
fn merge_along(products: Vec<AxisValues>, axis: &str) -> Vec<AxisValues> {
    let mut by_other_axes: BTreeMap<AxisValues, BTreeSet<String>> = BTreeMap::new();
    let (with_axis, mut merged): (Vec<AxisValues>, Vec<AxisValues>) =
        products.into_iter().partition(|one| one.contains_key(axis));
    for mut product in with_axis {
        let values = product.remove(axis).unwrap_or_default();
        by_other_axes.entry(product).or_default().extend(values);
    }
    merged.extend(by_other_axes.into_iter().map(|(mut rest, values)| {
        rest.insert(axis.to_owned(), values);
        rest
    }));
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(a: &str, b: &str) -> BTreeMap<String, String> {
        [("a", a), ("b", b)].map(|(axis, value)| (axis.to_owned(), value.to_owned())).into()
    }

    #[test]
    fn products_cover_each_point_once() {
        let points = [("1", "x"), ("1", "y"), ("2", "x"), ("2", "y"), ("3", "y")].map(|(a, b)| point(a, b));
        let products = cover_points(&points.iter().collect::<Vec<_>>());
        assert_eq!(products.iter().map(point_count).sum::<usize>(), points.len());
        for point in &points {
            let has = |one: &&AxisValues| point.iter().all(|(axis, value)| one[axis].contains(value));
            assert_eq!(products.iter().filter(has).count(), 1, "{point:?} in {products:?}");
        }
        assert_eq!(products.len(), 2, "{products:?}");
    }

    #[test]
    fn points_without_an_axis_stay_apart_from_those_with_it() {
        let alone: BTreeMap<String, String> = [("a".to_owned(), "1".to_owned())].into();
        let products = cover_points(&[&alone, &point("1", "x")]);
        assert_eq!(products.len(), 2, "{products:?}");
    }
}
