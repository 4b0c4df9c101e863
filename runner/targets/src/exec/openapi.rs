//! Conversion of a compiled schema to an `OpenAPI` v3 document.
//!
//! The document is made from the compiled types, not from the declarations. The schema elements that a party does not
//! know are removed only from the compiled types, and the target must see the schema as that party does.

use std::collections::{HashMap, HashSet};

use super::union_message::{describe_union, kep_extension};
use skewer_engine::schema::openapi::tag_extension;
use skewer_engine::schema::union::Union;
use skewer_engine::schema::{
    Field, FieldMeta, ListType, MapType, PatchStrategy, Required, ScalarType, Schema, StructType, Type,
    TypeId, type_of_metadata,
};
use skewer_engine::{Doc, Map, OwnedDoc, OwnedMap, OwnedText, Text};

/// A schema in the form in which it is sent to an adapter.
#[derive(Clone, Debug)]
pub(crate) struct PublishedSchema {
    /// The name of the component that describes the root object.
    pub(crate) root: String,
    /// The OpenAPI document: `{components: {schemas}}`.
    pub(crate) openapi: OwnedDoc,
    /// Whether some struct contains itself.
    pub(crate) is_recursive: bool,
}

/// The operations for which a schema is published. The adapter's implementations read different parts of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    StrategicMergePatch,
    /// The schema also has all that `schemaconv.ToSchemaFromOpenAPI` of kube-openapi reads.
    ServerSideApply,
    /// The schema also has the unions, and the defaults of fields.
    Unions,
}

/// Converts a type, as the root, with all types that it refers to.
pub(crate) fn publish(schema: &Schema, root: TypeId) -> PublishedSchema {
    let mut writer = SchemaWriter::new(schema, Purpose::StrategicMergePatch, &mut HashSet::new());
    let name = writer.add_root(root);
    writer.finish(name)
}

/// Converts a type as [`publish`] does, with its unions.
pub(crate) fn publish_for_unions(schema: &Schema, root: TypeId) -> PublishedSchema {
    let mut writer = SchemaWriter::new(schema, Purpose::Unions, &mut HashSet::new());
    let name = writer.add_root(root);
    writer.finish(name)
}

/// Converts a type as [`publish`] does, for server-side apply. The component of the root declares `apiVersion`, `kind`
/// and `metadata`, whether the type declares them or not.
pub(crate) fn publish_for_server_side_apply(schema: &Schema, root: TypeId) -> PublishedSchema {
    let mut taken = HashSet::new();
    let mut writer = SchemaWriter::new(schema, Purpose::ServerSideApply, &mut taken);
    let mut name = writer.add_root(root);
    let lacks = |field: &&str| schema.field(root, field).is_none();
    let missing: Vec<&str> = ["apiVersion", "kind", "metadata"].into_iter().filter(lacks).collect();
    if schema.as_struct(root).is_some() && !missing.is_empty() {
        name = writer.add_object_fields(name, &missing, &mut taken);
    }
    writer.finish(name)
}

/// Returns a unique component name for each declared type. The names have no characters that a reference must escape,
/// because upstream does not unescape references.
fn component_names(schema: &Schema, taken: &mut HashSet<String>) -> HashMap<TypeId, String> {
    let mut names = HashMap::new();
    for declared in schema.names() {
        let Some(id) = schema.named(declared) else { continue };
        // An alias of a struct is the same type as the struct, so that only the struct has a component.
        if schema.as_struct(id).is_some_and(|of| of.name != declared) {
            continue;
        }
        let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '.' };
        names.insert(id, take_name(declared.chars().map(plain).collect(), taken));
    }
    names
}

/// Returns a name that no other component has, and reserves it.
fn take_name(mut name: String, taken: &mut HashSet<String>) -> String {
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}

fn object<const N: usize>(entries: [(&str, OwnedDoc); N]) -> OwnedDoc {
    Doc::Map(map(entries))
}

fn map<const N: usize>(entries: [(&str, OwnedDoc); N]) -> OwnedMap {
    entries.into_iter().map(|(key, value)| (Text::from(key), value)).collect()
}

fn type_schema(name: &str) -> OwnedMap {
    map([("type", Doc::from(name))])
}

fn strings<'s>(items: impl IntoIterator<Item = &'s OwnedText>) -> OwnedDoc {
    Doc::List(items.into_iter().map(|item| Doc::String(item.clone())).collect())
}

/// The extension of a property whose Go type is a pointer. Upstream's lookup in Go types treats pointers as lists.
const GO_POINTER: &str = "x-skewer-go-pointer";

