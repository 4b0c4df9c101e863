//! The matrix of a case, and its cells.

use std::collections::HashMap;
use std::fmt;

use crate::model::{Case, Expectation, Point, Setting};

/// One point of a case's matrix with the expectation that applies to it.
#[derive(Clone, Copy, Debug)]
pub struct Cell<'a> {
    /// The case.
    pub case: &'a Case,
    /// Which point: its number when the last axis runs fastest.
    pub(crate) number: usize,
    /// What should come of it.
    pub expectation: &'a Expectation,
}

/// How many cells a case may have. More is a mistake in the axes.
pub(crate) const MAX_CELLS: usize = 10_000_000;

impl Case {
    /// How many points the matrix has, those that cannot be included; `None` beyond [`MAX_CELLS`].
    pub(crate) fn size(&self) -> Option<usize> {
        self.axes
            .iter()
            .try_fold(1_usize, |size, axis| size.checked_mul(axis.values.len()))
            .filter(|size| *size <= MAX_CELLS)
    }

    pub(crate) fn point(&self, mut number: usize) -> Point {
        let mut point = vec![0; self.axes.len()];
        for (at, axis) in self.axes.iter().enumerate().rev() {
            point[at] = number % axis.values.len();
            number /= axis.values.len();
        }
        Point(point)
    }

    pub(crate) fn is_excluded(&self, point: &Point) -> bool {
        self.excluded.iter().any(|condition| condition.holds(point))
    }

    /// What the point is made of: the case's own setting with the pieces of the axes laid over it.
    pub(crate) fn setting(&self, point: &Point) -> Setting {
        let mut setting = self.base.clone();
        for (axis, value) in self.axes.iter().zip(&point.0) {
            setting.overlay(&axis.values[*value].1);
        }
        setting
    }

    /// The cells, in order. Each has an expectation: that was checked when the case was read.
    pub fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        (0..self.size().unwrap_or(0)).filter_map(|number| self.cell(number))
    }

    /// The cell with this number; none where the point is excluded.
    #[must_use]
    pub fn cell(&self, number: usize) -> Option<Cell<'_>> {
        let point = self.point(number);
        if self.is_excluded(&point) {
            return None;
        }
        let expectation = self.expectations.iter().find(|e| e.condition.holds(&point))?;
        Some(Cell { case: self, number, expectation })
    }

    /// What the ids of all its cells begin with. No other case's do.
    fn head(&self) -> String {
        format!("{}/{}{}", self.suite, self.id, if self.axes.is_empty() { "" } else { "[" })
    }

    /// For each axis, the places of its values among each other in the order of ids.
    fn ranks(&self) -> Vec<Vec<usize>> {
        let last = self.axes.len().saturating_sub(1);
        let ranks = |(at, axis): (usize, &crate::model::Axis)| {
            // With what stands behind it: `a,` is before `a-b,`, and `a+b,` before both.
            let end = if at == last { ']' } else { ',' };
            let texts: Vec<String> = axis.values.iter().map(|(value, _)| format!("{value}{end}")).collect();
            let mut order: Vec<usize> = (0..texts.len()).collect();
            order.sort_by_key(|value| &texts[*value]);
            let mut ranks = vec![0; order.len()];
            for (rank, value) in order.into_iter().enumerate() {
                ranks[value] = rank;
            }
            ranks
        };
        self.axes.iter().enumerate().map(ranks).collect()
    }

    /// The id of a point: `suite/case[axis=value,…]`, without brackets when there are no axes.
    pub(crate) fn cell_id(&self, point: &Point) -> String {
        // As long as most are: growing costs more than all the rest.
        let mut id = String::with_capacity(160);
        id.extend([&*self.suite, "/", &*self.id]);
        for (at, (axis, value)) in self.coordinates(point).enumerate() {
            id.push(if at == 0 { '[' } else { ',' });
            id.push_str(axis);
            id.push('=');
            id.push_str(value);
        }
        if !self.axes.is_empty() {
            id.push(']');
        }
        id
    }

    pub(crate) fn coordinates<'s>(&'s self, point: &'s Point) -> impl Iterator<Item = (&'s str, &'s str)> {
        self.axes
            .iter()
            .zip(&point.0)
            .map(|(axis, value)| (axis.name.as_str(), axis.values[*value].0.as_str()))
    }
}

/// Sorts cells by their ids, without making all of these: of a million cells they are hundreds of megabytes.
pub fn sort_by_id(cells: &mut [Cell<'_>]) {
    let mut cases: Vec<&Case> =
        cells.chunk_by(|a, b| std::ptr::eq(a.case, b.case)).map(|c| c[0].case).collect();
    cases.sort_by_cached_key(|case| case.head());
    let places =
        cases.iter().enumerate().map(|(place, case)| (std::ptr::from_ref(*case), (place, case.ranks())));
    let places: HashMap<_, _> = places.collect();
    cells.sort_by_cached_key(|cell| {
        let (place, ranks) = &places[&std::ptr::from_ref(cell.case)];
        // As in `Case::point`: the last axis runs fastest.
        let point = cell.point();
        let number =
            point.0.iter().zip(ranks).fold(0, |number, (value, ranks)| number * ranks.len() + ranks[*value]);
        (*place, number)
    });
}

impl<'a> Cell<'a> {
    /// The stable id.
    #[must_use]
    pub fn id(&self) -> String {
        self.case.cell_id(&self.point())
    }

    /// The number of the cell in its case, from 0, excluded points counted: [`Case::cell`] finds it again.
    #[must_use]
    pub fn number(&self) -> usize {
        self.number
    }

    /// The point of the matrix.
    #[must_use]
    pub fn point(&self) -> Point {
        self.case.point(self.number)
    }

    /// The axes with the cell's values.
    #[must_use]
    pub fn coordinates(&self) -> Vec<(&'a str, &'a str)> {
        let point = self.point();
        let value = |(axis, value): (&'a crate::model::Axis, &usize)| {
            (axis.name.as_str(), axis.values[*value].0.as_str())
        };
        self.case.axes.iter().zip(&point.0).map(value).collect()
    }
}

impl fmt::Display for Cell<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id())
    }
}
