//! Completeness checks: every case has the documents that its operation needs, every cell has an expectation, and every
//! expectation and exclusion has a cell.

use skewer_yaml::Diagnostics;

use crate::format::{CaseSpec, SuiteSpec};
use crate::matrix::MAX_CELLS;
use crate::model::{Case, CaseOperation, Setting};

/// Maximum number of cells that an error names; further ones are counted.
const MAX_NAMED_CELLS: usize = 8;

/// A key of a case that an operation needs.
struct RequiredKey {
    name: &'static str,
    is_set: fn(&Setting) -> bool,
}

const LIVE: RequiredKey = RequiredKey { name: "live", is_set: |setting| setting.live.is_some() };
const PATCH: RequiredKey = RequiredKey { name: "patch", is_set: |setting| setting.patch.is_some() };
const ORIGINAL: RequiredKey = RequiredKey { name: "original", is_set: |setting| setting.original.is_some() };
const MODIFIED: RequiredKey = RequiredKey { name: "modified", is_set: |setting| setting.modified.is_some() };
const LAST_APPLIED: RequiredKey =
    RequiredKey { name: "last-applied", is_set: |setting| setting.last_applied.is_some() };
const INTENT: RequiredKey = RequiredKey { name: "intent", is_set: |setting| setting.intent.is_some() };
const REQUEST: RequiredKey = RequiredKey { name: "request", is_set: |setting| setting.request.is_some() };

/// Checks that a case has the keys that its operation needs, itself or in one of its axes. A point of the matrix that lacks
/// one all the same is an error when its cell is planned.
pub(super) fn check_documents(case: &Case, spec: &CaseSpec, diagnostics: &Diagnostics) {
    let (operation, required): (&str, &[RequiredKey]) = match &case.operation {
        CaseOperation::Skew => ("a case with clients and servers", &[INTENT, REQUEST]),
        CaseOperation::Apply | CaseOperation::JsonMergeApply | CaseOperation::JsonPatchApply => {
            ("a case that applies a patch", &[LIVE, PATCH])
        }
        CaseOperation::TwoWay | CaseOperation::JsonMergeTwoWay => {
            ("a case that makes a patch of two documents", &[ORIGINAL, MODIFIED])
        }
        CaseOperation::ThreeWay(_) | CaseOperation::JsonMergeThreeWay(_) => {
            ("a case that makes a patch of three documents", &[LAST_APPLIED, MODIFIED, LIVE])
        }
        CaseOperation::Merge(_) | CaseOperation::Conflicts(..) | CaseOperation::Declare(_) => return,
    };
    let is_set = |key: &RequiredKey| {
        let mut contributions = case.axes.iter().flat_map(|axis| &axis.values);
        (key.is_set)(&case.base) || contributions.any(|(_, setting)| (key.is_set)(setting))
    };
    let quoted = |key: &RequiredKey| format!("`{}`", key.name);
    let missing: Vec<String> = required.iter().filter(|key| !is_set(key)).map(quoted).collect();
    if !missing.is_empty() {
        let all: Vec<String> = required.iter().map(quoted).collect();
        diagnostics
            .error(spec.id.span, format!("the case `{}` has no {}", case.id, missing.join(" and no ")))
            .help(format!("{operation} needs {}", all.join(", ")));
    }
}

/// Checks the matrix of a case against its exclusions and expectations.
pub(super) fn check_cells(case: &Case, spec: &CaseSpec, suite: &SuiteSpec, diagnostics: &Diagnostics) {
    let Some(size) = case.matrix_size() else {
        diagnostics
            .error(spec.id.span, format!("the matrix of `{}` has more than {MAX_CELLS} cells", case.id))
            .help("take an axis or some values away, or make two cases of it");
        return;
    };
    // Of each expectation: to how many cells it applies, as the first that matches, and how many it matches.
    let mut applies_to = vec![0_usize; case.expectations.len()];
    let mut matches = vec![0_usize; case.expectations.len()];
    let mut excludes = vec![0_usize; case.exclusions.len()];
    let mut uncovered = Vec::new();
    let mut uncovered_count = 0;
    for point in (0..size).map(|number| case.point(number)) {
        for (excludes, condition) in excludes.iter_mut().zip(&case.exclusions) {
            *excludes += usize::from(condition.matches(&point));
        }
        if case.is_excluded(&point) {
            continue;
        }
        let mut matching =
            (0..case.expectations.len()).filter(|i| case.expectations[*i].condition.matches(&point));
        if let Some(first) = matching.next() {
            applies_to[first] += 1;
            matches[first] += 1;
            matching.for_each(|other| matches[other] += 1);
        } else {
            uncovered_count += 1;
            if uncovered.len() < MAX_NAMED_CELLS {
                uncovered.push(case.cell_id(&point));
            }
        }
    }
    if uncovered_count > 0 {
        let more = uncovered_count - uncovered.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        diagnostics
            .error(
                spec.id.span,
                format!(
                    "no expectation covers {uncovered_count} of the cells of `{}`: {}{more}",
                    case.id,
                    uncovered.join(", ")
                ),
            )
            .help("add an expectation, or exclude the cells with a reason");
    }
    report_unused_expectations(spec, (&applies_to, &matches), diagnostics);
    report_unused_exclusions(case, spec, suite, (&excludes, size), diagnostics);
}

/// Reports expectations that apply to no cell.
fn report_unused_expectations(
    spec: &CaseSpec,
    (applies_to, matches): (&[usize], &[usize]),
    diagnostics: &Diagnostics,
) {
    for (index, written) in spec.expect.iter().enumerate() {
        if applies_to.get(index).is_some_and(|n| *n > 0) {
            continue;
        }
        let why = if matches.get(index).is_some_and(|n| *n > 0) {
            "the expectations before it cover all of its cells"
        } else {
            "it matches no cell"
        };
        diagnostics
            .error(written.span, format!("this expectation never applies: {why}"))
            .help("remove or mend it");
    }
}

/// Reports exclusions of the case that match no cell, and exclusions that leave no cell. An exclusion of the suite can match
/// nothing in one case.
fn report_unused_exclusions(
    case: &Case,
    spec: &CaseSpec,
    suite: &SuiteSpec,
    (excludes, size): (&[usize], usize),
    diagnostics: &Diagnostics,
) {
    let of_case = spec.exclude.iter().zip(excludes.iter().skip(suite.exclude.len()));
    for (written, _) in of_case.filter(|(_, excluded)| **excluded == 0) {
        diagnostics.error(written.when.span, "this exclusion matches no cell").help("remove or mend it");
    }
    if case.exclusions.iter().any(|condition| condition.0.is_empty()) || excludes.contains(&size) && size > 0
    {
        diagnostics.error(spec.id.span, format!("the exclusions leave no cell of `{}`", case.id));
    }
}