const PATCH_STRATEGY: &str = "x-kubernetes-patch-strategy";
const PATCH_MERGE_KEY: &str = "x-kubernetes-patch-merge-key";
const LIST_TYPE: &str = "x-kubernetes-list-type";
const LIST_MAP_KEYS: &str = "x-kubernetes-list-map-keys";
const PRESERVE_UNKNOWN: &str = "x-kubernetes-preserve-unknown-fields";
/// The extension of KEP-1027, on the property of a discriminator.
const UNIONS: &str = "x-kubernetes-unions";
/// The extension of a struct with the unions that the extension of KEP-1027 cannot express.
const OTHER_UNIONS: &str = "x-skewer-unions";

struct SchemaWriter<'s> {
    schema: &'s Schema,
    purpose: Purpose,
    names: HashMap<TypeId, String>,
    components: OwnedMap,
    /// The names of the components to which some component refers.
    referenced: HashSet<String>,
    /// The types that are being converted, outermost first.
    in_progress: Vec<TypeId>,
    is_recursive: bool,
}

/// Maximum depth to which a recursive list or map type is written, if no struct is part of the recursion. Deeper
/// levels are never looked up, because only struct fields have patch metadata.
const MAX_SELF_NESTING: usize = 2;

impl<'s> SchemaWriter<'s> {
    fn new(schema: &'s Schema, purpose: Purpose, taken: &mut HashSet<String>) -> Self {
        SchemaWriter {
            schema,
            purpose,
            names: component_names(schema, taken),
            components: Map::new(),
            referenced: HashSet::new(),
            in_progress: Vec::new(),
            is_recursive: false,
        }
    }

    /// Adds the component of the root type and returns its name.
    fn add_root(&mut self, root: TypeId) -> String {
        let name = match self.names.get(&root) {
            Some(name) => name.clone(),
            None => "root".to_owned(),
        };
        self.add_component(root, &name);
        name
    }

    fn finish(self, root: String) -> PublishedSchema {
        let schemas = Doc::Map(self.components);
        PublishedSchema {
            root,
            openapi: object([("components", object([("schemas", schemas)]))]),
            is_recursive: self.is_recursive,
        }
    }

    /// Adds fields of every object to the component of the root, and returns the name of the component. If another
    /// component refers to the root, it must not get the fields, and the result is a copy.
    fn add_object_fields(&mut self, root: String, missing: &[&str], taken: &mut HashSet<String>) -> String {
        let Some(Doc::Map(mut component)) = self.components.get(root.as_str()).cloned() else { return root };
        let Some(Doc::Map(properties)) = component.get_mut("properties") else { return root };
        for field in missing {
            let property = match *field {
                "metadata" => self.add_metadata(taken),
                _ => type_schema("string"),
            };
            properties.insert(Text::from(*field), Doc::Map(property));
        }
        let is_referenced = self.referenced.contains(&root);
        let name = if is_referenced { take_name(format!("{root}.object"), taken) } else { root };
        self.components.insert(Text::from(name.as_str()), Doc::Map(component));
        name
    }

    /// Adds the components for the `metadata` of objects, and returns a reference.
    fn add_metadata(&mut self, taken: &mut HashSet<String>) -> OwnedMap {
        let (declarations, name) = type_of_metadata();
        let Ok(schema) = Schema::compile(&declarations) else { return any_schema() };
        let Some(metadata) = schema.named(name) else { return any_schema() };
        let mut writer = SchemaWriter::new(&schema, self.purpose, taken);
        let reference = writer.reference_or_inline(metadata);
        for (name, component) in writer.components.iter() {
            self.components.insert(name.clone(), component.clone());
        }
        reference
    }

    fn is_for_server_side_apply(&self) -> bool {
        self.purpose == Purpose::ServerSideApply
    }

    fn add_component(&mut self, ty: TypeId, name: &str) {
        // The component is registered before its fields are converted, so that recursive structs do not recurse
        // forever.
        if self.components.contains_key(name) {
            self.is_recursive |= self.in_progress.contains(&ty);
            return;
        }
        self.components.insert(Text::from(name), Doc::Null);
        self.in_progress.push(ty);
        let schema = match self.schema.get(ty) {
            Type::Struct(fields) => {
                let mut schema = self.struct_schema(fields);
                self.insert_topology(ty, &mut schema);
                schema
            }
            _ => self.inline_schema(ty),
        };
        self.in_progress.pop();
        self.components.insert(Text::from(name), Doc::Map(schema));
    }

