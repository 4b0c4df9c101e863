//! Sets without equal items, and lists of type `map` without equal keys. Upstream: `ValidateListSetsAndMaps`.

use super::correlation::key_of;
use crate::admission::structural::StructuralSchema;
use crate::document::{Doc, OwnedDoc};
use crate::error::{Error, ErrorKind};
use crate::schema::ListType;

/// Returns an error for each item that repeats an earlier one.
pub(super) fn validate(schema: &StructuralSchema, value: &OwnedDoc) -> Vec<Error> {
    let mut errors = Vec::new();
    match value {
        Doc::Map(map) => {
            for (key, value) in map.iter() {
                let inner = schema.field(key).map(|field| validate(field, value)).unwrap_or_default();
                errors.extend(inner.into_iter().map(|error| error.at(key)));
            }
        }
        Doc::List(items) => {
            for (index, item) in items.iter().enumerate() {
                let is_repeated = match schema.list_type {
                    Some(ListType::Set) => items[..index].contains(item),
                    Some(ListType::Map) => {
                        let key = key_of(schema, item);
                        items[..index].iter().any(|earlier| key_of(schema, earlier) == key)
                    }
                    Some(ListType::Atomic) | None => false,
                };
                if is_repeated {
                    let message = format!("the item {item} repeats an earlier one");
                    errors.push(Error::new(ErrorKind::DuplicateListItem, message).at_index(index));
                }
                let inner = schema.items.as_ref().map(|schema| validate(schema, item)).unwrap_or_default();
                errors.extend(inner.into_iter().map(|error| error.at_index(index)));
            }
        }
        _ => {}
    }
    errors
}
