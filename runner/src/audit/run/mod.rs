//! Audits: of the versions of `CustomResourceDefinition`s, and of declared types.

mod definitions;
mod types;

use rayon::prelude::*;
use skewer_reports::audit::{Audit, Finding};

use super::cause::Cause;
use super::change::Change;
use super::explore::Explored;
use super::facts::Property;
use super::finding::{
    finding, finding_on_dropped_fields, is_dropped_field, is_plain_addition, note_on_additions,
};

pub use definitions::{audit_definitions, audit_versions};
pub use types::{AuditedTypes, audit_kind, audit_kinds};

/// What an audit compares.
struct Names {
    /// What the reports name, such as `Issuer certs.example.com/v1`.
    subject: String,
    old: String,
    new: String,
    /// The number of changes.
    changes: usize,
}

/// Explores causes, and reports what was found.
fn audit(
    names: Names,
    causes: Vec<Cause>,
    explore: &(dyn Fn(&Cause) -> Explored + Sync),
    place: &dyn Fn(&Cause) -> String,
) -> Audit {
    let explored: Vec<(Cause, Explored)> = causes
        .into_par_iter()
        .map(|cause| {
            let explored = explore(&cause);
            (cause, explored)
        })
        .collect();
    let (plain, others): (Vec<_>, Vec<_>) =
        explored.iter().partition(|(cause, explored)| is_plain_addition(cause, explored));
    let (dropped, others): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|(cause, explored)| is_dropped_field(cause, explored));
    let mut findings: Vec<Finding> =
        others.iter().filter_map(|(cause, explored)| finding(cause, explored, place(cause))).collect();
    findings.extend(finding_on_dropped_fields(&dropped));
    let additions: Vec<&Cause> = plain.iter().map(|(cause, _)| cause).collect();
    findings.extend(note_on_additions(&additions));
    findings.sort_by(|a, b| (a.severity, &a.path, &a.change).cmp(&(b.severity, &b.path, &b.change)));
    let not_simulated = explored.iter().flat_map(|(cause, explored)| not_simulated(cause, explored, place));
    Audit {
        subject: names.subject,
        old: names.old,
        new: names.new,
        changes: names.changes,
        situations: explored.iter().map(|(_, explored)| explored.situations).sum(),
        findings,
        not_simulated: not_simulated.collect(),
    }
}

/// Lists the changes of a cause on which the simulated server does not act, and the rules for which no object was found that
/// breaks them.
fn not_simulated(cause: &Cause, explored: &Explored, place: &dyn Fn(&Cause) -> String) -> Vec<String> {
    let describe =
        |change: &Change| format!("{} of {} ({})", change.property.name(), change.path, place(cause));
    let is_untried = |change: &&Change| {
        matches!(change.property, Property::Rules | Property::Pattern | Property::Format)
            && explored.observations.is_empty()
    };
    let unsimulated = cause.changes.iter().filter(|change| !change.property.is_simulated());
    let untried = cause.changes.iter().filter(is_untried);
    unsimulated
        .map(describe)
        .chain(untried.map(|change| format!("{}: no object was found that breaks them", describe(change))))
        .collect()
}
