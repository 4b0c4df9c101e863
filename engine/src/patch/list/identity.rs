//! The identity of list items. Scalars are identified by their value, maps by the values of their merge keys.

use rustc_hash::FxHashSet;

use super::key_index::KeyIndex;
use crate::document::{Doc, DocKind, Map, OwnedText, Text};
use crate::error::{Error, ErrorKind, Result};
use crate::patch::go_compat::equality::{ScalarKey, not_a_scalar};

/// The merge keys by which the items of a list are matched. A list of scalars has no merge keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeKeys<'a> {
    names: &'a [OwnedText],
    /// Whether an item without the first key is an error.
    is_first_required: bool,
}

impl<'a> MergeKeys<'a> {
    /// The empty list of keys, for lists of scalars.
    pub const NONE: MergeKeys<'static> = MergeKeys { names: &[], is_first_required: false };

    /// Creates merge keys that the schema declares. Each item must have the first key. An item without one of the other
    /// keys matches only items without this key.
    #[must_use]
    pub fn declared(names: &'a [OwnedText]) -> Self {
        MergeKeys { names, is_first_required: true }
    }

    /// Creates merge keys of which none is required. An item without a key matches only items without this key.
    #[must_use]
    pub fn without_default(names: &'a [OwnedText]) -> Self {
        MergeKeys { names, is_first_required: false }
    }

    /// Replaces an empty list of keys by a single key with an empty name. Some upstream functions look up this key if
    /// the schema declares none.
    #[must_use]
    pub(crate) fn or_empty_name(self) -> MergeKeys<'a> {
        static EMPTY_NAME: [OwnedText; 1] = [Text::from_static("")];
        if self.is_empty() { MergeKeys::declared(&EMPTY_NAME) } else { self }
    }

    /// Returns the names of the keys.
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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ItemKey<'d> {
    /// The value of a scalar item, or of the only merge key of a map.
    Single(ScalarKey<'d>),
    /// The values of several merge keys. The value is `None` if the item does not have the key, or if it is null.
    Compound(Vec<Option<ScalarKey<'d>>>),
}

impl ItemKey<'_> {
    /// Checks that Go can compare this key with an equal key. Returns the error [`ErrorKind::NotAScalar`] if the
    /// comparison panics in Go.
    fn require_comparable(&self) -> Result<()> {
        match self {
            ItemKey::Single(ScalarKey::Uncomparable(kind)) => Err(not_a_scalar(*kind)),
            _ => Ok(()),
        }
    }
}

/// Returns the identity of a list item under these merge keys.
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

/// Returns the item as a map.
///
/// # Errors
///
/// [`ErrorKind::WrongKind`] if the item is not a map.
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

/// Returns true if two items have the same identity. Upstream: `mergeKeyValueEqual`.
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

/// Returns the value of an item's merge key if there is exactly one key and it is required. Returns `None` otherwise,
/// and if the item does not have the key.
pub(crate) fn single_key_value<'v, 'd>(keys: MergeKeys<'_>, item: &'v Doc<'d>) -> Option<&'v Doc<'d>> {
    match keys.names {
        [key] if keys.is_first_required => item.as_map()?.get(key),
        _ => None,
    }
}

/// Returns a map with only the merge keys of an item.
pub(crate) fn project_to_merge_keys<'d>(keys: MergeKeys<'_>, item: &Doc<'d>) -> Doc<'d> {
    if let ([key], Some(map)) = (keys.names, item.as_map()) {
        return map.with_only(key).into();
    }
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
        if let Err(error) = key.require_comparable()
            && list.iter().any(|other| item_key(keys, other).is_ok_and(|other| other == key))
        {
            return Err(error);
        }
        self.0.insert(key);
        Ok(())
    }

    /// Removes all items with one of the keys from a list. Items without the merge key are kept.
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

/// An index from item keys to positions in a list. If several items have the same key, the index has the first of them.
pub(crate) struct KeyPositions<'d> {
    first_positions: KeyIndex<ItemKey<'d>>,
    /// The index of the first item that is not a map, if the list has merge keys. Upstream searches from the front, and
    /// returns an error at this item.
    first_non_map: Option<usize>,
    /// The error of the first item that has no valid key. Upstream finds this error only when it orders the list, after
    /// other errors.
    key_error: Option<Error>,
    /// The problem of the first item that has no key with an empty name. `None` if the list has merge keys.
    empty_name_problem: Option<EmptyNameProblem>,
}

/// The reason why the key with an empty name, which upstream looks up if the schema declares no merge key, is not found
/// in an item.
#[derive(Clone, Copy)]
enum EmptyNameProblem {
    /// The item is not a map.
    NotAMap,
    /// The item is a map without this key.
    MissingKey,
}

