//! Sets without equal items, and lists of type `map` without equal keys. Upstream: `ValidateListSetsAndMaps`.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

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
                Some(ListType::Set) => errors.extend(repeated(items, |item| vec![Some(item)])),
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
    repeated(items, |item| {
        let item = item.as_map();
        schema.list_map_keys.iter().map(|key| item.and_then(|item| item.get(key))).collect()
    })
}

/// Returns an error for the second occurrence of each key. Further occurrences are not reported.
fn repeated(items: &[OwnedDoc], key_of: impl Fn(&OwnedDoc) -> Vec<Option<&OwnedDoc>>) -> Vec<Finding> {
    let mut errors = Vec::new();
    if items.len() < 2 {
        return errors;
    }
    // Long lists are compared by hash first.
    let mut earlier: HashMap<u64, Vec<Vec<Option<&OwnedDoc>>>> = HashMap::new();
    for (index, item) in items.iter().enumerate() {
        let key = key_of(item);
        let mut hasher = DefaultHasher::new();
        for value in &key {
            hash(*value, &mut hasher);
        }
        let similar = earlier.entry(hasher.finish()).or_default();
        let occurrences = similar.iter().filter(|other| **other == key).count();
        similar.push(key);
        if occurrences == 1 {
            let message = format!("the item {item} repeats an earlier one");
            let finding = Finding::blocking(ErrorKind::DuplicateValue, message);
            errors.push(Finding { blocks: false, ..finding.map(|error| error.at_index(index)) });
        }
    }
    errors
}

/// Adds a value to a hash. Equal values have equal hashes, so that a float has only its kind: 0 and -0 are equal.
fn hash(value: Option<&OwnedDoc>, hasher: &mut impl Hasher) {
    value.map(Doc::kind).hash(hasher);
    match value {
        Some(Doc::Bool(value)) => value.hash(hasher),
        Some(Doc::Int(value)) => value.hash(hasher),
        Some(Doc::String(text)) => text.hash(hasher),
        Some(Doc::List(items)) => items.iter().for_each(|item| hash(Some(item), hasher)),
        Some(Doc::Map(map)) => map.iter().for_each(|(key, value)| {
            key.hash(hasher);
            hash(Some(value), hasher);
        }),
        Some(Doc::Null | Doc::Float(_)) | None => {}
    }
}
