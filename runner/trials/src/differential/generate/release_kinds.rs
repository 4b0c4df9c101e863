//! Conversion of the kinds of an embedded release to the types of trials.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use skewer_engine::patch::{PatchContext, SpareCapacity};
use skewer_engine::profile::Profile;
use skewer_engine::schema::builtin::Release;
use skewer_engine::schema::{Field, FieldMeta, PatchStrategy, ScalarType, Schema, StructType, Type, TypeId};

use crate::differential::types::{
    MERGE_KEYS, TrialField, TrialStruct, TrialTopology, TrialType, TrialTypes, TypesOrigin,
};

/// Fields that a client decodes into Go types before it patches. The client refuses or changes invalid values of these
/// fields. It leaves all other fields unchanged.
const FIELDS_DECODED_BY_CLIENTS: [&str; 4] =
    ["creationTimestamp", "deletionTimestamp", "managedFields", "namespace"];

/// Fields of metadata that identify an object, or that a server sets. Releases, and the parts of a server, treat them
/// differently.
const FIELDS_WITHOUT_RANDOM_VALUES: [&str; 5] =
    ["managedFields", "namespace", "resourceVersion", "selfLink", "uid"];

/// API groups that are published but not in the scheme of any client. Their objects are never stored.
const GROUPS_WITHOUT_CLIENT: [&str; 2] = ["imagepolicy.k8s.io", "apidiscovery.k8s.io"];

/// Kinds with metadata that clients send or get, but that no API server stores.
const KINDS_THAT_ARE_NOT_STORED: [&str; 13] = [
    "Binding",
    "JobTemplate",
    "LocalSubjectAccessReview",
    "PodStatusResult",
    "RangeAllocation",
    "Scale",
    "SelfSubjectAccessReview",
    "SelfSubjectReview",
    "SelfSubjectRulesReview",
    "Status",
    "SubjectAccessReview",
    "TokenRequest",
    "TokenReview",
];

/// The party whose documents are generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Party {
    /// A client, which patches untyped documents.
    Client,
    /// The API server of the release 1.N, which decodes documents into Go types.
    Server(u32),
}

impl Party {
    /// Sets the directives and the behaviour of the patch library.
    fn context(self, context: PatchContext) -> PatchContext {
        let profile = match self {
            Party::Client => Profile::Today,
            Party::Server(minor) => Profile::Release(minor),
        };
        let spare_capacity = match self {
            Party::Client => SpareCapacity::default(),
            Party::Server(_) => SpareCapacity::None,
        };
        let (directives, library) = (profile.directives(), profile.library());
        PatchContext { directives, library, spare_capacity, ..context }
    }
}

/// Returns the object kinds of a release, as a party has them. Kinds with many merging lists are repeated, so that trials
/// pick them more often.
pub(super) fn release_kinds(release: &'static Release, party: Party) -> Result<Vec<Arc<TrialTypes>>, String> {
    let mut kinds = Vec::new();
    for (kind, name) in release.kinds().sorted() {
        let Some((api_version, kind)) = kind.rsplit_once('/') else { continue };
        let context =
            PatchContext::of(Arc::clone(release.schema()), name).map_err(|error| error.to_string())?;
        let is_object = release.schema().field(context.root, "metadata").is_some();
        if !is_object
            || GROUPS_WITHOUT_CLIENT.iter().any(|group| api_version.starts_with(group))
            // A list kind: clients send the items of a list one by one, and never the list itself.
            || release.schema().field(context.root, "items").is_some()
            || party != Party::Client && KINDS_THAT_ARE_NOT_STORED.contains(&kind)
        {
            continue;
        }
        let origin = TypesOrigin::Release { release: release.name(), api_version, kind };
        let types = Arc::new(TrialTypes {
            structs: collect_structs(release.schema(), context.root, party),
            context: party.context(context),
            origin,
            server: match party {
                Party::Client => None,
                Party::Server(minor) => Some(minor),
            },
        });
        let merging_fields = types
            .structs
            .iter()
            .flat_map(|declared| &declared.fields)
            .filter(|field| !field.strategy.is_empty());
        let repetitions = 1 + (merging_fields.count() / 4).min(5);
        kinds.extend(std::iter::repeat_n(types, repetitions));
    }
    Ok(kinds)
}

/// Returns the root struct and all structs that it refers to, directly or indirectly.
fn collect_structs(schema: &'static Schema, root: TypeId, party: Party) -> Vec<TrialStruct> {
    let (index_by_type, type_ids) = (HashMap::new(), Vec::new());
    let mut collector = StructCollector { schema, party, index_by_type, type_ids };
    collector.struct_index(root);
    let mut structs = Vec::new();
    while let Some(id) = collector.type_ids.get(structs.len()).copied() {
        structs.push(collector.convert_struct(id, structs.is_empty()));
    }
    mark_fields_that_lead_to_merges(&mut structs);
    structs
}

fn mark_fields_that_lead_to_merges(structs: &mut [TrialStruct]) {
    loop {
        let has_merge: Vec<bool> =
            structs.iter().map(|declared| declared.fields.iter().any(|field| field.leads_to_merge)).collect();
        let is_unmarked = |field: &TrialField| {
            !field.leads_to_merge && field.ty.referenced_struct().is_some_and(|index| has_merge[index])
        };
        let unmarked: Vec<&mut TrialField> = structs
            .iter_mut()
            .flat_map(|declared| &mut declared.fields)
            .filter(|field| is_unmarked(field))
            .collect();
        if unmarked.is_empty() {
            return;
        }
        for field in unmarked {
            field.leads_to_merge = true;
        }
    }
}

