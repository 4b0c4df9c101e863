//! The versions of a definition, their subresources, and the conversion. Upstream: `validateCustomResourceDefinitionSpec`.

use skewer_engine::document::{Doc, OwnedDoc, OwnedMap};

use super::checker::{Checker, Class, Problem};
use super::{defaults, keywords, raw, structural};
use crate::AdmissionOptions;
use crate::cel::CompiledRules;
use crate::definition::{CustomResourceDefinition, Version};
use crate::metadata::is_dns_1035_label;

/// The longest warning of a deprecated version.
const MAX_WARNING: usize = 256;

/// The most selectable fields of a version. Upstream: `MaxSelectableFields`.
const MAX_SELECTABLE_FIELDS: usize = 8;

/// The keywords that cannot be at the root of a schema with the subresource `status`. Upstream: `allowedFieldsAtRootSchema`.
const NOT_WITH_STATUS: [&str; 15] = [
    "enum",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "additionalProperties",
    "nullable",
    "default",
    "minProperties",
    "maxProperties",
    "x-kubernetes-map-type",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
];

pub(super) fn check(checker: &mut Checker, spec: &OwnedMap, definition: &CustomResourceDefinition) {
    if raw::is_set(spec, "preserveUnknownFields") {
        checker.at(&["preserveUnknownFields"], |checker| {
            checker.report_as(Class::PreservedFields, "must be false, so that unknown fields are dropped");
        });
    }
    let versions = raw::list(spec, "versions");
    checker.at(&["versions"], |checker| {
        let is_storage =
            |version: &&OwnedDoc| version.as_map().is_some_and(|version| raw::is_set(version, "storage"));
        let count = versions.iter().filter(is_storage).count();
        if count != 1 {
            checker.report(format!("exactly one version is the storage version, and {count} are"));
        }
        for (index, version) in versions.iter().enumerate() {
            let Some(version) = version.as_map() else { continue };
            let read = definition.versions.iter().find(|read| read.name == raw::text(version, "name"));
            checker.at_index(index, |checker| check_version(checker, version, read));
        }
    });
    if let Some(conversion) = raw::map(spec, "conversion") {
        checker.at(&["conversion"], |checker| check_conversion(checker, conversion));
    }
}

fn check_version(checker: &mut Checker, version: &OwnedMap, read: Option<&Version>) {
    let message = "expected lower-case letters, digits and dashes, with a letter at the start";
    checker.check_text(version, "name", is_dns_1035_label, message);
    if let Some(warning) = version.get("deprecationWarning").and_then(Doc::as_str) {
        if !raw::is_set(version, "deprecated") {
            checker.report_at("deprecationWarning", "the version is not deprecated");
        }
        if warning.is_empty() || warning.len() > MAX_WARNING || warning.contains(char::is_control) {
            checker.report_at("deprecationWarning", "expected 1 to 256 printable characters");
        }
    }
    let schema = raw::map(version, "schema").and_then(|schema| raw::map(schema, "openAPIV3Schema"));
    let subresources = raw::map(version, "subresources");
    if let (Some(schema), Some(read)) = (schema, read) {
        let has_status = subresources.is_some_and(|subresources| raw::has(subresources, "status"));
        checker.at(&["schema", "openAPIV3Schema"], |checker| check_schema(checker, schema, read, has_status));
        checker.at(&["selectableFields"], |checker| check_selectable(checker, version, read));
    }
    if let Some(scale) = subresources.and_then(|subresources| raw::map(subresources, "scale")) {
        checker.at(&["subresources", "scale"], |checker| check_scale(checker, scale));
    }
    for (index, column) in raw::list(version, "additionalPrinterColumns").iter().enumerate() {
        let Some(column) = column.as_map() else { continue };
        checker.at(&["additionalPrinterColumns"], |checker| {
            checker.at_index(index, |checker| check_column(checker, column));
        });
    }
}

/// Upstream: `validateCustomResourceDefinitionValidation`.
fn check_schema(checker: &mut Checker, schema: &OwnedMap, read: &Version, has_status: bool) {
    if has_status {
        for key in NOT_WITH_STATUS.iter().filter(|key| !raw::is_empty(schema.get(key))) {
            checker.report_at(key, "not possible at the root of a schema with the subresource status");
        }
    }
    if raw::is_set(schema, "nullable") {
        checker.report_at("nullable", "an object cannot be null");
    }
    let before = checker.problems.len();
    structural::check(checker, schema);
    // Defaults and rules of a schema that is not structural are not checked.
    let mut is_structural = checker.problems.len() == before;
    if is_structural {
        defaults::check(checker, &read.schema);
        is_structural = checker.problems.len() == before;
    }
    keywords::check(checker, schema);
    if is_structural {
        let (_, _, errors) = CompiledRules::compile(&read.schema, AdmissionOptions::NEWEST);
        for error in errors {
            let error = error.at_path(&checker.path);
            checker.problems.push(Problem { class: Class::Always, error });
        }
    }
}

