//! Are the merge keys of a document what they have to be?

use std::collections::HashSet;

use skewer_engine::patch::Knowledge;
use skewer_engine::schema::{Field, FieldMeta, Strategy, Type, TypeId};
use skewer_engine::{Str, Value};

/// Do the items of every list that merges have their (first) merge key, and differ in their merge keys, as this
/// party tells them apart?
pub(super) fn are_keys(knowledge: &Knowledge, document: &Value) -> bool {
    value(knowledge, document, knowledge.root)
}

fn value(knowledge: &Knowledge, document: &Value, ty: TypeId) -> bool {
    match (document, knowledge.schema.get(ty)) {
        (Value::Map(map), Type::Struct(fields)) => {
            map.iter().all(|(key, value)| fields.field(key).is_none_or(|held| field(knowledge, value, held)))
        }
        (Value::Map(map), Type::Map(of)) => map.iter().all(|(_, held)| value(knowledge, held, *of)),
        (Value::List(items), Type::List(item)) => items.iter().all(|held| value(knowledge, held, *item)),
        _ => true,
    }
}

fn field(knowledge: &Knowledge, document: &Value, field: &Field) -> bool {
    let keys = merge_keys(knowledge, &field.meta);
    let differ = keys.is_empty() || document.as_list().is_none_or(|items| all_differ(items, keys));
    differ && value(knowledge, document, field.ty)
}

/// The keys by which the items of a list are told apart; none where the list is replaced.
fn merge_keys<'a>(knowledge: &Knowledge, meta: &'a FieldMeta) -> &'a [Str] {
    match knowledge.directives.iter().find_map(|d| d.identity(meta)) {
        Some(keys) => keys.names(),
        None if meta.strategy == Strategy::Merge => &meta.merge_key,
        None => &[],
    }
}

fn all_differ(items: &[Value], keys: &[Str]) -> bool {
    let mut seen = HashSet::new();
    items.iter().filter_map(Value::as_map).all(|item| {
        let key: Vec<String> =
            keys.iter().map(|key| item.get(key).map_or_else(String::new, ToString::to_string)).collect();
        item.contains_key(&keys[0]) && seen.insert(key)
    })
}
