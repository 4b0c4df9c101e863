//! The constants of expressions, which are evaluated when an expression is compiled. Upstream: cel-go, `OptOptimize`.

use std::collections::HashMap;

use cel::Value;
use cel::common::ast::{EntryExpr, Expr, IdedExpr, operators};

use super::standard;
use super::value::{self, Evaluated, is_qualifier};

/// Converts a constant. `None` for other functions and arguments.
pub(super) fn converted_constant(function: &str, args: &[IdedExpr]) -> Option<Evaluated> {
    let is_conversion = matches!(
        function,
        "bool" | "int" | "uint" | "double" | "string" | "bytes" | "duration" | "timestamp" | "dyn"
    );
    let ([argument], true) = (args, is_conversion) else { return None };
    standard::call(function, &[constant(argument)?])
}

/// Returns the value of a constant: a literal, a list of constants, the conversion of a constant, or a search in an empty list, which
/// finds nothing. Upstream: `maybeOptimizeSetMembership` and the functions beside it (cel-go, `interpreter`).
fn constant(expression: &IdedExpr) -> Option<Value> {
    match &expression.expr {
        Expr::Literal(literal) => Some(value::literal(literal)),
        Expr::List(list) => {
            Some(value::list(list.elements.iter().map(constant).collect::<Option<Vec<_>>>()?))
        }
        Expr::Map(map) => {
            let is_constant = |entry: &EntryExpr| match entry {
                EntryExpr::MapEntry(entry) => constant(&entry.key).and(constant(&entry.value)).is_some(),
                EntryExpr::StructField(_) => false,
            };
            // What the map contains is of no importance for a conversion.
            let is_constant = map.entries.iter().all(|entry| is_constant(&entry.expr));
            is_constant.then(|| Value::Map(HashMap::<String, Value>::new().into()))
        }
        Expr::Call(call) if call.func_name == operators::IN => {
            let list = call.args.get(1).and_then(constant)?;
            matches!(list, Value::List(items) if items.is_empty()).then_some(Value::Bool(false))
        }
        Expr::Call(call) if call.target.is_none() => converted_constant(&call.func_name, &call.args)?.ok(),
        _ => None,
    }
}

/// Whether the index of an operator is a constant that cannot be one.
pub(super) fn has_constant_of_no_qualifier(args: &[IdedExpr]) -> bool {
    args.get(1).and_then(constant).is_some_and(|index| !is_qualifier(&index))
}
