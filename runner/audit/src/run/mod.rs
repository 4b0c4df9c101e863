//! Audits: of the versions of `CustomResourceDefinition`s, and of declared types.

mod definitions;
mod not_judged;
mod types;
mod versions;

use std::collections::BTreeSet;

use rayon::prelude::*;
use skewer_cases::format::SchemaSpec;
use skewer_reports::audit::{Audit, AuditFinding, Preserved, PreservedRow};

use super::cause::Cause;
use super::clients::ClientStyle;
use super::explore::{Explored, SkewDifference, World};
use super::finding::{
    finding, finding_on_dropped_fields, is_dropped_field, is_plain_addition, note_on_additions,
};

use not_judged::{Unjudged, count_of_changes, not_judged, unjudged};

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
    let unjudged: Vec<Unjudged<'_>> =
        explored.iter().filter_map(|(cause, explored)| unjudged(cause, explored)).collect();
    // A change without an effect in any situation is no finding, and not even a note if no situation showed it.
    let is_shown = |(cause, explored): &&(Cause, Explored)| {
        !explored.observations.is_empty() || !unjudged.iter().any(|unjudged| unjudged.cause == cause)
    };
    let (plain, others): (Vec<_>, Vec<_>) =
        explored.iter().filter(is_shown).partition(|(cause, explored)| is_plain_addition(cause, explored));
    let (dropped, others): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|(cause, explored)| is_dropped_field(cause, explored));
    let mut findings: Vec<AuditFinding> =
        others.iter().filter_map(|(cause, explored)| finding(cause, explored, place(cause))).collect();
    findings.extend(finding_on_dropped_fields(&dropped));
    findings.extend(note_on_additions(&plain));
    findings.sort_by(|a, b| (a.severity, &a.path, &a.change).cmp(&(b.severity, &b.path, &b.change)));
    findings.splice(0..0, not_judged(&unjudged, place));
    Audit {
        subject: names.subject,
        old: names.old,
        new: names.new,
        changes: names.changes,
        not_judged: count_of_changes(&unjudged),
        situations: explored.iter().map(|(_, explored)| explored.runs.len()).sum(),
        findings,
        not_simulated: Vec::new(),
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
