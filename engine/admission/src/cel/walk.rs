//! The evaluation of the rules of a schema on an object. Upstream: `Validator.Validate`.

use std::cell::OnceCell;

use cel::Value;
use cel::objects::OptionalValue;
use skewer_engine::document::{Doc, OwnedDoc};
use skewer_engine::error::{Error, ErrorKind};
use skewer_engine::field_path::{FieldPath, PathSegment};

use super::reads::Reads;
use super::rules::{Libraries, Node, Rule, Rules};
use super::value::{Evaluated, NO_SUCH_OVERLOAD};
use crate::structural::{AdditionalProperties, StructuralSchema, ValidationRule};
use crate::validate::correlation::{Pair, old_item};

/// The longest message that `messageExpression` can return. Upstream: `MaxEvaluatedMessageExpressionSizeBytes`.
const MAX_MESSAGE: usize = 5 * 1024;

/// Evaluates rules on an object. Returns errors and warnings.
pub(super) fn evaluate(
    rules: &Rules,
    new: &OwnedDoc,
    old: Option<&OwnedDoc>,
    is_ratcheting: bool,
) -> (Vec<Error>, Vec<Error>) {
    let mut walk = Walk {
        libraries: &rules.libraries,
        path: FieldPath::root(),
        errors: Vec::new(),
        warnings: Vec::new(),
    };
    let pair =
        old.filter(|_| is_ratcheting).map(|old| Pair { new, old, schema: &rules.schema, is_root: true });
    let context =
        ValueContext { schema: &rules.schema, old, ratcheting: Ratcheting { current: pair, parent: None } };
    walk.node(&rules.root, new, context);
    (walk.errors, walk.warnings)
}

struct Walk<'a> {
    libraries: &'a Libraries,
    path: FieldPath,
    errors: Vec<Error>,
    warnings: Vec<Error>,
}

/// The context of a value: its schema, its old value, and whether its errors are ratcheted.
#[derive(Clone, Copy)]
struct ValueContext<'a> {
    schema: &'a StructuralSchema,
    old: Option<&'a OwnedDoc>,
    ratcheting: Ratcheting<'a>,
}

impl<'a> Walk<'a> {
    fn node(&mut self, node: &'a Node, value: &'a OwnedDoc, context: ValueContext<'a>) {
        if value.is_null() {
            return;
        }
        if !node.rules.is_empty() {
            self.rules(node, value, context);
        }
        for all_of in &node.all_of {
            let ratcheting = Ratcheting { current: None, parent: context.ratcheting.parent };
            self.node(all_of, value, ValueContext { ratcheting, ..context });
        }
        match value {
            Doc::Map(map) => {
                for (key, value) in map.iter() {
                    let old = context.old.and_then(Doc::as_map).and_then(|old| old.get(key));
                    // Upstream: `MapIsCorrelatable`.
                    let old = old.filter(|old| !old.is_null() && !context.schema.has_unknown_map_type);
                    let ratcheting = context.ratcheting.key(key);
                    let additional = match &context.schema.additional_properties {
                        Some(AdditionalProperties::Schema(schema)) => Some(schema.as_ref()),
                        _ => None,
                    };
                    self.path.push(PathSegment::Key(key.clone()));
                    if let (Some(node), Some(schema)) = (node.additional_properties.as_deref(), additional) {
                        self.node(node, value, ValueContext { schema, old, ratcheting });
                    }
                    let key: &str = key;
                    let property = context.schema.properties.get(key);
                    if let (Some(node), Some(schema)) = (node.properties.get(key), property) {
                        self.node(node, value, ValueContext { schema, old, ratcheting });
                    }
                    self.path.pop();
                }
            }
            Doc::List(items) => {
                let (Some(node), Some(schema)) = (node.items.as_deref(), context.schema.items.as_deref())
                else {
                    return;
                };
                for (i, item) in items.iter().enumerate() {
                    let old = context.old.and_then(Doc::as_list);
                    let old = old.and_then(|old| old_item(context.schema, old, item));
                    self.path.push(PathSegment::Index(i));
                    self.node(
                        node,
                        item,
                        ValueContext { schema, old, ratcheting: context.ratcheting.index(i) },
                    );
                    self.path.pop();
                }
            }
            _ => {}
        }
    }

