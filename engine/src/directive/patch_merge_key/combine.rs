//! One patch of two.

use rustc_hash::FxHashMap;

use super::NAME;
use super::item::{self, Item, is_deletion, scalar};
use crate::error::Result;
use crate::patch::identity::ScalarKey;
use crate::patch::order::{self, Placed};
use crate::patch::{ListMerge, Merge};
use crate::value::{Str, Value};

/// What an item of a patch speaks of, and in which way. Here a null, which removes a key, is not the lack of it.
#[derive(PartialEq, Eq, Hash)]
struct Target {
    deleted: bool,
    keys: Vec<(Str, Option<ScalarKey>)>,
}

impl Target {
    fn of(item: &Item) -> Result<Self> {
        let key = |name: &Str| scalar(&item.map, name).map(|value| (name.clone(), value));
        let mut keys =
            item.listed.iter().map(key).collect::<Result<Vec<_>>>().map_err(|e| e.at_index(item.index))?;
        keys.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(Target { deleted: is_deletion(&item.map), keys })
    }
}

/// What the patch says of an item, and where it was said.
struct Said {
    item: Item,
    earlier: Option<usize>,
    later: Option<usize>,
}

/// Merges the items of one patch into those of another: what says the same of the same item becomes one, and a
/// deletion takes the place of what was to be changed. Deletions come first, the others in the order of any merge.
pub(super) fn combine(
    merge: &Merge<'_>,
    list: ListMerge<'_>,
    held: &mut Vec<Value>,
    patch: &[Value],
) -> Result<()> {
    let mut said: Vec<Option<Said>> = Vec::with_capacity(held.len() + patch.len());
    let mut places: FxHashMap<Target, usize> = FxHashMap::default();
    for item in item::read(held, &list.field.meta)? {
        places.entry(Target::of(&item)?).or_insert(said.len());
        said.push(Some(Said { earlier: Some(item.index), later: None, item }));
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
                said.push(Some(Said { earlier: None, later, item }));
            }
        }
    }
    let (deleted, changed): (Vec<_>, Vec<_>) =
        said.into_iter().flatten().partition(|said| is_deletion(&said.item.map));
    let changed = changed
        .into_iter()
        .map(|s| Placed { live: s.earlier, patch: s.later, item: written(s.item) })
        .collect();
    *held = deleted.into_iter().map(|said| written(said.item)).chain(order::arrange(changed)).collect();
    Ok(())
}

fn written(item: Item) -> Value {
    let mut map = item.map;
    map.insert(Str::const_new(NAME), Value::List(item.listed.into_iter().map(Value::String).collect()));
    Value::Map(map)
}
