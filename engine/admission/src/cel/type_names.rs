//! The names of types. Some have dots, and some are those of messages, which are not simulated.

use cel::common::ast::{Expr, IdedExpr, SelectExpr};

use super::problem::{Problem, not_simulated, undeclared};

/// The names of types that have dots.
const QUALIFIED_TYPES: [&str; 4] =
    ["google.protobuf.Timestamp", "google.protobuf.Duration", "net.IP", "net.CIDR"];

/// The types of messages in `google.protobuf`. Upstream: `checkedWellKnowns`, and the types of `structpb`.
const MESSAGE_TYPES: [&str; 16] = [
    "Any",
    "BoolValue",
    "BytesValue",
    "DoubleValue",
    "Duration",
    "Empty",
    "FloatValue",
    "Int32Value",
    "Int64Value",
    "ListValue",
    "StringValue",
    "Struct",
    "Timestamp",
    "UInt32Value",
    "UInt64Value",
    "Value",
];

/// Whether an expression is the type of a message, or a type of numbers, such as `google.protobuf.Struct`.
pub(super) fn has_message_type(select: &SelectExpr) -> bool {
    let Expr::Select(outer) = &select.operand.expr else { return false };
    let is_known = MESSAGE_TYPES.contains(&select.field.as_str()) || select.field == "NullValue";
    is_known
        && !select.test
        && outer.field == "protobuf"
        && matches!(&outer.operand.expr, Expr::Ident(name) if name == "google")
}

/// Returns the minor version of the first release in which a name is that of a type, which is a value of the type `type`.
pub(super) fn type_since(name: &str) -> Option<u32> {
    match name {
        "bool"
        | "int"
        | "uint"
        | "double"
        | "string"
        | "bytes"
        | "list"
        | "map"
        | "null_type"
        | "type"
        | "google.protobuf.Timestamp"
        | "google.protobuf.Duration" => Some(0),
        "optional_type" => Some(28),
        "net.IP" | "net.CIDR" => Some(30),
        _ => None,
    }
}

/// Returns the problem of a message.
pub(super) fn message_problem(name: &str) -> Problem {
    let known = name.trim_start_matches('.').strip_prefix("google.protobuf.");
    match known {
        Some(known) if MESSAGE_TYPES.contains(&known) => not_simulated(name, "a message"),
        _ if type_since(name).is_some() => Problem::Invalid(format!("'{name}' is not a message type")),
        _ => undeclared(name),
    }
}

/// Returns the name of a type that a field of a name is, such as `google.protobuf.Timestamp`.
pub(super) fn qualified_type(operand: &IdedExpr, field: &str) -> Option<&'static str> {
    QUALIFIED_TYPES.into_iter().find(|ty| {
        ty.rsplit_once('.').is_some_and(|(namespace, name)| name == field && is_namespace(operand, namespace))
    })
}

fn is_namespace(expression: &IdedExpr, namespace: &str) -> bool {
    match (&expression.expr, namespace.rsplit_once('.')) {
        (Expr::Ident(name), None) => name == namespace,
        (Expr::Select(select), Some((outer, name))) => {
            select.field == name && is_namespace(&select.operand, outer)
        }
        _ => false,
    }
}
