//! Equivalence of final states.

use skewer_engine::patch::PatchContext;
use skewer_engine::schema::{FieldMeta, PatchStrategy, TypeId};
use skewer_engine::{Doc, OwnedDoc};
use skewer_skew::{FinalState, differing_paths};

/// Returns true if both states are refusals with the same error kind, or equal stored objects. With
/// `ignore_list_order`, the objects may differ in the order of merging lists.
pub(super) fn is_equivalent(
    context: &PatchContext,
    a: &FinalState,
    b: &FinalState,
    ignore_list_order: bool,
) -> bool {
    match (a, b) {
        (FinalState::Refused(a), FinalState::Refused(b)) => a.kind() == b.kind(),
        (FinalState::Stored(a), FinalState::Stored(b)) if ignore_list_order => {
            let sorted = |document| with_sorted_lists(context, document, context.root);
            differing_paths(context, &sorted(a), &sorted(b)).is_empty()
        }
        (FinalState::Stored(a), FinalState::Stored(b)) => differing_paths(context, a, b).is_empty(),
        _ => false,
    }
}

/// Returns a copy of a document with sorted merging lists.
fn with_sorted_lists(context: &PatchContext, value: &OwnedDoc, ty: TypeId) -> OwnedDoc {
    let schema = &context.schema;
    match value {
        Doc::Map(map) => {
            let entry = |(key, value): (&skewer_engine::OwnedText, &OwnedDoc)| {
                let value = match schema.field(ty, key) {
                    Some(field) => field_with_sorted_lists(context, value, (field.ty, &field.meta)),
                    None => value.clone(),
                };
                (key.clone(), value)
            };
            Doc::Map(map.iter().map(entry).collect())
        }
        other => other.clone(),
    }
}

fn field_with_sorted_lists(
    context: &PatchContext,
    value: &OwnedDoc,
    (ty, meta): (TypeId, &FieldMeta),
) -> OwnedDoc {
    match (value, context.schema.item(ty)) {
        (Doc::List(items), Some(item)) => {
            let mut items: Vec<OwnedDoc> =
                items.iter().map(|value| with_sorted_lists(context, value, item)).collect();
            if meta.strategy == PatchStrategy::Merge {
                items.sort_by_cached_key(ToString::to_string);
            }
            Doc::List(items)
        }
        (value, _) => with_sorted_lists(context, value, ty),
    }
}
