//! Audits: of the versions of `CustomResourceDefinition`s, and of declared types.

mod attribution;
mod definitions;
mod kept_fields;
mod not_judged;
mod servers;
mod types;
mod version_pairs;
mod versions;

use std::collections::BTreeSet;

use rayon::prelude::*;
use skewer_cases::format::SchemaSpec;
use skewer_reports::audit::{Audit, AuditFinding, Preserved, PreservedRow};

use super::cause::Cause;
use super::clients::ClientStyle;
use super::explore::{ExploreOptions, Explored, SkewDifference, World};
use super::finding::{
    finding, finding_on_dropped_fields, is_dropped_field, is_plain_addition, note_on_additions,
};

use attribution::attribute;
use not_judged::{PlaceOf, Unjudged, count_of_changes, not_judged, unjudged};

pub use definitions::audit_version;
pub use servers::{AuditsOfRelease, across_releases};
pub use types::{ComparedKind, audit_kind, audit_kinds, compared_kinds};
pub use version_pairs::audit_versions;
pub use versions::audit_definitions;

/// The names of the compared versions.
struct Names {
    /// The kind, such as `Issuer certs.example.com`.
    definition: String,
    /// The version of the kind, or both versions that are compared. Empty if it has none.
    versions: String,
    old: String,
    new: String,
    changes: usize,
    /// The old and the new types, if the findings have cases.
    schemas: Vec<SchemaSpec>,
}

/// Returns the types of the cases of findings, if there are cases.
fn schemas(options: ExploreOptions<'_>, schemas: impl FnOnce() -> [SchemaSpec; 2]) -> Vec<SchemaSpec> {
    if options.cases { schemas().to_vec() } else { Vec::new() }
}

/// Runs the situations of causes.
fn explore_all(causes: Vec<Cause>, explore: &(dyn Fn(&Cause) -> Explored + Sync)) -> Vec<(Cause, Explored)> {
    let of_cause = |cause: Cause| {
        let explored = explore(&cause);
        (cause, explored)
    };
    causes.into_par_iter().map(of_cause).collect()
}

/// Reports what was found.
fn report(names: Names, explored: &[(Cause, Explored)], place: PlaceOf<'_>) -> Audit {
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
    // What happens to stored objects is worse than what happens to new ones: the situations have this order.
    let of_cause = |(cause, explored): &&(Cause, Explored)| {
        let worst = explored.observations.iter().map(|observation| observation.world).min();
        Some((worst, finding(cause, explored, place(cause, None))?))
    };
    let mut findings: Vec<(Option<World>, AuditFinding)> =
        others.into_iter().filter_map(|one| of_cause(&one)).collect();
    let on_several = finding_on_dropped_fields(&dropped).into_iter().chain(note_on_additions(&plain));
    findings.extend(on_several.map(|finding| (None, finding)));
    findings.sort_by(|(world, a), (other_world, b)| {
        (a.severity, world, &a.path, &a.change).cmp(&(b.severity, other_world, &b.path, &b.change))
    });
    let mut findings: Vec<AuditFinding> = findings.into_iter().map(|(_, finding)| finding).collect();
    findings.splice(0..0, not_judged(&unjudged, place));
    Audit {
        definition: names.definition,
        versions: names.versions,
        old: names.old,
        new: names.new,
        changes: names.changes,
        not_judged: count_of_changes(&unjudged),
        situations: explored.iter().map(|(_, explored)| explored.runs.len()).sum(),
        findings,
        not_simulated: Vec::new(),
        preserved: preserved(explored),
        schemas: names.schemas,
    }
}

/// Sorts findings by severity. Those about the whole definition come first.
fn sort(findings: &mut [AuditFinding]) {
    findings.sort_by_key(|finding| {
        let is_about_element = !finding.path.is_empty() || !finding.paths.is_empty();
        (finding.severity.rank(), is_about_element)
    });
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
    ClientStyle::WRITERS.into_iter().map(row).collect()
}
