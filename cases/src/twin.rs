//! `no-worse-than`: a case that is held against another one, cell by cell.

use crate::Cell;
use crate::axes::unknown;
use crate::format::CaseFile;
use crate::model::{Case, Operands};
use crate::plan::{Plan, PlanError};
use crate::yaml::Diagnostics;

/// The case that `no-worse-than` names, once it is sure that each cell has a cell to be held against.
pub(crate) fn resolve(
    file: &CaseFile,
    case: &Case,
    above: &[Case],
    diagnostics: &Diagnostics,
) -> Option<Case> {
    let Some(name) = &file.no_worse_than else {
        if let Some(worse) = file.expect.iter().find(|expectation| expectation.worse) {
            diagnostics
                .error(worse.span, "`worse` says nothing here: the case is held against no other")
                .help("name the other case with `no-worse-than`");
        }
        return None;
    };
    let Some(twin) = above.iter().find(|twin| *twin.id == *name.value) else {
        unknown(name, "case above this one", above.iter().map(|case| &*case.id), diagnostics);
        return None;
    };
    let is_skew = |case: &Case| case.operands == Operands::Skew;
    if !is_skew(case) || !is_skew(twin) {
        diagnostics
            .error(name.span, "`no-worse-than` is for skew cases: only they have better and worse outcomes");
        return None;
    }
    let axes = |case: &Case| -> Vec<(String, Vec<String>)> {
        let named =
            |axis: &crate::model::Axis| (axis.name.clone(), axis.values().map(str::to_owned).collect());
        case.axes.iter().map(named).collect()
    };
    if axes(case) != axes(twin) {
        diagnostics
            .error(name.span, format!("the case `{name}` has other axes, or other values on them"))
            .help("cells are held against those with the same values on the same axes, in the same order");
        return None;
    }
    let alone = case.cells().find(|cell| twin.cell(cell.number).is_none());
    if let Some(cell) = alone {
        diagnostics
            .error(name.span, format!("the case `{name}` has no cell to hold `{}` against", cell.id()))
            .help("exclude the same points in both");
        return None;
    }
    Some(twin.clone())
}

impl<'a> Cell<'a> {
    /// The cell that this one must not do worse than.
    #[must_use]
    pub fn no_worse_than(&self) -> Option<Cell<'a>> {
        self.case.no_worse_than.as_ref()?.cell(self.number)
    }

    /// The scenario of that cell.
    #[must_use]
    pub fn plan_no_worse_than(&self) -> Option<Result<Plan, PlanError>> {
        self.no_worse_than().map(|cell| cell.plan())
    }
}
