//! The evaluation of expressions. Upstream: cel-go, `interpreter`.
//!
//! `&&`, `||`, `all` and `exists` absorb errors if another operand decides the result. The expression has passed the type
//! checker; values of the type `dyn` are checked here.

use std::collections::HashMap;
use std::sync::Arc;

use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, operators};
use cel::objects::{Key, Map};
use cel::{Context, Value};

use super::equality::equal;
use super::format;
use super::functions;
use super::lists;
use super::macros::ACCUMULATOR;
use super::named_format;
use super::network;
use super::operators::{add, arithmetic, compare, negate, order_matches};
use super::origins::{Origins, field};
use super::quantity;
use super::semver;
use super::standard;
use super::strings;
use super::types::{ExpressionTypes, Ty, escape_reserved};
use super::url;
use super::value::{
    Evaluated, as_optional, is_qualifier, list, literal, optional_of, poison_message, type_value, unsupported,
};

pub(super) struct Evaluator<'a> {
    libraries: &'a Context<'static>,
    types: &'a ExpressionTypes,
    scope: Vec<(String, Evaluated)>,
    origins: Origins,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(
        libraries: &'a Context<'static>,
        types: &'a ExpressionTypes,
        variables: Vec<(String, Evaluated)>,
    ) -> Self {
        let mut origins = Origins::new(types.release);
        for (name, value) in &variables {
            if let Ok(value) = value {
                let ty = types.variables.get(name).cloned().unwrap_or(Ty::Dyn);
                origins.add_variable(value.clone(), ty);
            }
        }
        Evaluator { libraries, types, scope: variables, origins }
    }

    pub(super) fn evaluate(&mut self, expression: &IdedExpr) -> Evaluated {
        match &expression.expr {
            Expr::Literal(value) => Ok(literal(value)),
            Expr::Ident(name) => self.variable(name),
            Expr::Select(select) => {
                let operand = self.evaluate(&select.operand)?;
                if select.test {
                    return has_field(&operand, &select.field).map(Value::Bool);
                }
                if let Some(optional) = as_optional(&operand) {
                    let Some(inner) = optional.value() else { return Ok(operand) };
                    return Ok(optional_of(read_field(inner, &select.field)?));
                }
                read_field(&operand, &select.field)?.ok_or_else(|| format!("no such key: {}", select.field))
            }
            Expr::Call(call) => self.call(expression.id, call),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
            Expr::List(elements) => {
                let items: Result<Vec<Value>, String> =
                    elements.elements.iter().map(|element| self.evaluate(element)).collect();
                Ok(list(items?))
            }
            Expr::Map(map) => {
                let mut entries = HashMap::new();
                for entry in &map.entries {
                    let EntryExpr::MapEntry(entry) = &entry.expr else { return Err(unsupported()) };
                    let key: Key = self.evaluate(&entry.key)?.try_into().map_err(|_| unsupported())?;
                    let value = self.evaluate(&entry.value)?;
                    entries.insert(key, value);
                }
                Ok(Value::Map(Map { map: Arc::new(entries) }))
            }
            Expr::Struct(_) | Expr::Unspecified => Err(unsupported()),
        }
    }

    fn variable(&self, name: &str) -> Evaluated {
        match self.scope.iter().rev().find(|(known, _)| known == name) {
            Some((_, value)) => read(value.clone()?),
            None => Ok(type_value(name)),
        }
    }

    fn call(&mut self, id: u64, call: &CallExpr) -> Evaluated {
        match (call.func_name.as_str(), call.args.as_slice()) {
            (operators::LOGICAL_AND, args) => self.logical(args, false),
            (operators::LOGICAL_OR, args) => self.logical(args, true),
            (operators::CONDITIONAL, [condition, yes, no]) => match self.evaluate(condition)? {
                Value::Bool(true) => self.evaluate(yes),
                Value::Bool(false) => self.evaluate(no),
                _ => Err(unsupported()),
            },
            // The program is compiled to this result. Upstream: `maybeOptimizeSetMembership`.
            (operators::IN, [_, IdedExpr { expr: Expr::List(list), .. }]) if list.elements.is_empty() => {
                Ok(Value::Bool(false))
            }
            (operators::NOT_STRICTLY_FALSE, [arg]) => {
                Ok(Value::Bool(!matches!(self.evaluate(arg), Ok(Value::Bool(false)))))
            }
            (name @ ("optMap" | "optFlatMap"), [variable, body]) if call.target.is_some() => {
                self.optional_macro(name, call.target.as_deref(), variable, body)
            }
            (name @ ("or" | "orValue"), [other]) if call.target.is_some() => {
                self.or(name, call.target.as_deref(), other)
            }
            (operators::OPT_SELECT, [operand, name]) => {
                let (operand, name) = (self.evaluate(operand)?, self.evaluate(name)?);
                let Value::String(name) = name else { return Err(unsupported()) };
                match as_optional(&operand) {
                    Some(optional) => match optional.value() {
                        Some(inner) => Ok(optional_of(read_field_if_any(inner, &name)?)),
                        None => Ok(operand),
                    },
                    None => Ok(optional_of(read_field_if_any(&operand, &name)?)),
                }
            }
            _ => self.strict_call(id, call),
        }
    }

    /// Calls a function or an operator that needs the value of each argument.
    fn strict_call(&mut self, id: u64, call: &CallExpr) -> Evaluated {
        let namespace = match call.target.as_ref().map(|target| &target.expr) {
            Some(Expr::Ident(name)) if !self.scope.iter().any(|(known, _)| known == name) => {
                let qualified = format!("{name}.{}", call.func_name);
                functions::known_since(&qualified, false).map(|_| qualified)
            }
            _ => None,
        };
        let target = if namespace.is_some() { None } else { call.target.as_deref() };
        let name = call.func_name.as_str();
        let is_index = matches!(name, operators::INDEX | operators::OPT_INDEX);
        let mut args = Vec::with_capacity(call.args.len() + 1);
        for arg in target.into_iter().chain(&call.args) {
            args.push(self.evaluate(arg)?);
            // The index of an optional without a value is not evaluated. Upstream: `applyQualifiers`.
            if let [container] = args.as_slice()
                && is_index
                && as_optional(container).is_some_and(|optional| optional.value().is_none())
            {
                return Ok(container.clone());
            }
        }
        if let ("format", [Value::String(text), Value::List(arguments)]) = (name, args.as_mut_slice())
            && let Some(call) = format::with_texts(text, arguments)?
        {
            (*text, *arguments) = (Arc::new(call.text), Arc::new(call.arguments));
        }
        if let Some(name) = namespace {
            let outcome = standard::qualified(&name, &args, &self.origins)
                .or_else(|| named_format::qualified(&name, &args));
            let outcome = outcome.or_else(|| lists::of_sets(&name, &args, &self.origins));
            return outcome.unwrap_or_else(|| self.library(call, args));
        }
        // The list that a macro collects is one that is written. Upstream: `mutableList`.
        if let (
            operators::ADD,
            [IdedExpr { expr: Expr::Ident(variable), .. }, _],
            [Value::List(a), Value::List(b)],
        ) = (name, call.args.as_slice(), args.as_slice())
            && variable == ACCUMULATOR
        {
            return Ok(list(a.iter().chain(b.iter()).cloned()));
        }
        if target.is_none()
            && let Some(outcome) = self.operator(name, &args)
        {
            return outcome;
        }
        if !functions::takes(name, target.is_some(), &args) {
            return Err(unsupported());
        }
        let ty = self.types.lists.get(&id).unwrap_or(&Ty::Dyn);
        let outcome = standard::call(name, &args).or_else(|| lists::call(name, &args, ty, &self.origins));
        let outcome = outcome.or_else(|| strings::call(name, &args)).or_else(|| quantity::call(name, &args));
        let outcome = outcome.or_else(|| url::call(name, &args)).or_else(|| named_format::call(name, &args));
        let outcome = outcome.or_else(|| network::call(name, &args));
        outcome.unwrap_or_else(|| {
            let args = semver::normalized(name, &args).unwrap_or(args);
            self.library(call, args)
        })
    }

    fn operator(&mut self, name: &str, args: &[Value]) -> Option<Evaluated> {
        let origins = &self.origins;
        Some(match (name, args) {
            (operators::EQUALS, [a, b]) => equal(a, b, origins).map(Value::Bool),
            // Upstream: `evalNe`, for which an error is a difference.
            (operators::NOT_EQUALS, [a, b]) => Ok(Value::Bool(equal(a, b, origins) != Ok(true))),
            (
                operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS,
                [a, b],
            ) => compare(a, b).and_then(|order| {
                let order = order.ok_or("NaN values cannot be ordered")?;
                Ok(Value::Bool(order_matches(name, order)))
            }),
            (operators::LOGICAL_NOT, [Value::Bool(b)]) => Ok(Value::Bool(!b)),
            (operators::IN, [item, list @ Value::List(_)]) => {
                lists::contains(list, item, origins).map(Value::Bool)
            }
            // A map of an object has only texts as keys. Upstream: `unstructuredMap.Find`.
            (operators::IN, [key, map @ Value::Map(_)])
            | (operators::OPT_INDEX, [map @ Value::Map(_), key])
                if !matches!(key, Value::String(_)) && origins.is_of_object(map) =>
            {
                Err(unsupported())
            }
            (operators::IN, [item, Value::Map(map)]) => {
                let key: Option<Key> = item.clone().try_into().ok();
                // Upstream converts the value (`unstructuredMap.Find`).
                let value = key.and_then(|key| field(map, &key).cloned()).map(read).transpose();
                value.map(|value| Value::Bool(value.is_some()))
            }
            (operators::LOGICAL_NOT | operators::IN, _) => Err(unsupported()),
            (operators::INDEX | operators::OPT_INDEX, [_, index]) if !is_qualifier(index) => {
                Err(format!("invalid qualifier type: {index:?}"))
            }
            // Upstream: `unstructuredList.Get`.
            (operators::INDEX, [list @ Value::List(_), index])
                if !matches!(index, Value::Int(_)) && origins.is_of_object(list) =>
            {
                Err(unsupported())
            }
            (operators::INDEX, [container, index]) => index_into(container, index),
            (operators::OPT_INDEX, [Value::List(_), index]) if position(index).is_none() => {
                Err("unsupported index type in list".to_owned())
            }
            (operators::OPT_INDEX, [container, index]) => optional_item(container, index),
            (operators::ADD, [a @ Value::List(_), b @ Value::List(_)]) => self.origins.concatenate(a, b),
            (operators::ADD, [a, b]) => add(a, b),
            (operators::SUBSTRACT | operators::MULTIPLY | operators::DIVIDE | operators::MODULO, [a, b]) => {
                arithmetic(name, a, b)
            }
            (operators::NEGATE, [a]) => negate(a),
            _ => return None,
        })
    }

    /// Evaluates `&&` or `||`. `decisive` is the value with which one operand decides the result.
    fn logical(&mut self, args: &[IdedExpr], decisive: bool) -> Evaluated {
        let mut error = None;
        for arg in args {
            match self.evaluate(arg) {
                Ok(Value::Bool(b)) if b == decisive => return Ok(Value::Bool(decisive)),
                Ok(Value::Bool(_)) => {}
                Ok(_) => error = error.or_else(|| Some(unsupported())),
                Err(message) => error = error.or(Some(message)),
            }
        }
        error.map_or(Ok(Value::Bool(!decisive)), Err)
    }

    fn optional_macro(
        &mut self,
        name: &str,
        target: Option<&IdedExpr>,
        variable: &IdedExpr,
        body: &IdedExpr,
    ) -> Evaluated {
        let (Some(target), Expr::Ident(variable)) = (target, &variable.expr) else {
            return Err(unsupported());
        };
        let target = self.evaluate(target)?;
        let Some(inner) = as_optional(&target).ok_or_else(unsupported)?.value() else {
            return Ok(target.clone());
        };
        self.scope.push((variable.clone(), Ok(inner.clone())));
        let result = self.evaluate(body);
        self.scope.pop();
        if name == "optMap" { Ok(optional_of(Some(result?))) } else { result }
    }

    /// `a.or(b)` and `a.orValue(b)`, which do not evaluate `b` if `a` has a value.
    fn or(&mut self, name: &str, target: Option<&IdedExpr>, other: &IdedExpr) -> Evaluated {
        let target = self.evaluate(target.ok_or_else(unsupported)?)?;
        match as_optional(&target).ok_or_else(unsupported)?.value() {
            None => self.evaluate(other),
            Some(_) if name == "or" => Ok(target.clone()),
            Some(inner) => read(inner.clone()),
        }
    }

    fn comprehension(&mut self, comprehension: &ComprehensionExpr) -> Evaluated {
        let items: Vec<Value> = match self.evaluate(&comprehension.iter_range)? {
            Value::List(items) => items.to_vec(),
            Value::Map(map) => {
                let mut keys: Vec<&Key> = map.map.keys().collect();
                keys.sort();
                keys.into_iter().map(|key| key.clone().into()).collect()
            }
            _ => return Err(unsupported()),
        };
        let accumulator = self.evaluate(&comprehension.accu_init);
        let depth = self.scope.len();
        self.scope.push((comprehension.accu_var.clone(), accumulator));
        for item in items {
            self.scope.truncate(depth + 1);
            self.scope.push((comprehension.iter_var.clone(), Ok(item)));
            if !matches!(self.evaluate(&comprehension.loop_cond), Ok(Value::Bool(true))) {
                break;
            }
            let accumulator = self.evaluate(&comprehension.loop_step);
            if let Some(slot) = self.scope.get_mut(depth) {
                slot.1 = accumulator;
            }
        }
        self.scope.truncate(depth + 1);
        let result = self.evaluate(&comprehension.result);
        self.scope.truncate(depth);
        result
    }

    /// Calls a function of the Kubernetes libraries, which take their arguments as expressions. The libraries know no types and no
    /// values that stand for errors; a function that takes such a value is in this crate.
    fn library(&self, call: &CallExpr, args: Vec<Value>) -> Evaluated {
        if args.iter().any(has_value_of_rules) {
            return Err(unsupported());
        }
        let mut context = self.libraries.new_inner_scope();
        let mut names = args.into_iter().enumerate().map(|(i, value)| {
            let name = format!("@{i}");
            context.add_variable_from_value(name.clone(), value);
            IdedExpr { id: 0, expr: Expr::Ident(name) }
        });
        let namespace = call.target.as_ref().filter(|target| self.is_namespace(target, &call.func_name));
        let target = match (&call.target, namespace) {
            (_, Some(namespace)) => Some(namespace.clone()),
            (Some(_), None) => names.next().map(Box::new),
            (None, _) => None,
        };
        let args = names.collect();
        let call = CallExpr { func_name: call.func_name.clone(), target, args };
        let expression = IdedExpr { id: 0, expr: Expr::Call(call) };
        Value::resolve(&expression, &context).map_err(|error| error.to_string())
    }

    fn is_namespace(&self, target: &IdedExpr, function: &str) -> bool {
        let Expr::Ident(name) = &target.expr else { return false };
        let is_variable = self.scope.iter().any(|(known, _)| known == name);
        !is_variable && functions::known_since(&format!("{name}.{function}"), false).is_some()
    }
}

