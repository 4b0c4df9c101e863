//! The rules of a schema. Upstream: `ValidateCustomResourceDefinitionOpenAPISchema`.

use skewer_engine::document::{Doc, OwnedDoc, OwnedMap};
use skewer_engine::error::Error;
use skewer_engine::field_path::{FieldPath, PathSegment};

use super::checker::Checker;
use super::costs::{Costs, max_elements};
use super::walk::{Place, has_any, inner, is_convertible};
use super::{raw, selectable};
use crate::AdmissionOptions;
use crate::cel::{CompiledRules, RuleCosts};
use crate::reason::ServerReason;
use crate::structural::visit::visit;
use crate::structural::{AdditionalProperties, StructuralSchema, ValidationRule};

pub(super) const KEY: &str = "x-kubernetes-validations";

/// Checks what surrounds the expressions of rules.
pub(super) fn check_texts(checker: &mut Checker, schema: &OwnedMap) {
    for (index, rule) in raw::list(schema, KEY).iter().enumerate() {
        let Some(rule) = rule.as_map() else { continue };
        checker.at(&[KEY], |checker| checker.at_index(index, |checker| check_rule(checker, schema, rule)));
    }
}

fn check_rule(checker: &mut Checker, schema: &OwnedMap, rule: &OwnedMap) {
    const REASONS: [&str; 4] =
        ["FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"];
    let has_lines = |text: &str| text.contains(['\n', '\r']);
    let is_blank = |text: &str| !text.is_empty() && text.trim().is_empty();
    let expression = raw::text(rule, "rule");
    let message = raw::text(rule, "message");
    if expression.trim().is_empty() {
        checker.report_at("rule", ServerReason::Required, "missing");
    } else if is_blank(message) {
        checker.report_at("message", ServerReason::Invalid, "the text is empty");
    } else if has_lines(message.trim()) {
        checker.report_at("message", ServerReason::Invalid, "the text has line breaks");
    } else if has_lines(expression.trim()) && message.is_empty() {
        checker.report_at(
            "message",
            ServerReason::Required,
            "missing: a rule with line breaks has a message",
        );
    }
    if is_blank(raw::text(rule, "messageExpression")) {
        checker.report_at("messageExpression", ServerReason::Required, "the text is empty");
    }
    if rule.get("reason").and_then(Doc::as_str).is_some_and(|reason| !REASONS.contains(&reason)) {
        let message = format!("expected {}", REASONS.join(", "));
        checker.report_at("reason", ServerReason::Unsupported, message);
    }
    let is_path = |path: &str| {
        !has_lines(path)
            && !is_blank(path)
            && (!is_convertible(schema) || selectable::field_at(path, schema).is_some())
    };
    checker.check_text(rule, "fieldPath", is_path, "expected the path of a field, such as `.spec.a`");
}

/// Checks the expressions of rules. Those of a schema are not checked if it, or a schema inside of it, has one of the
/// problems from the index `first_problem` on.
pub(super) fn check(checker: &mut Checker, schema: &OwnedMap, read: &StructuralSchema, first_problem: usize) {
    if !has_any(schema, &[KEY]) {
        return;
    }
    let compile = |keeps_messages: bool| {
        let with_expressions = with_rules(read, &|rule| {
            rule.field_path = None;
            rule.message_expression.take_if(|_| !keeps_messages);
        });
        let (compiled, _, errors) = CompiledRules::compile_definition(
            &with_expressions,
            AdmissionOptions::NEWEST,
            RuleCosts::Estimated,
        );
        (compiled, errors.into_iter().map(|error| error.at_path(&checker.path)).collect::<Vec<Error>>())
    };
    let (without_messages, rules) = compile(false);
    let mut has_messages = false;
    visit(read, &mut |_, part| {
        has_messages |= part.rules.iter().any(|rule| rule.message_expression.is_some());
    });
    let (with_messages, messages) = if has_messages { compile(true) } else { Default::default() };
    let messages = messages.into_iter().filter(|error| !is_at(&rules, error.path())).collect();
    let blocked = checker.problems[first_problem..].iter().map(|problem| problem.owner.clone()).collect();
    let costs = Costs::new(&checker.path, without_messages.costs(), with_messages.costs());
    let mut errors = Errors { rules, messages, blocked, costs };
    let scope = Scope { has_old_values: true, has_rules: false, is_typed: true, cardinality: Some(1) };
    check_schema(checker, schema, &mut errors, scope);
    errors.costs.report_total(checker);
}

