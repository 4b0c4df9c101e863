//! Do two patches conflict?

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::context::PatchContext;
use super::diff::object;
use super::go_compat::slice_aliasing::sort_in_place;
use super::go_compat::text::go_string;
use super::hooks::Placement;
use super::list::identity::{ItemKey, MergeKeys, as_map, common_kind, key_of};
use crate::document::{Doc, Kind, Map, OwnedText};
use crate::error::Result;
use crate::field_path::{FieldPath, PathSegment};
use crate::schema::{FieldMeta, PatchStrategy, TypeId};

/// Do two patches change the same thing differently? Upstream: `MergingMapsHaveConflicts`.
///
/// Both are maps; null counts as an empty one.
///
/// ```
/// # use std::sync::Arc;
/// # use skewer_engine::patch::{self, PatchContext};
/// # use skewer_engine::schema::builtin;
/// # use skewer_engine::document::from_json;
/// # let release = builtin::newest();
/// let service = PatchContext::of(Arc::clone(release.schema()), release.resolve("Service")?)?;
/// let left = from_json(br#"{"spec":{"ports":[{"port":80,"name":"http"}]}}"#)?;
/// let right = from_json(br#"{"spec":{"ports":[{"port":80,"name":"web"}]}}"#)?;
/// let other = from_json(br#"{"spec":{"ports":[{"port":443,"name":"https"}]}}"#)?;
/// assert!(patch::have_conflicts(&service, &left, &right)?);
/// assert!(!patch::have_conflicts(&service, &left, &other)?);
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn have_conflicts(context: &PatchContext, left: &Doc, right: &Doc) -> Result<bool> {
    find_conflict(context, left, right).map(|place| place.is_some())
}

/// A place at which two patches conflict: where both lead through the same list, the list.
pub fn find_conflict(context: &PatchContext, left: &Doc, right: &Doc) -> Result<Option<FieldPath>> {
    context.require_strategic()?;
    let empty = Map::new();
    let mut left = object(left, &empty, "the left patch")?.clone();
    let right = object(right, &empty, "the right patch")?;
    maps_have_conflicts(context, &mut left, right)
}

/// The same, and lists of scalars that are compared are left behind in `left` as sets, sorted and without what
/// was repeated. Upstream does that to the patch that it returns.
pub(super) fn maps_have_conflicts(
    context: &PatchContext,
    left: &mut Map,
    right: &Map,
) -> Result<Option<FieldPath>> {
    let comparison = Comparison { context, found: RefCell::default() };
    let conflict = comparison.both_maps(left, right, (Some(context.root), &FieldMeta::default()))?;
    let mut place = FieldPath::root();
    comparison.found.take().into_iter().rev().for_each(|key| place.push(PathSegment::Key(key)));
    Ok(conflict.then_some(place))
}

struct Comparison<'a> {
    context: &'a PatchContext,
    /// The keys that lead to the conflict, the last first.
    found: RefCell<Vec<OwnedText>>,
}

/// A type, where it is known, and the metadata of the field that holds the value.
type Place<'a> = (Option<TypeId>, &'a FieldMeta);

