//! Expressions: parsing, checking, and the limits of the parser.

use std::collections::HashMap;

use cel::Context;
use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue};
use cel::parser::Parser;

use super::check::{Checked, Checker, Problem};
use super::eval::Evaluator;
use super::release::RuleRelease;
use super::types::Ty;
use super::value::Evaluated;
use crate::go_regex::{NotCompiled, Pattern};

/// The deepest nesting of brackets. The parser is recursive, and an expression that nests deeper could end the process. On
/// a thread with 2 MiB of stack, a debug build reads 11 brackets with nothing but brackets, and 8 with operators of every
/// precedence between them.
const MAX_NESTING: usize = 7;

/// The longest expression, in operators. The tree of `a + b + c` is as deep as it has operators.
const MAX_OPERATORS: usize = 120;

/// How much deeper `a ? b : c` makes the recursion of the parser than other operators.
const CONDITIONAL_COST: usize = 8;

/// An expression that can be evaluated.
#[derive(Debug)]
pub(super) struct Expression {
    tree: IdedExpr,
    operands: HashMap<u64, Ty>,
    uses_old_self: bool,
}

impl Expression {
    /// Compiles an expression that returns values of a type.
    pub(super) fn compile(
        text: &str,
        variables: Vec<(String, Ty)>,
        result: &Ty,
        release: RuleRelease,
    ) -> Checked<Expression> {
        check_limits(text)?;
        let parser = Parser::new().enable_optional_syntax(release.has_optionals());
        let tree = parser.parse(text).map_err(|errors| {
            let messages: Vec<&str> = errors.errors.iter().map(|error| error.msg.as_str()).collect();
            Problem::Invalid(format!("compilation failed: {}", messages.join(", ")))
        })?;
        let mut checker = Checker::new(variables, release);
        checker.expect(&tree, result)?;
        check_regexes(&tree)?;
        let uses_old_self = tree.references().has_variable("oldSelf");
        Ok(Expression { tree, operands: checker.into_operands(), uses_old_self })
    }

    /// Whether the expression reads the old value.
    pub(super) fn uses_old_self(&self) -> bool {
        self.uses_old_self
    }

    pub(super) fn evaluate(
        &self,
        libraries: &Context<'static>,
        variables: Vec<(String, Evaluated)>,
    ) -> Evaluated {
        Evaluator::new(libraries, &self.operands, variables).evaluate(&self.tree)
    }
}

/// Checks that the parser can read the text without too deep a recursion.
fn check_limits(text: &str) -> Checked<()> {
    let too_deep = |reason| Err(Problem::NotSimulated { construct: "the expression".to_owned(), reason });
    let (mut depth, mut operators) = (0usize, 0usize);
    let mut rest = text;
    let mut previous = ' ';
    while let Some(c) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
            continue;
        }
        rest = match c {
            '"' | '\'' => after_literal(rest, c, matches!(previous, 'r' | 'R')),
            _ => &rest[c.len_utf8()..],
        };
        match c {
            '[' => (depth, operators) = (depth + 1, operators + 1),
            '(' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '`' => {
                let construct = "`".to_owned();
                return Err(Problem::NotSimulated { construct, reason: "a quoted field name" });
            }
            '?' => operators += CONDITIONAL_COST,
            '+' | '-' | '*' | '/' | '%' | '!' | '.' | '<' | '>' | '=' | '&' | '|' => operators += 1,
            _ => {}
        }
        if depth > MAX_NESTING {
            return too_deep("it nests too deeply");
        }
        // In `rb'…'`, the prefix has two letters.
        let is_prefix = matches!(c, 'b' | 'B') && matches!(previous, 'r' | 'R');
        previous = if is_prefix { previous } else { c };
    }
    if operators > MAX_OPERATORS { too_deep("it has too many operators") } else { Ok(()) }
}

/// Returns the text after a literal. A raw literal has no escapes; three quotes end with three quotes.
fn after_literal(text: &str, quote: char, is_raw: bool) -> &str {
    let triple: String = std::iter::repeat_n(quote, 3).collect();
    let end = if text.starts_with(&triple) { triple } else { quote.to_string() };
    let mut rest = &text[end.len()..];
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(&end) {
            return after;
        }
        let escape = if rest.starts_with('\\') && !is_raw { 2 } else { 1 };
        let skipped: usize = rest.chars().take(escape).map(char::len_utf8).sum();
        rest = &rest[skipped..];
    }
    rest
}

/// Checks the regular expressions that are literals. Upstream: `ValidateRegexLiterals`.
fn check_regexes(tree: &IdedExpr) -> Checked<()> {
    let mut result = Ok(());
    each_call(tree, &mut |call| {
        if let (
            "matches" | "find" | "findAll",
            Some(IdedExpr { expr: Expr::Literal(LiteralValue::String(text)), .. }),
        ) = (call.func_name.as_str(), call.args.last())
            && let Err(problem) = Pattern::compile(text.inner())
        {
            result = Err(match problem {
                NotCompiled::Invalid(_) => {
                    Problem::Invalid(format!("compilation failed: invalid {} argument", call.func_name))
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