    fn struct_schema(&mut self, of: &StructType) -> OwnedMap {
        let mut properties = Map::new();
        let mut required: Vec<OwnedText> = Vec::new();
        let unions = if self.purpose == Purpose::Unions { of.unions() } else { &[] };
        let (on_discriminators, others) = union_extensions(unions);
        for field in of.fields() {
            let mut property = self.reference_or_inline(field.ty);
            let mut meta = self.property_metadata(field);
            if let Some(extension) = on_discriminators.get(&field.name) {
                meta.insert(Text::from_static(UNIONS), extension.clone());
            }
            if meta.contains_key(LIST_TYPE) {
                // The keys of the list type belong to the list type of the type, which the field replaces.
                property.remove(LIST_MAP_KEYS);
            }
            // OpenAPI ignores keys beside `$ref`.
            if !meta.is_empty() && property.contains_key("$ref") {
                property = map([("allOf", Doc::List(vec![Doc::Map(property)]))]);
            }
            for (key, value) in meta {
                property.insert(key, value);
            }
            if field.required == Required::Yes {
                required.push(field.name.clone());
            }
            properties.insert(field.name.clone(), Doc::Map(property));
        }
        let mut schema = type_schema("object");
        schema.insert(Text::from("properties"), Doc::Map(properties));
        if !others.is_empty() {
            schema.insert(Text::from_static(OTHER_UNIONS), Doc::List(others));
        }
        if !required.is_empty() {
            required.sort_unstable();
            schema.insert(Text::from("required"), strings(&required));
        }
        schema
    }

    /// Returns the extensions of a property, and its default.
    fn property_metadata(&self, field: &Field) -> OwnedMap {
        let mut meta = patch_metadata(&field.meta);
        if !self.is_for_server_side_apply() {
            if field.is_pointer {
                meta.insert(Text::from_static(GO_POINTER), Doc::Bool(true));
            }
            if let Some(default) = field.default.as_ref().filter(|_| self.purpose == Purpose::Unions) {
                meta.insert(Text::from_static("default"), (**default).clone());
            }
            return meta;
        }
        if matches!(self.schema.get(field.ty), Type::Any) {
            // API servers publish such a field as a reference, which cannot have these extensions. A schema without a
            // type can be a list, so that upstream would read them here.
            for key in [PATCH_STRATEGY, PATCH_MERGE_KEY, LIST_TYPE, LIST_MAP_KEYS] {
                meta.remove(key);
            }
        }
        if field.meta.list_type.is_none() {
            // Keys without a list type have no meaning, and must not replace the keys of the type.
            meta.remove(LIST_MAP_KEYS);
        }
        insert_map_type(field.meta.map_type, &mut meta);
        if let Some(default) = &field.default {
            meta.insert(Text::from_static("default"), (**default).clone());
        }
        meta
    }

    /// Inserts the extensions of a type, in contrast to those of a field.
    fn insert_topology(&self, ty: TypeId, schema: &mut OwnedMap) {
        if !self.is_for_server_side_apply() {
            return;
        }
        let topology = self.schema.topology(ty);
        let (is_list, is_struct) = match self.schema.get(ty) {
            Type::List(_) => (true, false),
            Type::Struct(_) => (false, true),
            _ => (false, false),
        };
        if is_list {
            insert_list_type(topology.list_type, &topology.list_map_keys, schema);
        } else {
            insert_map_type(topology.map_type, schema);
        }
        if is_struct && topology.keeps_unknown_fields {
            schema.insert(Text::from_static(PRESERVE_UNKNOWN), Doc::Bool(true));
        }
    }

    /// Returns the schema for a reference to a type: `$ref` for a struct, and an inline schema for any other type.
    /// Other types must be inline, because upstream does not find the items of a list that is a component.
    fn reference_or_inline(&mut self, ty: TypeId) -> OwnedMap {
        let Type::Struct(of) = self.schema.get(ty) else { return self.inline_schema(ty) };
        let name = self.names.get(&ty).cloned().unwrap_or_else(|| of.name.to_string());
        self.add_component(ty, &name);
        self.referenced.insert(name.clone());
        map([("$ref", Doc::from(format!("#/components/schemas/{name}")))])
    }

