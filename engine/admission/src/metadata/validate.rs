//! The validation of objects inside of objects. Upstream: `objectmeta.Validate`, `ValidateObjectMeta`.

use skewer_engine::document::{Doc, OwnedDoc, OwnedMap};
use skewer_engine::error::ErrorKind;
use skewer_engine::field_path::FieldPath;

use super::{METADATA, coerce_member, names};
use crate::reason::ServerReason;
use crate::structural::StructuralSchema;
use crate::validate::outcome::Finding;

/// The most bytes that all annotations of an object can have. Upstream: `TotalAnnotationSizeLimitB`.
const MAX_ANNOTATIONS: usize = 256 * 1024;

/// Returns the errors of the objects inside of an object.
pub(crate) fn validate(schema: &StructuralSchema, value: &OwnedDoc) -> Vec<Finding> {
    let mut errors = Vec::new();
    match value {
        Doc::Map(map) => {
            if schema.embedded_resource {
                errors.extend(object_errors(map));
            }
            for (key, value) in map.iter() {
                if let Some(field) = schema.field(key) {
                    errors.extend(at(key, validate(field, value)));
                }
            }
        }
        Doc::List(items) => {
            let Some(schema) = &schema.items else { return errors };
            for (index, item) in items.iter().enumerate() {
                let inner = validate(schema, item);
                errors.extend(inner.into_iter().map(|finding| finding.map(|error| error.at_index(index))));
            }
        }
        _ => {}
    }
    errors
}

fn at(key: &str, findings: Vec<Finding>) -> impl Iterator<Item = Finding> {
    findings.into_iter().map(move |finding| finding.map(|error| error.at(key)))
}

fn required(message: &str) -> Finding {
    Finding::blocking(ErrorKind::RequiredFieldMissing, message)
}

/// A check of a text, which returns the message of an error.
type Check = fn(&str) -> Option<&'static str>;

const NOT_IN_A_PATH: &str = "the text cannot be in the path of a request";

fn prefix_error(text: &str) -> Option<&'static str> {
    (!names::is_path_segment_prefix(text)).then_some(NOT_IN_A_PATH)
}

fn name_error(text: &str) -> Option<&'static str> {
    (!names::is_path_segment(text)).then_some(NOT_IN_A_PATH)
}

fn namespace_error(text: &str) -> Option<&'static str> {
    (!names::is_dns_1123_label(text)).then_some("a namespace is a DNS label")
}

/// Upstream: `validateEmbeddedResource`.
fn object_errors(object: &OwnedMap) -> Vec<Finding> {
    let mut errors = Vec::new();
    let checks: [(&str, Check); 2] = [("apiVersion", api_version_error), ("kind", kind_error)];
    for (key, check) in checks {
        let error = match object.get(key) {
            None => Some(required("an object inside of an object has an API version and a kind")),
            Some(value) => match value.as_str() {
                None => Some(Finding::invalid("expected a string")),
                Some("") => Some(Finding::invalid("the text is empty")),
                Some(text) => check(text).map(Finding::invalid),
            },
        };
        errors.extend(at(key, error.into_iter().collect()));
    }
    let mut decoded = OwnedMap::new();
    if let Some(metadata) = object.get(METADATA) {
        decoded.insert(METADATA.into(), metadata.clone());
        match coerce_member(&mut decoded, &FieldPath::root(), &mut Vec::new()) {
            Ok(()) => {
                let metadata = decoded.get(METADATA).and_then(Doc::as_map);
                errors.extend(at(METADATA, metadata.map(metadata_errors).unwrap_or_default()));
            }
            Err(error) => errors.extend(at(METADATA, vec![Finding::invalid(error.message())])),
        }
    }
    errors
}

/// Upstream: `ParseGroupVersion`.
fn api_version_error(text: &str) -> Option<&'static str> {
    (text.matches('/').count() > 1).then_some("expected a version, or a group and a version")
}

fn kind_error(text: &str) -> Option<&'static str> {
    let is_valid = names::is_dns_1035_label(&text.to_lowercase());
    (!is_valid).then_some("a kind consists of letters, digits and dashes")
}

/// Upstream: `ValidateObjectMeta`. The name can be missing.
fn metadata_errors(metadata: &OwnedMap) -> Vec<Finding> {
    let mut errors = Vec::new();
    let checks: [(&str, Check); 3] =
        [("generateName", prefix_error), ("name", name_error), ("namespace", namespace_error)];
    for (key, check) in checks {
        let text = metadata.get(key).and_then(Doc::as_str);
        errors.extend(at(key, text.and_then(check).map(Finding::invalid).into_iter().collect()));
    }
    errors.extend(common_errors(metadata));
    errors
}

