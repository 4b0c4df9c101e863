//! Generation of whole requests to an API server: the object that it stores, and the body of the request.
//!
//! The server must be able to decode the stored object. The values of the object therefore fit their types. Those of the
//! body are as in other trials: mostly right, sometimes wrong.

use std::sync::Arc;

use skewer_engine::patch::Overwrite;
use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap, Text};
use skewer_skew::{OperationKind, RequestType};

use super::documents::{DocumentGenerator, RareValues};
use super::json_patches::{child_at_step, comparable, without_own_nulls};
use super::{DOCUMENTS_PURPOSE, changed_object, random_patch, recase_or_wrap_field};
use crate::differential::trial::{Trial, TrialRequest};
use crate::differential::types::{TrialStruct, TrialType, TrialTypes, TypesOrigin};
use crate::random_testing::Random;

/// The fields of the metadata of the object that identify it, or by which a server compares versions. They do not occur at
/// random.
const IDENTITY: [&str; 1] = [NAME];

/// The fields of metadata that a server sets when it creates an object. The handlers of old releases leave that to the
/// registry.
const SET_ON_CREATION: [&str; 3] = ["creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"];

/// The first release, 1.N, whose servers validate fields unless a feature gate is off. Earlier ones ignore the option.
const FIELD_VALIDATION: u32 = 25;

const NAME: &str = "name";

/// The characters that Go escapes in JSON. The stored object has them escaped, and a JSON patch does not.
const ESCAPED: [char; 5] = ['<', '>', '&', '\u{2028}', '\u{2029}'];

/// Returns the types of requests from which trials pick one. The more frequent ones are repeated. Server-side apply is
/// compared in sequences of requests to a field manager.
#[must_use]
pub fn request_types() -> Vec<RequestType> {
    use RequestType::{Create, JsonMergePatch, JsonPatch, StrategicMergePatch, Update};
    vec![
        StrategicMergePatch,
        StrategicMergePatch,
        StrategicMergePatch,
        StrategicMergePatch,
        JsonMergePatch,
        JsonMergePatch,
        JsonPatch,
        JsonPatch,
        Update,
        Create,
    ]
}

/// Generates a trial with one of the types of requests.
pub(crate) fn generate_request(
    seed: u64,
    number: u64,
    types: &Arc<TrialTypes>,
    request_types: &[RequestType],
) -> Trial {
    let mut random = Random::new(seed, DOCUMENTS_PURPOSE, number);
    let request_type = *random.pick(request_types);
    let strict = random.chance(200) && types.server.is_some_and(|minor| minor >= FIELD_VALIDATION);
    let mistakes_per_mille = *random.pick_weighted(&[(60, 0), (25, 5), (10, 30), (5, 150)]);
    let rare_per_mille = *random.pick_weighted(&[(50, 0), (35, 30), (15, 150)]);
    let rare_values = RareValues::Decodable;
    let mut generator =
        DocumentGenerator { types, random, mistakes_per_mille: 0, rare_per_mille, rare_values };
    let live = generator.stored_object();
    generator.mistakes_per_mille = mistakes_per_mille;
    generator.rare_values = RareValues::MostlyDecodable;
    let mut documents = [Doc::Map(live.clone()), generator.body(request_type, &live)];
    recase_or_wrap_field(&mut generator, &mut documents[1..]);
    generator.identify(request_type, &mut documents);
    if request_type == RequestType::JsonPatch {
        documents = comparable(documents, &ESCAPED);
    }
    let [mut live, mut body] = documents;
    let exists = request_type != RequestType::Create;
    if generator.random.chance(if exists { 10 } else { 950 }) {
        live = Doc::Null;
    }
    if generator.random.chance(generator.mistakes_per_mille / 4) {
        body = generator.untyped_value(0);
    }
    Trial {
        number,
        operation: OperationKind::Request,
        types: Arc::clone(types),
        documents: vec![live, body],
        overwrite: Overwrite::No,
        preconditions: Vec::new(),
        request: TrialRequest { request_type, strict, ..TrialRequest::default() },
    }
}