impl EmptyNameProblem {
    fn of(item: &Doc) -> Option<Self> {
        match item.as_map() {
            None => Some(EmptyNameProblem::NotAMap),
            Some(map) => (!map.contains_key("")).then_some(EmptyNameProblem::MissingKey),
        }
    }
}

impl<'d> KeyPositions<'d> {
    pub(crate) fn of(keys: MergeKeys<'_>, list: &[Doc<'d>]) -> Self {
        let mut first_positions = KeyIndex::with_capacity(list.len());
        let (mut key_error, mut first_non_map, mut empty_name_problem) = (None, None, None);
        for (index, item) in list.iter().enumerate() {
            match item_key(keys, item) {
                Ok(key) => {
                    first_positions.insert(key, index);
                }
                Err(error) => {
                    if !keys.is_empty() && item.kind() != DocKind::Map {
                        first_non_map = first_non_map.or(Some(index));
                    }
                    key_error = key_error.or(Some(error));
                }
            }
            if keys.is_empty() && empty_name_problem.is_none() {
                empty_name_problem = EmptyNameProblem::of(item);
            }
        }
        KeyPositions { first_positions, first_non_map, key_error, empty_name_problem }
    }

    /// Returns the position of the first item with this key. Upstream: `findMapInSliceBasedOnKeyValue`.
    pub(crate) fn get(&self, key: &ItemKey<'d>) -> Result<Option<usize>> {
        let position = self.first_positions.get(key);
        let earlier_non_map =
            self.first_non_map.filter(|non_map| position.is_none_or(|position| position > *non_map));
        if let Some(non_map) = earlier_non_map {
            return Err(Error::new(
                ErrorKind::WrongKind,
                "expected a list of maps, found an item that is not a map",
            )
            .at_index(non_map));
        }
        if position.is_some() {
            key.require_comparable()?;
        }
        Ok(position)
    }

    /// Adds the key of an item that was appended to the list.
    pub(crate) fn append(&mut self, key: ItemKey<'d>, index: usize) {
        self.first_positions.insert(key, index);
    }

    /// Checks that all items are maps with a key whose name is empty. Upstream looks up this key in a list of maps if
    /// the schema declares no merge key.
    pub(crate) fn require_empty_names(&self) -> Result<()> {
        match self.empty_name_problem {
            Some(EmptyNameProblem::NotAMap) => Err(Error::new(
                ErrorKind::WrongKind,
                "expected a map with its merge key, found an item that is not a map",
            )),
            Some(EmptyNameProblem::MissingKey) => {
                Err(Error::new(ErrorKind::MissingMergeKey, "the schema has no merge key for this list"))
            }
            None => Ok(()),
        }
    }

    /// Checks that all items have a valid key. Returns the error of the first item that has none.
    pub(crate) fn require_keys(&self) -> Result<()> {
        self.key_error.clone().map_or(Ok(()), Err)
    }
}

/// Returns the kind of the items of all lists. Upstream: `sliceElementType`, which panics if the first item is null.
///
/// # Errors
///
/// [`ErrorKind::MixedList`], [`ErrorKind::ListOfLists`], [`ErrorKind::NotAScalar`] or [`ErrorKind::EmptyList`].
pub(crate) fn common_kind<'a, 'd: 'a>(lists: impl IntoIterator<Item = &'a [Doc<'d>]>) -> Result<DocKind> {
    let mut common = None;
    for item in lists.into_iter().flatten() {
        let kind = item.kind();
        match common {
            None if kind == DocKind::List => {
                return Err(Error::new(ErrorKind::ListOfLists, "a list of lists cannot be merged"));
            }
            None if kind == DocKind::Null => {
                return Err(Error::new(ErrorKind::NotAScalar, "an item of a merged list must not be null"));
            }
            None => common = Some(kind),
            Some(first) if first != kind => {
                return Err(Error::new(
                    ErrorKind::MixedList,
                    format!(
                        "the items of merged lists must have the same kind, found {} and {}",
                        first.with_article(),
                        kind.with_article()
                    ),
                ));
            }
            Some(_) => {}
        }
    }
    common.ok_or_else(|| Error::new(ErrorKind::EmptyList, "all lists to be merged are empty"))
}

/// Returns the kind of the items of two lists. An error that the first list has alone is in the document with which the
/// operation begins.
///
/// # Errors
///
/// Those of `common_kind`.
pub fn common_kind_of<'d>(base: &[Doc<'d>], other: &[Doc<'d>]) -> Result<DocKind> {
    common_kind([base, other]).map_err(|error| {
        let is_in_base = !base.is_empty() && common_kind([base]).is_err();
        if is_in_base { error.in_base() } else { error }
    })
}
