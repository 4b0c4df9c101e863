//! Objects of a type, and edits of them. The more `wildness`, the less they keep to the type.

use skewer_engine::{Map, Str, Value};

use super::types::{MERGE_KEYS, Struct, Type, Types};
use crate::random::Random;

/// Makes documents of one type.
pub(crate) struct Maker<'t> {
    pub(crate) types: &'t Types,
    pub(crate) random: Random,
    /// How many values out of a thousand are wrong in some way.
    pub(crate) wildness: usize,
}

/// Few values, so that equal ones are common; and some that Go prints like another.
const STRINGS: [&str; 10] = ["a", "b", "c", "d", "a", "b", "", "1", "true", "<nil>"];
const INTEGERS: [i64; 7] = [0, 1, 2, 3, 1, 2, -1];
const FLOATS: [f64; 6] = [1.0, 0.5, 2.0, 1e21, -0.25, 1e-7];
/// Merge keys that random types may declare for types that lack them.
const MAY_BE_NEW: [&str; 3] = ["name", "port", "zone"];
const OTHER_KEYS: [&str; 6] = ["x", "y", "$x", "x/y", "", "é"];

impl Maker<'_> {
    fn wild(&mut self) -> bool {
        self.random.often(self.wildness)
    }

    /// An object of the root type.
    pub(crate) fn object(&mut self) -> Map {
        self.structure(self.types.root(), 0)
    }

    pub(crate) fn structure(&mut self, of: &Struct, depth: usize) -> Map {
        let mut map = Map::new();
        for (number, field) in of.fields.iter().enumerate() {
            // What may be a merge key is nearly always there.
            let usual = if number < 2 && depth < 7 {
                900
            } else {
                of.odds(field, 600_usize.saturating_sub(80 * depth))
            };
            if self.random.often(usual) {
                map.insert(Str::from(field.name), self.value(&field.ty, depth + 1));
            }
        }
        if self.wild() {
            let (key, value) = self.other_entry();
            map.insert(key, value);
        }
        map
    }

    /// A value of a type, or nearly.
    pub(crate) fn value(&mut self, ty: &Type, depth: usize) -> Value {
        if self.wild() {
            return self.wrong(ty, depth);
        }
        match ty {
            Type::Struct(at) => Value::Map(self.structure(&self.types.structs[*at], depth)),
            Type::List(item) => self.list(item, depth),
            Type::Map(value) => {
                let mut map = Map::new();
                for _ in 0..self.random.below(4) {
                    let key = *self.random.pick(&["a", "b", "c", "name"]);
                    map.insert(Str::from(key), self.value(value, depth + 1));
                }
                Value::Map(map)
            }
            Type::Any => self.anything(depth),
            scalar => self.scalar(scalar),
        }
    }

    pub(crate) fn scalar(&mut self, ty: &Type) -> Value {
        let string = |random: &mut Random| Value::from(*random.pick(&STRINGS));
        let integer = |random: &mut Random| Value::Int(*random.pick(&INTEGERS));
        match ty {
            Type::Number if self.random.often(700) => Value::Float(*self.random.pick(&FLOATS)),
            Type::Integer | Type::Number => integer(&mut self.random),
            Type::Boolean => Value::Bool(self.random.often(500)),
            Type::IntOrString if self.random.often(500) => integer(&mut self.random),
            _ => string(&mut self.random),
        }
    }

    fn list(&mut self, item: &Type, depth: usize) -> Value {
        // Long lists have keys of their own: Go's sorting of equal ones is an accident of its algorithm there.
        if self.random.often(8) && depth < 3 {
            return Value::List(self.long_list(item, depth));
        }
        let length = self.random.below(5);
        Value::List((0..length).map(|_| self.value(item, depth + 1)).collect())
    }

    fn long_list(&mut self, item: &Type, depth: usize) -> Vec<Value> {
        let length = 13 + self.random.below(20);
        let mut numbers: Vec<usize> = (0..length).collect();
        self.random.shuffle(&mut numbers);
        let text = |number: usize| Value::from(format!("k{number}"));
        let item_of = |maker: &mut Self, number: usize| match item {
            Type::Struct(at) => {
                let mut map = maker.structure(&maker.types.structs[*at], depth.max(4));
                let of = &maker.types.structs[*at];
                for key in
                    MERGE_KEYS.into_iter().filter(|key| MAY_BE_NEW.contains(key) || of.field(key).is_some())
                {
                    map.insert(Str::from(key), text(number));
                }
                Value::Map(map)
            }
            _ => text(number),
        };
        numbers.into_iter().map(|number| item_of(self, number)).collect()
    }

    /// Any small document.
    pub(crate) fn anything(&mut self, depth: usize) -> Value {
        match self.random.below(if depth > 4 { 5 } else { 8 }) {
            0 => Value::Null,
            1 => Value::Bool(self.random.often(500)),
            2 => Value::Int(*self.random.pick(&INTEGERS)),
            3 => Value::Float(*self.random.pick(&FLOATS)),
            4 => Value::from(*self.random.pick(&STRINGS)),
            5 => {
                let length = self.random.below(3);
                Value::List((0..length).map(|_| self.anything(depth + 1)).collect())
            }
            _ => {
                let mut map = Map::new();
                for _ in 0..self.random.below(3) {
                    let key = *self.random.pick(&["name", "a", "b", "port"]);
                    map.insert(Str::from(key), self.anything(depth + 1));
                }
                Value::Map(map)
            }
        }
    }

    /// A value that the type does not have, or hardly.
    fn wrong(&mut self, ty: &Type, depth: usize) -> Value {
        match (self.random.below(4), ty) {
            (0, _) => Value::Null,
            // A list with one item of another kind.
            (1, Type::List(item)) => {
                let length = self.random.below(3);
                let mut items: Vec<Value> = (0..length).map(|_| self.value(item, depth + 1)).collect();
                let at = self.random.below(length + 1);
                let odd = self.anything(depth + 1);
                items.insert(at, odd);
                Value::List(items)
            }
            // A struct that may lack its key.
            (1, Type::Struct(at)) => {
                let mut map = self.structure(&self.types.structs[*at], depth);
                if let Some(field) = self.types.structs[*at].fields.first() {
                    map.remove(field.name);
                }
                Value::Map(map)
            }
            _ => self.anything(depth),
        }
    }

    /// An entry that no type has.
    pub(crate) fn other_entry(&mut self) -> (Str, Value) {
        let key = *self.random.pick(&OTHER_KEYS);
        (Str::from(key), self.anything(3))
    }

    /// The same document after somebody worked on it.
    pub(crate) fn edited(&mut self, map: &Map, of: Option<&Struct>, depth: usize) -> Map {
        let mut edited = Map::new();
        for (key, value) in map.iter() {
            let ty = of.and_then(|of| of.field(key)).map(|field| &field.ty);
            match self.random.below(10) {
                0 => {}
                1 => {
                    let value = self.value_or_anything(ty, depth + 1);
                    edited.insert(key.clone(), value);
                }
                2..=5 => {
                    let value = self.edited_value(value, ty, depth + 1);
                    edited.insert(key.clone(), value);
                }
                _ => {
                    edited.insert(key.clone(), value.clone());
                }
            }
        }
        for field in of.iter().flat_map(|of| &of.fields) {
            let odds = of.map_or(0, |of| of.odds(field, 150));
            if !map.contains_key(field.name) && self.random.often(odds) {
                edited.insert(Str::from(field.name), self.value(&field.ty, depth + 1));
            }
        }
        edited
    }

    fn value_or_anything(&mut self, ty: Option<&Type>, depth: usize) -> Value {
        match ty {
            Some(ty) => self.value(ty, depth),
            None => self.anything(depth),
        }
    }

    fn edited_value(&mut self, value: &Value, ty: Option<&Type>, depth: usize) -> Value {
        match (value, ty) {
            (Value::Map(map), Some(Type::Struct(at))) => {
                Value::Map(self.edited(map, Some(&self.types.structs[*at]), depth))
            }
            (Value::Map(map), _) => Value::Map(self.edited(map, None, depth)),
            (Value::List(items), Some(Type::List(item))) => self.edited_list(items, Some(item), depth),
            (Value::List(items), _) => self.edited_list(items, None, depth),
            (_, Some(ty)) => self.value(ty, depth),
            (value, None) => value.clone(),
        }
    }

    fn edited_list(&mut self, items: &[Value], item: Option<&Type>, depth: usize) -> Value {
        let mut edited = Vec::new();
        let long = items.len() > 8;
        for value in items {
            match self.random.below(8) {
                0 => {}
                1 | 2 => edited.push(self.edited_item(value, item, depth, long)),
                _ => edited.push(value.clone()),
            }
        }
        // Nothing that could repeat a key goes into a long list.
        if !long && self.random.often(400) {
            let at = self.random.below(edited.len() + 1);
            let added = self.value_or_anything(item, depth + 1);
            edited.insert(at, added);
        }
        if self.random.often(250) {
            self.random.shuffle(&mut edited);
        }
        Value::List(edited)
    }

    /// An item that is, as a rule, still the same one.
    fn edited_item(&mut self, value: &Value, item: Option<&Type>, depth: usize, keeps_key: bool) -> Value {
        let mut edited = self.edited_value(value, item, depth);
        let (Value::Map(before), Value::Map(after)) = (value, &mut edited) else { return value.clone() };
        for key in MERGE_KEYS {
            if let Some(held) = before.get(key)
                && (keeps_key || self.random.often(900))
            {
                after.insert(Str::from(key), held.clone());
            }
        }
        edited
    }
}
