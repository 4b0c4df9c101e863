//! Whether defaults are valid. Upstream: `defaulting.ValidateDefaults`.

use skewer_engine::document::{Doc, OwnedDoc, OwnedMap};
use skewer_engine::error::{Error, ErrorKind};
use skewer_engine::field_path::{FieldPath, PathSegment};

use super::checker::{Checker, Class};
use super::raw;
use super::rules::{KEY, values_at, with_rules};
use super::walk::has_any;
use crate::cel::{CompiledRules, RuleOptions};
use crate::reason::ServerReason;
use crate::structural::{AdditionalProperties, StructuralSchema, ValidationRule};
use crate::validate::is_known_format;
use crate::validate::outcome::Finding;
use crate::{AdmissionOptions, metadata, prune, validate};

/// The position of a schema in the object around it.
#[derive(Clone)]
struct Position<'s> {
    /// The schema around, whose values have metadata.
    object: &'s StructuralSchema,
    /// The path in the object.
    path: Vec<PathSegment>,
    is_in_metadata: bool,
}

/// `read` is the schema `raw`, which has the types that are not known.
pub(super) fn check(checker: &mut Checker, raw: &OwnedMap, read: &StructuralSchema) {
    let root = StructuralSchema { embedded_resource: true, ..read.clone() };
    let position = Position { object: &root, path: Vec::new(), is_in_metadata: false };
    check_schema(checker, raw, &root, &position);
}

/// Checks the defaults of a schema and of those in it. There are none in `additionalProperties`.
fn check_schema<'s>(
    checker: &mut Checker,
    raw: &OwnedMap,
    schema: &'s StructuralSchema,
    position: &Position<'s>,
) {
    let object = Position { object: schema, path: Vec::new(), is_in_metadata: false };
    let position = if schema.embedded_resource { &object } else { position };
    if let Some(default) = schema.default.as_ref().filter(|default| !default.is_null()) {
        checker.at(&["default"], |checker| check_default(checker, raw, schema, default, position));
    }
    let inside = |segment: PathSegment, is_metadata: bool| {
        let mut inside = position.clone();
        inside.path.push(segment);
        inside.is_in_metadata |= is_metadata;
        inside
    };
    if let (Some(items), Some(raw)) = (&schema.items, raw::map(raw, "items")) {
        let position = inside(PathSegment::Index(0), false);
        checker.at(&["items"], |checker| check_schema(checker, raw, items, &position));
    }
    for (name, raw) in raw::schemas(raw, "properties") {
        let Some(property) = schema.properties.get(name) else { continue };
        let is_metadata = schema.embedded_resource && matches!(name, "metadata" | "apiVersion" | "kind");
        let position = inside(PathSegment::Key(name.into()), is_metadata);
        checker.at(&["properties", name], |checker| check_schema(checker, raw, property, &position));
    }
}

fn check_default(
    checker: &mut Checker,
    raw: &OwnedMap,
    schema: &StructuralSchema,
    default: &OwnedDoc,
    position: &Position<'_>,
) {
    let mut coerced = default.clone();
    if position.is_in_metadata {
        if !is_valid_metadata(position, default) {
            return checker.report(ServerReason::Invalid, "the default does not result in valid metadata");
        }
    } else {
        for path in prune::prune_value(schema, &mut coerced, schema.embedded_resource) {
            let message = format!("the default has the unknown field {path}");
            checker.report_as(Class::PrunedDefault, ServerReason::Invalid, message);
        }
        coerced = default.clone();
        if let Err(error) = metadata::coerce_embedded(schema, &mut coerced, &mut Vec::new()) {
            return checker.add(Class::Always, ServerReason::of(error.kind()), &error);
        }
        let findings = metadata::validate(schema, &coerced);
        if !findings.is_empty() {
            return findings.iter().for_each(|it| checker.add(Class::Always, it.reason, &it.error));
        }
    }
    let outcome = validate::value::validate(&without_types(schema), &coerced, None, AdmissionOptions::NEWEST);
    let mut types = TypeCheck::default();
    types.check(raw, &coerced);
    let is_checked = |finding: &Finding| {
        finding.error.kind() != ErrorKind::Undecodable || !types.unchecked.contains(finding.error.path())
    };
    let mut errors = types.errors;
    errors.extend(outcome.errors.into_iter().filter(is_checked));
    if !errors.is_empty() {
        return errors.iter().for_each(|it| checker.add(Class::Always, it.reason, &it.error));
    }
    // Compiling is slow.
    let errors = if has_any(raw, &[KEY]) { rule_errors(schema, &coerced) } else { Vec::new() };
    for error in &errors {
        checker.add(Class::Always, ServerReason::of(error.kind()), error);
    }
}

