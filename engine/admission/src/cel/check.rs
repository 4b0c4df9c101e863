//! The type checker. An API server refuses a definition with a rule that does not pass it. Upstream: cel-go, `checker`.

use std::collections::HashMap;
use std::sync::Arc;

use cel::common::ast::{
    CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, SelectExpr, operators,
};

use super::constants::{converted_constant, has_constant_of_no_qualifier};
use super::functions;
use super::inner_types::{field, item, optional_field, range_item, value_of_optional};
use super::macros::unsupported_since;
use super::operator_types::{arithmetic, is_ordered, sum};
use super::problem::{Checked, Problem, later, no_overload, not_simulated, undeclared, undeclared_reference};
use super::release::RuleRelease;
use super::type_names::{has_message_type, message_problem, type_since};
use super::types::{ExpressionTypes, MESSAGES, Ty};

/// Checks expressions.
pub(super) struct Checker {
    release: RuleRelease,
    scope: Vec<(String, Ty)>,
    evaluated: ExpressionTypes,
    /// The number of calls of `format` around the expression. Lists and maps in them can have values of several types. Upstream:
    /// `ValidateHomogeneousAggregateLiterals`.
    formats: usize,
    /// The types of the expressions inside of calls of `format`, or of all, by their ids.
    types: HashMap<u64, Ty>,
    keeps_all_types: bool,
    /// The first part that is not simulated, but whose type is known.
    left_out: Option<Problem>,
}

impl Checker {
    /// `keeps_all_types` is needed for [`Checker::types`].
    pub(super) fn new(variables: Vec<(String, Ty)>, release: RuleRelease, keeps_all_types: bool) -> Self {
        Checker {
            release,
            evaluated: ExpressionTypes {
                variables: variables.iter().cloned().collect(),
                lists: HashMap::new(),
                release,
            },
            scope: variables,
            formats: 0,
            types: HashMap::new(),
            keeps_all_types,
            left_out: None,
        }
    }

    /// Returns the types of all expressions that have been checked.
    pub(super) fn types(&self) -> &HashMap<u64, Ty> {
        &self.types
    }

    /// Returns the types that the evaluation needs.
    pub(super) fn into_types(self) -> ExpressionTypes {
        self.evaluated
    }

    /// Returns the problem of a part that is not simulated. A server can refuse the expression for the type of another part.
    pub(super) fn refuse_left_out(&mut self) -> Checked<()> {
        self.left_out.take().map_or(Ok(()), Err)
    }

    fn leave_out(&mut self, construct: &str, reason: &'static str) {
        self.left_out.get_or_insert_with(|| not_simulated(construct, reason));
    }

    /// Returns the type of an expression.
    pub(super) fn check(&mut self, expression: &IdedExpr) -> Checked {
        let ty = self.check_kind(expression)?;
        if ty == Ty::Open {
            // Upstream decides on it by what the expression is used for, also later.
            return Err(not_simulated(
                "[][_]",
                "a value whose type nothing decides, such as an item of an empty list",
            ));
        }
        if self.keeps_all_types || self.formats > 0 {
            self.types.insert(expression.id, ty.clone());
        }
        Ok(ty)
    }

    /// Returns the type of an expression inside of a call of `format` that has been checked.
    pub(super) fn checked(&self, expression: &IdedExpr) -> Ty {
        self.types.get(&expression.id).cloned().unwrap_or(Ty::Dyn)
    }

