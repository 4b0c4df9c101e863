//! What changed between two merging lists.

use super::element_order;
use super::identity::{self, MergeKeys, Positions, as_map, key_of};
use super::matching::{self, Matched};
use crate::document::{Doc, Kind, Text};
use crate::error::{Error, Result};
use crate::patch::diff::{Diff, MapDiff};
use crate::patch::go_compat::slice_aliasing::deduplicate;
use crate::patch::go_compat::text::go_text;
use crate::schema::{Field, TypeId};

/// The difference between two merging lists, before directives have written it down.
#[derive(Debug)]
pub struct ListChange<'a, 'd> {
    /// The field that holds the list.
    pub field: &'a Field,
    /// The key that the documents have for it, which can be in another case.
    pub key: &'a str,
    /// The keys by which its items are told apart; none for scalars.
    pub keys: MergeKeys<'a>,
    /// The lists hold maps.
    pub of_maps: bool,
    /// The modified list.
    pub modified: &'a [Doc<'d>],
    /// What goes into the patch's list: additions and changes.
    pub items: Vec<Doc<'d>>,
    /// What was deleted: scalars, or maps with just the merge keys. A directive that can say so takes them.
    pub deletions: Vec<Doc<'d>>,
    /// Content or order changed, so that the order is worth saying.
    pub wants_order: bool,
}