/// Returns whether the object around a default, which has nothing else, has valid metadata. Upstream:
/// `SurroundingObjectFunc`.
fn is_valid_metadata(position: &Position<'_>, default: &OwnedDoc) -> bool {
    let mut object = position.path.iter().rev().fold(default.clone(), |inner, segment| match segment {
        PathSegment::Index(_) => Doc::List(vec![inner]),
        PathSegment::Key(key) => Doc::Map(std::iter::once((key.clone(), inner)).collect::<OwnedMap>()),
    });
    if let Some(object) = object.as_map_mut() {
        for (key, value) in [("apiVersion", "validation/v1"), ("kind", "Validation")] {
            if !object.contains_key(key) {
                object.insert(key.into(), value.into());
            }
        }
    }
    metadata::coerce_embedded(position.object, &mut object, &mut Vec::new()).is_ok()
        && metadata::validate(position.object, &object).is_empty()
}

/// The types of the values of a default. They are checked with formats and types that servers do not know. Upstream:
/// `typeValidator`.
#[derive(Default)]
struct TypeCheck {
    path: FieldPath,
    errors: Vec<Finding>,
    /// The paths of values that have any type.
    unchecked: Vec<FieldPath>,
}

impl TypeCheck {
    fn check(&mut self, schema: &OwnedMap, value: &OwnedDoc) {
        let (ty, format) = (raw::text(schema, "type"), raw::text(schema, "format"));
        let is_text = matches!(value, Doc::String(_) | Doc::List(_));
        let is_unknown = !format.is_empty() && !is_known_format(format);
        let has_any_type = is_text || value.is_null();
        // A null has no type to compare, if the schema permits it.
        let is_permitted_null = value.is_null() && raw::is_set(schema, "nullable");
        if is_permitted_null {
            return;
        }
        if is_text && !format.is_empty() && !matches!(ty, "integer" | "number") {
            self.unchecked.extend(is_unknown.then(|| self.path.clone()));
        } else if (!ty.is_empty() && !raw::TYPES.contains(&ty))
            || (ty.is_empty() && is_unknown && !has_any_type)
        {
            let finding = Finding::invalid("the value does not have its type and format");
            self.errors.push(finding.map(|error| error.with_path(Some(self.path.clone()))));
        }
        match value {
            Doc::Map(map) => {
                let values = raw::map(schema, "additionalProperties");
                let properties = raw::map(schema, "properties");
                for (key, value) in map.iter() {
                    let inner = properties.and_then(|of| raw::map(of, key)).or(values);
                    self.check_inner(inner, PathSegment::Key(key.clone()), value);
                }
            }
            Doc::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.check_inner(raw::map(schema, "items"), PathSegment::Index(index), item);
                }
            }
            _ => {}
        }
    }

    fn check_inner(&mut self, schema: Option<&OwnedMap>, segment: PathSegment, value: &OwnedDoc) {
        let Some(schema) = schema else { return };
        self.path.push(segment);
        self.check(schema, value);
        self.path.pop();
    }
}

/// Returns the errors of the rules of a default. A rule that is not compiled does not hold.
fn rule_errors(schema: &StructuralSchema, default: &OwnedDoc) -> Vec<Error> {
    // Messages and paths that are invalid do not affect whether a rule holds.
    let compile = |change: &dyn Fn(&mut ValidationRule)| {
        CompiledRules::compile_value(
            &with_rules(schema, change),
            schema.embedded_resource,
            AdmissionOptions::NEWEST,
        )
    };
    let (rules, _, _) = compile(&|rule| rule.message_expression = None);
    let (_, _, invalid) = compile(&|rule| {
        rule.message_expression = None;
        rule.field_path = None;
    });
    let evaluate = |old| rules.evaluate(default, old, RuleOptions::default()).0;
    let mut errors = evaluate(Some(default));
    for error in invalid {
        let message = format!("the rule is invalid: {}", error.message());
        let paths = values_at(default, error.path().segments());
        let at = |path| Error::new(ErrorKind::InvalidValue, message.as_str()).with_path(Some(path));
        errors.extend(paths.into_iter().map(at));
    }
    if errors.is_empty() {
        errors = evaluate(None);
    }
    errors
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
