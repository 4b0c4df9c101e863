//! The macros, which become loops. Upstream: cel-go, `parser/macro.go`, and `ext/comprehensions.go` for those that are not
//! simulated.

use cel::common::ast::{ComprehensionExpr, Expr, IdedExpr, ListExpr, LiteralValue, operators};

use super::parser::{Parser, Tree};
use super::problem::{Checked, invalid};

/// The variable in which a macro collects its result. No rule can have a variable with this name.
pub(super) const ACCUMULATOR: &str = "@result";

/// The older name of the variable, which no variable of a macro has.
const OLD_ACCUMULATOR: &str = "__result__";

/// A macro that is not simulated.
struct Unsupported {
    name: &'static str,
    /// The numbers of its arguments.
    args: &'static [usize],
    variables: usize,
    /// The minor version of the first release with the macro.
    introduced: u32,
}

const UNSUPPORTED: [Unsupported; 8] = [
    Unsupported { name: "all", args: &[3], variables: 2, introduced: 32 },
    Unsupported { name: "exists", args: &[3], variables: 2, introduced: 32 },
    Unsupported { name: "exists_one", args: &[3], variables: 2, introduced: 32 },
    Unsupported { name: "existsOne", args: &[3], variables: 2, introduced: 32 },
    Unsupported { name: "transformList", args: &[3, 4], variables: 2, introduced: 32 },
    Unsupported { name: "transformMap", args: &[3, 4], variables: 2, introduced: 32 },
    Unsupported { name: "transformMapEntry", args: &[3, 4], variables: 2, introduced: 32 },
    Unsupported { name: "sortBy", args: &[2], variables: 1, introduced: 34 },
];

/// Returns the minor version of the first release with a macro that is not simulated. `None` if there is none with this number
/// of arguments.
pub(super) fn unsupported_since(name: &str, args: usize) -> Option<u32> {
    unsupported(name, args).map(|unsupported| unsupported.introduced)
}

fn unsupported(name: &str, args: usize) -> Option<&'static Unsupported> {
    UNSUPPORTED.iter().find(|unsupported| unsupported.name == name && unsupported.args.contains(&args))
}

/// The parts of a loop that macros have in different ways.
struct Loop {
    start: Tree,
    condition: Tree,
    step: Tree,
    result: Tree,
}

