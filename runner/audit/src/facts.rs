//! The statements of a schema about each of its elements, as a flat list that can be compared with that of another
//! schema.

use std::collections::BTreeMap;

use skewer_admission::definition::Version;
use skewer_admission::structural::{
    AdditionalProperties, NestedValidation, StructuralSchema, ValueType, ValueValidation,
};
use skewer_engine::{Doc, OwnedDoc};

use super::schema_path::{SchemaPath, SchemaStep};

/// A property of an element of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Property {
    /// The element itself.
    Field,
    /// The type.
    Type,
    /// Whether null is valid.
    Nullable,
    /// Whether the object that contains the field must have it.
    Required,
    /// The default.
    Default,
    /// The valid values.
    Enum,
    /// A keyword that limits numbers, lengths or counts, such as `maximum`.
    Bound(&'static str),
    /// `pattern`.
    Pattern,
    /// `format`.
    Format,
    /// Whether unknown fields are kept.
    UnknownFields,
    /// Whether the value is an object with a version, a kind and metadata.
    EmbeddedResource,
    /// `x-kubernetes-list-type`.
    ListType,
    /// `x-kubernetes-list-map-keys`.
    ListMapKeys,
    /// `x-kubernetes-map-type`.
    MapType,
    /// `patchStrategy`.
    PatchStrategy,
    /// The words of `patchStrategy` for directives: `retainKeys`.
    PatchDirectives,
    /// `patchMergeKey`.
    MergeKey,
    /// `allOf`, `anyOf`, `oneOf` or `not`.
    Alternatives(&'static str),
    /// The rules in CEL.
    Rules,
    /// The subresource `status`.
    StatusSubresource,
    /// The subresource `scale`.
    ScaleSubresource,
    /// Whether requests can use the version.
    Served,
}

impl Property {
    /// Returns the name of the property in reports: the keyword of the schema, if there is one.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Property::Field => "field",
            Property::Type => "type",
            Property::Nullable => "nullable",
            Property::Required => "required",
            Property::Default => "default",
            Property::Enum => "enum",
            Property::Bound(keyword) | Property::Alternatives(keyword) => keyword,
            Property::Pattern => "pattern",
            Property::Format => "format",
            Property::UnknownFields => "unknown fields",
            Property::EmbeddedResource => "embedded resource",
            Property::ListType => "list type",
            Property::ListMapKeys => "list map keys",
            Property::MapType => "map type",
            Property::PatchStrategy => "patch strategy",
            Property::PatchDirectives => "patch directive",
            Property::MergeKey => "merge key",
            Property::Rules => "CEL rules",
            Property::StatusSubresource => "subresource status",
            Property::ScaleSubresource => "subresource scale",
            Property::Served => "served",
        }
    }
}

impl Property {
    /// Returns true if the simulated server acts on the property. A change of any other one is not judged.
    #[must_use]
    pub fn is_simulated(self) -> bool {
        match self {
            Property::Field
            | Property::Type
            | Property::Required
            | Property::Enum
            | Property::UnknownFields
            | Property::ListType
            | Property::ListMapKeys
            | Property::MapType
            | Property::PatchStrategy
            | Property::PatchDirectives
            | Property::MergeKey
            | Property::Nullable
            | Property::Default
            | Property::Bound(_)
            | Property::Alternatives(_)
            | Property::Rules
            | Property::Pattern
            | Property::Format
            | Property::Served
            | Property::EmbeddedResource
            | Property::StatusSubresource => true,
            Property::ScaleSubresource => false,
        }
    }
}

/// The properties of one element.
pub type Facts = BTreeMap<Property, OwnedDoc>;

/// Returns the facts of all elements of a version.
#[must_use]
pub fn facts_of(version: &Version) -> BTreeMap<SchemaPath, Facts> {
    let mut all = facts_of_schema(&version.schema);
    // Every object has these fields, whether a definition names or requires them or not.
    for (name, ty) in [("apiVersion", "string"), ("kind", "string"), ("metadata", "object")] {
        let path = SchemaPath::default().child(SchemaStep::Field(name.to_owned()));
        let facts = all.entry(path).or_insert_with(|| Facts::from([(Property::Type, Doc::from(ty))]));
        facts.remove(&Property::Required);
    }
    let root = all.entry(SchemaPath::default()).or_default();
    let subresources = [
        (Property::StatusSubresource, version.has_status),
        (Property::ScaleSubresource, version.scale.is_some()),
    ];
    for (property, exists) in subresources.into_iter().chain([(Property::Served, version.served)]) {
        if exists {
            root.insert(property, Doc::Bool(true));
        }
    }
    all
}

/// Returns the facts of all elements of a schema.
#[must_use]
pub fn facts_of_schema(schema: &StructuralSchema) -> BTreeMap<SchemaPath, Facts> {
    let mut all = BTreeMap::new();
    collect(schema, SchemaPath::default(), false, &mut all);
    all
}

fn collect(
    schema: &StructuralSchema,
    path: SchemaPath,
    is_required: bool,
    all: &mut BTreeMap<SchemaPath, Facts>,
) {
    let mut facts = own_facts(schema);
    if is_required {
        facts.insert(Property::Required, Doc::Bool(true));
    }
    for (name, property) in &schema.properties {
        let is_required = schema.validation.required.contains(name);
        collect(property, path.child(SchemaStep::Field(name.clone())), is_required, all);
    }
    if let Some(items) = &schema.items {
        collect(items, path.child(SchemaStep::Items), false, all);
    }
    if let Some(AdditionalProperties::Schema(values)) = &schema.additional_properties {
        collect(values, path.child(SchemaStep::Values), false, all);
    }
    all.insert(path, facts);
}

