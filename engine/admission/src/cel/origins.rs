//! The origins of lists and maps. Lists and maps of an object are compared and concatenated by their schema, and a list that was
//! concatenated is not compared like one that was written. Upstream has a type for each origin: `unstructuredList`,
//! `unstructuredSetList`, `unstructuredMapList`, `unstructuredMap`, `refValSetList` and `refValMapList` (k8s.io/apiserver,
//! `pkg/cel/common`), and `concatList`, `baseList` and `baseMap` (cel-go, `common/types`).

use std::cell::OnceCell;
use std::sync::Arc;

use cel::Value;
use cel::objects::{Key, Map};
use rustc_hash::FxHashMap;

use super::release::RuleRelease;
use super::types::{ListKind, Ty};
use super::value::{as_optional, is_absent, list, poison};

/// The origin of a list or a map that is not simply written in the expression.
pub(super) enum Origin {
    /// A part of an object. The type is `dyn` if the schema does not declare it.
    Object(Ty),
    /// A set or a list of type `map` to which another list was added.
    Sum(ListKind),
    /// Two other lists, one after the other.
    Joined(Value, Value),
}

/// The origins of lists and maps.
pub(super) struct Origins {
    release: RuleRelease,
    /// The values of variables, with their types.
    variables: Vec<(Value, Ty)>,
    /// By the addresses of the lists and maps. Only few expressions need them.
    known: OnceCell<FxHashMap<usize, Origin>>,
    /// The lists that were added. A list that is kept has an address of its own.
    added: Vec<Value>,
}

impl Origins {
    pub(super) fn new(release: RuleRelease) -> Self {
        Origins { release, variables: Vec::new(), known: OnceCell::new(), added: Vec::new() }
    }

    /// Adds the value of a variable. Its lists and maps are parts of an object.
    pub(super) fn add_variable(&mut self, value: Value, ty: Ty) {
        self.variables.push((value, ty));
    }

    pub(super) fn of(&self, value: &Value) -> Option<&Origin> {
        self.known().get(&address(value)?)
    }

    pub(super) fn is_of_object(&self, value: &Value) -> bool {
        matches!(self.of(value), Some(Origin::Object(_)))
    }

    /// Concatenates two lists. A set keeps each value once; items of a list of type `map` replace those with the same keys.
    /// Upstream: the methods `Add` of the types of lists.
    pub(super) fn concatenate(&mut self, a: &Value, b: &Value) -> Result<Value, String> {
        let (Value::List(items), Value::List(others)) = (a, b) else { return Ok(a.clone()) };
        let (sum, origin) = match self.of(a) {
            Some(Origin::Object(ty)) if !self.release.compares_values() => {
                (self.with_values(items, others, ty)?, Origin::Object(ty.clone()))
            }
            Some(Origin::Object(Ty::List(_, kind))) if **kind != ListKind::Plain => {
                (with_items(items, others, kind)?, Origin::Sum(kind.as_ref().clone()))
            }
            Some(Origin::Sum(kind)) => (with_items(items, others, kind)?, Origin::Sum(kind.clone())),
            Some(Origin::Object(_)) => return Ok(list(items.iter().chain(others.iter()).cloned())),
            _ if items.is_empty() => return Ok(b.clone()),
            _ if others.is_empty() => return Ok(a.clone()),
            _ => (items.iter().chain(others.iter()).cloned().collect(), Origin::Joined(a.clone(), b.clone())),
        };
        let sum = list(sum);
        self.added.push(sum.clone());
        if let (Some(known), Some(address)) = (self.known.get_mut(), address(&sum)) {
            known.insert(address, origin);
        }
        Ok(sum)
    }

    /// Adds the values that items have in JSON to a list of an object. The new list is one of an object, too. Upstream: the methods
    /// `Add` up to 1.36.
    fn with_values(&self, items: &[Value], added: &[Value], ty: &Ty) -> Result<Vec<Value>, String> {
        let (item, kind) = match ty {
            Ty::List(item, kind) => (item.as_ref(), kind.as_ref()),
            _ => (&Ty::Dyn, &ListKind::Plain),
        };
        if *kind == ListKind::Set {
            added.iter().try_for_each(refuse_without_hash)?;
        }
        let mut sum = items.to_vec();
        for value in added {
            let known = match kind {
                ListKind::Set if sum.iter().any(|known| is_value_in_json(known, value)) => continue,
                ListKind::Plain | ListKind::Set => None,
                ListKind::Map(keys) => {
                    items.iter().rposition(|known| self.has_same_names(known, value, keys))
                }
            };
            let value = self.of_type(value, item);
            match known {
                Some(known) => sum[known] = value,
                None => sum.push(value),
            }
        }
        Ok(sum)
    }

