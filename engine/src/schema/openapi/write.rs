//! Writes declarations as published documents.

use std::collections::{HashMap, HashSet};

use super::keywords::{
    EMBEDDED_RESOURCE, GO_POINTER, INT_OR_STRING, LIST_MAP_KEYS, LIST_TYPE, MAP_TYPE, NULLABLE_V2,
    PATCH_MERGE_KEY, PATCH_STRATEGY, PRESERVE_UNKNOWN, UNIONS, tag_extension,
};
use super::write_unions::union_extensions;
use crate::document::{Doc, Map, OwnedDoc, OwnedMap, Text, from_json};
use crate::schema::embedding::{Embedding, FlattenedField};
use crate::schema::resolution::DeclarationIndex;
use crate::schema::type_topology::{declares_list_type, declares_map_type, list_map_keys_of};
use crate::schema::{Declarations, FieldDecl, Marker, PatchMeta, ScalarType, Shape, TypeExpr};

/// Writes an `OpenAPI` v2 document: `{swagger, info, paths, definitions}`.
///
/// Embedded structs become part of the objects that embed them, as in JSON.
#[must_use]
pub fn write_v2(declarations: &Declarations) -> OwnedDoc {
    let definitions = write_schemas(declarations, Format::V2);
    object([
        ("swagger", Doc::from("2.0")),
        ("info", info()),
        ("paths", Doc::Map(Map::new())),
        ("definitions", definitions),
    ])
}

/// Writes an `OpenAPI` v3 document: `{openapi, info, paths, components: {schemas}}`.
///
/// Embedded structs become part of the objects that embed them, as in JSON.
#[must_use]
pub fn write_v3(declarations: &Declarations) -> OwnedDoc {
    let schemas = write_schemas(declarations, Format::V3);
    object([
        ("openapi", Doc::from("3.0.0")),
        ("info", info()),
        ("paths", Doc::Map(Map::new())),
        ("components", object([("schemas", schemas)])),
    ])
}

/// The kind of document that is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    V2,
    V3,
    /// A `CustomResourceDefinition`. It resembles v3, but has no references: each use of a type contains the schema of
    /// the type.
    CustomResource,
}

pub(super) fn object<const N: usize>(entries: [(&str, OwnedDoc); N]) -> OwnedDoc {
    Doc::Map(map(entries))
}

pub(super) fn map<const N: usize>(entries: [(&str, OwnedDoc); N]) -> OwnedMap {
    entries.into_iter().map(|(key, value)| (Text::from(key), value)).collect()
}

fn info() -> OwnedDoc {
    object([("title", Doc::from("Skewer")), ("version", Doc::from("0"))])
}

fn string_list<'s>(items: impl IntoIterator<Item = &'s str>) -> OwnedDoc {
    Doc::List(items.into_iter().map(Doc::from).collect())
}

fn write_schemas(declarations: &Declarations, format: Format) -> OwnedDoc {
    let index = DeclarationIndex::new(declarations);
    let embedding = Embedding::new(&index, declarations.types.len());
    let writer = Writer { format, index: &index, embedding: &embedding };
    let types = declarations.types.iter().enumerate();
    Doc::Map(types.map(|(i, ty)| (Text::from(ty.name.as_str()), Doc::Map(writer.type_schema(i)))).collect())
}

/// Writes the schemas of declarations in one format.
pub(super) struct Writer<'i, 'd> {
    pub(super) format: Format,
    pub(super) index: &'i DeclarationIndex<'d>,
    pub(super) embedding: &'i Embedding<'i, 'd>,
}

