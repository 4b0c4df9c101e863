//! The identity of list items. Upstream: `listItemToPathElement`.

use super::field_set::PathElement;
use super::topology::{ItemIdentity, ListTopology};
use crate::document::{Doc, Text};
use crate::error::{Error, ErrorKind, Result};

/// Returns the path element of an item, or `None` if the list is atomic.
///
/// # Errors
///
/// - [`ErrorKind::InvalidListItem`] if an item with keys is not a map, or if an item of a set is not a scalar
/// - [`ErrorKind::MissingListKeys`] if an item has none of its keys, and none of them has a default
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
            let map_type = list.items.topology().map;
            let mut found: Vec<(Text<'a>, Doc<'a>)> = Vec::with_capacity(keys.len());
            for key in keys {
                let default = || map_type.and_then(|map_type| map_type.default_of(key));
                if let Some(value) = map.get(key).or_else(default) {
                    found.push((Text::borrowed(key), borrow(value)));
                }
            }
            if found.is_empty() {
                let message = format!("the item has none of its keys ({})", keys.join(", "));
                return Err(Error::new(ErrorKind::MissingListKeys, message));
            }
            found.sort_by(|a, b| a.0.cmp(&b.0));
            Ok(Some(PathElement::Key(found)))
        }
        ItemIdentity::Value | ItemIdentity::Keys(_) => match item {
            Doc::Map(_) | Doc::List(_) | Doc::Null => {
                let message = format!("expected a scalar in a set, found {}", item.kind().with_article());
                Err(Error::new(ErrorKind::InvalidListItem, message))
            }
            scalar => Ok(Some(PathElement::Value(borrow(scalar)))),
        },
    }
}

/// Returns a copy of a value that borrows its strings.
pub(super) fn borrow<'a>(value: &'a Doc<'_>) -> Doc<'a> {
    match value {
        Doc::Null => Doc::Null,
        Doc::Bool(value) => Doc::Bool(*value),
        Doc::Int(value) => Doc::Int(*value),
        Doc::Float(value) => Doc::Float(*value),
        Doc::String(text) => Doc::String(Text::borrowed(text)),
        Doc::List(items) => Doc::List(items.iter().map(borrow).collect()),
        Doc::Map(map) => {
            Doc::Map(map.iter().map(|(key, value)| (Text::borrowed(key), borrow(value))).collect())
        }
    }
}

/// The items of a list by path element. Items with the same element are in the order of the list.
pub(super) struct ItemIndex<'a> {
    /// The elements, in the order of the list.
    pub(super) elements: Vec<PathElement<'a>>,
    /// The indexes of the items, sorted by element.
    sorted: Vec<usize>,
}

impl<'a> ItemIndex<'a> {
    /// Indexes the items of a list that is not atomic.
    ///
    /// # Errors
    ///
    /// The error of the first item without an identity.
    pub(super) fn new(list: &ListTopology<'a>, items: &'a [Doc<'_>]) -> Result<Self> {
        let mut elements = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            elements.extend(element_of_item(list, item).map_err(|error| error.at_index(index))?);
        }
        Ok(Self::of_elements(elements))
    }

    /// Indexes items by their elements.
    pub(super) fn of_elements(elements: Vec<PathElement<'a>>) -> Self {
        let mut sorted: Vec<usize> = (0..elements.len()).collect();
        let compare = |a: &usize, b: &usize| elements[*a].cmp_as_floats(&elements[*b]);
        if !sorted.is_sorted_by(|a, b| compare(a, b).is_lt()) {
            sorted.sort_by(compare);
        }
        ItemIndex { elements, sorted }
    }

    /// Returns the indexes of the items with this element.
    pub(super) fn find(&self, element: &PathElement<'_>) -> &[usize] {
        let from = self.sorted.partition_point(|index| self.elements[*index].cmp_as_floats(element).is_lt());
        let same = self.sorted[from..].iter().take_while(|index| self.elements[**index] == *element).count();
        &self.sorted[from..from + same]
    }

    /// Returns the groups of items with the same element, sorted by element. Each group has at least one item.
    pub(super) fn groups(&self) -> impl Iterator<Item = &[usize]> {
        self.sorted.chunk_by(|a, b| self.elements[*a] == self.elements[*b])
    }

    /// Finds the items whose identity is that of an earlier one, exactly or only if integers are 64-bit floats.
    pub(super) fn clashes(&self) -> Clashes {
        let mut clashes = Clashes::default();
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

/// The items of a list whose identity is that of an earlier item.
#[derive(Clone, Debug, Default)]
pub(super) struct Clashes {
    /// The items with the element of an earlier item.
    pub(super) repeated: Vec<usize>,
    /// Two items whose elements are different integers and the same 64-bit float.
    pub(super) indistinct: Option<(usize, usize)>,
}
