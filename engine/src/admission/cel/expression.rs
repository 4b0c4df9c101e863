//! Expressions: parsing, checking, and the limits of the parser.

use std::collections::HashMap;

use cel::Context;
use cel::common::ast::{CallExpr, Expr, IdedExpr};
use cel::common::value::CelVal;
use cel::parser::Parser;

use super::check::{Checked, Checker, Problem};
use super::eval::{Evaluator, Outcome};
use super::go_regex;
use super::types::Ty;

/// The deepest nesting of an expression. The parser is recursive, and an expression that nests deeper could end the
/// process. A debug build needs about 100 KiB of stack per level, and a thread has 2 MiB.
const MAX_NESTING: usize = 12;

/// The longest expression, in tokens that make the tree deeper. The tree of `a + b + c` is as deep as it has operators.
const MAX_OPERATORS: usize = 120;

/// An expression that can be evaluated.
#[derive(Debug)]
pub(super) struct Expression {
    tree: IdedExpr,
    operands: HashMap<u64, Ty>,
    uses_old_self: bool,
}

impl Expression {
    /// Compiles an expression that returns values of a type.
    pub(super) fn compile(text: &str, variables: Vec<(String, Ty)>, result: &Ty) -> Checked<Expression> {
        check_limits(text)?;
        let parser = Parser::new().enable_optional_syntax(true);
        let tree = parser.parse(text).map_err(|errors| {
            let messages: Vec<&str> = errors.errors.iter().map(|error| error.msg.as_str()).collect();
            Problem::Invalid(format!("compilation failed: {}", messages.join(", ")))
        })?;
        let mut checker = Checker::new(variables);
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
        variables: Vec<(String, Outcome)>,
    ) -> Outcome {
        Evaluator::new(libraries, &self.operands, variables).evaluate(&self.tree)
    }
}

/// Checks that the parser can read the text without too deep a recursion.
fn check_limits(text: &str) -> Checked<()> {
    let too_deep = |reason| Err(Problem::NotSimulated { construct: "the expression".to_owned(), reason });
    let (mut depth, mut operators) = (0usize, 0);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' | '\'' => {
                // The end of the literal is the next such character that is not escaped. A literal of three quotes is
                // read as three literals, of which the second has the text; a quote in it ends it early. The depth can
                // only be wrong then, and the parser itself counts it too.
                while let Some(inner) = chars.next() {
                    match inner {
                        '\\' => drop(chars.next()),
                        inner if inner == c => break,
                        _ => {}
                    }
                }
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '`' => {
                let construct = "`".to_owned();
                return Err(Problem::NotSimulated { construct, reason: "a quoted field name" });
            }
            '+' | '-' | '*' | '/' | '%' | '?' | '!' | '.' | '<' | '>' | '=' | '&' | '|' => operators += 1,
            _ => {}
        }
        if depth > MAX_NESTING {
            return too_deep("it nests too deeply");
        }
    }
    if operators > MAX_OPERATORS { too_deep("it has too many operators") } else { Ok(()) }
}

/// Checks the regular expressions that are literals. Upstream: `ValidateRegexLiterals`.
fn check_regexes(tree: &IdedExpr) -> Checked<()> {
    let mut result = Ok(());
    each_call(tree, &mut |call| {
        if let (
            "matches" | "find" | "findAll",
            Some(IdedExpr { expr: Expr::Literal(CelVal::String(text)), .. }),
        ) = (call.func_name.as_str(), call.args.last())
        {
            if go_regex::compile(text).is_err() {
                let reason = "the regular expression cannot be compiled";
                result = Err(Problem::NotSimulated { construct: text.clone(), reason });
            }
        }
    });
    result
}

/// Calls a function for each call in an expression.
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
