//! Which items of two lists are the same: scalars by value, maps by their merge keys.

use rustc_hash::FxHashSet;

use super::key_index::KeyIndex;
use crate::document::{Doc, Kind, Map, OwnedText, Text};
use crate::error::{Error, ErrorKind, Result};

/// A scalar as a hash key. Integers and floats are never equal, as in Go.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ScalarKey<'d> {
    Null,
    Bool(bool),
    Int(i64),
    Float(u64),
    String(Text<'d>),
    /// No scalar, but the value of a merge key all the same. Go's `==` panics when it compares two lists or two
    /// maps, and says no when it compares one with anything else: such a key is equal to those that it must not
    /// meet.
    Uncomparable(Kind),
}

pub(crate) type ScalarSet<'d> = FxHashSet<ScalarKey<'d>>;

impl<'d> ScalarKey<'d> {
    /// `None` for lists and maps, which Go cannot compare either.
    pub(crate) fn of(value: &Doc<'d>) -> Option<Self> {
        Some(match value {
            Doc::Null => ScalarKey::Null,
            Doc::Bool(b) => ScalarKey::Bool(*b),
            Doc::Int(i) => ScalarKey::Int(*i),
            // Zero has two bit patterns and is one value.
            Doc::Float(f) => ScalarKey::Float(if *f == 0.0 { 0 } else { f.to_bits() }),
            Doc::String(s) => ScalarKey::String(s.clone()),
            Doc::List(_) | Doc::Map(_) => return None,
        })
    }

    fn required(value: &Doc<'d>) -> Result<Self> {
        Self::of(value).ok_or_else(|| not_a_scalar(value.kind()))
    }

    fn compared(value: &Doc<'d>) -> Self {
        Self::of(value).unwrap_or(ScalarKey::Uncomparable(value.kind()))
    }

    /// As Go's `==`: [`ErrorKind::NotAScalar`] for two lists or two maps.
    fn equals(&self, other: &Self) -> Result<bool> {
        match (self, other) {
            (ScalarKey::Uncomparable(kind), other) if self == other => Err(not_a_scalar(*kind)),
            _ => Ok(self == other),
        }
    }
}

fn not_a_scalar(kind: Kind) -> Error {
    Error::new(
        ErrorKind::NotAScalar,
        format!("expected a scalar to tell items apart by, found {}", kind.described()),
    )
}

/// The merge keys by which the items of a list are told apart; none for lists of scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeKeys<'a> {
    names: &'a [OwnedText],
    first_required: bool,
}

impl<'a> MergeKeys<'a> {
    /// Items are scalars, told apart by what they are.
    pub const NONE: MergeKeys<'static> = MergeKeys { names: &[], first_required: false };

    /// Items must have the first of these keys; one that they lack must be lacking in their match too.
    #[must_use]
    pub fn declared(names: &'a [OwnedText]) -> Self {
        MergeKeys { names, first_required: true }
    }

    /// Items may lack any of these keys, which must be lacking in their match too.
    #[must_use]
    pub fn without_default(names: &'a [OwnedText]) -> Self {
        MergeKeys { names, first_required: false }
    }

    /// Where there is no key, the one without a name: upstream looks for that in places, and seldom finds it.
    #[must_use]
    pub(crate) fn or_unnamed(self) -> MergeKeys<'a> {
        static UNNAMED: [OwnedText; 1] = [Text::const_new("")];
        if self.is_empty() { MergeKeys::declared(&UNNAMED) } else { self }
    }

    /// The names of the keys.
    #[must_use]
    pub fn names(self) -> &'a [OwnedText] {
        self.names
    }

    /// Are there no keys?
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.names.is_empty()
    }
}

/// What tells an item of a list from the others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ItemKey<'d> {
    /// A scalar item itself, or the value of a single merge key.
    One(ScalarKey<'d>),
    /// The values of several merge keys; a key that the item lacks, or has a null for, is part of what it is.
    Many(Vec<Option<ScalarKey<'d>>>),
}

impl ItemKey<'_> {
    /// An equal key was met: [`ErrorKind::NotAScalar`] when Go could not have compared them.
    fn must_be_comparable(&self) -> Result<()> {
        match self {
            ItemKey::One(ScalarKey::Uncomparable(kind)) => Err(not_a_scalar(*kind)),
            _ => Ok(()),
        }
    }
}

/// The key of an item.
pub(crate) fn key_of<'d>(keys: MergeKeys<'_>, item: &Doc<'d>) -> Result<ItemKey<'d>> {
    let Some(first) = keys.names.first() else { return ScalarKey::required(item).map(ItemKey::One) };
    let map = as_map(item)?;
    if keys.first_required {
        let Some(value) = map.get(first) else { return Err(missing(first, item)) };
        if keys.names.len() == 1 {
            return Ok(ItemKey::One(ScalarKey::compared(value)));
        }
    }
    let values = keys.names.iter().map(|key| {
        present(map, key).map(|value| ScalarKey::required(value).map_err(|e| e.at(key))).transpose()
    });
    values.collect::<Result<_>>().map(ItemKey::Many)
}

fn present<'m, 'd>(map: &'m Map<'d>, key: &str) -> Option<&'m Doc<'d>> {
    map.get(key).filter(|value| !value.is_null())
}

pub(crate) fn as_map<'l, 'd>(item: &'l Doc<'d>) -> Result<&'l Map<'d>> {
    item.as_map().ok_or_else(|| {
        Error::new(
            ErrorKind::WrongKind,
            format!("expected a map with its merge key, found {}", item.kind().described()),
        )
    })
}

