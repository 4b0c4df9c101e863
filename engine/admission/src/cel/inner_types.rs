//! The types of the values inside of others: fields, items, and what is in an optional.

use std::sync::Arc;

use super::problem::{Checked, Problem, not_simulated};
use super::release::RuleRelease;
use super::types::{Ty, escape_reserved};

/// Returns the type of the variable of a macro with a list or a map.
pub(super) fn range_item(range: &Ty) -> Checked {
    match range {
        Ty::List(item, _) => Ok(item.as_ref().clone()),
        Ty::Map(key, _) => Ok(key.as_ref().clone()),
        Ty::Dyn | Ty::Open => Ok(Ty::Dyn),
        other => {
            let message = format!("expression of type '{other}' cannot be range of a comprehension");
            Err(Problem::Invalid(message))
        }
    }
}

/// Returns the type of the value of an optional item or entry.
pub(super) fn value_of_optional(ty: Ty) -> Checked {
    match ty {
        Ty::Optional(inner) => Ok(inner.as_ref().clone()),
        // Servers panic.
        Ty::Dyn | Ty::Open => Err(not_simulated("[?_]", "an optional item of any type")),
        other => Err(Problem::Invalid(format!("expected type 'optional({other})' but found '{other}'"))),
    }
}

/// Returns the type of a field.
pub(super) fn field(operand: &Ty, name: &str, release: RuleRelease) -> Checked {
    match operand {
        Ty::Object(fields) => match fields.get(name).or_else(|| fields.get(&escape_reserved(name)?)) {
            Some(ty) if fields.contains_key(name) || release.has_reserved_names() => Ok(ty.clone()),
            _ => Err(Problem::Invalid(format!("undefined field '{name}'"))),
        },
        Ty::Map(_, value) => Ok(value.as_ref().clone()),
        Ty::Dyn | Ty::Open => Ok(Ty::Dyn),
        Ty::Optional(inner) => Ok(Ty::Optional(Arc::new(field(inner, name, release)?))),
        other => Err(Problem::Invalid(format!("type '{other}' does not support field selection"))),
    }
}

/// Returns the type of an item of a list or a map.
pub(super) fn item(container: &Ty, index: &Ty) -> Option<Ty> {
    match container {
        Ty::List(item, _) => Ty::Int.join(index).map(|_| item.as_ref().clone()),
        Ty::Map(key, value) => key.join(index).map(|_| value.as_ref().clone()),
        Ty::Optional(inner) => item(inner, index).map(|ty| Ty::Optional(Arc::new(ty))),
        // Null is a value of the optional types, whose items are optional.
        Ty::Dyn | Ty::Open | Ty::Null => Some(Ty::Dyn),
        _ => None,
    }
}

/// Returns the type of an optional field, `a.?b`.
pub(super) fn optional_field(operand: &Ty, name: &str, release: RuleRelease) -> Checked {
    match field(operand, name, release)? {
        ty @ Ty::Optional(_) => Ok(ty),
        ty => Ok(Ty::Optional(Arc::new(ty))),
    }
}
