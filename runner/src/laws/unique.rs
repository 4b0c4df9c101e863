//! Are the merge keys of a document what they have to be?

use std::collections::HashSet;

use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{Field, FieldMeta, PatchStrategy, Type, TypeId};
use skewer_engine::{Doc, OwnedDoc, OwnedText};

/// Do the items of every list that merges have their (first) merge key, and differ in their merge keys, as this
/// party tells them apart?
pub(super) fn are_keys(context: &PatchContext, document: &OwnedDoc) -> bool {
    value(context, document, context.root)
}

fn value(context: &PatchContext, document: &OwnedDoc, ty: TypeId) -> bool {
    match (document, context.schema.get(ty)) {
        (Doc::Map(map), Type::Struct(fields)) => {
            map.iter().all(|(key, value)| fields.field(key).is_none_or(|held| field(context, value, held)))
        }
        (Doc::Map(map), Type::Map(of)) => map.iter().all(|(_, held)| value(context, held, *of)),
        (Doc::List(items), Type::List(item)) => items.iter().all(|held| value(context, held, *item)),
        _ => true,
    }
}

fn field(context: &PatchContext, document: &OwnedDoc, field: &Field) -> bool {
    let keys = merge_keys(context, &field.meta);
    let differ = keys.is_empty() || document.as_list().is_none_or(|items| all_differ(items, keys));
    differ && value(context, document, field.ty)
}

/// The keys by which the items of a list are told apart; none where the list is replaced.
fn merge_keys<'a>(context: &PatchContext, meta: &'a FieldMeta) -> &'a [OwnedText] {
    match context.directives.iter().find_map(|d| d.recommended_merge_keys(meta)) {
        Some(keys) => keys.names(),
        None if meta.strategy == PatchStrategy::Merge => &meta.merge_key,
        None => &[],
    }
}

fn all_differ(items: &[OwnedDoc], keys: &[OwnedText]) -> bool {
    let mut seen = HashSet::new();
    items.iter().filter_map(Doc::as_map).all(|item| {
        let key: Vec<String> =
            keys.iter().map(|key| item.get(key).map_or_else(String::new, ToString::to_string)).collect();
        item.contains_key(&keys[0]) && seen.insert(key)
    })
}
