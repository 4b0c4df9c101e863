//! The root types of the points to which each part of a case contributes.

use crate::model::{Case, Point};
use crate::setting::TypesName;

/// A part of a case that contributes to some points of the matrix.
#[derive(Clone, Copy, Debug)]
pub(super) enum Contributor {
    /// The axis with this index, at the value with this index.
    Axis(usize, usize),
    /// The overlay with this index.
    Overlay(usize),
}

/// The root types of the points of a case, and of the points to which each part of the case contributes. Excluded points
/// are left out.
pub(super) struct PossibleRoots<'a> {
    roots: Vec<&'a TypesName>,
    /// For each axis and each of its values, the indices of the roots.
    of_axes: Vec<Vec<RootSet>>,
    of_overlays: Vec<RootSet>,
    of_expectations: Vec<RootSet>,
}

/// A set of root types: for the root with index `i`, whether it is in the set.
type RootSet = Vec<bool>;

impl<'a> PossibleRoots<'a> {
    pub(super) fn of(case: &'a Case) -> Self {
        let roots = PossibleRoots::empty(case, case.views.names().collect());
        if roots.roots.len() == 1 { roots.with_all() } else { roots.with_points_of(case) }
    }

    fn empty(case: &Case, roots: Vec<&'a TypesName>) -> Self {
        let none = vec![false; roots.len()];
        PossibleRoots {
            of_axes: case.axes.iter().map(|axis| vec![none.clone(); axis.values.len()]).collect(),
            of_overlays: vec![none.clone(); case.overlays.len()],
            of_expectations: vec![none; case.expectations.len()],
            roots,
        }
    }

    /// Adds every root type to every set. With a single root type, excluded points need not be looked up.
    fn with_all(mut self) -> Self {
        let of_axes = self.of_axes.iter_mut().flatten();
        for set in of_axes.chain(&mut self.of_overlays).chain(&mut self.of_expectations) {
            set.fill(true);
        }
        self
    }

    fn with_points_of(mut self, case: &'a Case) -> Self {
        let mut is_possible = vec![false; self.roots.len()];
        case.for_each_point(case.matrix_size().unwrap_or(0), |_, point| {
            if case.is_excluded(point) {
                return;
            }
            let types = case.types(point);
            let index = self.roots.iter().position(|known| **known == types);
            let Some(index) = index else { return };
            is_possible[index] = true;
            self.add(case, point, index);
        });
        // The root type of the case itself need not occur at any point.
        for (index, _) in is_possible.iter().enumerate().rev().filter(|(_, is_possible)| !**is_possible) {
            self.remove(index);
        }
        self
    }

    fn add(&mut self, case: &Case, point: &Point, root: usize) {
        for (sets, value) in self.of_axes.iter_mut().zip(&point.0) {
            sets[*value][root] = true;
        }
        for (set, overlay) in self.of_overlays.iter_mut().zip(&case.overlays) {
            set[root] |= overlay.condition.matches(point);
        }
        for (set, expectation) in self.of_expectations.iter_mut().zip(&case.expectations) {
            set[root] |= expectation.condition.matches(point);
        }
    }

    fn remove(&mut self, root: usize) {
        self.roots.remove(root);
        let of_axes = self.of_axes.iter_mut().flatten();
        for set in of_axes.chain(&mut self.of_overlays).chain(&mut self.of_expectations) {
            set.remove(root);
        }
    }

    /// Iterates over the root types of all points.
    pub(super) fn all(&self) -> impl Iterator<Item = &'a TypesName> {
        self.roots.iter().copied()
    }

    /// Returns true if a part of the case contributes to a point with the root type.
    pub(super) fn uses(&self, contributor: Contributor, root: &TypesName) -> bool {
        let set = match contributor {
            Contributor::Axis(axis, value) => self.of_axes.get(axis).and_then(|values| values.get(value)),
            Contributor::Overlay(overlay) => self.of_overlays.get(overlay),
        };
        self.contains(set, root)
    }

    /// Returns true if the expectation with this index matches a point with the root type.
    pub(super) fn has_expectation(&self, expectation: usize, root: &TypesName) -> bool {
        self.contains(self.of_expectations.get(expectation), root)
    }

    fn contains(&self, set: Option<&RootSet>, root: &TypesName) -> bool {
        let index = self.roots.iter().position(|known| *known == root);
        index.zip(set).is_some_and(|(index, set)| set[index])
    }
}
