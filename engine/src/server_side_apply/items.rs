//! The identity of list items. Upstream: `listItemToPathElement`.

use std::cmp::Ordering;

use super::field_set::{ItemKeys, PathElement};
use super::topology::{ItemIdentity, ListTopology};
use crate::document::{Doc, OwnedText};
use crate::error::{Error, ErrorKind, Result};
use crate::patch::LibraryChange;

/// Returns the path element of an item, or `None` if the list is atomic.
///
/// # Errors
///
/// - [`ErrorKind::InvalidListItem`] if an item with keys is not a map, or if an item of a set is not a scalar
/// - [`ErrorKind::MissingListKeys`] if an item has none of its keys, and none of them has a default. Libraries without
///   [`LibraryChange::KeysOptional`] need all keys
pub(super) fn element_of_item<'a>(
    list: &ListTopology<'a>,
    item: &'a Doc<'_>,
) -> Result<Option<PathElement<'a>>> {
    match list.identity {
        ItemIdentity::Atomic => Ok(None),
        ItemIdentity::Keys(keys) if !keys.is_empty() => {
            let Doc::Map(map) = item else {
                let found = item.kind().with_article();
                let message =
                    format!("expected a map, since keys identify the items of this list; found {found}");
                return Err(Error::new(ErrorKind::InvalidListItem, message));
            };
            let library = list.items.library();
            let with_value = |key: &'a OwnedText| {
                let has_defaults = library.has(LibraryChange::KeysDefaulted);
                let default = || if has_defaults { list.items.topology().map?.default_of(key) } else { None };
                let value = map.get(key).or_else(default)?;
                Some((key.as_borrowed(), value.borrowed()))
            };
            if let [key] = keys
                && let Some((key, value)) = with_value(key)
            {
                return Ok(Some(PathElement::Key(ItemKeys::one(key, value))));
            }
            if !library.has(LibraryChange::KeysOptional)
                && let Some(missing) = keys.iter().find(|key| with_value(key).is_none())
            {
                let message = format!("the item has no {missing}, which is one of its keys");
                return Err(Error::new(ErrorKind::MissingListKeys, message));
            }
            let found: ItemKeys<'_> = keys.iter().filter_map(with_value).collect();
            if found.is_empty() {
                let message = format!("the item has none of its keys ({})", keys.join(", "));
                return Err(Error::new(ErrorKind::MissingListKeys, message));
            }
            Ok(Some(PathElement::Key(found)))
        }
        ItemIdentity::Value | ItemIdentity::Keys(_) => match item {
            Doc::Map(_) | Doc::List(_) | Doc::Null => {
                let message = format!("expected a scalar in a set, found {}", item.kind().with_article());
                Err(Error::new(ErrorKind::InvalidListItem, message))
            }
            scalar => Ok(Some(PathElement::Value(scalar.borrowed()))),
        },
    }
}

/// The items of a list by path element. Items with the same element are in the order of the list.
pub(super) struct ItemIndex<'a> {
    /// The elements, in the order of the list.
    pub(super) elements: Vec<PathElement<'a>>,
    /// The indexes of the items, sorted by element.
    sorted: Vec<usize>,
    /// Whether the list is sorted by element, and all elements differ. As in `sorted`, integers are 64-bit floats.
    is_sorted: bool,
}