impl DocumentGenerator<'_> {
    /// Generates an object that a server can decode.
    fn stored_object(&mut self) -> OwnedMap {
        let mut object = self.object();
        for field in &self.types.root().fields {
            if self.decide_rare() {
                object.insert(Text::from(field.name), Doc::Null);
            }
        }
        object
    }

    fn body(&mut self, request_type: RequestType, live: &OwnedMap) -> OwnedDoc {
        match request_type {
            RequestType::Create | RequestType::Update | RequestType::ServerSideApply => {
                Doc::Map(changed_object(self, live))
            }
            RequestType::JsonMergePatch if self.random.chance(700) => {
                Doc::Map(self.json_merge_patch(live, Some(self.types.root()), 0))
            }
            RequestType::StrategicMergePatch | RequestType::JsonMergePatch => {
                Doc::Map(random_patch(self, live))
            }
            RequestType::JsonPatch => self.typed_json_patch(&Doc::Map(live.clone())),
        }
    }

    /// Adds the identity to the stored object and to the body. It is the same in both, except for a mistake.
    fn identify(&mut self, request_type: RequestType, documents: &mut [OwnedDoc; 2]) {
        let is_whole = !matches!(request_type, RequestType::JsonPatch);
        for document in documents.iter_mut() {
            let metadata = document.as_map_mut().and_then(|object| object.get_mut("metadata"));
            if let Some(metadata) = metadata.and_then(Doc::as_map_mut) {
                let of_creation: &[&str] =
                    if request_type == RequestType::Create { &SET_ON_CREATION } else { &[] };
                for key in IDENTITY.iter().chain(of_creation) {
                    metadata.remove(key);
                }
            }
        }
        let name = self.random.chance(400);
        let in_body = request_type.is_whole_object() || self.random.chance(100);
        let [live, body] = documents;
        add_identity(live, self.types, name);
        if is_whole && in_body {
            add_identity(body, self.types, name);
        }
        if is_whole && self.random.chance(self.mistakes_per_mille / 2 + 4) {
            self.mistake_identity(body);
        }
    }

    /// Changes or removes a part of the identity of an object.
    fn mistake_identity(&mut self, body: &mut OwnedDoc) {
        let Doc::Map(object) = body else { return };
        let key = *self.random.pick(&["apiVersion", "kind", NAME, "resourceVersion"]);
        let value = match self.random.below(4) {
            0 => None,
            1 => Some(Doc::from("")),
            2 if key == "resourceVersion" => Some(Doc::from("1")),
            2 if key == "apiVersion" => Some(Doc::from("v1")),
            _ => Some(Doc::from("b")),
        };
        let map = if ["apiVersion", "kind"].contains(&key) {
            object
        } else {
            let metadata = Text::from_static("metadata");
            if object.get(&metadata).is_none_or(Doc::is_null) {
                object.insert(metadata.clone(), Doc::Map(Map::new()));
            }
            let Some(metadata) = object.get_mut(&metadata).and_then(Doc::as_map_mut) else { return };
            metadata
        };
        match value {
            Some(value) => drop(map.insert(Text::from(key), value)),
            None => drop(map.remove(key)),
        }
    }

    /// Generates a JSON merge patch: fields with other values, and nulls.
    fn json_merge_patch(
        &mut self,
        live: &OwnedMap,
        struct_type: Option<&TrialStruct>,
        depth: usize,
    ) -> OwnedMap {
        let mut patch = Map::new();
        for (key, value) in live.iter() {
            if !self.random.chance(450) {
                continue;
            }
            let ty = struct_type.and_then(|of| of.field(key)).map(|field| &field.ty);
            let changed = match (value, ty) {
                _ if self.random.chance(120) => Doc::Null,
                (Doc::Map(map), Some(TrialType::Struct(index))) => {
                    let struct_type = Some(&self.types.structs[*index]);
                    Doc::Map(self.json_merge_patch(map, struct_type, depth + 1))
                }
                (Doc::Map(map), _) => Doc::Map(self.json_merge_patch(map, None, depth + 1)),
                (_, Some(ty)) => self.typed_value(ty, depth + 1),
                (value, None) => value.clone(),
            };
            patch.insert(key.clone(), changed);
        }
        for field in struct_type.iter().flat_map(|of| &of.fields) {
            let chance = struct_type.map_or(0, |of| of.scaled_chance(field, 200));
            if !live.contains_key(field.name) && self.random.chance(chance) {
                let value =
                    if self.random.chance(100) { Doc::Null } else { self.typed_value(&field.ty, depth + 1) };
                patch.insert(Text::from(field.name), value);
            }
        }
        if self.random.chance(self.mistakes_per_mille) {
            let (key, value) = self.unknown_entry();
            patch.insert(key, value);
        }
        patch
    }

    /// Generates a JSON patch whose values fit the types of the values to which its pointers lead, except for mistakes.
    fn typed_json_patch(&mut self, live: &OwnedDoc) -> OwnedDoc {
        let length = self.random.below(4);
        without_own_nulls((0..length).map(|_| self.typed_json_operation(live)).collect(), live)
    }

    fn typed_json_operation(&mut self, live: &OwnedDoc) -> OwnedMap {
        if self.random.chance(self.mistakes_per_mille) {
            return self.json_operation(live);
        }
        let name = *self.random.pick(&["add", "add", "replace", "replace", "remove", "test", "copy", "move"]);
        let (path, value, ty) = self.typed_pointer(live, name == "add");
        let mut operation = Map::new();
        operation.insert(Text::from_static("op"), Doc::from(name));
        match name {
            "add" | "replace" => {
                let value = match ty {
                    Some(ty) => self.typed_value(&ty, 2),
                    None => self.untyped_value(2),
                };
                operation.insert(Text::from_static("value"), value);
            }
            "test" => {
                let value = value.unwrap_or(Doc::Null);
                operation.insert(Text::from_static("value"), value);
            }
            "copy" | "move" => {
                // Between two values of one list or map, so that the result usually fits the type.
                let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
                let step = self.random.pick_text(&["-", "0", "1", "a", "b", NAME]);
                let from = if self.random.chance(700) { format!("{parent}/{step}") } else { path.clone() };
                operation.insert(Text::from_static("from"), Doc::from(from));
            }
            _ => {}
        }
        operation.insert(Text::from_static("path"), Doc::from(path));
        operation
    }

    /// Generates a JSON pointer into an object. Returns it with the value to which it leads, and the type of that value.
    /// A pointer for an addition can end at a field that the object lacks, or behind the end of a list.
    fn typed_pointer(
        &mut self,
        live: &OwnedDoc,
        is_addition: bool,
    ) -> (String, Option<OwnedDoc>, Option<TrialType>) {
        let mut pointer = String::new();
        let mut value = live;
        let mut ty = Some(TrialType::Struct(0));
        loop {
            let missing = self.random.chance(if is_addition { 400 } else { 30 });
            let (step, inner) = match (value, ty) {
                (Doc::Map(_), Some(TrialType::Struct(index))) if missing => {
                    let fields = &self.types.structs[index].fields;
                    if fields.is_empty() {
                        return (pointer, Some(value.clone()), Some(TrialType::Struct(index)));
                    }
                    let field = self.random.pick(fields);
                    (field.name.to_owned(), Some(field.ty.clone()))
                }
                (Doc::List(items), Some(TrialType::List(item))) if missing || items.is_empty() => {
                    let step = if is_addition { "-".to_owned() } else { items.len().to_string() };
                    (step, Some(*item))
                }
                (Doc::Map(map), Some(TrialType::Map(inner))) if missing || map.is_empty() => {
                    (self.random.pick_text(&["a", "d", "~1", "é"]).to_owned(), Some(*inner))
                }
                (Doc::Map(map), ty) if !map.is_empty() => {
                    let index = self.random.below(map.len());
                    let key = map.keys().nth(index).map(|key| key.as_str().to_owned()).unwrap_or_default();
                    let inner = match ty {
                        Some(TrialType::Struct(index)) => {
                            self.types.structs[index].field(&key).map(|field| field.ty.clone())
                        }
                        Some(TrialType::Map(inner)) => Some(*inner),
                        _ => None,
                    };
                    (key.replace('~', "~0").replace('/', "~1"), inner)
                }
                (Doc::List(items), ty) if !items.is_empty() => {
                    let index = self.random.below(items.len());
                    let inner = match ty {
                        Some(TrialType::List(item)) => Some(*item),
                        _ => None,
                    };
                    (index.to_string(), inner)
                }
                (value, ty) => return (pointer, Some(value.clone()), ty),
            };
            pointer.push('/');
            pointer.push_str(&step);
            ty = inner;
            let Some(child) = child_at_step(value, &step) else {
                return (pointer, None, ty);
            };
            value = child;
            if !self.random.chance(if value.is_scalar() { 0 } else { 650 }) {
                return (pointer, Some(value.clone()), ty);
            }
        }
    }
}