    /// Evaluates the rules of a value. Upstream: `Validator.validateExpressions`.
    fn rules(&mut self, node: &Node, value: &OwnedDoc, context: ValueContext<'_>) {
        let whole = [OnceCell::new(), OnceCell::new()];
        // Most rules read some fields. The whole value is converted once for the others.
        let converted = |rule: &Rule, of_old: bool, value: &OwnedDoc| {
            let at = usize::from(of_old);
            let read = || rule.reads[at].value(value, context.schema, node.is_resource_root);
            match rule.reads[at] {
                Reads::Whole => whole[at].get_or_init(read).clone(),
                Reads::Fields(_) => read(),
            }
        };
        for rule in &node.rules {
            let is_optional = rule.source.optional_old_self;
            if rule.expression.uses_old_self() && context.old.is_none() && !is_optional {
                continue;
            }
            let new = converted(rule, false, value);
            let old = match (context.old.map(|old| converted(rule, true, old)), is_optional) {
                (Some(old), true) => Ok(optional(OptionalValue::of(old))),
                (None, true) => Ok(optional(OptionalValue::none())),
                (Some(old), false) => Ok(old),
                (None, false) => Err("no such attribute: oldSelf".to_owned()),
            };
            let variables =
                || vec![("self".to_owned(), Ok(new.clone())), ("oldSelf".to_owned(), old.clone())];
            match rule.expression.evaluate(&self.libraries.0, variables()) {
                Ok(Value::Bool(true)) => {}
                Ok(_) => {
                    let message = self.message(rule, variables());
                    let error = self.error(kind_of(&rule.source), rule, message);
                    let is_ratcheted = !rule.expression.uses_old_self() && context.ratcheting.is_unchanged();
                    if is_ratcheted { self.warnings.push(error) } else { self.errors.push(error) }
                }
                Err(message) => {
                    let message = failure(&message, &rule.source);
                    let error = Error::new(ErrorKind::InvalidValue, message);
                    self.errors.push(error.with_path(Some(self.path.clone())));
                }
            }
        }
    }

    fn error(&self, kind: ErrorKind, rule: &Rule, message: String) -> Error {
        let mut path = self.path.clone();
        rule.field_path.iter().for_each(|name| path.push(PathSegment::Key(name.as_str().into())));
        Error::new(kind, message).with_path(Some(path))
    }

    /// Returns the message of a rule that does not hold. Upstream: `evalMessageExpression`, `ruleMessageOrDefault`.
    fn message(&self, rule: &Rule, variables: Vec<(String, Evaluated)>) -> String {
        let evaluated = rule.message.as_ref().map(|message| message.evaluate(&self.libraries.0, variables));
        if let Some(Ok(Value::String(message))) = evaluated {
            let message = message.trim();
            if !message.is_empty() && message.len() <= MAX_MESSAGE && !message.contains('\n') {
                return message.to_owned();
            }
        }
        match rule.source.message.as_deref() {
            Some(message) if !message.is_empty() => message.trim().to_owned(),
            _ => format!("failed rule: {}", rule.source.rule.trim()),
        }
    }
}

fn optional(value: OptionalValue) -> Value {
    Value::Opaque(std::sync::Arc::new(value))
}

/// Returns the kind of the error of a rule. Upstream: `fieldErrorForReason`.
fn kind_of(rule: &ValidationRule) -> ErrorKind {
    match rule.reason.as_deref() {
        Some("FieldValueForbidden") => ErrorKind::ForbiddenValue,
        Some("FieldValueRequired") => ErrorKind::RequiredFieldMissing,
        Some("FieldValueDuplicate") => ErrorKind::DuplicateValue,
        _ => ErrorKind::InvalidValue,
    }
}

fn failure(message: &str, rule: &ValidationRule) -> String {
    let text = rule.message.as_deref().filter(|message| !message.is_empty()).unwrap_or(&rule.rule).trim();
    if message.starts_with(NO_SUCH_OVERLOAD) {
        let problem =
            "call arguments did not match a supported operator, function or macro signature for rule";
        format!("'{message}': {problem}: {text}")
    } else {
        format!("{message} evaluating rule: {text}")
    }
}

/// The facts that decide whether an error is only a warning. Upstream: `ratchetingOptions`.
#[derive(Clone, Copy)]
struct Ratcheting<'a> {
    current: Option<Pair<'a>>,
    /// The closest ancestor that has an old value.
    parent: Option<Pair<'a>>,
}

impl<'a> Ratcheting<'a> {
    fn key(self, name: &str) -> Ratcheting<'a> {
        match self.current {
            None => self,
            // The old and the new object have been converted to the same type.
            Some(_) if self.parent.is_none() && matches!(name, "apiVersion" | "kind") => {
                Ratcheting { current: None, parent: None }
            }
            Some(current) => Ratcheting { current: current.key(name), parent: Some(current) },
        }
    }

    fn index(self, i: usize) -> Ratcheting<'a> {
        match self.current {
            None => self,
            Some(current) => Ratcheting { current: current.index(i), parent: Some(current) },
        }
    }

    fn is_unchanged(self) -> bool {
        self.current.or(self.parent).is_some_and(Pair::is_unchanged)
    }
}