fn missing(key: &str, item: &Doc) -> Error {
    Error::new(ErrorKind::MissingMergeKey, format!("the item {item} does not have the merge key {key}"))
}

/// Are two items the same one? Upstream: `mergeKeyValueEqual`.
pub(crate) fn same(keys: MergeKeys<'_>, a: &Doc, b: &Doc) -> Result<bool> {
    if keys.is_empty() {
        return ScalarKey::compared(a).equals(&ScalarKey::compared(b));
    }
    as_map(a)?;
    as_map(b)?;
    let (a, b) = (key_of(keys, a)?, key_of(keys, b)?);
    if a == b {
        a.must_be_comparable()?;
    }
    Ok(a == b)
}

/// The value of the single key that an item must have; `None` where there is not just one, or the item lacks it.
pub(crate) fn only_key<'v, 'd>(keys: MergeKeys<'_>, item: &'v Doc<'d>) -> Option<&'v Doc<'d>> {
    match keys.names {
        [key] if keys.first_required => item.as_map()?.get(key),
        _ => None,
    }
}

/// A map with the merge keys of an item and nothing else.
pub(crate) fn only_keys<'d>(keys: MergeKeys<'_>, item: &Doc<'d>) -> Doc<'d> {
    let mut only = Map::with_capacity(keys.names.len());
    for key in keys.names {
        if let Some(value) = item.as_map().and_then(|map| map.get(key)) {
            only.insert(key.clone(), value.clone());
        }
    }
    only.into()
}

/// The keys of items to delete.
#[derive(Default)]
pub(crate) struct KeySet<'d>(FxHashSet<ItemKey<'d>>);

impl<'d> KeySet<'d> {
    /// Adds the key of an item that is to be deleted from a list.
    pub(crate) fn insert(&mut self, keys: MergeKeys<'_>, item: &Doc<'d>, list: &[Doc<'d>]) -> Result<()> {
        let key = key_of(keys, item)?;
        if let Err(error) = key.must_be_comparable()
            && list.iter().any(|other| key_of(keys, other).is_ok_and(|other| other == key))
        {
            return Err(error);
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
            as_map(item)?;
        }
        list.retain(|item| key_of(keys, item).map_or(true, |key| !self.0.contains(&key)));
        Ok(())
    }
}

/// Where each key stands first in a list.
pub(crate) struct Positions<'d> {
    first: KeyIndex<ItemKey<'d>>,
    /// Of a list of maps: the first item that is none. Upstream looks for a key from the front, and stops there.
    no_map: Option<usize>,
    /// Why some item has no key. Upstream meets such an item only when it brings the list into order, so that
    /// other errors come first.
    keyless: Option<Error>,
}

impl<'d> Positions<'d> {
    pub(crate) fn of(keys: MergeKeys<'_>, list: &[Doc<'d>]) -> Self {
        let mut first = KeyIndex::with_capacity(list.len());
        let (mut keyless, mut no_map) = (None, None);
        for (index, item) in list.iter().enumerate() {
            match key_of(keys, item) {
                Ok(key) => {
                    first.insert(key, index);
                }
                Err(error) => {
                    if !keys.is_empty() && item.kind() != Kind::Map {
                        no_map = no_map.or(Some(index));
                    }
                    keyless = keyless.or(Some(error));
                }
            }
        }
        Positions { first, no_map, keyless }
    }

    /// Where an item with this key stands. Upstream: `findMapInSliceBasedOnKeyValue`.
    pub(crate) fn get(&self, key: &ItemKey<'d>) -> Result<Option<usize>> {
        let found = self.first.get(key);
        if let Some(no_map) = self.no_map
            && found.is_none_or(|found| found > no_map)
        {
            return Err(Error::new(
                ErrorKind::WrongKind,
                "expected a list of maps, found one with an item that is none",
            )
            .at_index(no_map));
        }
        if found.is_some() {
            key.must_be_comparable()?;
        }
        Ok(found)
    }

    /// Notes an item that was appended.
    pub(crate) fn append(&mut self, key: ItemKey<'d>, index: usize) {
        self.first.insert(key, index);
    }

    /// Without a merge key, and where maps are due: scalars are no maps, and maps lack the key.
    pub(crate) fn check_unnamed(&self) -> Result<()> {
        if self.first.len() > 0 {
            return Err(Error::new(
                ErrorKind::WrongKind,
                "expected a map with its merge key, found a scalar",
            ));
        }
        match self.keyless {
            Some(_) => {
                Err(Error::new(ErrorKind::MissingMergeKey, "the schema has no merge key for this list"))
            }
            None => Ok(()),
        }
    }

    /// Every item must have its key.
    pub(crate) fn check(&self) -> Result<()> {
        self.keyless.clone().map_or(Ok(()), Err)
    }
}

/// The kind that all items of the lists share. Upstream: `sliceElementType`, which panics where the first
/// item is null.
pub(crate) fn common_kind<'a, 'd: 'a>(lists: impl IntoIterator<Item = &'a [Doc<'d>]>) -> Result<Kind> {
    let mut common = None;
    for item in lists.into_iter().flatten() {
        let kind = item.kind();
        match common {
            None if kind == Kind::List => {
                return Err(Error::new(ErrorKind::ListOfLists, "a list of lists cannot be merged"));
            }
            None if kind == Kind::Null => {
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
                        first.described(),
                        kind.described()
                    ),
                ));
            }
            Some(_) => {}
        }
    }
    common
        .ok_or_else(|| Error::new(ErrorKind::EmptyList, "there is no item in any of the lists to be merged"))
}
