//! Random documents for sequences: objects of a type, variations of an object, and mistakes.
//!
//! The values come from a small pool, so that several managers often set the same value, or different values of the
//! same field.

use skewer_engine::schema::{ListType, ScalarType};
use skewer_engine::{Doc, FieldPath, Map, OwnedDoc, OwnedMap, PathSegment, Text};

use crate::differential::types::{TrialField, TrialStruct, TrialTopology, TrialType};
use crate::random_testing::{Random, document_edits};

/// A writer of random documents.
pub(crate) struct DocumentWriter<'a> {
    pub(crate) structs: &'a [TrialStruct],
    pub(crate) random: &'a mut Random,
    pub(crate) style: UnusualShares,
}

/// The shares of unusual values in the documents of a sequence, in a thousand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnusualShares {
    /// Strings and numbers that implementations may write in different ways.
    pub(crate) special: usize,
    /// Repeated items of lists with keys.
    pub(crate) duplicates: usize,
    /// Items without one of their keys.
    pub(crate) partial_keys: usize,
    /// Fields that are null, an empty map or an empty list.
    pub(crate) empty: usize,
}

/// How often a variation of an object drops, changes or adds a field: the number of fields in a thousand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rates {
    pub(crate) drop: usize,
    pub(crate) change: usize,
    pub(crate) add: usize,
}

/// The variation of a value at a depth of the object.
#[derive(Clone, Copy, Debug)]
struct Variation {
    rates: Rates,
    depth: usize,
}

impl Variation {
    fn deeper(self) -> Self {
        Variation { depth: self.depth + 1, ..self }
    }
}

const STRINGS: [&str; 4] = ["a", "b", "c", "a"];
const SPECIAL_STRINGS: [&str; 14] = [
    "",
    "<b>",
    "a&b",
    "\"q\"",
    "\\",
    "\u{1}\t\n",
    "x\u{2028}y",
    "a.b/c",
    "é",
    "😀",
    "1",
    "true",
    "null",
    "\u{7f}",
];
const INTEGERS: [i64; 4] = [1, 2, 3, 0];
const SPECIAL_INTEGERS: [i64; 6] =
    [9_007_199_254_740_993, i64::MAX, i64::MIN, -1, 1_000_000_000_000_000_000, 4_294_967_296];
const FLOATS: [f64; 4] = [1.0, 0.5, 2.0, -0.25];
const SPECIAL_FLOATS: [f64; 8] = [1e21, 1e-7, 1e20, 1e-6, 100.0, 0.0, -0.0, 1e300];
const TIMES: [&str; 3] = ["2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z", "2024-01-01T00:00:00.5Z"];
const MAP_KEYS: [&str; 4] = ["a", "b", "c", "a.b"];
const FINALIZERS: [&str; 3] = ["a", "b", "example.com/c"];

/// The identity of the items of a list.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Identity {
    Atomic,
    Value,
    Keys(Vec<&'static str>),
}

/// Returns the identity of the items of a list with this metadata.
pub(super) fn identity_of(field: Option<&TrialField>, ty: &TrialType) -> Identity {
    let own = match ty {
        TrialType::Named(_, topology) => topology,
        _ => &TrialTopology::NONE,
    };
    let declared = field.map_or(own, |field| &field.topology);
    let declared = if declared.list_type.is_some() { declared } else { own };
    match (declared.list_type, field) {
        (Some(ListType::Set), _) => Identity::Value,
        (Some(ListType::Map), _) => Identity::Keys(declared.list_map_keys.clone()),
        (None, Some(field)) if field.strategy.starts_with("merge") => match field.merge_key {
            "" => Identity::Value,
            key => Identity::Keys(vec![key]),
        },
        _ => Identity::Atomic,
    }
}