impl Diff<'_> {
    /// Upstream: `diffLists`; `None` when there is nothing to say.
    pub(in crate::patch) fn lists<'l, 'd>(
        &self,
        (key, field, item): (&'l str, &'l Field, TypeId),
        keys: MergeKeys<'l>,
        original: &[Doc<'d>],
        modified: &'l [Doc<'d>],
    ) -> Result<Option<ListChange<'l, 'd>>> {
        let options = self.options();
        let mut change = ListChange {
            field,
            key,
            keys,
            of_maps: true,
            modified,
            items: Vec::new(),
            deletions: Vec::new(),
            wants_order: false,
        };
        if original.is_empty() {
            if modified.is_empty() || options.ignore_changes_and_additions {
                return Ok(None);
            }
            // The list is added whole: no order is given, and none is needed.
            change.of_maps = identity::common_kind([modified]).is_ok_and(|kind| kind == Kind::Map);
            change.items = self.added_items(modified, item)?;
            return Ok(Some(change));
        }
        change.of_maps = identity::common_kind([original, modified])? == Kind::Map;
        if change.of_maps {
            change.keys = keys.or_unnamed();
            let seen = self.lists_of_maps(item, original, &mut change)?.filter(|_| !keys.is_empty());
            let same_order = seen.map_or_else(|| is_order_same(original, modified, keys), Ok)?;
            self.decide_order(same_order, &mut change);
        } else {
            self.lists_of_scalars(original, &mut change)?;
        }
        Ok(Some(change))
    }

    /// Upstream: `diffListsOfMaps` and the map branch of `diffLists`. Says whether the lists have the same items in the
    /// same order, where that was seen.
    fn lists_of_maps<'d>(
        &self,
        item: TypeId,
        original: &[Doc<'d>],
        change: &mut ListChange<'_, 'd>,
    ) -> Result<Option<bool>> {
        if let Some(matched) = Matched::of(change.keys, original, change.modified) {
            self.matched_maps(&matched, item, original, change)?;
            return Ok(Some(matched.is_same_order()));
        }
        self.sorted_maps(item, original, change)?;
        Ok(None)
    }

    /// Each item of the modified list beside its match.
    fn matched_maps<'d>(
        &self,
        matched: &Matched,
        item: TypeId,
        original: &[Doc<'d>],
        change: &mut ListChange<'_, 'd>,
    ) -> Result<()> {
        let options = self.options();
        // Upstream goes by the text of the keys, and stops at the first that it cannot compare.
        let mut first_error: Option<(Option<Text<'_>>, Error)> = None;
        for (index, (after, place)) in change.modified.iter().zip(&matched.places).enumerate() {
            let before = place.map(|place| &original[place]);
            if before.is_some_and(|before| self.is_same_at_once(before, after)) {
                continue;
            }
            match before.map(|before| self.maps_of(item, (before, after), change)) {
                Some(Ok(patch)) => change.items.extend(patch),
                Some(Err(error)) => {
                    let name = matching::name(change.keys, after);
                    if first_error.as_ref().is_none_or(|(first, _)| name < *first) {
                        first_error = Some((name, error.at_index(index)));
                    }
                }
                None if options.ignore_changes_and_additions => {}
                None => change.items.push(self.added_item(after, item).map_err(|e| e.at_index(index))?),
            }
        }
        if let Some((_, error)) = first_error {
            return Err(error);
        }
        if !options.ignore_deletions {
            let only_keys = |place: &usize| identity::only_keys(change.keys, &original[*place]);
            change.deletions.extend(matched.gone(change.keys, original).iter().map(only_keys));
        }
        Ok(())
    }

    /// Are these items the same, and is that all there is to say? Where they hold lists or maps, or a directive has
    /// something to say of what did not change, it takes a comparison to know.
    fn is_same_at_once(&self, before: &Doc, after: &Doc) -> bool {
        let (Doc::Map(before), Doc::Map(after)) = (before, after) else { return false };
        !self.directives().acts_unasked()
            && before.len() == after.len()
            && before.iter().zip(after.iter()).all(|(before, after)| before == after && before.1.is_scalar())
    }

    /// The patch of an item with its merge keys; none when nothing changed.
    fn maps_of<'d>(
        &self,
        item: TypeId,
        (before, after): (&Doc<'d>, &Doc<'d>),
        change: &ListChange<'_, 'd>,
    ) -> Result<Option<Doc<'d>>> {
        let (before, after) = (as_map(before)?, as_map(after)?);
        let compared =
            MapDiff { original: before, modified: after, retain_keys: change.field.meta.retain_keys };
        let mut patch = self.maps(&compared, item)?;
        if patch.is_empty() {
            return Ok(None);
        }
        for key in change.keys.names() {
            if let Some(value) = after.get(key) {
                patch.insert(key.clone(), value.clone());
            }
        }
        Ok(Some(Doc::Map(patch)))
    }

    /// Both lists sorted, as upstream does it always.
    fn sorted_maps<'d>(
        &self,
        item: TypeId,
        original: &[Doc<'d>],
        change: &mut ListChange<'_, 'd>,
    ) -> Result<()> {
        let options = self.options();
        let before = sorted(change.keys, original)?;
        let after = sorted(change.keys, change.modified)?;
        let (mut before_at, mut after_at) = (0, 0);
        loop {
            let (before, after) = (before.get(before_at), after.get(after_at));
            for named in [before, after].into_iter().flatten() {
                // Only when its turn has come: an earlier item may be refused for another reason.
                key_of(change.keys, named.item).map_err(|e| e.at_index(named.index))?;
            }
            match (before, after) {
                (Some(b), Some(a)) if a.name == b.name => {
                    let patch = self.maps_of(item, (b.item, a.item), change);
                    change.items.extend(patch.map_err(|e| e.at_index(a.index))?);
                    before_at += 1;
                    after_at += 1;
                }
                (b, Some(a)) if b.is_none_or(|b| b.name > a.name) => {
                    if !options.ignore_changes_and_additions {
                        let added = self.added_item(a.item, item).map_err(|e| e.at_index(a.index))?;
                        change.items.push(added);
                    }
                    after_at += 1;
                }
                (Some(b), _) => {
                    if !options.ignore_deletions {
                        change.deletions.push(identity::only_keys(change.keys, &original[b.index]));
                    }
                    before_at += 1;
                }
                (None, _) => break,
            }
        }
        let wanted = Positions::of(change.keys, change.modified);
        change.items =
            element_order::sort(std::mem::take(&mut change.items), &wanted, change.keys, Kind::Map)?;
        Ok(())
    }

    fn added_items<'d>(&self, items: &[Doc<'d>], ty: TypeId) -> Result<Vec<Doc<'d>>> {
        let items = items.iter().enumerate();
        items.map(|(index, item)| self.added_item(item, ty).map_err(|e| e.at_index(index))).collect()
    }

    fn added_item<'d>(&self, item: &Doc<'d>, ty: TypeId) -> Result<Doc<'d>> {
        match item {
            Doc::Map(map) => self.added_map(map, ty).map(Doc::Map),
            other => Ok(other.clone()),
        }
    }

    fn decide_order(&self, same_order: bool, change: &mut ListChange<'_, '_>) {
        let options = self.options();
        let says_something = !change.items.is_empty() || !change.deletions.is_empty();
        change.wants_order = (!options.ignore_changes_and_additions && (says_something || !same_order))
            || (!options.ignore_deletions && says_something);
    }

    /// Upstream: `diffListsOfScalars` and the last branch of `diffLists`.
    fn lists_of_scalars<'d>(&self, original: &[Doc<'d>], change: &mut ListChange<'_, 'd>) -> Result<()> {
        let options = self.options();
        let before = sorted_scalars(original);
        let after = sorted_scalars(change.modified);
        // Upstream sorts the original in place and only then asks whether the lists differ: a mere change of
        // order goes unsaid when the modified list is sorted, and an unsorted list always has its order said.
        let differ = !before.iter().map(|(_, value)| *value).eq(change.modified.iter());
        let (mut before_at, mut after_at) = (0, 0);
        loop {
            match (before.get(before_at), after.get(after_at)) {
                (Some((b, _)), Some((a, _))) if a == b => {
                    before_at += 1;
                    after_at += 1;
                }
                (b, Some((a, value))) if b.is_none_or(|(b, _)| b > a) => {
                    if !options.ignore_changes_and_additions {
                        change.items.push((*value).clone());
                    }
                    after_at += 1;
                }
                (Some((_, value)), _) => {
                    if !options.ignore_deletions {
                        change.deletions.push((*value).clone());
                    }
                    before_at += 1;
                }
                (None, _) => break,
            }
        }
        deduplicate(&mut change.deletions);
        let wanted = Positions::of(MergeKeys::NONE, change.modified);
        change.items =
            element_order::sort(std::mem::take(&mut change.items), &wanted, MergeKeys::NONE, Kind::String)?;
        change.wants_order = (!options.ignore_deletions && !change.deletions.is_empty())
            || (!options.ignore_changes_and_additions && differ);
        Ok(())
    }
}