impl<'a> ItemIndex<'a> {
    /// Indexes the items of a list that is not atomic.
    ///
    /// # Errors
    ///
    /// The error of the first item without an identity.
    pub(super) fn new(list: &ListTopology<'a>, items: &'a [Doc<'_>]) -> Result<Self> {
        let (index, error) = Self::until_error(list, items);
        error.map_or(Ok(index), Err)
    }

    /// Indexes the items before the first one without an identity. Returns the error of that item, too.
    pub(super) fn until_error(list: &ListTopology<'a>, items: &'a [Doc<'_>]) -> (Self, Option<Error>) {
        let mut elements = Vec::with_capacity(items.len());
        let mut error = None;
        for (index, item) in items.iter().enumerate() {
            match element_of_item(list, item) {
                Ok(element) => elements.extend(element),
                Err(first) => {
                    error = Some(first.at_index(index));
                    break;
                }
            }
        }
        (Self::of_elements(elements), error)
    }

    /// Indexes items by their elements.
    pub(super) fn of_elements(elements: Vec<PathElement<'a>>) -> Self {
        let mut sorted: Vec<usize> = (0..elements.len()).collect();
        let compare = |a: &usize, b: &usize| elements[*a].cmp_as_floats(&elements[*b]);
        let is_sorted = sorted.is_sorted_by(|a, b| compare(a, b).is_lt());
        if !is_sorted {
            sorted.sort_by(compare);
        }
        ItemIndex { elements, sorted, is_sorted }
    }

    /// Returns a finder of items by element.
    pub(super) fn finder(&self) -> Finder<'_, 'a> {
        Finder { index: self, next: 0 }
    }

    /// Returns the elements, in the order of the list, if it is known that they differ.
    pub(super) fn into_different_elements(self) -> Result<Vec<PathElement<'a>>, Self> {
        if self.is_sorted { Ok(self.elements) } else { Err(self) }
    }

    /// Returns the groups of items with the same element, sorted by element. Each group has at least one item.
    pub(super) fn groups(&self) -> impl Iterator<Item = &[usize]> {
        self.sorted.chunk_by(|a, b| !self.is_sorted && self.elements[*a] == self.elements[*b])
    }

    /// Finds the items whose identity is that of an earlier one, exactly or only if integers are 64-bit floats.
    pub(super) fn clashes(&self) -> Clashes {
        let mut clashes = Clashes::default();
        if self.is_sorted {
            return clashes;
        }
        let is_same_float =
            |a: &usize, b: &usize| self.elements[*a].cmp_as_floats(&self.elements[*b]).is_eq();
        for run in self.sorted.chunk_by(is_same_float).filter(|run| run.len() > 1) {
            // A float can equal two integers that differ. Each element is therefore compared with all earlier ones,
            // of which only one of each kind is kept.
            let mut earlier: Vec<usize> = Vec::new();
            for index in run {
                let element = &self.elements[*index];
                if earlier.iter().any(|other| self.elements[*other] == *element) {
                    clashes.repeated.push(*index);
                }
                let different = earlier.iter().find(|other| self.elements[**other] != *element);
                clashes.indistinct = clashes.indistinct.or(different.map(|other| (*other, *index)));
                if !earlier.iter().any(|other| self.elements[*other].is_identical(element)) {
                    earlier.push(*index);
                }
            }
        }
        clashes
    }
}

/// Finds items by element. It is fastest if the elements that are looked up are sorted.
pub(super) struct Finder<'i, 'a> {
    index: &'i ItemIndex<'a>,
    /// The position in the sorted items that follows those that were found last.
    next: usize,
}

impl<'i> Finder<'i, '_> {
    /// Returns the indexes of the items with this element.
    pub(super) fn find(&mut self, element: &PathElement<'_>) -> &'i [usize] {
        let ItemIndex { elements, sorted, is_sorted } = self.index;
        let order_at = |at: usize| sorted.get(at).map(|index| elements[*index].cmp_as_floats(element));
        let is_first = |at: usize| at.checked_sub(1).and_then(order_at).is_none_or(Ordering::is_lt);
        let from = if order_at(self.next) == Some(Ordering::Equal) && (*is_sorted || is_first(self.next)) {
            self.next
        } else {
            sorted.partition_point(|index| elements[*index].cmp_as_floats(element).is_lt())
        };
        let most = if *is_sorted { 1 } else { sorted.len() };
        let same = sorted[from..].iter().take(most).take_while(|index| elements[**index] == *element).count();
        self.next = from + same;
        &sorted[from..self.next]
    }
}

/// The items of a list whose identity is that of an earlier item.
#[derive(Clone, Debug, Default)]
pub(super) struct Clashes {
    /// The items with the element of an earlier item.
    pub(super) repeated: Vec<usize>,
    /// Two items whose elements are different integers and the same 64-bit float.
    pub(super) indistinct: Option<(usize, usize)>,
}
