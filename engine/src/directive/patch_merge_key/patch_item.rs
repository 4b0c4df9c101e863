//! Items of a patch list that name their merge keys.

use skewer_engine::document::{Doc, Map, OwnedText, Text};
use skewer_engine::error::{Error, ErrorKind, Result};
use skewer_engine::patch::items::{ScalarKey, require_map};
use skewer_engine::patch::{ItemRole, ListMerge, MAX_LISTED_MERGE_KEYS};

/// An item of a patch list, from which the directive `$patchMergeKey` was removed.
pub(super) struct PatchItem<'d> {
    pub(super) map: Map<'d>,
    /// The merge keys that the item lists, without duplicates and in the order of the item.
    pub(super) listed_keys: Vec<OwnedText>,
    /// The role of the item, if another directive of the item (such as `$patch`) determines one.
    pub(super) role: Option<ItemRole>,
    /// The index of the item in the patch list.
    pub(super) index: usize,
}

impl PatchItem<'_> {
    /// Returns true if the patch removes this listed key. The key is then not compared with live items. In a deletion,
    /// a null does not remove the key, but means that the item lacks the key.
    pub(super) fn is_key_removed(&self, name: &str) -> bool {
        self.map.get(name).is_some_and(Doc::is_null) && !self.is_deletion()
    }

    /// Returns true if the item deletes the live item that it matches.
    pub(super) fn is_deletion(&self) -> bool {
        self.role == Some(ItemRole::Deletion)
    }
}

/// Parses the items of a patch list. Checks that each item has and lists the default merge key of the schema, if there
/// is one. `name` is the name of the directive.
pub(super) fn parse_items<'d>(
    name: &str,
    patch: &[Doc<'d>],
    list: ListMerge<'_>,
) -> Result<Vec<PatchItem<'d>>> {
    let items = patch.iter().enumerate();
    items.map(|(index, item)| parse_item(name, index, item, list).map_err(|e| e.at_index(index))).collect()
}

fn parse_item<'d>(name: &str, index: usize, item: &Doc<'d>, list: ListMerge<'_>) -> Result<PatchItem<'d>> {
    let mut map = require_map(item)?.clone();
    let Some(directive_value) = map.remove(name) else {
        return Err(Error::invalid_directive(
            name,
            format!(
                "the item lacks {name}, which other items of the list have: expected it in all items or in none"
            ),
        ));
    };
    let listed_keys = parse_key_names(name, &directive_value)?;
    let has_key = |key| listed_keys.contains(key) && map.get(key).is_some_and(|value| !value.is_null());
    if let Some(default) = list.field.meta.merge_key.first().filter(|default| !has_key(default)) {
        return Err(Error::new(
            ErrorKind::DefaultMergeKeyMissing,
            format!("the default merge key {default} must be in {name} and in the item"),
        ));
    }
    Ok(PatchItem { map, listed_keys, role: list.directives.item_role(item), index })
}

/// Parses the names of the keys that the directive lists, and removes duplicates.
pub(super) fn parse_key_names(directive: &str, directive_value: &Doc) -> Result<Vec<OwnedText>> {
    let malformed = || {
        Error::invalid_directive(
            directive,
            format!("{directive} must be a list of field names, not {directive_value}"),
        )
        .at(directive)
    };
    let values = directive_value.as_list().filter(|names| !names.is_empty()).ok_or_else(malformed)?;
    let mut names = Vec::with_capacity(values.len());
    let mut seen = rustc_hash::FxHashSet::default();
    for value in values {
        let name = value.as_str().ok_or_else(malformed)?;
        if seen.insert(name) {
            names.push(Text::from(name));
        }
        if names.len() > MAX_LISTED_MERGE_KEYS {
            let message = format!(
                "the items of the list name too many different merge keys: expected at most {MAX_LISTED_MERGE_KEYS}"
            );
            return Err(Error::invalid_directive(directive, message).at(directive));
        }
    }
    Ok(names)
}

/// Returns the value of a key. Returns `None` if the item lacks the key.
///
/// # Errors
///
/// [`ErrorKind::NotAScalar`] if the value is a list or a map.
pub(super) fn key_value<'d>(map: &Map<'d>, name: &str) -> Result<Option<ScalarKey<'d>>> {
    let Some(value) = map.get(name) else { return Ok(None) };
    ScalarKey::of(value).map(Some).ok_or_else(|| {
        Error::new(
            ErrorKind::NotAScalar,
            format!("the merge key {name} must be a scalar, not {}", value.kind().with_article()),
        )
    })
}
