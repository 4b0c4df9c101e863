//! Reads a named schema and the schemas in it as declarations.

use std::collections::HashSet;

use super::custom_resource::add_embedded_resource_fields;
use super::keywords::{
    EMBEDDED_RESOURCE, GO_POINTER, LIST_MAP_KEYS, LIST_TYPE, MAP_TYPE, NULLABLE_V2, PRESERVE_UNKNOWN,
    SchemaRole,
};
use super::reader::Reader;
use super::schema_form::SchemaForm;
use crate::document::{Doc, OwnedDoc, OwnedMap};
use crate::error::ErrorKind;
use crate::schema::{FieldDecl, Marker, ScalarType, Shape, TypeDecl, TypeExpr};

/// Maximum depth to which schemas can nest.
pub const MAX_NESTING: usize = 64;

/// The suffix of the name of the quantity type in published documents.
const QUANTITY_SUFFIX: &str = ".pkg.api.resource.Quantity";

impl Reader {
    /// Reads a named schema as a type. This type precedes the types of the schemas in it.
    pub(super) fn read_definition(&mut self, name: &str, schema: &OwnedDoc, mut markers: Vec<Marker>) {
        let Some(schema) = self.map(schema) else { return };
        self.check_keywords(schema, SchemaRole::Definition);
        let form = self.form_of(schema);
        markers.extend(self.type_markers(schema, &form));
        self.declare_type(name, schema, form, markers);
    }

    /// Declares a type with this name. The types of nested schemas follow it.
    fn declare_type(&mut self, name: &str, schema: &OwnedMap, form: SchemaForm<'_>, markers: Vec<Marker>) {
        if !self.count_declared() {
            return;
        }
        let index = self.types.len();
        let shape = Shape::Alias(TypeExpr::Any);
        self.types.push(TypeDecl { markers, ..TypeDecl::new(name, shape) });
        let keeps_unknown_fields = self.enter_schema(schema);
        self.types[index].shape = match form {
            SchemaForm::Struct(properties) => {
                let mut fields = self.read_fields(properties, schema, name);
                if self.is_embedded_resource(schema) {
                    add_embedded_resource_fields(&mut fields);
                }
                Shape::Struct(fields)
            }
            SchemaForm::Enum(values) => Shape::Enum { values, closed: true },
            // In v2 documents, quantities are strings, but servers also accept numbers.
            SchemaForm::Scalar(ScalarType::String) if name.ends_with(QUANTITY_SUFFIX) => {
                Shape::Alias(TypeExpr::Scalar(ScalarType::IntOrString))
            }
            other => {
                Shape::Alias(self.type_of(other, schema, &format!("{name}.items"), SchemaRole::Definition))
            }
        };
        self.keeps_unknown_fields = keeps_unknown_fields;
    }

    /// Declares a type for a nested schema, and returns a reference to it.
    fn declare_nested(
        &mut self,
        parent: &str,
        schema: &OwnedMap,
        form: SchemaForm<'_>,
        role: SchemaRole,
    ) -> TypeExpr {
        let name = self.reserve_name(parent);
        let markers = match role {
            SchemaRole::Property => self.object_markers(schema, &form),
            SchemaRole::Definition | SchemaRole::Nested => self.type_markers(schema, &form),
        };
        self.declare_type(&name, schema, form, markers);
        TypeExpr::Named(name)
    }

    /// Reads the items of a list or the values of a map. `parent` is the name for the nested type, if it needs a name.
    fn read_nested(&mut self, value: &OwnedDoc, parent: &str) -> TypeExpr {
        let Some(schema) = self.map(value) else { return TypeExpr::Any };
        self.check_keywords(schema, SchemaRole::Nested);
        let form = self.form_of(schema);
        if needs_name(schema, &form) {
            return self.declare_nested(parent, schema, form, SchemaRole::Nested);
        }
        self.type_of(form, schema, parent, SchemaRole::Nested)
    }

    /// Returns the type of a schema, after reading the schemas in it.
    fn type_of(
        &mut self,
        form: SchemaForm<'_>,
        schema: &OwnedMap,
        parent: &str,
        role: SchemaRole,
    ) -> TypeExpr {
        if self.depth >= MAX_NESTING {
            self.error_of_kind(ErrorKind::TooDeep, format!("schemas nest deeper than {MAX_NESTING} levels"));
            return TypeExpr::Any;
        }
        self.depth += 1;
        let keeps_unknown_fields = self.enter_schema(schema);
        let ty = match form {
            SchemaForm::Named(name) => TypeExpr::Named(name),
            form @ (SchemaForm::Struct(_) | SchemaForm::Enum(_)) => {
                self.declare_nested(parent, schema, form, role)
            }
            SchemaForm::List(items) => {
                TypeExpr::List(Box::new(self.at_key("items", |reader| reader.read_nested(items, parent))))
            }
            SchemaForm::Map(None) => TypeExpr::Map(Box::new(TypeExpr::Any)),
            SchemaForm::Map(Some(values)) => TypeExpr::Map(Box::new(
                self.at_key("additionalProperties", |reader| reader.read_nested(values, parent)),
            )),
            SchemaForm::Scalar(scalar) => TypeExpr::Scalar(scalar),
            SchemaForm::AllOf(only) => {
                self.at_key("allOf", |reader| reader.at_index(0, |reader| reader.read_nested(only, parent)))
            }
            SchemaForm::Any => TypeExpr::Any,
        };
        self.keeps_unknown_fields = keeps_unknown_fields;
        self.depth -= 1;
        ty
    }

