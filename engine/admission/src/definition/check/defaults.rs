//! Whether defaults are valid. Upstream: `defaulting.ValidateDefaults`.

use skewer_engine::document::OwnedDoc;
use skewer_engine::error::Error;

use super::checker::{Checker, Class, Problem};
use crate::cel::{CompiledRules, RuleOptions};
use crate::structural::{AdditionalProperties, StructuralSchema};
use crate::{AdmissionOptions, metadata, prune, validate};

pub(super) fn check(checker: &mut Checker, schema: &StructuralSchema) {
    check_schema(checker, schema, true, false);
}

/// Checks the defaults of a schema and of those in it. There are none in `additionalProperties`.
fn check_schema(checker: &mut Checker, schema: &StructuralSchema, is_root: bool, is_in_metadata: bool) {
    let is_object = is_root || schema.embedded_resource;
    let is_in_metadata = is_in_metadata && !schema.embedded_resource;
    if let Some(default) = schema.default.as_ref().filter(|default| !default.is_null()) {
        checker
            .at(&["default"], |checker| check_default(checker, schema, default, is_object, is_in_metadata));
    }
    if let Some(items) = &schema.items {
        checker.at(&["items"], |checker| check_schema(checker, items, false, is_in_metadata));
    }
    for (name, property) in &schema.properties {
        let is_metadata = is_object && matches!(name.as_str(), "metadata" | "apiVersion" | "kind");
        checker.at(&["properties", name], |checker| {
            check_schema(checker, property, false, is_in_metadata || is_metadata);
        });
    }
}

fn check_default(
    checker: &mut Checker,
    schema: &StructuralSchema,
    default: &OwnedDoc,
    is_object: bool,
    is_in_metadata: bool,
) {
    let mut coerced = default.clone();
    if !is_in_metadata {
        for path in prune::prune_value(schema, &mut coerced, schema.embedded_resource) {
            let message = format!("the default has the unknown field {path}");
            checker.report_as(Class::PrunedDefault, message);
        }
        coerced = default.clone();
        if let Err(error) = metadata::coerce_embedded(schema, &mut coerced, &mut Vec::new()) {
            return report(checker, vec![error]);
        }
    }
    let findings = metadata::validate(schema, &coerced);
    if !findings.is_empty() {
        return report(checker, findings.into_iter().map(|finding| finding.error).collect());
    }
    let outcome = validate::value::validate(&without_types(schema), &coerced, None, AdmissionOptions::NEWEST);
    if !outcome.errors.is_empty() {
        return report(checker, outcome.errors.into_iter().map(|finding| finding.error).collect());
    }
    let (rules, _, errors) = CompiledRules::compile_value(schema, is_object, AdmissionOptions::NEWEST);
    if errors.is_empty() {
        let evaluate = |old| rules.evaluate(&coerced, old, RuleOptions::default()).0;
        let mut errors = evaluate(Some(&coerced));
        if errors.is_empty() {
            errors = evaluate(None);
        }
        report(checker, errors);
    }
}

/// Returns the schema with which a default is validated: values that are integers or strings have no type in it. Upstream:
/// `Structural.ToKubeOpenAPI`.
fn without_types(schema: &StructuralSchema) -> StructuralSchema {
    let mut schema = schema.clone();
    schema.int_or_string = false;
    schema.properties.values_mut().for_each(|property| *property = without_types(property));
    if let Some(items) = &mut schema.items {
        **items = without_types(items);
    }
    if let Some(AdditionalProperties::Schema(values)) = &mut schema.additional_properties {
        **values = without_types(values);
    }
    schema
}

fn report(checker: &mut Checker, errors: Vec<Error>) {
    for error in errors {
        let message = match error.path().segments() {
            [] => format!("an invalid default: {}", error.message()),
            _ => format!("an invalid default: {error}"),
        };
        let error = Error::new(skewer_engine::error::ErrorKind::InvalidSchema, message);
        let error = error.with_path(Some(checker.path.clone()));
        checker.problems.push(Problem { class: Class::Always, error });
    }
}
