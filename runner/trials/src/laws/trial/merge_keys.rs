//! Validation of the merge keys of a document.

use std::collections::HashSet;

use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{Field, FieldMeta, PatchStrategy, Type, TypeId};
use skewer_engine::{Doc, OwnedDoc, OwnedText};

/// Returns true if, in every merging list of the document, all items have the first merge key, and no two items have
/// equal merge keys. The merge keys are those of the party with this context.
pub(super) fn has_unique_merge_keys(context: &PatchContext, document: &OwnedDoc) -> bool {
    is_value_valid(context, document, context.root)
}

fn is_value_valid(context: &PatchContext, document: &OwnedDoc, ty: TypeId) -> bool {
    match (document, context.schema.get(ty)) {
        (Doc::Map(map), Type::Struct(fields)) => map
            .iter()
            .all(|(key, value)| fields.field(key).is_none_or(|field| is_field_valid(context, value, field))),
        (Doc::Map(map), Type::Map(value_ty)) => {
            map.iter().all(|(_, value)| is_value_valid(context, value, *value_ty))
        }
        (Doc::List(items), Type::List(item_ty)) => {
            items.iter().all(|item| is_value_valid(context, item, *item_ty))
        }
        _ => true,
    }
}

fn is_field_valid(context: &PatchContext, document: &OwnedDoc, field: &Field) -> bool {
    let keys = merge_keys(context, &field.meta);
    let is_unique = keys.is_empty() || document.as_list().is_none_or(|items| has_unique_items(items, keys));
    is_unique && is_value_valid(context, document, field.ty)
}

/// Returns the keys that identify the items of a list. Returns no keys if the list is replaced as a whole.
fn merge_keys<'a>(context: &PatchContext, meta: &'a FieldMeta) -> &'a [OwnedText] {
    match context.directives.iter().find_map(|d| d.recommended_merge_keys(meta)) {
        Some(keys) => keys.names(),
        None if meta.strategy == PatchStrategy::Merge => &meta.merge_key,
        None => &[],
    }
}

fn has_unique_items(items: &[OwnedDoc], keys: &[OwnedText]) -> bool {
    let mut seen = HashSet::new();
    items.iter().filter_map(Doc::as_map).all(|item| {
        let key: Vec<String> =
            keys.iter().map(|key| item.get(key).map_or_else(String::new, ToString::to_string)).collect();
        item.contains_key(&keys[0]) && seen.insert(key)
    })
}