    /// Records that the schemas in a schema keep unknown fields if the schema does. Returns whether the schema itself
    /// is in such a schema; the caller restores this after it has read the schemas. Upstream: `visitSpec` of
    /// kube-openapi, package schemaconv.
    fn enter_schema(&mut self, schema: &OwnedMap) -> bool {
        let outer = self.keeps_unknown_fields;
        self.keeps_unknown_fields |= matches!(schema.get(PRESERVE_UNKNOWN), Some(Doc::Bool(true)));
        outer
    }

    fn read_fields(&mut self, properties: &OwnedMap, schema: &OwnedMap, name: &str) -> Vec<FieldDecl> {
        let required = self.read_required(schema, properties);
        let mut unions = Vec::new();
        let mut fields = self.at_key("properties", |reader| {
            let mut fields = Vec::with_capacity(properties.len());
            for (property, value) in properties.iter() {
                reader.at_key(property, |reader| {
                    let Some(schema) = reader.map(value) else { return };
                    if !reader.count_declared() {
                        return;
                    }
                    let required = required.contains(property.as_str());
                    fields.push(reader.read_field(property, schema, required, name));
                    if let Some(members) = reader.read_field_members(schema) {
                        unions.push((fields.len() - 1, members));
                    }
                });
            }
            fields
        });
        self.mark_unions(name, &mut fields, unions);
        fields
    }

    fn read_field(&mut self, name: &str, schema: &OwnedMap, required: bool, parent: &str) -> FieldDecl {
        if name.is_empty() {
            self.error("a property must have a name");
        }
        self.check_keywords(schema, SchemaRole::Property);
        let form = self.form_of(schema);
        let mut markers = self.field_markers(schema, &form);
        if self.flag(schema, "nullable") || self.flag(schema, NULLABLE_V2) {
            markers.push(Marker::new("nullable", ""));
        }
        let is_named = matches!(form, SchemaForm::Named(_));
        let patch = self.patch_meta(schema);
        let ty = self.type_of(form, schema, &format!("{parent}.{name}"), SchemaRole::Property);
        let ty = if self.flag(schema, GO_POINTER) { TypeExpr::Pointer(Box::new(ty)) } else { ty };
        let mut field = FieldDecl::new(name, ty).with_patch(patch);
        field.required = Some(required);
        field.omit_empty = !required;
        field.markers = markers;
        let (published, declared) = match schema.get("default") {
            // The zero value of a struct is no default of a list key.
            Some(Doc::Map(map)) if is_named && map.is_empty() && self.is_published => (None, None),
            Some(value) if required && self.is_zero_default(value) => (Some(value), None),
            declared => (None, declared),
        };
        (field.published_default, field.default) = (published.cloned(), declared.cloned());
        field
    }

    /// Returns true if the default of a required scalar was not declared. Servers publish the zero value as the default
    /// of every scalar Go field that is not a pointer.
    fn is_zero_default(&self, value: &OwnedDoc) -> bool {
        self.is_published
            && match value {
                Doc::String(text) => text.is_empty(),
                Doc::Int(number) => *number == 0,
                Doc::Float(number) => *number == 0.0,
                Doc::Bool(set) => !set,
                Doc::Null | Doc::List(_) | Doc::Map(_) => false,
            }
    }

    fn read_required<'v>(&mut self, schema: &'v OwnedMap, properties: &OwnedMap) -> HashSet<&'v str> {
        let mut names = HashSet::new();
        let Some(value) = schema.get("required") else { return names };
        let is_published = self.is_published;
        self.at_key("required", |reader| {
            let Some(items) = value.as_list() else {
                return reader.error("expected a list of properties");
            };
            for (i, item) in items.iter().enumerate() {
                reader.at_index(i, |reader| {
                    let Some(name) = reader.string(item) else { return };
                    // API servers accept such a name in a custom resource: no object is valid then.
                    if is_published && !properties.contains_key(name) {
                        reader.error(format!("the object has no property {name:?}"));
                    }
                    names.insert(name);
                });
            }
        });
        names
    }
}

/// Returns true if the schema of a nested list or map has metadata. A type expression cannot contain the metadata, so
/// that the type needs a name.
fn needs_name(schema: &OwnedMap, form: &SchemaForm<'_>) -> bool {
    let is_any = matches!(form, SchemaForm::Any | SchemaForm::Map(None));
    schema.keys().any(|key| match key.as_str() {
        LIST_TYPE | LIST_MAP_KEYS | MAP_TYPE | EMBEDDED_RESOURCE => true,
        PRESERVE_UNKNOWN => !is_any,
        _ => false,
    })
}
