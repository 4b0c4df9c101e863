//! Schemas: what type each is.

use std::collections::HashSet;

use super::document::{Reader, optional_field};
use super::keywords::{
    EMBEDDED_RESOURCE, GO_POINTER, INT_OR_STRING, LIST_MAP_KEYS, LIST_TYPE, MAP_TYPE, NULLABLE_V2,
    PRESERVE_UNKNOWN, Spot,
};
use crate::document::{Doc, OwnedDoc, OwnedMap};
use crate::error::ErrorKind;
use crate::schema::{EnumValue, FieldDecl, Marker, ScalarType, Shape, TypeDecl, TypeExpr};

/// How deep schemas may nest in each other.
pub const MAX_NESTING: usize = 64;

/// How the name of the type of quantities ends in published documents.
const QUANTITY: &str = ".pkg.api.resource.Quantity";

/// What a schema is, before the schemas in it are read.
pub(super) enum Class<'v> {
    Named(String),
    Struct(&'v OwnedMap),
    Enum(Vec<EnumValue>),
    List(&'v OwnedDoc),
    /// Without a schema for its values, they are anything.
    Map(Option<&'v OwnedDoc>),
    Scalar(ScalarType),
    Any,
}

impl Reader {
    /// Declares a type of this name; nested types come after it.
    pub(super) fn declare(&mut self, name: &str, schema: &OwnedMap, class: Class<'_>, markers: Vec<Marker>) {
        let index = self.types.len();
        let shape = Shape::Alias(TypeExpr::Any);
        self.types.push(TypeDecl { name: name.to_owned(), shape, markers, line: 0 });
        self.types[index].shape = match class {
            Class::Struct(properties) => Shape::Struct(self.fields(properties, schema, name)),
            Class::Enum(values) => Shape::Enum { values, closed: true },
            // v2 says of quantities only that they are strings; numbers are accepted all the same.
            Class::Scalar(ScalarType::String) if name.ends_with(QUANTITY) => {
                Shape::Alias(TypeExpr::Scalar(ScalarType::IntOrString))
            }
            other => Shape::Alias(self.type_of(other, schema, &format!("{name}.items"), Spot::Type)),
        };
    }

    /// A name for a nested schema that no other type has.
    pub(super) fn free_name(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        while !self.names.insert(name.clone()) {
            // A document can define what we would call the nested type.
            name.push('_');
        }
        name
    }

    /// Declares a type for a nested schema and refers to it.
    fn nested(&mut self, holder: &str, schema: &OwnedMap, class: Class<'_>, spot: Spot) -> TypeExpr {
        let name = self.free_name(holder);
        let markers = match spot {
            Spot::Property => self.object_markers(schema, &class),
            Spot::Type | Spot::Inner => self.type_markers(schema, &class),
        };
        self.declare(&name, schema, class, markers);
        TypeExpr::Named(name)
    }

    /// The type of a schema inside of another. `holder` is the name that it gets if it needs one.
    fn inner(&mut self, value: &OwnedDoc, holder: &str) -> TypeExpr {
        let Some(schema) = self.map(value) else { return TypeExpr::Any };
        self.keywords(schema, Spot::Inner);
        let class = self.class(schema);
        if needs_name(schema, &class) {
            return self.nested(holder, schema, class, Spot::Inner);
        }
        self.type_of(class, schema, holder, Spot::Inner)
    }

    /// The type that a class comes to, nested schemas included.
    fn type_of(&mut self, class: Class<'_>, schema: &OwnedMap, holder: &str, spot: Spot) -> TypeExpr {
        if self.depth >= MAX_NESTING {
            self.error_of(ErrorKind::TooDeep, format!("schemas nest deeper than {MAX_NESTING} levels"));
            return TypeExpr::Any;
        }
        self.depth += 1;
        let ty = match class {
            Class::Named(name) => TypeExpr::Named(name),
            class @ (Class::Struct(_) | Class::Enum(_)) => self.nested(holder, schema, class, spot),
            Class::List(items) => {
                TypeExpr::List(Box::new(self.at("items", |reader| reader.inner(items, holder))))
            }
            Class::Map(None) => TypeExpr::Map(Box::new(TypeExpr::Any)),
            Class::Map(Some(values)) => TypeExpr::Map(Box::new(
                self.at("additionalProperties", |reader| reader.inner(values, holder)),
            )),
            Class::Scalar(scalar) => TypeExpr::Scalar(scalar),
            Class::Any => TypeExpr::Any,
        };
        self.depth -= 1;
        ty
    }

    fn fields(&mut self, properties: &OwnedMap, schema: &OwnedMap, name: &str) -> Vec<FieldDecl> {
        let required = self.required(schema, properties);
        let mut unions = Vec::new();
        let mut fields = self.at("properties", |reader| {
            let mut fields = Vec::with_capacity(properties.len());
            for (property, value) in properties.iter() {
                reader.at(property, |reader| {
                    let Some(schema) = reader.map(value) else { return };
                    let required = required.contains(property.as_str());
                    fields.push(reader.field(property, schema, required, name));
                    if let Some(members) = reader.field_members(schema) {
                        unions.push((fields.len() - 1, members));
                    }
                });
            }
            fields
        });
        self.mark_unions(name, &mut fields, unions);
        fields
    }

    fn field(&mut self, name: &str, schema: &OwnedMap, required: bool, holder: &str) -> FieldDecl {
        if name.is_empty() {
            self.error("a property must have a name");
        }
        self.keywords(schema, Spot::Property);
        let class = self.class(schema);
        let mut markers = self.field_markers(schema, &class);
        if self.flag(schema, "nullable") || self.flag(schema, NULLABLE_V2) {
            markers.push(Marker { name: "nullable".to_owned(), value: String::new(), line: 0 });
        }
        let named = matches!(class, Class::Named(_));
        let patch = self.patch_meta(schema);
        let ty = self.type_of(class, schema, &format!("{holder}.{name}"), Spot::Property);
        let ty = if self.flag(schema, GO_POINTER) { TypeExpr::Pointer(Box::new(ty)) } else { ty };
        let mut field = optional_field(name, ty);
        field.required = Some(required);
        field.omit_empty = !required;
        field.patch = patch;
        field.markers = markers;
        field.default =
            schema.get("default").filter(|value| !self.is_zero_default(value, named, required)).cloned();
        field
    }

    /// Servers publish the zero value of every Go field that is not a pointer as its default: it says nothing.
    fn is_zero_default(&self, value: &OwnedDoc, named: bool, required: bool) -> bool {
        self.published
            && match value {
                Doc::Map(map) => named && map.is_empty(),
                Doc::String(text) => required && text.is_empty(),
                Doc::Int(number) => required && *number == 0,
                Doc::Float(number) => required && *number == 0.0,
                Doc::Bool(set) => required && !set,
                Doc::Null | Doc::List(_) => false,
            }
    }

    fn required<'v>(&mut self, schema: &'v OwnedMap, properties: &OwnedMap) -> HashSet<&'v str> {
        let mut names = HashSet::new();
        let Some(value) = schema.get("required") else { return names };
        self.at("required", |reader| {
            let Some(items) = value.as_list() else {
                return reader.error("a list of properties is due here");
            };
            for (i, item) in items.iter().enumerate() {
                reader.at_index(i, |reader| {
                    let Some(name) = reader.string(item) else { return };
                    if !properties.contains_key(name) {
                        reader.error(format!("the object has no property {name:?}"));
                    }
                    names.insert(name);
                });
            }
        });
        names
    }

    /// What a schema is.
    pub(super) fn class<'v>(&mut self, schema: &'v OwnedMap) -> Class<'v> {
        let class = self.class_by_keyword(schema);
        self.contradictions(schema, &class);
        class
    }

    fn class_by_keyword<'v>(&mut self, schema: &'v OwnedMap) -> Class<'v> {
        if let Some(reference) = schema.get("$ref") {
            return self.at("$ref", |reader| reader.reference(reference));
        }
        if self.flag(schema, INT_OR_STRING) {
            return Class::Scalar(ScalarType::IntOrString);
        }
        let Some(ty) = schema.get("type") else { return self.untyped(schema) };
        match ty.as_str() {
            Some("string") => self.text(schema),
            Some("integer") => Class::Scalar(ScalarType::Integer),
            Some("number") => Class::Scalar(ScalarType::Number),
            Some("boolean") => Class::Scalar(ScalarType::Boolean),
            Some("array") => match schema.get("items") {
                Some(items) => Class::List(items),
                None => self.refused("a list without `items`"),
            },
            Some("object") => self.object(schema),
            _ => self.at("type", |reader| reader.refused(&format!("the type {ty} is not understood"))),
        }
    }

    fn refused<'v>(&mut self, message: &str) -> Class<'v> {
        self.error(message);
        Class::Any
    }

    fn reference<'v>(&mut self, reference: &OwnedDoc) -> Class<'v> {
        let Some(text) = self.string(reference) else { return Class::Any };
        let name = text.strip_prefix(self.prefix).filter(|_| !self.prefix.is_empty());
        // The escapes of JSON pointers (RFC 6901).
        let name = name.map(|name| name.replace("~1", "/").replace("~0", "~"));
        match name {
            Some(name) if self.defined.contains(name.as_str()) => Class::Named(name),
            _ => self.refused(&format!("`{text}` refers to no schema of this document")),
        }
    }

    fn text<'v>(&mut self, schema: &OwnedMap) -> Class<'v> {
        match schema.get("format").and_then(Doc::as_str) {
            Some("byte") => Class::Scalar(ScalarType::Bytes),
            Some("int-or-string") => Class::Scalar(ScalarType::IntOrString),
            _ if schema.contains_key("enum") => self.enumeration(schema),
            _ => Class::Scalar(ScalarType::String),
        }
    }

    fn enumeration<'v>(&mut self, schema: &OwnedMap) -> Class<'v> {
        let mut values = Vec::new();
        self.at("enum", |reader| {
            let Some(items) = schema.get("enum").and_then(Doc::as_list) else {
                return reader.error("a list of values is due here");
            };
            for (i, item) in items.iter().enumerate() {
                reader.at_index(i, |reader| {
                    // A nullable enum lists the null.
                    if item.is_null() {
                        return;
                    }
                    let Some(text) = reader.string(item) else { return };
                    let value = EnumValue {
                        name: String::new(),
                        value: text.to_owned(),
                        markers: Vec::new(),
                        line: 0,
                    };
                    values.push(value);
                });
            }
        });
        Class::Enum(values)
    }

    fn object<'v>(&mut self, schema: &'v OwnedMap) -> Class<'v> {
        let more = match schema.get("additionalProperties") {
            None | Some(Doc::Bool(false)) => None,
            Some(Doc::Bool(true)) => Some(Class::Map(None)),
            Some(values) => Some(Class::Map(Some(values))),
        };
        match (schema.get("properties"), more) {
            (Some(_), Some(_)) => self.refused("`properties` and `additionalProperties` in one object"),
            (Some(properties), None) => self.properties(properties),
            (None, Some(map)) => map,
            (None, None) => Class::Map(None),
        }
    }

    fn properties<'v>(&mut self, properties: &'v OwnedDoc) -> Class<'v> {
        self.at("properties", |reader| reader.map(properties)).map_or(Class::Any, Class::Struct)
    }

    /// A schema without a type.
    fn untyped<'v>(&mut self, schema: &'v OwnedMap) -> Class<'v> {
        if schema.contains_key("properties") {
            return self.object(schema);
        }
        if let Some(reference) = only_reference(schema) {
            return self.at("allOf", |reader| reader.at_index(0, |reader| reader.reference(reference)));
        }
        if text_or_number(schema) || schema.get("format").and_then(Doc::as_str) == Some("int-or-string") {
            return Class::Scalar(ScalarType::IntOrString);
        }
        if schema.contains_key("enum") {
            return self.enumeration(schema);
        }
        let telling = ["allOf", "anyOf", "oneOf", "items", "additionalProperties"];
        if let Some(key) = telling.into_iter().find(|key| schema.contains_key(key)) {
            return self.at(key, |reader| reader.refused("without a `type` this is not understood"));
        }
        Class::Any
    }

    /// Keywords that say something about another type than the schema has.
    fn contradictions(&mut self, schema: &OwnedMap, class: &Class<'_>) {
        let fits = |key: &str| match class {
            Class::Named(_) | Class::Scalar(_) | Class::Enum(_) => false,
            Class::Struct(_) => matches!(key, "properties" | "required" | "additionalProperties"),
            Class::List(_) => key == "items",
            Class::Map(_) => key == "additionalProperties",
            // Reported already, or without any of them.
            Class::Any => true,
        };
        for key in ["properties", "required", "additionalProperties", "items"] {
            if schema.contains_key(key) && !fits(key) {
                self.at(key, |reader| {
                    reader.error(format!("`{key}` does not go with the type of this schema"));
                });
            }
        }
        if matches!(class, Class::Named(_)) && schema.contains_key("type") {
            self.at("type", |reader| reader.error("a reference has the type that it refers to"));
        }
        let preserves = matches!(class, Class::Struct(_) | Class::Map(_) | Class::Any | Class::Named(_));
        if schema.contains_key(PRESERVE_UNKNOWN) && !preserves {
            self.at(PRESERVE_UNKNOWN, |reader| reader.error("only an object has fields"));
        }
    }
}

