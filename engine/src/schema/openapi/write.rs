//! Declarations as published documents.

use std::collections::{HashMap, HashSet};

use super::keywords::{
    INT_OR_STRING, LIST_MAP_KEYS, LIST_TYPE, MAP_TYPE, NULLABLE_V2, PATCH_MERGE_KEY, PATCH_STRATEGY,
    PRESERVE_UNKNOWN, RECOMMENDED_MERGE_KEY, UNIONS,
};
use super::unions;
use crate::document::{Doc, Map, OwnedDoc, OwnedMap, Text, from_json};
use crate::schema::{Declarations, FieldDecl, Marker, PatchMeta, ScalarType, Shape, TypeDecl, TypeExpr};

/// Types by name.
pub(super) type Index<'d> = HashMap<&'d str, &'d TypeDecl>;

/// Writes an `OpenAPI` v2 document: `{swagger, info, paths, definitions}`.
///
/// Embedded structs become part of the objects that embed them, as in JSON.
#[must_use]
pub fn write_v2(declarations: &Declarations) -> OwnedDoc {
    let definitions = Writer::new(declarations, Version::V2).schemas(declarations);
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
    let schemas = Writer::new(declarations, Version::V3).schemas(declarations);
    object([
        ("openapi", Doc::from("3.0.0")),
        ("info", info()),
        ("paths", Doc::Map(Map::new())),
        ("components", object([("schemas", schemas)])),
    ])
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    V2,
    V3,
    /// As in v3, without references: each use of a type is the type.
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

fn strings<'s>(items: impl IntoIterator<Item = &'s str>) -> OwnedDoc {
    Doc::List(items.into_iter().map(Doc::from).collect())
}

pub(super) struct Writer<'d> {
    version: Version,
    types: Index<'d>,
}

/// A field of a struct, with its extension for a union.
type Flat<'d> = (&'d FieldDecl, Option<OwnedDoc>);

impl<'d> Writer<'d> {
    pub(super) fn new(declarations: &'d Declarations, version: Version) -> Self {
        let mut types = Index::with_capacity(declarations.types.len());
        for ty in &declarations.types {
            types.entry(ty.name.as_str()).or_insert(ty);
        }
        Writer { version, types }
    }

    fn schemas(&self, declarations: &'d Declarations) -> OwnedDoc {
        let schemas =
            declarations.types.iter().map(|ty| (Text::from(ty.name.as_str()), Doc::Map(self.type_decl(ty))));
        Doc::Map(schemas.collect())
    }

    pub(super) fn type_decl(&self, decl: &'d TypeDecl) -> OwnedMap {
        let mut schema = match &decl.shape {
            Shape::Struct(fields) => self.structure(fields),
            Shape::Enum { values, closed } => {
                let mut schema = map([("type", Doc::from("string"))]);
                if *closed {
                    // Go constants may share a value; the list names each once.
                    let mut seen = HashSet::new();
                    let values = values.iter().map(|v| v.value.as_str()).filter(|value| seen.insert(*value));
                    schema.insert(Text::from("enum"), strings(values));
                }
                schema
            }
            Shape::Alias(ty) => self.siblings(self.expression(ty)),
        };
        write_markers(&decl.markers, &mut schema);
        let keys = decl.markers.iter().filter(|m| m.name == "listMapKey").map(argument);
        let keys: Vec<&str> = keys.collect();
        if !keys.is_empty() {
            schema.insert(Text::from(LIST_MAP_KEYS), strings(keys));
        }
        if let Some(list_type) = decl.markers.iter().find(|m| m.name == "listType") {
            schema.insert(Text::from(LIST_TYPE), Doc::from(argument(list_type)));
        }
        schema
    }

