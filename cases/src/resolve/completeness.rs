//! Completeness checks: every cell has an expectation and the documents that its operation needs, and every expectation
//! and exclusion matches a cell.

use skewer_skew::{Request, Role};
use skewer_yaml::Diagnostics;

use super::cell_count::CellCount;
use super::presence::{Presence, RequiredKey};
use crate::format::CaseSpec;
use crate::matrix::MAX_CELLS;
use crate::model::{Case, CaseOperation, Point};

/// Maximum number of cells that an error names. Further cells are only counted.
const MAX_NAMED_CELLS: usize = 8;

/// Checks that each key that the operation of a case needs is in the case itself, in one of its axis values, or in one of
/// its overlays.
pub(super) fn check_documents(case: &Case, spec: &CaseSpec, diagnostics: &Diagnostics) {
    let (operation, required) = RequiredKey::of_operation(&case.operation);
    let is_in_case = |key: &RequiredKey| {
        let mut of_axes = case.axes.iter().flat_map(|axis| &axis.values);
        key.is_set(&case.base)
            || of_axes.any(|(_, setting)| key.is_set(setting))
            || case.overlays.iter().any(|overlay| key.is_set(&overlay.setting))
    };
    // With a configuration, an intent is optional at some points, so that each point is checked instead.
    let is_set = |key: &RequiredKey| {
        is_in_case(key)
            // A request that creates the object needs no live object: each point is checked.
            || *key == RequiredKey::Document(Role::Live) && case.is_request_that_can_create()
            || *key == RequiredKey::Intent && is_in_case(&RequiredKey::Document(Role::Configuration))
    };
    let quoted = |key: &RequiredKey| format!("`{}`", key.name());
    let missing: Vec<String> = required.iter().filter(|key| !is_set(key)).map(quoted).collect();
    if !missing.is_empty() {
        let all: Vec<String> = required.iter().map(quoted).collect();
        diagnostics
            .error(spec.id.span, format!("the case `{}` has no {}", case.id, missing.join(" and no ")))
            .help(format!("{operation} needs {}", all.join(", ")));
    }
}

/// A number of cells of a case, with the names of the first few for an error message.
#[derive(Default)]
struct NamedCells {
    count: usize,
    names: Vec<String>,
}

impl NamedCells {
    fn add(&mut self, case: &Case, point: &Point) {
        self.count += 1;
        if self.names.len() < MAX_NAMED_CELLS {
            self.names.push(case.cell_id(point));
        }
    }

    /// Returns the number of cells as words.
    fn number(&self) -> String {
        if self.count == 1 { "1 cell".to_owned() } else { format!("{} cells", self.count) }
    }

    /// Lists the names of the first cells, and the number of the other cells.
    fn list(&self) -> String {
        let more = self.count - self.names.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}", self.names.join(", "))
    }
}

/// Checks that every cell has its documents and an expectation, and that every expectation and exclusion matches a
/// cell.
pub(super) fn check_cells(case: &Case, spec: &CaseSpec, cell_count: &CellCount, diagnostics: &Diagnostics) {
    let Some(size) = case.matrix_size() else {
        diagnostics
            .error(spec.id.span, format!("the matrix of `{}` has more than {MAX_CELLS} cells", case.id))
            .help("remove an axis or some of its values, or write two cases");
        return;
    };
    if cell_count.is_exceeded() {
        return;
    }
    // `applies_to[i]` counts the cells to which expectation `i` applies because it is the first match. `matches[i]`
    // counts all cells that expectation `i` matches.
    let mut applies_to = vec![0_usize; case.expectations.len()];
    let mut matches = vec![0_usize; case.expectations.len()];
    let mut excludes = vec![0_usize; case.exclusions.len()];
    let mut overlaid = vec![false; case.overlays.len()];
    let mut uncovered = NamedCells::default();
    let presence = Presence::of(case);
    let mut incomplete: Vec<(RequiredKey, NamedCells)> = Vec::new();
    let can_create_twice = case.has_other_request(|other| other.request == Request::Create);
    let mut created_twice = NamedCells::default();
    case.for_each_point(size, |_, point| {
        for (excludes, condition) in excludes.iter_mut().zip(&case.exclusions) {
            *excludes += usize::from(condition.matches(point));
        }
        if case.is_excluded(point) {
            return;
        }
        for (overlaid, overlay) in overlaid.iter_mut().zip(&case.overlays) {
            *overlaid |= overlay.condition.matches(point);
        }
        for key in presence.missing_at(point) {
            let index = incomplete.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
                incomplete.push((key, NamedCells::default()));
                incomplete.len() - 1
            });
            incomplete[index].1.add(case, point);
        }
        if can_create_twice && creates_existing_object(case, point) {
            created_twice.add(case, point);
        }
        let mut matching =
            (0..case.expectations.len()).filter(|i| case.expectations[*i].condition.matches(point));
        if let Some(first) = matching.next() {
            applies_to[first] += 1;
            matches[first] += 1;
            matching.for_each(|other| matches[other] += 1);
        } else {
            uncovered.add(case, point);
        }
    });
    report_incomplete_cells(case, spec, &incomplete, diagnostics);
    report_created_twice(spec, &created_twice, diagnostics);
    if uncovered.count > 0 {
        let message =
            format!("no expectation covers {} of `{}`: {}", uncovered.number(), case.id, uncovered.list());
        diagnostics
            .error(spec.id.span, message)
            .help("add an expectation, or exclude the cells with a reason");
    }
    report_unused_expectations(spec, &applies_to, &matches, diagnostics);
    report_unused_overlays(spec, &overlaid[overlaid.len() - spec.overlays.len()..], diagnostics);
    report_unused_exclusions(case, spec, &excludes, size, diagnostics);
}

