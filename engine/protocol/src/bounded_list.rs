//! Deserialization of lists of limited length.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// Maximum number of items in a list of a message. Lists in documents have no such limit.
const MAX_ITEMS: usize = 1000;

/// Deserializes a list of at most `MAX_ITEMS` items.
///
/// # Errors
/// Fails if the list is longer, or if an item cannot be deserialized.
pub fn bounded_list<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_seq(ListVisitor(PhantomData))
}

/// Deserializes a list that can be absent. A list that is there is [bounded](bounded_list).
///
/// # Errors
/// Fails if the list is longer, or if an item cannot be deserialized.
pub fn optional_bounded_list<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<T>>, D::Error> {
    bounded_list(deserializer).map(Some)
}

/// A list of at most `MAX_ITEMS` items, as an item of another list or as the value of a map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent, bound(deserialize = "T: Deserialize<'de>"))]
pub struct BoundedList<T>(#[serde(deserialize_with = "bounded_list")] pub Vec<T>);

/// A serde visitor that reads a list of at most `MAX_ITEMS` items.
struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            if items.len() >= MAX_ITEMS {
                return Err(A::Error::custom(format_args!("a list of more than {MAX_ITEMS} items")));
            }
            items.push(item);
        }
        Ok(items)
    }
}
