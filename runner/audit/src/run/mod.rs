//! Audits: of the versions of `CustomResourceDefinition`s, and of declared types.

mod definitions;
mod types;
mod versions;

use std::collections::BTreeSet;

use rayon::prelude::*;
use skewer_cases::format::SchemaSpec;
use skewer_reports::audit::{Audit, AuditFinding, Preserved, PreservedRow};

use super::cause::Cause;
use super::change::PropertyChange;
use super::clients::ClientStyle;
use super::explore::{Explored, SkewDifference, World};
use super::facts::Property;
use super::finding::{
    finding, finding_on_dropped_fields, is_dropped_field, is_plain_addition, note_on_additions,
};

pub use definitions::{audit_version, audit_versions};
pub use types::{ComparedKind, audit_kind, audit_kinds, compared_kinds};
pub use versions::audit_definitions;

/// The names of the compared versions.
struct Names {
    /// The name in the reports, such as `Issuer certs.example.com/v1`.
    subject: String,
    old: String,
    new: String,
    changes: usize,
    /// The old and the new types, if the findings have cases.
    schemas: Vec<SchemaSpec>,
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
    let mut findings: Vec<AuditFinding> =
        others.iter().filter_map(|(cause, explored)| finding(cause, explored, place(cause))).collect();
    findings.extend(finding_on_dropped_fields(&dropped));
    findings.extend(note_on_additions(&plain));
    findings.sort_by(|a, b| (a.severity, &a.path, &a.change).cmp(&(b.severity, &b.path, &b.change)));
    let not_simulated = explored.iter().flat_map(|(cause, explored)| not_simulated(cause, explored, place));
    Audit {
        subject: names.subject,
        old: names.old,
        new: names.new,
        changes: names.changes,
        situations: explored.iter().map(|(_, explored)| explored.runs.len()).sum(),
        findings,
        not_simulated: not_simulated.collect(),
        preserved: preserved(&explored),
        schemas: names.schemas,
    }
}

/// Returns whether each client preserves the data, over all causes.
fn preserved(explored: &[(Cause, Explored)]) -> Vec<PreservedRow> {
    let Some((_, first)) = explored.first() else { return Vec::new() };
    let runs = || explored.iter().flat_map(|(_, explored)| &explored.runs);
    let worlds: BTreeSet<World> = runs().map(|(world, ..)| *world).collect();
    let worst = |world: World, style: ClientStyle| {
        let of_both = runs().filter(|(w, s, _)| (*w, *s) == (world, style));
        match of_both.map(|(_, _, outcome)| *outcome).max() {
            None => Preserved::NotRun,
            Some(SkewDifference::Same) => Preserved::Yes,
            Some(SkewDifference::Refused) => Preserved::Refused,
            Some(SkewDifference::Different) => Preserved::No,
        }
    };
    let row = |style: ClientStyle| {
        let (client, operation) = style.client_and_operation();
        let outcomes = worlds.iter().map(|world| (world.name(&first.names), worst(*world, style)));
        PreservedRow {
            client: client.to_owned(),
            operation: operation.to_owned(),
            outcomes: outcomes.collect(),
        }
    };
    ClientStyle::ALL.into_iter().map(row).collect()
}

/// Lists the changes of a cause on which the simulated server does not act, and the rules for which no object was found that
/// breaks them.
fn not_simulated(cause: &Cause, explored: &Explored, place: &dyn Fn(&Cause) -> String) -> Vec<String> {
    let describe =
        |change: &PropertyChange| format!("{} of {} ({})", change.property.name(), change.path, place(cause));
    let is_untried = |change: &&PropertyChange| {
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
