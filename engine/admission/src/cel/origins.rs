//! Where lists and maps come from. Those of an object are compared and concatenated by their schema, and a list that was
//! concatenated is not compared like one that was written. Upstream has types for them: `unstructuredList`,
//! `unstructuredSetList`, `unstructuredMapList`, `unstructuredMap`, `refValSetList` and `refValMapList` (k8s.io/apiserver,
//! `pkg/cel/common`), and `concatList`, `baseList` and `baseMap` (cel-go, `common/types`).

use std::cell::OnceCell;
use std::sync::Arc;

use cel::Value;
use cel::objects::{Key, Map};
use rustc_hash::FxHashMap;

use super::types::{ListKind, Ty};
use super::value::{as_optional, is_absent, list};

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
#[derive(Default)]
pub(super) struct Origins {
    /// The values of variables, with their types.
    variables: Vec<(Value, Ty)>,
    /// By the addresses of the lists and maps. Only few expressions need them.
    known: OnceCell<FxHashMap<usize, Origin>>,
    /// The lists that were added. A list that is kept has an address of its own.
    added: Vec<Value>,
}

impl Origins {
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

/// Refuses an item that cannot be in a set. Upstream: `setElementKey`.
pub(super) fn refuse_in_set(item: &Value) -> Result<(), String> {
    match item {
        Value::List(_) | Value::Map(_) => {
            Err("listSet operations are only supported on lists of scalar values".to_owned())
        }
        _ => Ok(()),
    }
}

/// Whether two values are the same value in Go, where numbers of two types are not.
pub(super) fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::UInt(a), Value::UInt(b)) => a == b,
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