fn own_facts(schema: &StructuralSchema) -> Facts {
    let mut facts = Facts::new();
    facts.insert(Property::Type, Doc::from(type_name(schema)));
    let mut add = |property, value: Option<OwnedDoc>| {
        if let Some(value) = value {
            facts.insert(property, value);
        }
    };
    let flag = |set: bool| set.then_some(Doc::Bool(true));
    add(Property::Nullable, flag(schema.nullable));
    add(Property::Default, schema.default.clone());
    add(Property::UnknownFields, flag(schema.preserve_unknown_fields));
    add(Property::EmbeddedResource, flag(schema.embedded_resource));
    // A list without a type is atomic, a map without a type is granular.
    let list_type = schema.list_type.filter(|ty| ty.name() != "atomic");
    add(Property::ListType, list_type.map(|ty| Doc::from(ty.name())));
    let map_type = schema.map_type.filter(|ty| ty.name() != "granular");
    add(Property::MapType, map_type.map(|ty| Doc::from(ty.name())));
    let keys: Vec<OwnedDoc> = schema.list_map_keys.iter().map(|key| Doc::from(key.clone())).collect();
    add(Property::ListMapKeys, (!keys.is_empty()).then_some(Doc::List(keys)));
    let mut rules: Vec<OwnedDoc> =
        schema.rules.iter().map(|rule| Doc::from(rule.rule.trim().to_owned())).collect();
    rules.sort_by_key(ToString::to_string);
    add(Property::Rules, (!rules.is_empty()).then_some(Doc::List(rules)));
    add_validation(&schema.validation, &mut facts);
    facts
}

/// Returns the name of the type of a value: `object`, `map`, `int-or-string`, …
fn type_name(schema: &StructuralSchema) -> &'static str {
    match schema.ty {
        _ if schema.int_or_string => "int-or-string",
        Some(ValueType::Object) if schema.additional_properties.is_some() => "map",
        Some(ValueType::Object) => "object",
        Some(ValueType::Array) => "array",
        Some(ValueType::String) => "string",
        Some(ValueType::Integer) => "integer",
        Some(ValueType::Number) => "number",
        Some(ValueType::Boolean) => "boolean",
        None => "any",
    }
}

fn add_validation(validation: &ValueValidation, facts: &mut Facts) {
    let mut add = |property, value: Option<OwnedDoc>| {
        if let Some(value) = value {
            facts.insert(property, value);
        }
    };
    let float = |value: Option<f64>| value.map(Doc::from_go_float);
    let integer = |value: Option<i64>| value.map(Doc::Int);
    let flag = |set: bool| set.then_some(Doc::Bool(true));
    add(Property::Format, validation.format.clone().map(Doc::from));
    add(Property::Pattern, validation.pattern.clone().map(Doc::from));
    let bounds = [
        ("maximum", float(validation.maximum)),
        ("exclusiveMaximum", flag(validation.exclusive_maximum)),
        ("minimum", float(validation.minimum)),
        ("exclusiveMinimum", flag(validation.exclusive_minimum)),
        ("multipleOf", float(validation.multiple_of)),
        ("maxLength", integer(validation.max_length)),
        ("minLength", integer(validation.min_length)),
        ("maxItems", integer(validation.max_items)),
        ("minItems", integer(validation.min_items)),
        ("uniqueItems", flag(validation.unique_items)),
        ("maxProperties", integer(validation.max_properties)),
        ("minProperties", integer(validation.min_properties)),
    ];
    for (keyword, value) in bounds {
        add(Property::Bound(keyword), value);
    }
    let mut values = validation.enum_values.clone();
    values.sort_by_key(ToString::to_string);
    add(Property::Enum, (!values.is_empty()).then_some(Doc::List(values)));
    let alternatives = [
        ("allOf", &validation.all_of[..]),
        ("anyOf", &validation.any_of[..]),
        ("oneOf", &validation.one_of[..]),
        ("not", validation.not.as_deref().map(std::slice::from_ref).unwrap_or_default()),
    ];
    for (keyword, schemas) in alternatives {
        let texts: Vec<OwnedDoc> = schemas.iter().map(|nested| nested_facts(nested)).collect();
        add(Property::Alternatives(keyword), (!texts.is_empty()).then_some(Doc::List(texts)));
    }
}

/// Returns what a nested schema says, as a document that can be compared.
fn nested_facts(nested: &NestedValidation) -> OwnedDoc {
    let mut facts = Facts::new();
    add_validation(&nested.validation, &mut facts);
    let required: Vec<OwnedDoc> =
        nested.validation.required.iter().map(|name| Doc::from(name.clone())).collect();
    if !required.is_empty() {
        facts.insert(Property::Required, Doc::List(required));
    }
    let rules: Vec<OwnedDoc> = nested.rules.iter().map(|rule| Doc::from(rule.rule.clone())).collect();
    if !rules.is_empty() {
        facts.insert(Property::Rules, Doc::List(rules));
    }
    let mut members: Vec<(String, OwnedDoc)> =
        facts.into_iter().map(|(property, value)| (property.name().to_owned(), value)).collect();
    let named = nested.properties.iter().map(|(name, schema)| (format!("properties.{name}"), schema));
    members.extend(named.map(|(name, schema)| (name, nested_facts(schema))));
    members.extend(nested.items.iter().map(|items| ("items".to_owned(), nested_facts(items))));
    let values = nested.additional_properties.iter();
    members.extend(values.map(|values| ("additionalProperties".to_owned(), nested_facts(values))));
    Doc::Map(members.into_iter().map(|(name, value)| (name.into(), value)).collect())
}

/// Returns the items of a list that is the value of a property.
pub(crate) fn values(list: Option<&OwnedDoc>) -> &[OwnedDoc] {
    list.and_then(Doc::as_list).unwrap_or_default()
}
