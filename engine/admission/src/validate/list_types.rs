//! Sets without equal items, and lists of type `map` without equal keys. Upstream: `ValidateListSetsAndMaps`.

use skewer_engine::document::{Doc, OwnedDoc};
use skewer_engine::error::ErrorKind;
use skewer_engine::schema::ListType;

use super::outcome::Finding;
use crate::structural::StructuralSchema;

/// Returns an error for each value that occurs twice.
pub(crate) fn validate(schema: &StructuralSchema, value: &OwnedDoc) -> Vec<Finding> {
    let mut errors = Vec::new();
    match value {
        Doc::Map(map) => {
            for (key, value) in map.iter() {
                let inner = schema.field(key).map(|field| validate(field, value)).unwrap_or_default();
                errors.extend(inner.into_iter().map(|finding| finding.map(|error| error.at(key))));
            }
        }
        Doc::List(items) => {
            match schema.list_type {
                Some(ListType::Set) => errors.extend(repeated(items, &items.iter().collect::<Vec<_>>())),
                Some(ListType::Map) => errors.extend(map_errors(schema, items)),
                Some(ListType::Atomic) | None => {}
            }
            for (index, item) in items.iter().enumerate() {
                let inner = schema.items.as_ref().map(|schema| validate(schema, item)).unwrap_or_default();
                errors.extend(inner.into_iter().map(|finding| finding.map(|error| error.at_index(index))));
            }
        }
        _ => {}
    }
    errors
}

fn map_errors(schema: &StructuralSchema, items: &[OwnedDoc]) -> Vec<Finding> {
    let is_object = |item: &OwnedDoc| matches!(item, Doc::Map(_) | Doc::Null);
    if let Some(index) = items.iter().position(|item| !is_object(item)) {
        let finding = Finding::invalid("the items of a list of type map are objects");
        return vec![finding.map(|error| error.at_index(index))];
    }
    let value = |item: &'_ OwnedDoc, key: &String| item.as_map().and_then(|item| item.get(key)).cloned();
    let key_of =
        |item: &OwnedDoc| schema.list_map_keys.iter().map(|key| value(item, key)).collect::<Vec<_>>();
    repeated(items, &items.iter().map(key_of).collect::<Vec<_>>())
}

/// Returns an error for the second occurrence of each key. Further occurrences are not reported.
fn repeated<K: PartialEq>(items: &[OwnedDoc], keys: &[K]) -> Vec<Finding> {
    let mut errors = Vec::new();
    for (index, key) in keys.iter().enumerate() {
        if keys[..index].iter().filter(|earlier| *earlier == key).count() == 1 {
            let message = format!("the item {} repeats an earlier one", items[index]);
            let finding = Finding::blocking(ErrorKind::DuplicateValue, message);
            errors.push(Finding { blocks: false, ..finding.map(|error| error.at_index(index)) });
        }
    }
    errors
}