    /// Returns the value that an item has in a list of an object. Upstream: `UnstructuredToVal`, on the Go value of the item.
    fn of_type(&self, value: &Value, ty: &Ty) -> Value {
        let fits = match (value, ty) {
            #[expect(clippy::cast_precision_loss, reason = "Upstream converts the number in the same way.")]
            (Value::Int(int), Ty::Double) => return Value::Float(*int as f64),
            // A list or map that a rule makes has another Go type.
            (Value::List(_), Ty::List(..)) | (Value::Map(_), Ty::Map(..) | Ty::Object(_)) => {
                self.is_of_object(value)
            }
            (Value::Int(_) | Value::String(_), Ty::Dyn) => true,
            // The Go value is a time, a duration or bytes; the document has texts.
            (_, Ty::Timestamp | Ty::Duration | Ty::Bytes) => false,
            (value, ty) => Ty::of_value(value) == *ty,
        };
        if fits { value.clone() } else { poison(&format!("invalid data, expected {ty}")) }
    }

    /// Compares the items of two sets, of which the first one is of an object.
    pub(super) fn are_equal_sets(&self, a: &[Value], b: &[Value]) -> Result<bool, String> {
        if !self.release.compares_values() {
            b.iter().try_for_each(refuse_without_hash)?;
            return Ok(b.iter().all(|b| a.iter().any(|a| is_value_in_json(a, b))));
        }
        are_equal_sets(a, b)
    }

    /// Whether two items of a list of an object have the same keys, of which only maps of an object have any. Upstream looks for
    /// the escaped name of a key, and finds no name that was escaped: `unstructuredMapList.toMapKey`.
    pub(super) fn has_same_names(&self, a: &Value, b: &Value, keys: &[String]) -> bool {
        let mut names = keys.iter().filter(|key| !key.contains("__"));
        self.is_of_object(b) && names.all(|name| has_same_keys(a, b, std::slice::from_ref(name)))
    }

    fn known(&self) -> &FxHashMap<usize, Origin> {
        self.known.get_or_init(|| {
            let mut known = FxHashMap::default();
            self.variables.iter().for_each(|(value, ty)| add_parts(value, ty, &mut known));
            known
        })
    }
}

fn address(value: &Value) -> Option<usize> {
    match value {
        Value::List(items) => Some(Arc::as_ptr(items).addr()),
        Value::Map(map) => Some(Arc::as_ptr(&map.map).addr()),
        _ => None,
    }
}

fn add_parts(value: &Value, ty: &Ty, known: &mut FxHashMap<usize, Origin>) {
    match (value, ty) {
        (Value::List(items), ty) => {
            let item = if let Ty::List(item, _) = ty { item } else { &Ty::Dyn };
            items.iter().for_each(|value| add_parts(value, item, known));
        }
        (Value::Map(map), ty) => {
            for (key, value) in map.map.iter() {
                let ty = match (ty, key) {
                    (Ty::Object(fields), Key::String(name)) => fields.get(name.as_str()).unwrap_or(&Ty::Dyn),
                    (Ty::Map(_, value), _) => value,
                    _ => &Ty::Dyn,
                };
                add_parts(value, ty, known);
            }
        }
        (value, ty) => {
            let inner = if let Ty::Optional(inner) = ty { inner } else { ty };
            if let Some(value) = as_optional(value).and_then(|optional| optional.value()) {
                add_parts(value, inner, known);
            }
        }
    }
    if let Some(address) = address(value) {
        known.insert(address, Origin::Object(ty.clone()));
    }
}