/// The properties that the rules of a schema inherit from the schemas around it.
#[derive(Clone, Copy)]
struct Scope {
    /// Whether values have old values.
    has_old_values: bool,
    /// Whether a schema around has rules.
    has_rules: bool,
    /// Whether the values around, from the outermost rules on, have types of CEL.
    is_typed: bool,
    /// The largest number of values, if the lists and maps around have limits. Upstream: `MaxCardinality`.
    cardinality: Option<u64>,
}

/// Returns whether the values of a schema have a type of CEL. Upstream: `SchemaDeclType`.
fn is_typed(schema: &OwnedMap) -> bool {
    if raw::is_set(schema, "x-kubernetes-int-or-string") {
        return true;
    }
    match raw::text(schema, "type") {
        "array" => raw::map(schema, "items").is_some_and(is_typed),
        "object" => raw::map(schema, "additionalProperties").is_none_or(is_typed),
        ty => matches!(ty, "string" | "boolean" | "number" | "integer"),
    }
}

/// The errors that were found before the rules of a schema are visited.
struct Errors {
    /// The errors of expressions.
    rules: Vec<Error>,
    /// The errors of `messageExpression`.
    messages: Vec<Error>,
    /// The paths of the schemas with other errors.
    blocked: Vec<FieldPath>,
    costs: Costs,
}

fn is_at(errors: &[Error], path: &FieldPath) -> bool {
    errors.iter().any(|error| error.path() == path)
}

/// Returns whether the type of CEL of the values is that of a list or a map. Upstream: `DeclType.ElemType`.
fn has_elements(schema: &OwnedMap) -> bool {
    match raw::text(schema, "type") {
        _ if raw::is_set(schema, "x-kubernetes-int-or-string") => false,
        "object" => raw::map(schema, "additionalProperties").is_some(),
        ty => ty == "array",
    }
}

fn check_schema(checker: &mut Checker, schema: &OwnedMap, errors: &mut Errors, mut scope: Scope) {
    let rules = raw::list(schema, KEY);
    scope.has_rules |= !rules.is_empty();
    scope.is_typed = !scope.has_rules || (scope.is_typed && is_typed(schema));
    let depth = checker.path.segments().len();
    let is_inside = |path: &FieldPath| path.segments().get(..depth) == Some(checker.path.segments());
    if !rules.is_empty() && !errors.blocked.iter().any(is_inside) {
        checker.at(&[KEY], |checker| check_rules(checker, rules, errors, scope));
    }
    // Upstream: `MapIsCorrelatable`.
    let is_known = !raw::has(schema, "x-kubernetes-map-type")
        || matches!(raw::text(schema, "x-kubernetes-map-type"), "atomic" | "granular");
    let has_elements = has_elements(schema);
    let is_map_list = raw::text(schema, "x-kubernetes-list-type") == "map";
    let cardinality = max_elements(schema).zip(scope.cardinality).map(|(max, of)| max.saturating_mul(of));
    for (place, schema) in inner(schema) {
        let (has_old_values, is_element) = match place {
            Place::Value("properties", _) => (is_known, false),
            Place::Member("items") => (is_map_list, true),
            Place::Member("additionalProperties") => (true, true),
            _ => continue,
        };
        let scope = Scope {
            has_old_values: scope.has_old_values && has_old_values,
            is_typed: scope.is_typed && (!scope.has_rules || !is_element || has_elements),
            cardinality,
            ..scope
        };
        checker.at_place(place, |checker| check_schema(checker, schema, errors, scope));
    }
}