/// Converts the structs of a schema, and the structs to which they refer, into structs of a trial.
struct StructCollector {
    schema: &'static Schema,
    party: Party,
    index_by_type: HashMap<TypeId, usize>,
    type_ids: Vec<TypeId>,
}

impl StructCollector {
    fn struct_index(&mut self, id: TypeId) -> usize {
        *self.index_by_type.entry(id).or_insert_with(|| {
            self.type_ids.push(id);
            self.type_ids.len() - 1
        })
    }

    fn convert_struct(&mut self, id: TypeId, is_root: bool) -> TrialStruct {
        let fields = self.schema.as_struct(id).into_iter().flat_map(StructType::fields);
        let party = self.party;
        let is_metadata = self.schema.as_struct(id).is_some_and(|of| of.name.ends_with(".ObjectMeta"));
        let fields = fields.filter(|field| {
            let name = field.name.as_str();
            // Patches do not change the kind, because clients identify objects by it.
            let identifies_kind = is_root && ["apiVersion", "kind"].contains(&name);
            let is_left_out = match party {
                Party::Client => FIELDS_DECODED_BY_CLIENTS.contains(&name),
                Party::Server(_) => is_metadata && FIELDS_WITHOUT_RANDOM_VALUES.contains(&name),
            };
            !identifies_kind && !is_left_out
        });
        let fields = fields.map(|field| TrialField {
            name: field.name.as_str(),
            ty: self.convert_type(field.ty),
            strategy: strategy_tag(&field.meta),
            merge_key: field.meta.merge_key.first().map_or("", |key| key.as_str()),
            leads_to_merge: !strategy_tag(&field.meta).is_empty(),
            topology: self.topology_of(field),
        });
        let mut fields: Vec<TrialField> = fields.collect();
        fields.sort_by_key(|field| !MERGE_KEYS.contains(&field.name));
        TrialStruct { fields, topology: TrialTopology::NONE }
    }

    /// Returns the default of a field, and the topology of a list. Without a topology of the field, that of its type
    /// counts.
    fn topology_of(&self, field: &'static Field) -> TrialTopology {
        let declared = self.schema.topology(field.ty);
        let (list_type, keys) = match field.meta.list_type {
            Some(list_type) => (Some(list_type), &field.meta.list_map_keys),
            None => (declared.list_type, &declared.list_map_keys),
        };
        let list_map_keys = keys.iter().map(skewer_engine::Text::as_str).collect();
        let default = field.default.as_ref().map(|default| Cow::Owned(default.to_string()));
        TrialTopology { list_type, list_map_keys, default, ..TrialTopology::NONE }
    }

    fn convert_type(&mut self, id: TypeId) -> TrialType {
        match self.schema.get(id) {
            Type::Scalar(scalar) if self.party != Party::Client => TrialType::Scalar(*scalar),
            Type::Scalar(scalar) => TrialType::Scalar(undecoded(*scalar)),
            Type::Enum(_) => TrialType::STRING,
            Type::List(item) => TrialType::List(Box::new(self.convert_type(*item))),
            Type::Map(value) => TrialType::Map(Box::new(self.convert_type(*value))),
            Type::Struct(_) => TrialType::Struct(self.struct_index(id)),
            Type::Any => TrialType::Any,
        }
    }
}

/// Returns the scalar as a client has it that does not decode it.
fn undecoded(scalar: ScalarType) -> ScalarType {
    match scalar {
        ScalarType::Bytes | ScalarType::Time | ScalarType::MicroTime | ScalarType::Duration => {
            ScalarType::String
        }
        ScalarType::Int32 => ScalarType::Integer,
        ScalarType::Quantity => ScalarType::IntOrString,
        other => other,
    }
}

fn strategy_tag(meta: &FieldMeta) -> &'static str {
    match (meta.strategy, meta.has_tag("retainKeys")) {
        (PatchStrategy::Unset, false) => "",
        (PatchStrategy::Unset, true) => "retainKeys",
        (PatchStrategy::Merge, false) => "merge",
        (PatchStrategy::Merge, true) => "merge,retainKeys",
        (PatchStrategy::Replace, _) => "replace",
    }
}

#[cfg(test)]
mod tests {
    use skewer_engine::schema::builtin;

    use super::*;

    #[test]
    fn release_kinds_have_patch_metadata() {
        let kinds = release_kinds(builtin::newest(), Party::Client).unwrap();
        let is_pod = |types: &&Arc<TrialTypes>| {
            matches!(types.origin, TypesOrigin::Release { api_version: "v1", kind: "Pod", .. })
        };
        assert!(kinds.iter().filter(is_pod).count() > 1);
        let pod = kinds.iter().find(is_pod).unwrap();
        let Some(TrialType::Struct(spec)) = pod.root().field("spec").map(|field| field.ty.clone()) else {
            panic!("a pod has a spec")
        };
        let containers = pod.structs[spec].field("containers").unwrap();
        assert_eq!((containers.strategy, containers.merge_key), ("merge", "name"));
        assert!(pod.root().field("kind").is_none());
    }
}