/// Metadata of a list or map within another has a place on a named type only.
fn needs_name(schema: &OwnedMap, class: &Class<'_>) -> bool {
    let anything = matches!(class, Class::Any | Class::Map(None));
    schema.keys().any(|key| match key.as_str() {
        LIST_TYPE | LIST_MAP_KEYS | MAP_TYPE | EMBEDDED_RESOURCE => true,
        PRESERVE_UNKNOWN => !anything,
        _ => false,
    })
}

/// `allOf: [{$ref: …}]`: how v3 puts keywords next to a reference.
fn only_reference(schema: &OwnedMap) -> Option<&OwnedDoc> {
    let [only] = schema.get("allOf")?.as_list()? else { return None };
    let only = only.as_map().filter(|map| map.len() == 1)?;
    only.get("$ref")
}

/// `oneOf` or `anyOf` of a string and a number.
fn text_or_number(schema: &OwnedMap) -> bool {
    let alternatives = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Doc::as_list);
    let type_of = |schema: &OwnedDoc| match schema.as_map() {
        Some(map) if map.len() == 1 => map.get("type").and_then(Doc::as_str).map(str::to_owned),
        _ => None,
    };
    let Some(types) = alternatives.and_then(|list| list.iter().map(type_of).collect::<Option<Vec<_>>>())
    else {
        return false;
    };
    let is = |name: &str| types.iter().any(|ty| ty == name);
    types.len() == 2 && is("string") && (is("integer") || is("number"))
}
