//! The identity of list items: scalars are the same by value, maps by their merge keys.

use rustc_hash::FxHashSet;

use super::key_index::KeyIndex;
use crate::document::{Doc, DocKind, Map, OwnedText, Text};
use crate::error::{Error, ErrorKind, Result};
use crate::patch::go_compat::equality::{ScalarKey, not_a_scalar};

/// The merge keys by which the items of a list are matched; none for lists of scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeKeys<'a> {
    names: &'a [OwnedText],
    /// Whether an item without the first key is an error.
    is_first_required: bool,
}

impl<'a> MergeKeys<'a> {
    /// No keys: the items are scalars, compared by value.
    pub const NONE: MergeKeys<'static> = MergeKeys { names: &[], is_first_required: false };

    /// Keys of which items must have the first. Another key that an item lacks must be missing in its match too.
    #[must_use]
    pub fn declared(names: &'a [OwnedText]) -> Self {
        MergeKeys { names, is_first_required: true }
    }

    /// Keys of which items may lack any. A key that an item lacks must be missing in its match too.
    #[must_use]
    pub fn without_default(names: &'a [OwnedText]) -> Self {
        MergeKeys { names, is_first_required: false }
    }

    /// Replaces an empty list of keys by one key with an empty name, which upstream looks up in some functions.
    #[must_use]
    pub(crate) fn or_empty_name(self) -> MergeKeys<'a> {
        static EMPTY_NAME: [OwnedText; 1] = [Text::from_static("")];
        if self.is_empty() { MergeKeys::declared(&EMPTY_NAME) } else { self }
    }

    /// The names of the keys.
    #[must_use]
    pub fn names(self) -> &'a [OwnedText] {
        self.names
    }

    /// Returns true if there are no keys.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.names.is_empty()
    }
}

/// The identity of a list item.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ItemKey<'d> {
    /// A scalar item itself, or the value of a single merge key.
    Single(ScalarKey<'d>),
    /// The values of several merge keys. A key that the item lacks, or that is null, is `None` and must match `None`.
    Compound(Vec<Option<ScalarKey<'d>>>),
}

impl ItemKey<'_> {
    /// Checks a key for which an equal one was found: [`ErrorKind::NotAScalar`] if Go's comparison of the two panics.
    fn require_comparable(&self) -> Result<()> {
        match self {
            ItemKey::Single(ScalarKey::Uncomparable(kind)) => Err(not_a_scalar(*kind)),
            _ => Ok(()),
        }
    }
}

/// Returns the key of an item.
pub(crate) fn item_key<'d>(keys: MergeKeys<'_>, item: &Doc<'d>) -> Result<ItemKey<'d>> {
    let Some(first) = keys.names.first() else { return ScalarKey::of_scalar(item).map(ItemKey::Single) };
    let map = require_map(item)?;
    if keys.is_first_required {
        let Some(value) = map.get(first) else { return Err(missing_merge_key(first, item)) };
        if keys.names.len() == 1 {
            return Ok(ItemKey::Single(ScalarKey::of_any(value)));
        }
    }
    let values = keys.names.iter().map(|key| {
        non_null(map, key).map(|value| ScalarKey::of_scalar(value).map_err(|e| e.at(key))).transpose()
    });
    values.collect::<Result<_>>().map(ItemKey::Compound)
}

fn non_null<'m, 'd>(map: &'m Map<'d>, key: &str) -> Option<&'m Doc<'d>> {
    map.get(key).filter(|value| !value.is_null())
}

/// Returns an item that must be a map.
///
/// # Errors
///
/// [`ErrorKind::WrongKind`] for an item of another kind.
pub fn require_map<'l, 'd>(item: &'l Doc<'d>) -> Result<&'l Map<'d>> {
    item.as_map().ok_or_else(|| {
        Error::new(
            ErrorKind::WrongKind,
            format!("expected a map with its merge key, found {}", item.kind().with_article()),
        )
    })
}

