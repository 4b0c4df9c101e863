//! The cells of a case: the points of its matrix that are not excluded.

use std::collections::HashMap;
use std::fmt;

use crate::model::{Axis, Case, Expectation, Point, Setting};

/// One point of a case's matrix with the expectation that applies to it.
#[derive(Clone, Copy, Debug)]
pub struct Cell<'a> {
    /// The case.
    pub case: &'a Case,
    /// The number of the point; the last axis runs fastest.
    number: usize,
    /// The expectation for the cell.
    pub expectation: &'a Expectation,
}

/// Maximum number of points of all matrices of a run together, and so of one matrix. More are a mistake in the axes.
pub(crate) const MAX_CELLS: usize = 10_000_000;

impl Case {
    /// Returns the number of points of the matrix, excluded ones counted; `None` beyond [`MAX_CELLS`].
    pub(crate) fn matrix_size(&self) -> Option<usize> {
        self.axes
            .iter()
            .try_fold(1_usize, |size, axis| size.checked_mul(axis.values.len()))
            .filter(|size| *size <= MAX_CELLS)
    }

    /// Returns the point with this number; the last axis runs fastest.
    pub(crate) fn point(&self, mut number: usize) -> Point {
        let mut point = vec![0; self.axes.len()];
        for (index, axis) in self.axes.iter().enumerate().rev() {
            point[index] = number % axis.values.len();
            number /= axis.values.len();
        }
        Point(point)
    }

    /// Calls a function with each point of the matrix, in order, and its number. `size` is the number of points.
    pub(crate) fn for_each_point(&self, size: usize, mut visit: impl FnMut(usize, &Point)) {
        let mut point = Point(vec![0; self.axes.len()]);
        for number in 0..size {
            visit(number, &point);
            // The next point, as an odometer counts.
            for (value, axis) in point.0.iter_mut().zip(&self.axes).rev() {
                *value += 1;
                if *value < axis.values.len() {
                    break;
                }
                *value = 0;
            }
        }
    }

    pub(crate) fn is_excluded(&self, point: &Point) -> bool {
        self.exclusions.iter().any(|condition| condition.matches(point))
    }

    /// Returns the setting of a point: that of the case, overlaid with the contributions of the axes.
    pub(crate) fn setting(&self, point: &Point) -> Setting {
        let mut setting = self.base.clone();
        for (axis, value) in self.axes.iter().zip(&point.0) {
            setting.overlay(&axis.values[*value].1);
        }
        setting
    }

    /// Iterates over the cells in the order of their points. Each has an expectation, as was checked when the case was
    /// resolved.
    pub fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        (0..self.matrix_size().unwrap_or(0)).filter_map(|number| self.cell(number))
    }

    /// Returns the cell with this number; `None` if the point is excluded.
    #[must_use]
    pub fn cell(&self, number: usize) -> Option<Cell<'_>> {
        let point = self.point(number);
        if self.is_excluded(&point) {
            return None;
        }
        let expectation = self.expectations.iter().find(|e| e.condition.matches(&point))?;
        Some(Cell { case: self, number, expectation })
    }

    /// Returns the common prefix of the ids of all cells of the case. No other case has it.
    fn id_prefix(&self) -> String {
        format!("{}/{}{}", self.suite, self.id, if self.axes.is_empty() { "" } else { "[" })
    }

    /// Returns for each axis the rank of each value in the order of ids.
    fn value_ranks(&self) -> Vec<Vec<usize>> {
        let last = self.axes.len().saturating_sub(1);
        let ranks = |(index, axis): (usize, &Axis)| {
            // With the delimiter behind the value: `a,` is before `a-b,`, and `a+b,` before both.
            let delimiter = if index == last { ']' } else { ',' };
            let texts: Vec<String> =
                axis.values.iter().map(|(value, _)| format!("{value}{delimiter}")).collect();
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

    /// Formats the id of a point: `suite/case[axis=value,…]`, without brackets when there are no axes.
    pub(crate) fn cell_id(&self, point: &Point) -> String {
        // Long enough for most ids: growing costs more than all the rest.
        let mut id = String::with_capacity(160);
        id.extend([&*self.suite, "/", &*self.id]);
        for (index, (axis, value)) in self.coordinates(point).enumerate() {
            id.push(if index == 0 { '[' } else { ',' });
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

/// Sorts cells by their ids without formatting them all: the ids of a million cells take hundreds of megabytes.
pub fn sort_by_id(cells: &mut [Cell<'_>]) {
    let mut cases: Vec<&Case> =
        cells.chunk_by(|a, b| std::ptr::eq(a.case, b.case)).map(|c| c[0].case).collect();
    cases.sort_by_cached_key(|case| case.id_prefix());
    let ranks = cases
        .iter()
        .enumerate()
        .map(|(case_rank, case)| (std::ptr::from_ref(*case), (case_rank, case.value_ranks())));
    let ranks: HashMap<_, _> = ranks.collect();
    cells.sort_by_cached_key(|cell| {
        let (case_rank, value_ranks) = &ranks[&std::ptr::from_ref(cell.case)];
        // As in `Case::point`: the last axis runs fastest.
        let point = cell.point();
        let ranks_of_values = point.0.iter().zip(value_ranks);
        let point_rank = ranks_of_values.fold(0, |rank, (value, ranks)| rank * ranks.len() + ranks[*value]);
        (*case_rank, point_rank)
    });
}

impl<'a> Cell<'a> {
    /// Returns the stable id.
    #[must_use]
    pub fn id(&self) -> String {
        self.case.cell_id(&self.point())
    }

    /// Returns the number of the cell in its case, from 0, excluded points counted; see [`Case::cell`].
    #[must_use]
    pub fn number(&self) -> usize {
        self.number
    }

    /// Returns the point of the matrix.
    #[must_use]
    pub fn point(&self) -> Point {
        self.case.point(self.number)
    }

    /// Returns the names of the axes with the values of the cell.
    #[must_use]
    pub fn coordinates(&self) -> Vec<(&'a str, &'a str)> {
        let point = self.point();
        let value = |(axis, value): (&'a Axis, &usize)| (axis.name.as_str(), axis.values[*value].0.as_str());
        self.case.axes.iter().zip(&point.0).map(value).collect()
    }

    /// Returns the cell of the reference case at the same point, if there is one.
    #[must_use]
    pub fn reference_cell(&self) -> Option<Cell<'a>> {
        self.case.reference_case.as_ref()?.cell(self.number)
    }
}

impl fmt::Display for Cell<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id())
    }
}