fn check_rules(checker: &mut Checker, rules: &[OwnedDoc], errors: &mut Errors, scope: Scope) {
    if !scope.is_typed {
        let message = "the values have no type, so that they cannot have rules";
        return checker.report(ServerReason::Internal, message);
    }
    for (index, rule) in rules.iter().enumerate() {
        let Some(rule) = rule.as_map() else { continue };
        checker.at_index(index, |checker| {
            errors.costs.check(checker, scope.cardinality);
            check_expression(checker, rule, errors, scope.has_old_values);
        });
    }
}

fn check_expression(checker: &mut Checker, rule: &OwnedMap, errors: &Errors, has_old_values: bool) {
    let found = |errors: &[Error]| errors.iter().find(|error| *error.path() == checker.path).cloned();
    let (of_rule, of_message) = (found(&errors.rules), found(&errors.messages));
    let is_compiled = of_rule.is_none();
    for (key, error) in [("rule", of_rule), ("messageExpression", of_message)] {
        if let Some(error) = error {
            checker.report_at(key, ServerReason::Invalid, error.message());
        }
    }
    if is_compiled && has_old_self(raw::text(rule, "rule")) {
        if !has_old_values {
            let message = "`oldSelf` in a place where values have no old values";
            checker.report_at("rule", ServerReason::Invalid, message);
        }
    } else if raw::has(rule, "optionalOldSelf") {
        checker.report_at("optionalOldSelf", ServerReason::Invalid, "the rule has no `oldSelf`");
    }
}

/// Returns the schema with changed rules.
pub(super) fn with_rules(
    schema: &StructuralSchema,
    change: &dyn Fn(&mut ValidationRule),
) -> StructuralSchema {
    let mut schema = schema.clone();
    let inner = |schema: &mut StructuralSchema| *schema = with_rules(schema, change);
    schema.properties.values_mut().for_each(inner);
    schema.items.as_deref_mut().into_iter().for_each(inner);
    if let Some(AdditionalProperties::Schema(values)) = &mut schema.additional_properties {
        inner(values);
    }
    schema.rules.iter_mut().for_each(change);
    schema
}

/// Returns whether an expression has the variable `oldSelf`, apart from its texts.
fn has_old_self(expression: &str) -> bool {
    let mut code = String::new();
    let mut quote = None;
    let mut chars = expression.chars();
    while let Some(c) = chars.next() {
        match quote {
            Some(_) if c == '\\' => drop(chars.next()),
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None => code.push(c),
        }
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    code.split(|c| !is_name(c)).any(|name| name == "oldSelf")
}

/// Returns the paths of the values of a default to which the path of a rule belongs.
pub(super) fn values_at(value: &OwnedDoc, path: &[PathSegment]) -> Vec<FieldPath> {
    let key = |segment: &PathSegment| match segment {
        PathSegment::Key(key) => key.as_str().to_owned(),
        PathSegment::Index(_) => String::new(),
    };
    let (inner, rest): (Vec<(PathSegment, &OwnedDoc)>, _) = match path {
        _ if value.is_null() => return Vec::new(),
        [first, name, rest @ ..] if key(first) == "properties" => {
            let field = value.as_map().and_then(|map| map.get(&key(name)));
            (field.map(|field| (name.clone(), field)).into_iter().collect(), rest)
        }
        [first, rest @ ..] if key(first) == "items" => {
            let items = value.as_list().unwrap_or_default().iter().enumerate();
            (items.map(|(index, item)| (PathSegment::Index(index), item)).collect(), rest)
        }
        [first, rest @ ..] if key(first) == "additionalProperties" => {
            let values = value.as_map().into_iter().flat_map(OwnedMap::iter);
            (values.map(|(key, value)| (PathSegment::Key(key.clone()), value)).collect(), rest)
        }
        _ => return vec![FieldPath::root()],
    };
    let mut paths = Vec::new();
    for (segment, value) in inner {
        for mut found in values_at(value, rest) {
            let mut path = FieldPath::root();
            path.push(segment.clone());
            found.segments().iter().for_each(|segment| path.push(segment.clone()));
            found = path;
            paths.push(found);
        }
    }
    paths
}