    fn check_kind(&mut self, expression: &IdedExpr) -> Checked {
        match &expression.expr {
            Expr::Literal(value) => Ok(literal(value)),
            Expr::Ident(name) => self.ident(name),
            Expr::Select(select) => self.select(select),
            Expr::Call(call) => self.call(expression.id, call),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
            Expr::List(list) => {
                let mut item = Ty::Open;
                for (i, element) in list.elements.iter().enumerate() {
                    let mut ty = self.check(element)?;
                    if list.optional_indices.contains(&i) {
                        self.leave_out("[?_]", "an optional item of a list");
                        ty = value_of_optional(ty)?;
                    }
                    item = self.joined(&item, &ty)?;
                }
                Ok(Ty::plain_list(item))
            }
            Expr::Map(map) => self.map(map.entries.iter().map(|entry| &entry.expr)),
            Expr::Struct(message) => Err(message_problem(&message.type_name)),
            Expr::Unspecified => Err(not_simulated("an expression", "the parser does not know it")),
        }
    }

    /// Returns the type of the values of a list or a map, of which one has been found.
    fn joined(&self, known: &Ty, found: &Ty) -> Checked {
        match known.join(found) {
            Some(joined) if self.formats > 0 || known.is_equivalent(found) => Ok(joined),
            None if self.formats > 0 => Ok(Ty::Dyn),
            _ => Err(Problem::Invalid(format!("expected type '{known}' but found '{found}'"))),
        }
    }

    /// Checks an expression that must have a type.
    pub(super) fn expect(&mut self, expression: &IdedExpr, expected: &Ty) -> Checked<()> {
        let ty = self.check(expression)?;
        match expected.join(&ty) {
            Some(_) => Ok(()),
            None => Err(Problem::Invalid(format!("expected type '{expected}' but found '{ty}'"))),
        }
    }

    fn ident(&self, name: &str) -> Checked {
        if let Some((_, ty)) = self.scope.iter().rev().find(|(known, _)| known == name) {
            return Ok(ty.clone());
        }
        match type_since(name) {
            Some(introduced) if self.release.can_use(introduced) => Ok(Ty::Type),
            Some(introduced) => Err(later(&undeclared_reference(name), introduced)),
            None => Err(undeclared(name)),
        }
    }

    fn is_variable(&self, name: &str) -> bool {
        self.scope.iter().any(|(known, _)| known == name)
    }

    fn select(&mut self, select: &SelectExpr) -> Checked {
        if has_message_type(select) && !self.is_variable("google") {
            return Err(not_simulated("google.protobuf", "a type of Protocol Buffers"));
        }
        let operand = self.check(&select.operand)?;
        let ty = field(&operand, &select.field, self.release)?;
        Ok(if select.test { Ty::Bool } else { ty })
    }

