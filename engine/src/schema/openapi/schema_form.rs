//! The form of a schema. It is determined by the keywords of the schema, before the schemas in it are read.

use std::sync::LazyLock;

use super::keywords::{INT_OR_STRING, PRESERVE_UNKNOWN};
use super::reader::Reader;
use crate::document::{Doc, OwnedDoc, OwnedMap};
use crate::schema::{EnumValue, ScalarType};

/// The form of a schema.
pub(super) enum SchemaForm<'v> {
    Named(String),
    Struct(&'v OwnedMap),
    Enum(Vec<EnumValue>),
    List(&'v OwnedDoc),
    /// A map, with the schema of its values. The values are any JSON if there is no such schema.
    Map(Option<&'v OwnedDoc>),
    Scalar(ScalarType),
    /// The same form as the only schema of `allOf`.
    AllOf(&'v OwnedDoc),
    Any,
}

impl SchemaForm<'_> {
    /// Returns true if values of this form can have fields.
    pub(super) fn has_fields(&self) -> bool {
        matches!(self, SchemaForm::Struct(_) | SchemaForm::Map(_) | SchemaForm::Any | SchemaForm::Named(_))
    }
}

static NO_PROPERTIES: LazyLock<OwnedMap> = LazyLock::new(OwnedMap::new);

impl Reader {
    /// Determines the form of a schema.
    pub(super) fn form_of<'v>(&mut self, schema: &'v OwnedMap) -> SchemaForm<'v> {
        let form = self.form_by_keywords(schema);
        self.check_contradictions(schema, &form);
        form
    }

    fn form_by_keywords<'v>(&mut self, schema: &'v OwnedMap) -> SchemaForm<'v> {
        if let Some(reference) = schema.get("$ref") {
            return self.at_key("$ref", |reader| reader.reference_form(reference));
        }
        // API servers look at the type of a custom resource first.
        if self.flag(schema, INT_OR_STRING) && (self.is_published || !schema.contains_key("type")) {
            return SchemaForm::Scalar(ScalarType::IntOrString);
        }
        let Some(ty) = schema.get("type") else {
            let needs_type = !self.is_published && !self.is_old_definition;
            if needs_type && !self.flag(schema, PRESERVE_UNKNOWN) {
                return self.refuse(
                    "the schema of a custom resource is structural, and so has a `type` here: without one \
                     `x-kubernetes-int-or-string` or `x-kubernetes-preserve-unknown-fields` must be true",
                );
            }
            return self.untyped_form(schema);
        };
        match ty.as_str() {
            Some("string") => self.string_form(schema),
            Some("integer") => SchemaForm::Scalar(ScalarType::Integer),
            Some("number") => SchemaForm::Scalar(ScalarType::Number),
            Some("boolean") => SchemaForm::Scalar(ScalarType::Boolean),
            Some("array") => match schema.get("items") {
                Some(items) => SchemaForm::List(items),
                None if self.is_old_definition => SchemaForm::Any,
                None => self.refuse("a list without `items`"),
            },
            Some("object") => self.object_form(schema),
            _ => self.at_key("type", |reader| reader.refuse(&format!("the type {ty} is not understood"))),
        }
    }

    fn refuse<'v>(&mut self, message: &str) -> SchemaForm<'v> {
        self.error(message);
        SchemaForm::Any
    }

    fn reference_form<'v>(&mut self, reference: &OwnedDoc) -> SchemaForm<'v> {
        let Some(text) = self.string(reference) else { return SchemaForm::Any };
        if !self.is_published {
            return self.refuse("a CustomResourceDefinition has no references: write the schema out here");
        }
        let name = text.strip_prefix(self.reference_prefix);
        // References use the escapes of JSON pointers (RFC 6901).
        let name = name.map(|name| name.replace("~1", "/").replace("~0", "~"));
        match name {
            Some(name) if self.defined.contains(name.as_str()) => SchemaForm::Named(name),
            _ => self.refuse(&format!("`{text}` refers to no schema of this document")),
        }
    }

    fn string_form<'v>(&mut self, schema: &OwnedMap) -> SchemaForm<'v> {
        match schema.get("format").and_then(Doc::as_str) {
            Some("byte") => SchemaForm::Scalar(ScalarType::Bytes),
            Some("int-or-string") => SchemaForm::Scalar(ScalarType::IntOrString),
            Some("quantity") => SchemaForm::Scalar(ScalarType::Quantity),
            _ if schema.contains_key("enum") => self.enum_form(schema),
            Some("date-time") => SchemaForm::Scalar(ScalarType::Time),
            _ => SchemaForm::Scalar(ScalarType::String),
        }
    }

    fn enum_form<'v>(&mut self, schema: &OwnedMap) -> SchemaForm<'v> {
        let mut values = Vec::new();
        self.at_key("enum", |reader| {
            let Some(items) = schema.get("enum").and_then(Doc::as_list) else {
                return reader.error("expected a list of values");
            };
            for (i, item) in items.iter().enumerate() {
                reader.at_index(i, |reader| {
                    // An enum that is nullable also lists null. That of a custom resource can list any JSON, of which a
                    // text is only ever equal to a text.
                    if item.is_null() || !reader.is_published && item.as_str().is_none() {
                        return;
                    }
                    let Some(text) = reader.string(item) else { return };
                    if !reader.count_declared() {
                        return;
                    }
                    values.push(EnumValue::new(text));
                });
            }
        });
        if values.is_empty() && !self.is_published {
            return SchemaForm::Scalar(ScalarType::String);
        }
        SchemaForm::Enum(values)
    }

    fn object_form<'v>(&mut self, schema: &'v OwnedMap) -> SchemaForm<'v> {
        let map = match schema.get("additionalProperties") {
            None | Some(Doc::Bool(false)) => None,
            Some(Doc::Bool(true)) => Some(SchemaForm::Map(None)),
            Some(values) => Some(SchemaForm::Map(Some(values))),
        };
        match (schema.get("properties"), map) {
            // API servers count the properties of a custom resource.
            (Some(Doc::Map(properties)), Some(map)) if !self.is_published && properties.is_empty() => map,
            (Some(properties), Some(SchemaForm::Map(None))) if !self.is_published => {
                self.struct_form(properties)
            }
            (Some(_), Some(_)) => self.refuse("`properties` and `additionalProperties` in one object"),
            (Some(properties), None) => self.struct_form(properties),
            (None, Some(map)) => map,
            (None, None) if self.is_embedded_resource(schema) => SchemaForm::Struct(&NO_PROPERTIES),
            (None, None) => SchemaForm::Map(None),
        }
    }

    fn struct_form<'v>(&mut self, properties: &'v OwnedDoc) -> SchemaForm<'v> {
        self.at_key("properties", |reader| reader.map(properties)).map_or(SchemaForm::Any, SchemaForm::Struct)
    }

    /// Determines the form of a schema without a `type`.
    fn untyped_form<'v>(&mut self, schema: &'v OwnedMap) -> SchemaForm<'v> {
        if schema.contains_key("properties") {
            return self.object_form(schema);
        }
        if !self.is_published {
            // Without a type, the other keywords only validate.
            let is_map = schema.contains_key("additionalProperties");
            return if is_map { self.object_form(schema) } else { SchemaForm::Any };
        }
        if self.is_v3()
            && let Some(only) = only_schema(schema)
        {
            let reference = only.as_map().filter(|map| map.len() == 1).and_then(|map| map.get("$ref"));
            return match reference {
                Some(reference) => self
                    .at_key("allOf", |reader| reader.at_index(0, |reader| reader.reference_form(reference))),
                None => SchemaForm::AllOf(only),
            };
        }
        if is_string_or_number(schema) || schema.get("format").and_then(Doc::as_str) == Some("int-or-string")
        {
            return SchemaForm::Scalar(ScalarType::IntOrString);
        }
        if schema.contains_key("enum") {
            return self.enum_form(schema);
        }
        // Upstream reads a published schema that has neither a type nor properties as any JSON, whatever other keywords
        // it has (`ParseSchema` and `ParseSchemaV3` of kube-openapi, package proto).
        let is_arbitrary = |key: &str| match key {
            "items" | "additionalProperties" => true,
            "allOf" => !self.is_v3(),
            _ => false,
        };
        let decisive = ["allOf", "anyOf", "oneOf", "items", "additionalProperties"];
        let decisive = decisive.into_iter().filter(|key| !is_arbitrary(key));
        if let Some(key) = decisive.clone().find(|key| schema.contains_key(key)) {
            return self.at_key(key, |reader| reader.refuse("without a `type` this is not understood"));
        }
        SchemaForm::Any
    }

    /// Reports keywords that do not belong to the type of the schema. In a custom resource, they have no effect: API servers
    /// look at the type first. Upstream: `parseSchema` (k8s.io/kube-openapi, schemaconv).
    fn check_contradictions(&mut self, schema: &OwnedMap, form: &SchemaForm<'_>) {
        if !self.is_published {
            return;
        }
        // v3 ignores the other keywords of a schema with a reference.
        if matches!(form, SchemaForm::Named(_)) && self.is_v3() && schema.contains_key("$ref") {
            return;
        }
        let is_keyword_of_form = |key: &str| match form {
            SchemaForm::Named(_) | SchemaForm::Scalar(_) | SchemaForm::Enum(_) | SchemaForm::AllOf(_) => {
                false
            }
            SchemaForm::Struct(_) => matches!(key, "properties" | "required" | "additionalProperties"),
            SchemaForm::List(_) => key == "items",
            SchemaForm::Map(_) => key == "additionalProperties",
            // The form of the schema was refused, or the schema has no such keyword.
            SchemaForm::Any => true,
        };
        for key in ["properties", "required", "additionalProperties", "items"] {
            if schema.contains_key(key) && !is_keyword_of_form(key) {
                self.at_key(key, |reader| {
                    reader.error(format!("`{key}` does not go with the type of this schema"));
                });
            }
        }
        if matches!(form, SchemaForm::Named(_)) && schema.contains_key("type") {
            self.at_key("type", |reader| reader.error("a reference has the type that it refers to"));
        }
        if schema.contains_key(PRESERVE_UNKNOWN) && !form.has_fields() {
            self.at_key(PRESERVE_UNKNOWN, |reader| reader.error("only an object has fields"));
        }
    }
}

/// Returns the schema of `allOf` if `allOf` has exactly one schema. In v3, `allOf: [{$ref: …}]` allows other keywords
/// next to a reference.
fn only_schema(schema: &OwnedMap) -> Option<&OwnedDoc> {
    let [only] = schema.get("allOf")?.as_list()? else { return None };
    Some(only)
}

/// Returns true if the schema is `oneOf` or `anyOf` of a string and a number.
fn is_string_or_number(schema: &OwnedMap) -> bool {
    let alternatives = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Doc::as_list);
    let type_of = |schema: &OwnedDoc| match schema.as_map() {
        Some(map) if map.len() == 1 => map.get("type").and_then(Doc::as_str).map(str::to_owned),
        _ => None,
    };
    let Some(types) = alternatives.and_then(|list| list.iter().map(type_of).collect::<Option<Vec<_>>>())
    else {
        return false;
    };
    let has = |name: &str| types.iter().any(|ty| ty == name);
    types.len() == 2 && has("string") && (has("integer") || has("number"))
}
