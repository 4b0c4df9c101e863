//! Extraction of situations from a corpus.

mod referenced_types;

use std::collections::HashSet;
use std::sync::Arc;

use skewer_cases::{Corpus, PatchPlan, Plan};
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::Schema;
use skewer_engine::{Doc, Map, OwnedDoc};
use skewer_skew::{Decoding, Edit, Intent, Request, Role, Scenario};

use self::referenced_types::ReferencedTypes;
use super::situation::{ClientIntent, PatchSource, Situation, SituationOrigin};

/// Returns the distinct situations of a corpus. Cells that differ only in the known directives give the same situation.
#[must_use]
pub fn situations(corpus: &Corpus) -> Vec<Situation> {
    let mut seen = HashSet::new();
    let mut situations = Vec::new();
    for cell in corpus.cells() {
        let Ok(plan) = cell.plan() else { continue };
        for source in patch_sources(&plan) {
            let Some(parties) = PartySchemas::from_plan(&plan) else { continue };
            let situation = parties.situation(SituationOrigin::CorpusCell(cell.id()), source);
            let Situation { types, missing_in_client, missing_in_server, decoding, patch_source, .. } =
                &situation;
            let key =
                format!("{types:?}{missing_in_client:?}{missing_in_server:?}{decoding:?}{patch_source:?}");
            if seen.insert(key) {
                situations.push(situation);
            }
        }
    }
    situations
}

/// Returns the strategic merge patches of a cell, or the intents from which they are created.
fn patch_sources(plan: &Plan) -> Vec<PatchSource> {
    match plan {
        Plan::Skew(plan) => skew_patch_source(plan).into_iter().collect(),
        Plan::Patch(plan) if plan.operation.kind.is_strategic() => strategic_patch_sources(plan),
        Plan::Patch(_) | Plan::Declare(_) => Vec::new(),
    }
}

/// Returns the strategic merge patches of a patch case: those that it has, or the intent of which it makes one.
fn strategic_patch_sources(plan: &PatchPlan) -> Vec<PatchSource> {
    let empty = Doc::Map(Map::new());
    let document = |role| plan.documents.get(&role).map(Arc::as_ref);
    let live = document(Role::Live);
    let given =
        |patch: &OwnedDoc| PatchSource::Given { live: live.unwrap_or(&empty).clone(), patch: patch.clone() };
    if let Some(modified) = document(Role::Modified) {
        let before = live.or(document(Role::Original)).unwrap_or(&empty);
        return vec![replacement_intent(before, document(Role::LastApplied), modified)];
    }
    document(Role::Patch).into_iter().chain(&plan.operation.list).map(given).collect()
}

fn skew_patch_source(plan: &Scenario) -> Option<PatchSource> {
    // A situation has no requests of other clients, which lead to the live object here.
    if plan.has_other_requests() {
        return None;
    }
    let last_applied = match plan.request {
        Request::StrategicMergePatch => None,
        Request::ClientSideApply => Some(plan.last_applied.as_deref()?),
        _ => return None,
    };
    // An edit of a union needs a union in the types, but the types of a situation have no unions. Instead, the intent
    // replaces the whole object.
    if plan.intent.0.iter().any(|edit| matches!(edit, Edit::Select { .. } | Edit::Clear(_))) {
        let mut modified = last_applied.unwrap_or(&plan.stored).clone();
        plan.intent.edit(&mut modified, &plan.full_context, &plan.full_context).ok()?;
        return Some(replacement_intent(&plan.stored, last_applied, &modified));
    }
    Some(PatchSource::Intent(ClientIntent {
        live: (*plan.stored).clone(),
        last_applied: last_applied.cloned(),
        intent: (*plan.intent).clone(),
        has_ideal: true,
        meanwhile: None,
    }))
}

/// Creates the intent that replaces all fields of a document by those of the modified one.
fn replacement_intent(live: &OwnedDoc, last_applied: Option<&OwnedDoc>, modified: &OwnedDoc) -> PatchSource {
    let fields = modified.as_map().cloned().unwrap_or_default();
    let choose = ".".parse().map(|at| Edit::Choose { selector: at, fields });
    PatchSource::Intent(ClientIntent {
        live: live.clone(),
        last_applied: last_applied.cloned(),
        intent: Intent(choose.into_iter().collect()),
        // A three-way patch must keep the fields that others set, but the plan does not tell which fields these are.
        has_ideal: last_applied.is_none(),
        meanwhile: None,
    })
}

struct PartySchemas<'p> {
    up_to_date: &'p PatchContext,
    client: &'p Schema,
    server: &'p Schema,
    decoding: Decoding,
}

impl<'p> PartySchemas<'p> {
    fn from_plan(plan: &'p Plan) -> Option<Self> {
        let (up_to_date, client, server, decoding) = match plan {
            Plan::Skew(plan) => (
                &plan.full_context,
                &*plan.client.context.schema,
                &*plan.server.context.schema,
                plan.client.decoding,
            ),
            // The documents of a patch case are not decoded by a client.
            Plan::Patch(plan) => {
                let context = plan.context.as_ref()?;
                (context, &*context.schema, &*context.schema, Decoding::Unstructured)
            }
            Plan::Declare(_) => return None,
        };
        (!up_to_date.custom_resource).then_some(PartySchemas { up_to_date, client, server, decoding })
    }

    fn situation(&self, origin: SituationOrigin, patch_source: PatchSource) -> Situation {
        let referenced = ReferencedTypes::extract(self.up_to_date, &patch_source);
        Situation {
            origin,
            missing_in_client: referenced.missing_elements(&self.up_to_date.schema, self.client),
            missing_in_server: referenced.missing_elements(&self.up_to_date.schema, self.server),
            types: referenced.types,
            root_type: referenced.root_type,
            decoding: self.decoding,
            patch_source,
        }
    }
}
