//! Validation of a value against its topology. Upstream: `TypedValue.Validate`.

use super::items::{ItemIndex, element_of_item};
use super::topology::{ListTopology, MapTopology, Place, ScalarKind};
use crate::document::{Doc, Map};
use crate::error::{Error, ErrorKind, Result};

/// Whether several items of a list can have the same identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Duplicates {
    /// Duplicates are accepted. Live objects can have them.
    Allowed,
    /// Duplicates are refused. Apply configurations cannot have them.
    Refused,
}

/// Checks that a value fits its place.
///
/// # Errors
///
/// The first error. Its [other kinds](Error::kinds) are those of all further errors. [`ErrorKind::IndistinctNumbers`]
/// counts only if there is no other error: upstream does not have it, and refuses the value for the others.
pub(super) fn validate(place: Place<'_>, value: &Doc<'_>, duplicates: Duplicates) -> Result<()> {
    let mut errors = errors_in(place, value, duplicates);
    if errors.iter().any(|error| error.kind() != ErrorKind::IndistinctNumbers) {
        errors.retain(|error| error.kind() != ErrorKind::IndistinctNumbers);
    }
    let kinds: Vec<ErrorKind> = errors.iter().map(Error::kind).collect();
    match errors.into_iter().next() {
        None => Ok(()),
        Some(first) => Err(first.with_other_kinds(kinds)),
    }
}

/// Returns all errors in a value.
fn errors_in(place: Place<'_>, value: &Doc<'_>, duplicates: Duplicates) -> Vec<Error> {
    let topology = place.topology().for_value(value);
    match (topology.map, topology.scalar, topology.list, value) {
        (_, _, _, Doc::Null) => Vec::new(),
        (Some(map_type), _, _, Doc::Map(map)) => errors_in_map(&map_type, map, duplicates),
        (Some(_), _, _, _) => vec![wrong_kind("a map", value)],
        (None, Some(scalar), _, _) => errors_in_scalar(scalar, value),
        (None, None, Some(list), Doc::List(items)) => errors_in_list(&list, items, duplicates),
        (None, None, Some(_), _) => vec![wrong_kind("a list", value)],
        (None, None, None, _) => vec![wrong_kind("no value", value)],
    }
}

fn wrong_kind(expected: &str, value: &Doc<'_>) -> Error {
    let found = value.kind().with_article();
    Error::new(ErrorKind::WrongKind, format!("expected {expected}, found {found}"))
}

fn errors_in_scalar(scalar: ScalarKind, value: &Doc<'_>) -> Vec<Error> {
    let (fits, expected) = match scalar {
        ScalarKind::Numeric => (matches!(value, Doc::Int(_) | Doc::Float(_)), "a number"),
        ScalarKind::String => (matches!(value, Doc::String(_)), "a string"),
        ScalarKind::Boolean => (matches!(value, Doc::Bool(_)), "a boolean"),
        ScalarKind::Untyped => (!matches!(value, Doc::List(_) | Doc::Map(_)), "a scalar"),
    };
    if fits { Vec::new() } else { vec![wrong_kind(expected, value)] }
}

fn errors_in_map(map_type: &MapTopology<'_>, map: &Map<'_>, duplicates: Duplicates) -> Vec<Error> {
    let mut errors = Vec::new();
    for (key, value) in map.iter() {
        match map_type.field(key).place {
            None => {
                let message = "field not declared in schema";
                errors.push(Error::new(ErrorKind::FieldNotDeclared, message).at(key));
            }
            Some(place) => errors.extend(errors_in(place, value, duplicates).into_iter().map(|e| e.at(key))),
        }
    }
    errors
}

fn errors_in_list(list: &ListTopology<'_>, items: &[Doc<'_>], duplicates: Duplicates) -> Vec<Error> {
    let mut errors = Vec::new();
    // Upstream stops at the first item without an identity.
    let is_identified = |item: &Doc<'_>| element_of_item(list, item).is_ok();
    let identified = items.iter().take_while(|item| is_identified(item)).count();
    if let Some(item) = items.get(identified) {
        errors.extend(element_of_item(list, item).err().map(|error| error.at_index(identified)));
    }
    let checked = &items[..identified];
    if let Ok(index) = ItemIndex::new(list, checked) {
        let clashes = index.clashes();
        if let Some((first, second)) = clashes.indistinct {
            let message =
                format!("the item is the same 64-bit float as item {first}, and not the same integer");
            errors.push(Error::new(ErrorKind::IndistinctNumbers, message).at_index(second));
        }
        for repeated in clashes.repeated.into_iter().filter(|_| duplicates == Duplicates::Refused) {
            let message = format!("duplicate entries for key {}", index.elements[repeated]);
            errors.push(Error::new(ErrorKind::DuplicateListItem, message).at_index(repeated));
        }
    }
    for (index, item) in checked.iter().enumerate() {
        errors.extend(errors_in(list.items, item, duplicates).into_iter().map(|error| error.at_index(index)));
    }
    errors
}