/// Adds the API version, the kind, and possibly the name to an object.
fn add_identity(object: &mut OwnedDoc, types: &TrialTypes, name: bool) {
    let (TypesOrigin::Release { api_version, kind, .. }, Doc::Map(map)) = (&types.origin, object) else {
        return;
    };
    map.insert(Text::from_static("apiVersion"), Doc::from(*api_version));
    map.insert(Text::from_static("kind"), Doc::from(*kind));
    if name {
        let metadata = Text::from_static("metadata");
        if map.get(&metadata).is_none_or(Doc::is_null) {
            map.insert(metadata.clone(), Doc::Map(Map::new()));
        }
        if let Some(metadata) = map.get_mut(&metadata).and_then(Doc::as_map_mut) {
            metadata.insert(Text::from_static(NAME), Doc::from("a"));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rstest::rstest;
    use skewer_engine::schema::builtin;
    use skewer_skew::{Decoder, UnknownFieldHandling, convert};

    use super::*;
    use crate::differential::generate::{TypeSource, types_of_trial};

    fn trials(minor: u32, count: u64) -> impl Iterator<Item = Trial> {
        let release = builtin::releases().iter().find(|release| release.minor() == minor).unwrap();
        let kinds = TypeSource::of_server(release, minor).unwrap();
        (0..count).map(move |number| {
            let types = types_of_trial(&kinds, 6, number).unwrap();
            generate_request(6, number, &types, &request_types())
        })
    }

    /// A server refuses to serve an object that it cannot decode, so that the trial would compare nothing.
    #[rstest]
    #[case::old(20)]
    #[case::new(37)]
    fn servers_can_decode_the_stored_objects(#[case] minor: u32) {
        let mut stored = 0;
        for trial in trials(minor, 1_500).filter(|trial| !trial.documents[0].is_null()) {
            stored += 1;
            let context = &trial.types.context;
            let decoded = convert(context, &trial.documents[0], Decoder::Json, UnknownFieldHandling::Drop);
            assert!(decoded.is_ok(), "trial {}: {decoded:?}\n{}", trial.number, trial.documents[0]);
        }
        assert!(stored > 1_200, "{stored}");
    }

    #[test]
    fn only_servers_that_validate_fields_are_asked_to() {
        assert!(trials(24, 300).all(|trial| !trial.request.strict));
        let strict = trials(26, 300).filter(|trial| trial.request.strict).count();
        assert!((30..100).contains(&strict), "{strict}");
    }

    #[test]
    fn every_type_of_request_occurs_with_results_and_with_refusals() {
        let mut seen = BTreeSet::new();
        for trial in trials(37, 1_500) {
            let answer = crate::differential::compare::built_in_answer(&trial.engine_operation().unwrap());
            seen.insert((trial.request.request_type, answer.category() == "a result"));
        }
        let types: BTreeSet<RequestType> = request_types().into_iter().collect();
        assert_eq!(types.len(), 5);
        for request_type in types {
            assert!(seen.contains(&(request_type, true)), "no result of {}", request_type.name());
            assert!(seen.contains(&(request_type, false)), "no refusal of {}", request_type.name());
        }
    }
}