fn missing_merge_key(key: &str, item: &Doc) -> Error {
    Error::new(ErrorKind::MissingMergeKey, format!("the item {item} does not have the merge key {key}"))
}

/// Returns true if two items are the same. Upstream: `mergeKeyValueEqual`.
pub(crate) fn is_same_item(keys: MergeKeys<'_>, a: &Doc, b: &Doc) -> Result<bool> {
    if keys.is_empty() {
        return ScalarKey::of_any(a).equals(&ScalarKey::of_any(b));
    }
    require_map(a)?;
    require_map(b)?;
    let (a, b) = (item_key(keys, a)?, item_key(keys, b)?);
    if a == b {
        a.require_comparable()?;
    }
    Ok(a == b)
}

/// Returns the value of the only merge key. `None` if there are several keys or none, if the key is not required, or
/// if the item lacks it.
pub(crate) fn single_key_value<'v, 'd>(keys: MergeKeys<'_>, item: &'v Doc<'d>) -> Option<&'v Doc<'d>> {
    match keys.names {
        [key] if keys.is_first_required => item.as_map()?.get(key),
        _ => None,
    }
}

/// Returns a map with only the merge keys of an item.
pub(crate) fn project_to_merge_keys<'d>(keys: MergeKeys<'_>, item: &Doc<'d>) -> Doc<'d> {
    let mut projection = Map::with_capacity(keys.names.len());
    for key in keys.names {
        if let Some(value) = item.as_map().and_then(|map| map.get(key)) {
            projection.insert(key.clone(), value.clone());
        }
    }
    projection.into()
}

/// The keys of the items that a patch deletes from a list.
#[derive(Default)]
pub(crate) struct DeletionKeys<'d>(FxHashSet<ItemKey<'d>>);

impl<'d> DeletionKeys<'d> {
    /// Adds the key of an item that is to be deleted from a list.
    pub(crate) fn insert(&mut self, keys: MergeKeys<'_>, item: &Doc<'d>, list: &[Doc<'d>]) -> Result<()> {
        let key = item_key(keys, item)?;
        if let Err(error) = key.require_comparable() {
            if list.iter().any(|other| item_key(keys, other).is_ok_and(|other| other == key)) {
                return Err(error);
            }
        }
        self.0.insert(key);
        Ok(())
    }

    /// Removes every match from a list. An item without the merge key matches nothing.
    pub(crate) fn remove_from(&self, keys: MergeKeys<'_>, list: &mut Vec<Doc>) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        for item in &*list {
            require_map(item)?;
        }
        list.retain(|item| item_key(keys, item).map_or(true, |key| !self.0.contains(&key)));
        Ok(())
    }
}

/// The position of the first item with each key in a list.
pub(crate) struct KeyPositions<'d> {
    first_positions: KeyIndex<ItemKey<'d>>,
    /// The index of the first item that is not a map, in a list of maps. Upstream searches from the front, and fails
    /// there.
    first_non_map: Option<usize>,
    /// The error of the first item without a key. Upstream finds such an item only when it orders the list, so that
    /// other errors come first.
    missing_key: Option<Error>,
    /// The first item that lacks a merge key with an empty name, if the schema has no merge key.
    without_empty_name: Option<WithoutEmptyName>,
}

/// The reason for which an item has no merge key with an empty name.
#[derive(Clone, Copy)]
enum WithoutEmptyName {
    /// It is not a map.
    NotAMap,
    /// It is a map without this key.
    MissingKey,
}

impl WithoutEmptyName {
    fn of(item: &Doc) -> Option<Self> {
        match item.as_map() {
            None => Some(WithoutEmptyName::NotAMap),
            Some(map) => (!map.contains_key("")).then_some(WithoutEmptyName::MissingKey),
        }
    }
}

