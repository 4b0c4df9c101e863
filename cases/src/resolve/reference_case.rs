//! Finds the reference case that `no-worse-than` names.

use skewer_yaml::{Diagnostics, nearest};

use crate::format::CaseSpec;
use crate::model::{Axis, Case, CaseOperation};

/// Returns the reference case, if it has a cell for each cell of the case. Otherwise an error is reported.
pub(super) fn resolve_reference_case(
    spec: &CaseSpec,
    case: &Case,
    cases_above: &[Case],
    diagnostics: &Diagnostics,
) -> Option<Case> {
    let Some(name) = &spec.no_worse_than else {
        if let Some(worse) = spec.expect.iter().find(|expectation| expectation.worse) {
            diagnostics
                .error(worse.span, "`worse` has no effect: the case has no reference case")
                .help("name the reference case with `no-worse-than`");
        }
        return None;
    };
    let Some(reference) = cases_above.iter().find(|other| *other.id == *name.value) else {
        let near = nearest(name, cases_above.iter().map(|case| &*case.id));
        let hint = near.map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
        diagnostics
            .error(name.span, format!("no case above this one is named `{name}`{hint}"))
            .help("the reference case is in the same suite, above this case");
        return None;
    };
    let is_skew = |case: &Case| case.operation == CaseOperation::Skew;
    if !is_skew(case) || !is_skew(reference) {
        diagnostics
            .error(name.span, "`no-worse-than` is for skew cases: only they have better and worse outcomes");
        return None;
    }
    let axes = |case: &Case| -> Vec<(String, Vec<String>)> {
        let names = |axis: &Axis| (axis.name.clone(), axis.values().map(str::to_owned).collect());
        case.axes.iter().map(names).collect()
    };
    if axes(case) != axes(reference) {
        diagnostics
            .error(name.span, format!("the case `{name}` does not have the same axes and values as this case"))
            .help("a cell is compared with the cell that has the same values on the same axes, in the same order");
        return None;
    }
    let unmatched = case.cells().find(|cell| reference.cell(cell.number()).is_none());
    if let Some(cell) = unmatched {
        diagnostics
            .error(name.span, format!("the case `{name}` has no cell to compare with `{}`", cell.id()))
            .help("exclude the same points in both cases");
        return None;
    }
    Some(reference.clone())
}
