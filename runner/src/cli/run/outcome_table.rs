//! The table of outcomes that `--rows` and `--columns` ask for.

use std::convert::Infallible;

use skewer_cases::Cell;
use skewer_cases::yaml::nearest;
use skewer_reports::counts_by_value::CountsByValue;
use skewer_reports::group::GroupKey;
use skewer_reports::pivot::Pivot;
use skewer_reports::terminal::{self, Style};
use skewer_results as results;
use skewer_results::control_characters::escape_line;

use crate::cli::arguments::no_cell::unknown_axis_hint;
use crate::cli::failure::{Failure, Result};

/// The properties of cells that are no axes.
const PROPERTIES: [&str; 8] = ["suite", "case", "level", "status", "outcome", "kep", "issue", "document"];

/// The table of outcomes by one or two properties of the cells.
#[derive(Clone, Debug)]
pub(super) struct OutcomeTable {
    rows: Option<GroupKey>,
    columns: Option<GroupKey>,
}

impl OutcomeTable {
    /// Creates the table that the arguments ask for.
    pub(super) fn new(rows: Option<&str>, columns: Option<&str>) -> Option<Self> {
        // A word that is no other key is the name of an axis, so parsing cannot fail.
        let key = |name: &str| name.parse().unwrap_or_else(|never: Infallible| match never {});
        let table = OutcomeTable { rows: rows.map(key), columns: columns.map(key) };
        (table.rows.is_some() || table.columns.is_some()).then_some(table)
    }

    /// Checks that some of the cells have the axes of the table.
    pub(super) fn check(&self, cells: &[Cell<'_>]) -> Result<()> {
        for (option, key) in [("--rows", &self.rows), ("--columns", &self.columns)] {
            let Some(GroupKey::Axis(axis)) = key else { continue };
            if cells.iter().any(|cell| cell.coordinates().iter().any(|(name, _)| name == axis)) {
                continue;
            }
            let near = nearest(axis, PROPERTIES).map(|near| format!("did you mean `{near}`?"));
            let hint = near.or_else(|| unknown_axis_hint(axis, cells));
            let hint = hint.map(|hint| format!(": {hint}")).unwrap_or_default();
            let message =
                escape_line(&format!("{option}: no selected cell has an axis `{axis}`{hint}")).into_owned();
            return Err(Failure::could_not_run(message));
        }
        Ok(())
    }

    /// Renders the table of some results.
    pub(super) fn render<'c>(
        &self,
        cells: impl IntoIterator<Item = &'c results::Cell>,
        style: Style,
    ) -> String {
        match (&self.rows, &self.columns) {
            (Some(rows), Some(columns)) => {
                terminal::pivot(&Pivot::new(rows.clone(), columns.clone(), cells), style)
            }
            (Some(key), None) => terminal::counts(&CountsByValue::new(key.clone(), cells), false, style),
            (None, Some(key)) => terminal::counts(&CountsByValue::new(key.clone(), cells), true, style),
            (None, None) => String::new(),
        }
    }
}
