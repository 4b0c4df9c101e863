//! `$patch`: replaces or deletes a map or a list instead of merging it.

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
pub(super) struct PatchDirective;

impl Directive for PatchDirective {
    fn name(&self) -> &'static str {
        NAME
    }

    fn placement(&self) -> Placement {
        Placement::Map
    }

    fn introduced_in(&self) -> IntroducedIn {
        IntroducedIn::Release(0)
    }

    fn before_merge_map<'d>(
        &self,
        _merge: &Merge<'_>,
        live: &mut Map<'d>,
        patch: &mut Map<'d>,
        _ty: TypeId,
    ) -> Result<Flow> {
        match patch.remove(NAME) {
            Some(Doc::String(value)) if value == "replace" => *live = std::mem::take(patch),
            // According to the document the map is deleted; the shipped behaviour leaves an empty one.
            Some(Doc::String(value)) if value == "delete" => *live = Map::new(),
            Some(other) => return Err(unknown_value(&other)),
            None => return Ok(Flow::Continue),
        }
        Ok(Flow::Done)
    }

    fn before_merge_items<'d>(
        &self,
        list: ListMerge<'_>,
        live: &mut Vec<Doc<'d>>,
        patch: &mut Vec<Doc<'d>>,
    ) -> Result<()> {
        if !patch.iter().any(|item| item.as_map().is_some_and(|m| m.contains_key(NAME))) {
            return Ok(());
        }
        let mut merged_items = Vec::with_capacity(patch.len());
        let mut deletions = identity::DeletionKeys::default();
        let mut is_replacement = false;
        for (index, item) in std::mem::take(patch).into_iter().enumerate() {
            let directive = item.as_map().and_then(|m| m.get(NAME));
            match directive.map(|value| value.as_str().unwrap_or_default()) {
                None => merged_items.push(item),
                Some("replace") => is_replacement = true,
                Some("delete") => {
                    deletions.insert(list.merge_keys, &item, live).map_err(|e| e.at_index(index))?;
                }
                Some("merge") => {
                    return Err(Error::new(
                        ErrorKind::MergeDirectiveInList,
                        "$patch: merge is not for items of a list: leave it out, merging is what happens without it",
                    )
                    .at_index(index));
                }
                Some(_) => {
                    return Err(directive
                        .map_or_else(|| unknown_value(&item), unknown_value)
                        .at_index(index));
                }
            }
        }
        deletions.remove_from(list.merge_keys, live)?;
        if is_replacement {
            // The other directives of the patch list have no effect then.
            *live = merged_items;
        } else {
            *patch = merged_items;
        }
        Ok(())
    }

    fn is_storable(&self, added: &Map) -> bool {
        !added.contains_key(NAME)
    }

    fn diff_directive_value<'d>(
        &self,
        original: &Doc<'d>,
        modified: &Doc<'d>,
    ) -> Option<Result<Option<Doc<'d>>>> {
        Some(match (original, modified) {
            (Doc::String(before), Doc::String(after)) => Ok((before != after).then(|| modified.clone())),
            _ => Err(unknown_value(if original.as_str().is_some() { modified } else { original })),
        })
    }

    fn diff_list<'d>(
        &self,
        _diff: &Diff<'_>,
        change: &mut ListChange<'_, 'd>,
        _patch: &mut Map<'d>,
    ) -> Result<()> {
        if change.is_list_of_maps {
            for mut item in std::mem::take(&mut change.deletions) {
                if let Some(map) = item.as_map_mut() {
                    map.insert(Text::from_static(NAME), Doc::from("delete"));
                }
                change.items.push(item);
            }
        }
        Ok(())
    }

    fn has_conflict(&self, left: Option<&Doc>, right: Option<&Doc>) -> Result<bool> {
        // The directive applies to the whole map: two patches agree only if both have the same value.
        match (left, right) {
            (Some(left), Some(right)) => {
                identity::is_same_item(MergeKeys::NONE, left, right).map(|same| !same)
            }
            (left, right) => Ok(left.is_some() != right.is_some()),
        }
    }
}

/// Makes the error for a value of `$patch` that is not known.
fn unknown_value(value: &Doc) -> Error {
    Error::new(
        ErrorKind::UnknownPatchDirective,
        format!("unknown value {value} of $patch: expected replace or delete"),
    )
}
