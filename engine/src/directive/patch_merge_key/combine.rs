//! One patch of two.

use rustc_hash::FxHashMap;

use super::NAME;
use super::item::{self, Item, is_deletion, scalar};
use crate::document::{Doc, OwnedText, Text};
use crate::error::Result;
use crate::patch::list::identity::ScalarKey;
use crate::patch::{ListMerge, Merge};

/// What an item of a patch speaks of, and in which way. Here a null, which removes a key, is not the lack of it.
#[derive(PartialEq, Eq, Hash)]
struct Target<'d> {
    deleted: bool,
    keys: Vec<(OwnedText, Option<ScalarKey<'d>>)>,
}

impl<'d> Target<'d> {
    fn of(item: &Item<'d>) -> Result<Self> {
        let key = |name: &OwnedText| scalar(&item.map, name).map(|value| (name.clone(), value));
        let mut keys =
            item.listed.iter().map(key).collect::<Result<Vec<_>>>().map_err(|e| e.at_index(item.index))?;
        keys.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(Target { deleted: is_deletion(&item.map), keys })
    }
}

/// What the patches say of an item.
struct Said<'d> {
    item: Item<'d>,
    /// The place at which the later patch says it, if it does.
    later: Option<usize>,
}

/// Merges the items of one patch into those of another: what says the same of the same item becomes one, and a
/// deletion takes the place of what was to be changed.
pub(super) fn combine<'d>(
    merge: &Merge<'_>,
    list: ListMerge<'_>,
    held: &mut Vec<Doc<'d>>,
    patch: &[Doc<'d>],
) -> Result<()> {
    let mut said: Vec<Option<Said>> = Vec::with_capacity(held.len() + patch.len());
    let mut places: FxHashMap<Target, usize> = FxHashMap::default();
    for item in item::read(held, &list.field.meta)? {
        places.entry(Target::of(&item)?).or_insert(said.len());
        said.push(Some(Said { item, later: None }));
    }
    for item in item::read(patch, &list.field.meta)? {
        let target = Target::of(&item)?;
        if target.deleted
            && let Some(changed) = places.remove(&Target { deleted: false, keys: target.keys.clone() })
        {
            // When the patch is applied deletions come first: what was changed before must not stay.
            said[changed] = None;
        }
        let later = Some(item.index);
        match places.get(&target).and_then(|place| said[*place].as_mut()) {
            Some(_) if target.deleted => {}
            Some(twin) => {
                twin.later = twin.later.or(later);
                let merged = merge.merge_map(&mut twin.item.map, item.map, list.item);
                merged.map_err(|e| e.at_index(item.index))?;
            }
            None => {
                places.insert(target, said.len());
                said.push(Some(Said { item, later }));
            }
        }
    }
    let mut said: Vec<Said> = said.into_iter().flatten().collect();
    // A later patch that adds the list whole says its order by the order of its items.
    said.sort_by_key(|said| said.later);
    *held = said.into_iter().map(|said| written(said.item)).collect();
    Ok(())
}

fn written(item: Item<'_>) -> Doc<'_> {
    let mut map = item.map;
    map.insert(Text::const_new(NAME), Doc::List(item.listed.into_iter().map(Doc::String).collect()));
    Doc::Map(map)
}
