//! Do two patches conflict?

use rustc_hash::FxHashMap;

use super::diff::object;
use super::go_text::go_string;
use super::identity::{MergeKeys, common_kind, key_of};
use super::knowledge::Knowledge;
use super::memory::sort_in_place;
use crate::directive::Placement;
use crate::error::Result;
use crate::schema::{FieldMeta, Strategy, TypeId};
use crate::value::{Kind, Map, Value};

/// Do two patches change the same thing differently? Upstream: `MergingMapsHaveConflicts`.
///
/// Both are maps; null counts as an empty one.
///
/// ```
/// # use std::sync::Arc;
/// # use skewer_engine::patch::{self, Knowledge};
/// # use skewer_engine::schema::builtin;
/// # use skewer_engine::value::from_json;
/// # let release = builtin::newest();
/// let service = Knowledge::of(Arc::clone(release.schema()), release.resolve("Service")?)?;
/// let left = from_json(br#"{"spec":{"ports":[{"port":80,"name":"http"}]}}"#)?;
/// let right = from_json(br#"{"spec":{"ports":[{"port":80,"name":"web"}]}}"#)?;
/// let other = from_json(br#"{"spec":{"ports":[{"port":443,"name":"https"}]}}"#)?;
/// assert!(patch::have_conflicts(&service, &left, &right)?);
/// assert!(!patch::have_conflicts(&service, &left, &other)?);
/// # Ok::<(), skewer_engine::Error>(())
/// ```
pub fn have_conflicts(knowledge: &Knowledge, left: &Value, right: &Value) -> Result<bool> {
    knowledge.require_strategic()?;
    let empty = Map::new();
    let mut left = object(left, &empty, "the left patch")?.clone();
    let right = object(right, &empty, "the right patch")?;
    maps_have_conflicts(knowledge, &mut left, right)
}

/// The same, and lists of scalars that are compared are left behind in `left` as sets, sorted and without what
/// was repeated. Upstream does that to the patch that it returns.
pub(super) fn maps_have_conflicts(knowledge: &Knowledge, left: &mut Map, right: &Map) -> Result<bool> {
    Comparison { knowledge }.both_maps(left, right, (Some(knowledge.root), &FieldMeta::default()))
}

struct Comparison<'a> {
    knowledge: &'a Knowledge,
}

/// A type, where it is known, and the metadata of the field that holds the value.
type Place<'a> = (Option<TypeId>, &'a FieldMeta);

impl Comparison<'_> {
    fn values(&self, left: &mut Value, right: &Value, (ty, meta): Place<'_>) -> Result<bool> {
        match (left, right) {
            (Value::Map(left), Value::Map(right)) => self.both_maps(left, right, (ty, meta)),
            (Value::List(left), Value::List(right)) => self.lists(left, right, (ty, meta)),
            (left, right) => Ok(*left != *right),
        }
    }

    fn both_maps(&self, left: &mut Map, right: &Map, (ty, meta): Place<'_>) -> Result<bool> {
        if self.directives_conflict(left, right)? {
            return Ok(true);
        }
        if meta.strategy == Strategy::Replace {
            return Ok(false);
        }
        self.maps(left, right, ty)
    }

    fn directives_conflict(&self, left: &Map, right: &Map) -> Result<bool> {
        for directive in self.knowledge.directives.iter().filter(|d| d.placement() == Placement::Map) {
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
            let of_map =
                self.knowledge.directives.owner(key).is_some_and(|d| d.placement() == Placement::Map);
            let Some(right_value) = right.get(key).filter(|_| !of_map) else { continue };
            let place = match (left_value.kind(), ty) {
                (Kind::List, Some(ty)) => {
                    let (field, item) = self.knowledge.list_field(ty, key).map_err(|e| e.at(key))?;
                    (Some(item), &field.meta)
                }
                (Kind::Map, Some(ty)) => {
                    let field = self.knowledge.field(ty, key).map_err(|e| e.at(key))?;
                    (Some(field.ty), &field.meta)
                }
                _ => (None, &none),
            };
            if self.values(left_value, right_value, place).map_err(|e| e.at(key))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Upstream: `slicesHaveConflicts`.
    fn lists(&self, left: &mut [Value], right: &[Value], (ty, meta): Place<'_>) -> Result<bool> {
        let kind = common_kind([&*left, right])?;
        if meta.strategy == Strategy::Merge {
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
    fn keyed(&self, left: &mut [Value], right: &[Value], (ty, meta): Place<'_>) -> Result<bool> {
        let mut by_key = FxHashMap::default();
        for item in right {
            by_key.insert(text_key(meta, item)?, item);
        }
        let mut last = FxHashMap::default();
        for item in left {
            last.insert(text_key(meta, item)?, item);
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

/// Do lists of scalars that are replaced differ as sets? The front of the left one decides: what only the right
/// one has more of is no conflict upstream, and too little of it is a panic there, for which this says yes.
fn sets_conflict(left: &mut [Value], right: &[Value]) -> bool {
    let mut right = right.to_vec();
    let (left_len, right_len) = (sort_in_place(left), sort_in_place(&mut right));
    left_len > right_len || left[..left_len] != right[..left_len]
}

fn text_key(meta: &FieldMeta, item: &Value) -> Result<Vec<crate::value::Str>> {
    let keys = MergeKeys::declared(&meta.merge_key).or_unnamed();
    key_of(keys, item)?;
    let map = super::identity::as_map(item)?;
    Ok(keys.names().iter().map(|k| map.get(k).map_or_else(Default::default, go_string)).collect())
}
