//! The reader of structural schemas.

use std::collections::BTreeMap;

use skewer_engine::document::{Doc, OwnedDoc, OwnedMap};
use skewer_engine::schema::{ListType, MapType};

use super::{
    AdditionalProperties, NestedValidation, StructuralSchema, ValidationRule, ValueType, ValueValidation,
};
use crate::fields::Fields;
use crate::go_regex::{NotCompiled, Pattern};

impl StructuralSchema {
    /// Reads a schema. Reports errors.
    pub(crate) fn read(schema: &OwnedMap, fields: &mut Fields) -> Self {
        let additional_properties = match schema.get("additionalProperties") {
            None | Some(Doc::Null | Doc::Bool(false)) => None,
            Some(Doc::Bool(true)) => Some(AdditionalProperties::Any),
            Some(_) => read_inner(schema, "additionalProperties", fields)
                .map(|values| AdditionalProperties::Schema(Box::new(values))),
        };
        let list_type = read_word(schema, "x-kubernetes-list-type", &LIST_TYPES, fields);
        let map_type = read_word(schema, "x-kubernetes-map-type", &MAP_TYPES, fields);
        let text = |key: &str| schema.get(key).and_then(Doc::as_str).map(str::to_owned);
        StructuralSchema {
            ty: read_type(schema, fields),
            nullable: fields.flag(schema, "nullable"),
            default: schema.get("default").cloned(),
            properties: read_properties(schema, fields),
            additional_properties,
            forbids_other_fields: schema.get("additionalProperties") == Some(&Doc::Bool(false)),
            items: read_inner(schema, "items", fields).map(Box::new),
            preserve_unknown_fields: fields.flag(schema, "x-kubernetes-preserve-unknown-fields"),
            embedded_resource: fields.flag(schema, "x-kubernetes-embedded-resource"),
            int_or_string: fields.flag(schema, "x-kubernetes-int-or-string"),
            list_type,
            unknown_list_type: text("x-kubernetes-list-type")
                .filter(|text| list_type.is_none() && !text.is_empty()),
            list_map_keys: fields.texts(schema, "x-kubernetes-list-map-keys"),
            map_type,
            has_unknown_map_type: map_type.is_none() && text("x-kubernetes-map-type").is_some(),
            rules: read_rules(schema, fields),
            validation: read_validation(schema, fields),
        }
    }
}

const TYPES: [(&str, ValueType); 6] = [
    ("object", ValueType::Object),
    ("array", ValueType::Array),
    ("string", ValueType::String),
    ("integer", ValueType::Integer),
    ("number", ValueType::Number),
    ("boolean", ValueType::Boolean),
];

const LIST_TYPES: [(&str, ListType); 3] =
    [("atomic", ListType::Atomic), ("set", ListType::Set), ("map", ListType::Map)];

const MAP_TYPES: [(&str, MapType); 2] = [("granular", MapType::Granular), ("atomic", MapType::Atomic)];

fn read_type(schema: &OwnedMap, fields: &mut Fields) -> Option<ValueType> {
    read_word(schema, "type", &TYPES, fields)
}

/// Reads a string that is one of several words.
fn read_word<T: Copy>(schema: &OwnedMap, key: &str, words: &[(&str, T)], fields: &mut Fields) -> Option<T> {
    let text = fields.text(schema, key)?;
    let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
    if found.is_none() {
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let (last, first) = names.split_last().unwrap_or((&"", &[]));
        let message = format!("expected {} or {last}, found {text:?}", first.join(", "));
        fields.at_key(key, |fields| fields.error(message));
    }
    found
}

fn read_inner(schema: &OwnedMap, key: &str, fields: &mut Fields) -> Option<StructuralSchema> {
    let inner = fields.map(schema, key)?;
    Some(fields.at_key(key, |fields| StructuralSchema::read(inner, fields)))
}

fn read_properties(schema: &OwnedMap, fields: &mut Fields) -> BTreeMap<String, StructuralSchema> {
    let Some(properties) = fields.map(schema, "properties") else { return BTreeMap::new() };
    fields.at_key("properties", |fields| {
        let names: Vec<String> = properties.keys().map(ToString::to_string).collect();
        let read = |name: String| read_inner(properties, &name, fields).map(|schema| (name, schema));
        names.into_iter().filter_map(read).collect()
    })
}

