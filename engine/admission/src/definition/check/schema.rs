//! The schema of a version. Upstream: `validateCustomResourceDefinitionValidation`.

use skewer_engine::document::OwnedMap;

use super::checker::{Checker, Class};
use super::walk::is_convertible;
use super::{defaults, keywords, raw, rules, structural};
use crate::fields::Fields;
use crate::reason::ServerReason;
use crate::structural::StructuralSchema;

/// The keywords that cannot be at the root of a schema with the subresource `status`. Upstream: `allowedFieldsAtRootSchema`.
const NOT_WITH_STATUS: [&str; 22] = [
    "id",
    "$schema",
    "$ref",
    "nullable",
    "default",
    "enum",
    "maxProperties",
    "minProperties",
    "allOf",
    "oneOf",
    "anyOf",
    "not",
    "additionalProperties",
    "patternProperties",
    "dependencies",
    "additionalItems",
    "definitions",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
];

/// Those that are checked before the type.
const BEFORE_TYPE: [&str; 3] = ["id", "$schema", "$ref"];

pub(super) fn check(checker: &mut Checker, schema: &OwnedMap, has_status: bool) {
    let before = checker.problems.len();
    if has_status {
        check_root_with_status(checker, schema);
    }
    if raw::is_set(schema, "nullable") {
        checker.report_at("nullable", ServerReason::Forbidden, "an object cannot be null");
    }
    let is_structural = is_convertible(schema) && !checker.ignores(Class::NotStructural);
    let read = is_structural.then(|| StructuralSchema::read(schema, &mut Fields::default()));
    let before_structural = checker.problems.len();
    if let Some(read) = &read {
        structural::check(checker, schema);
        // Defaults of a schema that is not structural are not checked.
        if checker.problems.len() == before_structural {
            defaults::check(checker, schema, read);
        }
    }
    // Nor are rules, or those beside invalid defaults.
    let rules = read.filter(|_| checker.problems.len() == before_structural);
    let before_keywords = checker.problems.len();
    keywords::check(checker, schema);
    if let Some(read) = rules {
        rules::check(checker, schema, &read, before_keywords);
    }
    if !is_convertible(schema) && checker.problems.len() == before && !checker.ignores(Class::NotStructural) {
        let message = "the schema has a keyword that is not supported, such as `$schema`";
        checker.report_as(Class::NotStructural, ServerReason::Invalid, message);
    }
}

/// Reports the first of the keywords that cannot be at the root, and of a wrong type.
fn check_root_with_status(checker: &mut Checker, schema: &OwnedMap) {
    let key = NOT_WITH_STATUS.iter().find(|key| raw::has(schema, key));
    let is_object = matches!(raw::text(schema, "type"), "" | "object");
    match key {
        Some(key) if is_object || BEFORE_TYPE.contains(key) => {
            let message =
                format!("{key} is not possible at the root of a schema with the subresource status");
            checker.report(ServerReason::Invalid, message);
        }
        _ if !is_object => {
            let message = "expected object in a schema with the subresource status";
            checker.report_at("type", ServerReason::Invalid, message);
        }
        _ => {}
    }
}
