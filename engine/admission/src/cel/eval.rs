//! The evaluation of expressions. Upstream: cel-go, `interpreter`.
//!
//! `&&`, `||`, `all` and `exists` absorb errors if another operand decides the result. The expression has passed the type
//! checker; values of the type `dyn` are checked here.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, operators};
use cel::objects::{Key, Map};
use cel::{Context, Value};

use super::comparable::{inner, is_of_other_kind, is_of_other_library};
use super::format;
use super::functions;
use super::lists;
use super::named_format;
use super::operators::{add, arithmetic, compare, equal, negate, order_matches};
use super::quantity;
use super::standard;
use super::strings;
use super::types::{ListKind, Ty, escape_reserved};
use super::url;
use super::value::{
    Evaluated, as_optional, is_absent, is_qualifier, list, literal, optional_of, poison_message, type_value,
    unsupported,
};

pub(super) struct Evaluator<'a> {
    libraries: &'a Context<'static>,
    operands: &'a HashMap<u64, Ty>,
    scope: Vec<(String, Evaluated)>,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(
        libraries: &'a Context<'static>,
        operands: &'a HashMap<u64, Ty>,
        variables: Vec<(String, Evaluated)>,
    ) -> Self {
        Evaluator { libraries, operands, scope: variables }
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
            let outcome = standard::qualified(&name, &args).or_else(|| named_format::qualified(&name, &args));
            return outcome.unwrap_or_else(|| self.library(call, args));
        }
        if target.is_none()
            && let Some(outcome) = self.operator(id, call, &args)
        {
            return outcome;
        }
        if !functions::takes(name, target.is_some(), &args) {
            return Err(unsupported());
        }
        let ty = self.operands.get(&id).unwrap_or(&Ty::Dyn);
        let outcome = standard::call(name, &args).or_else(|| lists::call(name, &args, ty));
        let outcome = outcome.or_else(|| strings::call(name, &args)).or_else(|| quantity::call(name, &args));
        let outcome = outcome.or_else(|| url::call(name, &args)).or_else(|| named_format::call(name, &args));
        outcome.unwrap_or_else(|| self.library(call, args))
    }

    /// Returns the expression whose value an expression has: the branch of a condition, or what `dyn` converts.
    fn source<'e>(&mut self, expression: &'e IdedExpr) -> &'e IdedExpr {
        let Expr::Call(call) = &expression.expr else { return expression };
        match (call.func_name.as_str(), call.args.as_slice()) {
            (operators::CONDITIONAL, [condition, yes, no]) => match self.evaluate(condition) {
                Ok(Value::Bool(true)) => self.source(yes),
                _ => self.source(no),
            },
            ("dyn", [inner]) if call.target.is_none() => self.source(inner),
            _ => expression,
        }
    }

    /// Whether the value of an operand is a part of an object, and not a new list or map.
    fn is_of_object(&mut self, operand: Option<&IdedExpr>, value: &Value) -> bool {
        operand.is_some_and(|operand| self.is_part_of_object(operand, value))
    }

    fn is_part_of_object(&mut self, expression: &IdedExpr, value: &Value) -> bool {
        let IdedExpr { id, expr } = self.source(expression);
        match expr {
            Expr::Ident(_) => true,
            Expr::Select(select) => self.is_part_of_object(&select.operand, value),
            Expr::Call(call) => match (call.func_name.as_str(), call.target.as_deref(), call.args.as_slice())
            {
                (operators::INDEX | operators::OPT_INDEX | operators::OPT_SELECT, None, [container, _]) => {
                    self.is_part_of_object(container, value)
                }
                ("of" | "ofNonZeroValue", Some(_), [inner]) => self.is_part_of_object(inner, value),
                // Upstream: `unstructuredSetList.Add`, and `baseList.Add`, which returns the other list if the first one is empty.
                (operators::ADD, None, [a, _]) if self.is_part_of_object(a, value) => {
                    let ty = self.operands.get(id);
                    matches!(ty, Some(Ty::List(_, kind)) if **kind != ListKind::Plain)
                }
                (operators::ADD, None, [a, b]) => {
                    let is_empty = |list: &Value| matches!(list, Value::List(items) if items.is_empty());
                    self.evaluate(a).is_ok_and(|a| is_empty(&a)) && self.is_part_of_object(b, value)
                }
                // Upstream returns an empty list as it is.
                ("sort" | "distinct", Some(target), []) => {
                    matches!(value, Value::List(items) if items.is_empty())
                        && self.is_part_of_object(target, value)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether the map in which an operator looks for a key is one of an object.
    fn is_map_of_object(&mut self, call: &CallExpr) -> bool {
        let map = if call.func_name == operators::IN { call.args.last() } else { call.args.first() };
        !map.is_some_and(|map| makes_map(self.source(map)))
    }

    /// Returns the type by which a list is compared and concatenated: only a list of an object is a set or has keys, whatever the
    /// type of the expression. Upstream: `unstructuredSetList`, `unstructuredMapList`, and `baseList` of cel-go.
    fn type_of_list<'t>(&mut self, ty: &'t Ty, operand: Option<&IdedExpr>, value: &Value) -> Cow<'t, Ty> {
        match ty {
            Ty::List(item, kind) if **kind != ListKind::Plain && !self.is_of_object(operand, value) => {
                Cow::Owned(Ty::plain_list(item.as_ref().clone()))
            }
            ty => Cow::Borrowed(ty),
        }
    }

    fn operator(&mut self, id: u64, call: &CallExpr, args: &[Value]) -> Option<Evaluated> {
        let operands = self.operands;
        let (name, ty) = (call.func_name.as_str(), operands.get(&id).unwrap_or(&Ty::Dyn));
        Some(match (name, args) {
            // The comparison is an error, which only `==` returns. Upstream: `evalEq`, `evalNe`.
            (operators::EQUALS, [a, b])
                if quantity::of(a).is_some() && quantity::is_computed(b)
                    || is_of_other_library(a, b)
                    || is_of_other_kind(a, b) && self.is_of_object(call.args.first(), inner(a)) =>
            {
                Err(unsupported())
            }
            (operators::EQUALS | operators::NOT_EQUALS, [a, b]) => {
                let is_equal = equal(a, b, &self.type_of_list(ty, call.args.first(), a));
                Ok(Value::Bool(is_equal == (name == operators::EQUALS)))
            }
            (
                operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS,
                [a, b],
            ) => compare(a, b).and_then(|order| {
                let order = order.ok_or("NaN values cannot be ordered")?;
                Ok(Value::Bool(order_matches(name, order)))
            }),
            (operators::LOGICAL_NOT, [Value::Bool(b)]) => Ok(Value::Bool(!b)),
            (operators::IN, [item, Value::List(items)]) => {
                let is_found = items.iter().any(|other| equal(item, other, ty));
                // Upstream: `unstructuredList.Contains`, which returns the error of a comparison.
                let is_error = |other: &Value| match (other, item) {
                    (Value::Map(_) | Value::List(_), Value::Null) => true,
                    _ => is_of_other_kind(other, item),
                };
                let list = Value::List(Arc::clone(items));
                if !is_found && items.iter().any(is_error) && self.is_of_object(call.args.last(), &list) {
                    return Some(Err(unsupported()));
                }
                Ok(Value::Bool(is_found))
            }
            // A map of an object has only texts as keys. Upstream: `unstructuredMap.Find`.
            (operators::IN, [key, Value::Map(_)]) | (operators::OPT_INDEX, [Value::Map(_), key])
                if !matches!(key, Value::String(_)) && self.is_map_of_object(call) =>
            {
                Err(unsupported())
            }
            (operators::IN, [item, Value::Map(map)]) => {
                let key: Option<Key> = item.clone().try_into().ok();
                // Upstream converts the value (`unstructuredMap.Find`).
                let value = key.and_then(|key| map.get(&key).cloned()).map(read).transpose();
                value.map(|value| Value::Bool(value.is_some()))
            }
            (operators::LOGICAL_NOT | operators::IN, _) => Err(unsupported()),
            (operators::INDEX | operators::OPT_INDEX, [_, index]) if !is_qualifier(index) => {
                Err(format!("invalid qualifier type: {index:?}"))
            }
            // Upstream: `unstructuredList.Get`.
            (operators::INDEX, [list @ Value::List(_), index])
                if !matches!(index, Value::Int(_)) && self.is_of_object(call.args.first(), list) =>
            {
                Err(unsupported())
            }
            (operators::INDEX, [container, index]) => index_into(container, index),
            (operators::OPT_INDEX, [Value::List(_), index]) if position(index).is_none() => {
                Err("unsupported index type in list".to_owned())
            }
            (operators::OPT_INDEX, [container, index]) => Ok(match as_optional(container) {
                Some(optional) => {
                    optional_of(optional.value().and_then(|inner| index_into(inner, index).ok()))
                }
                None => optional_of(index_into(container, index).ok()),
            }),
            (operators::ADD, [a, b]) => add(a, b, &self.type_of_list(ty, call.args.first(), a)),
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
            Some(inner) => Ok(inner.clone()),
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

    /// Calls a function of the Kubernetes libraries, which take their arguments as expressions.
    fn library(&self, call: &CallExpr, args: Vec<Value>) -> Evaluated {
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

/// Whether the value of an expression can be a map that the expression makes.
fn makes_map(expression: &IdedExpr) -> bool {
    match &expression.expr {
        Expr::Map(_) => true,
        Expr::Call(call) if call.func_name == "getQuery" => true,
        Expr::Call(call) => call.args.iter().chain(call.target.as_deref()).any(makes_map),
        Expr::List(list) => list.elements.iter().any(makes_map),
        Expr::Select(select) => makes_map(&select.operand),
        Expr::Comprehension(comprehension) => makes_map(&comprehension.iter_range),
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
            let value = map.get(&Key::from(name)).or_else(|| map.get(&Key::from(escape_reserved(name)?)));
            let value = value.filter(|value| !is_absent(value));
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
            read(map.get(&key).cloned().ok_or_else(|| format!("no such key: {key}"))?)
        }
        (container, index) => match as_optional(container) {
            Some(optional) => {
                Ok(optional_of(optional.value().and_then(|inner| index_into(inner, index).ok())))
            }
            None => Err(unsupported()),
        },
    }
}
