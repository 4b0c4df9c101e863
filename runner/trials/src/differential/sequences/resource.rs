//! The resource of a sequence: its types and its versions.

use std::sync::Arc;

use skewer_engine::patch::PatchContext;
use skewer_engine::server_side_apply::{Rename, Resource, ResourceVersion};
use skewer_engine::{Doc, Map, OwnedMap, OwnedText, Text};
use skewer_skew::untyped_context;

use crate::differential::types::{
    TrialField, TrialStruct, TrialTopology, TrialType, TrialTypes, TypesOrigin,
};

/// The types of a resource.
#[derive(Clone, Debug)]
pub(crate) enum ResourceTypes {
    /// Random types. The last member tells whether the type of the object declares `apiVersion`, `kind` and `metadata`.
    Go(Vec<TrialStruct>, bool),
    /// Random types from which documents are generated, although the resource has no schema.
    Deduced(Vec<TrialStruct>),
    /// The types of a Kubernetes kind.
    Release(Arc<TrialTypes>),
}

/// A path of field names.
pub(crate) type NamePath = Vec<&'static str>;

/// The declaration of a version.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct VersionDeclaration {
    pub(crate) api_version: &'static str,
    /// The fields with another path in this version: the path in the first version, and the path here.
    pub(crate) renames: Vec<(NamePath, NamePath)>,
    pub(crate) reset_fields: Vec<NamePath>,
}

impl VersionDeclaration {
    pub(crate) fn new(api_version: &'static str) -> Self {
        VersionDeclaration { api_version, renames: Vec::new(), reset_fields: Vec::new() }
    }
}

/// A resource with compiled types.
#[derive(Clone, Debug)]
pub(crate) struct SequenceResource {
    pub(crate) types: ResourceTypes,
    pub(crate) versions: Vec<VersionDeclaration>,
    pub(crate) kind: &'static str,
    /// The compiled types of each version.
    pub(crate) compiled: Vec<Arc<TrialTypes>>,
    pub(crate) resource: Resource,
}

impl SequenceResource {
    /// Compiles the types of all versions. Versions without renames share their types.
    ///
    /// # Errors
    ///
    /// Returns a message if the engine cannot read the types.
    pub(crate) fn compile(types: ResourceTypes, versions: Vec<VersionDeclaration>) -> Result<Self, String> {
        let mut compiled: Vec<Arc<TrialTypes>> = Vec::new();
        for (index, version) in versions.iter().enumerate() {
            let same = versions[..index].iter().position(|other| other.renames == version.renames);
            let types = match same {
                Some(same) => Arc::clone(&compiled[same]),
                None => compile_version(&types, &version.renames)?,
            };
            compiled.push(types);
        }
        let resource_versions = versions.iter().zip(&compiled).map(|(version, types)| ResourceVersion {
            api_version: Text::from_static(version.api_version),
            schema: Arc::clone(&types.context.schema),
            root: types.context.root,
            renames: version.renames.iter().map(|(hub, version)| rename(hub, version)).collect(),
            reset_fields: version.reset_fields.iter().map(|path| texts(path)).collect(),
        });
        let resource = Resource::new(resource_versions.collect());
        let kind = match &types {
            ResourceTypes::Release(types) => match types.origin {
                TypesOrigin::Release { kind, .. } => kind,
                TypesOrigin::Go(_) => "Trial",
            },
            _ => "Trial",
        };
        Ok(SequenceResource { types, versions, kind, compiled, resource })
    }

    /// Returns the structs from which documents of the first version are generated.
    pub(crate) fn structs(&self) -> &[TrialStruct] {
        match &self.types {
            ResourceTypes::Go(structs, _) | ResourceTypes::Deduced(structs) => structs,
            ResourceTypes::Release(types) => &types.structs,
        }
    }

    pub(crate) fn version(&self, api_version: &str) -> Option<&VersionDeclaration> {
        self.versions.iter().find(|version| version.api_version == api_version)
    }

    /// Returns the context of an API version.
    pub(crate) fn context(&self, api_version: &str) -> Option<&PatchContext> {
        let index = self.versions.iter().position(|version| version.api_version == api_version)?;
        self.compiled.get(index).map(|types| &types.context)
    }

    /// Moves the renamed fields of an object in the first version to their paths in another version, or back.
    pub(crate) fn renamed(&self, object: &OwnedMap, api_version: &str, direction: Direction) -> OwnedMap {
        let mut object = object.clone();
        let Some(version) = self.version(api_version) else { return object };
        let renames = version.renames.iter();
        match direction {
            Direction::FromFirst => {
                renames.for_each(|(hub, version)| move_value(&mut object, hub, version));
            }
            Direction::ToFirst => {
                renames.rev().for_each(|(hub, version)| move_value(&mut object, version, hub));
            }
        }
        object
    }
}

