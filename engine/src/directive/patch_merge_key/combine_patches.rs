//! Combining two patches of the same list, if the items of the patches list their own merge keys.

use rustc_hash::FxHashMap;

use super::patch_item::{self, PatchItem, key_value};
use skewer_engine::document::{Doc, OwnedText, Text};
use skewer_engine::error::Result;
use skewer_engine::patch::items::ScalarKey;
use skewer_engine::patch::{ListMerge, Merge};

/// The live item that a patch item addresses, and the effect of the patch item on it. A null merge key and a missing
/// merge key make different targets, because the null removes the key from the live item.
#[derive(PartialEq, Eq, Hash)]
struct ItemTarget<'d> {
    is_deletion: bool,
    key_values: Vec<(OwnedText, Option<ScalarKey<'d>>)>,
}

impl<'d> ItemTarget<'d> {
    fn of(item: &PatchItem<'d>) -> Result<Self> {
        let name_and_value = |name: &OwnedText| key_value(&item.map, name).map(|value| (name.clone(), value));
        let mut key_values = item
            .listed_keys
            .iter()
            .map(name_and_value)
            .collect::<Result<Vec<_>>>()
            .map_err(|e| e.at_index(item.index))?;
        key_values.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(ItemTarget { is_deletion: item.is_deletion(), key_values })
    }
}

struct CombinedItem<'d> {
    item: PatchItem<'d>,
    /// The index of the item in the later patch, or `None` if only the earlier patch has the item.
    later_index: Option<usize>,
}

/// Merges the items of a later patch into the items of an earlier patch. Two items with the same target become one
/// item. A deletion in the later patch replaces a change of the same live item in the earlier patch.
pub(super) fn combine_items<'d>(
    name: &'static str,
    merge: &Merge<'_>,
    list: ListMerge<'_>,
    combined: &mut Vec<Doc<'d>>,
    later_patch: &[Doc<'d>],
) -> Result<()> {
    let mut items: Vec<Option<CombinedItem>> = Vec::with_capacity(combined.len() + later_patch.len());
    let mut indices: FxHashMap<ItemTarget, usize> = FxHashMap::default();
    for item in patch_item::parse_items(name, combined, list)? {
        indices.entry(ItemTarget::of(&item)?).or_insert(items.len());
        items.push(Some(CombinedItem { item, later_index: None }));
    }
    for item in patch_item::parse_items(name, later_patch, list)? {
        let target = ItemTarget::of(&item)?;
        if target.is_deletion {
            let change = ItemTarget { is_deletion: false, key_values: target.key_values.clone() };
            if let Some(changed) = indices.remove(&change) {
                // Applying a patch processes deletions first. If the earlier change were kept, it would add the item
                // again.
                items[changed] = None;
            }
        }
        let later_index = Some(item.index);
        match indices.get(&target).and_then(|index| items[*index].as_mut()) {
            Some(_) if target.is_deletion => {}
            Some(earlier) => {
                earlier.later_index = earlier.later_index.or(later_index);
                let merged = merge.merge_map(&mut earlier.item.map, item.map, list.item_type);
                merged.map_err(|e| e.at_index(item.index))?;
            }
            None => {
                indices.insert(target, items.len());
                items.push(Some(CombinedItem { item, later_index }));
            }
        }
    }
    let mut items: Vec<CombinedItem> = items.into_iter().flatten().collect();
    // If the live object does not have the list, this list is stored. The items of the later patch therefore keep their
    // order.
    items.sort_by_key(|combined_item| combined_item.later_index);
    *combined = items.into_iter().map(|combined_item| item_into_doc(name, combined_item.item)).collect();
    Ok(())
}

/// Converts an item into a document, and puts the directive back into the document.
fn item_into_doc<'d>(name: &'static str, item: PatchItem<'d>) -> Doc<'d> {
    let mut map = item.map;
    map.insert(Text::from_static(name), Doc::List(item.listed_keys.into_iter().map(Doc::String).collect()));
    Doc::Map(map)
}