/// Upstream: `ValidateCustomResourceDefinitionSubresources`.
fn check_scale(checker: &mut Checker, scale: &OwnedMap) {
    let starts_with = |path: &str, starts: &[&str]| starts.iter().any(|start| path.starts_with(start));
    for (key, starts, message) in [
        ("specReplicasPath", &[".spec."][..], "expected a path that starts with .spec."),
        ("statusReplicasPath", &[".status."], "expected a path that starts with .status."),
        ("labelSelectorPath", &[".spec.", ".status."], "expected a path that starts with .spec. or .status."),
    ] {
        checker.check_text(scale, key, |path| starts_with(path, starts), message);
        if key != "labelSelectorPath" {
            checker.require(scale, key);
        }
    }
}

/// Upstream: `ValidateCustomResourceColumnDefinition`.
fn check_column(checker: &mut Checker, column: &OwnedMap) {
    const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
    const FORMATS: [&str; 8] = ["int32", "int64", "float", "double", "byte", "date", "date-time", "password"];
    for key in ["name", "type", "jsonPath"] {
        checker.require(column, key);
    }
    checker.check_text(
        column,
        "type",
        |ty| TYPES.contains(&ty),
        "expected one of boolean, date, integer, number, string",
    );
    let message = "expected one of int32, int64, float, double, byte, date, date-time, password";
    checker.check_text(column, "format", |format| FORMATS.contains(&format), message);
    checker.check_text(
        column,
        "jsonPath",
        |path| path.starts_with('.'),
        "expected a path that starts with a dot",
    );
}

/// Upstream: `ValidateCustomResourceSelectableFields`.
fn check_selectable(checker: &mut Checker, version: &OwnedMap, read: &Version) {
    let fields = raw::list(version, "selectableFields");
    if fields.len() > MAX_SELECTABLE_FIELDS {
        checker.report(format!("more than {MAX_SELECTABLE_FIELDS} fields"));
    }
    for (index, field) in fields.iter().enumerate() {
        let Some(field) = field.as_map() else { continue };
        let path = raw::text(field, "jsonPath");
        let problem = selectable_problem(path, read).or_else(|| {
            let is_same =
                |other: &OwnedDoc| other.as_map().is_some_and(|other| raw::text(other, "jsonPath") == path);
            fields[..index].iter().any(is_same).then_some("the field twice")
        });
        if let Some(problem) = problem {
            checker.at_index(index, |checker| checker.report_at("jsonPath", problem));
        }
    }
}

fn selectable_problem(path: &str, read: &Version) -> Option<&'static str> {
    use crate::structural::ValueType;
    let Some(names) = path.strip_prefix('.') else { return Some("expected a path that starts with a dot") };
    if names == "metadata" || names.starts_with("metadata.") {
        return Some("a field of the metadata");
    }
    let mut schema = &read.schema;
    for name in names.split('.') {
        match schema.properties.get(name) {
            Some(property) => schema = property,
            None => return Some("the schema does not have the field"),
        }
    }
    let is_scalar = matches!(schema.ty, Some(ValueType::String | ValueType::Boolean | ValueType::Integer));
    (!is_scalar).then_some("expected a field of the type string, boolean or integer")
}

/// Upstream: `validateCustomResourceConversion`.
fn check_conversion(checker: &mut Checker, conversion: &OwnedMap) {
    let webhook = raw::map(conversion, "webhook");
    match raw::text(conversion, "strategy") {
        "Webhook" => {
            let config = webhook.and_then(|webhook| raw::map(webhook, "clientConfig"));
            match config {
                Some(config) if raw::has(config, "url") != raw::has(config, "service") => {}
                Some(_) => checker.at(&["webhook", "clientConfig"], |checker| {
                    checker.report("expected either `url` or `service`");
                }),
                None => checker.report_at("webhook", "missing `clientConfig`"),
            }
            let versions =
                webhook.map(|webhook| raw::list(webhook, "conversionReviewVersions")).unwrap_or_default();
            if !versions.iter().any(|version| matches!(version.as_str(), Some("v1" | "v1beta1"))) {
                checker.at(&["webhook", "conversionReviewVersions"], |checker| {
                    checker.report("expected at least one of v1, v1beta1");
                });
            }
        }
        "None" | "" => {
            if webhook.is_some() {
                checker.report_at("webhook", "not possible without `strategy: Webhook`");
            }
        }
        _ => checker.report_at("strategy", "expected None or Webhook"),
    }
}
