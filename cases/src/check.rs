//! Totality: every case has its documents, every cell has an expectation, and everything that is written speaks of a
//! cell.

use crate::expand::MAX_CELLS;
use crate::format::{CaseFile, SuiteFile};
use crate::model::{Case, Expectation, Operands, Setting};
use crate::yaml::Diagnostics;

/// How many cells an error names; the rest is counted.
const SHOWN: usize = 8;

type Has = fn(&Setting) -> bool;

const LIVE: (&str, Has) = ("live", |setting| setting.live.is_some());
const PATCH: (&str, Has) = ("patch", |setting| setting.patch.is_some());
const ORIGINAL: (&str, Has) = ("original", |setting| setting.original.is_some());
const MODIFIED: (&str, Has) = ("modified", |setting| setting.modified.is_some());
const LAST_APPLIED: (&str, Has) = ("last-applied", |setting| setting.last_applied.is_some());
const INTENT: (&str, Has) = ("intent", |setting| setting.intent.is_some());
const REQUEST: (&str, Has) = ("request", |setting| setting.request.is_some());

/// Checks that a case says what its operation needs, itself or by one of its axes. That a point of the matrix lacks
/// it all the same is seen when the cell is planned.
pub(crate) fn documents(case: &Case, file: &CaseFile, diagnostics: &Diagnostics) {
    let (operation, needed): (&str, &[(&str, Has)]) = match &case.operands {
        Operands::Skew => ("a case with clients and servers", &[INTENT, REQUEST]),
        Operands::Apply | Operands::JsonMergeApply | Operands::JsonPatchApply => {
            ("a case that applies a patch", &[LIVE, PATCH])
        }
        Operands::TwoWay | Operands::JsonMergeTwoWay => {
            ("a case that makes a patch of two documents", &[ORIGINAL, MODIFIED])
        }
        Operands::ThreeWay(_) | Operands::JsonMergeThreeWay(_) => {
            ("a case that makes a patch of three documents", &[LAST_APPLIED, MODIFIED, LIVE])
        }
        Operands::Merge(_) | Operands::Conflicts(..) | Operands::Declare(_) => return,
    };
    let has = |has: Has| has(&case.base) || case.axes.iter().any(|a| a.values.iter().any(|(_, s)| has(s)));
    let missing: Vec<String> =
        needed.iter().filter(|(_, of)| !has(*of)).map(|(name, _)| format!("`{name}`")).collect();
    if !missing.is_empty() {
        let all: Vec<String> = needed.iter().map(|(name, _)| format!("`{name}`")).collect();
        diagnostics
            .error(file.id.span, format!("the case `{}` has no {}", case.id, missing.join(" and no ")))
            .help(format!("{operation} needs {}", all.join(", ")));
    }
}

/// Checks a case's matrix against its exclusions and expectations.
pub(crate) fn totality(case: &Case, file: &CaseFile, suite: &SuiteFile, diagnostics: &Diagnostics) {
    let Some(size) = case.size() else {
        diagnostics
            .error(file.id.span, format!("the matrix of `{}` has more than {MAX_CELLS} cells", case.id))
            .help("take an axis or some values away, or make two cases of it");
        return;
    };
    let mut first_for = vec![0_usize; case.expectations.len()];
    let mut holds_for = vec![0_usize; case.expectations.len()];
    let mut excludes = vec![0_usize; case.excluded.len()];
    let mut uncovered = Vec::new();
    let mut uncovered_count = 0;
    for point in (0..size).map(|number| case.point(number)) {
        for (excludes, condition) in excludes.iter_mut().zip(&case.excluded) {
            *excludes += usize::from(condition.holds(&point));
        }
        if case.is_excluded(&point) {
            continue;
        }
        let mut applies =
            (0..case.expectations.len()).filter(|i| case.expectations[*i].condition.holds(&point));
        if let Some(first) = applies.next() {
            first_for[first] += 1;
            holds_for[first] += 1;
            applies.for_each(|other| holds_for[other] += 1);
        } else {
            uncovered_count += 1;
            if uncovered.len() < SHOWN {
                uncovered.push(case.cell_id(&point));
            }
        }
    }
    if uncovered_count > 0 {
        let more = uncovered_count - uncovered.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        diagnostics
            .error(
                file.id.span,
                format!(
                    "no expectation covers {uncovered_count} of the cells of `{}`: {}{more}",
                    case.id,
                    uncovered.join(", ")
                ),
            )
            .help("add an expectation, or exclude the cells with a reason");
    }
    unused_expectations(case, file, (&first_for, &holds_for), diagnostics);
    unused_exclusions(case, file, suite, (&excludes, size), diagnostics);
}

fn unused_expectations(
    case: &Case,
    file: &CaseFile,
    (first_for, holds_for): (&[usize], &[usize]),
    diagnostics: &Diagnostics,
) {
    let _: &[Expectation] = &case.expectations;
    for (index, written) in file.expect.iter().enumerate() {
        if first_for.get(index).is_some_and(|n| *n > 0) {
            continue;
        }
        let why = if holds_for.get(index).is_some_and(|n| *n > 0) {
            "the expectations before it cover all of its cells"
        } else {
            "it matches no cell"
        };
        diagnostics
            .error(written.span, format!("this expectation never applies: {why}"))
            .help("remove or mend it");
    }
}

/// An exclusion of the suite may speak of nothing in one case; it must in some case, which is checked where
/// all cases are at hand. One of the case must here.
fn unused_exclusions(
    case: &Case,
    file: &CaseFile,
    suite: &SuiteFile,
    (excludes, size): (&[usize], usize),
    diagnostics: &Diagnostics,
) {
    let own = file.exclude.iter().zip(excludes.iter().skip(suite.exclude.len()));
    for (written, _) in own.filter(|(_, excluded)| **excluded == 0) {
        diagnostics.error(written.when.span, "this exclusion matches no cell").help("remove or mend it");
    }
    if case.excluded.iter().any(|condition| condition.0.is_empty()) || excludes.contains(&size) && size > 0 {
        diagnostics.error(file.id.span, format!("the exclusions leave no cell of `{}`", case.id));
    }
}