/// Returns the errors of the metadata of any object, apart from its names. Upstream:
/// `validateObjectMetaAccessorWithOptsCommon`.
pub(crate) fn common_errors(metadata: &OwnedMap) -> Vec<Finding> {
    let mut errors = Vec::new();
    if matches!(metadata.get("generation"), Some(Doc::Int(..0))) {
        errors.extend(at("generation", vec![Finding::invalid("a generation is not negative")]));
    }
    errors.extend(at("labels", label_errors(metadata)));
    errors.extend(at("annotations", annotation_errors(metadata)));
    errors.extend(at("ownerReferences", owner_errors(metadata)));
    errors.extend(at("finalizers", finalizer_errors(metadata)));
    errors
}

fn entries<'m>(metadata: &'m OwnedMap, key: &str) -> impl Iterator<Item = (&'m str, &'m str)> {
    let map = metadata.get(key).and_then(Doc::as_map);
    map.into_iter()
        .flat_map(|map| map.iter().map(|(key, value)| (key.as_str(), value.as_str().unwrap_or_default())))
}

fn label_errors(metadata: &OwnedMap) -> Vec<Finding> {
    let mut errors = Vec::new();
    for (key, value) in entries(metadata, "labels") {
        if !names::is_qualified_name(key) {
            errors.push(Finding::invalid(format!("{key:?} is not the key of a label")));
        }
        if !names::is_label_value(value) {
            errors.push(Finding::invalid(format!("{value:?} is not the value of a label")));
        }
    }
    errors
}

fn annotation_errors(metadata: &OwnedMap) -> Vec<Finding> {
    let keys = entries(metadata, "annotations").map(|(key, _)| key);
    let invalid = keys.filter(|key| !names::is_qualified_name(&key.to_lowercase()));
    let mut errors: Vec<Finding> =
        invalid.map(|key| Finding::invalid(format!("{key:?} is not the key of an annotation"))).collect();
    let size: usize = entries(metadata, "annotations").map(|(key, value)| key.len() + value.len()).sum();
    if size > MAX_ANNOTATIONS {
        let message = format!("the annotations have {size} bytes, more than {MAX_ANNOTATIONS}");
        errors.push(Finding::too_large(ServerReason::TooLong, message));
    }
    errors
}

/// Upstream: `ValidateOwnerReferences`.
fn owner_errors(metadata: &OwnedMap) -> Vec<Finding> {
    let owners = metadata.get("ownerReferences").and_then(Doc::as_list).unwrap_or_default();
    let mut errors = Vec::new();
    for (index, owner) in owners.iter().enumerate() {
        let text = |key: &str| owner.as_map().and_then(|owner| owner.get(key)?.as_str()).unwrap_or_default();
        let mut inner = Vec::new();
        for key in ["apiVersion", "kind", "name", "uid"] {
            if text(key).is_empty() {
                inner.extend(at(key, vec![required("the field is empty")]));
            }
        }
        let version = text("apiVersion");
        if api_version_error(version).is_some() || version.ends_with('/') {
            let message = "expected a version, or a group and a version";
            inner.extend(at("apiVersion", vec![Finding::invalid(message)]));
        }
        if version == "v1" && text("kind") == "Event" {
            inner.push(Finding::invalid("an event cannot be an owner"));
        }
        errors.extend(inner.into_iter().map(|finding| finding.map(|error| error.at_index(index))));
    }
    let is_controller = |owner: &&OwnedDoc| {
        owner.as_map().and_then(|owner| owner.get("controller")) == Some(&Doc::Bool(true))
    };
    let controllers = owners.iter().filter(is_controller).count();
    errors.extend((1..controllers).map(|_| Finding::invalid("only one owner can be the controller")));
    errors
}

/// Upstream: `ValidateFinalizers`.
fn finalizer_errors(metadata: &OwnedMap) -> Vec<Finding> {
    let finalizers = metadata.get("finalizers").and_then(Doc::as_list).unwrap_or_default();
    let has = |name: &str| finalizers.iter().any(|finalizer| finalizer.as_str() == Some(name));
    let names = finalizers.iter().filter_map(Doc::as_str);
    let mut errors: Vec<Finding> = names
        .filter(|name| !names::is_qualified_name(name))
        .map(|name| Finding::invalid(format!("{name:?} is not the name of a finalizer")))
        .collect();
    if has("orphan") && has("foregroundDeletion") {
        errors.push(Finding::invalid("`orphan` and `foregroundDeletion` are both set"));
    }
    errors
}
