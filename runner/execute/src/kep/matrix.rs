//! The cells of the matrix by point, with an outcome for each policy.

use std::collections::{BTreeMap, BTreeSet};

use skewer_engine::union::policy;
use skewer_reports::kep::{CitedRow, RowTypes, UnionKind};
use skewer_results::{Cell, Outcome, Results};

/// The suite of the matrix.
pub const SUITE: &str = "unions/kep-matrix";

/// The suite of points with built-in types and with custom resources, which are the values of its axis `types`.
pub const TYPES_SUITE: &str = "unions/kep-types";

/// The axis with the types of the objects.
pub(super) const TYPES: &str = "types";

/// The axis with the release of the server, which decides whether the validation of custom resources is ratcheting.
pub(super) const RELEASE: &str = "release";

/// Axis with the union policies.
pub(super) const POLICY: &str = "policy";

/// Axes that together are the kind of the union.
const UNION: [&str; 2] = ["union", "optionality"];

/// A point of the matrix: an operation, the party that does it, and the object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Point {
    pub(super) union: UnionKind,
    /// Values of the axes other than the policy and the kind of the union, by name.
    pub(super) axes: BTreeMap<String, String>,
}

impl Point {
    /// Returns the point of a cell. Returns `None` if the cell does not belong to the matrix.
    pub(super) fn of(cell: &Cell) -> Option<Self> {
        let union = union_kind(cell)?;
        let others = cell.axes.iter().filter(|(name, _)| *name != POLICY && !UNION.contains(name));
        Some(Point { union, axes: others.map(|(name, value)| (name.to_owned(), value.to_owned())).collect() })
    }

    /// Returns true if the point has all of these values, given as pairs of axis and value.
    pub(super) fn has_values(&self, conditions: &[(&str, &str)]) -> bool {
        conditions.iter().all(|(axis, value)| self.axes.get(*axis).is_some_and(|held| held == value))
    }
}

/// The outcomes of the matrix, by point and policy.
pub(super) struct Matrix {
    pub(super) policies: Vec<String>,
    /// Outcomes of each point, in the order of `policies`. An outcome is `None` if the cell was not run.
    pub(super) points: BTreeMap<Point, Vec<Option<Outcome>>>,
    pub(super) cells: usize,
    pub(super) failed: usize,
    pub(super) not_run: usize,
}

impl Matrix {
    /// Collects the cells of the matrix from the results of a run.
    pub(super) fn of(results: &Results) -> Self {
        let of_matrix = |cell: &&Cell| union_kind(cell).is_some() && cell.axes.get(POLICY).is_some();
        let cells: Vec<&Cell> = results.cells.iter().filter(of_matrix).collect();
        let policies = sort_policies(
            cells.iter().filter(|cell| cell.outcome.is_some()).filter_map(|cell| cell.axes.get(POLICY)),
        );
        let mut points: BTreeMap<Point, Vec<Option<Outcome>>> = BTreeMap::new();
        for cell in &cells {
            let Some(point) = Point::of(cell) else { continue };
            let outcomes = points.entry(point).or_insert_with(|| vec![None; policies.len()]);
            if let Some(column) = policy_column(&policies, cell) {
                outcomes[column] = cell.outcome;
            }
        }
        Matrix {
            cells: cells.len(),
            failed: cells.iter().filter(|cell| cell.status.is_failure()).count(),
            not_run: cells.iter().filter(|cell| cell.outcome.is_none()).count(),
            policies,
            points,
        }
    }

    /// Returns the number of distinct behaviours: at each point, the number of distinct outcomes.
    pub(super) fn behaviours(&self) -> usize {
        let distinct = |outcomes: &Vec<Option<Outcome>>| {
            let known: BTreeSet<Outcome> = outcomes.iter().flatten().copied().collect();
            known.len()
        };
        self.points.values().map(distinct).sum()
    }

    /// Returns the index of a policy in the outcomes of a point.
    pub(super) fn policy_column(&self, policy: &str) -> Option<usize> {
        self.policies.iter().position(|known| known == policy)
    }
}

/// Returns the kind of the union that a cell of the matrix is about.
fn union_kind(cell: &Cell) -> Option<UnionKind> {
    if &*cell.suite != SUITE {
        return None;
    }
    let [union, optionality] = UNION.map(|axis| cell.axes.get(axis));
    let name = format!("{}-{}", union?, optionality?);
    UnionKind::ALL.into_iter().find(|union| union.as_str() == name)
}

fn policy_column(policies: &[String], cell: &Cell) -> Option<usize> {
    let policy = cell.axes.get(POLICY)?;
    policies.iter().position(|known| known == policy)
}

/// Sorts the policies of a run: first those of the engine in its order, then other policies by name.
fn sort_policies<'c>(found: impl Iterator<Item = &'c str>) -> Vec<String> {
    let mut found: Vec<&str> = found.collect::<BTreeSet<_>>().into_iter().collect();
    let rank = |name: &str| policy::REGISTRY.iter().position(|policy| policy.name() == name);
    found.sort_by_key(|name| rank(name).unwrap_or(policy::REGISTRY.len()));
    found.into_iter().map(str::to_owned).collect()
}

/// Returns the types of the objects of a cell.
pub(super) fn row_types(cell: &Cell) -> RowTypes {
    match cell.axes.get(TYPES) {
        Some("custom-resource") if &*cell.suite == TYPES_SUITE => RowTypes::CustomResource,
        _ => RowTypes::BuiltIn,
    }
}

/// Returns the rows of the KEP's table that cells outside of the matrix cite, in the order of the table.
pub(super) fn cited_rows(results: &Results, policies: &[String]) -> Vec<CitedRow> {
    let mut rows: BTreeMap<(u32, String), CitedRow> = BTreeMap::new();
    for cell in results.cells.iter().filter(|cell| &*cell.suite != SUITE) {
        let Some(column) = policy_column(policies, cell) else { continue };
        let others: Vec<String> = cell
            .axes
            .iter()
            .filter(|(name, _)| *name != POLICY && (&*cell.suite != TYPES_SUITE || *name == RELEASE))
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let case = if others.is_empty() {
            cell.case.to_string()
        } else {
            format!("{}[{}]", cell.case, others.join(","))
        };
        for number in &cell.kep {
            let row = rows.entry((*number, case.clone())).or_insert_with(|| CitedRow {
                row: *number,
                types: row_types(cell),
                case: case.clone(),
                about: cell.about.as_deref().unwrap_or_default().to_owned(),
                outcomes: vec![None; policies.len()],
            });
            row.outcomes[column] = cell.outcome;
        }
    }
    rows.into_values().collect()
}