    fn map<'e>(&mut self, entries: impl Iterator<Item = &'e EntryExpr>) -> Checked {
        let (mut key, mut value) = (Ty::Open, Ty::Open);
        for entry in entries {
            let EntryExpr::MapEntry(entry) = entry else { return Err(not_simulated("{}", "a message")) };
            let (found_key, mut found_value) = (self.check(&entry.key)?, self.check(&entry.value)?);
            if entry.optional {
                self.leave_out("{?_: _}", "an optional entry of a map");
                found_value = value_of_optional(found_value)?;
            }
            if !matches!(found_key, Ty::String | Ty::Int | Ty::Uint | Ty::Bool | Ty::Open) {
                self.leave_out("{_: _}", "a map whose keys may have other types than texts and integers");
            }
            (key, value) = (self.joined(&key, &found_key)?, self.joined(&value, &found_value)?);
        }
        Ok(Ty::Map(Arc::new(key), Arc::new(value)))
    }

    fn call(&mut self, id: u64, call: &CallExpr) -> Checked {
        if let Some(target) = call.target.as_ref().filter(|_| is_optional_macro(call))
            && self.release.has_optionals()
        {
            return self.optional_macro(target, call);
        }
        if let (operators::OPT_SELECT, [operand, name]) = (call.func_name.as_str(), call.args.as_slice()) {
            let operand = self.check(operand)?;
            let Expr::Literal(LiteralValue::String(name)) = &name.expr else {
                return Err(not_simulated("_?._", "the name of the field is not a literal"));
            };
            return optional_field(&operand, name.inner(), self.release);
        }
        if let Some(name) = self.qualified(call) {
            let args = self.check_all(&call.args)?;
            return self.applied(&name, false, &args);
        }
        let Some(target) = &call.target else {
            let args = self.check_all(&call.args)?;
            refuse_constant(&call.func_name, &call.args)?;
            if let Some(result) = self.operator(call, &args) {
                return result;
            }
            return self.applied(&call.func_name, false, &args);
        };
        let is_format = call.func_name == "format";
        self.formats += usize::from(is_format);
        let mut args = vec![self.check(target)?];
        if let Some(introduced) = unsupported_since(&call.func_name, call.args.len()) {
            range_item(&args[0])?;
            if self.release.can_use(introduced) {
                return Err(not_simulated(&format!("{}()", call.func_name), "the macro is not simulated"));
            }
        }
        if !self.is_known(&call.func_name, true) {
            return Err(unknown_function(&call.func_name, true));
        }
        args.extend(self.check_all(&call.args)?);
        if let (
            "format",
            Expr::Literal(LiteralValue::String(text)),
            [IdedExpr { expr: Expr::List(list), .. }],
        ) = (call.func_name.as_str(), &target.expr, call.args.as_slice())
        {
            self.check_format(text.inner(), &list.elements)?;
        }
        self.formats -= usize::from(is_format);
        if let (name, [Ty::Timestamp | Ty::Dyn, Ty::String | Ty::Dyn]) = (&call.func_name, args.as_slice())
            && name.starts_with("get")
        {
            self.leave_out(&format!("{name}()"), "a time zone");
            args.pop();
        }
        match (call.func_name.as_str(), args.as_slice()) {
            // The overload is that of integers. Upstream: `resolveOverload`.
            ("sum" | "isSorted" | "min" | "max" | "sort", [Ty::List(item, _)]) if **item == Ty::Open => {
                self.evaluated.lists.insert(id, Ty::plain_list(Ty::Int));
            }
            ("sum", [of]) => {
                self.evaluated.lists.insert(id, of.clone());
            }
            _ => {}
        }
        self.applied(&call.func_name, true, &args)
    }

    fn is_known(&self, name: &str, is_method: bool) -> bool {
        functions::known_since(name, is_method).is_some_and(|introduced| self.release.can_use(introduced))
    }

    fn applied(&mut self, name: &str, is_method: bool, args: &[Ty]) -> Checked {
        if !self.is_known(name, is_method) {
            return Err(unknown_function(name, is_method));
        }
        let texts =
            args.iter().map(|arg| if name == "hasValue" { arg.clone() } else { self.texts(arg, name) });
        let args: Vec<Ty> = texts.collect();
        if !functions::is_simulated(name, is_method) {
            self.leave_out(&format!("{name}()"), "the function is not simulated");
        }
        functions::result_type(name, is_method, &args, self.release).ok_or_else(|| no_overload(name, &args))
    }

    /// Returns the type of the messages of a format, of which there can be none, if a function other than `hasValue` takes them.
    fn texts(&mut self, ty: &Ty, function: &str) -> Ty {
        if !has_messages(ty) {
            return ty.clone();
        }
        self.leave_out(&format!("{function}()"), "the messages of a format are not simulated");
        Ty::Optional(Arc::new(Ty::plain_list(Ty::String)))
    }

    /// Returns the name of a function in a namespace, such as `sets.contains`.
    fn qualified(&self, call: &CallExpr) -> Option<String> {
        let Some(Expr::Ident(namespace)) = call.target.as_ref().map(|target| &target.expr) else {
            return None;
        };
        let name = format!("{namespace}.{}", call.func_name);
        (!self.is_variable(namespace) && functions::known_since(&name, false).is_some()).then_some(name)
    }

    fn check_all(&mut self, args: &[IdedExpr]) -> Checked<Vec<Ty>> {
        args.iter().map(|arg| self.check(arg)).collect()
    }

    /// `optional.optMap(x, e)` and `optional.optFlatMap(x, e)`, macros that the parser does not know.
    fn optional_macro(&mut self, target: &IdedExpr, call: &CallExpr) -> Checked {
        let [IdedExpr { expr: Expr::Ident(variable), .. }, body] = call.args.as_slice() else {
            return Err(Problem::Invalid(format!("{}() needs a variable name", call.func_name)));
        };
        let target = self.check(target)?;
        let inner = match self.texts(&target, &call.func_name) {
            Ty::Optional(inner) => inner.as_ref().clone(),
            ty @ (Ty::Dyn | Ty::Open) => ty,
            // A null is a value of each optional type.
            Ty::Null => Ty::Open,
            other => return Err(Problem::Invalid(format!("'{other}' is not optional"))),
        };
        self.evaluated.variables.insert(variable.clone(), inner.clone());
        self.scope.push((variable.clone(), inner));
        let result = self.check(body);
        self.scope.pop();
        let result = result?;
        match (call.func_name.as_str(), result) {
            ("optMap", ty) => Ok(Ty::Optional(Arc::new(ty))),
            (_, ty @ (Ty::Optional(_) | Ty::Dyn | Ty::Null)) => Ok(ty),
            (_, Ty::Open) => Ok(Ty::Optional(Arc::new(Ty::Open))),
            (name, ty) => Err(Problem::Invalid(format!("the result of {name}() is '{ty}'"))),
        }
    }

    /// Returns the type of an operator, or `None` if the name is not that of an operator.
    fn operator(&mut self, call: &CallExpr, args: &[Ty]) -> Option<Checked> {
        let name = call.func_name.as_str();
        let args: Vec<Ty> = args.iter().map(|arg| self.texts(arg, name)).collect();
        let args = args.as_slice();
        let no_overload = || Err(no_overload(name, args));
        Some(match (name, args) {
            (operators::EQUALS | operators::NOT_EQUALS, [a, b]) => match a.join(b) {
                Some(_) => Ok(Ty::Bool),
                None => no_overload(),
            },
            (operators::LOGICAL_AND | operators::LOGICAL_OR, args) => {
                if args.iter().all(|arg| Ty::Bool.join(arg).is_some()) { Ok(Ty::Bool) } else { no_overload() }
            }
            (operators::LOGICAL_NOT | operators::NOT_STRICTLY_FALSE, [a]) => {
                if Ty::Bool.join(a).is_some() {
                    Ok(Ty::Bool)
                } else {
                    no_overload()
                }
            }
            (operators::CONDITIONAL, [condition, a, b]) => match (Ty::Bool.join(condition), a.bind(b)) {
                (Some(_), Some(ty)) => Ok(ty),
                _ => no_overload(),
            },
            (
                operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS,
                [a, b],
            ) => {
                if is_ordered(a, b, self.release) {
                    Ok(Ty::Bool)
                } else {
                    no_overload()
                }
            }
            (operators::IN, [item, container]) => match container {
                Ty::List(of, _) | Ty::Map(of, _) if of.join(item).is_some() => Ok(Ty::Bool),
                Ty::Dyn | Ty::Open => Ok(Ty::Bool),
                _ => no_overload(),
            },
            (operators::INDEX | operators::OPT_INDEX, _) if has_constant_of_no_qualifier(&call.args) => {
                Err(Problem::Invalid("invalid qualifier type".to_owned()))
            }
            (operators::INDEX, [container, index]) => item(container, index).map_or_else(no_overload, Ok),
            // There is an overload for lists, and one for maps, and their results are different.
            (operators::OPT_INDEX, [Ty::Dyn, _]) => Ok(Ty::Dyn),
            (operators::OPT_INDEX, [container, index]) => {
                let is_optional = matches!(container, Ty::Optional(_));
                let ty = item(container, index);
                let ty = ty.map(|ty| if is_optional { ty } else { Ty::Optional(Arc::new(ty)) });
                ty.map_or_else(no_overload, Ok)
            }
            (operators::ADD, [a, b]) => sum(a, b).map_or_else(no_overload, Ok),
            (operators::SUBSTRACT | operators::MULTIPLY | operators::DIVIDE | operators::MODULO, [a, b]) => {
                arithmetic(name, a, b).map_or_else(no_overload, Ok)
            }
            (operators::NEGATE, [a @ (Ty::Int | Ty::Double | Ty::Dyn)]) => Ok(a.clone()),
            (operators::NEGATE, [Ty::Open]) => Ok(Ty::Double),
            (operators::NEGATE, _) => no_overload(),
            _ => return None,
        })
    }

    fn comprehension(&mut self, comprehension: &ComprehensionExpr) -> Checked {
        let item = range_item(&self.check(&comprehension.iter_range)?)?;
        // Upstream, the body decides what the type of the items is.
        if item == Ty::Open {
            return Err(not_simulated("[]", "a macro with a list that is always empty"));
        }
        let accumulator = self.check(&comprehension.accu_init)?;
        let depth = self.scope.len();
        self.scope.push((comprehension.accu_var.clone(), accumulator.clone()));
        self.evaluated.variables.insert(comprehension.iter_var.clone(), item.clone());
        self.scope.push((comprehension.iter_var.clone(), item));
        let result = self.loop_body(comprehension, &accumulator, depth);
        self.scope.truncate(depth);
        result
    }

    fn loop_body(&mut self, comprehension: &ComprehensionExpr, accumulator: &Ty, depth: usize) -> Checked {
        self.expect(&comprehension.loop_cond, &Ty::Bool)?;
        let step = self.check(&comprehension.loop_step)?;
        let Some(accumulated) = accumulator.join(&step) else {
            return Err(Problem::Invalid(format!("expected type '{accumulator}' but found '{step}'")));
        };
        self.scope.truncate(depth);
        self.scope.push((comprehension.accu_var.clone(), accumulated));
        self.check(&comprehension.result)
    }
}