impl Comparison<'_> {
    fn values(&self, left: &mut Doc, right: &Doc, (ty, meta): Place<'_>) -> Result<bool> {
        match (left, right) {
            (Doc::Map(left), Doc::Map(right)) => self.both_maps(left, right, (ty, meta)),
            (Doc::List(left), Doc::List(right)) => self.lists(left, right, (ty, meta)),
            (left, right) => Ok(*left != *right),
        }
    }

    fn both_maps(&self, left: &mut Map, right: &Map, (ty, meta): Place<'_>) -> Result<bool> {
        if self.directives_conflict(left, right)? {
            return Ok(true);
        }
        if meta.strategy == PatchStrategy::Replace {
            return Ok(false);
        }
        self.maps(left, right, ty)
    }

    fn directives_conflict(&self, left: &Map, right: &Map) -> Result<bool> {
        for directive in self.context.directives.iter().filter(|d| d.placement() == Placement::Map) {
            let name = directive.name();
            if directive.conflicts(left.get(name), right.get(name)).map_err(|e| e.at(name))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Upstream: `mapsHaveConflicts`. A key that is a field directive is looked up as a field, which fails;
    /// so it does upstream.
    fn maps(&self, left: &mut Map, right: &Map, ty: Option<TypeId>) -> Result<bool> {
        let none = FieldMeta::default();
        for (key, left_value) in left.iter_mut() {
            let of_map = self.context.directives.owner(key).is_some_and(|d| d.placement() == Placement::Map);
            let Some(right_value) = right.get(key).filter(|_| !of_map) else { continue };
            let place = match (left_value.kind(), ty) {
                (Kind::List, Some(ty)) => {
                    let (field, item) = self.context.list_field(ty, key).map_err(|e| e.at(key))?;
                    (Some(item), &field.meta)
                }
                (Kind::Map, Some(ty)) => {
                    let field = self.context.field(ty, key).map_err(|e| e.at(key))?;
                    (Some(field.ty), &field.meta)
                }
                _ => (None, &none),
            };
            if self.values(left_value, right_value, place).map_err(|e| e.at(key))? {
                let mut found = self.found.borrow_mut();
                if left_value.kind() == Kind::List {
                    // The items of a patch have other places than those of the object.
                    found.clear();
                }
                found.push(key.to_static());
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Upstream: `slicesHaveConflicts`.
    fn lists(&self, left: &mut [Doc], right: &[Doc], (ty, meta): Place<'_>) -> Result<bool> {
        if let Some(conflict) = self.listed(left, right, (ty, meta))? {
            return Ok(conflict);
        }
        let kind = common_kind([&*left, right])?;
        if meta.strategy == PatchStrategy::Merge {
            // Sets of scalars have no conflicts by definition.
            return if kind == Kind::Map { self.keyed(left, right, (ty, meta)) } else { Ok(false) };
        }
        if left.len() != right.len() {
            return Ok(true);
        }
        if kind != Kind::Map {
            return Ok(sets_conflict(left, right));
        }
        let none = FieldMeta::default();
        for (left, right) in left.iter_mut().zip(right) {
            if self.values(left, right, (ty, &none))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Upstream: `mapsOfMapsHaveConflicts`; of equal keys the last item counts.
    fn keyed(&self, left: &mut [Doc], right: &[Doc], (ty, meta): Place<'_>) -> Result<bool> {
        let keys = self.context.directives.declared_keys(meta).or_unnamed();
        let mut by_key = FxHashMap::default();
        for item in right {
            by_key.insert(text_key(keys, item)?, item);
        }
        let mut last = FxHashMap::default();
        for item in left {
            last.insert(text_key(keys, item)?, item);
        }
        let none = FieldMeta::default();
        for (key, left) in last {
            if let Some(right) = by_key.get(&key)
                && self.values(left, right, (ty, &none))?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Lists of which some items say themselves what they are found by. Upstream knows no such lists.
impl Comparison<'_> {
    /// `None` where no item says so.
    fn listed(&self, left: &mut [Doc], right: &[Doc], (ty, meta): Place<'_>) -> Result<Option<bool>> {
        let known = &self.context.directives;
        if !known.has_proposed() {
            return Ok(None);
        }
        let items = || left.iter().chain(right);
        let listed: Vec<_> = items().map(|item| known.listed_keys(item)).collect();
        if listed.iter().all(Option::is_none) {
            return Ok(None);
        }
        if *left == *right {
            return Ok(Some(false));
        }
        let replaces = left.is_empty() || right.is_empty() || listed.iter().any(Option::is_none);
        if meta.strategy != PatchStrategy::Merge && replaces {
            return Ok(Some(true));
        }
        let declared = known.declared_keys(meta).names();
        let found_by = items().zip(&listed).map(|(item, listed)| {
            let names = listed.as_deref().unwrap_or(declared);
            // What is null is to be removed, whatever it is.
            let is_removed =
                |name: &OwnedText| item.as_map().and_then(|m| m.get(name)).is_some_and(Doc::is_null);
            names.iter().filter(|name| !is_removed(name)).cloned().collect::<Vec<OwnedText>>()
        });
        let common = found_by.reduce(|mut common, names| {
            common.retain(|name| names.contains(name));
            common
        });
        self.groups(left, right, &common.unwrap_or_default(), ty).map(Some)
    }

    /// Compares the items that can be the same by these keys. Where they are several, nobody can tell whether what is
    /// said of one is said of another.
    fn groups(
        &self,
        left: &mut [Doc],
        right: &[Doc],
        keys: &[OwnedText],
        ty: Option<TypeId>,
    ) -> Result<bool> {
        let keys = MergeKeys::without_default(keys);
        let mut of_right: FxHashMap<_, Vec<&Doc>> = FxHashMap::default();
        for (index, item) in right.iter().enumerate() {
            of_right.entry(group(keys, item).map_err(|e| e.at_index(index))?).or_default().push(item);
        }
        let mut met = FxHashSet::default();
        for (index, item) in left.iter_mut().enumerate() {
            let key = group(keys, item).map_err(|e| e.at_index(index))?;
            let Some(twins) = of_right.get(&key) else { continue };
            let conflict = match twins[..] {
                [twin] if met.insert(key) => self.values(item, twin, (ty, &FieldMeta::NONE))?,
                _ => true,
            };
            if conflict {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// What an item is grouped by: all are in one group where no key is common to all.
fn group<'d>(keys: MergeKeys<'_>, item: &Doc<'d>) -> Result<Option<ItemKey<'d>>> {
    if keys.is_empty() { Ok(None) } else { key_of(keys, item).map(Some) }
}

/// Do lists of scalars that are replaced differ as sets? The front of the left one decides: what only the right
/// one has more of is no conflict upstream, and too little of it is a panic there, for which this says yes.
fn sets_conflict(left: &mut [Doc], right: &[Doc]) -> bool {
    let mut right = right.to_vec();
    let (left_len, right_len) = (sort_in_place(left), sort_in_place(&mut right));
    left_len > right_len || left[..left_len] != right[..left_len]
}

fn text_key(keys: MergeKeys<'_>, item: &Doc) -> Result<Vec<OwnedText>> {
    key_of(keys, item)?;
    let map = as_map(item)?;
    Ok(keys.names().iter().map(|k| map.get(k).map_or_else(Default::default, go_string)).collect())
}
