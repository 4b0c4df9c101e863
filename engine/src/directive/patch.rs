//! `$patch`: says that a map or a list is replaced or deleted instead of merged.

use super::{Directive, Flow, IntroducedIn, Placement};
use crate::document::{Doc, Map, Text};
use crate::error::{Error, ErrorKind, Result};
use crate::patch::list::identity;
use crate::patch::{Diff, ListChange, ListMerge, Merge, MergeKeys};
use crate::schema::TypeId;

const NAME: &str = "$patch";

/// `$patch: replace | delete`, in a map or in an item of a list of maps.
///
/// Source: strategic-merge-patch, "Basic Patch Format". Upstream: `handleDirectiveInMergeMap`,
/// `mergeSliceWithSpecialElements`, `removeDirectives`, `CreateDeleteDirective`.
#[derive(Debug)]
pub(super) struct Patch;

impl Directive for Patch {
    fn name(&self) -> &'static str {
        NAME
    }

    fn placement(&self) -> Placement {
        Placement::Map
    }

    fn introduced_in(&self) -> IntroducedIn {
        IntroducedIn::Release(0)
    }

    fn merge_map<'d>(
        &self,
        _merge: &Merge<'_>,
        live: &mut Map<'d>,
        patch: &mut Map<'d>,
        _ty: TypeId,
    ) -> Result<Flow> {
        match patch.remove(NAME) {
            Some(Doc::String(value)) if value == "replace" => *live = std::mem::take(patch),
            // The document says that the map is deleted; what shipped leaves an empty one.
            Some(Doc::String(value)) if value == "delete" => *live = Map::new(),
            Some(other) => return Err(unknown(&other)),
            None => return Ok(Flow::Continue),
        }
        Ok(Flow::Done)
    }

    fn merge_items<'d>(
        &self,
        list: ListMerge<'_>,
        live: &mut Vec<Doc<'d>>,
        patch: &mut Vec<Doc<'d>>,
    ) -> Result<()> {
        if !patch.iter().any(|item| item.as_map().is_some_and(|m| m.contains_key(NAME))) {
            return Ok(());
        }
        let mut plain = Vec::with_capacity(patch.len());
        let mut deleted = identity::KeySet::default();
        let mut replace = false;
        for (index, item) in std::mem::take(patch).into_iter().enumerate() {
            let directive = item.as_map().and_then(|m| m.get(NAME));
            match directive.map(|value| value.as_str().unwrap_or_default()) {
                None => plain.push(item),
                Some("replace") => replace = true,
                Some("delete") => deleted.insert(list.keys, &item, live).map_err(|e| e.at_index(index))?,
                Some("merge") => {
                    return Err(Error::new(
                        ErrorKind::MergeDirectiveInList,
                        "$patch: merge is not for items of a list: leave it out, merging is what happens without it",
                    )
                    .at_index(index));
                }
                Some(_) => {
                    return Err(directive.map_or_else(|| unknown(&item), unknown).at_index(index));
                }
            }
        }
        deleted.remove_from(list.keys, live)?;
        if replace {
            // What else the list says by directive is pruned with it.
            *live = plain;
        } else {
            *patch = plain;
        }
        Ok(())
    }

    fn is_storable(&self, added: &Map) -> bool {
        !added.contains_key(NAME)
    }

    fn diff_own_key<'d>(&self, original: &Doc<'d>, modified: &Doc<'d>) -> Option<Result<Option<Doc<'d>>>> {
        Some(match (original, modified) {
            (Doc::String(before), Doc::String(after)) => Ok((before != after).then(|| modified.clone())),
            _ => Err(unknown(if original.as_str().is_some() { modified } else { original })),
        })
    }

    fn diff_list<'d>(
        &self,
        _diff: &Diff<'_>,
        change: &mut ListChange<'_, 'd>,
        _patch: &mut Map<'d>,
    ) -> Result<()> {
        if change.of_maps {
            for mut item in std::mem::take(&mut change.deletions) {
                if let Some(map) = item.as_map_mut() {
                    map.insert(Text::const_new(NAME), Doc::from("delete"));
                }
                change.items.push(item);
            }
        }
        Ok(())
    }

    fn conflicts(&self, left: Option<&Doc>, right: Option<&Doc>) -> Result<bool> {
        // It speaks of the whole map: two patches agree only if both say the same.
        match (left, right) {
            (Some(left), Some(right)) => identity::same(MergeKeys::NONE, left, right).map(|same| !same),
            (left, right) => Ok(left.is_some() != right.is_some()),
        }
    }
}

fn unknown(value: &Doc) -> Error {
    Error::new(
        ErrorKind::UnknownPatchDirective,
        format!("unknown value {value} of $patch: expected replace or delete"),
    )
}