/// Whether a call is a macro that the parser does not know, `target.optMap(x, e)` or `target.optFlatMap(x, e)`.
pub(super) fn is_optional_macro(call: &CallExpr) -> bool {
    call.target.is_some() && matches!(call.func_name.as_str(), "optMap" | "optFlatMap")
}

/// Whether a type is that of the messages of a format, of which there can be none.
fn has_messages(ty: &Ty) -> bool {
    matches!(ty, Ty::Optional(inner) if **inner == Ty::Opaque(MESSAGES))
}

/// Returns the problem of a function that rules cannot call. Upstream: cel-go, `UndeclaredReference`.
fn unknown_function(name: &str, is_method: bool) -> Problem {
    match functions::known_since(name, is_method) {
        Some(introduced) => later(&undeclared_reference(name), introduced),
        None => undeclared(name),
    }
}

fn literal(value: &LiteralValue) -> Ty {
    match value {
        LiteralValue::Boolean(_) => Ty::Bool,
        LiteralValue::Bytes(_) => Ty::Bytes,
        LiteralValue::Double(_) => Ty::Double,
        LiteralValue::Int(_) => Ty::Int,
        LiteralValue::UInt(_) => Ty::Uint,
        LiteralValue::Null => Ty::Null,
        LiteralValue::String(_) => Ty::String,
    }
}

/// Refuses the conversion of a constant that cannot be converted, such as `duration('x')`. Upstream: `OptOptimize`,
/// `maybeOptimizeConstUnary`.
fn refuse_constant(function: &str, args: &[IdedExpr]) -> Checked<()> {
    match converted_constant(function, args) {
        Some(Err(message)) => Err(Problem::Invalid(message)),
        _ => Ok(()),
    }
}
