//! Expressions: parsing, checking, evaluation.

use cel::Context;
use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue};

use super::check::Checker;
use super::cost;
use super::declared::Declared;
use super::eval::Evaluator;
use super::parser::parse;
use super::problem::{Checked, Problem, invalid};
use super::release::RuleRelease;
use super::types::{ExpressionTypes, Ty};
use super::value::Evaluated;
use crate::go_regex::{NotCompiled, Pattern};

/// An expression that can be evaluated.
#[derive(Debug)]
pub(super) struct Expression {
    tree: IdedExpr,
    types: ExpressionTypes,
    uses_old_self: bool,
    /// The estimated cost of an evaluation.
    pub(super) cost: u64,
}

impl Expression {
    /// Compiles an expression that returns values of a type. Its cost is estimated if the type of its variables is given.
    pub(super) fn compile(
        text: &str,
        variables: Vec<(String, Ty)>,
        result: &Ty,
        release: RuleRelease,
        declared: Option<&Declared>,
    ) -> Checked<Expression> {
        let tree = parse(text, release)?;
        let mut checker = Checker::new(variables, release, declared.is_some());
        let ty = checker.check(&tree)?;
        if ty != *result {
            return Err(Problem::Invalid(format!(
                "the expression must evaluate to a {result}, and evaluates to {ty}"
            )));
        }
        check_regexes(&tree)?;
        checker.refuse_left_out()?;
        let uses_old_self = tree.references().has_variable("oldSelf");
        let cost = declared.map_or(0, |declared| cost::estimate(&tree, checker.types(), declared));
        Ok(Expression { tree, types: checker.into_types(), uses_old_self, cost })
    }

    /// Whether the expression reads the old value.
    pub(super) fn uses_old_self(&self) -> bool {
        self.uses_old_self
    }

    pub(super) fn tree(&self) -> &IdedExpr {
        &self.tree
    }

    pub(super) fn evaluate(
        &self,
        libraries: &Context<'static>,
        variables: Vec<(String, Evaluated)>,
    ) -> Evaluated {
        self.evaluate_part(libraries, &self.tree, variables)
    }

    /// Evaluates an expression inside of this one. `variables` has those of the macros around it, too.
    pub(super) fn evaluate_part(
        &self,
        libraries: &Context<'static>,
        part: &IdedExpr,
        variables: Vec<(String, Evaluated)>,
    ) -> Evaluated {
        Evaluator::new(libraries, &self.types, variables).evaluate(part)
    }
}

/// Checks the regular expressions that are literals. Upstream: `ValidateRegexLiterals`, `OptimizeRegex`.
fn check_regexes(tree: &IdedExpr) -> Checked<()> {
    let mut result = Ok(());
    each_call(tree, &mut |call| {
        let pattern = match call.func_name.as_str() {
            "matches" => call.args.last(),
            "find" | "findAll" => call.args.first(),
            _ => None,
        };
        if let Some(IdedExpr { expr: Expr::Literal(LiteralValue::String(text)), .. }) = pattern
            && let Err(problem) = Pattern::compile(text.inner())
        {
            result = Err(match problem {
                NotCompiled::Invalid { .. } if call.func_name == "matches" && call.target.is_some() => {
                    invalid("invalid matches argument")
                }
                NotCompiled::Invalid { .. } => {
                    Problem::Invalid(format!("program instantiation failed: {problem}"))
                }
                NotCompiled::NotSimulated(reason) => {
                    Problem::NotSimulated { construct: text.inner().to_owned(), reason }
                }
            });
        }
    });
    result
}

fn each_call(tree: &IdedExpr, visit: &mut impl FnMut(&CallExpr)) {
    match &tree.expr {
        Expr::Call(call) => {
            visit(call);
            call.target.iter().for_each(|target| each_call(target, visit));
            call.args.iter().for_each(|arg| each_call(arg, visit));
        }
        Expr::Comprehension(comprehension) => {
            each_call(&comprehension.iter_range, visit);
            each_call(&comprehension.loop_step, visit);
        }
        Expr::Select(select) => each_call(&select.operand, visit),
        Expr::List(list) => list.elements.iter().for_each(|element| each_call(element, visit)),
        _ => {}
    }
}