impl DocumentWriter<'_> {
    /// Generates an object without `apiVersion` and `kind`.
    pub(crate) fn object(&mut self) -> OwnedMap {
        self.struct_value(0, &[], 0)
    }

    fn struct_value(&mut self, index: usize, keys: &[&str], depth: usize) -> OwnedMap {
        let structs = self.structs;
        let fields = &structs[index].fields;
        let mut map = Map::new();
        for field in fields {
            let chance = Self::chance_of_field(field, fields.len(), depth);
            let is_key = keys.contains(&field.name);
            if is_key && !self.random.chance(self.style.partial_keys) || !is_key && self.random.chance(chance)
            {
                let value = self.value(&field.ty, Some(field), depth + 1);
                map.insert(Text::from_static(field.name), value);
            }
        }
        map
    }

    /// Returns the chance that an object has a field. It is lower in deep and in large types.
    fn chance_of_field(field: &TrialField, count: usize, depth: usize) -> usize {
        let nests = !field.ty.is_scalar();
        if field.name == "metadata" {
            return 400;
        }
        if nests && depth > 5 {
            return 0;
        }
        let chance = if depth == 0 { 800 } else { 700_usize.saturating_sub(70 * depth) };
        match count {
            0..=7 => chance,
            _ if field.leads_to_merge || field.topology.list_type.is_some() => chance * 6 / 10,
            many => (chance * 5 / many).max(20),
        }
    }

    /// Generates a value of a type. `field` is the field that has the value, unless it is nested in a list or a map.
    fn value(&mut self, ty: &TrialType, field: Option<&TrialField>, depth: usize) -> OwnedDoc {
        if self.random.chance(self.style.empty) {
            return match ty {
                TrialType::List(_) if self.random.chance(600) => Doc::List(Vec::new()),
                TrialType::Map(_) | TrialType::Struct(_) if self.random.chance(600) => Doc::Map(Map::new()),
                _ => Doc::Null,
            };
        }
        match ty {
            TrialType::Named(inner, _) => match &**inner {
                TrialType::List(item) => self.list(item, &identity_of(field, ty), depth),
                inner => self.value(inner, field, depth),
            },
            TrialType::List(item) => self.list(item, &identity_of(field, ty), depth),
            TrialType::Struct(index) => Doc::Map(self.struct_value(*index, &[], depth)),
            TrialType::ObjectMeta => Doc::Map(self.metadata()),
            TrialType::Map(value) => {
                let mut map = Map::new();
                for _ in 0..self.random.below(4) {
                    let key = self.map_key();
                    map.insert(Text::from(key), self.value(value, None, depth + 1));
                }
                Doc::Map(map)
            }
            TrialType::Any => self.any_value(depth),
            TrialType::Scalar(scalar) => self.scalar(*scalar),
        }
    }

    fn map_key(&mut self) -> &'static str {
        let special = self.random.chance(self.style.special);
        if special { self.random.pick_text(&SPECIAL_STRINGS) } else { self.random.pick_text(&MAP_KEYS) }
    }

    /// Generates `metadata` without a name.
    fn metadata(&mut self) -> OwnedMap {
        let mut metadata = Map::new();
        for name in ["labels", "annotations"] {
            if self.random.chance(500) {
                let mut map = Map::new();
                for _ in 0..=self.random.below(2) {
                    let key = self.map_key();
                    map.insert(Text::from(key), self.scalar(ScalarType::String));
                }
                metadata.insert(Text::from_static(name), Doc::Map(map));
            }
        }
        if self.random.chance(250) {
            let mut finalizers = FINALIZERS;
            self.random.shuffle(&mut finalizers);
            let items = finalizers[..=self.random.below(2)].iter().map(|name| Doc::from(*name));
            metadata.insert(Text::from_static("finalizers"), Doc::List(items.collect()));
        }
        if self.random.chance(120) {
            let mut owner = Map::new();
            for name in ["apiVersion", "kind", "name", "uid"] {
                owner.insert(Text::from_static(name), Doc::from(*self.random.pick(&STRINGS)));
            }
            metadata.insert(Text::from_static("ownerReferences"), Doc::List(vec![Doc::Map(owner)]));
        }
        metadata
    }

    fn scalar(&mut self, scalar: ScalarType) -> OwnedDoc {
        let special = self.random.chance(self.style.special);
        match scalar {
            ScalarType::Integer if special => Doc::Int(*self.random.pick(&SPECIAL_INTEGERS)),
            ScalarType::Integer if self.random.chance(20) => Doc::Float(1.0),
            ScalarType::Number if special => Doc::Float(*self.random.pick(&SPECIAL_FLOATS)),
            ScalarType::Number if self.random.chance(600) => Doc::Float(*self.random.pick(&FLOATS)),
            ScalarType::Integer | ScalarType::Number => Doc::Int(*self.random.pick(&INTEGERS)),
            ScalarType::Boolean => Doc::Bool(self.random.chance(500)),
            ScalarType::IntOrString if self.random.chance(500) => Doc::Int(*self.random.pick(&INTEGERS)),
            ScalarType::Time => Doc::from(*self.random.pick(&TIMES)),
            _ if special => Doc::from(*self.random.pick(&SPECIAL_STRINGS)),
            _ => Doc::from(*self.random.pick(&STRINGS)),
        }
    }

    /// Generates a small value of any type.
    pub(crate) fn any_value(&mut self, depth: usize) -> OwnedDoc {
        match self.random.below(if depth > 5 { 5 } else { 8 }) {
            0 => Doc::Null,
            1 => self.scalar(ScalarType::Boolean),
            2 => self.scalar(ScalarType::Integer),
            3 => self.scalar(ScalarType::Number),
            4 => self.scalar(ScalarType::String),
            5 => {
                let length = self.random.below(3);
                Doc::List((0..length).map(|_| self.any_value(depth + 1)).collect())
            }
            _ => {
                let mut map = Map::new();
                for _ in 0..self.random.below(3) {
                    let key = *self.random.pick(&["name", "a", "b"]);
                    map.insert(Text::from_static(key), self.any_value(depth + 1));
                }
                Doc::Map(map)
            }
        }
    }

    fn list(&mut self, item: &TrialType, identity: &Identity, depth: usize) -> OwnedDoc {
        let length = self.random.below(4);
        let mut items = Vec::new();
        for _ in 0..length {
            let item = self.item(item, identity, depth);
            items.push(item);
        }
        self.without_duplicates(&mut items, identity);
        Doc::List(items)
    }

    pub(super) fn item(&mut self, item: &TrialType, identity: &Identity, depth: usize) -> OwnedDoc {
        match (item, identity) {
            (TrialType::Struct(index), Identity::Keys(keys)) => {
                Doc::Map(self.struct_value(*index, keys, depth + 1))
            }
            (TrialType::Scalar(scalar), Identity::Value) => self.scalar(*scalar),
            _ => self.value(item, None, depth + 1),
        }
    }

    /// Removes most items that have the identity of an earlier item.
    fn without_duplicates(&mut self, items: &mut Vec<OwnedDoc>, identity: &Identity) {
        if *identity == Identity::Atomic || self.random.chance(self.style.duplicates) {
            return;
        }
        let identity_text = |item: &OwnedDoc| match (identity, item) {
            (Identity::Keys(keys), Doc::Map(map)) => {
                let values = keys.iter().map(|key| map.get(key).map(ToString::to_string));
                format!("{:?}", values.collect::<Vec<_>>())
            }
            (_, Doc::Float(float)) => float.to_string(),
            (_, item) => item.to_string(),
        };
        let mut seen: Vec<String> = Vec::new();
        items.retain(|item| {
            let text = identity_text(item);
            let is_new = !seen.contains(&text);
            seen.push(text);
            is_new
        });
    }

    /// Returns a variation of an object: some fields and items are removed, changed or added.
    pub(crate) fn varied(&mut self, object: &OwnedMap, rates: Rates) -> OwnedMap {
        self.varied_struct(object, 0, &[], Variation { rates, depth: 0 })
    }

    fn varied_struct(
        &mut self,
        map: &OwnedMap,
        index: usize,
        keys: &[&'static str],
        variation: Variation,
    ) -> OwnedMap {
        let Variation { rates, depth } = variation;
        let structs = self.structs;
        let fields = &structs[index].fields;
        let mut varied = Map::new();
        for (key, value) in map.iter() {
            let field = fields.iter().find(|field| field.name == key.as_str());
            if keys.contains(&key.as_str()) {
                varied.insert(key.clone(), value.clone());
            } else if !self.random.chance(rates.drop) {
                let ty = field.map(|field| &field.ty);
                let value = self.varied_value(value, ty, field, variation.deeper());
                varied.insert(key.clone(), value);
            }
        }
        for field in fields.iter().filter(|field| !map.contains_key(field.name)) {
            let chance = Self::chance_of_field(field, fields.len(), depth) * rates.add / 1000;
            if self.random.chance(chance) {
                let value = self.value(&field.ty, Some(field), depth + 1);
                varied.insert(Text::from_static(field.name), value);
            }
        }
        varied
    }

    fn varied_value(
        &mut self,
        value: &OwnedDoc,
        ty: Option<&TrialType>,
        field: Option<&TrialField>,
        variation: Variation,
    ) -> OwnedDoc {
        let Variation { rates, depth } = variation;
        if depth > 12 {
            return value.clone();
        }
        let Some(ty) = ty else { return value.clone() };
        let inner = match ty {
            TrialType::Named(inner, _) => inner,
            other => other,
        };
        match (value, inner) {
            (Doc::Map(map), TrialType::Struct(index)) => {
                Doc::Map(self.varied_struct(map, *index, &[], variation))
            }
            (Doc::Map(map), TrialType::Map(inner)) => {
                let mut varied = Map::new();
                for (key, value) in map.iter() {
                    if !self.random.chance(rates.drop) {
                        let value = self.varied_value(value, Some(inner), None, variation.deeper());
                        varied.insert(key.clone(), value);
                    }
                }
                if self.random.chance(rates.add) {
                    let key = self.map_key();
                    varied.insert(Text::from(key), self.value(inner, None, depth + 1));
                }
                Doc::Map(varied)
            }
            (Doc::List(items), TrialType::List(item)) => {
                self.varied_list(items, item, &identity_of(field, ty), variation)
            }
            (Doc::Map(_), TrialType::ObjectMeta) if self.random.chance(rates.change) => {
                Doc::Map(self.metadata())
            }
            (_, ty) if ty.is_scalar() || self.random.chance(500) => {
                if self.random.chance(rates.change) {
                    self.value(ty, field, depth)
                } else {
                    value.clone()
                }
            }
            _ => value.clone(),
        }
    }

    fn varied_list(
        &mut self,
        items: &[OwnedDoc],
        item: &TrialType,
        identity: &Identity,
        variation: Variation,
    ) -> OwnedDoc {
        let Variation { rates, depth } = variation;
        let mut varied = Vec::new();
        for value in items.iter().take(8) {
            if self.random.chance(rates.drop) {
                continue;
            }
            let value = match (value, item, identity) {
                (Doc::Map(map), TrialType::Struct(index), Identity::Keys(keys)) => {
                    Doc::Map(self.varied_struct(map, *index, keys, variation.deeper()))
                }
                (value, _, Identity::Atomic) => {
                    self.varied_value(value, Some(item), None, variation.deeper())
                }
                (value, ..) => value.clone(),
            };
            varied.push(value);
        }
        if self.random.chance(rates.add * 2) {
            let at = self.random.below(varied.len() + 1);
            let added = self.item(item, identity, depth);
            varied.insert(at, added);
        }
        if self.random.chance(120) {
            self.random.shuffle(&mut varied);
        }
        self.without_duplicates(&mut varied, identity);
        Doc::List(varied)
    }

    /// Puts a mistake or another unusual value into a document.
    pub(crate) fn add_mistake(&mut self, document: &mut OwnedDoc) {
        let paths = document_edits::field_paths(document);
        let is_own = |path: &&FieldPath| match path.segments() {
            [PathSegment::Key(key)] => !["apiVersion", "kind"].contains(&key.as_str()),
            _ => true,
        };
        let paths: Vec<&FieldPath> = paths.iter().filter(is_own).collect();
        if paths.is_empty() {
            return;
        }
        let path = (*self.random.pick(&paths)).clone();
        let Some(value) = document_edits::value_at(document, path.segments()) else { return };
        match (self.random.below(10), value) {
            (0, value) => *value = Doc::Null,
            (1, value) => *value = Doc::Map(Map::new()),
            (2, value) => *value = Doc::List(Vec::new()),
            (3, value) => *value = self.any_value(4),
            (4 | 5, Doc::Map(map)) => {
                let key = *self.random.pick(&["unknown", "x", "a"]);
                map.insert(Text::from_static(key), self.any_value(4));
            }
            (6 | 7, Doc::List(items)) if !items.is_empty() => {
                let copy = self.random.pick(items).clone();
                items.push(copy);
            }
            (8, Doc::List(items)) => {
                let at = self.random.below(items.len() + 1);
                items.insert(at, self.any_value(4));
            }
            (6..=9, whole @ Doc::Int(1)) => *whole = Doc::Float(1.0),
            (6..=9, Doc::Map(map)) => {
                let keys = map.keys().cloned().collect::<Vec<_>>();
                if !keys.is_empty() {
                    let key = keys[self.random.below(keys.len())].clone();
                    map.remove(&key);
                }
            }
            (_, Doc::String(text)) => *text = Text::from_static(self.random.pick_text(&SPECIAL_STRINGS)),
            _ => {}
        }
    }
}