/// An item of a list of maps, with what upstream calls it by.
struct Named<'a, 'd> {
    name: Vec<Text<'d>>,
    item: &'a Doc<'d>,
    index: usize,
}

/// The items by the text of their merge keys. Upstream: `sortMergeListsByNameArray`.
///
/// Of equal keys the later comes first: upstream's order is less-or-equal, with which Go's sort reverses
/// them (up to 12 items; beyond that its order of equal keys is an accident of the algorithm).
fn sorted<'a, 'd>(keys: MergeKeys<'_>, list: &'a [Doc<'d>]) -> Result<Vec<Named<'a, 'd>>> {
    let mut items = Vec::with_capacity(list.len());
    for (index, item) in list.iter().enumerate().rev() {
        let map = as_map(item)?;
        // A key that is missing is sorted as null is.
        let name = keys.names().iter().map(|key| go_text(map.get(key).unwrap_or(&Doc::Null))).collect();
        items.push(Named { name, item, index });
    }
    items.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(items)
}

fn sorted_scalars<'l, 'd>(list: &'l [Doc<'d>]) -> Vec<(Text<'d>, &'l Doc<'d>)> {
    let mut scalars: Vec<_> = list.iter().rev().map(|value| (go_text(value), value)).collect();
    scalars.sort_by(|a, b| a.0.cmp(&b.0));
    scalars
}

/// Upstream: `isOrderSame`.
fn is_order_same(original: &[Doc], modified: &[Doc], keys: MergeKeys<'_>) -> Result<bool> {
    if original.len() != modified.len() {
        return Ok(false);
    }
    for (before, after) in original.iter().zip(modified) {
        if !identity::same(keys, before, after)? {
            return Ok(false);
        }
    }
    Ok(true)
}