    fn structure(&self, fields: &'d [FieldDecl]) -> OwnedMap {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for (field, union) in self.flatten(fields) {
            if is_required(field) {
                required.push(field.name.as_str());
            }
            properties.insert(Text::from(field.name.as_str()), Doc::Map(self.property(field, union)));
        }
        let mut schema = map([("type", Doc::from("object")), ("properties", Doc::Map(properties))]);
        if !required.is_empty() {
            required.sort_unstable();
            schema.insert(Text::from("required"), strings(required));
        }
        schema
    }

    /// The fields of a struct and of those it embeds, level by level: of two with one name the outer one counts,
    /// as in encoding/json.
    fn flatten(&self, fields: &'d [FieldDecl]) -> Vec<Flat<'d>> {
        let mut flat: Vec<Flat<'d>> = Vec::new();
        let mut names = HashSet::new();
        let mut entered = HashSet::new();
        let mut level = vec![fields];
        while !level.is_empty() {
            let mut next = Vec::new();
            for fields in level {
                let mut unions = unions::written(fields, &self.types);
                for (i, field) in fields.iter().enumerate() {
                    if field.inline {
                        // A struct that embeds itself is entered once.
                        next.extend(
                            self.embedded(&field.ty).filter(|(name, _)| entered.insert(*name)).map(|e| e.1),
                        );
                    } else if names.insert(field.name.as_str()) {
                        flat.push((field, unions.remove(&i)));
                    }
                }
            }
            level = next;
        }
        flat
    }

    /// The struct that an embedded field is, with its name.
    fn embedded(&self, ty: &'d TypeExpr) -> Option<(&'d str, &'d [FieldDecl])> {
        let mut ty = ty;
        for _ in 0..=self.types.len() {
            match ty {
                TypeExpr::Pointer(target) => ty = target,
                TypeExpr::Named(name) => match &self.types.get(name.as_str())?.shape {
                    Shape::Struct(fields) => return Some((name, fields)),
                    Shape::Alias(target) => ty = target,
                    Shape::Enum { .. } => return None,
                },
                _ => return None,
            }
        }
        None
    }

    fn property(&self, field: &FieldDecl, union: Option<OwnedDoc>) -> OwnedMap {
        let mut more = Map::new();
        if let Some(default) = &field.default {
            more.insert(Text::from("default"), default.clone());
        }
        if field.markers.iter().any(|marker| marker.name == "nullable") {
            let key = if self.version == Version::V2 { NULLABLE_V2 } else { "nullable" };
            more.insert(Text::from(key), Doc::Bool(true));
        }
        write_markers(&field.markers, &mut more);
        patch_meta(&field.patch, &mut more);
        if let Some(union) = union {
            more.insert(Text::from(UNIONS), union);
        }
        let mut schema = self.expression(&field.ty);
        if !more.is_empty() {
            schema = self.siblings(schema);
        }
        for (key, value) in more {
            schema.insert(key, value);
        }
        schema
    }

    /// A schema that other keywords can stand in: v3 ignores what stands next to a `$ref`.
    fn siblings(&self, schema: OwnedMap) -> OwnedMap {
        if self.version == Version::V3 && schema.contains_key("$ref") {
            return map([("allOf", Doc::List(vec![Doc::Map(schema)]))]);
        }
        schema
    }

    fn expression(&self, ty: &TypeExpr) -> OwnedMap {
        match ty {
            TypeExpr::Scalar(scalar) => self.scalar(*scalar),
            TypeExpr::Named(name) if self.version == Version::CustomResource => {
                self.types.get(name.as_str()).map(|decl| self.type_decl(decl)).unwrap_or_default()
            }
            TypeExpr::Named(name) => {
                let prefix =
                    if self.version == Version::V2 { "#/definitions/" } else { "#/components/schemas/" };
                let name = name.replace('~', "~0").replace('/', "~1");
                map([("$ref", Doc::from(format!("{prefix}{name}")))])
            }
            TypeExpr::List(items) => {
                map([("type", Doc::from("array")), ("items", Doc::Map(self.expression(items)))])
            }
            TypeExpr::Map(values) => {
                let values = Doc::Map(self.expression(values));
                map([("type", Doc::from("object")), ("additionalProperties", values)])
            }
            TypeExpr::Pointer(target) => self.expression(target),
            TypeExpr::Any => map([(PRESERVE_UNKNOWN, Doc::Bool(true))]),
        }
    }

    fn scalar(&self, scalar: ScalarType) -> OwnedMap {
        let simple = |name: &str| map([("type", Doc::from(name))]);
        match scalar {
            ScalarType::String => simple("string"),
            ScalarType::Integer => simple("integer"),
            ScalarType::Number => simple("number"),
            ScalarType::Boolean => simple("boolean"),
            ScalarType::Bytes => map([("type", Doc::from("string")), ("format", Doc::from("byte"))]),
            ScalarType::IntOrString => {
                let mut schema = map([(INT_OR_STRING, Doc::Bool(true))]);
                if self.version == Version::V2 {
                    // v2 has no alternatives.
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

/// Markers that are extensions.
fn write_markers(markers: &[Marker], schema: &mut OwnedMap) {
    for marker in markers {
        match marker.name.as_str() {
            "mapType" | "structType" => {
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

/// What is not said follows from `omitempty`, as upstream derives it.
fn is_required(field: &FieldDecl) -> bool {
    field.required.unwrap_or(!field.omit_empty && !field.omit_zero)
}

fn patch_meta(patch: &PatchMeta, schema: &mut OwnedMap) {
    let joined = [
        (PATCH_STRATEGY, &patch.strategies),
        (PATCH_MERGE_KEY, &patch.merge_key),
        (RECOMMENDED_MERGE_KEY, &patch.recommended_merge_key),
    ];
    for (key, parts) in joined {
        if !parts.is_empty() {
            schema.insert(Text::from(key), Doc::from(parts.join(",")));
        }
    }
    if let Some(list_type) = patch.list_type {
        schema.insert(Text::from(LIST_TYPE), Doc::from(list_type.name()));
    }
    if !patch.list_map_keys.is_empty() {
        schema.insert(Text::from(LIST_MAP_KEYS), strings(patch.list_map_keys.iter().map(String::as_str)));
    }
}
