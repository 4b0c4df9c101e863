//! When two ends are the same.

use skewer_engine::Value;
use skewer_engine::patch::Knowledge;
use skewer_engine::schema::{FieldMeta, Strategy, TypeId};
use skewer_engine::skew::{End, differing_paths};

/// Both refused for the same reason, or the same stored. With `any_order` the order of merging lists counts for
/// nothing.
pub(super) fn ends(knowledge: &Knowledge, a: &End, b: &End, any_order: bool) -> bool {
    match (a, b) {
        (End::Refused(a), End::Refused(b)) => a.kind() == b.kind(),
        (End::Stored(a), End::Stored(b)) if any_order => {
            let sorted = |document| sorted(knowledge, document, knowledge.root);
            differing_paths(knowledge, &sorted(a), &sorted(b)).is_empty()
        }
        (End::Stored(a), End::Stored(b)) => differing_paths(knowledge, a, b).is_empty(),
        _ => false,
    }
}

/// The document with its merging lists in an order that depends on nothing but their items.
fn sorted(knowledge: &Knowledge, value: &Value, ty: TypeId) -> Value {
    let schema = &knowledge.schema;
    match value {
        Value::Map(map) => {
            let entry = |(key, value): (&skewer_engine::Str, &Value)| {
                let value = match schema.field(ty, key) {
                    Some(field) => field_sorted(knowledge, value, (field.ty, &field.meta)),
                    None => value.clone(),
                };
                (key.clone(), value)
            };
            Value::Map(map.iter().map(entry).collect())
        }
        other => other.clone(),
    }
}

fn field_sorted(knowledge: &Knowledge, value: &Value, (ty, meta): (TypeId, &FieldMeta)) -> Value {
    match (value, knowledge.schema.item(ty)) {
        (Value::List(items), Some(item)) => {
            let mut items: Vec<Value> = items.iter().map(|value| sorted(knowledge, value, item)).collect();
            if meta.strategy == Strategy::Merge {
                items.sort_by_cached_key(ToString::to_string);
            }
            Value::List(items)
        }
        (value, _) => sorted(knowledge, value, ty),
    }
}