    fn inline_schema(&mut self, ty: TypeId) -> OwnedMap {
        match self.schema.get(ty) {
            Type::Scalar(scalar) => scalar_schema(*scalar, self.purpose),
            Type::Enum(of) => {
                let mut schema = type_schema("string");
                if of.closed {
                    schema.insert(Text::from("enum"), strings(&of.values));
                }
                schema
            }
            Type::List(inner) => self.container_schema("array", "items", ty, *inner),
            Type::Map(inner) => self.container_schema("object", "additionalProperties", ty, *inner),
            Type::Struct(_) => self.reference_or_inline(ty),
            Type::Any => {
                let mut schema = any_schema();
                self.insert_topology(ty, &mut schema);
                schema
            }
        }
    }

    fn container_schema(&mut self, kind: &str, key: &str, ty: TypeId, inner: TypeId) -> OwnedMap {
        if self.in_progress.iter().filter(|in_progress| **in_progress == ty).count() >= MAX_SELF_NESTING {
            return any_schema();
        }
        self.in_progress.push(ty);
        let inner_schema = self.reference_or_inline(inner);
        self.in_progress.pop();
        let mut schema = type_schema(kind);
        schema.insert(Text::from(key), Doc::Map(inner_schema));
        self.insert_topology(ty, &mut schema);
        schema
    }
}

/// Returns the extensions of the discriminators of some unions, by field, and the description of each other union.
fn union_extensions(unions: &[Union]) -> (HashMap<OwnedText, OwnedDoc>, Vec<OwnedDoc>) {
    let (mut on_discriminators, mut others) = (HashMap::new(), Vec::new());
    for union in unions {
        match kep_extension(union) {
            Some((field, extension)) => {
                on_discriminators.insert(field, extension);
            }
            None => others.push(describe_union(union)),
        }
    }
    (on_discriminators, others)
}

fn any_schema() -> OwnedMap {
    map([(PRESERVE_UNKNOWN, Doc::Bool(true))])
}

fn scalar_schema(scalar: ScalarType, purpose: Purpose) -> OwnedMap {
    let text_of = |format: &str| map([("type", Doc::from("string")), ("format", Doc::from(format))]);
    match scalar {
        // Upstream takes a text with one of these formats as any scalar.
        ScalarType::Time | ScalarType::MicroTime if purpose == Purpose::ServerSideApply => {
            text_of("date-time")
        }
        ScalarType::Quantity if purpose == Purpose::ServerSideApply => text_of("quantity"),
        ScalarType::String | ScalarType::Time | ScalarType::MicroTime | ScalarType::Duration => {
            type_schema("string")
        }
        ScalarType::Integer | ScalarType::Int32 => type_schema("integer"),
        ScalarType::Number => type_schema("number"),
        ScalarType::Boolean => type_schema("boolean"),
        ScalarType::Bytes => text_of("byte"),
        ScalarType::IntOrString | ScalarType::Quantity => {
            map([("x-kubernetes-int-or-string", Doc::Bool(true))])
        }
    }
}

fn patch_metadata(meta: &FieldMeta) -> OwnedMap {
    let mut metadata = Map::new();
    let mut insert = |key: &str, value: OwnedDoc| {
        metadata.insert(Text::from(key), value);
    };
    let base = match meta.strategy {
        PatchStrategy::Unset => None,
        PatchStrategy::Merge => Some("merge"),
        PatchStrategy::Replace => Some("replace"),
    };
    let strategies: Vec<&str> = base.into_iter().chain(meta.strategy_words()).collect();
    if !strategies.is_empty() {
        insert(PATCH_STRATEGY, Doc::from(strategies.join(",")));
    }
    if !meta.merge_key.is_empty() {
        insert(PATCH_MERGE_KEY, Doc::from(meta.merge_key.join(",")));
    }
    for (tag, values) in meta.own_tags() {
        insert(&tag_extension(tag), Doc::from(values.join(",")));
    }
    insert_list_type(meta.list_type, &meta.list_map_keys, &mut metadata);
    metadata
}

fn insert_list_type(list_type: Option<ListType>, keys: &[OwnedText], schema: &mut OwnedMap) {
    if let Some(list_type) = list_type {
        schema.insert(Text::from_static(LIST_TYPE), Doc::from(list_type.name()));
    }
    if !keys.is_empty() {
        schema.insert(Text::from_static(LIST_MAP_KEYS), strings(keys));
    }
}

fn insert_map_type(map_type: Option<MapType>, schema: &mut OwnedMap) {
    if let Some(map_type) = map_type {
        schema.insert(Text::from_static("x-kubernetes-map-type"), Doc::from(map_type.name()));
    }
}

#[cfg(test)]
mod tests;
