//! `$patchMergeKey`: names the merge keys by which an item of a patch list is matched to a live item.
//!
//! The files in this folder use only the public API of the engine, under the name `skewer_engine`, as the code of a
//! third party would. A test compiles these files outside the engine.

mod combine_patches;
mod item_index;
mod patch_item;
mod recommended_keys;

use skewer_engine::directive::{Directive, IntroducedIn, Placement};
use skewer_engine::document::{Doc, Map, OwnedText, Text};
use skewer_engine::error::{Error, Result};
use skewer_engine::patch::items::{common_kind_of, order_matched_items};
use skewer_engine::patch::{Diff, ListChange, ListMerge, Merge, MergeKeys, MergeMode};
use skewer_engine::schema::{Declarations, FieldMeta, TagDeclaration};

use item_index::LiveItemIndex;
use patch_item::PatchItem;

/// `$patchMergeKey: [port, protocol]` in every item of a list.
///
/// Source: patch-merge-key. The directive never shipped, so that the design document alone defines its behaviour. Where
/// the document contradicts itself, the corpus has an erratum that says which statement the engine follows.
#[derive(Debug)]
pub(super) struct PatchMergeKey {
    name: &'static str,
}

/// Name of the directive, as it was proposed.
pub(super) const NAME: &str = "$patchMergeKey";

impl PatchMergeKey {
    /// Creates the directive with another name, or with [`NAME`].
    pub(super) const fn named(name: &'static str) -> Self {
        PatchMergeKey { name }
    }
}

impl Directive for PatchMergeKey {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        "names the merge keys by which an item of a patch list is matched to a live item"
    }

    fn placement(&self) -> Placement {
        Placement::Map
    }

    fn introduced_in(&self) -> IntroducedIn {
        IntroducedIn::Proposal
    }

    fn metadata_tag(&self) -> Option<TagDeclaration> {
        Some(recommended_keys::TAG)
    }

    fn add_proposed_metadata(&self, types: &mut Declarations) {
        recommended_keys::add_recommended_keys(types);
    }

    fn merge_list<'d>(
        &self,
        merge: &Merge<'_>,
        list: ListMerge<'_>,
        live: &mut Vec<Doc<'d>>,
        patch: &mut Vec<Doc<'d>>,
    ) -> Option<Result<()>> {
        let has_directive = |item: &Doc| item.as_map().is_some_and(|map| map.contains_key(self.name));
        if merge.mode() == MergeMode::Combine {
            // Both lists belong to patches, and the items of each can have the directive.
            let is_used = patch.iter().chain(live.iter()).any(has_directive);
            return is_used.then(|| combine_patches::combine_items(self.name, merge, list, live, patch));
        }
        patch.iter().any(has_directive).then(|| merge_by_listed_keys(self.name, merge, list, live, patch))
    }

    fn strip_own_keys(&self, added: &mut Map) {
        added.remove(self.name);
    }

    fn diff_list<'d>(
        &self,
        _diff: &Diff<'_>,
        change: &mut ListChange<'_, 'd>,
        _patch: &mut Map<'d>,
    ) -> Result<()> {
        if !change.is_list_of_maps || self.recommended_merge_keys(&change.field.meta).is_none() {
            return Ok(());
        }
        let keys = change.merge_keys.names();
        let names: Vec<Doc> = keys.iter().cloned().map(Doc::String).collect();
        for map in change.items.iter_mut().filter_map(Doc::as_map_mut) {
            // Here, a null only means that the item lacks the key. In the patch, the null would remove the key from the
            // live item.
            map.retain(|key, value| !(value.is_null() && keys.contains(key)));
            map.insert(Text::from_static(self.name), Doc::List(names.clone()));
        }
        Ok(())
    }

    fn recommended_merge_keys<'a>(&self, meta: &'a FieldMeta) -> Option<MergeKeys<'a>> {
        let names = meta.tag_values(recommended_keys::TAG.name);
        (!names.is_empty()).then(|| {
            if meta.merge_key.is_empty() {
                MergeKeys::without_default(names)
            } else {
                MergeKeys::declared(names)
            }
        })
    }

    fn listed_merge_keys(&self, item: &Map) -> Option<Vec<OwnedText>> {
        // A malformed list is ignored here, because the merge of the item refuses it.
        item.get(self.name).and_then(|listed| patch_item::parse_key_names(self.name, listed).ok())
    }

    fn can_read_multi_field_keys(&self) -> bool {
        // "This proposal depends on #610", which introduces merge keys of several fields.
        true
    }
}

/// Merges a patch list into a live list by the merge keys that the patch items list.
fn merge_by_listed_keys<'d>(
    name: &'static str,
    merge: &Merge<'_>,
    list: ListMerge<'_>,
    live: &mut Vec<Doc<'d>>,
    patch: &[Doc<'d>],
) -> Result<()> {
    common_kind_of(live, patch)?;
    let items = patch_item::parse_items(name, patch, list)?;
    // "The server will apply the deletion and then the create operation."
    let (deletions, items): (Vec<_>, Vec<_>) = items.into_iter().partition(PatchItem::is_deletion);
    if let Some(item) = items.iter().find(|item| item.role.is_some()) {
        let other = list.directives.iter().find(|directive| directive.item_role(&item.map).is_some());
        return Err(Error::invalid_directive(
            other.map_or(name, Directive::name),
            format!(
                "an item with {name} can also be a deletion, but must not have another directive for lists"
            ),
        )
        .at_index(item.index));
    }
    delete_items(name, &deletions, live)?;
    let live_length = live.len();
    let patched = merge_items(name, merge, list, live, items)?;
    *live = order_matched_items(std::mem::take(live), &patched, live_length);
    Ok(())
}

fn delete_items(name: &'static str, deletions: &[PatchItem], live: &mut Vec<Doc>) -> Result<()> {
    let mut live_index = LiveItemIndex::new(name);
    let mut is_deleted = vec![false; live.len()];
    for item in deletions {
        if let Some(index) = live_index.find(item, live)? {
            is_deleted[index] = true;
        }
    }
    let mut is_deleted = is_deleted.into_iter();
    live.retain(|_| !is_deleted.next().unwrap_or_default());
    Ok(())
}

/// Merges patch items into the live list. Returns the indices of the merged live items, in the order of the patch.
fn merge_items<'d>(
    name: &'static str,
    merge: &Merge<'_>,
    list: ListMerge<'_>,
    merged: &mut Vec<Doc<'d>>,
    items: Vec<PatchItem<'d>>,
) -> Result<Vec<usize>> {
    let mut live_index = LiveItemIndex::new(name);
    let mut patched = Vec::with_capacity(items.len());
    let mut is_patched = vec![false; merged.len()];
    for item in items {
        let patch_index = item.index;
        if let Some(index) = live_index.find(&item, merged)? {
            if !std::mem::replace(&mut is_patched[index], true) {
                patched.push(index);
            }
            let Doc::Map(live_item) = &mut merged[index] else { continue };
            // The patch can change the keys of the live item, so that its index entry becomes wrong.
            live_index.remove(index, live_item);
            merge.merge_map(live_item, item.map, list.item_type).map_err(|e| e.at_index(patch_index))?;
            live_index.insert(index, live_item);
        } else if let Some(added) = merge.prepare_new_value(Doc::Map(item.map)) {
            if let Doc::Map(added) = &added {
                live_index.insert(merged.len(), added);
            }
            patched.push(merged.len());
            is_patched.push(true);
            merged.push(added);
        }
    }
    Ok(patched)
}