impl<'d> Writer<'_, 'd> {
    /// Writes the schema of the declaration with this index.
    pub(super) fn type_schema(&self, ty: usize) -> OwnedMap {
        let decl = self.index.get(ty);
        let mut schema = match &decl.shape {
            Shape::Struct(_) => self.struct_schema(ty),
            Shape::Enum { values, closed } => {
                let mut schema = map([("type", Doc::from("string"))]);
                if *closed {
                    // Several Go constants can have the same value. The list contains each value once.
                    let mut seen = HashSet::new();
                    let values = values.iter().map(|v| v.value.as_str()).filter(|value| seen.insert(*value));
                    schema.insert(Text::from("enum"), string_list(values));
                }
                schema
            }
            Shape::Alias(ty) => self.allow_siblings(self.expr_schema(ty)),
        };
        write_markers(&decl.markers, &mut schema);
        let keys = list_map_keys_of(&decl.markers);
        if !keys.is_empty() {
            schema.insert(Text::from(LIST_MAP_KEYS), string_list(keys));
        }
        if let Some(list_type) = decl.markers.iter().rfind(|marker| declares_list_type(marker)) {
            schema.insert(Text::from(LIST_TYPE), Doc::from(argument(list_type)));
        }
        self.simplify_embedded_resource(&mut schema);
        schema
    }

    fn struct_schema(&self, ty: usize) -> OwnedMap {
        let mut properties = Vec::new();
        let mut required = Vec::new();
        let mut unions = self.union_extensions(ty);
        for FlattenedField { field, declared_in, .. } in self.embedding.fields(ty) {
            let union = unions.remove(&(declared_in, field.name.as_str()));
            if is_required(field) {
                required.push(field.name.as_str());
            }
            properties.push((Text::from(field.name.as_str()), Doc::Map(self.property_schema(field, union))));
        }
        let properties = Doc::Map(properties.into_iter().collect());
        let mut schema = map([("type", Doc::from("object")), ("properties", properties)]);
        if !required.is_empty() {
            required.sort_unstable();
            schema.insert(Text::from("required"), string_list(required));
        }
        schema
    }

    /// Returns the extension of every discriminator of a struct, including embedded structs. The key is the struct that
    /// declares the discriminator, and the name of the discriminator.
    fn union_extensions(&self, ty: usize) -> HashMap<(&'d str, &'d str), OwnedDoc> {
        let mut extensions = HashMap::new();
        for declared_in in self.embedding.structs(ty) {
            let fields = self.index.struct_fields(declared_in).unwrap_or_default();
            let name = self.index.get(declared_in).name.as_str();
            for (i, extension) in union_extensions(fields, self.index) {
                extensions.insert((name, fields[i].name.as_str()), extension);
            }
        }
        extensions
    }

    fn property_schema(&self, field: &FieldDecl, union: Option<OwnedDoc>) -> OwnedMap {
        let mut siblings = Map::new();
        if let Some(default) = field.default.as_ref().or(field.published_default.as_ref()) {
            siblings.insert(Text::from("default"), default.clone());
        }
        if field.markers.iter().any(|marker| marker.name == "nullable") {
            let key = if self.format == Format::V2 { NULLABLE_V2 } else { "nullable" };
            siblings.insert(Text::from(key), Doc::Bool(true));
        }
        if matches!(field.ty, TypeExpr::Pointer(_)) {
            siblings.insert(Text::from(GO_POINTER), Doc::Bool(true));
        }
        write_markers(&field.markers, &mut siblings);
        write_patch_meta(&field.patch, &mut siblings);
        if let Some(union) = union {
            siblings.insert(Text::from(UNIONS), union);
        }
        let mut schema = self.expr_schema(&field.ty);
        if !siblings.is_empty() {
            schema = self.allow_siblings(schema);
        }
        for (key, value) in siblings {
            schema.insert(key, value);
        }
        self.simplify_embedded_resource(&mut schema);
        schema
    }

    /// Replaces the type of the metadata of an embedded resource by an object. A definition can only declare it as such;
    /// servers replace it by the type of metadata.
    fn simplify_embedded_resource(&self, schema: &mut OwnedMap) {
        let is_embedded = matches!(schema.get(EMBEDDED_RESOURCE), Some(Doc::Bool(true)));
        if self.format != Format::CustomResource || !is_embedded {
            return;
        }
        let Some(Doc::Map(properties)) = schema.get_mut("properties") else { return };
        if let Some(metadata) = properties.get_mut("metadata") {
            *metadata = object([("type", Doc::from("object"))]);
        }
    }

    /// Returns a schema to which other keywords can be added. A schema with `$ref` is wrapped in v3, which ignores
    /// keywords beside a `$ref`.
    fn allow_siblings(&self, schema: OwnedMap) -> OwnedMap {
        if self.format == Format::V3 && schema.contains_key("$ref") {
            return map([("allOf", Doc::List(vec![Doc::Map(schema)]))]);
        }
        schema
    }

    fn expr_schema(&self, ty: &TypeExpr) -> OwnedMap {
        match ty {
            TypeExpr::Scalar(scalar) => self.scalar_schema(*scalar),
            TypeExpr::Named(name) if self.format == Format::CustomResource => {
                self.index.find(name).map(|ty| self.type_schema(ty)).unwrap_or_default()
            }
            TypeExpr::Named(name) => {
                let prefix =
                    if self.format == Format::V2 { "#/definitions/" } else { "#/components/schemas/" };
                let name = name.replace('~', "~0").replace('/', "~1");
                map([("$ref", Doc::from(format!("{prefix}{name}")))])
            }
            TypeExpr::List(items) => {
                map([("type", Doc::from("array")), ("items", Doc::Map(self.expr_schema(items)))])
            }
            TypeExpr::Map(values) => {
                let values = Doc::Map(self.expr_schema(values));
                map([("type", Doc::from("object")), ("additionalProperties", values)])
            }
            TypeExpr::Pointer(target) => self.expr_schema(target),
            TypeExpr::Any | TypeExpr::RawExtension => map([(PRESERVE_UNKNOWN, Doc::Bool(true))]),
        }
    }

    fn scalar_schema(&self, scalar: ScalarType) -> OwnedMap {
        let simple = |name: &str| map([("type", Doc::from(name))]);
        match scalar {
            ScalarType::String | ScalarType::Duration => simple("string"),
            ScalarType::Time | ScalarType::MicroTime => {
                map([("type", Doc::from("string")), ("format", Doc::from("date-time"))])
            }
            ScalarType::Integer | ScalarType::Int32 => simple("integer"),
            ScalarType::Number => simple("number"),
            ScalarType::Boolean => simple("boolean"),
            ScalarType::Bytes => map([("type", Doc::from("string")), ("format", Doc::from("byte"))]),
            ScalarType::IntOrString | ScalarType::Quantity => {
                let mut schema = map([(INT_OR_STRING, Doc::Bool(true))]);
                if self.format == Format::V2 {
                    // v2 has neither `oneOf` nor `anyOf`.
                    schema.insert(Text::from("type"), Doc::from("string"));
                    schema.insert(Text::from("format"), Doc::from("int-or-string"));
                } else {
                    let either = [simple("integer"), simple("string")].map(Doc::Map).to_vec();
                    schema.insert(Text::from("anyOf"), Doc::List(either));
                }
                schema
            }
        }
    }
}