impl Parser<'_> {
    /// Expands a macro, or returns the call of a method.
    pub(super) fn method_or_macro(&mut self, target: Tree, name: &str, mut args: Vec<Tree>) -> Checked<Tree> {
        if let Some(unsupported) = unsupported(name, args.len())
            && self.release.can_use(unsupported.introduced)
        {
            let names = args[..unsupported.variables].iter();
            let names = names.map(|arg| variable_of(name, arg)).collect::<Checked<Vec<_>>>()?;
            return match names.as_slice() {
                // A name after a dot is another one.
                [a, b] if a == b && !self.global_names.contains(&a.as_str()) => {
                    Err(invalid(&format!("duplicate variable name: {a}")))
                }
                _ => self.call(Some(target), name, args),
            };
        }
        if matches!(name, "optMap" | "optFlatMap")
            && let Some(Expr::Ident(variable)) = args.first().map(|arg| &arg.expression.expr)
        {
            self.variables.push(variable.clone());
        }
        let is_macro = match name {
            "all" | "exists" | "exists_one" | "filter" => args.len() == 2,
            "map" => matches!(args.len(), 2 | 3),
            _ => false,
        };
        if !is_macro {
            return self.call(Some(target), name, args);
        }
        let variable = variable_of(name, &args[0])?;
        self.variables.push(variable.clone());
        let item = args.remove(0);
        let expanded = self.expanded(name, item, args)?;
        self.comprehension(target, variable, expanded)
    }

    /// Returns the loop of a macro. `item` is its variable, and `args` are the arguments after it.
    fn expanded(&mut self, name: &str, item: Tree, mut args: Vec<Tree>) -> Checked<Loop> {
        let constant = |value: LiteralValue| Expr::Literal(value);
        let accumulator = self.accumulator()?;
        let (start, condition, step) = match (name, args.pop()) {
            ("all", Some(body)) => {
                let condition = self.operator(operators::NOT_STRICTLY_FALSE, vec![accumulator])?;
                let operands = vec![self.accumulator()?, body];
                let step = self.operator(operators::LOGICAL_AND, operands)?;
                (constant(LiteralValue::Boolean(true.into())), condition, step)
            }
            ("exists", Some(body)) => {
                let is_not = self.operator(operators::LOGICAL_NOT, vec![accumulator])?;
                let condition = self.operator(operators::NOT_STRICTLY_FALSE, vec![is_not])?;
                let operands = vec![self.accumulator()?, body];
                let step = self.operator(operators::LOGICAL_OR, operands)?;
                (constant(LiteralValue::Boolean(false.into())), condition, step)
            }
            ("exists_one", Some(body)) => {
                let one = self.node(constant(LiteralValue::Int(1.into())), &[])?;
                let next = self.operator(operators::ADD, vec![accumulator, one])?;
                let operands = vec![body, next, self.accumulator()?];
                let step = self.operator(operators::CONDITIONAL, operands)?;
                (constant(LiteralValue::Int(0.into())), self.always()?, step)
            }
            (_, last) => {
                // The last argument of `filter` is a condition, and the first of two of `map`.
                let (added, condition) =
                    if name == "filter" { (Some(item), last) } else { (last, args.pop()) };
                let depths: Vec<usize> = added.iter().map(Tree::depth).collect();
                let added = added.map(|added| added.expression).into_iter().collect();
                let added = self.node(Expr::List(ListExpr::new(added)), &depths)?;
                let mut step = self.operator(operators::ADD, vec![accumulator, added])?;
                if let Some(condition) = condition {
                    let operands = vec![condition, step, self.accumulator()?];
                    step = self.operator(operators::CONDITIONAL, operands)?;
                }
                (Expr::List(ListExpr::default()), self.always()?, step)
            }
        };
        let mut result = self.accumulator()?;
        if name == "exists_one" {
            let one = self.node(constant(LiteralValue::Int(1.into())), &[])?;
            result = self.operator(operators::EQUALS, vec![result, one])?;
        }
        Ok(Loop { start: self.node(start, &[])?, condition, step, result })
    }

    fn accumulator(&mut self) -> Checked<Tree> {
        self.node(Expr::Ident(ACCUMULATOR.to_owned()), &[])
    }

    fn always(&mut self) -> Checked<Tree> {
        self.node(Expr::Literal(LiteralValue::Boolean(true.into())), &[])
    }

    fn comprehension(&mut self, range: Tree, variable: String, parts: Loop) -> Checked<Tree> {
        let Loop { start, condition, step, result } = parts;
        let depths = [&range, &start, &condition, &step, &result].map(Tree::depth);
        let [iter_range, accu_init, loop_cond, loop_step, result]: [IdedExpr; 5] =
            [range, start, condition, step, result].map(|tree| tree.expression);
        let comprehension = ComprehensionExpr {
            iter_range,
            iter_var: variable,
            iter_var2: None,
            accu_var: ACCUMULATOR.to_owned(),
            accu_init,
            loop_cond,
            loop_step,
            result,
        };
        self.node(Expr::Comprehension(Box::new(comprehension)), &depths)
    }
}

/// Returns the name of the variable of a macro.
fn variable_of(name: &str, arg: &Tree) -> Checked<String> {
    match &arg.expression.expr {
        Expr::Ident(variable) if matches!(variable.as_str(), ACCUMULATOR | OLD_ACCUMULATOR) => {
            Err(invalid("iteration variable overwrites accumulator variable"))
        }
        Expr::Ident(variable) => Ok(variable.clone()),
        _ if matches!(name, "map" | "filter" | "sortBy") => Err(invalid("argument is not an identifier")),
        _ => Err(invalid("argument must be a simple name")),
    }
}
