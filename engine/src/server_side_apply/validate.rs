//! Validation of a value against its topology. Upstream: `TypedValue.Validate`.

use super::items::ItemIndex;
use super::topology::{ItemIdentity, ListTopology, MapTopology, ScalarKind, TypePosition};
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

/// Checks that a value has its type, as a client does that compares typed values, such as Argo CD. Upstream:
/// `ParseableType.FromUnstructured` (sigs.k8s.io/structured-merge-diff, typed) without `AllowDuplicates`.
///
/// # Errors
///
/// An error such as [`ErrorKind::FieldNotDeclared`] or [`ErrorKind::DuplicateListItem`]: the first one of the kind whose id sorts
/// first. Its [other kinds](Error::kinds) are those of all further errors.
pub fn check_typed_value(place: TypePosition<'_>, value: &Doc<'_>) -> Result<()> {
    validate(place, value, None, Duplicates::Refused)
}

/// Checks that a value fits its place. If another value of the place is known to be valid, list items that equal its
/// items are not checked again.
///
/// # Errors
///
/// The error of [`check_typed_value`]. [`ErrorKind::IndistinctNumbers`] counts only if there is no other error: upstream does not
/// have this kind, and refuses the value for the others.
pub(super) fn validate(
    place: TypePosition<'_>,
    value: &Doc<'_>,
    valid: Option<&Doc<'_>>,
    duplicates: Duplicates,
) -> Result<()> {
    let mut errors = Vec::new();
    add_errors(place, value, valid, duplicates, &mut errors);
    if errors.iter().any(|error| error.kind() != ErrorKind::IndistinctNumbers) {
        errors.retain(|error| error.kind() != ErrorKind::IndistinctNumbers);
    }
    let kinds: Vec<ErrorKind> = errors.iter().map(Error::kind).collect();
    // The message is that of an error of the first kind.
    match errors.into_iter().min_by_key(|error| error.kind().id()) {
        None => Ok(()),
        Some(first) => Err(first.with_other_kinds(kinds)),
    }
}

fn add_errors(
    place: TypePosition<'_>,
    value: &Doc<'_>,
    valid: Option<&Doc<'_>>,
    duplicates: Duplicates,
    errors: &mut Vec<Error>,
) {
    let topology = place.topology().for_value(value);
    match (topology.map, topology.scalar, topology.list, value) {
        (_, _, _, Doc::Null) => {}
        (Some(map_type), _, _, Doc::Map(map)) => {
            add_errors_in_map(&map_type, map, valid.and_then(Doc::as_map), duplicates, errors);
        }
        (Some(_), _, _, _) => errors.push(wrong_kind("a map", value)),
        (None, Some(scalar), _, _) => errors.extend(error_in_scalar(scalar, value)),
        (None, None, Some(list), Doc::List(items)) => {
            let valid = valid.and_then(Doc::as_list).unwrap_or_default();
            add_errors_in_list(&list, items, valid, duplicates, errors);
        }
        (None, None, Some(_), _) => errors.push(wrong_kind("a list", value)),
        (None, None, None, _) => errors.push(wrong_kind("no value", value)),
    }
}

fn wrong_kind(expected: &str, value: &Doc<'_>) -> Error {
    let found = value.kind().with_article();
    Error::new(ErrorKind::WrongKind, format!("expected {expected}, found {found}"))
}

fn error_in_scalar(scalar: ScalarKind, value: &Doc<'_>) -> Option<Error> {
    let (fits, expected) = match scalar {
        ScalarKind::Numeric => (matches!(value, Doc::Int(_) | Doc::Float(_)), "a number"),
        ScalarKind::String => (matches!(value, Doc::String(_)), "a string"),
        ScalarKind::Boolean => (matches!(value, Doc::Bool(_)), "a boolean"),
        ScalarKind::Untyped => (!matches!(value, Doc::List(_) | Doc::Map(_)), "a scalar"),
    };
    (!fits).then(|| wrong_kind(expected, value))
}

fn add_errors_in_map(
    map_type: &MapTopology<'_>,
    map: &Map<'_>,
    valid: Option<&Map<'_>>,
    duplicates: Duplicates,
    errors: &mut Vec<Error>,
) {
    for (key, value) in map.iter() {
        let earlier = errors.len();
        let valid = valid.and_then(|valid| valid.get(key));
        match map_type.field(key).place {
            None => errors.push(Error::new(ErrorKind::FieldNotDeclared, "field not declared in schema")),
            Some(place) => add_errors(place, value, valid, duplicates, errors),
        }
        place_errors(errors, earlier, |error| error.at(key));
    }
}

fn add_errors_in_list(
    list: &ListTopology<'_>,
    items: &[Doc<'_>],
    valid: &[Doc<'_>],
    duplicates: Duplicates,
    errors: &mut Vec<Error>,
) {
    let has_valid_identities =
        duplicates == Duplicates::Allowed && items.iter().all(|item| is_identified_by_string(list, item));
    let checked =
        if has_valid_identities { items } else { add_errors_in_identities(list, items, duplicates, errors) };
    for (index, item) in checked.iter().enumerate() {
        if valid.get(index) == Some(item) {
            continue;
        }
        let earlier = errors.len();
        add_errors(list.items, item, valid.get(index), duplicates, errors);
        place_errors(errors, earlier, |error| error.at_index(index));
    }
}

/// Returns true if the identity of an item is a string. Such an identity is no error if duplicates are allowed.
fn is_identified_by_string(list: &ListTopology<'_>, item: &Doc<'_>) -> bool {
    match (list.identity, item) {
        (ItemIdentity::Keys([key]), Doc::Map(map)) => map.get(key).is_some_and(|key| key.as_str().is_some()),
        (ItemIdentity::Value, item) => item.as_str().is_some(),
        _ => false,
    }
}

/// Adds the errors in the identities of items. Returns the items of which upstream checks the rest.
fn add_errors_in_identities<'i, 'd>(
    list: &ListTopology<'_>,
    items: &'i [Doc<'d>],
    duplicates: Duplicates,
    errors: &mut Vec<Error>,
) -> &'i [Doc<'d>] {
    // Upstream stops at the first item without an identity. Items of an atomic list need none.
    let (index, error) = ItemIndex::until_error(list, items);
    let is_atomic = list.identity == ItemIdentity::Atomic;
    let checked = if is_atomic { items } else { &items[..index.elements.len()] };
    errors.extend(error);
    let clashes = index.clashes();
    if let Some((first, second)) = clashes.indistinct {
        let message = format!("the item is the same 64-bit float as item {first}, and not the same integer");
        errors.push(Error::new(ErrorKind::IndistinctNumbers, message).at_index(second));
    }
    for repeated in clashes.repeated.into_iter().filter(|_| duplicates == Duplicates::Refused) {
        let message = format!("duplicate entries for key {}", index.elements[repeated]);
        errors.push(Error::new(ErrorKind::DuplicateListItem, message).at_index(repeated));
    }
    checked
}

/// Adds a step to the paths of the errors that follow the earlier ones.
fn place_errors(errors: &mut Vec<Error>, earlier: usize, at: impl Fn(Error) -> Error) {
    // Most values have none.
    if errors.len() > earlier {
        let inner = errors.split_off(earlier);
        errors.extend(inner.into_iter().map(at));
    }
}
