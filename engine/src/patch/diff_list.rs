//! What changed between two merging lists.

use std::borrow::Cow;

use super::diff::{Diff, MapDiff};
use super::identity::{self, MergeKeys, Positions, ScalarKey, as_map};
use super::order::{self, Orders};
use crate::error::Result;
use crate::schema::{Field, TypeId};
use crate::value::{Kind, Map, Str, Value};

/// The difference between two merging lists, before directives have written it down.
#[derive(Debug)]
pub struct ListChange<'a> {
    /// The field that holds the list.
    pub field: &'a Field,
    /// The keys by which its items are told apart; none for scalars.
    pub keys: MergeKeys<'a>,
    /// The lists hold maps.
    pub of_maps: bool,
    /// The modified list.
    pub modified: &'a [Value],
    /// What goes into the patch's list: additions and changes.
    pub items: Vec<Value>,
    /// What was deleted: scalars, or maps with just the merge keys. A directive that can say so takes them.
    pub deletions: Vec<Value>,
    /// Content or order changed, so that the order is worth saying.
    pub wants_order: bool,
}

impl Diff<'_> {
    /// Upstream: `diffLists`; `None` when there is nothing to say.
    pub(super) fn lists<'l>(
        &self,
        (field, item): (&'l Field, TypeId),
        keys: MergeKeys<'l>,
        original: &[Value],
        modified: &'l [Value],
    ) -> Result<Option<ListChange<'l>>> {
        let options = self.options();
        let mut change = ListChange {
            field,
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
            change.items = modified.to_vec();
            return Ok(Some(change));
        }
        change.of_maps = identity::common_kind([original, modified])? == Kind::Map;
        if change.of_maps {
            self.lists_of_maps(item, original, &mut change)?;
        } else {
            self.lists_of_scalars(original, &mut change)?;
        }
        Ok(Some(change))
    }

    /// Upstream: `diffListsOfMaps` and the map branch of `diffLists`.
    fn lists_of_maps(&self, item: TypeId, original: &[Value], change: &mut ListChange<'_>) -> Result<()> {
        let options = self.options();
        let before = sorted(change.keys, original)?;
        let after = sorted(change.keys, change.modified)?;
        let (mut before_at, mut after_at) = (0, 0);
        loop {
            match (before.get(before_at), after.get(after_at)) {
                (Some(b), Some(a)) if a.name == b.name => {
                    let compared = MapDiff {
                        original: b.map,
                        modified: a.map,
                        retain_keys: change.field.meta.retain_keys,
                    };
                    let mut patch = self.maps(&compared, item).map_err(|e| e.at_index(a.index))?;
                    if !patch.is_empty() {
                        for key in change.keys.names() {
                            if let Some(value) = a.map.get(key) {
                                patch.insert(key.clone(), value.clone());
                            }
                        }
                        change.items.push(Value::Map(patch));
                    }
                    before_at += 1;
                    after_at += 1;
                }
                (b, Some(a)) if b.is_none_or(|b| b.name > a.name) => {
                    if !options.ignore_changes_and_additions {
                        change.items.push(Value::Map(a.map.clone()));
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
        change.items =
            in_order_of(change.modified, std::mem::take(&mut change.items), change.keys, Kind::Map)?;
        // Every item has shown its key above, so that comparing them does not fail.
        let same = |(b, a)| identity::same(change.keys, b, a).unwrap_or(false);
        let same_order =
            original.len() == change.modified.len() && original.iter().zip(change.modified).all(same);
        let says_something = !change.items.is_empty() || !change.deletions.is_empty();
        change.wants_order = (!options.ignore_changes_and_additions && (says_something || !same_order))
            || (!options.ignore_deletions && says_something);
        Ok(())
    }

    /// Upstream: `diffListsOfScalars` and the last branch of `diffLists`.
    fn lists_of_scalars(&self, original: &[Value], change: &mut ListChange<'_>) -> Result<()> {
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
        change.items =
            in_order_of(change.modified, std::mem::take(&mut change.items), MergeKeys::NONE, Kind::String)?;
        change.wants_order = (!options.ignore_deletions && !change.deletions.is_empty())
            || (!options.ignore_changes_and_additions && differ);
        Ok(())
    }
}

/// An item of a list of maps, with what upstream calls it by.
struct Named<'a> {
    name: Name<'a>,
    map: &'a Map,
    index: usize,
}

/// The text of the merge keys. Within a list all have the same number of them.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Name<'a> {
    One(Cow<'a, str>),
    Many(Vec<Cow<'a, str>>),
}

impl<'a> Name<'a> {
    fn of(keys: MergeKeys<'_>, map: &'a Map) -> Self {
        let text = |key: &Str| map.get(key).map_or(Cow::Borrowed(""), go_text_of);
        match keys.names() {
            [key] => Name::One(text(key)),
            keys => Name::Many(keys.iter().map(text).collect()),
        }
    }
}

/// The items by the text of their merge keys. Upstream: `sortMergeListsByNameArray`.
///
/// Of equal keys the later comes first: upstream's order is less-or-equal, with which Go's sort reverses
/// them (up to 12 items; beyond that its order of equal keys is an accident of the algorithm).
fn sorted<'a>(keys: MergeKeys<'_>, list: &'a [Value]) -> Result<Vec<Named<'a>>> {
    let mut items = Vec::with_capacity(list.len());
    for (index, item) in list.iter().enumerate().rev() {
        let map = as_map(item)?;
        identity::require_key(keys, item).map_err(|e| e.at_index(index))?;
        items.push(Named { name: Name::of(keys, map), map, index });
    }
    // Lists that are sorted already are common, and cheap to find out.
    if items.is_sorted_by(|a: &Named<'_>, b| a.name > b.name) {
        items.reverse();
    } else {
        items.sort_by(|a, b| a.name.cmp(&b.name));
    }
    Ok(items)
}

fn sorted_scalars(list: &[Value]) -> Vec<(Cow<'_, str>, &Value)> {
    let mut scalars: Vec<_> = list.iter().rev().map(|value| (go_text_of(value), value)).collect();
    scalars.sort_by(|a, b| a.0.cmp(&b.0));
    scalars
}

/// A scalar as Go's `%v` prints it: what upstream compares merge keys and scalars by when it creates patches,
/// so that `53` and `"53"` are the same there.
pub(super) fn go_text(value: &Value) -> Str {
    Str::from(go_text_of(value))
}

fn go_text_of(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed("<nil>"),
        Value::Bool(b) => Cow::Borrowed(if *b { "true" } else { "false" }),
        Value::Int(i) => Cow::Owned(i.to_string()),
        Value::Float(f) => Cow::Owned(go_float(*f)),
        Value::String(s) => Cow::Borrowed(s),
        // A caller has refused these already.
        Value::List(_) | Value::Map(_) => Cow::Owned(value.to_string()),
    }
}

/// `%v` of a float64: the shortest digits that read back, with an exponent below 1e-4 and from 1e21.
fn go_float(f: f64) -> String {
    let text = format!("{f:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if f == 0.0 || (-4..21).contains(&exponent) {
        return f.to_string();
    }
    format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

/// Upstream's `deduplicateScalars`: a repeated item is overwritten by the last one, which moves forward.
fn deduplicate(scalars: &mut Vec<Value>) {
    let mut seen = identity::ScalarSet::default();
    let mut at = 0;
    while at < scalars.len() {
        if ScalarKey::of(&scalars[at]).is_none_or(|key| seen.insert(key)) {
            at += 1;
        } else {
            scalars.swap_remove(at);
        }
    }
}

/// Sorts the patch's items by the modified list, with deletions last. Upstream: `normalizeSliceOrder`.
fn in_order_of(modified: &[Value], items: Vec<Value>, keys: MergeKeys<'_>, kind: Kind) -> Result<Vec<Value>> {
    if items.len() < 2 {
        return Ok(items);
    }
    let wanted = Positions::of(keys, modified);
    let orders = Orders { wanted, live: Positions::of(keys, &[]), kind: Ok(kind) };
    order::normalize(items, orders, keys).map(|(items, _)| items)
}

/// A list of scalars as a set, by their text. Upstream: `deduplicateAndSortScalars`.
pub(super) fn as_set(scalars: &[Value]) -> Vec<Value> {
    let mut set = scalars.to_vec();
    deduplicate(&mut set);
    set.sort_by_cached_key(go_text);
    set
}
