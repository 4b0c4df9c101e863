//! The cells of the matrix, brought together by what is done, whatever the policy.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{Row, SUITES};
use crate::model::{Cell, Results};
use crate::words::Outcome;

/// The axis that the report is about.
pub(super) const POLICY: &str = "policy";

/// The policies in the order of the design: what is off, what servers do by hand, what was proposed, what ships.
const POLICIES: [&str; 7] = [
    "none",
    "legacy",
    "deduce",
    "kep-1027",
    "kep-1027-ratcheting",
    "discriminator-defaulting",
    "declarative",
];

/// The kinds of union that the matrix has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Union {
    /// No discriminator, at most one member.
    PlainOptional,
    /// No discriminator, exactly one member.
    PlainRequired,
    /// A discriminator with a value for none.
    DiscriminatedOptional,
    /// A discriminator each value of which selects a member.
    DiscriminatedRequired,
}

impl Union {
    pub(super) const ALL: [Union; 4] = [
        Union::PlainOptional,
        Union::PlainRequired,
        Union::DiscriminatedOptional,
        Union::DiscriminatedRequired,
    ];

    /// The name of its suite in the corpus, and of its case where a suite has all kinds.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Union::PlainOptional => "plain-optional",
            Union::PlainRequired => "plain-required",
            Union::DiscriminatedOptional => "discriminated-optional",
            Union::DiscriminatedRequired => "discriminated-required",
        }
    }

    /// What it is, in words.
    #[must_use]
    pub const fn described(self) -> &'static str {
        match self {
            Union::PlainOptional => "no discriminator, optional",
            Union::PlainRequired => "no discriminator, required",
            Union::DiscriminatedOptional => "discriminator, optional",
            Union::DiscriminatedRequired => "discriminator, required",
        }
    }

    pub(super) const fn has_discriminator(self) -> bool {
        matches!(self, Union::DiscriminatedOptional | Union::DiscriminatedRequired)
    }

    fn of(cell: &Cell) -> Option<Self> {
        let suite = cell.suite.strip_prefix(SUITES)?;
        let names = [suite, &*cell.case];
        Union::ALL.into_iter().find(|union| names.contains(&union.as_str()))
    }
}

/// What is done, by whom and to what.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Point {
    pub(super) union: Union,
    /// The axes but the policy, by name.
    pub(super) axes: BTreeMap<String, String>,
}

impl Point {
    /// Does the point have these values? An axis that it does not have has none.
    pub(super) fn is(&self, conditions: &[(&str, &str)]) -> bool {
        conditions.iter().all(|(axis, value)| self.axes.get(*axis).is_some_and(|held| held == value))
    }
}

/// The whole matrix.
pub(super) struct Matrix {
    pub(super) policies: Vec<String>,
    /// For each point what became of it under each policy; `None` where it was not run.
    pub(super) points: BTreeMap<Point, Vec<Option<Outcome>>>,
    pub(super) cells: usize,
    pub(super) failed: usize,
    pub(super) not_run: usize,
}

impl Matrix {
    pub(super) fn of(results: &Results) -> Self {
        let of_matrix = |cell: &&Cell| Union::of(cell).is_some() && cell.axes.get(POLICY).is_some();
        let cells: Vec<&Cell> = results.cells.iter().filter(of_matrix).collect();
        let policies = in_order(cells.iter().filter_map(|cell| cell.axes.get(POLICY)));
        let mut points: BTreeMap<Point, Vec<Option<Outcome>>> = BTreeMap::new();
        for cell in &cells {
            let Some(union) = Union::of(cell) else { continue };
            let others = cell.axes.iter().filter(|(name, _)| *name != POLICY);
            let axes = others.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            let outcomes = points.entry(Point { union, axes }).or_insert_with(|| vec![None; policies.len()]);
            if let Some(column) = column(&policies, cell) {
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

    pub(super) fn column(&self, policy: &str) -> Option<usize> {
        self.policies.iter().position(|known| known == policy)
    }
}

fn column(policies: &[String], cell: &Cell) -> Option<usize> {
    let policy = cell.axes.get(POLICY)?;
    policies.iter().position(|known| known == policy)
}

/// The policies there are, those of the design first.
fn in_order<'c>(found: impl Iterator<Item = &'c str>) -> Vec<String> {
    let mut found: Vec<&str> = found.collect::<BTreeSet<_>>().into_iter().collect();
    found.sort_by_key(|policy| POLICIES.iter().position(|known| known == policy).unwrap_or(POLICIES.len()));
    found.into_iter().map(str::to_owned).collect()
}

/// The rows of the KEP's table, in its order: cells that cite one, by policy.
pub(super) fn rows(results: &Results, policies: &[String]) -> Vec<Row> {
    let mut rows: BTreeMap<(u32, String), Row> = BTreeMap::new();
    for cell in &results.cells {
        let Some(column) = column(policies, cell) else { continue };
        let others: Vec<String> = cell
            .axes
            .iter()
            .filter(|(name, _)| *name != POLICY)
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let case = if others.is_empty() {
            cell.case.to_string()
        } else {
            format!("{}[{}]", cell.case, others.join(","))
        };
        for number in &cell.kep {
            let row = rows.entry((*number, case.clone())).or_insert_with(|| Row {
                row: *number,
                case: case.clone(),
                about: cell.about.as_deref().unwrap_or_default().to_owned(),
                outcomes: vec![None; policies.len()],
            });
            row.outcomes[column] = cell.outcome;
        }
    }
    rows.into_values().collect()
}
