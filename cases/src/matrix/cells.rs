//! The cells of a case: the points of its matrix that are not excluded.

use std::collections::HashMap;
use std::fmt;

use crate::format::Level;
use crate::model::{Axis, Case, ConditionalFinalState, Expectation, PinnedFinalState, Point};
use crate::setting::{Setting, TypesName};

/// One point of a case's matrix, with the expectation that applies to it.
#[derive(Clone, Copy, Debug)]
pub struct Cell<'a> {
    /// The case to which the cell belongs.
    pub case: &'a Case,
    /// The number of the point. Consecutive numbers differ in the value of the last axis.
    number: usize,
    /// The expectation that applies to the cell.
    pub expectation: &'a Expectation,
}

/// Maximum number of points of all matrices in a run, and therefore also of one matrix. A larger number indicates a
/// mistake in the axes.
pub(crate) const MAX_CELLS: usize = 10_000_000;

impl Case {
    /// Returns the number of points of the matrix, including excluded points. Returns `None` if it exceeds
    /// [`MAX_CELLS`].
    pub(crate) fn matrix_size(&self) -> Option<usize> {
        self.axes
            .iter()
            .try_fold(1_usize, |size, axis| size.checked_mul(axis.values.len()))
            .filter(|size| *size <= MAX_CELLS)
    }

    /// Returns the point with this number. Consecutive numbers differ in the value of the last axis.
    pub(crate) fn point(&self, mut number: usize) -> Point {
        let mut point = vec![0; self.axes.len()];
        for (index, axis) in self.axes.iter().enumerate().rev() {
            point[index] = number % axis.values.len();
            number /= axis.values.len();
        }
        Point(point)
    }

    /// Calls `visit` with the number and the value indices of each point of the matrix, in order. `size` is the number
    /// of points.
    pub(crate) fn for_each_point(&self, size: usize, mut visit: impl FnMut(usize, &Point)) {
        let mut point = Point(vec![0; self.axes.len()]);
        for number in 0..size {
            visit(number, &point);
            // Advances to the next point like an odometer.
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

    /// Returns the setting at a point: the setting of the case, overlaid with the contributions of the axis values and
    /// of the overlays.
    pub(crate) fn setting(&self, point: &Point) -> Setting {
        let mut setting = self.base.clone();
        for contribution in self.contributions(point) {
            setting.overlay(contribution);
        }
        setting
    }

    /// Returns the contributions to a point in the order in which they are made, without that of the case itself.
    fn contributions<'s>(&'s self, point: &Point) -> impl Iterator<Item = &'s Setting> {
        let of_axes = self.axes.iter().zip(&point.0).map(|(axis, value)| &axis.values[*value].1);
        let overlays = self.overlays.iter().filter(|overlay| overlay.condition.matches(point));
        of_axes.chain(overlays.map(|overlay| &overlay.setting))
    }

    /// Returns the types of the objects at a point.
    pub(crate) fn types(&self, point: &Point) -> TypesName {
        let mut types = self.base.types.clone();
        self.contributions(point).for_each(|setting| types.overlay(&setting.types));
        types
    }

    /// Iterates over the cells in the order of their points. Every cell has an expectation, because loading the case
    /// checks this.
    pub fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        (0..self.matrix_size().unwrap_or(0)).filter_map(|number| self.cell(number))
    }

    /// Returns the cell with this number. Returns `None` if the point is excluded.
    #[must_use]
    pub fn cell(&self, number: usize) -> Option<Cell<'_>> {
        let point = self.point(number);
        if self.is_excluded(&point) {
            return None;
        }
        let expectation = self.expectations.iter().find(|e| e.condition.matches(&point))?;
        Some(Cell { case: self, number, expectation })
    }

    /// Returns the prefix that the ids of all cells of the case share. The prefixes of any two cases differ.
    fn id_prefix(&self) -> String {
        format!("{}/{}{}", self.suite, self.id, if self.axes.is_empty() { "" } else { "[" })
    }

    /// Returns, for each axis, the rank of each value when cells are sorted by id.
    fn value_ranks(&self) -> Vec<Vec<usize>> {
        let last = self.axes.len().saturating_sub(1);
        let ranks = |(index, axis): (usize, &Axis)| {
            // The delimiter after the value is part of the comparison: `a,` sorts before `a-b,`, and `a+b,` sorts
            // before both.
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

    /// Formats the id of a point: `suite/case[axis=value,…]`. If there are no axes, the id has no brackets.
    pub(crate) fn cell_id(&self, point: &Point) -> String {
        // Growing the string would cost more time than formatting it.
        let of_axes = self.coordinates(point).map(|(axis, value)| axis.len() + value.len() + 2);
        let mut id = String::with_capacity(self.suite.len() + self.id.len() + 2 + of_axes.sum::<usize>());
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

/// Sorts cells by their ids without formatting the ids: those of a million cells would take hundreds of megabytes.
pub fn sort_by_id(cells: &mut [Cell<'_>]) {
    let mut cases: Vec<&Case> =
        cells.chunk_by(|a, b| std::ptr::eq(a.case, b.case)).map(|c| c[0].case).collect();
    cases.sort_by_cached_key(|case| case.id_prefix());
    let ranks = (0_u32..)
        .zip(&cases)
        .map(|(case_rank, case)| (std::ptr::from_ref(*case), (case_rank, case.value_ranks())));
    let ranks: HashMap<_, _> = ranks.collect();
    cells.sort_by_cached_key(|cell| {
        let (case_rank, value_ranks) = &ranks[&std::ptr::from_ref(cell.case)];
        // A matrix has at most `MAX_CELLS` points. Small keys halve the memory that sorting takes.
        #[expect(clippy::cast_possible_truncation)]
        let number = cell.point().number_with(value_ranks) as u32;
        (*case_rank, number)
    });
}

impl<'a> Cell<'a> {
    /// Returns the id of the cell, which identifies it in all files and reports.
    #[must_use]
    pub fn id(&self) -> String {
        self.case.cell_id(&self.point())
    }

    /// Returns the number of the cell in its case. Numbers start at 0 and count excluded points; see [`Case::cell`].
    #[must_use]
    pub fn number(&self) -> usize {
        self.number
    }

    /// Returns the point of the matrix that the cell occupies.
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

    /// Returns the ideal that is written by hand for the cell.
    #[must_use]
    pub fn pinned_ideal(&self) -> Option<&'a ConditionalFinalState> {
        let point = self.point();
        self.case.ideals.iter().find(|pinned| pinned.condition.matches(&point))
    }

    /// Returns the final state that the expectation pins for the cell.
    #[must_use]
    pub fn pinned_final_state(&self) -> Option<&'a PinnedFinalState> {
        let point = self.point();
        let pinned = self.expectation.final_states.iter().find(|pinned| pinned.condition.matches(&point));
        pinned.map(|pinned| &pinned.state)
    }

    /// Returns the conformance level of the cell.
    #[must_use]
    pub fn level(&self) -> Level {
        let point = self.point();
        let of_point = self.case.contributions(&point).filter_map(|setting| setting.level).last();
        of_point.unwrap_or(self.case.level)
    }

    /// Returns the numbers of the rows of the KEP's test matrix that the cell covers, without duplicates.
    #[must_use]
    pub fn kep_rows(&self) -> Vec<u32> {
        let point = self.point();
        let of_point = self.case.kep_rows.iter().filter(|row| row.condition.matches(&point));
        let mut rows = self.case.kep.clone();
        rows.extend(of_point.map(|row| row.number));
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    /// Returns the cell of the reference case at the same point. Returns `None` if the case has no reference case.
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
