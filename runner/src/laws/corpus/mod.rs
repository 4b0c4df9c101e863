//! The situations of the corpus.

mod referenced_types;

use std::collections::HashSet;

use skewer_cases::{Corpus, Plan, SkewPlan};
use skewer_engine::patch::PatchContext;
use skewer_engine::schema::Schema;
use skewer_engine::skew::{Decoding, Edit, Intent, Request};
use skewer_engine::{Doc, Map, OwnedDoc};

use self::referenced_types::ReferencedTypes;
use super::situation::{ClientIntent, PatchSource, Situation, SituationOrigin};

/// Returns every situation of a corpus once. Cells that differ only in the directives that a party knows are one
/// situation.
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

/// Returns the strategic merge patches of a cell, or the intents that lead to them.
fn patch_sources(plan: &Plan) -> Vec<PatchSource> {
    let given =
        |live: &OwnedDoc, patch: &OwnedDoc| PatchSource::Given { live: live.clone(), patch: patch.clone() };
    let empty = Doc::Map(Map::new());
    match plan {
        Plan::Skew(plan) => skew_patch_source(plan).into_iter().collect(),
        Plan::Apply { context: Some(_), live, patch } => vec![given(live, patch)],
        Plan::TwoWay { context: Some(_), original, modified } => {
            vec![replacement_intent(original, None, modified)]
        }
        Plan::ThreeWay { context: Some(_), last_applied, modified, live, .. } => {
            vec![replacement_intent(live, Some(last_applied), modified)]
        }
        Plan::Merge { patches, .. } => patches.iter().map(|patch| given(&empty, patch)).collect(),
        Plan::Conflicts { left, right, .. } => vec![given(&empty, left), given(&empty, right)],
        _ => Vec::new(),
    }
}

fn skew_patch_source(plan: &SkewPlan) -> Option<PatchSource> {
    let last_applied = match plan.request {
        Request::StrategicMergePatch => None,
        Request::Apply => Some(plan.last_applied.clone()?),
        _ => return None,
    };
    // Selecting a member of a union needs a union in the types, and the types of a situation have none. The intent
    // replaces the whole object instead.
    if plan.intent.0.iter().any(|edit| matches!(edit, Edit::Select { .. } | Edit::Clear(_))) {
        let mut modified = last_applied.as_ref().unwrap_or(&plan.stored).clone();
        plan.intent.edit(&mut modified, &plan.everything, &plan.everything).ok()?;
        return Some(replacement_intent(&plan.stored, last_applied.as_ref(), &modified));
    }
    Some(PatchSource::Intent(ClientIntent {
        live: plan.stored.clone(),
        last_applied,
        intent: plan.intent.clone(),
        has_ideal: true,
    }))
}

/// Makes the intent that turns a document into the modified one: its fields become exactly these.
fn replacement_intent(live: &OwnedDoc, last_applied: Option<&OwnedDoc>, modified: &OwnedDoc) -> PatchSource {
    let fields = modified.as_map().cloned().unwrap_or_default();
    let choose = ".".parse().map(|at| Edit::Choose { selector: at, fields });
    PatchSource::Intent(ClientIntent {
        live: live.clone(),
        last_applied: last_applied.cloned(),
        intent: Intent(choose.into_iter().collect()),
        // With three documents, the fields that others set are to stay, and the plan does not say which they are.
        has_ideal: last_applied.is_none(),
    })
}

/// The schemas of the parties of a cell.
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
                &plan.everything,
                &*plan.client.context.schema,
                &*plan.server.context.schema,
                plan.client.decoding,
            ),
            // Patch cases are about documents as they are written, not as a client would hold them.
            Plan::Apply { context, .. } | Plan::TwoWay { context, .. } | Plan::ThreeWay { context, .. } => {
                let context = context.as_ref()?;
                (context, &*context.schema, &*context.schema, Decoding::Unstructured)
            }
            Plan::Merge { context, .. } | Plan::Conflicts { context, .. } => {
                (context, &*context.schema, &*context.schema, Decoding::Unstructured)
            }
            // Neither has anything to do with directives.
            Plan::JsonPatchApply { .. } | Plan::Declare(_) => return None,
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
