//! `$patchMergeKey`: the client says by which keys an item of its patch is to be found.

mod combine;
mod impacted;
mod item;
mod item_index;

use super::{Directive, IntroducedIn, Placement};
use crate::document::{Doc, Map, OwnedText, Text};
use crate::error::{Error, ErrorKind, Result};
use crate::patch::list::{element_order, identity};
use crate::patch::{Diff, ListChange, ListMerge, Merge, MergeKeys, MergeMode};
use crate::schema::{Declarations, FieldMeta, MetadataTag};

use item::{Item, is_deletion};
use item_index::ItemIndex;

const NAME: &str = "$patchMergeKey";

/// `$patchMergeKey: [port, protocol]` in every item of a list.
///
/// Source: patch-merge-key. It never shipped; the rules are the document's, and where it contradicts itself
/// the choice is an erratum of the corpus.
#[derive(Debug)]
pub(super) struct PatchMergeKey;

impl Directive for PatchMergeKey {
    fn name(&self) -> &'static str {
        NAME
    }

    fn placement(&self) -> Placement {
        Placement::Map
    }

    fn introduced_in(&self) -> IntroducedIn {
        IntroducedIn::Proposal
    }

    fn tag(&self) -> Option<MetadataTag> {
        Some(MetadataTag::RecommendedPatchMergeKey)
    }

    fn amend(&self, types: &mut Declarations) {
        impacted::recommend(types);
    }

    fn merge_list<'d>(
        &self,
        merge: &Merge<'_>,
        list: ListMerge<'_>,
        live: &mut Vec<Doc<'d>>,
        patch: &mut Vec<Doc<'d>>,
    ) -> Option<Result<()>> {
        let asks = |item: &Doc| item.as_map().is_some_and(|map| map.contains_key(NAME));
        if merge.mode() == MergeMode::Combine {
            // Both are patches, and either can be the one that has it.
            let asked = patch.iter().chain(live.iter()).any(asks);
            return asked.then(|| combine::combine(merge, list, live, patch));
        }
        patch.iter().any(asks).then(|| by_listed_keys(merge, list, live, patch))
    }

    fn strip(&self, added: &mut Map) {
        added.remove(NAME);
    }

    fn diff_list<'d>(
        &self,
        _diff: &Diff<'_>,
        change: &mut ListChange<'_, 'd>,
        _patch: &mut Map<'d>,
    ) -> Result<()> {
        if !change.of_maps || self.identity(&change.field.meta).is_none() {
            return Ok(());
        }
        let keys = change.keys.names();
        let names: Vec<Doc> = keys.iter().cloned().map(Doc::String).collect();
        for map in change.items.iter_mut().filter_map(Doc::as_map_mut) {
            // An item that has a null for a key lacks it. In the patch the null would take the key from an item
            // that has it.
            map.retain(|key, value| !(value.is_null() && keys.contains(key)));
            map.insert(Text::const_new(NAME), Doc::List(names.clone()));
        }
        Ok(())
    }

    fn identity<'a>(&self, meta: &'a FieldMeta) -> Option<MergeKeys<'a>> {
        let names = &meta.recommended_merge_key;
        (!names.is_empty()).then(|| {
            if meta.merge_key.is_empty() {
                MergeKeys::without_default(names)
            } else {
                MergeKeys::declared(names)
            }
        })
    }

    fn listed_keys(&self, item: &Map) -> Option<Vec<OwnedText>> {
        // What is malformed is refused when the item is merged.
        item.get(NAME).and_then(|listed| item::names(listed).ok())
    }

    fn reads_multi_field_keys(&self) -> bool {
        // "This proposal depends on #610", which is of keys of several fields.
        true
    }
}

fn by_listed_keys<'d>(
    merge: &Merge<'_>,
    list: ListMerge<'_>,
    live: &mut Vec<Doc<'d>>,
    patch: &[Doc<'d>],
) -> Result<()> {
    identity::common_kind([live.as_slice(), patch])?;
    let mut items = item::read(patch, &list.field.meta)?;
    // "The server will apply the deletion and then the create operation."
    let deletions: Vec<Item> = items.extract_if(.., |item| is_deletion(&item.map)).collect();
    if let Some(item) = items.iter().find(|item| item.map.contains_key("$patch")) {
        return Err(Error::new(
            ErrorKind::UnknownPatchDirective,
            "beside $patchMergeKey an item can say `$patch: delete` and nothing else",
        )
        .at_index(item.index));
    }
    delete(&deletions, live)?;
    let from_live = live.len();
    let patched = merge_items(merge, list, live, items)?;
    *live = element_order::arrange(std::mem::take(live), &patched, from_live);
    Ok(())
}

fn delete(deletions: &[Item], live: &mut Vec<Doc>) -> Result<()> {
    let mut places = ItemIndex::default();
    let mut deleted = vec![false; live.len()];
    for item in deletions {
        if let Some(place) = places.find(item, live)? {
            deleted[place] = true;
        }
    }
    let mut deleted = deleted.into_iter();
    live.retain(|_| !deleted.next().unwrap_or_default());
    Ok(())
}

/// Merges items into the list, and gives the places of those that the patch names, in its order.
fn merge_items<'d>(
    merge: &Merge<'_>,
    list: ListMerge<'_>,
    merged: &mut Vec<Doc<'d>>,
    items: Vec<Item<'d>>,
) -> Result<Vec<usize>> {
    let mut places = ItemIndex::default();
    let mut patched = Vec::with_capacity(items.len());
    let mut is_patched = vec![false; merged.len()];
    for item in items {
        let at = item.index;
        if let Some(place) = places.find(&item, merged)? {
            if !std::mem::replace(&mut is_patched[place], true) {
                patched.push(place);
            }
            let Doc::Map(held) = &mut merged[place] else { continue };
            // The patch may change what the item is found by.
            places.take_out(place, held);
            merge.merge_map(held, item.map, list.item).map_err(|e| e.at_index(at))?;
            places.put(place, held);
        } else if let Some(added) = merge.storable(Doc::Map(item.map)) {
            if let Doc::Map(added) = &added {
                places.put(merged.len(), added);
            }
            patched.push(merged.len());
            is_patched.push(true);
            merged.push(added);
        }
    }
    Ok(patched)
}
