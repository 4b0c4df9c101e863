//! The Go types of definitions. Upstream: `apiextensions/v1/types.go` and `types_jsonschema.go`.

use skewer_engine::document::OwnedDoc;
use skewer_engine::error::Result;
use skewer_engine::field_path::FieldPath;

use crate::go_types::GoType::{
    Any, Bytes, Flag, Integer, KeptObjects, KeptTexts, Object, ObjectMap, ObjectOrFlag, ObjectOrObjects,
    ObjectOrTextsMap, Objects, OptionalFlag, OptionalInteger, OptionalNumber, OptionalText, ShortInteger,
    Text, Texts, Time, Values,
};
use crate::go_types::{GoField, decode_object, field};
use crate::metadata::OBJECT_META;

/// Decodes the document of a definition: unknown fields, and most fields with the zero value of their type, are left out.
///
/// # Errors
///
/// [`skewer_engine::ErrorKind::Undecodable`] if a field does not have its type.
pub(super) fn decode(document: &OwnedDoc) -> Result<OwnedDoc> {
    decode_object(DEFINITION, document, &mut FieldPath::root(), &mut Vec::new())
}

static DEFINITION: &[GoField] = &[
    field("apiVersion", Text),
    field("kind", Text),
    field("metadata", Object(OBJECT_META)),
    field("spec", Object(SPEC)),
    field("status", Object(STATUS)),
];

static SPEC: &[GoField] = &[
    field("group", Text),
    field("names", Object(NAMES)),
    field("scope", Text),
    field("versions", Objects(VERSION)),
    field("conversion", Object(CONVERSION)),
    field("preserveUnknownFields", Flag),
];

static NAMES: &[GoField] = &[
    field("plural", Text),
    field("singular", Text),
    field("shortNames", Texts),
    field("kind", Text),
    field("listKind", Text),
    field("categories", Texts),
];

static STATUS: &[GoField] = &[
    field("conditions", Objects(CONDITION)),
    field("acceptedNames", Object(NAMES)),
    field("storedVersions", Texts),
    field("observedGeneration", Integer),
];

static CONDITION: &[GoField] = &[
    field("type", Text),
    field("status", Text),
    field("lastTransitionTime", Time),
    field("reason", Text),
    field("message", Text),
    field("observedGeneration", Integer),
];

static CONVERSION: &[GoField] = &[field("strategy", Text), field("webhook", Object(WEBHOOK))];

static WEBHOOK: &[GoField] =
    &[field("clientConfig", Object(CLIENT_CONFIG)), field("conversionReviewVersions", Texts)];

static CLIENT_CONFIG: &[GoField] =
    &[field("url", OptionalText), field("service", Object(SERVICE)), field("caBundle", Bytes)];

static SERVICE: &[GoField] = &[
    field("namespace", Text),
    field("name", Text),
    field("path", OptionalText),
    field("port", ShortInteger),
];

static VERSION: &[GoField] = &[
    field("name", Text),
    field("served", Flag),
    field("storage", Flag),
    field("deprecated", Flag),
    field("deprecationWarning", OptionalText),
    field("schema", Object(VALIDATION)),
    field("subresources", Object(SUBRESOURCES)),
    field("additionalPrinterColumns", Objects(COLUMN)),
    field("selectableFields", Objects(SELECTABLE_FIELD)),
];

static VALIDATION: &[GoField] = &[field("openAPIV3Schema", Object(&SCHEMA))];

static SELECTABLE_FIELD: &[GoField] = &[field("jsonPath", Text)];

static SUBRESOURCES: &[GoField] = &[field("status", Object(&[])), field("scale", Object(SCALE))];

static SCALE: &[GoField] = &[
    field("specReplicasPath", Text),
    field("statusReplicasPath", Text),
    field("labelSelectorPath", OptionalText),
];

static COLUMN: &[GoField] = &[
    field("name", Text),
    field("type", Text),
    field("format", Text),
    field("description", Text),
    field("priority", ShortInteger),
    field("jsonPath", Text),
];

/// In the order of `JSONSchemaProps` of the internal version.
static SCHEMA: [GoField; 44] = [
    field("id", Text),
    field("$schema", Text),
    field("$ref", OptionalText),
    field("description", Text),
    field("type", Text),
    field("nullable", Flag),
    field("format", Text),
    field("title", Text),
    field("default", Any),
    field("maximum", OptionalNumber),
    field("exclusiveMaximum", Flag),
    field("minimum", OptionalNumber),
    field("exclusiveMinimum", Flag),
    field("maxLength", OptionalInteger),
    field("minLength", OptionalInteger),
    field("pattern", Text),
    field("maxItems", OptionalInteger),
    field("minItems", OptionalInteger),
    field("uniqueItems", Flag),
    field("multipleOf", OptionalNumber),
    field("enum", Values),
    field("maxProperties", OptionalInteger),
    field("minProperties", OptionalInteger),
    field("required", KeptTexts),
    field("items", ObjectOrObjects(&SCHEMA)),
    field("allOf", KeptObjects(&SCHEMA)),
    field("oneOf", KeptObjects(&SCHEMA)),
    field("anyOf", KeptObjects(&SCHEMA)),
    field("not", Object(&SCHEMA)),
    field("properties", ObjectMap(&SCHEMA)),
    field("additionalProperties", ObjectOrFlag(&SCHEMA)),
    field("patternProperties", ObjectMap(&SCHEMA)),
    field("dependencies", ObjectOrTextsMap(&SCHEMA)),
    field("additionalItems", ObjectOrFlag(&SCHEMA)),
    field("definitions", ObjectMap(&SCHEMA)),
    field("externalDocs", Object(EXTERNAL_DOCS)),
    field("example", Any),
    field("x-kubernetes-preserve-unknown-fields", OptionalFlag),
    field("x-kubernetes-embedded-resource", Flag),
    field("x-kubernetes-int-or-string", Flag),
    field("x-kubernetes-list-map-keys", KeptTexts),
    field("x-kubernetes-list-type", OptionalText),
    field("x-kubernetes-map-type", OptionalText),
    field("x-kubernetes-validations", KeptObjects(RULE)),
];

static EXTERNAL_DOCS: &[GoField] = &[field("description", Text), field("url", Text)];

static RULE: &[GoField] = &[
    field("rule", Text),
    field("message", Text),
    field("messageExpression", Text),
    field("reason", OptionalText),
    field("fieldPath", Text),
    field("optionalOldSelf", OptionalFlag),
];
