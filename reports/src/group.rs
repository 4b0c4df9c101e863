//! The properties by which cells are grouped, pivoted and filtered.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use skewer_results::model::Cell;

/// Groups cells by suite. Suites are in the order of their first cell.
#[must_use]
pub fn by_suite(cells: &[Cell]) -> Vec<(&str, Vec<&Cell>)> {
    let mut positions: HashMap<&str, usize> = HashMap::new();
    let mut suites: Vec<(&str, Vec<&Cell>)> = Vec::new();
    for cell in cells {
        let position = *positions.entry(&cell.suite).or_insert(suites.len());
        if position == suites.len() {
            suites.push((&cell.suite, Vec::new()));
        }
        suites[position].1.push(cell);
    }
    suites
}

/// A property of cells by which they are grouped.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GroupKey {
    /// The suite.
    Suite,
    /// The case, with its suite.
    Case,
    /// The level.
    Level,
    /// The status.
    Status,
    /// The outcome. A cell without an outcome is in no group.
    Outcome,
    /// The rows of the KEP's table that the case cites. A cell can be in several groups.
    Kep,
    /// The upstream issues that the case cites. A cell can be in several groups.
    Issue,
    /// The document that the case cites.
    Document,
    /// The value on the axis of this name.
    Axis(String),
}

impl GroupKey {
    /// Calls `group` with each value that the cell has for this property.
    pub fn for_each_value(&self, cell: &Cell, mut group: impl FnMut(&str)) {
        match self {
            GroupKey::Suite => group(&cell.suite),
            GroupKey::Case => group(&format!("{}/{}", cell.suite, cell.case)),
            GroupKey::Level => group(cell.level.as_str()),
            GroupKey::Status => group(cell.status.as_str()),
            GroupKey::Outcome => cell.outcome.iter().for_each(|outcome| group(outcome.as_str())),
            GroupKey::Kep => cell.kep.iter().for_each(|row| group(&row.to_string())),
            GroupKey::Issue => cell.issue.iter().for_each(|issue| group(issue)),
            GroupKey::Document => cell.source.iter().for_each(|source| group(&source.document)),
            GroupKey::Axis(name) => cell.axes.get(name).into_iter().for_each(group),
        }
    }

    /// Returns the values that the cell has for this property.
    #[must_use]
    pub fn values(&self, cell: &Cell) -> Vec<String> {
        let mut values = Vec::new();
        self.for_each_value(cell, |value| values.push(value.to_owned()));
        values
    }
}

/// Displays as the name that [`GroupKey::from_str`] reads: `suite`, `case`, …, or the name of an axis.
impl fmt::Display for GroupKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            GroupKey::Suite => "suite",
            GroupKey::Case => "case",
            GroupKey::Level => "level",
            GroupKey::Status => "status",
            GroupKey::Outcome => "outcome",
            GroupKey::Kep => "kep",
            GroupKey::Issue => "issue",
            GroupKey::Document => "document",
            GroupKey::Axis(name) => name,
        })
    }
}

/// Reads the name of a property; any other word is the name of an axis.
impl FromStr for GroupKey {
    type Err = Infallible;

    fn from_str(name: &str) -> Result<Self, Infallible> {
        Ok(match name {
            "suite" => GroupKey::Suite,
            "case" => GroupKey::Case,
            "level" => GroupKey::Level,
            "status" => GroupKey::Status,
            "outcome" => GroupKey::Outcome,
            "kep" => GroupKey::Kep,
            "issue" => GroupKey::Issue,
            "document" => GroupKey::Document,
            axis => GroupKey::Axis(axis.to_owned()),
        })
    }
}