/// Writes markers as OpenAPI extensions. A marker without an equivalent extension is left out.
fn write_markers(markers: &[Marker], schema: &mut OwnedMap) {
    for marker in markers {
        match marker.name.as_str() {
            _ if declares_map_type(marker) => {
                schema.insert(Text::from(MAP_TYPE), Doc::from(argument(marker)));
            }
            name if name.starts_with("x-kubernetes-") => {
                if let Ok(value) = from_json(argument(marker).as_bytes()) {
                    schema.insert(Text::from(name), value);
                }
            }
            _ => {}
        }
    }
}

fn argument(marker: &Marker) -> &str {
    marker.value.strip_prefix('=').unwrap_or_default()
}

/// Returns true if a field is required. As in upstream, a field without a marker is required if it does not have
/// `omitempty`.
fn is_required(field: &FieldDecl) -> bool {
    field.required.unwrap_or(!field.omit_empty && !field.omit_zero)
}

fn write_patch_meta(patch: &PatchMeta, schema: &mut OwnedMap) {
    for (key, parts) in [(PATCH_STRATEGY, &patch.strategies), (PATCH_MERGE_KEY, &patch.merge_key)] {
        if !parts.is_empty() {
            schema.insert(Text::from(key), Doc::from(parts.join(",")));
        }
    }
    for (tag, values) in &patch.tags {
        schema.insert(Text::from(tag_extension(tag)), Doc::from(values.join(",")));
    }
    if let Some(list_type) = patch.list_type {
        schema.insert(Text::from(LIST_TYPE), Doc::from(list_type.name()));
    }
    if !patch.list_map_keys.is_empty() {
        schema.insert(Text::from(LIST_MAP_KEYS), string_list(patch.list_map_keys.iter().map(String::as_str)));
    }
}
