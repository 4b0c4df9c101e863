//! `$patchMergeKey`: the client says by which keys an item of its patch is to be found.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Directive, Placement, Since};
use crate::error::{Error, ErrorKind, Result};
use crate::patch::identity::{self, ScalarKey};
use crate::patch::order::{self, Orders};
use crate::patch::{Diff, ListChange, ListMerge, Merge, MergeKeys, Mode};
use crate::schema::{FieldMeta, MetadataTag};
use crate::value::{Kind, Map, Str, Value};

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

    fn since(&self) -> Since {
        Since::Proposal
    }

    fn tag(&self) -> Option<MetadataTag> {
        Some(MetadataTag::RecommendedPatchMergeKey)
    }

    fn merge_list(
        &self,
        merge: &Merge<'_>,
        list: ListMerge<'_>,
        live: &mut Vec<Value>,
        patch: &mut Vec<Value>,
    ) -> Option<Result<()>> {
        let asks = |item: &Value| item.as_map().is_some_and(|map| map.contains_key(NAME));
        patch.iter().any(asks).then(|| by_listed_keys(merge, list, live, patch))
    }

    fn strip(&self, added: &mut Map) {
        added.remove(NAME);
    }

    fn diff_list(&self, _diff: &Diff<'_>, change: &mut ListChange<'_>, _patch: &mut Map) -> Result<()> {
        if self.identity(&change.field.meta).is_none() {
            return Ok(());
        }
        let names: Vec<Value> = change.keys.names().iter().map(|name| Value::String(name.clone())).collect();
        for map in change.items.iter_mut().filter_map(Value::as_map_mut) {
            map.insert(Str::const_new(NAME), Value::List(names.clone()));
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
}

/// An item of the patch, its directive taken out.
struct Item {
    map: Map,
    /// The keys that it is found by, sorted.
    listed: Vec<Str>,
    index: usize,
}

fn by_listed_keys(
    merge: &Merge<'_>,
    list: ListMerge<'_>,
    live: &mut Vec<Value>,
    patch: &[Value],
) -> Result<()> {
    identity::common_kind([live.as_slice(), patch])?;
    let mut items = read(patch, &list.field.meta)?;
    if merge.mode() == Mode::Combine {
        return combine(merge, list, live, items);
    }
    let keys = PatchMergeKey.identity(&list.field.meta).unwrap_or(list.keys);
    let orders = Orders {
        wanted: identity::Positions::of(keys, patch),
        live: identity::Positions::of(keys, live),
        kind: Ok(Kind::Map),
    };
    // "The server will apply the deletion and then the create operation."
    let mut places = Places::default();
    let mut deleted = FxHashSet::default();
    for item in items.extract_if(.., |item| is_deletion(&item.map)) {
        deleted.extend(places.find(&item, live)?);
    }
    if items.iter().any(|item| item.map.contains_key("$patch")) {
        return Err(Error::new(
            ErrorKind::UnknownPatchDirective,
            "beside $patchMergeKey an item can say `$patch: delete` and nothing else",
        ));
    }
    let mut at = 0;
    live.retain(|_| {
        at += 1;
        !deleted.contains(&(at - 1))
    });
    merge_items(merge, list, live, items)?;
    *live = order::normalize(std::mem::take(live), orders, keys)?;
    Ok(())
}

fn merge_items(
    merge: &Merge<'_>,
    list: ListMerge<'_>,
    live: &mut Vec<Value>,
    items: Vec<Item>,
) -> Result<()> {
    let all_listed: FxHashSet<Str> = items.iter().flat_map(|item| &item.listed).cloned().collect();
    let mut places = Places::default();
    for item in items {
        let at = item.index;
        // A key that some item is found by, and that this one only sets, may move it.
        let moves = item
            .map
            .iter()
            .any(|(key, value)| all_listed.contains(key) && (value.is_null() || !item.listed.contains(key)));
        match places.find(&item, live)? {
            Some(place) => {
                let Value::Map(held) = &mut live[place] else { continue };
                merge.merge_map(held, item.map, list.item).map_err(|e| e.at_index(at))?;
            }
            None => {
                if let Some(added) = merge.storable_item(Value::Map(item.map)) {
                    places.append(&added, live.len());
                    live.push(added);
                }
            }
        }
        if moves {
            places = Places::default();
        }
    }
    Ok(())
}

/// The items with what they list, checked against the schema's default key.
fn read(patch: &[Value], meta: &FieldMeta) -> Result<Vec<Item>> {
    let mut items = Vec::with_capacity(patch.len());
    for (index, item) in patch.iter().enumerate() {
        items.push(read_item(item, index, meta).map_err(|e| e.at_index(index))?);
    }
    Ok(items)
}

fn read_item(item: &Value, index: usize, meta: &FieldMeta) -> Result<Item> {
    let mut map = identity::as_map(item)?.clone();
    let Some(listed) = map.remove(NAME) else {
        return Err(Error::new(
            ErrorKind::BadPatchMergeKey,
            "this item has no $patchMergeKey, and others of its list have: it must be in all or in none",
        ));
    };
    let malformed = || {
        Error::new(
            ErrorKind::BadPatchMergeKey,
            format!("$patchMergeKey must be a list of field names, not {listed}"),
        )
        .at(NAME)
    };
    let names = listed.as_list().filter(|names| !names.is_empty()).ok_or_else(malformed)?;
    let names = names.iter().map(|name| name.as_str().map(Str::from).ok_or_else(malformed));
    let mut names: Vec<Str> = names.collect::<Result<_>>()?;
    if let Some(default) = meta.merge_key.first()
        && !(names.contains(default) && map.get(default).is_some_and(|value| !value.is_null()))
    {
        return Err(Error::new(
            ErrorKind::DefaultMergeKeyMissing,
            format!("the default merge key {default} must be in $patchMergeKey and in the item"),
        ));
    }
    names.sort();
    names.dedup();
    Ok(Item { map, listed: names, index })
}

fn is_deletion(map: &Map) -> bool {
    map.get("$patch").and_then(Value::as_str) == Some("delete")
}

type Key = Vec<Option<ScalarKey>>;

/// Where live items are by the keys that patch items list: one pass over live for each different list.
#[derive(Default)]
struct Places {
    by_listed: FxHashMap<Vec<Str>, FxHashMap<Key, Vec<usize>>>,
}

impl Places {
    /// The live item that the patch item means.
    ///
    /// A key that is listed and null is to be removed: the item is then the first that the other listed keys
    /// match and that has the key. The document's own example matches two items so, and means the first.
    fn find(&mut self, item: &Item, live: &[Value]) -> Result<Option<usize>> {
        let is_removed = |name: &&Str| item.map.get(name).is_some_and(Value::is_null);
        let removed: Vec<&Str> = item.listed.iter().filter(is_removed).collect();
        let listed: Vec<Str> = item.listed.iter().filter(|name| !is_removed(name)).cloned().collect();
        let wanted = key(&item.map, &listed).map_err(|e| e.at_index(item.index))?;
        let index = self.by_listed.entry(listed).or_insert_with_key(|listed| index_of(live, listed));
        let places = index.get(&wanted).map(Vec::as_slice).unwrap_or_default();
        if !removed.is_empty() {
            let has_all = |place: &&usize| {
                live[**place].as_map().is_some_and(|map| removed.iter().all(|name| map.contains_key(name)))
            };
            return Ok(places.iter().find(has_all).copied());
        }
        match places {
            [] => Ok(None),
            [place] => Ok(Some(*place)),
            places => Err(Error::new(
                ErrorKind::AmbiguousMergeKey,
                format!("{} match {} live items: list more keys", item.listed.join(", "), places.len()),
            )
            .at_index(item.index)),
        }
    }

    /// Notes an item that was appended to live.
    fn append(&mut self, item: &Value, place: usize) {
        let Some(map) = item.as_map() else { return };
        for (listed, index) in &mut self.by_listed {
            if let Ok(key) = key(map, listed) {
                index.entry(key).or_default().push(place);
            }
        }
    }
}

fn index_of(live: &[Value], listed: &[Str]) -> FxHashMap<Key, Vec<usize>> {
    let mut index: FxHashMap<Key, Vec<usize>> = FxHashMap::default();
    for (place, held) in live.iter().enumerate() {
        if let Some(Ok(key)) = held.as_map().map(|map| key(map, listed)) {
            index.entry(key).or_default().push(place);
        }
    }
    index
}

/// The values of the listed keys; one that is lacking must be lacking in a match.
fn key(map: &Map, listed: &[Str]) -> Result<Key> {
    let value = |name: &Str| match map.get(name) {
        None => Ok(None),
        Some(value) => ScalarKey::of(value).map(Some).ok_or_else(|| {
            Error::new(
                ErrorKind::NotAScalar,
                format!("the merge key {name} must be a scalar, not {}", value.kind().described()),
            )
        }),
    };
    listed.iter().map(value).collect()
}

/// Merges the items of one patch into those of another: what says the same of the same item becomes one.
fn combine(merge: &Merge<'_>, list: ListMerge<'_>, held: &mut Vec<Value>, items: Vec<Item>) -> Result<()> {
    for item in items {
        let twin = held.iter().position(|other| {
            other.as_map().is_some_and(|other| {
                is_deletion(other) == is_deletion(&item.map)
                    && key(other, &item.listed).ok() == key(&item.map, &item.listed).ok()
            })
        });
        if let Some(other) = twin.and_then(|place| held[place].as_map_mut()) {
            merge.merge_map(other, item.map, list.item).map_err(|e| e.at_index(item.index))?;
        } else {
            let mut map = item.map;
            let listed = item.listed.into_iter().map(Value::String).collect();
            map.insert(Str::const_new(NAME), Value::List(listed));
            held.push(Value::Map(map));
        }
    }
    Ok(())
}
