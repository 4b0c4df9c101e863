//! The keys in a patch that belong to a change.

use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{Type, TypeId};
use skewer_engine::{Doc, OwnedDoc};

use crate::laws::format_change::FormatChange;

/// Returns true if the document contains one of the change's keys.
pub(super) fn has_change_keys(change: &FormatChange, value: &OwnedDoc) -> bool {
    match value {
        Doc::Map(map) => map
            .iter()
            .any(|(key, value)| change.is_change_entry(key, value) || has_change_keys(change, value)),
        Doc::List(items) => items.iter().any(|item| has_change_keys(change, item)),
        _ => false,
    }
}

/// Returns a copy of the patch without the change's keys.
pub(super) fn without_change_keys(change: &FormatChange, value: &OwnedDoc) -> OwnedDoc {
    match value {
        Doc::Map(map) => {
            let others = map.iter().filter(|(key, value)| !change.is_change_entry(key, value));
            Doc::Map(others.map(|(key, value)| (key.clone(), without_change_keys(change, value))).collect())
        }
        Doc::List(items) => {
            items.iter().map(|item| without_change_keys(change, item)).collect::<Vec<_>>().into()
        }
        other => other.clone(),
    }
}

/// Returns true if one of the change's keys is in a map with free keys.
pub(super) fn has_change_keys_in_free_key_map(
    change: &FormatChange,
    context: &PatchContext,
    patch: &OwnedDoc,
    ty: TypeId,
) -> bool {
    match (patch, context.schema.get(ty)) {
        (Doc::Map(map), Type::Map(value_ty)) => map.iter().any(|(key, value)| {
            change.is_change_entry(key, value)
                || has_change_keys_in_free_key_map(change, context, value, *value_ty)
        }),
        (Doc::Map(map), _) => map.iter().any(|(key, value)| {
            let field = context.schema.field(ty, key);
            field.is_some_and(|field| has_change_keys_in_free_key_map(change, context, value, field.ty))
        }),
        (Doc::List(items), Type::List(item)) => {
            items.iter().any(|value| has_change_keys_in_free_key_map(change, context, value, *item))
        }
        _ => false,
    }
}
