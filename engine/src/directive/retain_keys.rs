//! `$retainKeys`: the fields of a map that stay; all others are cleared before the merge.

use rustc_hash::FxHashSet;

use super::{Directive, Flow, IntroducedIn, Placement};
use crate::document::{Doc, Map, Text};
use crate::error::{Error, ErrorKind, Result};
use crate::patch::{Diff, MapDiff, Merge, MergeMode};
use crate::schema::{MetadataTag, TypeId};

const NAME: &str = "$retainKeys";

/// `$retainKeys: [field, …]`.
///
/// Source: retain-keys, "Proposed Changes". Upstream: `applyRetainKeysDirective`, end of `diffMaps`.
#[derive(Debug)]
pub(super) struct RetainKeys;

impl Directive for RetainKeys {
    fn name(&self) -> &'static str {
        NAME
    }

    fn placement(&self) -> Placement {
        Placement::Map
    }

    fn introduced_in(&self) -> IntroducedIn {
        IntroducedIn::Release(7)
    }

    fn tag(&self) -> Option<MetadataTag> {
        Some(MetadataTag::RetainKeys)
    }

    fn merge_map<'d>(
        &self,
        merge: &Merge<'_>,
        live: &mut Map<'d>,
        patch: &mut Map<'d>,
        _ty: TypeId,
    ) -> Result<Flow> {
        let Some(listed) = patch.remove(NAME) else { return Ok(Flow::Continue) };
        match merge.mode() {
            MergeMode::Combine => keep_for_later(live, listed)?,
            MergeMode::Apply => {
                let keep = read(&listed)?;
                refuse_unlisted(merge, patch, &keep)?;
                live.retain(|key, _| keep.contains(key.as_str()));
            }
        }
        Ok(Flow::Continue)
    }

    fn diff_map<'d>(&self, _diff: &Diff<'_>, map: &MapDiff<'_, 'd>, patch: &mut Map<'d>) {
        if !map.retain_keys {
            return;
        }
        // Keys of a map are sorted already, as the directive's list is upstream.
        let kept: Vec<Doc> = map
            .modified
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, _)| Doc::String(key.clone()))
            .collect();
        let clears =
            || map.original.iter().any(|(key, value)| !value.is_null() && !map.modified.contains_key(key));
        if !kept.is_empty() && (!patch.is_empty() || clears()) {
            patch.insert(Text::const_new(NAME), Doc::List(kept));
        }
    }
}

/// Two patches become one: the directive goes with them, and must be the same in both.
fn keep_for_later<'d>(combined: &mut Map<'d>, listed: Doc<'d>) -> Result<()> {
    match combined.get(NAME) {
        Some(held) if *held != listed => Err(Error::new(
            ErrorKind::RetainKeysDisagree,
            format!("the patches hold different $retainKeys, {held} and {listed}"),
        )),
        Some(_) => Ok(()),
        None => {
            combined.insert(Text::const_new(NAME), listed);
            Ok(())
        }
    }
}

fn read<'l>(listed: &'l Doc<'_>) -> Result<FxHashSet<&'l str>> {
    let Some(items) = listed.as_list() else {
        return Err(Error::new(
            ErrorKind::BadRetainKeys,
            format!("$retainKeys must be a list of field names, not {}", listed.kind().described()),
        )
        .at(NAME));
    };
    let mut keep = FxHashSet::default();
    for (index, item) in items.iter().enumerate() {
        if !item.is_scalar() {
            return Err(Error::new(
                ErrorKind::NotAScalar,
                format!("$retainKeys lists field names, not {}", item.kind().described()),
            )
            .at_index(index)
            .at(NAME));
        }
        // Upstream keeps scalars of other kinds in its set, where no field name ever equals them.
        keep.extend(item.as_str());
    }
    Ok(keep)
}

/// Every field that the patch sets must be listed. A null sets nothing, and what speaks of a list beside it
/// is no field.
fn refuse_unlisted(merge: &Merge<'_>, patch: &Map, keep: &FxHashSet<&str>) -> Result<()> {
    let of_a_field = |key: &str| {
        merge.directives().owner(key).is_some_and(|directive| directive.placement() == Placement::Field)
    };
    match patch
        .iter()
        .find(|(key, value)| !value.is_null() && !keep.contains(key.as_str()) && !of_a_field(key))
    {
        None => Ok(()),
        Some((key, _)) => Err(Error::new(
            ErrorKind::BadRetainKeys,
            format!("the patch sets {key}, which $retainKeys does not list"),
        )),
    }
}
