//! Generation of situations: random types, an object that several managers have written, and the next apply request.
//!
//! The types and the documents come from the generators of [sequences of requests](crate::differential).

use std::collections::BTreeMap;
use std::sync::Arc;

use skewer_engine::{Doc, OwnedDoc, OwnedMap, Text};
use skewer_skew::OperationKind;

use super::change::{TopologyChange, item_struct};
use crate::differential::sequences::{
    DocumentWriter, Rates, ResourceTypes, SentManagedFields, Sequence, SequenceResource, Step, Style, Times,
    VersionDeclaration, random_structs,
};
use crate::differential::types::TrialStruct;
use crate::random_testing::Random;

/// Purpose of the [`Random`] generators, which makes them independent of other generators with the same seed.
const TOPOLOGY_PURPOSE: u64 = 7;

pub(super) const API_VERSION: &str = "v1";
const KIND: &str = "Trial";
const MANAGERS: [&str; 3] = ["one", "two", "three"];

/// A situation: types, requests that have led to an object, and the next apply request.
#[derive(Clone, Debug)]
pub struct TopologySituation {
    /// The structs of the types without the changed field. The first one is the type of the object, and the last one
    /// the items of the changed field.
    pub(super) structs: Vec<TrialStruct>,
    /// Index of the struct that has the changed field.
    pub(super) place: usize,
    /// The requests: those of the history, and at the end the next apply request. The resources are those of the old
    /// server and of the new server.
    pub(super) sequence: Sequence,
}

impl TopologySituation {
    /// Compiles the types of both servers.
    pub(super) fn resources(
        change: &TopologyChange,
        structs: &[TrialStruct],
        place: usize,
    ) -> Result<Vec<Arc<SequenceResource>>, String> {
        let compile = |structs: Vec<TrialStruct>| {
            let versions = vec![VersionDeclaration::new(API_VERSION)];
            SequenceResource::compile(ResourceTypes::Go(structs, false), versions).map(Arc::new)
        };
        [change.old, change.new]
            .map(|topology| compile(topology.declare(structs, place)))
            .into_iter()
            .collect()
    }
}

/// Generates the situation of a change with a number. Returns `None` if its types are invalid.
#[must_use]
pub fn generate(change: &TopologyChange, seed: u64, number: u64) -> Option<TopologySituation> {
    let mut random = Random::new(seed, TOPOLOGY_PURPOSE, number);
    let mut structs = random_structs(&mut random);
    structs[0].fields.retain(|field| field.name != "metadata");
    structs.push(item_struct());
    let place = if random.chance(700) { 0 } else { random.below(structs.len() - 1) };
    let resources = TopologySituation::resources(change, &structs, place).ok()?;
    let documents = change.of_documents().declare(&structs, place);
    let style = Style {
        special: 0,
        duplicates: if random.chance(800) { 0 } else { 500 },
        partial_keys: if random.chance(800) { 0 } else { 120 },
        empty: if random.chance(700) { 0 } else { 50 },
    };
    let steps = generate_steps(&mut random, &documents, style);
    let sequence = Sequence { number, resources, initial: None, times: Times::Increasing, steps };
    Some(TopologySituation { structs, place, sequence })
}

/// How often the first configuration of a manager differs from the object that all managers start from.
const CONFIGURATION: Rates = Rates { drop: 250, change: 100, add: 60 };
/// How often a document differs from the previous one of the same manager.
const NEXT: Rates = Rates { drop: 120, change: 130, add: 100 };

/// Generates the requests of a history, and the next one.
fn generate_steps(random: &mut Random, structs: &[TrialStruct], style: Style) -> Vec<Step> {
    let mut writer = DocumentWriter { structs, random, style };
    let base = writer.object();
    let mut last: BTreeMap<&'static str, OwnedMap> = BTreeMap::new();
    let count = 1 + writer.random.below(4);
    let mut steps = Vec::new();
    for index in 0..count {
        let is_apply = index + 1 == count || writer.random.chance(850);
        let manager = writer.random.pick_text(&MANAGERS);
        let document = match last.get(manager).cloned() {
            Some(previous) if writer.random.chance(250) => previous,
            Some(previous) => writer.varied(&previous, NEXT),
            None => writer.varied(&base, CONFIGURATION),
        };
        last.insert(manager, document.clone());
        let (operation, managed_fields) = if is_apply {
            (OperationKind::ServerSideApply, SentManagedFields::Absent)
        } else {
            (OperationKind::ManagedUpdate, SentManagedFields::OfLive)
        };
        steps.push(Step {
            operation,
            resource: 0,
            api_version: API_VERSION,
            manager,
            force: is_apply && writer.random.chance(200),
            subresource: "",
            document: as_object(document),
            managed_fields,
        });
    }
    steps
}

fn as_object(mut object: OwnedMap) -> OwnedDoc {
    object.insert(Text::from_static("apiVersion"), Doc::from(API_VERSION));
    object.insert(Text::from_static("kind"), Doc::from(KIND));
    Doc::Map(object)
}
