//! Rules for cells that have another id since an earlier version (`renamed_cells.yaml`).
//!
//! A cell that a rule names is the same cell in both runs. Cells that no rule names are recognised by their content
//! (`renamed_cells`).

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use skewer_cases::yaml::{self, FileErrors};
use skewer_results::Cell;

/// The rules, as data.
const BUILT_IN: &str = include_str!("renamed_cells.yaml");

/// The rules of all earlier versions, in the order in which they are applied.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RenameRules {
    rules: Vec<RenameRule>,
}

/// A rule: the cells to which it applies, and their new names.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RenameRule {
    /// The suites of the cells. An empty list stands for all suites.
    #[serde(default)]
    suites: Vec<String>,
    /// The cases of the cells. An empty list stands for all cases.
    #[serde(default)]
    cases: Vec<String>,
    /// The new suite.
    #[serde(default)]
    suite: Option<String>,
    /// The new case.
    #[serde(default)]
    case: Option<String>,
    /// For each axis, the new names of its values.
    #[serde(default)]
    values: BTreeMap<String, BTreeMap<String, String>>,
    /// The new names of axes.
    #[serde(default)]
    axes: BTreeMap<String, String>,
    /// Axes that the old cells did not have, with their value.
    #[serde(default)]
    add: BTreeMap<String, String>,
}

/// The parts of an id. The order of the axes is not compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct CellName {
    suite: String,
    case: String,
    axes: BTreeMap<String, String>,
}

impl CellName {
    fn of(cell: &Cell) -> Self {
        let axes = cell.axes.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        CellName { suite: cell.suite.to_string(), case: cell.case.to_string(), axes }
    }
}

impl RenameRule {
    fn applies_to(&self, name: &CellName) -> bool {
        let is_listed = |list: &[String], name: &String| list.is_empty() || list.contains(name);
        is_listed(&self.suites, &name.suite) && is_listed(&self.cases, &name.case)
    }

    fn rename(&self, mut name: CellName) -> CellName {
        for (axis, values) in &self.values {
            if let Some(value) = name.axes.get_mut(axis)
                && let Some(new) = values.get(value)
            {
                new.clone_into(value);
            }
        }
        for (old, new) in &self.axes {
            if let Some(value) = name.axes.remove(old) {
                name.axes.insert(new.clone(), value);
            }
        }
        name.axes.extend(self.add.clone());
        CellName {
            suite: self.suite.clone().unwrap_or(name.suite),
            case: self.case.clone().unwrap_or(name.case),
            axes: name.axes,
        }
    }
}

impl RenameRules {
    /// Returns the rules of the earlier versions of Skewer. A test ensures that they can be read.
    pub(super) fn built_in() -> Self {
        Self::read("renamed_cells.yaml", BUILT_IN).unwrap_or_default()
    }

    fn read(name: &str, text: &str) -> Result<Self, FileErrors> {
        yaml::parse(name, text.as_bytes())?.decode()
    }

    /// Returns the present name of a cell. Returns `None` if no rule applies to it.
    fn renamed(&self, cell: &Cell) -> Option<CellName> {
        let old = CellName::of(cell);
        let rules = self.rules.iter().filter(|rule| rule.applies_to(&old));
        let new = rules.fold(old.clone(), |name, rule| rule.rename(name));
        (new != old).then_some(new)
    }

    /// Finds the cells of `gone` that have another id in `new`. Removes these cells from both lists, and returns them as
    /// pairs.
    pub(super) fn take_pairs<'a>(
        &self,
        gone: &mut Vec<&'a Cell>,
        new: &mut Vec<&'a Cell>,
    ) -> Vec<(&'a Cell, &'a Cell)> {
        if gone.is_empty() || new.is_empty() {
            return Vec::new();
        }
        let mut new_by_name: HashMap<CellName, &'a Cell> =
            new.iter().map(|cell| (CellName::of(cell), *cell)).collect();
        let mut pairs = Vec::new();
        gone.retain(|old| {
            let renamed = self.renamed(old).and_then(|name| new_by_name.remove(&name));
            pairs.extend(renamed.map(|new| (*old, new)));
            renamed.is_none()
        });
        new.retain(|cell| new_by_name.contains_key(&CellName::of(cell)));
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_rules_can_be_read() {
        let rules =
            RenameRules::read("renamed_cells.yaml", BUILT_IN).unwrap_or_else(|error| panic!("{error}"));
        assert!(!rules.rules.is_empty());
    }
}