impl<'d> KeyPositions<'d> {
    pub(crate) fn of(keys: MergeKeys<'_>, list: &[Doc<'d>]) -> Self {
        let mut first_positions = KeyIndex::with_capacity(list.len());
        let (mut missing_key, mut first_non_map, mut without_empty_name) = (None, None, None);
        for (index, item) in list.iter().enumerate() {
            match item_key(keys, item) {
                Ok(key) => {
                    first_positions.insert(key, index);
                }
                Err(error) => {
                    if !keys.is_empty() && item.kind() != DocKind::Map {
                        first_non_map = first_non_map.or(Some(index));
                    }
                    missing_key = missing_key.or(Some(error));
                }
            }
            if keys.is_empty() && without_empty_name.is_none() {
                without_empty_name = WithoutEmptyName::of(item);
            }
        }
        KeyPositions { first_positions, first_non_map, missing_key, without_empty_name }
    }

    /// Returns the position of the first item with this key. Upstream: `findMapInSliceBasedOnKeyValue`.
    pub(crate) fn get(&self, key: &ItemKey<'d>) -> Result<Option<usize>> {
        let position = self.first_positions.get(key);
        let met_first =
            self.first_non_map.filter(|non_map| position.is_none_or(|position| position > *non_map));
        if let Some(first_non_map) = met_first {
            return Err(Error::new(
                ErrorKind::WrongKind,
                "expected a list of maps, found one with an item that is none",
            )
            .at_index(first_non_map));
        }
        if position.is_some() {
            key.require_comparable()?;
        }
        Ok(position)
    }

    /// Adds an item that was appended to the list.
    pub(crate) fn append(&mut self, key: ItemKey<'d>, index: usize) {
        self.first_positions.insert(key, index);
    }

    /// Checks a list of which upstream expects maps with a merge key, where the schema has none: upstream looks up a
    /// key with an empty name. A scalar is not a map, and a map usually lacks that key.
    pub(crate) fn check_without_merge_key(&self) -> Result<()> {
        match self.without_empty_name {
            Some(WithoutEmptyName::NotAMap) => Err(Error::new(
                ErrorKind::WrongKind,
                "expected a map with its merge key, found something else",
            )),
            Some(WithoutEmptyName::MissingKey) => {
                Err(Error::new(ErrorKind::MissingMergeKey, "the schema has no merge key for this list"))
            }
            None => Ok(()),
        }
    }

    /// Returns the error of the first item that has no key.
    pub(crate) fn require_keys(&self) -> Result<()> {
        self.missing_key.clone().map_or(Ok(()), Err)
    }
}

/// Returns the kind that all items of the lists share. Upstream: `sliceElementType`, which panics where the first
/// item is null.
///
/// # Errors
///
/// [`ErrorKind::MixedList`], [`ErrorKind::ListOfLists`], [`ErrorKind::NotAScalar`] or [`ErrorKind::EmptyList`].
pub fn common_kind<'a, 'd: 'a>(lists: impl IntoIterator<Item = &'a [Doc<'d>]>) -> Result<DocKind> {
    let mut common = None;
    for item in lists.into_iter().flatten() {
        let kind = item.kind();
        match common {
            None if kind == DocKind::List => {
                return Err(Error::new(ErrorKind::ListOfLists, "a list of lists cannot be merged"));
            }
            None if kind == DocKind::Null => {
                return Err(Error::new(
                    ErrorKind::NotAScalar,
                    "null cannot be an item of a list that is merged",
                ));
            }
            None => common = Some(kind),
            Some(first) if first != kind => {
                return Err(Error::new(
                    ErrorKind::MixedList,
                    format!(
                        "the items of merged lists must be of one kind, and there are {} and {}",
                        first.with_article(),
                        kind.with_article()
                    ),
                ));
            }
            Some(_) => {}
        }
    }
    common
        .ok_or_else(|| Error::new(ErrorKind::EmptyList, "there is no item in any of the lists to be merged"))
}