/// Whether a value is, or has in it, a type, an error or a field that is null.
fn has_value_of_rules(value: &Value) -> bool {
    match value {
        Value::Function(..) => true,
        Value::List(items) => items.iter().any(has_value_of_rules),
        Value::Map(map) => map.map.values().any(has_value_of_rules),
        _ => false,
    }
}

/// Returns the value, or the error that it stands for.
fn read(value: Value) -> Evaluated {
    match poison_message(&value) {
        Some(message) => Err(message.to_owned()),
        None => Ok(value),
    }
}

fn read_field(operand: &Value, name: &str) -> Result<Option<Value>, String> {
    match operand {
        Value::Map(map) => {
            let value = field(map, &Key::from(name));
            let value = value.or_else(|| field(map, &Key::from(escape_reserved(name)?)));
            value.cloned().map(read).transpose()
        }
        _ => Err(unsupported()),
    }
}

/// Returns the value of a field, or none if the value of the type `dyn` cannot have fields. Upstream: `refQualify`.
fn read_field_if_any(operand: &Value, name: &str) -> Result<Option<Value>, String> {
    match operand {
        Value::Map(_) | Value::List(_) => read_field(operand, name),
        other => read(other.clone()).map(|_| None),
    }
}

/// Returns whether the value has a field. A field whose value does not fit its schema is an error. Upstream:
/// `unstructuredMap.Find`, which converts the value.
fn has_field(operand: &Value, name: &str) -> Result<bool, String> {
    match (operand, as_optional(operand)) {
        (Value::Map(_), _) => read_field(operand, name).map(|value| value.is_some()),
        (_, Some(optional)) => optional.value().map_or(Ok(false), |inner| has_field(inner, name)),
        (Value::List(_), _) => Err(unsupported()),
        // Upstream: `refQualify`, of a value of the type `dyn`.
        (other, _) => read(other.clone()).map(|_| false),
    }
}

