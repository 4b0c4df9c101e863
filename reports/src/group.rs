//! What cells can be grouped, pivoted and filtered by.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use crate::model::Cell;

/// The cells of each suite, the suites in the order in which they first appear.
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
pub enum Key {
    /// The suite.
    Suite,
    /// The case, with its suite.
    Case,
    /// The level.
    Level,
    /// The status.
    Status,
    /// The outcome; cells without one are in no group.
    Outcome,
    /// The rows of the KEP's table; a cell can be in several groups.
    Kep,
    /// The upstream issues; a cell can be in several groups.
    Issue,
    /// The document that the case cites.
    Document,
    /// The value on the axis of this name.
    Axis(String),
}

impl Key {
    /// Calls `group` with every value that the cell has.
    pub fn each(&self, cell: &Cell, mut group: impl FnMut(&str)) {
        match self {
            Key::Suite => group(&cell.suite),
            Key::Case => group(&format!("{}/{}", cell.suite, cell.case)),
            Key::Level => group(cell.level.as_str()),
            Key::Status => group(cell.status.as_str()),
            Key::Outcome => cell.outcome.iter().for_each(|outcome| group(outcome.as_str())),
            Key::Kep => cell.kep.iter().for_each(|row| group(&row.to_string())),
            Key::Issue => cell.issue.iter().for_each(|issue| group(issue)),
            Key::Document => cell.source.iter().for_each(|source| group(&source.document)),
            Key::Axis(name) => cell.axes.get(name).into_iter().for_each(group),
        }
    }

    /// The values that the cell has.
    #[must_use]
    pub fn values(&self, cell: &Cell) -> Vec<String> {
        let mut values = Vec::new();
        self.each(cell, |value| values.push(value.to_owned()));
        values
    }
}

/// Displays as what [`Key::from_str`] reads: `suite`, `case`, …, or the name of an axis.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Key::Suite => "suite",
            Key::Case => "case",
            Key::Level => "level",
            Key::Status => "status",
            Key::Outcome => "outcome",
            Key::Kep => "kep",
            Key::Issue => "issue",
            Key::Document => "document",
            Key::Axis(name) => name,
        })
    }
}

/// Reads the name of a property; any other word is the name of an axis.
impl FromStr for Key {
    type Err = Infallible;

    fn from_str(name: &str) -> Result<Self, Infallible> {
        Ok(match name {
            "suite" => Key::Suite,
            "case" => Key::Case,
            "level" => Key::Level,
            "status" => Key::Status,
            "outcome" => Key::Outcome,
            "kep" => Key::Kep,
            "issue" => Key::Issue,
            "document" => Key::Document,
            axis => Key::Axis(axis.to_owned()),
        })
    }
}
