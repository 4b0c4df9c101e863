//! The document of a `CustomResourceDefinition`, as an API server decodes it.

use super::keywords::PRESERVE_UNKNOWN;
use crate::document::{Doc, OwnedDoc, OwnedMap, Text};

/// The API version of definitions that servers up to 1.21 had, and converted.
const OLD_VERSION: &str = "apiextensions.k8s.io/v1beta1";

/// The parts of `spec` that all versions of an old definition share, with their name and place in a version of today.
const SHARED: [(&str, &str); 4] = [
    ("validation", "schema"),
    ("subresources", "subresources"),
    ("additionalPrinterColumns", "additionalPrinterColumns"),
    ("selectableFields", "selectableFields"),
];

/// Returns true if the document is a definition of `apiextensions.k8s.io/v1beta1`.
#[must_use]
pub fn is_old_definition(document: &OwnedDoc) -> bool {
    let Some(document) = document.as_map() else { return false };
    let text = |key| document.get(key).and_then(Doc::as_str);
    text("kind") == Some("CustomResourceDefinition") && text("apiVersion") == Some(OLD_VERSION)
}

/// Returns a definition as an API server decodes it: members that are null are missing, and a definition of
/// `apiextensions.k8s.io/v1beta1` is one of `v1`.
#[must_use]
pub fn decode_definition(document: &OwnedDoc) -> OwnedDoc {
    let mut decoded = without_nulls(document);
    if is_old_definition(&decoded)
        && let Some(map) = decoded.as_map_mut()
    {
        convert(map);
    }
    decoded
}

/// Removes the members that are null. A schema that is null is one without keywords. Values of users are kept.
fn without_nulls(document: &OwnedDoc) -> OwnedDoc {
    match document {
        Doc::Map(map) => Doc::Map(map.iter().filter_map(|(key, value)| member(key, value)).collect()),
        Doc::List(items) => Doc::List(items.iter().map(without_nulls).collect()),
        scalar => scalar.clone(),
    }
}

fn member(key: &Text<'static>, value: &OwnedDoc) -> Option<(Text<'static>, OwnedDoc)> {
    let value = match (key.as_str(), value) {
        (_, Doc::Null) => return None,
        ("properties", Doc::Map(schemas)) => {
            let schema = |schema: &OwnedDoc| match schema {
                Doc::Null => Doc::Map(OwnedMap::new()),
                schema => without_nulls(schema),
            };
            Doc::Map(schemas.iter().map(|(name, value)| (name.clone(), schema(value))).collect())
        }
        ("default" | "example" | "enum" | "annotations" | "labels", value) => value.clone(),
        (_, value) => without_nulls(value),
    };
    Some((key.clone(), value))
}

/// Upstream: `SetDefaults_CustomResourceDefinitionSpec` of `v1beta1`, and the conversions of `v1beta1` and `v1`
/// (k8s.io/apiextensions-apiserver, apis/apiextensions).
fn convert(document: &mut OwnedMap) {
    document.insert("apiVersion".into(), Doc::from("apiextensions.k8s.io/v1").to_static());
    let Some(spec) = document.get_mut("spec").and_then(Doc::as_map_mut) else { return };
    let first = spec.remove("version");
    let shared: Vec<(&str, OwnedDoc)> =
        SHARED.iter().filter_map(|(key, place)| Some((*place, spec.remove(key)?))).collect();
    if !spec.contains_key("versions")
        && let Some(name) = first
    {
        let mut version = OwnedMap::new();
        version.insert("name".into(), name);
        version.insert("served".into(), Doc::Bool(true));
        version.insert("storage".into(), Doc::Bool(true));
        spec.insert("versions".into(), Doc::List(vec![Doc::Map(version)]));
    }
    let versions = spec.get_mut("versions").and_then(Doc::as_list_mut).into_iter().flatten();
    for version in versions.filter_map(Doc::as_map_mut) {
        for (place, value) in &shared {
            if !version.contains_key(place) {
                version.insert((*place).into(), value.clone());
            }
        }
        // Without a schema, objects had any fields.
        if !version.contains_key("schema") {
            version.insert("schema".into(), any_object());
        }
        let schema = version.get_mut("schema").and_then(Doc::as_map_mut);
        if let Some(root) = schema.and_then(|schema| schema.get_mut("openAPIV3Schema")) {
            name_types(root, Some("object"));
        }
        let columns = version.get_mut("additionalPrinterColumns").and_then(Doc::as_list_mut);
        for column in columns.into_iter().flatten().filter_map(Doc::as_map_mut) {
            rename(column, "JSONPath", "jsonPath");
        }
    }
    // The servers of these definitions kept unknown fields unless told otherwise.
    if !spec.contains_key("preserveUnknownFields") {
        spec.insert("preserveUnknownFields".into(), Doc::Bool(true));
    }
    if !spec.contains_key("scope") {
        spec.insert("scope".into(), Doc::from("Namespaced").to_static());
    }
    if let Some(conversion) = spec.get_mut("conversion").and_then(Doc::as_map_mut) {
        convert_webhook(conversion);
    }
}

/// Names the types that a schema had not to name: that of the whole object, and those of values with fields or items. Values of
/// another type were valid, too, and are not from here on.
fn name_types(schema: &mut OwnedDoc, ty: Option<&'static str>) {
    let Some(schema) = schema.as_map_mut() else { return };
    let has = |key: &str| schema.contains_key(key);
    let meant = match (has("properties"), has("items")) {
        (true, _) => Some("object"),
        (_, true) => Some("array"),
        _ => ty,
    };
    if let Some(ty) = meant.filter(|_| !has("type")) {
        schema.insert("type".into(), Doc::from(ty).to_static());
    }
    let fields = schema.get_mut("properties").and_then(Doc::as_map_mut);
    for (_, field) in fields.into_iter().flat_map(OwnedMap::iter_mut) {
        name_types(field, None);
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get_mut(key) {
            name_types(inner, None);
        }
    }
}

fn any_object() -> OwnedDoc {
    let mut schema = OwnedMap::new();
    schema.insert("type".into(), Doc::from("object").to_static());
    schema.insert(PRESERVE_UNKNOWN.into(), Doc::Bool(true));
    let mut validation = OwnedMap::new();
    validation.insert("openAPIV3Schema".into(), Doc::Map(schema));
    Doc::Map(validation)
}

/// A webhook without `conversionReviewVersions` gets requests of `v1beta1`.
fn convert_webhook(conversion: &mut OwnedMap) {
    let config = conversion.remove("webhookClientConfig");
    let versions = conversion.remove("conversionReviewVersions");
    if config.is_none() && versions.is_none() {
        return;
    }
    let mut webhook = OwnedMap::new();
    if let Some(config) = config {
        webhook.insert("clientConfig".into(), config);
    }
    let versions = versions.unwrap_or_else(|| Doc::List(vec![Doc::from("v1beta1").to_static()]));
    webhook.insert("conversionReviewVersions".into(), versions);
    conversion.insert("webhook".into(), Doc::Map(webhook));
}

fn rename(map: &mut OwnedMap, old: &str, new: &'static str) {
    if let Some(value) = map.remove(old) {
        map.insert(new.into(), value);
    }
}
