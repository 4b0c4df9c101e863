//! The kinds of an embedded release as types of trials.

use std::collections::HashMap;
use std::sync::Arc;

use skewer_engine::patch::PatchContext;
use skewer_engine::profile::Profile;
use skewer_engine::schema::builtin::Release;
use skewer_engine::schema::{
    FieldMeta, PatchStrategy, ScalarType, Schema, StructType, Type as Declared, TypeId,
};

use super::types::{Field, MERGE_KEYS, Origin, Struct, Type, Types};

/// What a client reads as Go types before it patches, and refuses or changes if it cannot; the rest of an object it takes
/// as it comes.
const READ_BY_CLIENTS: [&str; 4] = ["creationTimestamp", "deletionTimestamp", "managedFields", "namespace"];

/// Published with the other types, and in no scheme of a client: these are no objects that anybody stores.
const IN_NO_CLIENT: [&str; 2] = ["imagepolicy.k8s.io", "apidiscovery.k8s.io"];

/// The kinds of a release that are objects. Those with many lists to merge are there several times.
pub(super) fn kinds(release: &'static Release) -> Result<Vec<Arc<Types>>, String> {
    let mut kinds = Vec::new();
    for (kind, name) in release.kinds().sorted() {
        let Some((api_version, kind)) = kind.rsplit_once('/') else { continue };
        let context =
            PatchContext::of(Arc::clone(release.schema()), name).map_err(|error| error.to_string())?;
        let is_object = release.schema().field(context.root, "metadata").is_some();
        // Clients take a list for the objects in it.
        if !is_object
            || IN_NO_CLIENT.iter().any(|group| api_version.starts_with(group))
            || release.schema().field(context.root, "items").is_some()
        {
            continue;
        }
        let origin = Origin::Release { release: release.name(), api_version, kind };
        let types = Arc::new(Types {
            structs: structs(release.schema(), context.root),
            context: PatchContext { directives: Profile::Today.directives(), ..context },
            origin,
        });
        let merging =
            types.structs.iter().flat_map(|of| &of.fields).filter(|field| !field.strategy.is_empty());
        let times = 1 + (merging.count() / 4).min(5);
        kinds.extend(std::iter::repeat_n(types, times));
    }
    Ok(kinds)
}

/// The root and all structs that it leads to.
fn structs(schema: &'static Schema, root: TypeId) -> Vec<Struct> {
    let mut reader = Reader { schema, places: HashMap::new(), found: Vec::new() };
    reader.place(root);
    let mut structs = Vec::new();
    while let Some(id) = reader.found.get(structs.len()).copied() {
        structs.push(reader.read(id, structs.is_empty()));
    }
    mark_merging(&mut structs);
    structs
}

/// Marks the fields that lead to fields that merge.
fn mark_merging(structs: &mut [Struct]) {
    loop {
        let merging: Vec<bool> =
            structs.iter().map(|of| of.fields.iter().any(|field| field.merges)).collect();
        let leads = |field: &Field| !field.merges && field.ty.refers_to().is_some_and(|at| merging[at]);
        let found: Vec<&mut Field> =
            structs.iter_mut().flat_map(|of| &mut of.fields).filter(|field| leads(field)).collect();
        if found.is_empty() {
            return;
        }
        for field in found {
            field.merges = true;
        }
    }
}

struct Reader {
    schema: &'static Schema,
    places: HashMap<TypeId, usize>,
    found: Vec<TypeId>,
}

impl Reader {
    fn place(&mut self, id: TypeId) -> usize {
        *self.places.entry(id).or_insert_with(|| {
            self.found.push(id);
            self.found.len() - 1
        })
    }

    fn read(&mut self, id: TypeId, is_root: bool) -> Struct {
        let fields = self.schema.as_struct(id).into_iter().flat_map(StructType::fields);
        let fields = fields.filter(|field| {
            let name = field.name.as_str();
            // Patches leave the kind alone; clients tell objects by it.
            let tells_the_kind = is_root && ["apiVersion", "kind"].contains(&name);
            !tells_the_kind && !READ_BY_CLIENTS.contains(&name)
        });
        let fields = fields.map(|field| Field {
            name: field.name.as_str(),
            ty: self.ty(field.ty),
            strategy: strategy(&field.meta),
            merge_key: field.meta.merge_key.first().map_or("", |key| key.as_str()),
            merges: !strategy(&field.meta).is_empty(),
        });
        let mut fields: Vec<Field> = fields.collect();
        fields.sort_by_key(|field| !MERGE_KEYS.contains(&field.name));
        Struct { fields }
    }

    fn ty(&mut self, id: TypeId) -> Type {
        match self.schema.get(id) {
            Declared::Scalar(ScalarType::String | ScalarType::Bytes) | Declared::Enum(_) => Type::String,
            Declared::Scalar(ScalarType::Integer) => Type::Integer,
            Declared::Scalar(ScalarType::Number) => Type::Number,
            Declared::Scalar(ScalarType::Boolean) => Type::Boolean,
            Declared::Scalar(ScalarType::IntOrString) => Type::IntOrString,
            Declared::List(item) => Type::List(Box::new(self.ty(*item))),
            Declared::Map(value) => Type::Map(Box::new(self.ty(*value))),
            Declared::Struct(_) => Type::Struct(self.place(id)),
            Declared::Any => Type::Any,
        }
    }
}

fn strategy(meta: &FieldMeta) -> &'static str {
    match (meta.strategy, meta.retain_keys) {
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
    fn kinds_have_their_fields() {
        let kinds = kinds(builtin::newest()).unwrap();
        let pods = |types: &&Arc<Types>| {
            matches!(types.origin, Origin::Release { api_version: "v1", kind: "Pod", .. })
        };
        assert!(kinds.iter().filter(pods).count() > 1);
        let pod = kinds.iter().find(pods).unwrap();
        let Some(Type::Struct(spec)) = pod.root().field("spec").map(|field| field.ty.clone()) else {
            panic!("a pod has a spec")
        };
        let containers = pod.structs[spec].field("containers").unwrap();
        assert_eq!((containers.strategy, containers.merge_key), ("merge", "name"));
        assert!(pod.root().field("kind").is_none());
    }
}
