//! Items of a patch that say what they are found by.

use super::NAME;
use crate::document::{Doc, Map, OwnedText, Text};
use crate::error::{Error, ErrorKind, Result};
use crate::patch::list::identity::{self, ScalarKey};
use crate::patch::list::merge::{MAX_LISTED_KEYS, too_many_keys};
use crate::schema::FieldMeta;

/// An item of the patch, its directive taken out.
pub(super) struct Item<'d> {
    pub(super) map: Map<'d>,
    /// The keys that it is found by, as it lists them, each once.
    pub(super) listed: Vec<OwnedText>,
    /// Its place in the patch.
    pub(super) index: usize,
}

impl Item<'_> {
    /// Is this listed key to be removed, and so none that the item is found by? In a deletion, which changes
    /// nothing, a null is the lack of a key.
    pub(super) fn removes(&self, name: &str) -> bool {
        self.map.get(name).is_some_and(Doc::is_null) && !is_deletion(&self.map)
    }
}

/// The items of a patch list, checked against the schema's default key.
pub(super) fn read<'d>(patch: &[Doc<'d>], meta: &FieldMeta) -> Result<Vec<Item<'d>>> {
    let items = patch.iter().enumerate();
    items.map(|(index, item)| read_item(item, index, meta).map_err(|e| e.at_index(index))).collect()
}

fn read_item<'d>(item: &Doc<'d>, index: usize, meta: &FieldMeta) -> Result<Item<'d>> {
    let mut map = identity::as_map(item)?.clone();
    let Some(listed) = map.remove(NAME) else {
        return Err(Error::new(
            ErrorKind::BadPatchMergeKey,
            "this item has no $patchMergeKey, and others of its list have: it must be in all or in none",
        ));
    };
    let listed = names(&listed)?;
    if let Some(default) = meta.merge_key.first()
        && !(listed.contains(default) && map.get(default).is_some_and(|value| !value.is_null()))
    {
        return Err(Error::new(
            ErrorKind::DefaultMergeKeyMissing,
            format!("the default merge key {default} must be in $patchMergeKey and in the item"),
        ));
    }
    Ok(Item { map, listed, index })
}

/// The names that the directive lists, each once.
pub(super) fn names(listed: &Doc) -> Result<Vec<OwnedText>> {
    let malformed = || {
        Error::new(
            ErrorKind::BadPatchMergeKey,
            format!("$patchMergeKey must be a list of field names, not {listed}"),
        )
        .at(NAME)
    };
    let values = listed.as_list().filter(|names| !names.is_empty()).ok_or_else(malformed)?;
    let mut names = Vec::with_capacity(values.len());
    let mut seen = rustc_hash::FxHashSet::default();
    for value in values {
        let name = value.as_str().ok_or_else(malformed)?;
        if seen.insert(name) {
            names.push(Text::from(name));
        }
        if names.len() > MAX_LISTED_KEYS {
            return Err(too_many_keys().at(NAME));
        }
    }
    Ok(names)
}

pub(super) fn is_deletion(map: &Map) -> bool {
    map.get("$patch").and_then(Doc::as_str) == Some("delete")
}

/// The value of a key; `None` where the item lacks it. [`ErrorKind::NotAScalar`] for a list or a map.
pub(super) fn scalar<'d>(map: &Map<'d>, name: &str) -> Result<Option<ScalarKey<'d>>> {
    let Some(value) = map.get(name) else { return Ok(None) };
    ScalarKey::of(value).map(Some).ok_or_else(|| {
        Error::new(
            ErrorKind::NotAScalar,
            format!("the merge key {name} must be a scalar, not {}", value.kind().described()),
        )
    })
}