/// Returns true if another client creates the object at a point although it exists.
fn creates_existing_object(case: &Case, point: &Point) -> bool {
    let setting = case.setting(point);
    let mut exists = setting.documents.contains_key(&Role::Live);
    setting.other_requests().any(|other| {
        let existed = std::mem::replace(&mut exists, true);
        existed && other.request == Request::Create
    })
}

fn report_created_twice(spec: &CaseSpec, cells: &NamedCells, diagnostics: &Diagnostics) {
    if cells.count > 0 {
        let message = format!(
            "another client creates an object that exists in {} of `{}`: {}",
            cells.number(),
            spec.id,
            cells.list()
        );
        diagnostics.error(spec.id.span, message).help(
            "`create` can only be the first request, in a case without `live`: write `update` or `server-side-apply`",
        );
    }
}

/// Reports each document that some cells of the case have and others lack.
fn report_incomplete_cells(
    case: &Case,
    spec: &CaseSpec,
    incomplete: &[(RequiredKey, NamedCells)],
    diagnostics: &Diagnostics,
) {
    let (operation, required) = RequiredKey::of_operation(&case.operation);
    for (key, cells) in incomplete {
        let message = format!(
            "{} of `{}` {} no `{}`: {}",
            cells.number(),
            case.id,
            if cells.count == 1 { "has" } else { "have" },
            key.name(),
            cells.list()
        );
        let why = match key {
            RequiredKey::Document(Role::Live) if case.operation == CaseOperation::Skew => {
                "any request but `create`, `server-side-apply` and `apply-manifest` changes a stored object"
                    .to_owned()
            }
            RequiredKey::Intent if case.operation == CaseOperation::Skew => {
                "only a `server-side-apply` or an `apply-manifest` with a `configuration` needs no intent"
                    .to_owned()
            }
            RequiredKey::Document(Role::LastApplied) if case.operation == CaseOperation::Skew => {
                "the request `client-side-apply` is made from the last-applied document".to_owned()
            }
            RequiredKey::Document(Role::Configuration) if case.operation == CaseOperation::Skew => {
                "the request `apply-manifest` applies a manifest".to_owned()
            }
            _ => {
                let all: Vec<String> = required.iter().map(|key| format!("`{}`", key.name())).collect();
                format!("{operation} needs {}", all.join(", "))
            }
        };
        let help = match key {
            RequiredKey::Tool => {
                "a tool sends an `apply-manifest`: write `client: {tool: kubectl}`, or an axis `tool`"
                    .to_owned()
            }
            _ => format!(
                "{why}: add `{}` to the case, to the values of the axes, or to an overlay",
                key.name()
            ),
        };
        diagnostics.error(spec.id.span, message).help(help);
    }
}

fn report_unused_expectations(
    spec: &CaseSpec,
    applies_to: &[usize],
    matches: &[usize],
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
            .help("remove or correct it");
    }
}

/// Reports overlays of the case that match no cell. Overlays of the suite contribute to several cases, so it is not an
/// error if one matches no cell of this case.
fn report_unused_overlays(spec: &CaseSpec, overlaid: &[bool], diagnostics: &Diagnostics) {
    for (overlay, _) in spec.overlays.iter().zip(overlaid).filter(|(_, overlaid)| !**overlaid) {
        diagnostics.error(overlay.when.span, "this overlay matches no cell").help("remove or correct it");
    }
}

/// Reports exclusions of the case that match no cell, and exclusions that match all cells. Exclusions of the suite
/// apply to several cases, so it is not an error if one matches no cell of this case.
fn report_unused_exclusions(
    case: &Case,
    spec: &CaseSpec,
    excludes: &[usize],
    size: usize,
    diagnostics: &Diagnostics,
) {
    let of_case = spec.exclude.iter().zip(&excludes[excludes.len() - spec.exclude.len()..]);
    for (written, _) in of_case.filter(|(_, excluded)| **excluded == 0) {
        diagnostics.error(written.when.span, "this exclusion matches no cell").help("remove or correct it");
    }
    if case.exclusions.iter().any(|condition| condition.0.is_empty()) || excludes.contains(&size) && size > 0
    {
        diagnostics.error(spec.id.span, format!("the exclusions leave no cell of `{}`", case.id));
    }
}
