//! The cells of the matrix, brought together by what is done, whatever the policy.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::model::{Cell, Results};
use crate::vocabulary::Outcome;

/// The folder of the suites of the matrix.
pub const SUITES: &str = "unions/kep-matrix/";

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
pub enum UnionKind {
    /// No discriminator, at most one member.
    PlainOptional,
    /// No discriminator, exactly one member.
    PlainRequired,
    /// A discriminator with a value for none.
    DiscriminatedOptional,
    /// A discriminator each value of which selects a member.
    DiscriminatedRequired,
}

impl UnionKind {
    pub(super) const ALL: [UnionKind; 4] = [
        UnionKind::PlainOptional,
        UnionKind::PlainRequired,
        UnionKind::DiscriminatedOptional,
        UnionKind::DiscriminatedRequired,
    ];

    /// The name of its suite in the corpus, and of its case where a suite has all kinds.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            UnionKind::PlainOptional => "plain-optional",
            UnionKind::PlainRequired => "plain-required",
            UnionKind::DiscriminatedOptional => "discriminated-optional",
            UnionKind::DiscriminatedRequired => "discriminated-required",
        }
    }

    /// The kind in words.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            UnionKind::PlainOptional => "no discriminator, optional",
            UnionKind::PlainRequired => "no discriminator, required",
            UnionKind::DiscriminatedOptional => "discriminator, optional",
            UnionKind::DiscriminatedRequired => "discriminator, required",
        }
    }

    pub(super) const fn has_discriminator(self) -> bool {
        matches!(self, UnionKind::DiscriminatedOptional | UnionKind::DiscriminatedRequired)
    }

    fn of(cell: &Cell) -> Option<Self> {
        let suite = cell.suite.strip_prefix(SUITES)?;
        let names = [suite, &*cell.case];
        UnionKind::ALL.into_iter().find(|union| names.contains(&union.as_str()))
    }
}

/// A row of the KEP's table, where the corpus cites it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CitedRow {
    /// Its number.
    pub row: u32,
    /// The case, and the point of its matrix where it has one besides the policy: `row-34[live=known]`.
    pub case: String,
    /// The subject of the case.
    pub about: String,
    /// The outcome under each policy; `None` where it was not run.
    pub outcomes: Vec<Option<Outcome>>,
}

/// A point of the matrix: an operation, the party that does it, and the object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Point {
    pub(super) union: UnionKind,
    /// The axes but the policy, by name.
    pub(super) axes: BTreeMap<String, String>,
}

impl Point {
    /// Whether the point has these values. A point without the axis has none on it.
    pub(super) fn has_values(&self, conditions: &[(&str, &str)]) -> bool {
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
        let of_matrix = |cell: &&Cell| UnionKind::of(cell).is_some() && cell.axes.get(POLICY).is_some();
        let cells: Vec<&Cell> = results.cells.iter().filter(of_matrix).collect();
        let policies = sort_policies(cells.iter().filter_map(|cell| cell.axes.get(POLICY)));
        let mut points: BTreeMap<Point, Vec<Option<Outcome>>> = BTreeMap::new();
        for cell in &cells {
            let Some(union) = UnionKind::of(cell) else { continue };
            let others = cell.axes.iter().filter(|(name, _)| *name != POLICY);
            let axes = others.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            let outcomes = points.entry(Point { union, axes }).or_insert_with(|| vec![None; policies.len()]);
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

    pub(super) fn policy_column(&self, policy: &str) -> Option<usize> {
        self.policies.iter().position(|known| known == policy)
    }
}

fn policy_column(policies: &[String], cell: &Cell) -> Option<usize> {
    let policy = cell.axes.get(POLICY)?;
    policies.iter().position(|known| known == policy)
}

/// The policies there are, those of the design first.
fn sort_policies<'c>(found: impl Iterator<Item = &'c str>) -> Vec<String> {
    let mut found: Vec<&str> = found.collect::<BTreeSet<_>>().into_iter().collect();
    found.sort_by_key(|policy| POLICIES.iter().position(|known| known == policy).unwrap_or(POLICIES.len()));
    found.into_iter().map(str::to_owned).collect()
}

/// The rows of the KEP's table, in its order: cells that cite one, by policy.
pub(super) fn cited_rows(results: &Results, policies: &[String]) -> Vec<CitedRow> {
    let mut rows: BTreeMap<(u32, String), CitedRow> = BTreeMap::new();
    for cell in &results.cells {
        let Some(column) = policy_column(policies, cell) else { continue };
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
            let row = rows.entry((*number, case.clone())).or_insert_with(|| CitedRow {
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