fn read_rules(schema: &OwnedMap, fields: &mut Fields) -> Vec<ValidationRule> {
    const KEY: &str = "x-kubernetes-validations";
    let items = fields.list(schema, KEY);
    fields.at_key(KEY, |fields| {
        let mut rules = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            fields.at_index(index, |fields| match item.as_map() {
                Some(rule) => {
                    let text = fields.text(rule, "rule");
                    rules.push(ValidationRule {
                        rule: fields.required(rule, "rule", text).unwrap_or_default(),
                        message: fields.text(rule, "message"),
                        message_expression: fields.text(rule, "messageExpression"),
                        reason: fields.text(rule, "reason"),
                        field_path: fields.text(rule, "fieldPath"),
                        optional_old_self: fields.flag(rule, "optionalOldSelf"),
                    });
                }
                None => fields.error(format!("expected a map, found {}", item.kind().with_article())),
            });
        }
        rules
    })
}

/// Compiles the pattern. A pattern that only Go can read is not compiled.
fn read_pattern(pattern: &str, fields: &mut Fields) -> Option<Pattern> {
    match Pattern::compile(pattern) {
        Ok(pattern) => Some(pattern),
        Err(reason @ NotCompiled::Invalid { .. }) => {
            let message = format!("must be a valid regular expression, but isn't: {reason}");
            fields.at_key("pattern", |fields| fields.error(message));
            None
        }
        Err(NotCompiled::NotSimulated(_)) => None,
    }
}

fn read_validation(schema: &OwnedMap, fields: &mut Fields) -> ValueValidation {
    let pattern = fields.text(schema, "pattern");
    let regex = pattern.as_ref().and_then(|pattern| read_pattern(pattern, fields));
    ValueValidation {
        format: fields.text(schema, "format"),
        maximum: fields.number(schema, "maximum"),
        exclusive_maximum: fields.flag(schema, "exclusiveMaximum"),
        minimum: fields.number(schema, "minimum"),
        exclusive_minimum: fields.flag(schema, "exclusiveMinimum"),
        multiple_of: fields.number(schema, "multipleOf"),
        max_length: fields.integer(schema, "maxLength"),
        min_length: fields.integer(schema, "minLength"),
        pattern,
        regex,
        max_items: fields.integer(schema, "maxItems"),
        min_items: fields.integer(schema, "minItems"),
        unique_items: fields.flag(schema, "uniqueItems"),
        max_properties: fields.integer(schema, "maxProperties"),
        min_properties: fields.integer(schema, "minProperties"),
        enum_values: fields.list(schema, "enum").to_vec(),
        required: fields.texts(schema, "required"),
        all_of: read_alternatives(schema, "allOf", fields),
        any_of: read_alternatives(schema, "anyOf", fields),
        one_of: read_alternatives(schema, "oneOf", fields),
        not: read_nested_member(schema, "not", fields).map(Box::new),
    }
}

fn read_alternatives(schema: &OwnedMap, key: &str, fields: &mut Fields) -> Vec<NestedValidation> {
    let items = fields.list(schema, key);
    fields.at_key(key, |fields| {
        let mut read = |(index, item): (usize, &OwnedDoc)| {
            fields.at_index(index, |fields| {
                if item.as_map().is_none() {
                    fields.error(format!("expected a map, found {}", item.kind().with_article()));
                }
                item.as_map().map(|nested| read_nested(nested, fields))
            })
        };
        items.iter().enumerate().filter_map(&mut read).collect()
    })
}

fn read_nested_member(schema: &OwnedMap, key: &str, fields: &mut Fields) -> Option<NestedValidation> {
    let nested = fields.map(schema, key)?;
    Some(fields.at_key(key, |fields| read_nested(nested, fields)))
}

fn read_nested(nested: &OwnedMap, fields: &mut Fields) -> NestedValidation {
    let properties = fields.map(nested, "properties");
    let properties = fields.at_key("properties", |fields| {
        let Some(properties) = properties else { return BTreeMap::new() };
        let names: Vec<String> = properties.keys().map(ToString::to_string).collect();
        let read = |name: String| read_nested_member(properties, &name, fields).map(|schema| (name, schema));
        names.into_iter().filter_map(read).collect()
    });
    NestedValidation {
        validation: read_validation(nested, fields),
        ty: read_type(nested, fields),
        properties,
        additional_properties: read_nested_member(nested, "additionalProperties", fields).map(Box::new),
        items: read_nested_member(nested, "items", fields).map(Box::new),
        rules: read_rules(nested, fields),
    }
}
