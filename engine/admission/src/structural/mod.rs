//! Structural schemas: the schemas of custom resources. Upstream: `apiextensions-apiserver`, package `schema`
//! (`Structural`).
//!
//! The types that patches need ([`skewer_engine::schema`]) come from the same text, but have no validation.

mod reader;
pub(super) mod visit;

use std::collections::BTreeMap;

use skewer_engine::document::OwnedDoc;
use skewer_engine::field_path::FieldPath;
use skewer_engine::schema::{ListType, MapType};

use super::go_regex::Pattern;

/// The schema of a value of a custom resource.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a keyword of the format, independent of the others"
)]
#[non_exhaustive]
pub struct StructuralSchema {
    /// The type. `None` only for a value that is an integer or a string, or that keeps unknown fields.
    pub ty: Option<ValueType>,
    /// Whether null is a valid value.
    pub nullable: bool,
    /// The default of the value.
    pub default: Option<OwnedDoc>,
    /// The fields of an object.
    pub properties: BTreeMap<String, StructuralSchema>,
    /// The other fields of an object, which make it a map.
    pub additional_properties: Option<AdditionalProperties>,
    /// `additionalProperties: false`: an object with other fields than those in `properties` is not valid. Pruning keeps them.
    pub forbids_other_fields: bool,
    /// The items of a list.
    pub items: Option<Box<StructuralSchema>>,
    /// `x-kubernetes-preserve-unknown-fields`: fields that the schema does not have are kept.
    pub preserve_unknown_fields: bool,
    /// `x-kubernetes-embedded-resource`: the value is an object with a version, a kind and metadata.
    pub embedded_resource: bool,
    /// `x-kubernetes-int-or-string`: the value is an integer or a string.
    pub int_or_string: bool,
    /// `x-kubernetes-list-type`.
    pub list_type: Option<ListType>,
    /// `x-kubernetes-list-type`, if servers do not know it. Only the check of a definition evaluates rules of such lists.
    pub(crate) unknown_list_type: Option<String>,
    /// `x-kubernetes-list-map-keys`.
    pub list_map_keys: Vec<String>,
    /// `x-kubernetes-map-type`.
    pub map_type: Option<MapType>,
    /// Whether servers do not know `x-kubernetes-map-type`.
    pub(crate) has_unknown_map_type: bool,
    /// `x-kubernetes-validations`: rules in CEL.
    pub rules: Vec<ValidationRule>,
    /// The keywords that validate the value, but do not shape it.
    pub validation: ValueValidation,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// A map.
    Object,
    /// A list.
    Array,
    /// A string.
    String,
    /// An integer.
    Integer,
    /// A number.
    Number,
    /// A boolean.
    Boolean,
}

/// The fields of an object that `properties` does not name.
#[derive(Clone, Debug, PartialEq)]
pub enum AdditionalProperties {
    /// `additionalProperties: true`: any value.
    Any,
    /// Values with this schema.
    Schema(Box<StructuralSchema>),
}

/// A rule of `x-kubernetes-validations`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ValidationRule {
    /// The CEL expression.
    pub rule: String,
    /// The message if the rule does not hold.
    pub message: Option<String>,
    /// A CEL expression that returns the message.
    pub message_expression: Option<String>,
    /// The reason of the error, such as `FieldValueForbidden`.
    pub reason: Option<String>,
    /// The path of the error, relative to the value with the rule.
    pub field_path: Option<String>,
    /// Whether `oldSelf` is an optional, so that the rule is also evaluated if there is no old value.
    pub optional_old_self: bool,
}

/// The estimated cost of a rule.
#[derive(Clone, Debug)]
pub(crate) struct RuleCost {
    /// The path of the rule in its schema.
    pub(crate) path: FieldPath,
    /// The cost of an evaluation.
    pub(crate) rule: u64,
    /// The largest number of values in a request that have the rule.
    pub(crate) max_values: u64,
    /// The cost of an evaluation of `messageExpression`.
    pub(crate) message: Option<u64>,
}

/// The keywords that validate a value, but do not shape it. Upstream: `ValueValidation`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ValueValidation {
    /// `format`.
    pub format: Option<String>,
    /// `maximum`.
    pub maximum: Option<f64>,
    /// `exclusiveMaximum`.
    pub exclusive_maximum: bool,
    /// `minimum`.
    pub minimum: Option<f64>,
    /// `exclusiveMinimum`.
    pub exclusive_minimum: bool,
    /// `multipleOf`.
    pub multiple_of: Option<f64>,
    /// `maxLength`.
    pub max_length: Option<i64>,
    /// `minLength`.
    pub min_length: Option<i64>,
    /// `pattern`, a regular expression in the syntax of Go.
    pub pattern: Option<String>,
    /// The compiled pattern. `None` if there is no pattern, or if it is not simulated.
    pub(crate) regex: Option<Pattern>,
    /// `maxItems`.
    pub max_items: Option<i64>,
    /// `minItems`.
    pub min_items: Option<i64>,
    /// `uniqueItems`.
    pub unique_items: bool,
    /// `maxProperties`.
    pub max_properties: Option<i64>,
    /// `minProperties`.
    pub min_properties: Option<i64>,
    /// `enum`: the valid values. Empty if all values are valid.
    pub enum_values: Vec<OwnedDoc>,
    /// `required`: the names of fields.
    pub required: Vec<String>,
    /// `allOf`.
    pub all_of: Vec<NestedValidation>,
    /// `anyOf`.
    pub any_of: Vec<NestedValidation>,
    /// `oneOf`.
    pub one_of: Vec<NestedValidation>,
    /// `not`.
    pub not: Option<Box<NestedValidation>>,
}

/// A schema inside `allOf`, `anyOf`, `oneOf` or `not`. It only validates. Upstream: `NestedValueValidation`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct NestedValidation {
    /// The validation of the value itself.
    pub validation: ValueValidation,
    /// The type, which only the two alternatives of an int-or-string (`anyOf: [{type: integer}, {type: string}]`) have.
    pub ty: Option<ValueType>,
    /// The validation of fields.
    pub properties: BTreeMap<String, NestedValidation>,
    /// The validation of the values of a map.
    pub additional_properties: Option<Box<NestedValidation>>,
    /// The validation of items.
    pub items: Option<Box<NestedValidation>>,
    /// Rules in CEL.
    pub rules: Vec<ValidationRule>,
}