/// Upstream: `addToSetList`, `addToMapList`.
fn with_items(items: &[Value], added: &[Value], kind: &ListKind) -> Result<Vec<Value>, String> {
    let mut sum = items.to_vec();
    if *kind == ListKind::Set {
        sum.iter().chain(added).try_for_each(refuse_in_set)?;
    }
    for value in added {
        let known = match kind {
            ListKind::Plain => None,
            ListKind::Set => sum.iter().position(|known| is_same(known, value)),
            // An item that was added is not replaced.
            ListKind::Map(keys) => items.iter().rposition(|known| has_same_keys(known, value, keys)),
        };
        match known {
            Some(known) => sum[known] = value.clone(),
            None => sum.push(value.clone()),
        }
    }
    Ok(sum)
}

/// Refuses a value that Go cannot look for in a map, at which the server panics.
fn refuse_without_hash(value: &Value) -> Result<(), String> {
    match value {
        Value::List(_) | Value::Map(_) | Value::Bytes(_) => {
            Err("internal error: runtime error: hash of unhashable type".to_owned())
        }
        _ => Ok(()),
    }
}

/// Refuses an item that cannot be in a set. Upstream: `setElementKey`.
fn refuse_in_set(item: &Value) -> Result<(), String> {
    match item {
        Value::List(_) | Value::Map(_) => {
            Err("listSet operations are only supported on lists of scalar values".to_owned())
        }
        _ => Ok(()),
    }
}

/// Upstream: `unstructuredSetList.Equal`, `refValSetList.Equal`.
pub(super) fn are_equal_sets(a: &[Value], b: &[Value]) -> Result<bool, String> {
    a.iter().chain(b).try_for_each(refuse_in_set)?;
    if a.iter().zip(b).all(|(a, b)| is_same(a, b)) {
        return Ok(true);
    }
    let has_all = |a: &[Value], b: &[Value]| b.iter().all(|b| a.iter().any(|a| is_same(a, b)));
    Ok(has_all(a, b) && has_all(b, a))
}

/// Whether a value is what an item of a set has in the JSON document: texts instead of times, durations and bytes, and integers
/// instead of whole numbers. Upstream: `unstructuredSetList.getSet` up to 1.36.
fn is_value_in_json(item: &Value, value: &Value) -> bool {
    match (item, value) {
        #[expect(clippy::cast_precision_loss, reason = "The number was an integer.")]
        #[expect(clippy::float_cmp, reason = "The number was an integer.")]
        (Value::Float(item), Value::Int(value)) => *item == *value as f64,
        (Value::Float(item), _) if item.fract() == 0.0 => false,
        (Value::Timestamp(_) | Value::Duration(_) | Value::Bytes(_), _) => false,
        (item, value) => is_same(item, value),
    }
}

/// Whether two values are the same value in Go, where numbers of two types are not.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::UInt(a), Value::UInt(b)) => a == b,
        #[expect(clippy::float_cmp, reason = "Go compares numbers in the same way.")]
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        // A time has a pointer to its zone, which only zones of whole hours share. Upstream: Go's `time.FixedZone`.
        (Value::Timestamp(a), Value::Timestamp(b)) => {
            let zone = a.offset().local_minus_utc();
            let is_shared = zone % 3600 == 0 && (-12..=14).contains(&(zone / 3600));
            a == b && is_shared && zone == b.offset().local_minus_utc()
        }
        (Value::Duration(a), Value::Duration(b)) => a == b,
        (Value::Bytes(a), Value::Bytes(b)) => a == b,
        _ => false,
    }
}

/// Whether two items have the same keys. A value that is no map has none. Upstream: `refValMapKey`.
pub(super) fn has_same_keys(a: &Value, b: &Value, keys: &[String]) -> bool {
    keys.iter().all(|key| match (at_key(a, key), at_key(b, key)) {
        (Some(a), Some(b)) => is_same(a, b),
        (a, b) => a.is_none() && b.is_none(),
    })
}

fn at_key<'v>(item: &'v Value, key: &str) -> Option<&'v Value> {
    match item {
        Value::Map(map) => field(map, &Key::from(key)),
        _ => None,
    }
}

/// Returns the value of a field that is not null.
pub(super) fn field<'m>(map: &'m Map, key: &Key) -> Option<&'m Value> {
    map.map.get(key).filter(|value| !is_absent(value))
}