/// The direction of a conversion between the first version and another version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    FromFirst,
    ToFirst,
}

fn texts(path: &[&'static str]) -> Vec<OwnedText> {
    path.iter().map(|name| Text::from_static(name)).collect()
}

fn rename(hub: &[&'static str], version: &[&'static str]) -> Rename {
    Rename { hub: texts(hub), version: texts(version) }
}

/// Moves a value. A map that becomes empty is removed, and missing maps are created.
fn move_value(object: &mut OwnedMap, from: &[&str], to: &[&str]) {
    fn take(map: &mut OwnedMap, path: &[&str]) -> Option<skewer_engine::OwnedDoc> {
        let (first, rest) = path.split_first()?;
        if rest.is_empty() {
            return map.remove(first);
        }
        let inner = map.get_mut(first)?.as_map_mut()?;
        let value = take(inner, rest)?;
        if inner.is_empty() {
            map.remove(first);
        }
        Some(value)
    }
    let Some(value) = take(object, from) else { return };
    let mut place = object;
    let Some((last, holders)) = to.split_last() else { return };
    for name in holders {
        if !matches!(place.get(name), Some(Doc::Map(_))) {
            place.insert(Text::from(*name), Doc::Map(Map::new()));
        }
        let Some(Doc::Map(inner)) = place.get_mut(name) else { return };
        place = inner;
    }
    place.insert(Text::from(*last), value);
}

fn compile_version(
    types: &ResourceTypes,
    renames: &[(NamePath, NamePath)],
) -> Result<Arc<TrialTypes>, String> {
    match types {
        ResourceTypes::Release(types) => Ok(Arc::clone(types)),
        ResourceTypes::Deduced(structs) => {
            let context = untyped_context().map_err(|error| error.to_string())?;
            let origin = TypesOrigin::Go(String::new());
            Ok(Arc::new(TrialTypes { structs: structs.clone(), context, origin, server: None }))
        }
        ResourceTypes::Go(structs, declares_metadata) => {
            let mut structs = structs.clone();
            if !declares_metadata {
                structs[0]
                    .fields
                    .retain(|field| field.ty != TrialType::ObjectMeta || field.name != "metadata");
            }
            if *declares_metadata {
                structs[0]
                    .fields
                    .extend(["apiVersion", "kind"].map(|name| plain_field(name, TrialType::STRING)));
            }
            for (hub, version) in renames {
                if let Some(field) = take_field(&mut structs, 0, hub) {
                    put_field(&mut structs, 0, version, field);
                }
            }
            TrialTypes::from_structs(structs).map(Arc::new)
        }
    }
}

/// Creates a field without metadata.
pub(crate) fn plain_field(name: &'static str, ty: TrialType) -> TrialField {
    TrialField { name, ty, strategy: "", merge_key: "", leads_to_merge: false, topology: TrialTopology::NONE }
}

/// Returns the index of a copy of the struct to which a field refers. The field then refers to the copy, so that other
/// fields keep the struct.
fn own_struct(structs: &mut Vec<TrialStruct>, at: usize, name: &str) -> Option<usize> {
    let field = structs[at].fields.iter().position(|field| field.name == name)?;
    let TrialType::Struct(index) = structs[at].fields[field].ty else { return None };
    let copy = structs[index].clone();
    structs.push(copy);
    structs[at].fields[field].ty = TrialType::Struct(structs.len() - 1);
    Some(structs.len() - 1)
}

fn take_field(structs: &mut Vec<TrialStruct>, at: usize, path: &[&'static str]) -> Option<TrialField> {
    let (first, rest) = path.split_first()?;
    if rest.is_empty() {
        let index = structs[at].fields.iter().position(|field| field.name == *first)?;
        return Some(structs[at].fields.remove(index));
    }
    let inner = own_struct(structs, at, first)?;
    take_field(structs, inner, rest)
}

fn put_field(structs: &mut Vec<TrialStruct>, at: usize, path: &[&'static str], field: TrialField) {
    let Some((first, rest)) = path.split_first() else { return };
    if rest.is_empty() {
        structs[at].fields.retain(|other| other.name != *first);
        structs[at].fields.push(TrialField { name: first, ..field });
        return;
    }
    let inner = own_struct(structs, at, first).unwrap_or_else(|| {
        structs.push(TrialStruct { fields: Vec::new(), topology: TrialTopology::NONE });
        let index = structs.len() - 1;
        structs[at].fields.push(plain_field(first, TrialType::Struct(index)));
        index
    });
    put_field(structs, inner, rest, field);
}
