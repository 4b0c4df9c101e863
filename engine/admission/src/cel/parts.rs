//! The parts of a rule, for programs that look for objects which a rule accepts or refuses.

use cel::Value;
use cel::common::ast::{CallExpr, ComprehensionExpr, Expr, IdedExpr, LiteralValue, operators};
use cel::objects::OptionalValue;
use skewer_engine::document::{Doc, OwnedDoc, OwnedMap, Text};

use super::CompiledRules;
use super::convert::duration_text;
use super::reads::Reads;
use super::rules::{Libraries, Rule};
use super::types::escape;
use super::value::{Evaluated, as_optional, literal, optional_of, untyped};
use crate::structural::{StructuralSchema, ValidationRule};

/// A step from a value to a value inside of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueStep<'s> {
    /// To a field of an object.
    Field(&'s str),
    /// To an item of a list.
    Item,
    /// To a value of a map.
    Value,
}

/// A compiled rule.
#[derive(Clone, Copy, Debug)]
pub struct CompiledRule<'r> {
    rule: &'r Rule,
    libraries: &'r Libraries,
    is_resource_root: bool,
}

/// A part of a rule: an expression inside of it.
#[derive(Clone, Copy, Debug)]
pub struct RulePart<'r>(&'r IdedExpr);

/// The kind of a part of a rule, with the parts inside of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum PartKind<'r> {
    /// `!a`.
    Not(RulePart<'r>),
    /// `a && b`.
    And(Vec<RulePart<'r>>),
    /// `a || b`.
    Or(Vec<RulePart<'r>>),
    /// `condition ? a : b`.
    If([RulePart<'r>; 3]),
    /// `has(a.field)`.
    Has(RulePart<'r>, &'r str),
    /// `a == b`, and the other comparisons.
    Compare(RuleComparison, [RulePart<'r>; 2]),
    /// `a in b`.
    In([RulePart<'r>; 2]),
    /// A macro with a variable for items or keys, such as `range.all(variable, body)`.
    Loop {
        /// The macro.
        kind: LoopKind,
        /// The list or map.
        range: RulePart<'r>,
        /// The variable.
        variable: &'r str,
        /// The expression that is evaluated for each item or key.
        body: RulePart<'r>,
    },
    /// A variable.
    Variable(&'r str),
    /// `a.field` and `a.?field`.
    Field(RulePart<'r>, &'r str),
    /// `a[b]` and `a[?b]`.
    Index([RulePart<'r>; 2]),
    /// A constant of a type that documents have.
    Literal(OwnedDoc),
    /// A list of expressions.
    List(Vec<RulePart<'r>>),
    /// A function or another operator. The first argument of a method is its target.
    Call(&'r str, Vec<RulePart<'r>>),
    /// Anything else.
    Other,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleComparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`, `<=`, `>` or `>=`.
    Order,
}

/// A macro that evaluates an expression for each item or key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopKind {
    /// `all`
    All,
    /// `exists`
    Exists,
    /// `exists_one`
    ExistsOne,
    /// `filter`
    Filter,
    /// `map`
    Map,
}

/// A variable of a rule.
#[derive(Clone, Copy, Debug)]
pub struct Variable<'v> {
    /// The name.
    pub name: &'v str,
    /// The value. `None` for an `oldSelf` of an object that is created.
    pub value: Option<&'v OwnedDoc>,
    /// The schema of the value. `None` for a key of a map.
    pub schema: Option<&'v StructuralSchema>,
}

impl CompiledRules {
    /// Returns the rules of a value. `steps` lead to it from the value whose rules these are. There are none if a step leads
    /// to no value with rules.
    #[must_use]
    pub fn of_value<'s>(&self, steps: impl IntoIterator<Item = ValueStep<'s>>) -> Vec<CompiledRule<'_>> {
        let node = steps.into_iter().try_fold(&self.rules.root, |node, step| match step {
            ValueStep::Field(name) => node.properties.get(name),
            ValueStep::Item => node.items.as_deref(),
            ValueStep::Value => node.additional_properties.as_deref(),
        });
        let Some(node) = node else { return Vec::new() };
        let of_rule = |rule| CompiledRule {
            rule,
            libraries: &self.rules.libraries,
            is_resource_root: node.is_resource_root,
        };
        node.rules.iter().map(of_rule).collect()
    }
}

impl<'r> CompiledRule<'r> {
    /// Returns the rule as the definition has it.
    #[must_use]
    pub fn source(&self) -> &'r ValidationRule {
        &self.rule.source
    }

    /// Whether the rule compares a value with the one that it replaces.
    #[must_use]
    pub fn uses_old_self(&self) -> bool {
        self.rule.expression.uses_old_self()
    }

    /// Returns the whole expression.
    #[must_use]
    pub fn condition(&self) -> RulePart<'r> {
        RulePart(self.rule.expression.tree())
    }

    /// Evaluates a part of the rule. `None` if the evaluation fails, or if the value is of a type that documents do not have.
    #[must_use]
    pub fn evaluate(&self, part: RulePart<'_>, variables: &[Variable<'_>]) -> Option<OwnedDoc> {
        // The conversion of a value takes longer than most evaluations.
        let variables = variables.iter().filter(|variable| part.mentions(variable.name));
        let variables = variables.map(|variable| self.variable(variable, part)).collect();
        document(&self.rule.expression.evaluate_part(&self.libraries.0, part.0, variables).ok()?)
    }

    /// Evaluates a part of the rule that is a condition. `None` if the evaluation fails.
    #[must_use]
    pub fn holds(&self, part: RulePart<'_>, variables: &[Variable<'_>]) -> Option<bool> {
        match self.evaluate(part, variables)? {
            Doc::Bool(holds) => Some(holds),
            _ => None,
        }
    }

    fn variable(&self, variable: &Variable<'_>, part: RulePart<'_>) -> (String, Evaluated) {
        let is_of_rule = matches!(variable.name, "self" | "oldSelf");
        let value = variable.value.map(|value| match variable.schema {
            Some(schema) => {
                let read = Reads::of([part.0], variable.name);
                read.value(value, schema, self.is_resource_root && is_of_rule)
            }
            None => untyped(value),
        });
        let value = match value {
            value if variable.name == "oldSelf" && self.rule.source.optional_old_self => {
                Ok(optional_of(value))
            }
            Some(value) => Ok(value),
            None => Err(format!("no such attribute: {}", variable.name)),
        };
        (variable.name.to_owned(), value)
    }
}

impl<'r> RulePart<'r> {
    /// Returns the kind of the part.
    #[must_use]
    pub fn kind(self) -> PartKind<'r> {
        match &self.0.expr {
            Expr::Literal(value) => literal_kind(value),
            Expr::Ident(name) => PartKind::Variable(name),
            Expr::Select(select) if select.test => PartKind::Has(RulePart(&select.operand), &select.field),
            Expr::Select(select) => PartKind::Field(RulePart(&select.operand), &select.field),
            Expr::List(list) => PartKind::List(parts(&list.elements)),
            Expr::Call(call) => call_kind(call),
            Expr::Comprehension(comprehension) => loop_kind(comprehension).unwrap_or(PartKind::Other),
            Expr::Map(_) | Expr::Struct(_) | Expr::Unspecified => PartKind::Other,
        }
    }

    /// Returns a text that only equal parts have. `names` has what stands for each variable, so that the parts of two rules can
    /// be equal but for the names of variables in macros. `None` if the part has a form that is not compared.
    #[must_use]
    pub fn canonical(self, names: &[(&str, String)]) -> Option<String> {
        let all = |parts: &[IdedExpr]| -> Option<String> {
            let texts: Option<Vec<String>> =
                parts.iter().map(|part| RulePart(part).canonical(names)).collect();
            Some(texts?.join(","))
        };
        Some(match &self.0.expr {
            // A semicolon ends a name, and nothing else.
            Expr::Literal(value) => format!("{value:?}").replace(';', r"\u{3b}"),
            Expr::Ident(name) => {
                let (_, text) = names.iter().rev().find(|(known, _)| known == name)?;
                format!("{text};")
            }
            Expr::Select(select) => {
                let operator = if select.test { '?' } else { '.' };
                format!("{}{operator}{};", RulePart(&select.operand).canonical(names)?, select.field)
            }
            Expr::List(list) if list.optional_indices.is_empty() => format!("[{}]", all(&list.elements)?),
            Expr::Call(call) => {
                let target = call.target.as_deref().map(|target| RulePart(target).canonical(names));
                let target = target.map_or(Some(String::new()), |target| target)?;
                format!("{}({target}|{})", call.func_name, all(&call.args)?)
            }
            Expr::Comprehension(comprehension) if comprehension.iter_var2.is_none() => {
                let PartKind::Loop { kind, range, variable, body } = loop_kind(comprehension)? else {
                    return None;
                };
                let mut inner = names.to_vec();
                inner.push((variable, format!("#{}", names.len())));
                format!("{kind:?}({}|{})", range.canonical(names)?, body.canonical(&inner)?)
            }
            _ => return None,
        })
    }

    /// Returns true if the part reads a variable with a name.
    #[must_use]
    pub fn mentions(self, name: &str) -> bool {
        matches!(self.kind(), PartKind::Other)
            || matches!(self.kind(), PartKind::Variable(own) if own == name)
            || self.inner().into_iter().any(|inner| inner.mentions(name))
    }

    /// Returns the parts inside of this one.
    #[must_use]
    pub fn inner(self) -> Vec<RulePart<'r>> {
        match self.kind() {
            PartKind::Not(inner) | PartKind::Has(inner, _) | PartKind::Field(inner, _) => vec![inner],
            PartKind::And(inner) | PartKind::Or(inner) | PartKind::List(inner) | PartKind::Call(_, inner) => {
                inner
            }
            PartKind::If(inner) => inner.to_vec(),
            PartKind::Compare(_, inner) | PartKind::In(inner) | PartKind::Index(inner) => inner.to_vec(),
            PartKind::Loop { range, body, .. } => vec![range, body],
            PartKind::Variable(_) | PartKind::Literal(_) | PartKind::Other => Vec::new(),
        }
    }
}

/// Returns the field that a name in a rule stands for. Upstream: `cel.Unescape`.
#[must_use]
pub fn field_of<'s>(schema: &'s StructuralSchema, name: &str) -> Option<&'s str> {
    let is_it = |field: &&String| field.as_str() == name || escape(field).as_deref() == Some(name);
    schema.properties.keys().find(is_it).map(String::as_str)
}

fn parts(expressions: &[IdedExpr]) -> Vec<RulePart<'_>> {
    expressions.iter().map(RulePart).collect()
}

fn literal_kind(value: &LiteralValue) -> PartKind<'_> {
    document(&literal(value)).map_or(PartKind::Other, PartKind::Literal)
}

fn call_kind(call: &CallExpr) -> PartKind<'_> {
    let name = call.func_name.as_str();
    match (name, call.args.as_slice()) {
        (operators::LOGICAL_NOT, [a]) => PartKind::Not(RulePart(a)),
        (operators::LOGICAL_AND, args) => PartKind::And(parts(args)),
        (operators::LOGICAL_OR, args) => PartKind::Or(parts(args)),
        (operators::CONDITIONAL, [condition, a, b]) => {
            PartKind::If([RulePart(condition), RulePart(a), RulePart(b)])
        }
        (operators::EQUALS, [a, b]) => PartKind::Compare(RuleComparison::Equal, [RulePart(a), RulePart(b)]),
        (operators::NOT_EQUALS, [a, b]) => {
            PartKind::Compare(RuleComparison::NotEqual, [RulePart(a), RulePart(b)])
        }
        (
            operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS,
            [a, b],
        ) => PartKind::Compare(RuleComparison::Order, [RulePart(a), RulePart(b)]),
        (operators::IN, [a, b]) => PartKind::In([RulePart(a), RulePart(b)]),
        (operators::INDEX | operators::OPT_INDEX, [a, b]) => PartKind::Index([RulePart(a), RulePart(b)]),
        (operators::OPT_SELECT, [a, IdedExpr { expr: Expr::Literal(LiteralValue::String(field)), .. }]) => {
            PartKind::Field(RulePart(a), field.inner())
        }
        (name, args) => {
            PartKind::Call(name, call.target.as_deref().into_iter().chain(args).map(RulePart).collect())
        }
    }
}

/// Returns the macro that was expanded to a comprehension.
fn loop_kind(comprehension: &ComprehensionExpr) -> Option<PartKind<'_>> {
    let Expr::Call(step) = &comprehension.loop_step.expr else { return None };
    let is_count = matches!(&comprehension.accu_init.expr, Expr::Literal(_));
    let (kind, body) = match (step.func_name.as_str(), step.args.as_slice()) {
        (operators::LOGICAL_AND, [_, body]) => (LoopKind::All, body),
        (operators::LOGICAL_OR, [_, body]) => (LoopKind::Exists, body),
        (operators::CONDITIONAL, [body, ..]) if is_count => (LoopKind::ExistsOne, body),
        (operators::CONDITIONAL, [body, added, _]) => match &added.expr {
            Expr::Call(added) if adds_variable(added, &comprehension.iter_var) => (LoopKind::Filter, body),
            _ => return None,
        },
        (operators::ADD, [_, IdedExpr { expr: Expr::List(list), .. }]) => {
            (LoopKind::Map, list.elements.first()?)
        }
        _ => return None,
    };
    let (range, body) = (RulePart(&comprehension.iter_range), RulePart(body));
    Some(PartKind::Loop { kind, range, variable: &comprehension.iter_var, body })
}

fn adds_variable(call: &CallExpr, variable: &str) -> bool {
    let Some(IdedExpr { expr: Expr::List(list), .. }) = call.args.last() else { return false };
    matches!(list.elements.as_slice(), [IdedExpr { expr: Expr::Ident(name), .. }] if name == variable)
}

/// Returns a value as a document. A duration and a timestamp are the texts that a document has for them.
fn document(value: &Value) -> Option<OwnedDoc> {
    Some(match value {
        Value::Null => Doc::Null,
        Value::Bool(b) => Doc::Bool(*b),
        Value::Int(i) => Doc::Int(*i),
        Value::UInt(i) => Doc::Int(i64::try_from(*i).ok()?),
        Value::Float(f) => Doc::Float(*f),
        Value::String(text) => Doc::from(text.as_str()).to_static(),
        Value::Duration(duration) => Doc::from(duration_text(duration)),
        Value::Timestamp(time) => Doc::from(time.to_rfc3339()),
        Value::List(items) => Doc::List(items.iter().map(document).collect::<Option<_>>()?),
        Value::Map(map) => {
            let entries = map.map.iter().map(|(key, value)| {
                let key = Text::from(key.to_string().as_str()).to_static();
                Some((key, document(value)?))
            });
            let mut entries: Vec<_> = entries.collect::<Option<_>>()?;
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Doc::Map(entries.into_iter().collect::<OwnedMap>())
        }
        Value::Opaque(opaque) if opaque.downcast_ref::<OptionalValue>().is_some() => {
            document(as_optional(value)?.value()?)?
        }
        _ => return None,
    })
}