/// Returns the position that an index of a list stands for: a number without a fraction. Upstream: `IndexOrError`.
#[expect(clippy::cast_possible_truncation, reason = "The number is in the range of the new type.")]
fn position(index: &Value) -> Option<i64> {
    match index {
        Value::Int(i) => Some(*i),
        Value::UInt(u) => i64::try_from(*u).ok(),
        Value::Float(f) if f.fract() == 0.0 && f.abs() < 9.0e18 => Some(*f as i64),
        _ => None,
    }
}

fn index_into(container: &Value, index: &Value) -> Evaluated {
    match (container, index) {
        (Value::List(items), index) => {
            let i = position(index).ok_or_else(unsupported)?;
            let item = usize::try_from(i).ok().and_then(|i| items.get(i));
            read(item.cloned().ok_or_else(|| format!("index out of bounds: {i}"))?)
        }
        (Value::Map(map), index) => {
            let key: Key = index.clone().try_into().map_err(|_| unsupported())?;
            read(field(map, &key).cloned().ok_or_else(|| format!("no such key: {key}"))?)
        }
        (container, index) if as_optional(container).is_some() => optional_item(container, index),
        _ => Err(unsupported()),
    }
}

/// Returns an item of a list or a map, or of one in an optional, if there is one. An item of a list that does not fit its schema is an error only when its
/// value is read. Upstream: `refQualify`, which returns what `unstructuredList.Get` has returned.
fn optional_item(container: &Value, index: &Value) -> Evaluated {
    let item = match container {
        Value::List(items) => {
            position(index).and_then(|i| usize::try_from(i).ok()).and_then(|i| items.get(i).cloned())
        }
        Value::Map(map) => {
            let key: Option<Key> = index.clone().try_into().ok();
            key.and_then(|key| field(map, &key).cloned()).map(read).transpose()?
        }
        other => match as_optional(other).map(|optional| optional.value()) {
            Some(Some(inner)) => return optional_item(inner, index),
            _ => None,
        },
    };
    Ok(optional_of(item))
}
