//! The types of operators with two operands. Upstream: cel-go, `common/stdlib` and `checker`.

use cel::common::ast::operators;

use super::release::RuleRelease;
use super::types::Ty;

/// Returns whether values can be ordered. Numbers of different types can. Upstream: `CrossTypeNumericComparisons`.
pub(super) fn is_ordered(a: &Ty, b: &Ty, release: RuleRelease) -> bool {
    let is_number = |ty: &Ty| matches!(ty, Ty::Int | Ty::Uint | Ty::Double | Ty::Dyn | Ty::Open);
    let is_comparable = |ty: &Ty| {
        // Null is a value of the types of durations and times.
        matches!(
            ty,
            Ty::Bool | Ty::String | Ty::Bytes | Ty::Duration | Ty::Timestamp | Ty::Null | Ty::Dyn | Ty::Open
        )
    };
    let are_numbers =
        is_number(a) && is_number(b) && (release.compares_number_types() || a.join(b).is_some());
    are_numbers || is_comparable(a) && is_comparable(b) && a.join(b).is_some()
}

/// An overload of an operator with two operands.
struct Binary {
    a: Ty,
    b: Ty,
    result: Ty,
}

const fn binary(a: Ty, b: Ty, result: Ty) -> Binary {
    Binary { a, b, result }
}

/// The overloads of `+`, except for that of lists. The order counts. Upstream: cel-go, `common/stdlib`.
const ADD: &[Binary] = &[
    binary(Ty::Bytes, Ty::Bytes, Ty::Bytes),
    binary(Ty::Double, Ty::Double, Ty::Double),
    binary(Ty::Duration, Ty::Duration, Ty::Duration),
    binary(Ty::Duration, Ty::Timestamp, Ty::Timestamp),
    binary(Ty::Timestamp, Ty::Duration, Ty::Timestamp),
    binary(Ty::Int, Ty::Int, Ty::Int),
    binary(Ty::String, Ty::String, Ty::String),
    binary(Ty::Uint, Ty::Uint, Ty::Uint),
];

const SUBTRACT: &[Binary] = &[
    binary(Ty::Double, Ty::Double, Ty::Double),
    binary(Ty::Duration, Ty::Duration, Ty::Duration),
    binary(Ty::Int, Ty::Int, Ty::Int),
    binary(Ty::Timestamp, Ty::Duration, Ty::Timestamp),
    binary(Ty::Timestamp, Ty::Timestamp, Ty::Duration),
    binary(Ty::Uint, Ty::Uint, Ty::Uint),
];

const MULTIPLY: &[Binary] = &[
    binary(Ty::Double, Ty::Double, Ty::Double),
    binary(Ty::Int, Ty::Int, Ty::Int),
    binary(Ty::Uint, Ty::Uint, Ty::Uint),
];

const MODULO: &[Binary] = &[binary(Ty::Int, Ty::Int, Ty::Int), binary(Ty::Uint, Ty::Uint, Ty::Uint)];

/// Returns the type of the result of `+`.
pub(super) fn sum(a: &Ty, b: &Ty) -> Option<Ty> {
    match (a, b) {
        // The sum of an empty list and another one is the other one. Upstream: `baseList.Add`.
        (Ty::List(item, _), Ty::List(..)) if **item == Ty::Open => Some(b.clone()),
        (Ty::List(..), Ty::List(..)) => a.join(b),
        (Ty::List(..), Ty::Open | Ty::Dyn) => Some(a.clone()),
        (Ty::Open | Ty::Dyn, Ty::List(item, _)) => Some(Ty::plain_list(item.as_ref().clone())),
        _ => overload(ADD, a, b),
    }
}

pub(super) fn arithmetic(operator: &str, a: &Ty, b: &Ty) -> Option<Ty> {
    let overloads = match operator {
        operators::SUBSTRACT => SUBTRACT,
        operators::MODULO => MODULO,
        _ => MULTIPLY,
    };
    overload(overloads, a, b)
}

/// Returns the type of the result of the overloads that take these operands. A type that is not known yet becomes that of the
/// first overload. Upstream: `resolveOverload`.
fn overload(overloads: &[Binary], a: &Ty, b: &Ty) -> Option<Ty> {
    let (mut a, mut b) = (a.clone(), b.clone());
    let mut result: Option<Ty> = None;
    for overload in overloads {
        if a.join(&overload.a).is_none() || b.join(&overload.b).is_none() {
            continue;
        }
        for (operand, parameter) in [(&mut a, &overload.a), (&mut b, &overload.b)] {
            if *operand == Ty::Open {
                *operand = parameter.clone();
            }
        }
        let is_other = result.as_ref().is_some_and(|result| *result != overload.result);
        result = Some(if is_other { Ty::Dyn } else { overload.result.clone() });
    }
    result
}
